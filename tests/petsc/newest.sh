#!/usr/bin/env bash
# Builds the newest PETSc on PyPI in build/petsc-newest, with CUDA where nvcc is, then the adapter and
# PETSc's own tutorials against it: Debian 12 has PETSc 3.18 without CUDA. Takes 20 to 40 minutes on two
# cores the first time; each stage that is done is not done again.
#   tests/petsc/newest.sh           all of it
#   tests/petsc/newest.sh petsc     PETSc only
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup.sh"

readonly version=3.26.1
readonly home=$root/build/petsc-newest
export PETSC_DIR=$home/petsc-$version PETSC_ARCH=arch-specmv

# done FILE: whether the stage that leaves this file has been run.
fetchPetsc() {
  [[ ! -f $PETSC_DIR/configure ]] || return 0
  [[ -f $home/petsc-$version.tar.gz ]] ||
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --no-binary :all: \
      "petsc==$version" -d "$home"
  tar -C "$home" -xf "$home/petsc-$version.tar.gz"
}

# CUDA of sm_90 (the GPUs that specmv was measured on) or SPECMV_CUDA_ARCH, such as 80.
cudaOptions() {
  local nvcc
  nvcc=$(command -v nvcc || true)
  [[ -n $nvcc || ! -x $toolkit/bin/nvcc ]] || nvcc=$toolkit/bin/nvcc
  [[ -n $nvcc ]] || return 0
  printf '%s\n' --with-cuda=1 "--with-cudac=$nvcc" "--with-cuda-dir=$(cd -P -- "$(dirname -- "$nvcc")/.." && pwd)" \
    "--with-cuda-arch=${SPECMV_CUDA_ARCH:-90}" --CUDAOPTFLAGS=-O2
}

# Reading the arguments from a file keeps each a word.
configurePetsc() {
  [[ ! -f $PETSC_DIR/$PETSC_ARCH/lib/petsc/conf/petscvariables ]] || return 0
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

findToolkit || true
mkdir -p -- "$home"
buildPetsc
