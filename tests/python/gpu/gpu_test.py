"""Products on a GPU with arrays of cupy and of torch. What is missing is skipped, with a reason."""

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import CudaArray, random_matrix, vector


def has_gpu():
    try:
        specmv.plan(random_matrix(4, 4), target="gpu")
    except specmv.Missing as error:
        pytest.skip(f"no product on a GPU: {error}")


class Cupy:
    def __init__(self):
        self.xp = pytest.importorskip("cupy")
        self.sparse = pytest.importorskip("cupyx.scipy.sparse")

    def put(self, array):
        return self.xp.asarray(array)

    def get(self, array):
        return array.get()

    def matrix(self, A):
        return self.sparse.csr_matrix(A)

    def stream(self):
        return self.xp.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def is_ours(self, array):
        return isinstance(array, self.xp.ndarray)


class Torch:
    def __init__(self):
        self.xp = pytest.importorskip("torch")
        if not self.xp.cuda.is_available():
            pytest.skip("torch sees no GPU")

    def put(self, array):
        order = "F" if array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        tensor = self.xp.from_numpy(np.ascontiguousarray(array.T if order == "F" else array)).cuda()
        return tensor.T if order == "F" else tensor

    def get(self, array):
        return array.cpu().numpy()

    def matrix(self, A):
        parts = [self.xp.from_numpy(part).cuda() for part in (A.indptr, A.indices, A.data)]
        return self.xp.sparse_csr_tensor(*parts, size=A.shape)

    def stream(self):
        return self.xp.cuda.Stream()

    def on(self, stream):
        return self.xp.cuda.stream(stream)

    def is_ours(self, array):
        return isinstance(array, self.xp.Tensor) and array.is_cuda


@pytest.fixture(params=[Cupy, Torch])
def lib(request):
    has_gpu()
    return request.param()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("turned", [False, True])
