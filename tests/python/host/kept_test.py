"""A plan's transpose and its page are of the matrix as it was in plan(), whatever the caller does with the arrays."""

import copy
import gc
import pickle
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as linalg
import specmv
from conftest import DlpackOnly, random_matrix, vector


def rectangle(format="csr", dtype="float64"):
    A = random_matrix(48, 36, 0.2, dtype)
    return A.tobsr((4, 3)) if format == "bsr" else A.asformat(format)


def spoil(M):
    """Writes over all arrays of a matrix."""
    M.data *= 10
    for name in ("indptr", "indices", "row", "col"):
        if isinstance(getattr(M, name, None), np.ndarray):
            getattr(M, name)[:] = 0


ADJOINTS = {
    "T": lambda p, x: p.T @ x,
    "x @ p": lambda p, x: x @ p,
    "rmatvec": lambda p, x: specmv.LinearOperator(p).rmatvec(x),
    "rmatmat": lambda p, x: specmv.LinearOperator(p).rmatmat(x[:, None])[:, 0],
    "H": lambda p, x: specmv.LinearOperator(p).H @ x,
    "adjoint": lambda p, x: specmv.LinearOperator(p).adjoint() @ x,
    "transpose": lambda p, x: specmv.LinearOperator(p).transpose() @ x,
}


@pytest.mark.parametrize("how", ADJOINTS)
@pytest.mark.parametrize("options", [{}, {"start": "now"}, {"updatable": True}, {"vectors": 2}])
def test_arrays_that_change_after_plan(how, options):
    A = rectangle()
    dense = A.toarray()
    p = specmv.plan(A, **options)
    spoil(A)
    assert np.allclose(p @ vector(36), dense @ vector(36))
    assert np.allclose(ADJOINTS[how](p, vector(48)), dense.T @ vector(48))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
def test_every_format(format, dtype):
    A = rectangle(format, dtype)
    dense = A.toarray()
    p = specmv.plan(A)
    spoil(A)
    assert np.allclose(p.T @ vector(48, dtype), dense.T @ vector(48, dtype), atol=1e-5)


def test_an_operator_is_of_one_matrix():
    A = rectangle()
    op = specmv.LinearOperator(A)
    A.data *= 10
    x, y = vector(36), vector(48)
    assert np.isclose(y @ op.matvec(x), op.rmatvec(y) @ x)


def test_arrays_of_other_kinds():
    A = rectangle()
    dense, x = A.toarray(), vector(48)
    M = specmv.Matrix.csr(memoryview(A.indptr), DlpackOnly(A.indices), A.data.__dlpack__(), A.shape)
    p = specmv.plan(M)
    spoil(A)
    assert np.allclose(p.T @ x, dense.T @ x)


def test_the_callers_matrix_may_be_gone():
    A = rectangle()
    dense, x = A.toarray(), vector(48)
    p, ref = specmv.plan(A), weakref.ref(A.data)
    del A
    gc.collect()
    assert ref() is None
    turned = p.T
    assert np.allclose(turned @ x, dense.T @ x)
    del p  # what is made again comes from the same copy
    assert np.allclose(turned.T @ vector(36), dense @ vector(36)) and np.allclose(turned.T.T @ x, dense.T @ x)


def with_values(A, values):
    return sp.csr_matrix((values, A.indices, A.indptr), A.shape).toarray()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("has_values", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, memoryview, DlpackOnly, lambda array: array.__dlpack__()])
def test_values_that_change_after_update(when, has_values, kind):
    A = rectangle()
    M = specmv.Matrix.csr(A.indptr, A.indices, A.data if has_values else None, A.shape)
    p = specmv.plan(M, updatable=True)
    if when == "before":
        p.T
    for seed in (3, 4):
        values = vector(A.nnz, seed=seed)
        dense = with_values(A, values)
        p.update(kind(values))
        values[:] = np.nan
        assert np.allclose(p @ vector(36), dense @ vector(36))
        assert np.allclose(p.T @ vector(48), dense.T @ vector(48))


@pytest.mark.parametrize("at", [0, -1])
def test_an_update_in_another_thread_while_the_transpose_is_made(at):
    A = rectangle()
    told, thread = [], None

    def log(level, sentence):
        told.append(sentence)
        if thread is not None and not thread.ident and len(told) == begin:
            thread.start()
            time.sleep(0.1)  # it must not be done by then

    def is_made():
        told.clear()
        p.T

    p = specmv.plan(A, updatable=True, context=specmv.Context(log, log_level=4))
    is_made()
    assert told
    begin = range(1, len(told) + 1)[at]
    p = specmv.plan(A, updatable=True, context=specmv.Context(log, log_level=4))
    thread = threading.Thread(target=p.update, args=(2 * A.data,))
    is_made()
    thread.join()
    assert np.allclose(p @ vector(36), 2 * (A @ vector(36)))
    assert np.allclose(p.T @ vector(48), 2 * (A.T @ vector(48)))


