#!/usr/bin/env bash
# Builds the tests of the C API with ThreadSanitizer, in build/tsan, and runs those in which threads
# work beside one another: set-ups beside products, contexts, structures of other plans, and many
# threads at once. A race that is found is printed, and fails its test.
#   tests/threads.sh [OPTION of api_test...]
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

setUp "${build_packages[@]}" "${test_packages[@]}"
configure tsan "$root/build/tsan" clang++ -DSPECMV_TESTS=ON
compile "$root/build/tsan" api_test
export TSAN_OPTIONS=exitcode=66
exec "$root/build/tsan/tests/api_test" \
  --source-file='*start*_test.cpp,*context_test.cpp,*structure_test.cpp,*robustness_test.cpp' "$@"
