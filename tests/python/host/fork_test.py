"""A child of fork() uses the plans of its parent on the host, whatever another thread was doing with them."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np, scipy.sparse as sp, specmv

A = sp.diags([1.0] * 50, range(50), (20000, 20000), format="csr")
x = np.ones(20000)
expected = A @ x
p = specmv.plan(A, updatable=True)
values = [np.full(A.nnz, float(k)) for k in (1, 2)]
stop = threading.Event()

def until_stop(call):
    def loop():
        while not stop.is_set():
            call()
            began.set()
    began = threading.Event()
    thread = threading.Thread(target=loop)
    thread.start()
    began.wait()
    return thread

def in_child(call):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # ends a child that hangs
        status = 1
        try:
            call()
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(pid, 0)[1]
    assert status == 0, f"a child ended with {status}"

def is_right():
    y = p @ x
    assert np.array_equal(y, expected) or np.array_equal(y, 2 * expected)

def adjoint_is_of_these_values():
    factor = (p @ x)[0] / expected[0]
    assert np.array_equal(p.T @ x, factor * (A.T @ x))

def right_or_torn():
    try:
        is_right()
        adjoint_is_of_these_values()
    except specmv.InvalidValue as error:
        assert "forked while another thread updated" in str(error)
        p.update(values[1])
        assert np.array_equal(p @ x, 2 * expected)
        adjoint_is_of_these_values()

"""

BESIDE = {
    "products": ("until_stop(lambda: p @ x)", "is_right"),
    "updates": ("until_stop(lambda: [p.update(v) for v in values])", "right_or_torn"),
    "facts": ("until_stop(lambda: (p.text, p.report(), p.json))", "is_right"),
    "plans": ("until_stop(lambda: specmv.plan(A))", "is_right"),
    "plans of this structure": ("until_stop(lambda: specmv.plan(A, structure_of=p))", "is_right"),
    "transposes": ("until_stop(lambda: specmv.plan(A).T)", "lambda: (is_right(), p.T @ x)"),
    "contexts": ("until_stop(lambda: specmv.Context(print).close())", "is_right"),
}


def run(program, environment):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("what", BESIDE)
def test_another_thread_is_in(what, own_environment):
    thread, call = BESIDE[what]
    run(
        PROGRAM
        + f"""
thread = {thread}
try:
    for _ in range(5):
        in_child({call})
finally:
    stop.set()
    thread.join()
is_right()
""",
        own_environment,
    )


def test_another_thread_waits_for_a_plan(own_environment):
    """Its set-up goes on only when the children have ended."""
    run(
        PROGRAM
        + """
go, told = threading.Event(), threading.Event()
def log(level, sentence):
    told.set()
    go.wait()
p = specmv.plan(A, start="now", context=specmv.Context(log, log_level=4))
told.wait()
thread = threading.Thread(target=p.wait)
thread.start()
time.sleep(0.05)  # it most likely waits by now
try:
    in_child(is_right)
finally:
    go.set()
    thread.join()
is_right()
""",
        own_environment,
    )


def test_processes_of_multiprocessing(own_environment):
    run(
        PROGRAM
        + """
import multiprocessing
def work(k):
    return float((p @ (k * x)).sum())
thread = until_stop(lambda: p @ x)
try:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(work, range(4)).get(60)
finally:
    stop.set()
    thread.join()
assert found == [k * expected.sum() for k in range(4)]
""",
        own_environment,
    )
