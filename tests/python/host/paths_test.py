"""Paths and texts: objects of pathlib, bytes, names that are no text, and zero characters."""

import os
import pathlib

import pytest
import specmv
from conftest import random_matrix

KINDS = [str, os.fsencode, pathlib.Path, pathlib.PurePosixPath]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["a.pack", "\N{SNOWMAN}.pack", "\udcff.pack"])
def test_a_pack(tmp_path, kind, name):
    path = os.path.join(tmp_path, name)
    with pytest.raises(specmv.Missing, match="cannot open"):
        specmv.add_pack(kind(path))
    with open(path, "wb") as file:
        file.write(b"no pack")
    with pytest.raises(specmv.InvalidValue):
        specmv.add_pack(kind(path))


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache(tmp_path, kind):
    folder = tmp_path / "\udcff cache"
    A = random_matrix(60, 60)
    specmv.plan(A, context=specmv.Context(cache_directory=kind(str(folder))))
    assert folder.is_dir()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page(tmp_path, kind):
    path = str(tmp_path / "A.html")
    assert specmv.plan(random_matrix(30, 30)).report(kind(path)) == path and os.path.exists(path)


CALLS = {
    "path of a pack": lambda bad: specmv.add_pack(bad),
    "path of a page": lambda bad: specmv.plan(random_matrix(30, 30)).report(bad),
    "cache_directory": lambda bad: specmv.Context(cache_directory=bad),
    "packs": lambda bad: specmv.Context(packs=bad),
    "gpu_model": lambda bad: specmv.Context(gpu_model=bad),
    "formats": lambda bad: specmv.plan(random_matrix(30, 30), formats=bad),
    "formats of estimate": lambda bad: specmv.estimate(random_matrix(30, 30), formats=["ell", bad]),
    "plan_text": lambda bad: specmv.plan(random_matrix(30, 30), plan_text=bad),
    "order": lambda bad: specmv.plan(random_matrix(30, 30), order=bad),
    "target": lambda bad: specmv.plan(random_matrix(30, 30), target=bad),
    "dtype": lambda bad: specmv.Matrix.csr(*structure(), dtype=bad),
}


def structure():
    A = random_matrix(30, 30)
    return A.indptr, A.indices, None, A.shape


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("bad", ["a\0b", "\0", "host\0", "\ud800"])
def test_bad_characters(call, bad):
    with pytest.raises((specmv.InvalidValue, TypeError)) as caught:
        CALLS[call](bad)
    name = call.split()[0]
    assert name in str(caught.value) or name == "dtype" and "values" in str(caught.value)
    assert "incompatible function arguments" not in str(caught.value)


@pytest.mark.parametrize("call", [name for name in CALLS if name != "dtype"])
@pytest.mark.parametrize("bad", [3, 1.5, object()])
def test_what_is_no_text(call, bad):
    with pytest.raises(TypeError, match=f"{call.split()[0]} is a "):
        CALLS[call](bad)
