"""Which calls of the driver a product makes, and on which stream: on a GPU that is none, whose driver notes calls.

Its memory is that of the host. Products are those of a cuSPARSE that computes on the host.
"""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
import specmv
from conftest import CudaArray, random_matrix, vector
from libraries import CupyArray, Stream, Tensor, cupy, entered, torch
from specmv import _report

driver = ctypes.CDLL("libcuda.so.1")
trace = (ctypes.c_char * 65536).in_dll(driver, "fakeTrace")


def place(kind):
    ctypes.c_uint.in_dll(driver, "fakeMemoryType").value = {"host": 1, "gpu": 2}[kind]


def on(library, array):
    return {"cupy": CupyArray, "torch": Tensor, "interface": CudaArray}[library](array)


@pytest.fixture
def plan(request):
    place("host")
    A = random_matrix(60, 60)
    p = specmv.plan(A, formats="cusparse-csr", **getattr(request, "param", {}))
    assert p.target == "gpu"
    place("gpu")
    p.A = A
    yield p
    place("host")
    cupy.current, torch.current = Stream(0), Stream(0)


def calls_of(call):
    trace.value = b""
    call()
    return trace.value.decode().split()


@pytest.mark.parametrize("library", ["cupy", "torch", "interface"])
def test_a_product_copies_nothing_and_waits_for_nothing(plan, library):
    x, out = on(library, vector(60)), on(library, np.zeros(60))
    calls = calls_of(lambda: plan.execute(x, out=out))
    assert np.allclose(out.array, plan.A @ vector(60))
    assert not [name for name in calls if "Memcpy" in name or "Synchronize" in name or "Alloc" in name]


@pytest.mark.parametrize("library,kind", [("cupy", CupyArray), ("torch", Tensor)])
def test_a_result_is_what_x_was(plan, library, kind):
    y = plan @ on(library, vector(60))
    assert type(y) is kind and np.allclose(y.array, plan.A @ vector(60))


@pytest.mark.parametrize("plan", [{"vectors_on_gpu": True}, {}], indirect=True)
def test_arrays_in_host_memory(plan):
    place("host")
    if "vectors_on_gpu" in plan._options:
        with pytest.raises(specmv.InvalidValue, match="made with vectors_on_gpu"):
            plan @ vector(60)
    else:
        assert np.allclose(plan @ vector(60), plan.A @ vector(60))


class Protocol:
    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class Property:
    __cuda_stream__ = (0, 0)


@pytest.mark.parametrize("stream", [0, Protocol(0), Property(), Stream(0), np.int64(0).item()])
def test_streams_of_all_kinds(plan, stream):
    out = CupyArray(np.zeros(60))
    plan.execute(CupyArray(vector(60)), out=out, stream=stream)
    assert np.allclose(out.array, plan.A @ vector(60))


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("given", [None, 0])
def test_the_current_stream_is_taken_unless_one_is_given(plan, library, given):
    """Its handle is that of something which is no stream, so that it shows in an exception."""
    current = Stream("no handle")
    cupy.current = torch.current = current
    x, out = on(library, vector(60)), on(library, np.zeros(60))
    if given is None:
        with pytest.raises(TypeError, match="stream has a handle of the type str"):
            plan.execute(x, out=out)
    plan.execute(x, out=out, stream=0)
    assert np.allclose(out.array, plan.A @ vector(60))


def test_a_result_on_another_gpu_than_the_plan_is_refused(plan, monkeypatch):
    monkeypatch.setattr(CupyArray, "current_gpu", 1)
    with pytest.raises(specmv.InvalidValue, match="out is on GPU 1, and the plan on GPU 0"):
        plan @ CupyArray(vector(60))


def multiply_by_itself(library, before, after=""):
    """Runs a product in a process of its own, since functions are looked up once."""
    code = (
        f"import numpy as np, libraries, fake_gpu_test as t, specmv; {before};"
        "A = t.random_matrix(60, 60); p = specmv.plan(A, formats='cusparse-csr'); t.place('gpu');"
        f"y = p @ libraries.{library}(t.vector(60)); assert np.allclose(y.array, A @ t.vector(60)); {after}"
    )
    folder = os.path.dirname(os.path.abspath(__file__))
    paths = os.pathsep.join([folder, os.path.dirname(folder), os.environ["PYTHONPATH"]])
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths}, check=True)


def test_the_documented_current_stream_serves_where_the_short_one_is_gone():
    multiply_by_itself("Tensor", "del libraries.torch._C")


def test_the_function_of_cupy_serves_only_with_its_signature():
    count = "assert libraries.calls == ({}, {})"
    multiply_by_itself("CupyArray", "libraries.export_current_stream(b'intptr_t (void)')", count.format(1, 0))
    multiply_by_itself("CupyArray", "libraries.export_current_stream(b'int (void)')", count.format(0, 1))


def test_plans_of_arrays_on_the_gpu_wait_for_the_current_stream():
    A = random_matrix(60, 60)
    place("gpu")
    for make, module in ((CupyArray, cupy), (Tensor, torch)):
        module.current = Stream(0)
        M = specmv.Matrix.csr(*(make(part) for part in (A.indptr, A.indices, A.data)), A.shape)
        assert M._core.device == 0 and module.current.waits == 0
        specmv.plan(M, formats="cusparse-csr")
        assert module.current.waits > 0
    place("host")


