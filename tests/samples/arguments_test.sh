#!/usr/bin/env bash
# A sample whose argument is the size of its problem tells of any other argument, and of --help.
# Called by ctest: arguments_test.sh SAMPLE...
set -euo pipefail

# shellcheck source=tests/package/scratch.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../package/scratch.sh"
cd -- "$scratch" || exit # `scratch` is set by scratch.sh

# refused SENTENCE COMMAND...
refused() {
  local status=0 sentence=$1
  shift
  "$@" >out 2>log || status=$?
  [[ $status == 2 && ! -s out && $(wc -l <log) == 1 ]] && grep -qF "error: $sentence" log ||
    fail "$* ends with $status and says: $(cat out log)"
}

(($#)) || fail 'no sample was named'
for sample in "$@"; do
  for argument in 12x '10 20' abc '' 0 -5 1.5 99999999999 99999999999999999999; do
    refused "n = '$argument' is no whole number in 1.." "$sample" "$argument"
  done
  refused "'20' is one argument too many; give n alone" "$sample" 10 20
  "$sample" --help >log 2>&1 || fail "$sample --help fails: $(cat log)"
  grep -qE "^usage: $sample \\[n\\] +\\(n is a whole number in 1\\.\\.[0-9]+, default [0-9]+\\)\$" log ||
    fail "$sample --help prints: $(cat log)"
done
