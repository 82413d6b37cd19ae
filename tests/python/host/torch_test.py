"""Tensors of torch in host memory; skipped where torch is not installed."""

import numpy as np
import pytest
import specmv
from conftest import random_matrix, vector

torch = pytest.importorskip("torch")

DENSE = torch.from_numpy(random_matrix(60, 60).toarray())
X = torch.from_numpy(vector(60))
LAYOUTS = {
    "csr": lambda dense: dense.to_sparse_csr(),
    "csc": lambda dense: dense.to_sparse_csc(),
    "coo": lambda dense: dense.to_sparse(),
    "bsr": lambda dense: dense.to_sparse_bsr((4, 4)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout):
    p = specmv.plan(LAYOUTS[layout](DENSE))
    y = p @ X
    assert isinstance(y, torch.Tensor) and torch.allclose(y, DENSE @ X)
    assert torch.allclose(p.T @ X, DENSE.T @ X)
    out = torch.ones(60, dtype=torch.float64)
    assert p.execute(X, out=out, alpha=2, beta=3) is out and torch.allclose(out, 2 * (DENSE @ X) + 3)


def test_several_vectors_and_operators():
    p = specmv.plan(DENSE.to_sparse_csr(), vectors=4, updatable=True)
    several = torch.from_numpy(vector(240).reshape(60, 4))
    assert torch.allclose(p @ several, DENSE @ several)
    in_columns = p @ several.T.contiguous().T
    assert in_columns.stride() == (1, 60) and torch.allclose(in_columns, DENSE @ several)
    p.update(DENSE.to_sparse_csr().values() * 2)
    op = specmv.LinearOperator(p)
    assert torch.allclose(op @ X, 2 * (DENSE @ X)) and torch.allclose(op.rmatvec(X), 2 * (DENSE.T @ X))
    one = specmv.LinearOperator(specmv.plan(DENSE.to_sparse_csr()))
    assert torch.allclose(one @ several, DENSE @ several)


def freed():
    tensor = X.clone()
    tensor.untyped_storage().resize_(0)
    return tensor


BAD_TENSORS = {
    "gradient": (lambda: X.clone().requires_grad_(), "requires a gradient"),
    "freed": (freed, "it was freed"),
    "meta": (lambda: torch.empty(60, dtype=torch.float64, device="meta"), "device meta"),
    "negated": (lambda: torch.complex(torch.zeros(2, 60).double(), X.expand(2, 60)).conj().imag[0], "resolve_neg"),
    "every second": (lambda: torch.zeros(120).double()[::2], "stride is 2"),
    "broadcast": (lambda: torch.ones(1).double().expand(60), "stride is 0"),
    "short": (lambda: X[:30], "has the shape"),
    "float32": (lambda: X.float(), "of type float32"),
    "bfloat16": (lambda: X.bfloat16(), "of type bfloat16"),
    "complex": (lambda: X.cfloat(), "of type complex64"),
    "sparse": (lambda: DENSE.to_sparse_csr(), "layout torch.sparse_csr"),
}


@pytest.mark.parametrize("kind", BAD_TENSORS)
def test_bad_tensors(kind):
    make, text = BAD_TENSORS[kind]
    p = specmv.plan(DENSE.to_sparse_csr())
    with pytest.raises((TypeError, specmv.InvalidValue), match=text):
        p @ make()


def test_parameters_are_read_where_no_gradient_is_recorded():
    with torch.no_grad():
        y = specmv.plan(DENSE.to_sparse_csr()) @ torch.nn.Parameter(X)
    assert np.allclose(y.numpy(), (DENSE @ X).numpy())


BAD_MATRICES = {
    "dense": lambda: DENSE,
    "gradient": lambda: DENSE.to_sparse_csr().requires_grad_(),
    "complex": lambda: DENSE.to_sparse_csr().to(torch.complex64),
    "half": lambda: DENSE.to_sparse_csr().half(),
    "batch": lambda: torch.stack([DENSE, DENSE]).to_sparse_csr(),
    "dense dimension": lambda: torch.zeros(4, 4, 2).to_sparse(2),
}


@pytest.mark.parametrize("kind", BAD_MATRICES)
def test_bad_matrices(kind):
    with pytest.raises((TypeError, specmv.InvalidValue)):
        specmv.plan(BAD_MATRICES[kind]())
