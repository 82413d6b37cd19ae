#!/usr/bin/env bash
# Builds the wheel into build/wheels with pip, installs it in a new environment and multiplies with it there.
# Arguments: the Python to build for (default: python3).
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.."

python=${1:-python3}
readonly wheels=build/wheels
rm -rf -- "$wheels"
mkdir -p -- "$wheels"
"$python" -m venv build/wheel-venv --clear
readonly inside=build/wheel-venv/bin/python
"$inside" -m pip --disable-pip-version-check wheel --quiet --no-deps -w "$wheels" ./runtime/adapters/python
"$inside" -m pip --disable-pip-version-check install --quiet "$wheels"/*.whl scipy
# The package is tried from another folder and without the environment's variables, as a program meets it.
root=$PWD
cd /
env -u VIRTUAL_ENV -u PYTHONPATH -u SPECMV_CUDA_HOME "$root/$inside" - <<'PYTHON'
import time
start = time.perf_counter()
import specmv
imported = time.perf_counter()
import numpy as np, scipy.sparse as sp
A, x = sp.eye(1000, format="csr") * 2, np.ones(1000)
begun = time.perf_counter()
p = specmv.plan(A)
planned = time.perf_counter()
assert (p @ x == 2).all()
ended = time.perf_counter()
print(f"import {1e3 * (imported - start):.1f} ms, first plan {1e3 * (planned - begun):.1f} ms, "
      f"first product {1e3 * (ended - planned):.2f} ms on the {p.target}")
PYTHON
# Without a cache and the pack, so that NVRTC compiles, which is found beside the package.
env -i SPECMV_CACHE_DIR= SPECMV_CACHE_PATH= LD_DEBUG=files "$root/$inside" -m specmv emit stencil5:n=20 \
  --cubin /dev/null 2>&1 | grep -m 1 -oE "[^ =]*/site-packages/[^ ]*/libnvrtc\.so[^ ;]*"
ls -l "$root/$wheels"
