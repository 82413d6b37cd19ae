"""SIGINT raises KeyboardInterrupt wherever a program is in its first plan, while NVRTC compiles for the first time too."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import signal, sys
import scipy.sparse as sp, specmv
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this may ignore it
A = sp.eye(100, format="csr")
print("begins", flush=True)
try:
    try:
        specmv.plan(A, formats="sell", compile_on_host=True, context=specmv.Context(cache_directory=sys.argv[1]))
        signal.pause()  # the signal came before or comes now
    except specmv.Missing as error:
        print("missing", error, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def handles(pid, number):
    """Whether the process has a handler of its own for a signal; Linux lists them."""
    with open(f"/proc/{pid}/status") as file:
        caught = next(line for line in file if line.startswith("SigCgt")).split()[1]
    return int(caught, 16) >> (number - 1) & 1


def interrupt(process, delay):
    """Sends SIGINT when NVRTC has its own handlers, which shows in SIGTERM's since Python has none of it; or, if it never
    shows them, after this time: the program is in the plan then, or it waits for the signal."""
    end = time.monotonic() + delay
    while time.monotonic() < end and process.poll() is None and not handles(process.pid, signal.SIGTERM):
        time.sleep(0.0005)
    process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("delay", [0.01, 0.05, 0.1, 2])
def test_the_first_compilation(tmp_path, delay, own_environment):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=own_environment | {"SPECMV_CACHE_PATH": "", "SPECMV_STANDARD_PACK": ""},
    )
    try:
        assert process.stdout.readline() == "begins\n"
        interrupt(process, delay)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    if out.startswith("missing"):
        pytest.skip(f"nothing compiles here: {out}")
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def test_the_program_does_compile(tmp_path, own_environment):
    """Otherwise the test above would see nothing."""
    code = PROGRAM.replace("signal.pause()", "print('planned')")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=120,
                          env=own_environment | {"SPECMV_CACHE_PATH": "", "SPECMV_STANDARD_PACK": ""})
    if "missing" in done.stdout:
        pytest.skip(f"nothing compiles here: {done.stdout}")
    assert any(names for _, _, names in os.walk(tmp_path)), done.stdout + done.stderr
