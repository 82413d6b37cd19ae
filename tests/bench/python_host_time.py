#!/usr/bin/env python3
"""Measures what Python costs the host: import, first plan, first product, and each product after that.

    PYTHONPATH=build/python build/python-venv/bin/python tests/bench/python_host_time.py [stencil size n]

The matrix is a 5-point stencil of n x n (default 300). Products with arrays of cupy and torch are measured where they
are and a GPU is; they are launched and not waited for, 200 in a row. Beside them stand what it takes to make the
array of the result, by the array's own library, and the C API called by ctypes with the same pointers, less a call by
ctypes that does nothing. If cupy is there, it makes the GPU's context before the import: a context takes a second.
"""

import ctypes
import glob
import os
import sys
import time

try:
    import cupy

    cupy.zeros(1).sum().get()
except Exception:  # no cupy, or no GPU
    cupy = None

start = time.perf_counter()
import specmv

imported = time.perf_counter() - start

import numpy as np
import scipy.sparse as sp

LAUNCHES, REPEATS = 200, 20


def microseconds(call, wait):
    best = float("inf")
    for _ in range(REPEATS):
        wait()
        begun = time.perf_counter()
        for _ in range(LAUNCHES):
            call()
        best = min(best, time.perf_counter() - begun)
    wait()
    return best / LAUNCHES * 1e6


def by_ctypes(A, x, y):
    """A function that calls specmvExecute() of the same library for a plan of its own."""
    folder = os.path.dirname(specmv.__file__)
    library = (glob.glob(folder + "/libspecmv.so.0") + glob.glob(folder + "/../../libspecmv.so.0"))[0]
    c = ctypes.CDLL(library)
    A = A.tocsr()
    handle, plan = ctypes.c_void_p(), ctypes.c_void_p()
    sizes = [ctypes.c_int64(size) for size in (*A.shape, A.nnz)]
    places = [ctypes.c_void_p(part.ctypes.data) for part in (A.indptr, A.indices, A.data)]
    assert c.specmvCreateCsr(ctypes.byref(handle), *sizes, *places, 0, 1) == 0
    assert c.specmvCreatePlan(ctypes.byref(plan), handle, None) == 0
    one, zero = ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
    arguments = plan, one, ctypes.c_void_p(x), zero, ctypes.c_void_p(y), None
    execute, nothing = c.specmvExecute, c.specmvGetVersion
    return lambda: execute(*arguments), lambda: nothing(*arguments)


def report(name, A, p, x, out, empty, pointer, wait):
    with_result = microseconds(lambda: p @ x, wait)
    with_out = microseconds(lambda: p.execute(x, out=out), wait)
    result = microseconds(lambda: empty(out.shape, dtype=out.dtype), wait)
    execute, nothing = (microseconds(call, wait) for call in by_ctypes(A, pointer(x), pointer(out)))
    print(
        f"{name:6} p @ x {with_result:6.2f} us, an array for the result {result:5.2f} us, with out {with_out:6.2f} us, "
        f"C API {execute - nothing:6.2f} us"
    )


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    line = sp.diags([-1, 2, -1], [-1, 0, 1], (n, n))
    A = (sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line)).tocsr()
    x, out = np.ones(n * n), np.empty(n * n)
    begun = time.perf_counter()
    p = specmv.plan(A)
    planned = time.perf_counter()
    p @ x
    ended = time.perf_counter()
    print(f"import {imported * 1e3:.1f} ms, first plan {(planned - begun) * 1e3:.2f} ms, first product "
          f"{(ended - planned) * 1e3:.2f} ms, on the {p.target}")
    report("numpy", A, p, x, out, np.empty, lambda a: a.ctypes.data, lambda: None)
    if p.target == "host":
        return
    if cupy:
        arrays = cupy.asarray(x), cupy.asarray(out)
        report("cupy", A, p, *arrays, cupy.empty, lambda a: a.data.ptr, cupy.cuda.Device().synchronize)
    else:
        print("no cupy, or no GPU for it")
    try:
        import torch

        arrays = torch.from_numpy(x).cuda(), torch.from_numpy(out).cuda()
        empty = lambda shape, dtype: arrays[0].new_empty(shape)
        report("torch", A, p, *arrays, empty, lambda a: a.data_ptr(), torch.cuda.synchronize)
    except ImportError:
        print("torch is not installed")


main()
