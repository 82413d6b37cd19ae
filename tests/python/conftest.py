"""What the tests of the module for Python share."""

import ctypes
import os

import numpy as np
import pytest
import scipy.sparse as sp


def pytest_sessionfinish(session, exitstatus):
    """A run in which everything was skipped ends with 77, which CTest tells as skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and not reporter.stats.get("passed"):
        session.exitstatus = 77


def random_matrix(rows, cols, density=0.05, dtype="float64", seed=1):
    """CSR with sorted columns and a full diagonal where it is square."""
    matrix = sp.random(rows, cols, density, format="csr", random_state=seed, dtype=dtype)
    if rows == cols:
        matrix = matrix + 3 * sp.eye(rows, format="csr", dtype=dtype)
    return matrix.tocsr().astype(dtype)


def vector(size, dtype="float64", seed=2):
    return np.random.default_rng(seed).standard_normal(size).astype(dtype)


class DlpackOnly:
    """An array that shows nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**{k: v for k, v in arguments.items() if k == "stream"})

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class CudaArray:
    """Host memory that claims to be GPU memory, by `__cuda_array_interface__`, with entries to be changed."""

    def __init__(self, array, **changes):
        self.array = array
        self.changes = changes

    @property
    def __cuda_array_interface__(self):
        array = self.array
        facts = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": None if array.flags.c_contiguous else array.strides,
            "version": 3,
        }
        facts.update(self.changes)
        return {name: value for name, value in facts.items() if not isinstance(value, str) or value != "absent"}


def library():
    """The C library by ctypes."""
    return ctypes.CDLL(os.path.join(os.environ["SPECMV_TESTED_BUILD"], "libspecmv.so.0"))


def product_of_c(matrix, x, alpha=1.0, beta=0.0, y=None):
    """The product of a CSR matrix by the C API."""
    c = library()
    scalar = ctypes.c_double if matrix.dtype == np.float64 else ctypes.c_float
    handle, plan = ctypes.c_void_p(), ctypes.c_void_p()
    out = np.zeros(matrix.shape[0], matrix.dtype) if y is None else y.copy()
    address = ctypes.c_void_p
    made = c.specmvCreateCsr(
        ctypes.byref(handle),
        ctypes.c_int64(matrix.shape[0]),
        ctypes.c_int64(matrix.shape[1]),
        ctypes.c_int64(matrix.nnz),
        address(matrix.indptr.ctypes.data),
        address(matrix.indices.ctypes.data),
        address(matrix.data.ctypes.data),
        int(matrix.indptr.dtype == np.int64),
        int(matrix.dtype == np.float64),
    )
    assert made == 0
    assert c.specmvCreatePlan(ctypes.byref(plan), handle, None) == 0
    factors = scalar(alpha), scalar(beta)
    done = c.specmvExecute(
        plan,
        ctypes.byref(factors[0]),
        address(x.ctypes.data),
        ctypes.byref(factors[1]),
        address(out.ctypes.data),
        None,
    )
    assert done == 0
    c.specmvDestroyPlan(plan)
    c.specmvDestroyMatrix(handle)
    return out


@pytest.fixture
def own_environment():
    """The environment of a program of its own, which may import this file."""
    folder = os.path.dirname(os.path.abspath(__file__))
    return os.environ | {"PYTHONPATH": os.pathsep.join([folder, os.environ["PYTHONPATH"]])}


@pytest.fixture
def square():
    return random_matrix(60, 60)
