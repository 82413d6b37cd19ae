# A test's folder, which ends with the test, and how the test fails. Scripts of this folder source it.
# shellcheck shell=bash

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}
