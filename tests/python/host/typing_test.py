"""What a type checker knows of the package: every option, and what the compiled module has."""

import inspect
import subprocess
import sys
import typing

import pytest
import specmv
from specmv import _options, _typed

RIGHT = """
import os, pathlib
import specmv
A: object = ...
p = specmv.plan(A, 100, rigor="trial", vectors=2, transpose=True, updatable=True, start="now", device=None)
q: specmv.Plan = specmv.plan(A, structure_of=p, context=specmv.Context(print, cache_directory=pathlib.Path("a")), keep_matrix=False,
    formats=["ell", "sell"], max_bytes=10**9)
specmv.plan(A, formats="ell", target="host", kernels="general", order="none", plan_text=p.text)
facts: dict[str, object] = specmv.estimate(A, products=3, vectors=2, formats="coo")
op = specmv.LinearOperator(A, rigor="trial", updatable=True, keep_matrix=True)
M = specmv.Matrix.csr([0], [], [], (0, 0), index_base=1)
shape: tuple[int, int] = p.T.shape
ready: bool = p.wait(1.5)
page: str = p.report(pathlib.Path("A.html"))
p.update(A, stream=3)
specmv.add_pack(b"a"); specmv.add_pack(pathlib.Path("a")); specmv.release_device(0)
specmv.Context(lambda level, sentence: None, log_level=4, threads=2, packs="a:b", gpu_model="h200").close()
"""

# Each is one error.
WRONG = [
    "specmv.plan(A, updateable=True)",
    "specmv.plan(A, updatable=1.5)",
    "specmv.plan(A, rigor='quick')",
    "specmv.plan(A, start='later')",
    "specmv.plan(A, target='cpu')",
    "specmv.plan(A, kernels='some')",
    "specmv.plan(A, max_bytes='1 GB')",
    "specmv.plan(A, formats=3)",
    "specmv.plan(A, products='many')",
    "specmv.plan(A, structure_of=A)",
    "specmv.plan(A, device='cuda:0')",
    "specmv.plan()",
    "specmv.estimate(A, updateable=True)",
    "specmv.estimate(A, keep_matrix=True)",
    "specmv.LinearOperator(A, updateable=True)",
    "specmv.LinearOperator(A, vectors='2')",
    "specmv.Context(log_level='high')",
    "specmv.Context(print, True)",
    "specmv.Matrix.csr([0], [], [], 5)",
    "specmv.Matrix.csr([0], [], [], (0, 0), base=1)",
    "specmv.add_pack(3)",
    "specmv.plan(A).wait('1 s')",
    "specmv.plan(A).report(3)",
    "specmv.plan(A).excute(A)",
    "specmv.plan(A).execute(A, output=A)",
    "specmv.plan(A).update(A, 3)",
]


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """What mypy finds out about numpy, it need not find out twice."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cache, *arguments):
    pytest.importorskip("mypy", reason="mypy is not installed, so the types of the package are not checked")
    command = [sys.executable, "-m", "mypy", f"--cache-dir={cache}", "--no-error-summary", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_a_type_checker_sees_mistakes_and_no_others(tmp_path, cache):
    program = RIGHT + "".join(f"{line}\n" for line in WRONG)
    path = tmp_path / "program.py"
    path.write_text(program)
    done = mypy(cache, "--strict", "--ignore-missing-imports", str(path))
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    first = RIGHT.count("\n") + 1
    seen = [program.splitlines()[line - 1] for line in sorted(lines)]
    assert seen == WRONG and min(lines) == first, done.stdout + done.stderr


def test_the_package_is_typed_in_itself(cache):
    done = mypy(cache, "--strict", "--ignore-missing-imports", "--allow-subclassing-any", "-p", "specmv")
    assert done.returncode == 0, done.stdout + done.stderr


def keys(options):
    """The keys with what they are declared as; a TypedDict of a string annotation has no more at run time."""
    return {**options.__annotations__}


def test_every_option_has_a_type():
    further, all_options, arguments = (keys(it) for it in (_typed.FurtherOptions, _typed.Options, _typed.Arguments))
    parameters = inspect.signature(specmv.plan).parameters
    named = [name for name in parameters if name not in ("A", "options")]
    assert sorted(all_options) == _options.names()
    assert sorted([*further, *named]) == sorted(arguments)


def test_words_are_those_that_are_taken():
    words = {name: list(words) for name, (_, words) in _options._WORDS.items()}
    found = {}
    for name, annotation in keys(_typed.Options).items():
        text = getattr(annotation, "__forward_arg__", str(annotation))
        if "Literal" in text or text == "Rigor":
            literal = eval(text, vars(typing) | {"Rigor": _typed.Rigor})
            found[name] = sorted(typing.get_args(literal))
    assert found == {name: sorted(its) for name, its in words.items()}


def test_flags_are_bool_and_numbers_are_int():
    annotations = {n: getattr(a, "__forward_arg__", str(a)) for n, a in keys(_typed.Options).items()}
    assert {n for n, a in annotations.items() if a == "bool"} == set(_options._FLAGS)
    assert {n for n, a in annotations.items() if a in ("int", "int | None")} == set(_options._NUMBERS)


def test_the_stub_is_what_the_module_has():
    """nanobind writes a signature into the explanation of each function."""
    import ast

    stub = ast.parse(open(specmv._core.__file__.split("_core.")[0] + "_core.pyi").read())
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            same_arguments(getattr(specmv._core, node.name), node, 0)
        elif isinstance(node, ast.ClassDef):
            kind = getattr(specmv._core, node.name)
            known = {it.name: it for it in node.body if isinstance(it, ast.FunctionDef)}
            ours = {name for name in vars(kind) if name == "__init__" or not name.startswith("__")} | {*known}
            assert ours == {*known}, (node.name, ours ^ {*known})
            for name, member in known.items():
                if not member.decorator_list:
                    same_arguments(getattr(kind, name), member, 1)


def same_arguments(function, node, skipped):
    signature = function.__doc__.split("\n")[0]
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    names = [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]][skipped:]
    found = [part.split(":")[0].strip() for part in inside.split(", ") if ":" in part]
    if found and not all(name.startswith("arg") for name in found):
        assert found == names, signature
