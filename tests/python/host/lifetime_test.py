"""What is kept alive, what is freed, and what threads and processes may do."""

import gc
import multiprocessing
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import random_matrix, vector


def test_a_matrix_keeps_its_arrays():
    A = random_matrix(300, 300)
    expected = A @ np.ones(300)
    M = specmv.Matrix(A)
    arrays = [weakref.ref(a) for a in (A.indptr, A.indices, A.data)]
    del A
    gc.collect()
    junk = [np.full(3000, -1) for _ in range(50)]
    assert all(a() is not None for a in arrays)
    assert np.allclose(specmv.plan(M) @ np.ones(300), expected)
    del M, junk
    gc.collect()
    assert all(a() is None for a in arrays)


def test_a_plan_keeps_none_of_the_callers_arrays():
    kept, lost = random_matrix(40, 40), random_matrix(40, 40)
    refs = [weakref.ref(m.data) for m in (kept, lost)]
    p, q = specmv.plan(kept), specmv.plan(lost, keep_matrix=False)
    del kept, lost
    gc.collect()
    assert refs[0]() is None and refs[1]() is None
    assert np.array_equal(p @ np.ones(40), q @ np.ones(40))


def test_a_plan_and_its_transpose_are_freed_without_the_collector(square):
    gc.disable()
    try:
        p = specmv.plan(square)
        turned = weakref.ref(p.T)
        ref = weakref.ref(p)
        del p
        assert ref() is None and turned() is None
        back = specmv.plan(square).T
        assert np.allclose(back.T @ np.ones(60), square @ np.ones(60))
    finally:
        gc.enable()


def test_memory_that_is_exported_cannot_be_freed(square):
    data = bytearray(square.data.tobytes())
    M = specmv.Matrix.csr(square.indptr, square.indices, memoryview(data).cast("d"), square.shape)
    with pytest.raises(BufferError):
        data.clear()
    del M
    data.clear()


def test_threads_use_one_plan(square):
    p, x = specmv.plan(square), vector(60)
    expected, wrong = p @ x, []

    def work():
        for _ in range(300):
            if not np.array_equal(p @ x, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_released_while_a_plan_is_made():
    A = sp.diags([1.0] * 40, range(40), (100000, 100000), format="csr")
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    specmv.plan(A)
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during > 3


def in_child(queue, A):
    queue.put(specmv.plan(A) @ np.ones(60))


def test_a_forked_process(square):
    specmv.plan(square)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue, square))
    child.start()
    assert np.allclose(queue.get(timeout=60), square @ np.ones(60))
    child.join(60)
    assert child.exitcode == 0


# Objects of a module live until the interpreter ends; nanobind would tell what it leaks then.
@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "import os; os._exit(0)"])
def test_a_program_ends_quietly(end):
    program = f"""
import numpy as np, scipy.sparse as sp, specmv
specmv._core.set_leak_warnings(True)
A = sp.eye(100, format="csr")
context = specmv.Context(print, log_level=4)
M = specmv.Matrix(A)
p = specmv.plan(M, context=context)
q, late = p.T, specmv.plan(A, start="now", context=specmv.Context(lambda *message: None, log_level=4))
assert (p @ np.ones(100)).sum() == 100
try:
    p @ [1]
except TypeError as error:
    kept = error
{end}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