@pytest.mark.parametrize("make", [CupyArray, Tensor])
def test_a_page_is_about_a_copy_on_the_host(make):
    A = random_matrix(60, 60)
    place("gpu")
    M = specmv.Matrix.csr(*(make(part) for part in (A.indptr, A.indices, A.data)), A.shape)
    place("host")
    assert (_report._of_scipy(M._core, None) != A).nnz == 0
    assert (_report._of_scipy(M._core, make(A.data * 2)) != 2 * A).nnz == 0
    with pytest.raises(specmv.InvalidValue, match="cannot be copied to the host"):
        _report._on_host(CudaArray(A.data))


def test_new_values_are_kept_until_the_next(plan):
    import weakref

    values = CupyArray(plan.A.data * 2)
    ref = weakref.ref(values)
    plan.update(values)
    del values
    assert ref() is not None
    plan.update(CupyArray(plan.A.data * 3))
    assert ref() is None
    out = CupyArray(np.zeros(60))
    plan.execute(CupyArray(vector(60)), out=out)
    assert np.allclose(out.array, 3 * (plan.A @ vector(60)))


@pytest.mark.parametrize("make", [CupyArray, Tensor])
def test_a_transpose_is_of_the_matrix_in_plan(make):
    A, x = random_matrix(60, 60), vector(60)
    place("gpu")
    arrays = [make(part.copy()) for part in (A.indptr, A.indices, A.data)]
    p = specmv.plan(specmv.Matrix.csr(*arrays, A.shape), formats="cusparse-csr")
    for array in arrays:
        array.array[:] = 0
    out, turned = make(np.zeros(60)), make(np.zeros(60))
    p.execute(make(x), out=out)
    p.T.execute(make(x), out=turned)
    place("host")
    assert np.allclose(out.array, A @ x) and np.allclose(turned.array, A.T @ x)


@pytest.mark.parametrize("make", [CupyArray, Tensor])
@pytest.mark.parametrize("on_gpu", [True, False])
def test_a_transpose_has_the_values_of_the_last_update(make, on_gpu):
    """Copies are made on the update's stream, in memory that stays the same from the second one on."""
    A, x = random_matrix(60, 60), vector(60)
    place("gpu" if on_gpu else "host")
    parts = [make(part) if on_gpu else part for part in (A.indptr, A.indices, A.data.copy())]
    p = specmv.plan(specmv.Matrix.csr(*parts, A.shape), formats="cusparse-csr", updatable=True)
    place("gpu")
    kept = []
    for factor in (2, 3):
        values = make(factor * A.data)
        entered.clear()
        p.update(values, stream=0)
        assert entered == [0]
        values.array[:] = np.nan
        kept.append(p._kept.latest)
    assert kept[0] is kept[1] and (kept[0] is p._kept.core.arrays[-1]) == on_gpu
    assert np.array_equal(getattr(parts[2], "array", parts[2]), A.data)  # the caller's
    assert np.array_equal(kept[1].array, 3 * A.data)
    if on_gpu:  # otherwise a kernel stores the values of the transpose, which does nothing on this GPU
        turned = make(np.zeros(60))
        p.T.execute(make(x), out=turned)
        assert np.allclose(turned.array, 3 * (A.T @ x))
    place("host")


def test_arrays_that_nobody_can_copy_serve_as_they_are():
    A, x = random_matrix(60, 60), vector(60)
    place("gpu")
    p = specmv.plan(
        specmv.Matrix.csr(*(CudaArray(part) for part in (A.indptr, A.indices, A.data)), A.shape), formats="cusparse-csr"
    )
    turned = CupyArray(np.zeros(60))
    p.T.execute(CupyArray(x), out=turned)
    place("host")
    assert np.allclose(turned.array, A.T @ x)


BAD_TENSORS = {
    "a gradient": ({"requires_grad": True}, specmv.InvalidValue, "requires a gradient"),
    "negated": ({"negated": True}, specmv.InvalidValue, "resolve_neg"),
    "freed": ({"address": 0}, specmv.InvalidValue, "freed"),
    "another device": ({"place": "meta"}, specmv.InvalidValue, "device meta"),
    "sparse": ({"layout": torch.sparse_csr}, TypeError, "layout torch.sparse_csr"),
    "another gpu": ({"device_number": 1}, specmv.InvalidValue, "on GPU 1, and the plan on GPU 0"),
}


@pytest.mark.parametrize("kind", BAD_TENSORS)
def test_bad_tensors(plan, kind):
    flags, error, text = BAD_TENSORS[kind]
    bad = Tensor(vector(60), flags.get("device_number", 0), **flags)
    with pytest.raises(error, match=text):
        plan.execute(bad, out=Tensor(np.zeros(60)))
    if kind == "a gradient":
        torch.grad_enabled = False
        plan.execute(bad, out=Tensor(np.zeros(60)))
        torch.grad_enabled = True


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
@pytest.mark.parametrize("kind", [CupyArray, Tensor])
def test_wrong_types_and_strides(plan, kind, dtype):
    with pytest.raises(TypeError, match=f"x is of type {dtype}"):
        plan.execute(kind(np.zeros(60, dtype)), out=kind(np.zeros(60)))
    with pytest.raises(specmv.InvalidValue, match="its stride is 2 elements"):
        plan.execute(kind(np.zeros(120)[::2]), out=kind(np.zeros(60)))
    with pytest.raises(specmv.InvalidValue, match="overlap"):
        both = np.zeros(60)
        plan.execute(kind(both), out=kind(both))


def test_matrices_on_different_gpus():
    A = random_matrix(60, 60)
    with pytest.raises(specmv.InvalidValue, match="all must be in one place"):
        specmv.Matrix.csr(CupyArray(A.indptr), CupyArray(A.indices), CupyArray(A.data, device=1), A.shape)
