#!/usr/bin/env bash
# The parts into which a program of tests is divided have each of its test cases once.
# Called by ctest: shards_test.sh PROGRAM FILTERS..., the filters of a part in one argument each.
set -euo pipefail

readonly program=$1
shift

# The names of the test cases that these filters leave.
cases() {
  "$program" --list-test-cases --no-colors=true "$@" | sed '/^\[doctest\]/d; /^===*$/d'
}

parts=$(for filters in "$@"; do
  read -ra filter <<<"$filters"
  cases "${filter[@]}"
done | sort)
whole=$(cases | sort)
[[ -n $whole && $parts == "$whole" ]] || {
  printf 'FAILED: the parts do not have each test case once:\n'
  diff <(printf '%s\n' "$whole") <(printf '%s\n' "$parts")
  exit 1
}
printf '%s test cases in %s parts\n' "$(wc -l <<<"$whole")" $#
