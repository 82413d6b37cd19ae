"""Solvers of scipy.sparse.linalg with a plan as their operator."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as linalg
import specmv
from conftest import random_matrix, vector


def poisson(n):
    line = sp.diags([-1, 2, -1], [-1, 0, 1], (n, n))
    return (sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line)).tocsr()


@pytest.mark.parametrize("solver", [linalg.cg, linalg.bicg, linalg.bicgstab, linalg.gmres, linalg.minres, linalg.qmr])
def test_linear_systems(solver):
    A = poisson(12)
    op, b = specmv.LinearOperator(A), vector(144)
    x, failed = solver(op, b)
    assert not failed and np.linalg.norm(A @ x - b) < 1e-3 * np.linalg.norm(b)


def test_least_squares():
    A = random_matrix(80, 30, 0.2)
    op, b = specmv.LinearOperator(A), vector(80)
    assert np.allclose(linalg.lsqr(op, b)[0], linalg.lsqr(A, b)[0])


def test_eigenvalues():
    A = poisson(10)
    op = specmv.LinearOperator(A)
    expected = linalg.eigsh(A, 3, return_eigenvectors=False)
    assert np.allclose(linalg.eigsh(op, 3, return_eigenvectors=False), expected)
    for vectors in (1, 4):
        several = specmv.LinearOperator(specmv.plan(A, vectors=vectors))
        found = linalg.lobpcg(several, vector(400).reshape(100, 4), largest=True, maxiter=200, tol=1e-6)[0]
        assert np.allclose(np.sort(found)[-3:], np.sort(expected), rtol=1e-4)


def test_singular_values():
    A = random_matrix(60, 40, 0.2)
    found = linalg.svds(specmv.LinearOperator(A), 3, return_singular_vectors=False)
    assert np.allclose(np.sort(found), np.sort(linalg.svds(A, 3, return_singular_vectors=False)))


def test_it_is_an_operator():
    A = random_matrix(30, 20)
    op = specmv.LinearOperator(A)
    x, X = vector(20), vector(60).reshape(20, 3)
    assert isinstance(op, linalg.LinearOperator) and linalg.aslinearoperator(op) is op
    assert op.shape == (30, 20) and op.dtype == np.float64 and op.ndim == 2
    assert np.allclose(op @ x, A @ x) and np.allclose(op(x), A @ x) and np.allclose(op @ X, A @ X)
    assert np.allclose(op.T @ vector(30), A.T @ vector(30)) and np.allclose(op.H @ vector(30), A.T @ vector(30))
    assert np.allclose(op.rmatmat(vector(60).reshape(30, 2)), A.T @ vector(60).reshape(30, 2))
    assert np.allclose((2 * op + op) @ x, 3 * (A @ x)) and np.allclose((op.T @ op) @ x, A.T @ (A @ x))
    assert np.allclose(op @ np.arange(20), A @ np.arange(20.0)) and np.allclose(op @ X[::1, 1], A @ X[:, 1])
    assert (op @ np.zeros((20, 0))).shape == (30, 0)


def test_without_scipy():
    program = """
import sys
sys.modules["scipy"] = None
import numpy as np, specmv
eye = specmv.Matrix.csr(np.arange(4), np.arange(3), np.full(3, 2.0), (3, 3))
op, x, X = specmv.LinearOperator(eye), np.ones(3), np.ones((3, 2))
assert op.shape == (3, 3) and op.dtype == "float64" and op.ndim == 2 and type(op).__bases__ == (object,)
for y in (op @ x, op(X), op.dot(x[:, None]), op.T @ x, op.H @ X, op.matmat(X), op.rmatvec(x)):
    assert (y == 2).all()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""


def test_options_go_to_the_plan():
    A = random_matrix(30, 20)
    assert specmv.LinearOperator(A, vectors=4).plan.vectors == 4
    assert specmv.LinearOperator(A, transpose=True).shape == (20, 30)
    with pytest.raises(TypeError, match="have no effect"):
        specmv.LinearOperator(specmv.plan(A), vectors=4)
