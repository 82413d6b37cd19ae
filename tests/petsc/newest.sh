#!/usr/bin/env bash
# Builds the newest PETSc on PyPI in build/petsc-newest, with CUDA where nvcc is, and against it the adapter,
# its tests, its benchmark and PETSc's tutorials, in build/petsc-newest/bin; then runs the tests on the host.
# Debian 12 has PETSc 3.18 without CUDA. It takes 15 to 30 minutes on two cores and 0.6 GB the first time, and
# wants a build of libspecmv.so in build/. What is there already is not built again.
#   tests/petsc/newest.sh
# On a machine with a GPU, then:
#   tests/petsc/tutorials_test.sh build/petsc-newest/bin build/petsc-newest/bin/libspecmv_petsc.so 1 aijcusparse cuda
#   build/petsc-newest/bin/petsc_benchmark -problem elasticity -n 49 -pc_type jacobi -operator specmv
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup.sh"

readonly version=3.26.1
readonly home=$root/build/petsc-newest
readonly bin=$home/bin
export PETSC_DIR=$home/petsc-$version PETSC_ARCH=arch-specmv
readonly libraries=$PETSC_DIR/$PETSC_ARCH/lib

fetchPetsc() {
  [[ ! -f $PETSC_DIR/configure ]] || return 0
  [[ -f $home/petsc-$version.tar.gz ]] ||
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --no-binary :all: \
      "petsc==$version" -d "$home"
  tar -C "$home" -xf "$home/petsc-$version.tar.gz"
}

# CUDA for sm_90 (the GPUs that specmv was measured on) or SPECMV_CUDA_ARCH, such as 80.
cudaOptions() {
  local nvcc
  nvcc=$(command -v nvcc || true)
  [[ -n $nvcc || ! -x $toolkit/bin/nvcc ]] || nvcc=$toolkit/bin/nvcc
  [[ -n $nvcc ]] || return 0
  printf '%s\n' --with-cuda=1 "--with-cudac=$nvcc" "--with-cuda-dir=$(cd -P -- "$(dirname -- "$nvcc")/.." && pwd)" \
    "--with-cuda-arch=${SPECMV_CUDA_ARCH:-90}" --CUDAOPTFLAGS=-O2
}

configurePetsc() {
  [[ ! -f $libraries/petsc/conf/petscvariables ]] || return 0
  local options
  mapfile -t options < <(cudaOptions)
  (cd -- "$PETSC_DIR" && python3 ./configure --with-cc=mpicc --with-cxx=mpicxx --with-fc=0 --with-x=0 \
    --with-debugging=0 --with-shared-libraries=1 --with-make-np="$(nproc)" \
    --COPTFLAGS=-O2 --CXXOPTFLAGS=-O2 "${options[@]}")
}

buildPetsc() {
  fetchPetsc
  configurePetsc
  make -C "$PETSC_DIR" libs
}

# link OUTPUT WORD...: compiles and links with both libraries. The folder of the output comes first where
# they are looked for, since build/ may have the adapter of another PETSc.
link() {
  local output=$1
  shift
  mpicxx -std=c++20 -Wall -Wextra -Werror -DOMPI_SKIP_MPICXX -I"$root" -I"$root/runtime/include" \
    -I"$root/runtime/adapters/petsc" -isystem "$PETSC_DIR/include" -isystem "$PETSC_DIR/$PETSC_ARCH/include" \
    -o "$bin/$output" "$@" -L"$root/build" -lspecmv -L"$libraries" -lpetsc -Wl,-rpath,"\$ORIGIN" \
    -Wl,-rpath,"$libraries" -Wl,-rpath,"$root/build"
}

buildTutorials() {
  local tutorial name
  for tutorial in ksp/ksp/tutorials/ex2 ksp/ksp/tutorials/ex45 ksp/ksp/tutorials/ex56 snes/tutorials/ex19 \
    ts/tutorials/ex7; do
    name=${tutorial%/tutorials/*}
    mpicc -O2 -w -I"$PETSC_DIR/include" -I"$PETSC_DIR/$PETSC_ARCH/include" -o "$bin/${name##*/}_${tutorial##*/}" \
      "$PETSC_DIR/src/$tutorial.c" -L"$libraries" -lpetsc -lm -Wl,-rpath,"$libraries"
  done
}

buildOurs() {
  local adapter=$root/runtime/adapters/petsc
  link libspecmv_petsc.so -O2 -shared -fPIC -fvisibility=hidden -Wl,-z,defs \
    -Wl,--version-script="$adapter/exports.map" "$adapter"/*.cpp
  link petsc_test -O0 "$root"/tests/petsc/*.cpp -L"$bin" -lspecmv_petsc
  link petsc_benchmark -O2 "$root/tests/bench/petsc/petsc_benchmark.cpp" -L"$bin" -lspecmv_petsc
}

runTests() {
  local count
  export SPECMV_CACHE_DIR=$home/cache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  for count in 1 2 4; do
    mpiexec --oversubscribe -n "$count" "$bin/petsc_test"
    "$root/tests/petsc/tutorials_test.sh" "$bin" "$bin/libspecmv_petsc.so" "$count"
  done
}

findToolkit || true
mkdir -p -- "$bin"
buildPetsc
buildTutorials
buildOurs
runTests
