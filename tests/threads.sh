#!/usr/bin/env bash
# Builds tests with ThreadSanitizer, in build/tsan, and runs those in which threads work beside one
# another: of the C API, set-ups and compilations beside products, products of several streams, learning,
# contexts, structures of other plans, retired plans, and many threads at once; of the library, work in
# the background. A race that is found is printed, and fails its test.
#   tests/threads.sh [OPTION of the test programs...]
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

setUp "${build_packages[@]}" "${test_packages[@]}"
configure tsan "$root/build/tsan" clang++ -DSPECMV_TESTS=ON
compile "$root/build/tsan" api_test runtime_test
export TSAN_OPTIONS=exitcode=66:die_after_fork=0 # some tests fork
status=0
besideOthers=(start_test start_end_test context_test structure_test robustness_test kernels_test
  retire_test learning_test improve_test improve_uses_test streams_test)
files=$(printf '*/%s.cpp,' "${besideOthers[@]}")
"$root/build/tsan/tests/api_test" --source-file="${files%,}" "$@" || status=1
"$root/build/tsan/tests/runtime_test" --source-file='*/threads/*_test.cpp' "$@" || status=1
exit "$status"
