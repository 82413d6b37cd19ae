"""The options of a plan: their names in Python, and the fields and numbers of the C API for them."""

from __future__ import annotations

import os

from ._errors import InvalidValue

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

# Options that are one of several words. Words and numbers are those of specmv_options.h.
_WORDS = {
    "target": ("target", {"auto": 0, "gpu": 1, "host": 2}),
    "rigor": ("rigor", {"estimate": 0, "measure": 1, "exhaustive": 2, "trial": 3, "online": 4}),
    "start": ("start", {"wait": 0, "now": 1}),
    "kernels": ("kernels", {"both": 0, "specialized": 1, "general": 2}),
}

_FLAGS = {
    "transpose": "operation",
    "updatable": "updatable",
    "beta_is_zero": "betaIsZero",
    "only_packs": "onlyPacks",
    "csr_outlives_plan": "csrOutlivesPlan",
    "vectors_on_gpu": "vectorsOnGpu",
    "scalars_on_gpu": "scalarsOnGpu",
    "double_vectors": "doubleVectors",
    "result_apart": "resultApart",
    "scratch_per_stream": "scratchPerStream",
    "compile_on_host": "compileOnHost",
    "plain_values": "plainValues",
    "vectors_in_plan_order": "vectorsInPlanOrder",
    "improves": "improves",
}

# Options that are None or an integer: the field, the least and the largest value.
_NUMBERS = {
    "products": ("expectedProducts", 1, 2**63 - 1),
    "vectors": ("vectors", 1, 2**31 - 1),
    "device": ("device", 0, 2**31 - 1),
    "max_bytes": ("maxBytes", 1, 2**63 - 1),
}

_TEXTS = {"formats": "formats", "plan_text": "planText", "order": "order"}


def _number(name: str, value: Any, least: int, largest: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a {type(value).__name__}; an integer is needed")
    number: int = value.__index__()
    if not least <= number <= largest:
        raise InvalidValue(f"{name} is {number}; it must be between {least} and {largest}")
    return number


def _flag(name: str, value: Any) -> int:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is a {type(value).__name__}; True or False is needed")
    return int(value)


def _word(name: str, value: Any, words: dict[str, int]) -> int:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a {type(value).__name__}; a string is needed")
    if value not in words:
        raise InvalidValue(f"{name} is {value!r}; it must be one of {', '.join(words)}")
    return words[value]


def _text(name: str, value: Any) -> str:
    if name == "formats" and isinstance(value, (list, tuple)):
        for item in value:
            _text(name, item)
        value = ",".join(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} is a {type(value).__name__}; a string is needed")
    if "\0" in value:
        raise InvalidValue(f"{name} has a zero character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(f"{name} is {value!r}, which has half of a character") from None
    return value


def _path(name: str, value: Any) -> bytes:
    """Returns a path as the file system has it."""
    try:
        path = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}; a string or a path is needed") from None
    except UnicodeEncodeError:
        raise InvalidValue(f"{name} is {value!r}, which has half of a character") from None
    if b"\0" in path:
        raise InvalidValue(f"{name} is {value!r}, which has a zero character")
    return path


def checked(given: dict[str, Any]) -> dict[str, int | str]:
    """Returns the options as fields of the C API, with numbers for strings. None is the default."""
    fields: dict[str, int | str] = {}
    for name, value in given.items():
        if name in _WORDS:
            field, words = _WORDS[name]
            fields[field] = _word(name, value, words)
        elif name in _FLAGS:
            fields[_FLAGS[name]] = _flag(name, value)
        elif name in _NUMBERS:
            field, least, largest = _NUMBERS[name]
            if value is not None:
                fields[field] = _number(name, value, least, largest)
        elif name in _TEXTS:
            if value is not None:
                fields[_TEXTS[name]] = _text(name, value)
        else:
            raise TypeError(f"plan() has no option {name!r}; it has {', '.join(names())}")
    return fields


def names() -> list[str]:
    """Returns the names of all options."""
    return sorted([*_WORDS, *_FLAGS, *_NUMBERS, *_TEXTS])
