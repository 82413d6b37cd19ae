"""Products on the host: every layout and type against scipy, and to the bit against the C API."""

import array

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import DlpackOnly, product_of_c, random_matrix, vector

TYPES = ["float32", "float64"]
TOLERANCE = {"float32": 1e-5, "float64": 1e-13}


def close(a, b):
    return np.allclose(a, b, rtol=TOLERANCE[str(a.dtype)], atol=TOLERANCE[str(a.dtype)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_every_format_of_scipy(format, dtype, index, kind):
    A = random_matrix(48, 36, 0.1, dtype)
    M = getattr(sp, f"{format}_{kind}")(A.tobsr((4, 3)) if format == "bsr" else A.asformat(format))
    for name in ("indptr", "indices", "row", "col"):
        if isinstance(getattr(M, name, None), np.ndarray):
            setattr(M, name, getattr(M, name).astype(index))
    p = specmv.plan(M)
    x = vector(36, dtype)
    assert p.shape == (48, 36) and p.dtype == dtype and p.target == "host"
    assert close(p @ x, A @ x)
    assert close(p.T @ vector(48, dtype), A.T @ vector(48, dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("factors", [(1.0, 0.0), (2.5, 0.0), (1.0, 1.0), (-0.3, 0.7), (0.0, 2.0)])
def test_products_are_those_of_the_c_api_to_the_bit(dtype, factors):
    A = random_matrix(200, 150, 0.05, dtype)
    x, y = vector(150, dtype), vector(200, dtype, 3)
    out = y.copy()
    specmv.plan(A).execute(x, out=out, alpha=factors[0], beta=factors[1])
    assert out.tobytes() == product_of_c(A, x, *factors, y).tobytes()


def test_a_result_is_what_x_was_and_out_is_returned(square):
    p = specmv.plan(square)
    x, out = vector(60), np.full(60, np.nan)
    y = p @ x
    assert type(y) is np.ndarray and y.shape == (60,)
    assert p.execute(x, out=out) is out and np.array_equal(out, y)
    column = p @ x[:, None]
    assert column.shape == (60, 1) and np.array_equal(column[:, 0], y)


def test_beta_multiplies_out_or_y(square):
    p = specmv.plan(square)
    x, b = vector(60), vector(60, seed=5)
    residual = p.execute(x, alpha=-1, beta=1, y=b)
    assert close(residual, b - square @ x)
    into = np.empty(60)
    p.execute(x, out=into, alpha=-1, beta=1, y=b)
    assert np.array_equal(into, residual)
    p.execute(x, out=b, alpha=-1, beta=1)
    assert np.array_equal(b, residual)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 17])
def test_several_vectors(square, order, count):
    p = specmv.plan(square, vectors=4)
    X = np.asarray(vector(60 * count).reshape(60, count), order=order)
    Y = p @ X
    assert Y.shape == (60, count) and close(Y, square @ X)
    assert Y.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]


def test_rows_of_a_wider_array_are_used_in_place(square):
    p = specmv.plan(square, vectors=3)
    wide, out = vector(60 * 8).reshape(60, 8), np.zeros((60, 8))
    p.execute(wide[:, 2:5], out=out[:, 1:4])
    assert close(out[:, 1:4], square @ wide[:, 2:5])
    assert not out[:, 0].any() and not out[:, 4:].any()


def test_a_vector_times_the_plan_is_the_transpose(square):
    p = specmv.plan(square)
    x = vector(60)
    assert close(x @ p, square.T @ x)
    assert p.T.T is p and p.T.shape == (60, 60)


def test_double_vectors():
    A = random_matrix(50, 40, dtype="float32")
    p = specmv.plan(A, double_vectors=True)
    x = vector(40)
    assert p.dtype == "float64" and close(p @ x, A.astype("float64") @ x)


def raw(A):
    return A.indptr, A.indices, A.data, A.shape


def test_plain_arrays(square):
    x = vector(60)
    expected = specmv.plan(square) @ x
    C, O, B = square.tocsc(), square.tocoo(), square.tobsr((2, 2))
    for M in (
        specmv.Matrix.csr(*raw(square)),
        specmv.Matrix.csr(*(DlpackOnly(a) for a in raw(square)[:3]), (60, 60)),
        specmv.Matrix.csr(square.indptr + 1, square.indices + 1, square.data, (60, 60), index_base=1),
        specmv.Matrix.csr(square.indptr.astype("int64"), square.indices, square.data, (60, 60)),
        specmv.Matrix.csr(*(memoryview(a) for a in raw(square)[:3]), (60, 60)),
        specmv.Matrix.csc(*raw(C)),
        specmv.Matrix.coo(O.row, O.col, O.data, O.shape),
        specmv.Matrix.bsr(*raw(B)),
    ):
        assert M.shape == (60, 60) and M.dtype == "float64" and "host memory" in repr(M)
        assert close(specmv.plan(M) @ x, expected)


def test_other_arrays_as_x_need_out(square):
    p, x, out = specmv.plan(square), vector(60), np.empty(60)
    for it in (array.array("d", x), memoryview(x), DlpackOnly(x)):
        assert np.array_equal(p.execute(it, out=out), p @ x)
        with pytest.raises(TypeError, match="pass an array for it as out"):
            p @ it
    bytes_of_out = bytearray(480)
    p.execute(x, out=memoryview(bytes_of_out).cast("d"))
    assert np.array_equal(np.frombuffer(bytes_of_out), p @ x)


def test_read_only_arrays_are_read(square):
    for a in (square.indptr, square.indices, square.data):
        a.flags.writeable = False
    x = vector(60)
    x.flags.writeable = False
    assert close(specmv.plan(square) @ x, square @ x)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 70), (70, 1)])
