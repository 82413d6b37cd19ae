#!/usr/bin/env bash
# specmv-petsc(7) leads a reader to PETSc's ex56 with specmv: its lines that compile and run are run as they
# stand, in a folder with the clone. Those that install and build are not.
# Called by ctest: page_test.sh SOURCE_FOLDER BUILD_FOLDER CUDA_HOME
set -euo pipefail

# shellcheck disable=SC2034 # what user.sh needs
readonly source=$1 build=$2 cuda=$3
# shellcheck source=tests/package/user.sh
source "$source/tests/package/user.sh"

makeUser
run "$(block 'src=/usr/share/petsc')"
# The page has one line with PETSc's type and one with specmv's, in this order.
runs=$(block './ex56 -ne 15')
own=$(sed '/^$/,$d' <<<"$runs") ours=$(sed '1,/^$/d' <<<"$runs")
[[ $own == *converged_reason && $ours == *aijspecmv* ]] || fail "the page runs ex56 by: $runs"
run "$own"
cp log own
run "$ours"
reason=$(grep -o 'CONVERGED.*' own)
grep -qF "$reason" log || fail "with specmv ex56 does not end with '$reason': $(cat log)"
grep -q '^\[0\] specmv: products of 12288 x 12288' log || fail "specmv tells of no plan: $(cat log)"