def test_an_update_of_the_transpose():
    A = rectangle()
    p = specmv.plan(A, updatable=True)
    p.T.update(2 * A.data)
    assert np.allclose(p @ vector(36), 2 * (A @ vector(36)))
    alone = specmv.plan(A, updatable=True).T
    alone.update(3 * A.data)
    assert np.allclose(alone.T @ vector(36), 3 * (A @ vector(36)))
    assert np.array_equal(A.data, rectangle().data)  # the caller's values stay


def test_a_refused_update_changes_neither():
    A = rectangle()
    p = specmv.plan(A, updatable=True)
    for bad in (np.ones(A.nnz - 1), np.ones(A.nnz, "float32"), np.ones(2 * A.nnz)[::2]):
        with pytest.raises((TypeError, specmv.InvalidValue)):
            p.update(bad)
    assert np.allclose(p.T @ vector(48), A.T @ vector(48)) and np.allclose(p @ vector(36), A @ vector(36))


def test_arrays_that_outlive_the_plan_are_not_copied():
    A = rectangle()
    p = specmv.plan(A, csr_outlives_plan=True, updatable=True)
    assert p._kept.core.arrays[-1] is A.data
    p.update(2 * A.data)
    assert np.array_equal(A.data, rectangle().data)
    assert np.allclose(p.T @ vector(48), 2 * (A.T @ vector(48)))


def test_a_plan_that_keeps_no_matrix_has_no_transpose():
    p = specmv.plan(rectangle(), keep_matrix=False)
    assert p._kept is None
    for call in (lambda: p.T, lambda: vector(48) @ p, lambda: specmv.LinearOperator(p).rmatvec(vector(48))):
        with pytest.raises(specmv.InvalidValue, match="transpose=True"):
            call()


class OutOfMemoryError(RuntimeError):
    """As torch raises it."""


@pytest.mark.parametrize("error", [MemoryError, OutOfMemoryError])
def test_without_memory_for_a_copy_there_is_a_plan(error, monkeypatch):
    def full(core):
        raise error("full")

    monkeypatch.setattr(specmv._core.Matrix, "copy", full)
    A = rectangle()
    p = specmv.plan(A)
    assert np.allclose(p @ vector(36), A @ vector(36))
    with pytest.raises(specmv.InvalidValue, match="lack of memory"):
        p.T


def test_another_failure_of_a_copy_is_told(monkeypatch):
    def fails(core):
        raise RuntimeError("another reason")

    monkeypatch.setattr(specmv._core.Matrix, "copy", fails)
    with pytest.raises(RuntimeError, match="another reason"):
        specmv.plan(rectangle())


def test_the_transpose_has_the_context_and_the_options_of_its_plan():
    sentences = []
    context = specmv.Context(lambda level, sentence: sentences.append(sentence), log_level=4)
    p = specmv.plan(rectangle(), context=context, formats=["sell", "csr-scalar"], double_vectors=False, vectors=3)
    sentences.clear()
    turned = p.T
    assert sentences and turned._context is context
    assert turned.text.split()[0] in ("sell", "csr-scalar") and turned.vectors == p.vectors
    assert turned._options == dict(p._options, transpose=True)


def test_the_page_is_of_the_plans_matrix(tmp_path):
    A = rectangle()
    count, rows = A.nnz, A.shape[0]
    p = specmv.plan(A, updatable=True)
    spoil(A)
    page = open(p.report(tmp_path / "A.html")).read()
    assert f"{rows} x 36" in page.replace("&times;", "x").replace("\N{MULTIPLICATION SIGN}", "x")
    found = specmv._report._of_scipy(p._kept.core, p._kept.values_elsewhere())
    assert found.nnz == count and (found != rectangle()).nnz == 0


def test_solvers_use_one_matrix():
    A = random_matrix(80, 30, 0.2)
    op, b, expected = specmv.LinearOperator(A), vector(80), linalg.lsqr(A, vector(80))[0]
    A.data *= -7
    assert np.allclose(linalg.lsqr(op, b)[0], expected)


@pytest.mark.parametrize("call", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_plan_cannot_be_copied(call):
    with pytest.raises(TypeError, match="cannot pickle"):
        call(specmv.plan(rectangle()))
