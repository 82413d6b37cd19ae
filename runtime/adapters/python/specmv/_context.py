"""Settings that plans share, and packs of kernels for all plans."""

from __future__ import annotations

import atexit
import weakref

from . import _core, _options

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Callable

    from ._typed import Path

# The interpreter must not end while a thread of the library waits to call a function of Python. Threads may make
# contexts meanwhile: list() of this dictionary's values is one step, and whoever comes later sees _ended.
_contexts: weakref.WeakValueDictionary[int, Context] = weakref.WeakValueDictionary()
_ended = False


@atexit.register
def _close_contexts() -> None:
    global _ended
    _ended = True
    for ref in _contexts.valuerefs():
        context = ref()
        if context is not None:
            context.close()


class Context:
    """Settings that plans share.

    log: a function (level, sentence), called from any thread; level is 1 for errors, 2 for warnings, 3 for choices, 4
      for the origin of kernels. It must not wait for a plan. An exception that it raises is passed to
      sys.unraisablehook and ignored otherwise.
    log_level: the least important level that log receives.
    threads: the number of host threads per call; 0 is one per core.
    cache_directory: the folder for compiled kernels; "" is no folder, None is the environment's setting.
    packs: packs of kernels, separated by ":"; None is the environment's setting.
    gpu_model: the GPU model for predictions: a name, or a file that `specmv calibrate` wrote.

    Paths are strings, bytes or objects of pathlib.
    """

    def __init__(
        self,
        log: Callable[[int, str], object] | None = None,
        *,
        log_level: int = 2,
        threads: int = 0,
        cache_directory: Path | None = None,
        packs: Path | None = None,
        gpu_model: Path | None = None,
    ) -> None:
        if log is not None and not callable(log):
            raise TypeError(f"log is a {type(log).__name__}; a function of (level, sentence) is needed")
        texts = {"cache_directory": cache_directory, "packs": packs, "gpu_model": gpu_model}
        paths = {name: None if text is None else _options._path(name, text) for name, text in texts.items()}
        level = _options._number("log_level", log_level, 1, 4)
        count = _options._number("threads", threads, 0, 2**31 - 1)
        self._core = _core.Context(log, level, count, **paths)
        _contexts[id(self)] = self
        if _ended:
            self.close()

    def close(self) -> None:
        """Stops the messages. Plans keep the other settings."""
        self._core.close()


def add_pack(path: Path) -> None:
    """Adds a file of kernels that `specmv pregen` wrote, for all plans that this process makes later.

    path: a string, bytes or an object of pathlib. Raises specmv.Missing if the file cannot be opened, and
    specmv.InvalidValue if it is no pack of this version, or if others than this user and root may write to it.
    """
    _core.add_pack(_options._path("path", path))
