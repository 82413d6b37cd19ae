"""The interpreter ends while threads that nobody joins are inside the module, and the process with it, quietly."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading
import numpy as np, scipy.sparse as sp, specmv
from conftest import DlpackOnly

A = sp.eye(40000, format="csr") * 2.0
x, out, values = np.ones(40000), np.empty(40000), np.ones(40000)
p = specmv.plan(A, target="host", updatable=True)
X = DlpackOnly(x)

def log(level, sentence):
    print(sentence, file=sink)

def messages():
    specmv.plan(A, context=specmv.Context(log, log_level=4))

def background():
    specmv.plan(A, start="now").wait(1)

class Holder:
    def __del__(self):
        specmv.plan(A) @ x

def forever():
    try:
        while True:
            {call}
            ran.set()
    finally:
        ran.set()

sink = open("/dev/null", "w")
ran = threading.Event()
for _ in range({threads}):
    threading.Thread(target=forever, daemon=True).start()
ran.wait()
{end}
"""

CALLS = {
    "product": "p @ x",
    "product into out": "p.execute(x, out=out)",
    "plan": "specmv.plan(A)",
    "estimate": "specmv.estimate(A)",
    "update": "p.update(values)",
    "facts": "p.text, p.report(), p.json, p.bytes",
    "wait": "p.wait(), p.wait(1), p.ready",
    "plan in the background": "background()",
    "transpose": "specmv.plan(A).T @ x",
    "messages": "messages()",
    "context": "specmv.Context(log).close()",
    "destructor": "Holder()",
    "operator": "specmv.LinearOperator(p).rmatvec(x)",
    "array with methods of Python": "p.execute(X, out=out)",
    "pack": "try: specmv.add_pack('/nowhere')\n            except specmv.Missing: pass",
}


def run(program, environment=None):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("call", CALLS)
def test_a_thread_that_nobody_joins(call, own_environment):
    run(PROGRAM.format(call=CALLS[call], threads=1, end=""), own_environment)


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "sys.exit()"])
def test_several_threads(end, own_environment):
    run(PROGRAM.format(call=CALLS["product"], threads=3, end=end), own_environment)


def test_a_handler_of_the_end_may_join_a_thread(own_environment):
    """It was registered before the package was imported, so it runs after the package's own."""
    before = """
import atexit, threading
stop, threads = threading.Event(), []
def join():
    stop.set()
    for thread in threads:
        thread.join()
atexit.register(join)
"""
    program = PROGRAM.format(call=CALLS["product"], threads=1, end="")
    program = program.replace("while True", "while not stop.is_set()")
    program = program.replace(
        "threading.Thread(target=forever, daemon=True).start()",
        "threads.append(threading.Thread(target=forever, daemon=True)); threads[-1].start()",
    )
    run(before + program, own_environment)


def test_an_executor(own_environment):
    run(
        """
import numpy as np, scipy.sparse as sp, specmv
from concurrent.futures import ThreadPoolExecutor
A, x = sp.eye(4000, format="csr"), np.ones(4000)
p = specmv.plan(A)
pool = ThreadPoolExecutor(3)
results = [pool.submit(lambda: p @ x) for _ in range(50)] + [pool.submit(specmv.plan, A) for _ in range(5)]
""",
        own_environment,
    )


def test_an_object_ends_in_another_thread(own_environment):
    run(
        """
import threading, numpy as np, scipy.sparse as sp, specmv
A = sp.eye(4000, format="csr")
kept = [specmv.plan(A), specmv.plan(A).T, specmv.plan(A, start="now"), specmv.Matrix(A), specmv.Context(print)]
thread = threading.Thread(target=kept.clear)
thread.start()
thread.join()
assert not kept
""",
        own_environment,
    )
