# The tests of the sample that solves in several processes share this file and source it. It needs
# `mpiexec`, `sample` and `cg_bound`.
# shellcheck shell=bash

# shellcheck source=tests/package/scratch.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../package/scratch.sh"

# shellcheck disable=SC2154 # `mpiexec` and `sample` are set by who sources this
[[ -x $mpiexec && -x $sample ]] || {
  printf 'skipped: there is no MPI here; on Debian, openmpi-bin and libopenmpi-dev have it\n'
  exit 77
}
[[ $("$mpiexec" --version) =~ 'Open MPI'|OpenRTE ]] || {
  printf 'skipped: %s is not that of Open MPI, whose options and messages this test knows\n' "$mpiexec"
  exit 77
}
# shellcheck disable=SC2154 # `scratch` is set by scratch.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SPECMV_CACHE_DIR=$scratch/cache
export TMPDIR=/tmp # Open MPI's sockets need a short path
cd -- "$scratch" || exit

# alone COMMAND...: runs it with a TMPDIR of its own. Open MPI has a folder there that all its programs
# share, and a program that ends removes it while another one begins.
alone() {
  local folder status=0
  folder=$(mktemp -d /tmp/mpi.XXXXXX)
  TMPDIR=$folder "$@" || status=$?
  rm -rf -- "$folder"
  return "$status"
}

# ranks COUNT ARGUMENT...: runs the sample.
ranks() {
  local count=$1
  shift
  alone "$mpiexec" --oversubscribe -n "$count" "$sample" "$@"
}

# refused STATUS SENTENCE COMMAND...: the sentence comes once. One rank needs no mpiexec, which takes
# two seconds to end where a rank ends with an error.
refused() {
  local status=0 expected=$1 sentence=$2
  shift 2
  alone "$@" >log 2>&1 || status=$?
  ((status == expected)) || fail "$* ends with $status: $(cat log)"
  [[ $(grep -cF "error: $sentence" log) == 1 ]] || fail "$* says: $(cat log)"
}

# 40 rows: the first half a chain with a link from its begin to its end, the rest a diagonal, so that
# blocks have neighbours that are not the next ones, and others have none.
awk 'BEGIN {
  print "%%MatrixMarket matrix coordinate real symmetric\n% a chain\n40 40 60"
  for (i = 1; i <= 40; ++i) print i, i, 4 + i / 64
  for (i = 2; i <= 20; ++i) print i, i - 1, -1
  print 20, 1, -0.5
}' >chain.mtx

# compareResiduals MATRIX COUNT... -- ARGUMENT...: solves on each number of ranks, with and without
# overlap, and compares the residuals.
compareResiduals() {
  local matrix=$1 counts=() count overlap file files=()
  shift
  while [[ $1 != -- ]]; do
    counts+=("$1")
    shift
  done
  shift
  for count in "${counts[@]}"; do # all at once, since MPI mostly sleeps while it starts and ends
    for overlap in yes no; do
      files+=("$count-$overlap")
      ranks "$count" --overlap "$overlap" --residuals "$count-$overlap" "$@" "$matrix" >"$count-$overlap.log" 2>&1 &
    done
  done
  wait
  for file in "${files[@]}"; do
    grep -q "^overlap    ${file#*-}: as asked" "$file.log" && grep -q '^residual' "$file.log" ||
      fail "$* $matrix, $file: $(cat "$file.log")"
  done
  # shellcheck disable=SC2154
  "$cg_bound" "$matrix" "${files[@]}" || fail "$* $matrix: the residuals differ by more than rounding"
}
