#!/usr/bin/env python3
"""Plants faults in a copy of the sources, one at a time, and tells which the tests see.

    tests/planted/campaign.py --check          each fault still applies, and names tests that exist
    SPECMV_PLANTED_CAMPAIGN=1 tests/planted/campaign.py [OPTION...] [FAULT...]

The campaign copies the tree to build/planted and builds it there, each file by itself, so that a
fault compiles little. It builds and runs what the fault names, restores the file, and prints a
table. FAULT is a name, or a part of one. Options:
    --here      plants in this very tree and in its build folder, where nobody else may work
    --together  plants all at once, for faults that different tests or messages tell apart; if they
                do not build so, one at a time
    --unchecked leaves out to check that the named tests pass without the faults
    --all       runs all tests of `tests/run.sh quick` if those of the fault see nothing
    --list      prints the names
"""
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from check import whatIsStale  # noqa: E402
from faults import FAULTS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "planted"
OPTIONS = ("--check", "--here", "--together", "--unchecked", "--all", "--list")
TOO_LONG = 900  # seconds; the slowest of the tests that are named takes a minute


def stop(sentence):
    sys.exit("error: " + sentence)


def run(command, tree, log, seconds=None, more=None):
    """Appends the output to the log; returns the status, 124 if the time is over."""
    with open(log, "ab") as out:
        try:
            return subprocess.run(command, cwd=tree, stdout=out, stderr=out, timeout=seconds,
                                  env={**os.environ, **(more or {})}, check=False).returncode
        except subprocess.TimeoutExpired:
            return 124


def copyTree():
    """Only what has changed gets a new time, so that it alone is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    for name in names:
        to = COPY / name
        content = (ROOT / name).read_bytes()
        if not to.exists() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            to.chmod((ROOT / name).stat().st_mode)
    for path in COPY.rglob("*"):
        name = path.relative_to(COPY)
        if path.is_file() and name.parts[0] != "build" and str(name) not in names:
            path.unlink()
    return COPY


def configure(tree, log):
    build = tree / "build"
    if (build / "CMakeCache.txt").exists():
        return
    build.mkdir(parents=True, exist_ok=True)
    cache = ROOT / "build" / "CMakeCache.txt"
    if not cache.exists():
        stop("build/CMakeCache.txt is missing, from which the toolkit is taken; run tests/run.sh quick")
    kept = re.findall(r"^((?:SPECMV_CUDA_HOME|Python_EXECUTABLE|CMAKE_PREFIX_PATH):.*)$",
                      cache.read_text(), re.M)
    if run(["cmake", "--preset", "release", "-DSPECMV_TESTS=ON", "-DCMAKE_UNITY_BUILD=OFF",
            *("-D" + each for each in kept)], tree, log):
        stop(f"cmake failed; see {log}")


def commandOf(fault, tree):
    """The command line of the test that sees the fault."""
    program, *arguments = fault.seenBy
    if program == "ctest":
        return ["ctest", "--test-dir", "build", "--output-on-failure", "--no-tests=error",
                *arguments]
    if program.endswith("_test"):
        folder = {"simt_test": "simt/", "petsc_test": "petsc/"}.get(program, "")
        return [str(tree / "build" / "tests" / (folder + program)), *arguments]
    return [program, *arguments]


def build(targets, tree, log):
    if not targets:
        return 0
    cores = str(os.cpu_count() or 1)
    return run(["cmake", "--build", "build", "--parallel", cores, "--target", *sorted(targets)],
               tree, log)


class Planted:
    """The files with these faults; with their old texts again afterwards, and with a new time."""

    def __init__(self, faults, tree):
        self.before = {tree / fault.file: (tree / fault.file).read_bytes() for fault in faults}
        self.faults, self.tree = faults, tree

    def __enter__(self):
        for fault in self.faults:
            path = self.tree / fault.file
            path.write_text(path.read_text().replace(fault.old, fault.new))

    def __exit__(self, *_):
        for path, content in self.before.items():
            path.write_bytes(content)


def isSeen(fault, tree, log):
    start = log.stat().st_size if log.exists() else 0
    status = run(commandOf(fault, tree), tree, log, TOO_LONG, fault.environment)
    said = log.read_bytes()[start:].decode(errors="replace")
    return status != 0 and re.search(fault.says, said) is not None


def isSeenByAll(tree, log):
    return build(["quick_tests"], tree, log) != 0 or run(
        ["ctest", "--test-dir", "build", "--output-on-failure", "--timeout", "1800", "--parallel",
         str(os.cpu_count() or 1), "-LE", "gpu|compile|ranks"], tree, log) != 0


def outcomes(faults, tree, log, asksAll):
    """Plants these together; returns what became of each."""
    with Planted(faults, tree):
        if build({target for fault in faults for target in fault.targets}, tree, log):
            return {fault.name: "does not build" for fault in faults}
        seen = {fault.name: "seen" if isSeen(fault, tree, log) else "SURVIVED" for fault in faults}
        if asksAll and "SURVIVED" in seen.values() and len(faults) == 1 and isSeenByAll(tree, log):
            seen = {faults[0].name: "seen by others"}
    return seen


def checkWithoutFault(faults, tree, log):
    """The named tests must pass, and there must be some."""
    if build({target for fault in faults for target in fault.targets}, tree, log):
        stop(f"the sources do not build; see {log}")
    for command in {tuple(commandOf(fault, tree)): fault for fault in faults}.values():
        if run(commandOf(command, tree), tree, log, TOO_LONG, command.environment):
            stop(f"fails without a fault: {' '.join(commandOf(command, tree))}; see {log}")


def chosen(names):
    unknown = [name for name in names if not any(name in fault.name for fault in FAULTS)]
    if unknown:
        stop(f"'{unknown[0]}' is in no fault's name; --list prints them")
    return [fault for fault in FAULTS
            if not names or any(name in fault.name for name in names)]


def campaign(faults, options):
    tree = ROOT if "--here" in options else copyTree()
    log = tree / "build" / "planted.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    configure(tree, log)
    if "--unchecked" not in options:
        checkWithoutFault(faults, tree, log)
    groups = [faults] if "--together" in options else [[fault] for fault in faults]
    counts = {}
    for group in groups:
        begin = time.time()
        result = outcomes(group, tree, log, "--all" in options)
        if len(group) > 1 and "does not build" in result.values():
            for fault in group:
                result.update(outcomes([fault], tree, log, "--all" in options))
        for fault in group:
            outcome = result[fault.name]
            counts[outcome] = counts.get(outcome, 0) + 1
            print(f"{outcome:14}  {fault.name:36} {fault.file}  {time.time() - begin:.0f} s",
                  flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()), "of", len(faults))
    return 0 if set(counts) <= {"seen"} else 1


def main(arguments):
    options = [argument for argument in arguments if argument.startswith("--")]
    names = [argument for argument in arguments if not argument.startswith("--")]
    for option in options:
        if option not in OPTIONS:
            stop(f"'{option}' is none of {', '.join(OPTIONS)}")
    stale = whatIsStale(FAULTS, ROOT)
    if stale:
        stop("\nerror: ".join(stale))
    if "--list" in options:
        print("\n".join(fault.name for fault in chosen(names)))
        return 0
    if "--check" in options:
        print(f"{len(FAULTS)} faults still apply")
        return 0
    if os.environ.get("SPECMV_PLANTED_CAMPAIGN") != "1":
        print("skipped: set SPECMV_PLANTED_CAMPAIGN=1 to plant faults; a campaign takes an hour or more")
        return 77
    return campaign(chosen(names), options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
