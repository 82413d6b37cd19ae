"""What specmv uses of cupy and of torch, over host memory, which the fake GPU takes for its own."""

import ctypes
import sys
import types

import numpy as np


class Stream:
    def __init__(self, handle):
        self.ptr = self.cuda_stream = handle
        self.waits = 0

    def synchronize(self):
        self.waits += 1

    def __enter__(self):
        entered.append(self.ptr)

    def __exit__(self, *error):
        return None


class CupyArray:
    """Made of an array, or of a shape and a type, as cupy's class is: the latter on the current GPU."""

    current_gpu = 0

    def __init__(self, array, dtype=None, order="C", device=0):
        if dtype is not None:
            array, device = np.full(array, np.nan, dtype, order), CupyArray.current_gpu
        self.array, self.dtype, self.shape, self.strides = array, array.dtype, array.shape, array.strides
        self.data = types.SimpleNamespace(ptr=array.ctypes.data, device_id=device)

    def get(self):
        return self.array.copy()

    def copy(self):
        return CupyArray(self.array.copy(), device=self.data.device_id)

    def reshape(self, *shape):
        return CupyArray(self.array.reshape(*shape), device=self.data.device_id)

    def __setitem__(self, where, values):
        self.array[where] = values.array


class Tensor:
    """A dense tensor; flags are those that specmv asks for."""

    def __init__(self, array, device=0, **flags):
        self.array, self.device_number = array, device
        self.dtype = getattr(torch, str(array.dtype))
        self.shape = array.shape
        self.layout = flags.get("layout", torch.strided)
        self.requires_grad = flags.get("requires_grad", False)
        self.negated = flags.get("negated", False)
        self.address = flags.get("address", array.ctypes.data)
        self.device = flags.get("place", "cuda" if device >= 0 else "cpu")
        self.is_cuda, self.is_cpu = self.device == "cuda", self.device == "cpu"

    def stride(self):
        return tuple(stride // self.array.itemsize for stride in self.array.strides)

    def data_ptr(self):
        return self.address

    def get_device(self):
        return self.device_number

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.array.copy(), -1)

    def numpy(self):
        assert self.is_cpu
        return self.array

    def clone(self):
        return Tensor(self.array.copy(), self.device_number)

    def reshape(self, *shape):
        return Tensor(self.array.reshape(*shape), self.device_number)

    def __setitem__(self, where, values):
        self.array[where] = values.array

    def is_neg(self):
        return self.negated

    def new_empty(self, shape):
        return Tensor(np.full(shape, np.nan, self.array.dtype), self.device_number)

    @property
    def T(self):
        return Tensor(self.array.T, self.device_number)


class Named:
    """A type or a layout of torch, which is its name to str()."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"


cupy, torch = types.ModuleType("cupy"), types.ModuleType("torch")
cupy.cuda, torch.cuda = types.ModuleType("cupy.cuda"), types.ModuleType("torch.cuda")
cupy.current, torch.current = Stream(0), Stream(0)
cupy.ndarray, torch.Tensor = CupyArray, Tensor
cupy.cuda.ExternalStream = Stream
cupy.cuda.Device = lambda number: types.SimpleNamespace(synchronize=lambda: None)
torch.cuda.ExternalStream = lambda handle, device: Stream(handle)
torch.cuda.stream = lambda stream: stream
torch.cuda.synchronize = lambda device: None
cupy.cuda.get_current_stream = lambda: cupy.current
torch.cuda.current_stream = lambda device: torch.current
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: torch.current.cuda_stream)
torch.grad_enabled = True
torch.is_grad_enabled = lambda: torch.grad_enabled
for word in ("float32", "float64", "int32", "int64", "strided", "sparse_csr"):
    setattr(torch, word, Named(word))
entered = []  # the streams on which something was copied
calls = 0, 0  # of the exported function, and of the documented one


def export_current_stream(signature):
    """Exports a function as Cython does, and counts the calls of both."""

    def count(exported, documented):
        global calls
        calls = calls[0] + exported, calls[1] + documented

    def documented():
        count(0, 1)
        return cupy.current

    def exported():
        count(1, 0)
        return cupy.current.ptr

    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    kept.extend((ctypes.PYFUNCTYPE(ctypes.c_ssize_t)(exported), ctypes.c_char_p(signature)))
    module = types.ModuleType("cupy_backends.cuda.stream")
    address = ctypes.cast(kept[0], ctypes.c_void_p)
    module.__pyx_capi__ = {"get_current_stream_ptr": new(address, kept[1], None)}
    sys.modules["cupy_backends.cuda.stream"] = module
    cupy.cuda.get_current_stream = documented


kept = []  # a capsule does not keep its function or its name
sys.modules.update({"cupy": cupy, "cupy.cuda": cupy.cuda, "torch": torch, "torch.cuda": torch.cuda})
