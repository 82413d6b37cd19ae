#!/usr/bin/env bash
# From a fresh Debian 12 machine to a verified product in one command: installs what is missing,
# builds the tool as build/specmv, and runs it with a real matrix. Arguments, if there are any, are
# passed to `specmv run` instead.
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../tests/setup.sh"

# Prints the path of a real matrix if there is one, otherwise the SPEC of a generated matrix.
chooseMatrix() {
  local matrices=${SPECMV_MATRICES:-$root/../shared/matrices} matrix
  # cage11: 559,722 entries, DNA electrophoresis; Dubcova1: 253,009, a PDE; otherwise any matrix.
  for matrix in "$matrices"/{cage11,Dubcova1,*}.mtx{.gz,}; do
    if [[ -f $matrix ]]; then
      printf '%s\n' "$matrix"
      return
    fi
  done
  printf 'chessboard:m=7,n=8,k=5\n'
}

# What is going on, since each of these can take minutes the first time.
tell() { printf '[%(%H:%M:%S)T] %s\n' -1 "$*" >&2; }

tell "looking for what the build needs; what is missing is installed"
setUp "${build_packages[@]}"
options=()
isInstalled doctest-dev || options=(-DSPECMV_TESTS=OFF)
tell "configuring the build in $root/build, with the CUDA toolkit $toolkit"
configure release "$root/build" g++ "${options[@]}"
tell "building build/specmv: minutes the first time ($(nproc) cores), seconds later"
compile "$root/build" specmv_tool specmv_shared

tell "done"

(($#)) || set -- "$(chooseMatrix)"
printf '%s run' "$root/build/specmv"
printf ' %s' "$@"
printf '\n'
exec "$root/build/specmv" run "$@"
