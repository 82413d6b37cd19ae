#!/usr/bin/env bash
# Tests the sample that solves in several processes, on the host: the residuals of 1, 2 and 4 ranks,
# blocks without rows, bad calls, and ranks that are killed or hang. Called by ctest:
#   distributed_test.sh MPIEXEC SAMPLE CG_BOUND TOOL PRELOADED
set -euo pipefail

readonly mpiexec=$1 sample=$2 cg_bound=$3 tool=$4 preloaded=$5
# shellcheck source=tests/samples/distributed.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/distributed.sh"

# --- Residuals

# Ranks in the middle of the first grid have rows without a halo between those at its two sides.
for matrix in stencil7:n=6,nz=24 stencil27:n=6 elasticity:n=4 chain.mtx; do
  compareResiduals "$matrix" 1 2 4 --
done
# cg_bound finds an error of 10^-10 in one residual.
awk 'NR == 4 { printf "%.17g\n", $1 * (1 + 1e-10); next } { print }' 1-no >wrong
! "$cg_bound" chain.mtx wrong >log || fail 'cg_bound accepts a wrong residual'

# The generated matrices are those of the tool.
for matrix in stencil7:n=5,nz=3 stencil27:n=3; do
  "$tool" generate --quiet "$matrix" -o tool.mtx
  alone "$sample" --residuals own "$matrix" >log &
  alone "$sample" --residuals file tool.mtx >file.log
  wait
  cmp own file || fail "$matrix is not the tool's"
done

# Each run gives the same bits.
ranks 4 --overlap yes --residuals first stencil27:n=6 >log &
ranks 4 --overlap yes --residuals second stencil27:n=6 >second.log
wait
cmp first second || fail 'two runs give different bits'

# There may be more ranks than rows. By default, the sample chooses the way.
ranks 5 --json elasticity:n=1 >log 2>&1 || fail "3 rows on 5 ranks: $(cat log)"
grep -qE '"ranks":5,.*"mostRows":1,.*"residual":[-0-9.e]+}$' log || fail "it prints: $(cat log)"
ranks 5 stencil7:n=1 >log 2>&1 || fail "a row on 5 ranks: $(cat log)"
grep -qE '^overlap    no: no rank has a halo' log || fail "it prints: $(cat log)"
ranks 3 stencil7:n=10 >log
grep -qE '^overlap    (yes|no): [0-9.]+ us a product are predicted, [0-9.]+ us (if|with)' log || fail "it prints: $(cat log)"

# --- Errors

refused 2 "'stencil7:n=0' is no matrix; give stencil7:n=N" ranks 2 stencil7:n=0
refused 2 "'stencil7:n=4,nz=2x' is no matrix; give stencil7:n=N" "$sample" stencil7:n=4,nz=2x
refused 2 "--iterations '1.5' is no whole number in 1..1000000000" "$sample" --iterations 1.5 stencil7:n=2
refused 2 "--timeout '0' is no number in 0.001..1000000000" "$sample" --timeout 0 stencil7:n=2
for option in --iterations --overlap --formats; do
  refused 2 "$option needs a value; --help lists the options" "$sample" stencil7:n=2 "$option"
done
refused 2 "--overlap 'maybe' is none of auto, yes, no" "$sample" --overlap maybe stencil7:n=2
refused 2 '--colour is no option' "$sample" --colour red stencil7:n=2
refused 2 'missing.mtx cannot be read' "$sample" missing.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 3 -1\n' >outside.mtx
refused 2 'outside.mtx: entry 2 is at (2, 3), outside 1..2' "$sample" outside.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 -1\n' >sizes.mtx
for kind in skew-symmetric hermitian; do
  sed "1s/general/$kind/" outside.mtx >"$kind.mtx"
  refused 2 "$kind.mtx: the matrix is '$kind'; it must be general or symmetric" "$sample" "$kind.mtx"
done
sed '1s/real/pattern/' outside.mtx >pattern.mtx
refused 2 'pattern.mtx is no Matrix Market file of coordinates and real values' "$sample" pattern.mtx
refused 2 '--residuals: cannot write missing/history' ranks 2 --residuals missing/history stencil7:n=8
! grep -q '^matrix' log || fail "it solves before it finds no folder: $(cat log)"
sed 's/2 3 -1/2 2 -1/' outside.mtx >indefinite.mtx
refused 1 'the matrix is not positive definite: p . A p = -0.265625 in iteration 1' "$sample" indefinite.mtx
refused 1 'rank 0: specmvCreatePlan: SPECMV_STATUS_INVALID_VALUE: unknown format' "$sample" --formats round stencil7:n=2
ranks 2 --help >log || fail '--help fails'
[[ $(grep -c '^mpiexec -n RANKS' log) == 1 ]] || fail "--help prints: $(cat log)"

# A rank hangs where the ranks meet before a solution.
! alone timeout 60 "$mpiexec" --oversubscribe -n 2 env "LD_PRELOAD=$preloaded/libstop_rank.so" "$sample" --timeout 3 --overlap no stencil7:n=4 >log 2>&1 ||
  fail "a rank that hangs is no error: $(cat log)"
grep -q '^error: rank 0: waited 3 s for all ranks to come as far as this one; another rank has ended or hangs' log || fail "it says: $(cat log)"

# A rank whose set-up takes longer than --timeout is no error.
alone "$mpiexec" --oversubscribe -n 2 env "LD_PRELOAD=$preloaded/libslow_rank.so" "$sample" --timeout 5 stencil7:n=6 >log 2>&1 ||
  fail "a slow set-up is an error: $(cat log)"
refused 2 'sizes.mtx has no line of sizes: "3 3 -1"' "$sample" sizes.mtx

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
lost STOP '^error: rank 0: waited 3 s for .*; another rank has ended or hangs' --timeout 3
