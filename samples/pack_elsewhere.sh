#!/usr/bin/env bash
# Carries compiled kernels to a machine without NVRTC. On this machine the tool packs the kernels for a
# matrix, which needs NVRTC and no GPU; there, the program, libspecmv.so and the pack are all it takes.
#   samples/pack_elsewhere.sh BUILD_FOLDER [ARCH,...]        (default sm_80,sm_90)
set -euo pipefail

readonly build=${1:?the build folder is missing} architectures=${2:-sm_80,sm_90}
there=$(mktemp -d)
trap 'rm -rf -- "$there"' EXIT

# Here. A file of your own, A.mtx, is named in place of the generated matrix.
"$build/specmv" pregen stencil5:n=200 --type f64 --arch "$architectures" -o "$there/solver.pack"
cp -- "$build/samples/pack_elsewhere" "$build"/libspecmv.so.? "$there"

# There: another folder stands for the machine, with no cache and no toolkit. Packs are machine code,
# so one is read only if it is yours or root's and nobody else may write to it.
cd -- "$there"
chmod go-w solver.pack
env -u SPECMV_CACHE_PATH SPECMV_CACHE_DIR="$there/cache" SPECMV_STANDARD_PACK='' \
  SPECMV_CUDA_HOME=/nowhere LD_LIBRARY_PATH="$there${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
  ./pack_elsewhere solver.pack 200
