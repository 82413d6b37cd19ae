"""Matrices and options that are wrong: each is refused by one exception that says what is wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import CudaArray, DlpackOnly, random_matrix

REFUSED = (TypeError, specmv.InvalidValue)


class FakeFormat:
    """An object that looks like a sparse matrix, and is not."""

    format, nnz, shape = "csr", 1, (1, 1)


def scipy_of(format, dtype="f8"):
    return random_matrix(12, 12).astype(dtype).asformat(format)


NO_MATRICES = {
    "none": lambda: None,
    "dense": lambda: np.eye(3),
    "numpy matrix": lambda: np.matrix(np.eye(3)),
    "list": lambda: [[1.0]],
    "text": lambda: "stencil5:n=10",
    "number": lambda: 3.0,
    "class": lambda: sp.csr_matrix,
    "plan": lambda: specmv.plan(scipy_of("csr")),
    "dia": lambda: scipy_of("dia"),
    "lil": lambda: scipy_of("lil"),
    "dok": lambda: scipy_of("dok"),
    "float16": lambda: sp.csr_matrix((np.ones(1, "f2"), [0], [0, 1]), (1, 1)),
    "longdouble": lambda: scipy_of("csr", "longdouble"),
    "complex64": lambda: scipy_of("csr", "c8"),
    "complex128": lambda: scipy_of("csc", "c16"),
    "integers": lambda: scipy_of("coo", "i8"),
    "short integers": lambda: scipy_of("bsr", "i2"),
    "bool": lambda: scipy_of("csr", "?"),
    "only like a matrix": FakeFormat,
    "capsule": lambda: np.ones(3).__dlpack__(),
}


@pytest.mark.parametrize("kind", NO_MATRICES)
def test_what_is_no_matrix(kind):
    with pytest.raises((*REFUSED, AttributeError) if kind == "only like a matrix" else REFUSED):
        specmv.Matrix(NO_MATRICES[kind]())


def arrays(**changes):
    """CSR of [[1, 2], [0, 3]], with changes."""
    it = {
        "indptr": np.array([0, 2, 3], "i4"),
        "indices": np.array([0, 1, 1], "i4"),
        "data": np.array([1.0, 2.0, 3.0]),
        "shape": (2, 2),
    }
    return {**it, **changes}


I4, I8 = np.array([0, 1, 1], "i4"), np.array([0, 1, 1], "i8")
BAD_CSR = {
    "indptr none": {"indptr": None},
    "indices none": {"indices": None},
    "indptr a list": {"indptr": [0, 2, 3]},
    "indices a list": {"indices": [0, 1, 1]},
    "data a list": {"data": [1.0, 2.0, 3.0]},
    "data a number": {"data": 1.0},
    "indptr of float": {"indptr": np.array([0.0, 2, 3])},
    "indptr of int16": {"indptr": np.array([0, 2, 3], "i2")},
    "indptr of uint32": {"indptr": np.array([0, 2, 3], "u4")},
    "indices of uint64": {"indices": I4.astype("u8")},
    "indices of bool": {"indices": I4.astype("?")},
    "indices of big endian": {"indices": I4.astype(">i4")},
    "data of big endian": {"data": np.ones(3, ">f8")},
    "data of objects": {"data": np.ones(3, "O")},
    "data of text": {"data": np.array(["a", "b", "c"])},
    "indptr short": {"indptr": np.array([0, 3], "i4")},
    "indptr long": {"indptr": np.array([0, 2, 3, 3], "i4")},
    "indptr empty": {"indptr": np.array([], "i4")},
    "indices short": {"indices": I4[:2]},
    "indices long": {"indices": np.zeros(4, "i4")},
    "data short": {"data": np.ones(2)},
    "data long": {"data": np.ones(4)},
    "data a matrix": {"data": np.ones((3, 1))},
    "indices a matrix": {"indices": I4[None, :]},
    "indptr without dimensions": {"indptr": np.array(0, "i4")},
    "indptr of four dimensions": {"indptr": np.zeros((3, 1, 1, 1), "i4")},
    "data with a stride": {"data": np.ones(6)[::2]},
    "data reversed": {"data": np.ones(3)[::-1]},
    "indices with a stride": {"indices": np.zeros(6, "i4")[::2]},
    "indptr reversed": {"indptr": np.array([3, 2, 0], "i4")[::-1]},
    "data broadcast": {"data": np.broadcast_to(np.float64(1), 3)},
    "data by dlpack with a stride": {"data": DlpackOnly(np.ones(6)[::2])},
    "data on a gpu, indices on the host": {"data": CudaArray(np.ones(3))},
    "indptr on a gpu only": {"indptr": CudaArray(np.array([0, 2, 3], "i4"))},
    "freed data": {"data": CudaArray(np.ones(3), data=(0, False))},
    "shape a number": {"shape": 2},
    "shape none": {"shape": None},
    "shape of three": {"shape": (2, 2, 2)},
    "shape of floats": {"shape": (2.0, 2.0)},
    "shape of texts": {"shape": ("2", "2")},
    "shape negative": {"shape": (-1, 2)},
    "columns negative": {"shape": (2, -2)},
    "columns huge": {"shape": (2, 2**49)},
    "columns beyond 64 bits": {"shape": (2, 2**64)},
    "base 2": {"index_base": 2},
    "base -1": {"index_base": -1},
    "base a text": {"index_base": "0"},
    "base a flag": {"index_base": True},
    "dtype of integers": {"data": None, "dtype": "int32"},
    "dtype unknown": {"data": None, "dtype": "nothing"},
    "dtype none": {"data": None, "dtype": None},
    "dtype complex": {"data": None, "dtype": np.complex64},
}


@pytest.mark.parametrize("kind", BAD_CSR)
def test_bad_arrays_of_csr(kind):
    with pytest.raises((*REFUSED, OverflowError)) as caught:
        specmv.Matrix.csr(**arrays(**BAD_CSR[kind]))
    assert "incompatible function" not in str(caught.value) or kind == "columns beyond 64 bits"


BAD_CONTENTS = {
    "first offset": {"indptr": np.array([1, 2, 3], "i4")},
    "last offset": {"indptr": np.array([0, 2, 2], "i4")},
    "offsets decrease": {"indptr": np.array([0, 4, 3], "i4")},
    "offset negative": {"indptr": np.array([0, -1, 3], "i4")},
    "column beyond": {"indices": np.array([0, 2, 1], "i4")},
    "column negative": {"indices": np.array([0, -1, 1], "i4")},
    "column far away": {"indices": np.array([0, 2**31 - 1, 1], "i4")},
    "column beyond 32 bits": {"indices": np.array([0, 2**40, 1], "i8")},
    "base 1 with zeros": {"index_base": 1},
}


@pytest.mark.parametrize("kind", BAD_CONTENTS)
@pytest.mark.parametrize("start", ["wait", "now"])
def test_arrays_that_form_no_matrix(kind, start):
    M = specmv.Matrix.csr(**arrays(**BAD_CONTENTS[kind]))
    with pytest.raises(specmv.InvalidMatrix) as caught:
        specmv.plan(M, start=start).wait()
    assert caught.value.status == "INVALID_MATRIX" and isinstance(caught.value, ValueError)
    assert any(letter.isdigit() for letter in caught.value.detail)


def coo(**changes):
    return {"row": I4, "col": I4, "data": np.ones(3), "shape": (2, 2), **changes}


BAD_OTHERS = {
    "coo, row none": lambda: specmv.Matrix.coo(**coo(row=None)),
    "coo, col none": lambda: specmv.Matrix.coo(**coo(col=None)),
    "coo, different types": lambda: specmv.Matrix.coo(**coo(col=I8)),
    "coo, row short": lambda: specmv.Matrix.coo(**coo(row=I4[:2])),
    "coo, col long": lambda: specmv.Matrix.coo(**coo(col=np.zeros(4, "i4"))),
    "coo, row of float": lambda: specmv.Matrix.coo(**coo(row=np.zeros(3))),
    "csc, as many offsets as rows": lambda: specmv.Matrix.csc(I4, I4, np.ones(3), (2, 5)),
    "csc, indices none": lambda: specmv.Matrix.csc(I4, None, np.ones(3), (2, 2)),
    "bsr, data of one dimension": lambda: specmv.Matrix.bsr(np.array([0, 1], "i4"), I4[:1], np.ones(4), (2, 2)),
    "bsr, data none": lambda: specmv.Matrix.bsr(np.array([0, 1], "i4"), I4[:1], None, (2, 2)),
    "bsr, blocks that do not divide": lambda: specmv.Matrix.bsr(I4[:2], I4[:1], np.ones((1, 2, 2)), (3, 4)),
    "bsr, empty blocks": lambda: specmv.Matrix.bsr(I4[:2], I4[:1], np.ones((1, 0, 2)), (2, 2)),
    "bsr, fortran blocks": lambda: specmv.Matrix.bsr(I4[:2], I4[:1], np.ones((2, 2, 1)).T, (2, 2)),
    "bsr, too many indices": lambda: specmv.Matrix.bsr(I4[:2], I4, np.ones((1, 2, 2)), (2, 2)),
}


@pytest.mark.parametrize("kind", BAD_OTHERS)
def test_bad_arrays_of_other_formats(kind):
    with pytest.raises(REFUSED):
        BAD_OTHERS[kind]()


BAD_OPTIONS = [
    *(("products", v) for v in (0, -1, 1.5, "3", 2**63, True, [1])),
    *(("vectors", v) for v in (0, -1, "2", 1.0, 2**31, False)),
    *(("device", v) for v in (-1, "0", 0.0, 2**31, True)),
    *(("max_bytes", v) for v in (0, -5, "1", 2**64)),
    *(("rigor", v) for v in ("", "best", 1, None, b"trial")),
    *(("target", v) for v in ("cpu", "GPU", 0, None)),
    *(("start", v) for v in ("later", 1, True)),
    *(("kernels", v) for v in ("special", 2)),
    *(("transpose", v) for v in (1, 0, "T", None)),
    *(("updatable", v) for v in (1, "yes", None, np.True_)),
    *(("formats", v) for v in ("nothing", 5, ["ell", 3], "ell\0", {"ell"}, "ell,,x")),
    *(("plan_text", v) for v in ("nothing", 5, "ell ell.width=x", b"ell")),
    *(("order", v) for v in ("rcm", 3, "bfs\0")),
    *(("context", v) for v in (1, "c", print)),
    *(("structure_of", v) for v in (1, "p", np.eye(2))),
    *(("keep_matrix", v) for v in (0, None, "no")),
    *(("scratch_per_stream", v) for v in (2, "a")),
    ("alpha", 1),
    ("beta", 0),
    ("csr", True),
    ("vectors_in_plan_order", True),
]


@pytest.mark.parametrize("name,value", BAD_OPTIONS, ids=lambda v: repr(v)[:20])
def test_bad_options(square, name, value):
    with pytest.raises(REFUSED) as caught:
        specmv.plan(square, **{name: value})
    assert "incompatible function" not in str(caught.value)


@pytest.mark.parametrize("option", [{"start": "now"}, {"csr_outlives_plan": True}])
def test_a_matrix_that_is_read_later_must_be_kept(square, option):
    with pytest.raises(specmv.InvalidValue, match="reads the arrays"):
        specmv.plan(square, keep_matrix=False, **option)


BAD_CONTEXTS = [
    {"log": 5},
    {"log": "print"},
    {"log_level": 0},
    {"log_level": 5},
    {"log_level": "info"},
    {"threads": -1},
    {"threads": 1.5},
    {"cache_directory": 5},
    {"packs": ["p"]},
    {"gpu_model": "nothing"},
    {"gpu_model": "a\0b"},
]


@pytest.mark.parametrize("arguments", BAD_CONTEXTS, ids=repr)
def test_bad_contexts(arguments):
    with pytest.raises(REFUSED):
        specmv.Context(**arguments)


def test_what_the_machine_lacks(square):
    for options in ({"target": "gpu"}, {"device": 3, "target": "gpu"}, {"formats": "cusparse-csr", "target": "gpu"}):
        with pytest.raises(specmv.Missing) as caught:
            specmv.plan(square, **options)
        assert caught.value.status == "NO_GPU" and not isinstance(caught.value, ValueError)
    with pytest.raises(specmv.OutOfMemory) as caught:
        specmv.plan(square, max_bytes=1, target="host")
    assert caught.value.status == "OVER_MAX_BYTES" and isinstance(caught.value, MemoryError)


@pytest.mark.parametrize("seconds", [-1, float("nan"), 1e9, "1"])
def test_bad_times(square, seconds):
    with pytest.raises(REFUSED):
        specmv.plan(square).wait(seconds)


def test_an_update_that_a_plan_refuses():
    A = random_matrix(30, 30)
    p = specmv.plan(A.tocsc())
    with pytest.raises(specmv.InvalidValue, match="updatable"):
        p.update(A.data)
    assert np.allclose(p @ np.ones(30), A @ np.ones(30))


def test_a_plan_and_its_transpose_keep_the_same_values():
    A = random_matrix(30, 30)
    p = specmv.plan(A)  # plain CSR takes new values, its transpose does not
    turned = p.T
    for one in (p, turned):
        with pytest.raises(specmv.InvalidValue, match="updatable=True"):
            one.update(A.data * 2)
    assert np.allclose(p @ np.ones(30), A @ np.ones(30)) and np.allclose(turned @ np.ones(30), A.T @ np.ones(30))
