"""The page that a plan writes about its matrix."""

import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import DlpackOnly, random_matrix


def text_of(path):
    return re.sub(r"<[^>]*>", " ", open(path).read())


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pages_of_every_format(tmp_path, format, dtype):
    A = random_matrix(48, 36, 0.1, dtype)
    path = tmp_path / "A.html"
    p = specmv.plan(A.tobsr((4, 3)) if format == "bsr" else A.asformat(format))
    assert p.report(path) == str(path)
    page = text_of(path)
    assert re.search(r"\b48 x 36\b", page) and f" {p.nnz} " in page, page[:3000]


def test_the_page_is_about_the_newest_values_and_the_direction_of_the_plan(tmp_path):
    A = sp.csr_matrix((np.arange(1.0, 8), ([0] * 6 + [1], [0, 1, 2, 3, 4, 5, 0])), (3, 6))  # rows of 6, 1 and 0
    p = specmv.plan(A, updatable=True)
    assert "7 distinct" in text_of(p.report(tmp_path / "old.html"))
    p.update(np.array([2.0, 3.0] * 3 + [2.0]))
    page = text_of(p.report(tmp_path / "new.html"))
    assert "2 distinct" in page and "6 entries: 1 row" in page
    turned = text_of(p.T.report(tmp_path / "turned.html"))
    assert "6 x 3" in turned and "2 distinct" in turned and "2 entries: 1 row" in turned


def test_the_tool_gets_the_options_of_the_plan(tmp_path):
    A = random_matrix(60, 60)
    options = {"formats": ["ell", "coo"], "products": 100, "rigor": "trial", "target": "host", "order": "none"}
    page = text_of(specmv.plan(A, **options, beta_is_zero=True, plain_values=True).report(tmp_path / "A.html"))
    assert " coo " in page and " ell " in page and "csr-merge" not in page
    page = text_of(specmv.plan(A, formats="jad", device=0, only_packs=False).report(tmp_path / "A.html"))
    assert " jad " in page and " ell " not in page


def test_pages_that_cannot_be_written(tmp_path):
    A = random_matrix(30, 30)
    with pytest.raises(specmv.InvalidValue, match="no/A.html: cannot write"):
        specmv.plan(A).report(tmp_path / "no" / "A.html")
    with pytest.raises(specmv.InvalidValue, match="keep_matrix=False"):
        specmv.plan(A, keep_matrix=False).report(tmp_path / "A.html")
    with pytest.raises(TypeError):
        specmv.plan(A).report(5)
    unvalued = specmv.plan(specmv.Matrix.csr(A.indptr, A.indices, None, A.shape))
    with pytest.raises(specmv.InvalidValue, match="no values yet"):
        unvalued.report(tmp_path / "A.html")
    unvalued.update(A.data)
    assert unvalued.report(tmp_path / "A.html")


@pytest.mark.parametrize("base", [0, 1])
def test_arrays_of_any_kind(tmp_path, base):
    A = random_matrix(30, 30)
    parts = A.indptr + base, A.indices + base, A.data
    M = specmv.Matrix.csr(memoryview(parts[0]), DlpackOnly(parts[1]), parts[2], A.shape, index_base=base)
    assert "30 x 30" in text_of(specmv.plan(M).report(tmp_path / "A.html"))


def test_a_matrix_without_entries(tmp_path):
    assert "30 x 20" in text_of(specmv.plan(sp.csr_matrix((30, 20))).report(tmp_path / "A.html"))


def test_a_page_needs_scipy(tmp_path, monkeypatch):
    p = specmv.plan(random_matrix(30, 30))
    monkeypatch.setitem(sys.modules, "scipy.io", None)
    with pytest.raises(specmv.Missing, match="needs scipy"):
        p.report(tmp_path / "A.html")
