#!/usr/bin/env bash
# Checks the form of all own sources with clang-format, and those of the product with clang-tidy
# (tests would cost it as long again). Needs the compile commands and generated files of build/, so it
# runs after the build; arguments name files to look at instead.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

product=(templates models generator runtime samples)
places=("${product[@]}" tests)
if (($#)); then
  product=("$@") places=("$@")
fi

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

status=0
sources 'cpp|c|h|cuh' "${places[@]}" | xargs -0 -r clang-format-14 --dry-run -Werror || status=1
sources 'cuh' "${product[@]}" | forEach clang-tidy-14 --quiet NAME -- "${kernel_flags[@]}" || status=1
sources 'cpp|c' "${product[@]}" | forEach clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p build NAME || status=1
exit "$status"
