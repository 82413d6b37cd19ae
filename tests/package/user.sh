# Functions for the tests of packaging, which source this file. They make a user's folder with the
# programs that README and the pages of the manual show, and run their lines as a user pastes them.
# Needs `source`, `build` and `cuda`. shellcheck shell=bash

# shellcheck source=tests/package/scratch.sh disable=SC2154 # `source` is set by who sources this
source "$source/tests/package/scratch.sh"

# block START: prints the indented block whose first line begins so, of README or else of a page.
block() {
  local text
  # shellcheck disable=SC2154 # `source` is set by who sources this
  text=$(awk -v start="    $1" '
    !inside && index($0, start) == 1 { inside = 1 }
    inside && $0 != "" && substr($0, 1, 4) != "    " { exit }
    inside { print substr($0, 5) }' "$source/README.md" "$source"/runtime/package/manual/*.md)
  [[ -n $text ]] || fail "neither README nor a page of the manual has a block that begins with: $1"
  printf '%s\n' "$text"
}

# The user's folder: a program, a CMakeLists.txt, and the clone in specmv/.
makeUser() {
  # shellcheck disable=SC2154
  export HOME=$scratch/home SPECMV_CACHE_DIR=$scratch/cache SPECMV_STANDARD_PACK='' CMAKE_GENERATOR=Ninja CPATH=$cuda/include
  # Removes variables of the shell that runs the tests; a user's shell has none of them.
  unset PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CFLAGS CXXFLAGS SPECMV_CUDA_HOME VIRTUAL_ENV CONDA_PREFIX
  mkdir -p -- "$HOME" "$scratch/user/specmv"
  cd -- "$scratch/user" || exit
  local entry
  for entry in CMakeLists.txt models generator templates runtime tests samples; do
    ln -s -- "$source/$entry" "specmv/$entry"
  done
  # shellcheck disable=SC2154
  ln -s -- "$build" specmv/build
  block '#include <specmv.h>' >my_solver.c
  block '#include <specmv.hpp>' >my_solver.cpp
  block 'cmake_minimum_required' >CMakeLists.txt
}

# run LINES: as a user pastes them.
run() {
  printf '%s\n' "$1"
  bash -euo pipefail -c "$1" >log 2>&1 || fail "$(cat log)"
}

# program FILE: what README's program prints.
program() {
  local output
  output=$("$1" 2>&1) || fail "$1 ends with $?: $output"
  [[ $output == 'y = 6 6 17' ]] || fail "$1 prints: $output"
}
