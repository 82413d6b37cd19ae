#!/usr/bin/env bash
# Checks the form of all own sources with clang-format and what they say with clang-tidy, many files a
# unit: most of its time goes into headers. Runs after the build; arguments name files to look at
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

# What clang-tidy looks at, ended by zeros: the units of a build of their own, which takes the toolkit
# from build/, without the host executor's, which are emitted.
units() {
  local toolkit
  toolkit=$(sed -n 's/^SPECMV_CUDA_HOME:[A-Z]*=//p' build/CMakeCache.txt)
  cmake -S . -B build/lint -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DSPECMV_TESTS=ON -DSPECMV_CUDA_HOME="$toolkit" >&2
  cmake --build build/lint --target specmv_embedded >&2
  sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/lint/compile_commands.json |
    grep -v /simt/units/ | tr '\n' '\0'
}

# The commands of the build without g++'s precompiled headers, which clang takes for its own.
plainCommands() {
  mkdir -p -- build/lint.commands
  sed -E 's/ -Winvalid-pch -include [^ ]+cmake_pch\.h(xx)?//' build/compile_commands.json \
    >build/lint.commands/compile_commands.json
}

status=0
sources 'cpp|c|h|cuh' "${places[@]}" | xargs -0 -r clang-format-14 --dry-run -Werror || status=1
sources 'cuh' "${places[@]}" | forEach clang-tidy-14 --quiet NAME -- "${kernel_flags[@]}" || status=1
if (($#)); then
  build=build/lint.commands
  plainCommands
  sources 'cpp|c' "$@" >build/lint.files
else
  build=build/lint
  units >build/lint.files 2>build/lint.log || { cat build/lint.log; exit 1; }
fi
# A unit includes .cpp files, which would be suspicious elsewhere.
forEach clang-tidy-14 --quiet --checks=-bugprone-suspicious-include -p "$build" \
  --extra-arg=-Wno-unknown-warning-option NAME <build/lint.files || status=1
exit "$status"
