#!/usr/bin/env python3
"""Runs PETSc's own examples of mat, ksp and pc without and with specmv, and compares what they print.

    campaign.py LIBRARY FOLDER [--only REGEX] [--most N] [--modes all,type] [--jobs N]

LIBRARY is libspecmv_petsc.so. FOLDER keeps the compiled programs and results.jsonl, so that a second call goes on
where the first one ended. The runs (options, processes, filters) are those that the comments of PETSc's sources
describe, as far as this PETSc can do them: Debian's has no CUDA, and no large matrices. Mode all takes every aij by
-mat_specmv_all; mode type sets -mat_type to aijspecmv where a run does not set it, and compares with aij. What
differs is run once more without specmv, so that what is not the same twice is told apart. Where several processes
end with an error with and without specmv, their messages are not compared. Status 1 means that a difference has no
explanation in EXPLAINED. All of it takes an hour or two on two cores.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from petsc_examples import UNFINISHED, Configuration, flags, tests_of

FOLDERS = "mat/tests mat/tutorials ksp/ksp/tests ksp/ksp/tutorials ksp/pc/tests ksp/pc/tutorials".split()
COMPILERS = {".c": ["mpicc"], ".cxx": ["mpicxx"], ".F90": ["mpif90", "-ffree-line-length-none"]}
# Some examples include headers of the packages that PETSc was built with.
PACKAGES = ["-I/usr/include/hypre", "-I/usr/include/hdf5/openmpi"]
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SECONDS = 300
# Lines that name the options, the machine and the time: PETSc's errors, and those of Open MPI that follow them.
NOISE = re.compile(r"\[[\w.-]+:\d+\] |-{50}|\s*$|MPI_ABORT was|with errorcode|NOTE: invoking MPI|You may or may not|exactly when "
                   r"Open MPI|"
                   r"\[\d+\]PETSC ERROR: (See https|WARNING! There are option|Option left|No PETSc Option|PETSc Option "
                   r"Table|-|Configure options|.* on a .* named )")
# A difference is explained if the expression is found in "NAME ARGUMENTS: DIFFERENCE".
EXPLAINED = [
    (r"^mat/(tests/ex182|tutorials/ex7)\.c .*-info", "-info tells that PETSc loads the library"),
    (r"^ksp/ksp/tutorials/ex45\.c .*-pc_type exotic", "it has four results without specmv too, in 24 runs"),
    (r"^ksp/ksp/tests/ex47\.c .*\(type\)", "it calls MatSetUp() before the type is set: aijperm, aijcrl and baij crash too"),
]


def compile_source(source, program, options):
    """Returns "" or the first error."""
    if program.exists():
        return ""
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [*COMPILERS[source.suffix], "-w", "-O1", f"-I{source.parent}", *PACKAGES, "-Wl,--copy-dt-needed-entries",
               "-Wl,--no-as-needed", str(source), "-o", str(program), *options, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=program.parent)
    errors = [line for line in done.stderr.splitlines() if "rror" in line]
    return "" if done.returncode == 0 else (errors or ["?"])[0]


def command_of(program, run, more):
    """Returns the shell's line: the launcher for several processes, the program, its options."""
    launcher = f"{os.environ.get('MPIEXEC', 'mpiexec --oversubscribe -n')} {run['nsize']} " if run["nsize"] > 1 else ""
    arguments = run.get("args", "")
    redirected = re.search(r"\s*>\s*\S+(\s+2>&1)?\s*$", arguments)
    end = redirected.start() if redirected else len(arguments)
    variables = f"export {run['env']}; " if run.get("env") else ""
    return f"{variables}{launcher}{program} {arguments[:end]} {more}{arguments[end:]}"


def filtered(text, rule):
    """Returns the text without noise, and as the test's own filter leaves it."""
    text = "".join(line + "\n" for line in text.splitlines() if not NOISE.match(line))
    rule = re.sub(r"^\s*Error:?", "", rule)
    if not rule.strip():
        return text
    return subprocess.run(["bash", "-c", rule], input=text, capture_output=True, text=True, errors="replace").stdout


