"""The exceptions of specmv. Each class stands for one or more statuses of the C API."""

from __future__ import annotations

from . import _core


class Error(Exception):
    """A call of specmv failed.

    status: the name of the C API's status, such as "INVALID_VALUE".
    detail: a sentence with the values at fault, which is also the exception's text.
    """

    status = "INTERNAL_ERROR"

    def __init__(self, detail: str, status: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        if status is not None:
            self.status = status

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.detail, self.status)


class InvalidValue(Error, ValueError):
    """An argument is not valid: its shape, device or strides, or the value of an option."""

    status = "INVALID_VALUE"


class InvalidMatrix(Error, ValueError):
    """The arrays do not form a matrix; the message says where."""

    status = "INVALID_MATRIX"


class NotApplicable(Error, ValueError):
    """None of the allowed formats can store this matrix."""

    status = "NOT_APPLICABLE"


class OutOfMemory(Error, MemoryError):
    """Memory of the host or of the GPU ran out, or no plan fits max_bytes."""

    status = "OUT_OF_MEMORY"


class Missing(Error):
    """The machine lacks something: a GPU, NVRTC, cuSPARSE, or a kernel in a pack."""

    status = "MISSING"


_CLASSES = {
    "INVALID_VALUE": InvalidValue,
    "INVALID_MATRIX": InvalidMatrix,
    "NOT_APPLICABLE": NotApplicable,
    "OUT_OF_MEMORY": OutOfMemory,
    "GPU_MEMORY_FULL": OutOfMemory,
    "OVER_MAX_BYTES": OutOfMemory,
    "MISSING": Missing,
    "NO_GPU": Missing,
    "NO_NVRTC": Missing,
    "NOT_IN_PACKS": Missing,
}


def error_of(status: int, detail: str) -> Error:
    """Returns the exception for a status of the C API."""
    name = _core.status_name(status).removeprefix("SPECMV_STATUS_")
    return _CLASSES.get(name, Error)(detail, name)
