#!/usr/bin/env bash
# Tests the sample that solves in several processes, on the host: the residuals of 1, 2 and 4 ranks,
# blocks without rows, bad calls, and ranks that are killed or hang. Called by ctest:
#   distributed_test.sh MPIEXEC SAMPLE CG_BOUND TOOL
set -euo pipefail

readonly mpiexec=$1 sample=$2 cg_bound=$3 tool=$4
# shellcheck source=tests/package/scratch.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../package/scratch.sh"

[[ -x $mpiexec && -x $sample ]] || {
  printf 'skipped: there is no MPI here; on Debian, openmpi-bin and libopenmpi-dev have it\n'
  exit 77
}
[[ $("$mpiexec" --version) =~ 'Open MPI'|OpenRTE ]] || {
  printf 'skipped: %s is not that of Open MPI, whose options and messages this test knows\n' "$mpiexec"
  exit 77
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SPECMV_CACHE_DIR=$scratch/cache
export TMPDIR=/tmp # Open MPI's sockets need a short path
cd -- "$scratch"

# ranks COUNT ARGUMENT...: runs the sample.
ranks() {
  local count=$1
  shift
  "$mpiexec" --oversubscribe -n "$count" "$sample" "$@"
}

# --- Residuals

# 40 rows: the first half a chain with a link from its begin to its end, the rest a diagonal, so that
# blocks have neighbours that are not the next ones, and others have none.
awk 'BEGIN {
  print "%%MatrixMarket matrix coordinate real symmetric\n% a chain\n40 40 60"
  for (i = 1; i <= 40; ++i) print i, i, 4 + i / 64
  for (i = 2; i <= 20; ++i) print i, i - 1, -1
  print 20, 1, -0.5
}' >chain.mtx

for matrix in stencil7:n=8 stencil27:n=6 elasticity:n=4 chain.mtx; do
  for count in 1 2 4; do # both ways at once, since MPI mostly sleeps while it starts and ends
    for overlap in yes no; do
      ranks "$count" --overlap "$overlap" --residuals "$count-$overlap" "$matrix" >"$count-$overlap.log" 2>&1 &
    done
    wait
    for overlap in yes no; do
      grep -q "^overlap    $overlap: as asked" "$count-$overlap.log" ||
        fail "$count ranks, overlap $overlap, $matrix: $(cat "$count-$overlap.log")"
    done
  done
  "$cg_bound" "$matrix" {1,2,4}-{yes,no} || fail "$matrix: the residuals differ by more than rounding"
  rm -- {1,2,4}-{yes,no}.log
done
# What cg_bound finds: an error of 10^-10 in one residual.
awk 'NR == 4 { printf "%.17g\n", $1 * (1 + 1e-10); next } { print }' 1-no >wrong
! "$cg_bound" chain.mtx wrong >log || fail 'cg_bound accepts a wrong residual'

# The generated matrices are those of the tool.
for matrix in stencil7:n=5 stencil27:n=3; do
  "$tool" generate --quiet "$matrix" -o tool.mtx
  ranks 2 --overlap no --residuals own "$matrix" >log
  ranks 2 --overlap no --residuals file tool.mtx >log
  cmp own file || fail "$matrix is not the tool's"
done

# The same bits in each run.
for _ in 1 2; do
  ranks 4 --overlap yes --residuals again stencil27:n=6 >log
  [[ ! -f before ]] || cmp before again || fail 'two runs give different bits'
  mv -- again before
done

# More ranks than rows, and a choice.
ranks 5 --json elasticity:n=1 >log 2>&1 || fail "3 rows on 5 ranks: $(cat log)"
grep -qE '"ranks":5,.*"mostRows":1,.*"residual":[-0-9.e]+}$' log || fail "it prints: $(cat log)"
ranks 5 stencil7:n=1 >log 2>&1 || fail "a row on 5 ranks: $(cat log)"
grep -qE '^overlap    no: no rank has a halo' log || fail "it prints: $(cat log)"
ranks 3 stencil7:n=10 >log
grep -qE '^overlap    (yes|no): [0-9.]+ us a product are predicted, [0-9.]+ us (if|with)' log || fail "it prints: $(cat log)"

