"""Options and facts of plans, contexts, estimates, and the tool."""

import subprocess
import sys

import numpy as np
import pytest
import specmv
from conftest import random_matrix, vector
from specmv import _options

NUMBERED = {"products": 3, "vectors": 2, "device": 0, "max_bytes": 10**9}


@pytest.mark.parametrize("name,value", [(n, w) for n, (_, words) in _options._WORDS.items() for w in words])
def test_every_word_of_an_option(square, name, value):
    if value in ("gpu", "measure", "exhaustive"):
        with pytest.raises(specmv.Missing) as caught:
            specmv.plan(square, **{name: value})
        assert caught.value.status == "NO_GPU" and str(caught.value) == caught.value.detail
    else:
        assert np.allclose(specmv.plan(square, **{name: value}) @ np.ones(60), square @ np.ones(60))


@pytest.mark.parametrize("name", [n for n in _options._FLAGS if n not in ("vectors_in_plan_order", "only_packs")])
def test_every_flag(square, name):
    p = specmv.plan(square, **{name: True})
    expected = square.T if name == "transpose" else square
    assert np.allclose(p @ np.ones(60), expected @ np.ones(60))


@pytest.mark.parametrize("name", NUMBERED)
def test_every_number(square, name):
    assert np.allclose(specmv.plan(square, **{name: NUMBERED[name]}) @ np.ones(60), square @ np.ones(60))


def test_texts(square):
    p = specmv.plan(square, formats=["ell", "sell"])
    assert p.text.split()[0] in ("ell", "sell")
    assert specmv.plan(square, formats="coo").text.startswith("coo")
    assert specmv.plan(square, plan_text=p.text).text == p.text
    with pytest.raises(specmv.NotApplicable):
        specmv.plan(random_matrix(20, 30), formats="ell", order="bfs")


def test_facts(square):
    p = specmv.plan(square)
    facts = p.json
    assert facts["text"] == p.text and facts["target"] == "host"
    assert "plain CSR on the host runs" in p.report()
    assert p.bytes > 0 and p.setup_ms > 0 and p.nnz == square.nnz and p.vectors == 1
    assert p.ready and p.wait() and p.wait(0.5)
    rows, columns = p.permutation()
    assert np.array_equal(rows, np.arange(60)) and np.array_equal(columns, np.arange(60))
    assert "60 x 60 on the host" in repr(p)


def test_structure_of(square):
    p = specmv.plan(square, formats="coo")
    other = square.copy()
    other.data = vector(square.nnz)
    q = specmv.plan(other, structure_of=p)
    assert q.text == p.text and np.allclose(q @ np.ones(60), other @ np.ones(60))


def test_a_plan_that_is_made_beside_products(square):
    p = specmv.plan(square, start="now")
    x = vector(60)
    assert np.allclose(p @ x, square @ x)
    assert p.wait() and np.allclose(p @ x, square @ x)
    cancelled = specmv.plan(square, start="now")
    cancelled.cancel()
    assert np.allclose(cancelled @ x, square @ x)


def test_an_estimate(square):
    found = specmv.estimate(square, formats="coo")
    assert found["format"] == "coo" and found["bytes"] > 0
    assert 0 < found["product_us"] < found["setup_us"] < found["setup_compiled_us"]


def test_without_its_matrix(square):
    p = specmv.plan(square, keep_matrix=False)
    assert np.allclose(p @ np.ones(60), square @ np.ones(60))
    with pytest.raises(specmv.InvalidValue, match="keep_matrix=False"):
        p.T


def test_a_context_sends_messages(square):
    sentences = []
    context = specmv.Context(lambda level, text: sentences.append((level, text)), log_level=3, cache_directory="")
    specmv.plan(square, context=context)
    assert sentences and all(level in (1, 2, 3) and isinstance(text, str) for level, text in sentences)
    context.close()
    count = len(sentences)
    with pytest.raises(specmv.InvalidValue, match="closed"):
        specmv.plan(square, context=context)
    with pytest.raises(specmv.InvalidValue, match="closed"):  # a former bug: other settings were used
        specmv.estimate(square, context=context)
    assert len(sentences) == count


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_in_a_callback_is_shown_and_goes_no_further(square, error, monkeypatch):
    seen = []
    # The hook's argument would keep the frames, and with them the plan.
    monkeypatch.setattr(sys, "unraisablehook", lambda shown: seen.append(shown.exc_type))

    def fails(level, sentence):
        raise error("of the callback")

    p = specmv.plan(square, context=specmv.Context(fails, log_level=4))
    assert np.allclose(p @ np.ones(60), square @ np.ones(60))
    assert seen and set(seen) == {error}


def test_other_functions(tmp_path):
    path = tmp_path / "no.pack"
    with pytest.raises(specmv.Missing):
        specmv.add_pack(str(path))
    path.write_bytes(b"no pack")
    with pytest.raises(specmv.InvalidValue):
        specmv.add_pack(str(path))
    with pytest.raises(specmv.Missing) as caught:
        specmv.release_device(0)
    assert caught.value.status == "NO_GPU"


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_the_tool():
    done = run("-m", "specmv", "--version")
    assert done.returncode == 0 and done.stdout.split() == ["specmv", specmv.__version__]
    assert run("-m", "specmv", "nothing").returncode == 2


def test_importing_it_imports_no_library_of_arrays():
    done = run("-c", "import sys, specmv; print(sorted({'numpy', 'scipy', 'json', 'torch', 'cupy'} & set(sys.modules)))")
    assert done.stdout == "[]\n"


def test_everything_public_is_explained_and_typed():
    import inspect

    stub = open(specmv._core.__file__.split("_core.")[0] + "_core.pyi").read()
    for name in specmv.__all__:
        text = inspect.getdoc(getattr(specmv, name))
        assert text and "." in text, name  # nanobind gives a signature where nothing else is said
    for kind in (specmv.Plan, specmv.Matrix, specmv.Context, specmv.LinearOperator):
        for name, member in inspect.getmembers(kind):
            if not name.startswith("_") and name in vars(kind):
                assert inspect.getdoc(member), (kind, name)
    for kind in (specmv._core.Plan, specmv._core.Matrix, specmv._core.Context):
        for name in vars(kind):
            assert name.startswith("__") or f" {name}(" in stub, name


def test_errors_can_be_pickled():
    import pickle

    error = pickle.loads(pickle.dumps(specmv.Missing("no GPU", "NO_GPU")))
    assert type(error) is specmv.Missing and error.status == "NO_GPU" and error.detail == "no GPU"