def test_shapes_at_the_edge(shape):
    A = sp.csr_matrix(np.ones(shape))
    p = specmv.plan(A)
    assert np.array_equal(p @ np.ones(shape[1]), np.full(shape[0], float(shape[1])))
    assert np.array_equal(p.T @ np.ones(shape[0]), np.full(shape[1], float(shape[0])))


def test_values_that_are_no_numbers_and_repeated_entries():
    A = sp.csr_matrix(([np.nan, np.inf, -0.0], ([0, 1, 2], [0, 1, 2])), (4, 4))
    y = specmv.plan(A) @ np.ones(4)
    assert np.isnan(y[0]) and np.isinf(y[1]) and y[2] == 0 and y[3] == 0
    twice = sp.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), (2, 2))
    assert np.array_equal(specmv.plan(twice) @ np.ones(2), [3, 0])


def test_arrays_that_are_longer_than_the_matrix(square):
    x, y = vector(60), square @ vector(60)
    square.indices = np.append(square.indices, np.int32(-7))
    square.data = np.append(square.data, np.nan)
    assert close(specmv.plan(square) @ x, y)


@pytest.mark.parametrize("turned", [False, True])
def test_new_values(square, turned):
    p = specmv.plan(square, updatable=True, transpose=turned)
    x, values = vector(60), vector(square.nnz, seed=9)
    there = p.T  # made before the update, and after it below
    p.update(values)
    B = sp.csr_matrix((values, square.indices, square.indptr), square.shape)
    B = B.T if turned else B
    assert close(p @ x, B @ x) and close(there @ x, B.T @ x)
    q = specmv.plan(square, updatable=True, transpose=turned)
    q.update(values)
    assert close(q.T @ x, B.T @ x)


def test_a_structure_gets_its_values_later(square):
    M = specmv.Matrix.csr(square.indptr, square.indices, None, square.shape, dtype=np.float32)
    p = specmv.plan(M)
    with pytest.raises(specmv.InvalidValue):
        p @ vector(60, "float32")
    p.update(square.data.astype("float32"))
    assert close(p @ vector(60, "float32"), square.astype("float32") @ vector(60, "float32"))
