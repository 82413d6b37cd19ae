"""A plan's own copy of its matrix: for the transpose and for a page, whatever the caller does with the arrays."""

from __future__ import annotations

import os
import sys
import threading
import weakref

from . import _core

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any


class Turn:
    """Lets one thread at a time change the values of a plan and of its transpose, or make one of them from the copy."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a signal's handler in the thread that has it may need it
        _turns.add(self)


_turns: weakref.WeakSet[Turn] = weakref.WeakSet()


def _renew_in_child() -> None:
    """A child of fork() has no thread that could release a lock of its parent."""
    for turn in _turns:
        turn.lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_in_child)


class Kept:
    """A matrix with the newest values of a plan, which the plan and its transpose share."""

    def __init__(self, core: _core.Matrix) -> None:
        self.core = core
        # The values of the last update if they lie elsewhere than those of the matrix.
        self.latest: Any = None

    def take(self, values: Any, stream: int, is_taken: bool, on_host: Any) -> None:
        """Copies new values on this stream, unless the matrix has taken them, or on_host is a copy of them."""
        own = self.latest
        if own is None and self.core.is_copy and self.core.has_values:
            own = self.core.arrays[-1]
        self.latest = None if is_taken else on_host if on_host is not None else _copied(own, values, stream)

    def values_elsewhere(self) -> Any:
        """Returns the newest values if the matrix does not have them, after the GPU has written them."""
        if self.latest is not None:
            _synchronize(self.latest)
        return None if self.latest is self.core.arrays[-1] else self.latest


def _library_of(array: Any) -> Any:
    """Returns the library of an array on a GPU: cupy or torch; None for others, and for arrays in host memory."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(array, torch.Tensor):
        return torch if array.is_cuda else None
    return cupy if cupy is not None and isinstance(array, cupy.ndarray) else None


def _on_stream(library: Any, array: Any, stream: int) -> Any:
    if library.__name__ == "torch":
        return library.cuda.stream(library.cuda.ExternalStream(stream, array.device))
    return library.cuda.ExternalStream(stream)


def _copied(own: Any, values: Any, stream: int) -> Any:
    """Copies values on a GPU into our own array if both are of one library, else into a new one."""
    library = _library_of(values)
    if library is None:
        return values  # nobody here can copy it
    with _on_stream(library, values, stream):
        if _library_of(own) is not library:
            return values.clone() if library.__name__ == "torch" else values.copy()
        own.reshape(-1)[:] = values.reshape(-1)
        return own


def _synchronize(array: Any) -> None:
    library = _library_of(array)
    if library is not None and library.__name__ == "torch":
        library.cuda.synchronize(array.device)
    elif library is not None:
        library.cuda.Device(array.data.device_id).synchronize()