def test_products(lib, dtype, turned):
    A = random_matrix(3000, 2000, 0.01, dtype)
    p = specmv.plan(lib.matrix(A), transpose=turned)
    B = (A.T if turned else A).tocsr()
    x = vector(B.shape[1], dtype)
    y = p @ lib.put(x)
    assert p.target == "gpu" and lib.is_ours(y)
    assert np.allclose(lib.get(y), B @ x, rtol=1e-4, atol=1e-4)
    # The bits are those of vectors in host memory, which the C API copies.
    assert lib.get(y).tobytes() == (p @ x).tobytes()
    out = lib.put(np.ones(B.shape[0], dtype))
    assert p.execute(lib.put(x), out=out, alpha=2, beta=3) is out
    assert np.allclose(lib.get(out), 2 * (B @ x) + 3, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", ["C", "F"])
def test_several_vectors(lib, order):
    A = random_matrix(500, 400, 0.02)
    X = np.asarray(vector(400 * 8).reshape(400, 8), order=order)
    Y = specmv.plan(lib.matrix(A), vectors=8) @ lib.put(X)
    assert lib.is_ours(Y) and np.allclose(lib.get(Y), A @ X)


@pytest.mark.parametrize("how", ["current", "object", "number"])
def test_streams(lib, how):
    A = random_matrix(2000, 2000, 0.01)
    p, stream = specmv.plan(lib.matrix(A), vectors_on_gpu=True), lib.stream()
    number = getattr(stream, "cuda_stream", None) or stream.ptr
    with lib.on(stream):
        x = lib.put(vector(2000))
        y = lib.put(np.zeros(2000))
        p.execute(x, out=y, stream={"current": None, "object": stream, "number": number}[how])
        stream.synchronize()
        assert np.allclose(lib.get(y), A @ vector(2000))


def test_a_product_neither_copies_nor_waits(lib):
    """A stream that is captured refuses both; so does the update of values on the GPU."""
    A = random_matrix(2000, 2000, 0.01)
    p = specmv.plan(lib.matrix(A), updatable=True)
    x, y, values = (lib.put(a) for a in (vector(2000), np.zeros(2000), A.data * 2))
    p.execute(x, out=y)
    p.update(values)
    if isinstance(lib, Torch):
        graph = lib.xp.cuda.CUDAGraph()
        with lib.xp.cuda.graph(graph):
            p.update(values)
            p.execute(x, out=y)
        graph.replay()
        lib.xp.cuda.synchronize()
    else:
        stream = lib.stream()
        lib.xp.cuda.Device().synchronize()
        with stream:
            stream.begin_capture()
            p.update(values)
            p.execute(x, out=y)
            graph = stream.end_capture()
            graph.launch(stream)
            stream.synchronize()
    assert np.allclose(lib.get(y), 2 * (A @ vector(2000)))


def test_bad_arrays(lib):
    A = random_matrix(100, 100)
    p = specmv.plan(lib.matrix(A))
    x = lib.put(vector(100))
    for bad in (lib.put(vector(200))[::2], lib.put(vector(99)), lib.put(vector(100, "float32"))):
        with pytest.raises((TypeError, specmv.InvalidValue)):
            p @ bad
    with pytest.raises(specmv.InvalidValue, match="overlap"):
        p.execute(x, out=x)
    with pytest.raises(specmv.InvalidValue, match="made with vectors_on_gpu"):
        specmv.plan(A, vectors_on_gpu=True) @ vector(100)
    with pytest.raises(specmv.InvalidValue, match="in GPU memory"):
        specmv.plan(A, target="host") @ x


def test_scalars_on_the_gpu(lib):
    A = random_matrix(100, 100)
    p = specmv.plan(lib.matrix(A), scalars_on_gpu=True)
    x, y = lib.put(vector(100)), lib.put(np.ones(100))
    p.execute(x, out=y, alpha=lib.put(np.array([2.0])), beta=lib.put(np.array([3.0])))
    assert np.allclose(lib.get(y), 2 * (A @ vector(100)) + 3)


def test_a_page_has_measured_times(lib, tmp_path):
    A = random_matrix(100, 100)
    page = open(specmv.plan(lib.matrix(A)).report(tmp_path / "A.html")).read()
    assert "Products were measured on this machine's GPU" in page.replace("&#39;", "'")


def test_torch_refuses_what_it_would_lose():
    has_gpu()
    lib = Torch()
    A = random_matrix(50, 50)
    p, x = specmv.plan(lib.matrix(A)), lib.put(vector(50))
    with pytest.raises(specmv.InvalidValue, match="requires a gradient"):
        p @ x.clone().requires_grad_()
    with lib.xp.no_grad():
        assert np.allclose(lib.get(p @ lib.xp.nn.Parameter(x)), A @ vector(50))
    freed = x.clone()
    freed.untyped_storage().resize_(0)
    with pytest.raises(specmv.InvalidValue, match="freed"):
        p @ freed
    with pytest.raises(specmv.InvalidValue, match="device meta"):
        p @ lib.xp.empty(50, dtype=lib.xp.float64, device="meta")
    negated = lib.xp.complex(x, x).conj().imag
    with pytest.raises(specmv.InvalidValue):
        p @ negated


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr"])
def test_every_layout_of_torch(layout):
    has_gpu()
    lib = Torch()
    A = random_matrix(60, 60)
    tensor = lib.xp.from_numpy(A.toarray()).cuda()
    M = tensor.to_sparse_bsr((4, 4)) if layout == "bsr" else getattr(tensor, f"to_sparse_{layout}".replace("_coo", ""))()
    assert np.allclose(lib.get(specmv.plan(M) @ lib.put(vector(60))), A @ vector(60))


def test_solvers_of_cupyx():
    has_gpu()
    lib = Cupy()
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    A = random_matrix(400, 400, 0.02)
    A = (A + A.T + 20 * np.abs(A).sum(0).max() * sp.eye(400)).tocsr()
    op, b = specmv.LinearOperator(lib.matrix(A)), lib.put(vector(400))
    for solver in (linalg.cg, linalg.gmres):
        x, failed = solver(op, b)
        assert not failed and np.allclose(A @ lib.get(x), lib.get(b), atol=1e-3)
    assert np.isfinite(lib.get(linalg.eigsh(op, 3, return_eigenvectors=False))).all()


def test_the_interface_of_cuda_arrays():
    """An object that has nothing but __cuda_array_interface__ is read and written in place."""
    has_gpu()
    lib = Cupy()

    class Only(CudaArray):
        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    A = random_matrix(100, 100)
    out = lib.put(np.zeros(100))
    specmv.plan(lib.matrix(A)).execute(Only(lib.put(vector(100))), out=Only(out))
    assert np.allclose(lib.get(out), A @ vector(100))