def execute(source, program, run, more):
    """Returns the exit status and what the run prints."""
    with tempfile.TemporaryDirectory() as folder:
        for name in run.get("localrunfiles", "").split():
            place = source.parent / name
            (shutil.copytree if place.is_dir() else shutil.copy)(place, Path(folder) / place.name)
        try:
            done = subprocess.run(["bash", "-c", command_of(program, run, more)], cwd=folder, capture_output=True,
                                  text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return 124, f"longer than {SECONDS} s"
    return done.returncode, filtered(done.stdout + done.stderr, run.get("filter", ""))


def is_real(text):
    return any(letter in text for letter in ".eE")


def difference(own, ours):
    """Returns the first line in which words differ, or numbers by more than rounding, or None.

    A residual that has become small has the rounding of the first ones."""
    first, second, most = own.splitlines(), ours.splitlines(), 0.0
    for a, b in zip(first, second):
        said = f"own: {a.strip()}; specmv: {b.strip()}"
        if NUMBER.split(a) != NUMBER.split(b):
            return said
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
            real = is_real(x + y)
            most = max(most, abs(float(x))) if real else most
            limit = 1e-6 * abs(float(x)) + 1e-9 * most if real else 0
            if not abs(float(x) - float(y)) <= limit:
                return said
    return None if len(first) == len(second) else f"{len(first)} lines; specmv: {len(second)} lines"


def options_of(mode, run, library):
    """Returns the options of the run without specmv and with it, or None if the mode says nothing for it."""
    load = f"-dll_append {library}"
    if mode == "all":
        return "", f"{load} -mat_specmv_all"
    if "mat_type" in run.get("args", ""):
        return None
    return "-mat_type aij -dm_mat_type aij", f"{load} -mat_type aijspecmv -dm_mat_type aijspecmv"


def compare(source, program, run, mode, library):
    """Returns the verdict on a run, and the first difference."""
    options = options_of(mode, run, library)
    if options is None or "command" in run:
        return "not run", "it sets the type" if options is None else "it has a command of its own"
    own, first = execute(source, program, run, options[0])
    status, second = execute(source, program, run, options[1])
    said = difference(first, second)
    if status == own and said is None:
        return "same", f"status {own}"
    # Which of several processes tells its error first differs from run to run.
    crashes = "Caught signal" in second and "Caught signal" not in first
    if run["nsize"] > 1 and own and status and not crashes:
        return "fails both ways", f"status {own}; specmv: {status}"
    again, third = execute(source, program, run, options[0])
    if (again, difference(first, third)) != (own, None):
        return "not the same twice", said
    return "differs", said if status == own else f"status {own}; specmv: {status}; {said}"


def runs_of(source, configuration):
    """Returns the numbered runs of a source that this PETSc can do."""
    needs, runs = tests_of(source)
    return [(number, run) for number, run in enumerate(runs)
            if UNFINISHED not in run and not configuration.lacks(f"{needs} {run.get('requires', '')}")]


def jobs_of(arguments):
    """Yields each run, and tells of the sources that cannot be used."""
    configuration = Configuration(sorted(Path(arguments.include).glob("petscconf.h")))
    options = flags()
    for source in (each for folder in FOLDERS for each in sorted((arguments.sources / folder).iterdir())):
        name = str(source.relative_to(arguments.sources))
        if source.suffix not in COMPILERS or not re.search(arguments.only, name):
            continue
        runs = [run for run in runs_of(source, configuration) if run[1]["nsize"] <= arguments.most]
        program = arguments.folder / Path(name).parent / source.name.replace(".", "_")
        error = compile_source(source, program, options) if runs else "no run that this PETSc can do"
        if error:
            print(f"{name}: {'not compiled: ' if runs else ''}{error}", flush=True)
            continue
        for number, run in runs:
            yield name, number, source, program, run


def told(result):
    """Returns the line that tells of a result, and whether it is a fault."""
    text = f"{result['name']} {result['suffix']} -n {result['nsize']} {result['args']} ({result['mode']}): {result['said']}"
    reason = next((reason for pattern, reason in EXPLAINED if re.search(pattern, text)), None)
    fault = result["verdict"] == "differs" and reason is None
    return f"{result['verdict']}: {text}" + (f" [{reason}]" if reason else ""), fault


def run_all(arguments):
    record = arguments.folder / "results.jsonl"
    lock = threading.Lock()

    def done():
        return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []

    def one(mode, name, number, source, program, run):
        verdict, said = compare(source, program, run, mode, arguments.library)
        result = {"name": name, "number": number, "mode": mode, "suffix": run.get("suffix", ""), "nsize": run["nsize"],
                  "args": run.get("args", ""), "verdict": verdict, "said": said}
        with lock, record.open("a") as file:
            file.write(json.dumps(result) + "\n")

    known = {(result["name"], result["number"], result["mode"]) for result in done()}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(one, mode, *job) for mode in arguments.modes.split(",") for job in jobs_of(arguments)
                   if (job[0], job[1], mode) not in known]
    for each in waiting:
        each.result()
    return [result for result in done() if re.search(arguments.only, result["name"]) and result["nsize"] <= arguments.most]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sources", type=Path, default=Path("/usr/share/petsc/3.18/share/petsc/examples/src"))
    parser.add_argument("--include", default="/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include")
    parser.add_argument("--only", default="", help="sources whose names match")
    parser.add_argument("--most", type=int, default=64, help="runs of at most so many processes")
    parser.add_argument("--modes", default="all,type")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    arguments.library, arguments.folder = arguments.library.resolve(), arguments.folder.resolve()
    os.environ.setdefault("wPETSC_DIR", str(arguments.sources.parents[3]))  # PETSc's examples know this name
    results = run_all(arguments)
    lines = [told(result) for result in results if result["verdict"] in ("differs", "not the same twice")]
    print("\n".join(line for line, _ in lines))
    print(", ".join(f"{count} {verdict}" for verdict, count in collections.Counter(r["verdict"] for r in results).items()))
    return 1 if not results or any(fault for _, fault in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
