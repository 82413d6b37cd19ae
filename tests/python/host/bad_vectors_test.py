"""Products with bad arguments: each is refused by one exception that names the argument, and nothing is written."""

import array
import decimal
import fractions

import numpy as np
import pytest
import scipy.sparse as sp
import specmv
from conftest import CudaArray, DlpackOnly, random_matrix, vector

N = 60
WRONG_TYPES = ["float32", "float16", "longdouble", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"]
WRONG_TYPES += ["bool", "complex64", "complex128", ">f8", "U8", "S8", "O", "V8", "datetime64[s]", "timedelta64[s]", "V0"]


class Raises:
    """An object whose attributes all raise."""

    def __getattr__(self, name):
        raise AttributeError(f"no {name} here")


class BadDlpack:
    def __init__(self, device, result):
        self.device, self.result = device, result

    def __dlpack_device__(self):
        if isinstance(self.device, Exception):
            raise self.device
        return self.device

    def __dlpack__(self, **arguments):
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def used_capsule():
    capsule = vector(N).__dlpack__()
    np.from_dlpack(BadDlpack((1, 0), capsule))
    return capsule


def released():
    view = memoryview(vector(N))
    view.release()
    return view


NO_ARRAYS = {
    "none": lambda: None,
    "list": lambda: [1.0] * N,
    "tuple": lambda: (1.0,) * N,
    "float": lambda: 1.0,
    "int": lambda: 5,
    "complex": lambda: 1j,
    "str": lambda: "x" * N,
    "dict": dict,
    "set": set,
    "range": lambda: range(N),
    "generator": lambda: (i for i in range(N)),
    "ellipsis": lambda: ...,
    "class": lambda: np.ndarray,
    "object": object,
    "raises": Raises,
    "sparse": lambda: random_matrix(N, N),
    "sparse column": lambda: sp.csc_matrix(np.ones((N, 1))),
    "decimal": lambda: decimal.Decimal(1),
    "fraction": lambda: fractions.Fraction(1, 2),
    "plan": lambda: specmv.plan(random_matrix(5, 5)),
    "matrix": lambda: specmv.Matrix(random_matrix(5, 5)),
    "masked": lambda: np.ma.masked_array(vector(N), np.arange(N) % 2 == 0),
}

OF_WRONG_ELEMENTS = {
    "bytes": lambda: bytes(8 * N),
    "array of float": lambda: array.array("f", [1.0] * N),
    "array of int": lambda: array.array("q", [1] * N),
    "structured": lambda: np.zeros(N, [("a", "f8")]),
    "wrong dlpack type": lambda: DlpackOnly(vector(N, "float32")),
}

OF_WRONG_FORM = {
    "number of numpy": lambda: np.float64(1),
    "no dimensions": lambda: np.array(1.0),
    "too short": lambda: vector(N - 1),
    "too long": lambda: vector(N + 1),
    "empty": lambda: vector(0),
    "row": lambda: vector(N)[None, :],
    "three dimensions": lambda: vector(N).reshape(N, 1, 1),
    "four dimensions": lambda: vector(N).reshape(N, 1, 1, 1),
    "every second": lambda: vector(2 * N)[::2],
    "reversed": lambda: vector(N)[::-1],
    "column of rows": lambda: vector(3 * N).reshape(N, 3)[:, 1],
    "column with a stride": lambda: vector(3 * N).reshape(N, 3)[:, 1:2],
    "one number for all": lambda: np.broadcast_to(np.float64(1), N),
    "stride of 12 bytes": lambda: np.zeros(N, [("a", "f8"), ("b", "f4")])["a"],
    "stride of dlpack": lambda: DlpackOnly(vector(2 * N)[::2]),
    "short dlpack": lambda: DlpackOnly(vector(N - 1)),
    "released": released,
    "used capsule": used_capsule,
    "two columns": lambda: vector(2 * N).reshape(N, 2),
    "not aligned": lambda: np.frombuffer(bytearray(8 * N + 1), "f8", N, 1),
}

BAD_PROTOCOLS = {
    "dlpack raises": lambda: BadDlpack((1, 0), RuntimeError("broken")),
    "dlpack device raises": lambda: BadDlpack(ValueError("broken"), None),
    "dlpack gives none": lambda: BadDlpack((1, 0), None),
    "dlpack gives a number": lambda: BadDlpack((1, 0), 7),
    "dlpack device is no pair": lambda: BadDlpack(7, None),
    "dlpack device is text": lambda: BadDlpack(("a", "b"), None),
    "interface without data": lambda: CudaArray(vector(N), data="absent"),
    "interface without shape": lambda: CudaArray(vector(N), shape="absent"),
    "interface without type": lambda: CudaArray(vector(N), typestr="absent"),
    "interface with a text as data": lambda: CudaArray(vector(N), data="text"),
    "interface with one number as data": lambda: CudaArray(vector(N), data=(5,)),
    "interface with a text as address": lambda: CudaArray(vector(N), data=("a", False)),
    "interface with a list as shape": lambda: CudaArray(vector(N), shape=[N]),
    "interface with texts as shape": lambda: CudaArray(vector(N), shape=("a",)),
    "interface with another number of strides": lambda: CudaArray(vector(N), strides=(8, 8)),
    "interface with an odd stride": lambda: CudaArray(vector(N), strides=(9,)),
    "interface with a number as type": lambda: CudaArray(vector(N), typestr=5),
    "interface of another type": lambda: CudaArray(vector(N), typestr="<f4"),
    "interface of big endian": lambda: CudaArray(vector(N), typestr=">f8"),
    "interface of text": lambda: CudaArray(vector(N), typestr="<U4"),
    "interface with an empty type": lambda: CudaArray(vector(N), typestr=""),
    "interface with a mask": lambda: CudaArray(vector(N), mask=vector(N)),
    "interface with a text as stream": lambda: CudaArray(vector(N), stream="s"),
    "interface of freed memory": lambda: CudaArray(vector(N), data=(0, False)),
    "interface with a negative size": lambda: CudaArray(vector(N), shape=(-N,)),
    "gpu memory for a plan on the host": lambda: CudaArray(vector(N)),
}

ALL = {**NO_ARRAYS, **OF_WRONG_ELEMENTS, **OF_WRONG_FORM, **BAD_PROTOCOLS}
REFUSED = (TypeError, specmv.InvalidValue)


@pytest.fixture(scope="module")
def plan():
    return specmv.plan(random_matrix(N, N), updatable=True)


def is_clear(caught, name):
    text = str(caught.value)
    return text.startswith(name) or f" {name} " in text or f"'{name}'" in text


@pytest.mark.parametrize("kind", ALL)
def test_bad_x(plan, kind):
    with pytest.raises(REFUSED) as caught:
        plan.execute(ALL[kind](), out=np.empty(N))
    assert is_clear(caught, "x")
    assert np.isfinite(plan @ np.ones(N)).all()


@pytest.mark.parametrize("kind", [k for k in ALL if k not in ("none", "two columns")])
def test_bad_out(plan, kind):
    with pytest.raises(REFUSED) as caught:
        plan.execute(np.ones(N), out=ALL[kind]())
    assert is_clear(caught, "out")


@pytest.mark.parametrize("kind", [k for k in ALL if k != "none"])
def test_bad_y(plan, kind):
    with pytest.raises(REFUSED) as caught:
        plan.execute(np.ones(N), y=ALL[kind](), beta=1)
    assert is_clear(caught, "y")


@pytest.mark.parametrize("kind", [k for k in ALL if k not in ("row", "three dimensions")])
def test_bad_values(plan, kind):
    with pytest.raises(REFUSED) as caught:
        plan.update(ALL[kind]())
    assert is_clear(caught, "values")


@pytest.mark.parametrize("name", WRONG_TYPES)
@pytest.mark.parametrize("argument", ["x", "out", "y"])
def test_wrong_types(plan, name, argument):
    bad = np.zeros(N, name)
    with pytest.raises(TypeError) as caught:
        plan.execute(**{"x": np.ones(N), "beta": 1, "y": np.ones(N), argument: bad})
    assert is_clear(caught, argument)


def test_what_may_not_be_written(plan):
    fixed = np.zeros(N)
    fixed.flags.writeable = False
    for bad in (fixed, memoryview(bytes(8 * N)).cast("d"), CudaArray(fixed, data=(fixed.ctypes.data, True))):
        with pytest.raises(specmv.InvalidValue):
            plan.execute(np.ones(N), out=bad)
    assert not fixed.any()


@pytest.mark.parametrize("shift", [0, 1, N - 1])
def test_x_and_out_overlap(plan, shift):
    both = np.ones(2 * N)
    with pytest.raises(specmv.InvalidValue, match="overlap"):
        plan.execute(both[:N], out=both[shift : shift + N])
    assert (both == 1).all()


BAD_SCALARS = [None, "2", b"2", [1.0], (1,), {}, 1j, object(), np.ones(2), np.complex128(1), len]


@pytest.mark.parametrize("value", BAD_SCALARS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_bad_scalars(plan, name, value):
    with pytest.raises(TypeError, match=f"^{name} is a "):
        plan.execute(np.ones(N), out=np.ones(N), **{name: value})


class Stream:
    def __init__(self, answer):
        self.answer = answer

    def __cuda_stream__(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


BAD_STREAMS = ["s", 1.5, True, -1, 2**64, [], object(), Stream(None), Stream(5), Stream((0,)), Stream((0, "a"))]
BAD_STREAMS += [Stream((0, -1)), Stream((0, 1, 2)), Stream((0, None)), 5, Stream((0, 5))]


@pytest.mark.parametrize("stream", BAD_STREAMS, ids=lambda s: repr(getattr(s, "answer", s))[:20])
def test_bad_streams(plan, stream):
    for call in (lambda: plan.execute(np.ones(N), stream=stream), lambda: plan.update(np.ones(plan.nnz), stream=stream)):
        with pytest.raises((TypeError, specmv.InvalidValue, OverflowError)) as caught:
            call()
        assert "stream" in str(caught.value) or isinstance(caught.value, OverflowError)


def test_exceptions_of_objects_come_through(plan):
    with pytest.raises(ZeroDivisionError):
        plan.execute(np.ones(N), stream=Stream(ZeroDivisionError()))


def test_what_the_plan_was_not_made_for(plan):
    with pytest.raises(specmv.InvalidValue, match="nothing that it multiplies"):
        plan.execute(np.ones(N), beta=1)
    with pytest.raises(specmv.InvalidValue, match="betaIsZero"):
        specmv.plan(random_matrix(N, N), beta_is_zero=True).execute(np.ones(N), out=np.ones(N), beta=1)
    several = specmv.plan(random_matrix(N, N), vectors=2)
    with pytest.raises(specmv.InvalidValue, match="y is for products of one vector"):
        several.execute(np.ones((N, 2)), y=np.ones((N, 2)), beta=1)
    with pytest.raises(specmv.InvalidValue, match="x @ plan"):
        np.ones((2, N)) @ plan


@pytest.mark.parametrize("bad", ["order", "columns", "rows", "dimensions", "narrow", "negative"])
def test_bad_matrices_of_vectors(bad):
    p = specmv.plan(random_matrix(N, N), vectors=4)
    X, out = np.ones((N, 4)), np.full((N, 4), 7.0)
    wide = np.full((N, 8), 7.0)
    bads = {
        "order": (X, np.asfortranarray(out)),
        "columns": (X, out[:, :3]),
        "rows": (X, out[:-1]),
        "dimensions": (X, out[:, 0].copy()),
        "narrow": (wide[:, ::2], out),
        "negative": (wide[:, 3::-1], out),
    }
    with pytest.raises(specmv.InvalidValue):
        p.execute(bads[bad][0], out=bads[bad][1])
    assert (out == 7).all()
