#!/usr/bin/env bash
# Builds and tests everything from a fresh Debian 12 machine, with or without a GPU: the release
# build and its tests, the sanitized build and its tests, the linters and the house rules. A stage
# that fails does not keep the later ones from running; at the end each failure is told again, and
# the last line sums the tests up.
#   tests/run.sh          all of it, as continuous integration does
#   tests/run.sh quick    the release build and its tests, without those that need a GPU, that start
#                         several processes, or that compile everything once more
set -euo pipefail

usage() {
  printf "error: '%s' is not an argument of tests/run.sh: give none for all tests, or quick\n" "$1" >&2
  exit 2
}

quick=false
for argument in "$@"; do
  case $argument in
    quick) quick=true ;;
    *) usage "$argument" ;;
  esac
done

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

passed=0
failed=0
skipped=0
stage=start
failures=() # a line each
lint=       # the process group of the linters

headline() {
  stage=$1
  printf '[%(%H:%M:%S)T] %s\n' -1 "$stage"
}

# fails [WHAT]: the stage has failed, and WHAT of it.
fails() { failures+=("$stage${1:+: $1}"); }

finish() {
  local status=$? failure
  [[ -z $lint ]] || kill -- -"$lint" 2>/dev/null || true
  ((status == 0)) || printf 'error: stopped at: %s\n' "$stage" >&2
  for failure in "${failures[@]}"; do
    printf 'error: failed: %s\n' "$failure" >&2
  done
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  ((status != 0 || ${#failures[@]} == 0)) || exit 1
}
trap finish EXIT

# Prints an attribute of the <testsuite> element of ctest's report, which has a line to itself.
count() { sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\"\$/\1/p" "$1"; }

# Names the tests that were skipped, with what each said: its line with "skip" in it, else its
# first.
explainSkips() {
  awk '
    /<testcase / {
      skipped = /status="notrun"/; reason = ""; found = 0
      name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name)
      next
    }
    /<skipped / || !skipped { next }
    /<\/testcase>/ {
      if (reason == "") reason = "gave no reason"
      ++count[reason]; names[reason] = names[reason] " " name
      next
    }
    {
      gsub(/<[^>]*>|^[[:space:]]+/, "")
      if (!found && /[Ss]kip/) { reason = $0; found = 1 }
      if (reason == "") reason = $0
    }
    END { for (reason in names) printf "SKIPPED %d: %s:%s\n", count[reason], reason, names[reason] }' "$1"
}

# The names of the tests that failed.
failedIn() {
  sed -n 's/^[[:space:]]*<testcase name="\([^"]*\)".* status="fail".*/\1/p' "$1" | paste -sd ' '
}

# runTests FOLDER [CTEST OPTION...]: runs tests and adds to the sums. The limit of time is for a test
# that waits for good: alone, each test takes minutes at most.
runTests() {
  local folder=$1 report=$1/ctest.xml status=0 tests bad unrun names
  shift
  rm -f -- "$report"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --timeout 1800 \
    --output-junit "$report" "$@" || status=$?
  if [[ -f $report ]]; then
    tests=$(count "$report" tests) bad=$(count "$report" failures) unrun=$(count "$report" skipped)
    ((passed += tests - bad - unrun, failed += bad, skipped += unrun)) || true
    explainSkips "$report"
    names=$(failedIn "$report")
  fi
  ((status == 0)) || fails "${names:-ctest ended with $status}"
}

# Without a GPU, the standard pack is made for one architecture: tests of packs make their own, and
# tests compile kernels for the others.
export SPECMV_PACK_ARCHITECTURES=sm_90

# build PRESET FOLDER COMPILER [TARGET]: whether it could be built.
build() {
  local preset=$1 folder=$2 compiler=$3
  if configure "$preset" "$folder" "$compiler" -DSPECMV_TESTS=ON && compile "$folder" "${@:4}"; then
    return 0
  fi
  fails "its tests are not run"
  return 1
}

# The linters take what the stages from here on leave of the cores: the end of a build, the last test.
# setsid gives them a process group, so that they can be ended with all that they started.
lintBeside() {
  setsid nice -n 19 "$root/tests/lint.sh" >"$root/build/lint.txt" 2>&1 &
  lint=$!
}

# Waits for the linters, and shows what they said if they found something.
lintResult() {
  local status=0
  wait "$lint" || status=$?
  lint=
  ((status == 0)) || {
    cat -- "$root/build/lint.txt" >&2
    fails
  }
}

# Sanitizer reports with names and lines.
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-19/bin/llvm-symbolizer
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

headline "set-up"
setUp "${build_packages[@]}" "${test_packages[@]}"
setUpPython
printf 'CUDA toolkit: %s\n' "$toolkit"

headline "build with g++"
if $quick; then
  if build release "$root/build" g++ quick_tests; then
    headline "tests"
    runTests "$root/build" --parallel "$(nproc)" -LE 'gpu|compile|ranks'
  fi
  headline "done"
  exit
fi
if build release "$root/build" g++; then
  lintBeside
  headline "tests"
  # The kernels on the CPU come with the sanitized tests, which see more of them; `quick` runs them
  # here.
  runTests "$root/build" --parallel "$(nproc)" -LE simt
else
  lintBeside
fi

headline "build with clang++, AddressSanitizer and UndefinedBehaviorSanitizer"
if build sanitize "$root/build/sanitize" clang++; then
  headline "sanitized tests"
  runTests "$root/build/sanitize" --parallel "$(nproc)" -L 'unit|simt|fuzz' -LE compile
fi

headline "linters, which ran beside the stages since the first build"
lintResult
headline "house rules"
"$root/tests/house.sh" || fails
headline "done"
