"""specmv multiplies a sparse matrix by vectors with a GPU kernel that is generated for this matrix.

    import specmv
    p = specmv.plan(A)                      # A of scipy.sparse, cupyx.scipy.sparse or torch
    y = p @ x                               # x of numpy, cupy or torch
    p.execute(x, out=y, alpha=2, beta=1)    # y = 2 A x + y
    print(p.report())

Without a GPU, products run on the host. `python -m specmv` is the tool.
"""

from __future__ import annotations

from . import _core, _errors
from ._context import Context, add_pack
from ._core import release_device
from ._errors import Error, InvalidMatrix, InvalidValue, Missing, NotApplicable, OutOfMemory
from ._matrix import Matrix
from ._plan import Plan, estimate, plan

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from ._operator import LinearOperator

__all__ = [
    "Context",
    "Error",
    "InvalidMatrix",
    "InvalidValue",
    "LinearOperator",
    "Matrix",
    "Missing",
    "NotApplicable",
    "OutOfMemory",
    "Plan",
    "add_pack",
    "estimate",
    "plan",
    "release_device",
]

_number = _core.version()
__version__ = f"{_number // 10000}.{_number // 100 % 100}.{_number % 100}"


def __getattr__(name: str) -> object:
    # scipy takes longer to import than everything else here.
    if name == "LinearOperator":
        from ._operator import LinearOperator

        return LinearOperator
    raise AttributeError(f"module 'specmv' has no attribute {name!r}")
