#!/usr/bin/env bash
# Checks the form of all own sources with clang-format and what they say with clang-tidy, many files a
# unit: most of its time goes into headers. Then each file of the libraries and the tool is compiled by
# itself, since a build compiles units of many. Runs after the build; arguments name files to look at
# instead, each by itself.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

places=(templates models generator runtime samples tests)
(($# == 0)) || places=("$@")

# clang 14 knows no GPU after sm_86 and no CUDA after 11.5; the templates are the same for all.
readonly kernel_flags=(-x cuda --cuda-device-only --cuda-gpu-arch=sm_86 -nocudainc -nocudalib
  -std=c++20 -Itemplates -include tests/lint_cuda.h
  -Wall -Wextra -Wno-unknown-cuda-version -Wno-pragma-once-outside-header)

# sources ENDINGS PLACE...: prints, each ended by a zero, the files whose names end so (a regular
# expression).
sources() {
  local endings=$1
  shift
  find "$@" -type f -regextype posix-extended -regex ".*\.($endings)" -print0
}

# Reads names and runs the command on each as NAME, as many at a time as there are processors. What
# one prints stays together; nothing is printed for a file that passes.
forEach() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  xargs -0 -r -P "$(nproc)" -I NAME bash -c \
    'output=$("$@" 2>&1) || { printf "%s\n" "$output"; exit 1; }' forEach "$@"
}

# configured FOLDER OPTION...: a build of its own, which takes the toolkit and what is embedded from
# build/.
configured() {
  local folder=$1 toolkit python
  shift
  toolkit=$(sed -n 's/^SPECMV_CUDA_HOME:[A-Z]*=//p' build/CMakeCache.txt)
  python=$(sed -n 's/^Python_EXECUTABLE:[A-Z]*=//p' build/CMakeCache.txt)
  cmake -S . -B "$folder" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DSPECMV_TESTS=ON \
    -DSPECMV_CUDA_HOME="$toolkit" ${python:+"-DPython_EXECUTABLE=$python"} "$@" >&2
  cp -r build/embedded "$folder/"
}

# Prints the units for clang-tidy, each ended by a zero: units of many files, without those of the
# host executor, which are emitted, without PETSc's tutorials and nanobind, which are outside, and without
# precompiled headers, which have none of ours. The unit with the most files comes first, since begun
# last it would end alone.
units() {
  local unit
  configured build/lint -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0
  sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/lint/compile_commands.json | grep "^$PWD/" |
    grep -vE "/simt/units/|/site-packages/|/cmake_pch\.hxx\.cxx$" |
    while read -r unit; do
      printf '%d %s\n' "$(grep -c '^#include.*\.cp*"' "$unit")" "$unit"
    done | sort -rn | cut -d' ' -f2- | tr '\n' '\0'
}

# Commands of single files, without g++'s precompiled headers, which clang takes for its own.
plainCommands() {
  configured build/lint.commands -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
}

# Prints the commands that look at each file of the libraries and the tool by itself, ended by zeros.
# clang takes half as long for it as g++.
aloneCommands() {
  configured build/lint.alone -DCMAKE_UNITY_BUILD=OFF -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DSPECMV_TESTS=OFF -DSPECMV_SAMPLES=OFF -DSPECMV_STANDARD_PACK=OFF
  ninja -C build/lint.alone -t targets all | sed -n 's/^\(.*cmake_pch\.hxx\.pch\): .*/\1/p' |
    xargs ninja -C build/lint.alone >&2
  sed -n 's/^ *"command": "\(.*\)",$/\1/p' build/lint.alone/compile_commands.json |
    grep -vE "/site-packages/[^ ]*\.cpp$|cmake_pch\.hxx\.cxx" |
    sed 's/\\\(.\)/\1/g; s/ -o [^ ]* -c / -fsyntax-only /' | tr '\n' '\0'
}

status=0
sources 'cpp|c|h|cuh' "${places[@]}" | xargs -0 -r clang-format-14 --dry-run -Werror || status=1
sources 'cuh' "${places[@]}" | forEach clang-tidy-14 --quiet NAME -- "${kernel_flags[@]}" || status=1
if (($#)); then
  build=build/lint.commands
  plainCommands 2>build/lint.log || { cat build/lint.log; exit 1; }
  sources 'cpp|c' "$@" >build/lint.files
else
  build=build/lint
  units >build/lint.files 2>build/lint.log || { cat build/lint.log; exit 1; }
fi
# A unit includes .cpp files, which would be suspicious elsewhere. The commands are g++'s, which has warnings
# and an optimization (tests/simt/CMakeLists.txt) that clang does not know.
forEach clang-tidy-14 --quiet --checks=-bugprone-suspicious-include -p "$build" \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument NAME <build/lint.files || status=1
if ((!$#)); then
  aloneCommands >build/lint.files 2>build/lint.log || { cat build/lint.log; exit 1; }
  (cd build/lint.alone && forEach bash -c NAME <../lint.files) || status=1
fi
exit "$status"
