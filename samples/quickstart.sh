#!/usr/bin/env bash
# From a fresh Debian 12 machine to a verified product in one command: installs what is missing,
# builds the tool as build/specmv and the pack of kernels for this machine's GPU, and runs the tool
# with a real matrix, or with the one that is named.
set -euo pipefail

help() {
  cat <<'TEXT'
samples/quickstart.sh [MATRIX [OPTION...]]
Installs what is missing, builds the tool as build/specmv and the standard pack for this
machine's GPU (without one, for sm_90), and multiplies by a matrix:
  MATRIX     a Matrix Market file (.mtx, .mtx.gz) or a SPEC such as stencil27:n=100;
             without one, a matrix of the folder SPECMV_MATRICES, else a generated one
  OPTION...  options of `specmv run`, which `build/specmv run --help` lists after the build
The exit status is that of `specmv run`: 1 if there is no such file, 2 if another argument is wrong.
It is 3 if the machine lacks what the build needs, and another one if the build fails.
TEXT
}

# Ends the script before it builds: the call is bad.
badCall() {
  printf 'error: %s; samples/quickstart.sh --help lists the arguments\n' "$1" >&2
  exit 2
}

# Refuses wrong arguments before the tool is built, which may take minutes.
checkArguments() {
  local argument
  for argument in "$@"; do
    if [[ $argument == -h || $argument == --help ]]; then
      help
      exit
    fi
  done
  case ${1:-} in
    -*) badCall "'$1' stands in the place of the matrix; name the matrix first, and the options after it" ;;
    *.mtx | *.mtx.gz)
      [[ -f $1 ]] || {
        printf "error: there is no file '%s'\n" "$1" >&2
        exit 1
      }
      ;;
  esac
}
checkArguments "$@"

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

# Prints the current step, since each step can take minutes the first time.
tell() { printf '[%(%H:%M:%S)T] %s\n' -1 "$*" >&2; }

tell "looking for what the build needs; what is missing is installed"
setUp "${build_packages[@]}"
options=()
isInstalled doctest-dev || options=(-DSPECMV_TESTS=OFF)
tell "configuring the build in $root/build, with the CUDA toolkit $toolkit"
configure release "$root/build" g++ "${options[@]}"
tell "building build/specmv: minutes the first time ($(nproc) cores), seconds later"
compile "$root/build" specmv_tool specmv_shared

# Without a pack, the first plans wait a second or two for NVRTC. A full build has made it for other
# GPUs too, and renews it; it also replaces the one that is made here.
if [[ -e $root/build/standard.pack ]]; then
  compile "$root/build" specmv_standard_pack
else
  tell "compiling the kernels that many matrices need: half a minute, once"
  "$root/build/specmv" pregen --standard --quiet --type f32,f64 -o "$root/build/standard.pack"
fi

tell "built; now multiplying and verifying"

(($#)) || set -- "$(chooseMatrix)"
printf '%s run' "$root/build/specmv"
printf ' %s' "$@"
printf '\n'
exec "$root/build/specmv" run "$@"
