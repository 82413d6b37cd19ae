#!/usr/bin/env bash
# Tests the sample that solves in several processes on fake GPUs, where cuSPARSE's products are right:
# streams, copies, NCCL and MPI through the host. Called by ctest, with the environment of the fakes:
#   distributed_gpu_test.sh MPIEXEC SAMPLE CG_BOUND
set -euo pipefail

# shellcheck disable=SC2034 # distributed.sh reads them
readonly mpiexec=$1 cg_bound=$3
sample=$2
# shellcheck source=tests/samples/distributed.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/distributed.sh"

# With this, ranks have GPUs of their own.
# shellcheck disable=SC2016 # expanded by each rank
printf '#!/bin/sh\nSPECMV_FAKE_UUID=$OMPI_COMM_WORLD_RANK exec "%s" "$@"\n' "$sample" >own_gpus
chmod +x own_gpus
readonly shared=$sample own=$PWD/own_gpus

for matrix in stencil7:n=5,nz=20 elasticity:n=3 chain.mtx; do
  sample=$shared
  compareResiduals "$matrix" 1 4 -- --formats cusparse-csr
  grep -q '^messages   MPI: ranks share a GPU, which NCCL refuses$' 4-no.log || fail "it prints: $(cat 4-no.log)"
  grep -q '^ranks      4, on Fake H200;' 4-no.log || fail "it prints: $(cat 4-no.log)"
  sample=$own
  compareResiduals "$matrix" 4 -- --formats cusparse-csr
  grep -q '^messages   NCCL$' 4-no.log || fail "it prints: $(cat 4-no.log)"
done

sample=$shared
ranks 2 --formats cusparse-csr stencil7:n=4 >log 2>&1 || fail "it chooses no overlap: $(cat log)"
ranks 2 --target host stencil7:n=4 >log 2>&1 || fail "not on the host: $(cat log)"
grep -q '^ranks      2, on the host' log || fail "it prints: $(cat log)"
refused 3 '--exchange nccl: ranks share a GPU, which NCCL refuses; use --exchange mpi' ranks 2 --exchange nccl stencil7:n=2
sample=$own
ranks 2 --exchange mpi --formats cusparse-csr stencil7:n=4 >log 2>&1 || fail "not by MPI: $(cat log)"
grep -q '^messages   MPI: as asked' log || fail "it prints: $(cat log)"

# A message of NCCL fails, and a GPU does not answer.
SPECMV_FAKE_LOST=1 ranks 2 --formats cusparse-csr stencil7:n=4 >lost 2>&1 &
lost=$!
! SPECMV_FAKE_NOT_READY=1 ranks 2 --timeout 0.5 --formats cusparse-csr stencil7:n=4 >log 2>&1 || fail 'a GPU that hangs is no error'
grep -qE '^error: rank [01]: waited 0.5 s for ' log || fail "it says: $(cat log)"
! wait "$lost" || fail 'a lost message is no error'
grep -qE '^error: rank [01]: a message between GPUs failed: remote process exited; another rank may' lost || fail "it says: $(cat lost)"
