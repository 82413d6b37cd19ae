#!/usr/bin/env bash
# Builds the solvers of this folder: build.sh BUILD, where BUILD is the folder of specmv's build. It
# needs nvcc, cuBLAS and cuSPARSE. SPECMV_CUDA_HOME names the toolkit.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=${1:?"give the build folder of specmv"}
cuda=${SPECMV_CUDA_HOME:-/usr/local/cuda}
# shellcheck disable=SC2016 # $ORIGIN is for the loader
"$cuda/bin/nvcc" -std=c++17 -O2 -arch=sm_90 -I "$here/../../../runtime/include" \
  "$here"/*.cu "$here/cusparse.cpp" -o "$build/solvers" \
  -L "$build" -lspecmv -lcublas -lcusparse -Xlinker -rpath -Xlinker '$ORIGIN'
