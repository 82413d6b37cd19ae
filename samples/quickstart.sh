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

setUp "${build_packages[@]}"
options=()
isInstalled doctest-dev || options=(-DSPECMV_TESTS=OFF)
configure release "$root/build" g++ "${options[@]}"
compile "$root/build" specmv_tool specmv_shared

(($#)) || set -- "$(chooseMatrix)"
printf '%s run' "$root/build/specmv"
printf ' %s' "$@"
printf '\n'
exec "$root/build/specmv" run "$@"
