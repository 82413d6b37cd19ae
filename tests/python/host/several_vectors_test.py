"""Products of several vectors: rectangular matrices, both orders, wider arrays, groups of columns, results in place."""

import numpy as np
import pytest
import specmv
from conftest import random_matrix, vector

K = 3
SHAPES = [(48, 36), (36, 48), (70, 1), (1, 70)]


def stored(rows, order, layout, seed):
    """A view of the shape (rows, K) within an array of NaN, and that array. The view is filled with numbers."""
    extents = {"whole": (rows, K), "wider": (rows, K + 4), "longer": (rows + 5, K), "groups": (rows, 2 * K)}[layout]
    whole = np.full(extents, np.nan, order=order)
    view = {
        "whole": lambda: whole,
        "wider": lambda: whole[:, 2 : 2 + K],
        "longer": lambda: whole[3 : 3 + rows],
        "groups": lambda: whole[:, ::2],
    }[layout]()
    view[:] = vector(rows * K, seed=seed).reshape(rows, K)
    return view, whole


LAYOUTS = [(order, layout) for order in "CF" for layout in ("whole", "wider", "longer", "groups")]
USABLE = [one for one in LAYOUTS if one != ("C", "groups")]  # its rows are not in one piece


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("of_x", USABLE)
@pytest.mark.parametrize("of_out", USABLE)
def test_arrays_of_every_layout(shape, of_x, of_out):
    if of_x[0] != of_out[0]:
        return  # the next test
    A = random_matrix(*shape, 0.2)
    p = specmv.plan(A, vectors=K)
    X, _ = stored(shape[1], *of_x, seed=1)
    out, whole = stored(shape[0], *of_out, seed=2)
    expected = 2 * (A @ X) - 0.5 * out
    assert p.execute(X, out=out, alpha=2, beta=-0.5) is out
    assert np.allclose(out, expected)
    out[:] = np.nan
    assert np.isnan(whole).all()  # nothing beside the view was written
    assert np.allclose(p @ X, A @ X)
    assert np.allclose(p.T @ np.asarray(A @ X, order=of_x[0]), A.T @ (A @ X))


@pytest.mark.parametrize("order", ["C", "F"])
def test_x_and_out_of_different_orders_are_refused(order):
    A = random_matrix(48, 36, 0.2)
    X, _ = stored(36, order, "whole", 1)
    out, whole = stored(48, "F" if order == "C" else "C", "whole", 2)
    before = whole.copy()
    with pytest.raises(specmv.InvalidValue, match="out has the strides"):
        specmv.plan(A, vectors=K).execute(X, out=out)
    assert np.array_equal(whole, before)


@pytest.mark.parametrize("name", ["x", "out"])
def test_rows_that_are_not_in_one_piece_are_refused(name):
    A = random_matrix(48, 36, 0.2)
    X, _ = stored(36, "C", "groups" if name == "x" else "whole", 1)
    out, _ = stored(48, "C", "groups" if name == "out" else "whole", 2)
    with pytest.raises(specmv.InvalidValue, match=f"{name} has the strides"):
        specmv.plan(A, vectors=K).execute(X, out=out)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("vectors", [1, K])
def test_matmat_and_rmatmat(order, vectors):
    A = random_matrix(48, 36, 0.2)
    op = specmv.LinearOperator(A, vectors=vectors)
    X, Y = stored(36, order, "wider", 1)[0], stored(48, order, "wider", 2)[0]
    for found, expected in ((op.matmat(X), A @ X), (op @ X, A @ X), (op.rmatmat(Y), A.T @ Y), (op.H @ Y, A.T @ Y)):
        assert found.shape == expected.shape and np.allclose(found, expected)
