"""The linear operator of a plan, for the solvers of scipy.sparse.linalg and cupyx.scipy.sparse.linalg."""

from __future__ import annotations

from ._plan import Plan, plan

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Unpack

    from ._typed import Arguments

try:
    from scipy.sparse.linalg import LinearOperator as _Base
except ImportError:  # cupyx takes any object with these methods
    _Base = object  # type: ignore[assignment, misc, unused-ignore]


class LinearOperator(_Base):
    """A plan as a linear operator: shape, dtype, matvec, rmatvec, matmat, rmatmat, T, H and `@`.

    A: a specmv.Plan, or what specmv.plan() takes; then options are those of plan().
    If scipy is installed, this is a scipy.sparse.linalg.LinearOperator; it also takes arrays of cupy and torch. The
    first call of rmatvec creates the plan of the transpose. matmat multiplies the columns one by one unless the plan
    was created for several vectors. Vectors that are not contiguous are copied, because solvers pass views.
    """

    def __init__(self, A: Any, **options: Unpack[Arguments]) -> None:
        if isinstance(A, Plan):
            if options:
                raise TypeError(f"A is a plan, so options have no effect: {', '.join(options)}")
            self.plan = A
        else:
            self.plan = plan(A, **options)
        self.ndim = 2
        if _Base is object:
            self.dtype, self.shape = self.plan.dtype, self.plan.shape
        else:
            super().__init__(self.plan.dtype, self.plan.shape)

    def matvec(self, x: Any) -> Any:
        """A x, of the shape (rows,) or (rows, 1), for x of the shape (columns,) or (columns, 1)."""
        return _multiplied(self.plan, x)

    def rmatvec(self, x: Any) -> Any:
        """The transpose of A by x, of the shape (columns,) or (columns, 1), for x of the shape (rows,) or (rows, 1)."""
        return _multiplied(self.plan.T, x)

    def matmat(self, X: Any) -> Any:
        """A X, of the shape (rows, k), for X of the shape (columns, k)."""
        return _multiplied_all(self.plan, X)

    def rmatmat(self, X: Any) -> Any:
        """The transpose of A by X, of the shape (columns, k), for X of the shape (rows, k)."""
        return _multiplied_all(self.plan.T, X)

    # scipy's own methods of sums and products of operators call these.
    _matvec, _rmatvec, _matmat, _rmatmat = matvec, rmatvec, matmat, rmatmat

    def _adjoint(self) -> LinearOperator:
        return LinearOperator(self.plan.T)

    _transpose = _adjoint

    @property
    def T(self) -> LinearOperator:
        """The operator of the transpose."""
        return self._adjoint()

    @property
    def H(self) -> LinearOperator:
        """The operator of the transpose, which is also the adjoint, since values are real."""
        return self._adjoint()

    def dot(self, x: Any) -> Any:
        """A x for an array of one or two dimensions; with scipy also for a number or an operator."""
        if _Base is not object and (not hasattr(x, "shape") or isinstance(x, _Base)):
            return super().dot(x)
        return self.matvec(x) if len(x.shape) == 1 or x.shape[1] == 1 else self.matmat(x)

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def __call__(self, x: Any) -> Any:
        return self.dot(x)


def _in_one_piece(x: Any) -> Any:
    """Returns x, or a contiguous copy if x is a view with other strides."""
    if hasattr(x, "is_contiguous"):
        return x.contiguous()
    flags = getattr(x, "flags", None)
    return x if flags is None or flags.c_contiguous else x.copy(order="C")


def _converted(p: Plan, x: Any) -> Any:
    """Converts x to the plan's type: solvers may start with vectors of another type, such as integers."""
    if str(x.dtype).removeprefix("torch.") == p._type:
        return _in_one_piece(x)
    if not hasattr(x, "astype") or x.dtype.kind == "c":
        return x  # the plan refuses it
    return x.astype(p.dtype)


def _multiplied(p: Plan, x: Any) -> Any:
    return p @ _converted(p, x)


def _multiplied_all(p: Plan, X: Any) -> Any:
    X = _converted(p, X)
    if p.vectors > 1 or len(X.shape) == 1 or X.shape[1] == 1:
        return p @ X
    columns = [p @ _in_one_piece(X[:, j]) for j in range(X.shape[1])]
    if hasattr(X, "is_contiguous"):
        import torch as xp
    elif type(X).__module__.startswith("cupy"):
        import cupy as xp
    else:
        import numpy as xp
    return xp.stack(columns, 1) if columns else xp.zeros((p.shape[0], 0), X.dtype)