# --- Errors

# refused STATUS SENTENCE COMMAND...: the sentence comes once. One rank needs no mpiexec, which takes
# two seconds to end where a rank ends with an error.
refused() {
  local status=0 expected=$1 sentence=$2
  shift 2
  "$@" >log 2>&1 || status=$?
  ((status == expected)) || fail "$* ends with $status: $(cat log)"
  [[ $(grep -cF "error: $sentence" log) == 1 ]] || fail "$* says: $(cat log)"
}
refused 2 "'stencil7:n=0' is no matrix; give stencil7:n=N" ranks 2 stencil7:n=0
refused 2 "--iterations '1.5' is no whole number in 1..1e+09" "$sample" --iterations 1.5 stencil7:n=2
refused 2 "--overlap 'maybe' is none of auto, yes, no" "$sample" --overlap maybe stencil7:n=2
refused 2 '--colour is no option' "$sample" --colour red stencil7:n=2
refused 2 'missing.mtx cannot be read' "$sample" missing.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 3 -1\n' >outside.mtx
refused 2 'outside.mtx: entry 2 is at (2, 3), outside 1..2' "$sample" outside.mtx
sed 's/2 3 -1/2 2 -1/' outside.mtx >indefinite.mtx
refused 1 'the matrix is not positive definite: p . A p = -0.265625 in iteration 1' ranks 2 indefinite.mtx
refused 1 'rank 0: specmvCreatePlan: SPECMV_STATUS_INVALID_VALUE: unknown format' ranks 2 --formats round stencil7:n=2
ranks 2 --help >log || fail '--help fails'
[[ $(grep -c '^mpiexec -n RANKS' log) == 1 ]] || fail "--help prints: $(cat log)"

# processOf RANK: the process of that rank of the mpiexec that runs in the background.
processOf() {
  local process
  # shellcheck disable=SC2013 # a line of words
  for process in $(cat "/proc/$running"/task/*/children); do
    ! tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" || printf '%s\n' "$process"
  done
}

running= # what would run for days
# shellcheck disable=SC2154 # `scratch` is set by scratch.sh
trap '[[ -z $running ]] || kill "$running" 2>/dev/null || true; rm -rf -- "$scratch"' EXIT

# lost SIGNAL PATTERN ARGUMENT...: rank 1 gets the signal while it solves; then all end, with a
# message that has the pattern.
lost() {
  local signal=$1 pattern=$2 status=0 processes waited=0
  shift 2
  : >out
  "$mpiexec" --oversubscribe -n 2 "$sample" --repeat 1000000000 "$@" stencil7:n=8 >out 2>log &
  running=$!
  until grep -q '^overlap' out; do
    sleep 0.05
    kill -0 "$running" || fail "it ended: $(cat log)"
  done
  processes=$(processOf 0; processOf 1)
  kill "-$signal" "$(processOf 1)"
  while kill -0 "$running" 2>/dev/null; do
    sleep 0.1
    ((++waited < 600)) || { kill -9 "$running"; fail "60 seconds after SIG$signal it still runs"; }
  done
  wait "$running" || status=$?
  ((status)) || fail "with SIG$signal it ends with 0"
  grep -qE "$pattern" log || fail "of SIG$signal it says: $(cat log)"
  for process in $processes; do # a zombie has ended too
    ! grep -qs '^State:[[:space:]]*[^XZ[:space:]]' "/proc/$process/status" || fail "after SIG$signal process $process still runs"
  done
  running=
}
lost KILL 'process rank 1 with PID .* exited on signal 9' --overlap yes
lost STOP '^error: rank 0: waited 2 s for .*; another rank has ended or hangs' --timeout 2
