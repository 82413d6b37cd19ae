#!/usr/bin/env bash
# From a fresh Debian 12 machine to a verified product in one command: installs what is missing,
# builds the tool as build/specmv, and multiplies by a real matrix (or by what the arguments name:
# those of `specmv run`).
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../tests/setup.sh"

# Prints a real matrix where there are some, else a generated one.
chooseMatrix() {
  local matrices=${SPECMV_MATRICES:-$root/../shared/matrices} matrix
  # 559,722 real values of DNA electrophoresis; 253,009 of a PDE; else whatever there is.
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
