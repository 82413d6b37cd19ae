#!/usr/bin/env bash
# PETSc's own examples of mat, ksp and pc with every aij taken by specmv: campaign.py tells how. A sample by
# default, and all of them with SPECMV_PETSC_CAMPAIGN=1, in an hour or two on two cores.
# Called by ctest: campaign_test.sh LIBRARY FOLDER
#   LIBRARY  libspecmv_petsc.so, built for Debian's PETSc
#   FOLDER   keeps what was compiled, and the results of all examples: remove it to begin anew
set -euo pipefail

here=$(dirname -- "${BASH_SOURCE[0]}")
readonly here library=$1 folder=$2
for need in python3 mpicc; do
  command -v "$need" >/dev/null || {
    printf 'skipped: there is no %s\n' "$need"
    exit 77
  }
done
if [[ ${SPECMV_PETSC_CAMPAIGN:-0} == 1 ]]; then
  exec nice python3 "$here/campaign.py" "$library" "$folder/all"
fi
# A sample's results are never those of an earlier library.
rm -f -- "$folder/sample/results.jsonl"
exec python3 "$here/campaign.py" "$library" "$folder/sample" --only '^(mat/tests/ex(5|48)|ksp/ksp/tests/ex3)\.c$' --most 2
