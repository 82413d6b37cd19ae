#!/usr/bin/env bash
# A sample of fused steps says that it needs a GPU, and ends with 3, where there is none. Called by
# ctest: without_gpu_test.sh SAMPLE...
set -euo pipefail

# shellcheck source=tests/package/scratch.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../package/scratch.sh"
cd -- "$scratch" || exit # `scratch` is set by scratch.sh

(($#)) || fail 'no sample was named'
for sample in "$@"; do
  status=0
  CUDA_VISIBLE_DEVICES='' "$sample" 60 >out 2>log || status=$?
  [[ $status == 3 && $(cat log) == 'error: fused steps need a GPU'* && $(wc -l <log) == 1 ]] ||
    fail "$sample ends with $status and says: $(cat out log)"
done
