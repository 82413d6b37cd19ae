"""Descriptions of sparse matrices, from matrices of scipy, cupyx and torch or from plain arrays."""

from __future__ import annotations

import sys

from . import _core, _options
from ._errors import InvalidValue

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    import numpy

    from ._typed import Shape


def _shape(shape: Any) -> tuple[int, int]:
    try:
        rows, cols = shape
        return rows.__index__(), cols.__index__()
    except (TypeError, ValueError, AttributeError):
        raise TypeError(f"shape is {shape!r}; (rows, columns) is needed") from None


def _only(array: Any, count: int) -> Any:
    """Returns the first `count` elements: scipy's arrays may be longer than the number of entries."""
    return array if array.shape[0] == count else array[:count]


class Matrix:
    """A sparse matrix, described without a copy.

    specmv.Matrix(M) takes
      * scipy.sparse and cupyx.scipy.sparse matrices and arrays in CSR, CSC, COO or BSR,
      * torch tensors of the layouts sparse_csr, sparse_csc, sparse_coo and sparse_bsr.
    Matrix.csr(), csc(), coo() and bsr() take the arrays themselves, from numpy, cupy, torch, or any
    object with the buffer protocol, DLPack or __cuda_array_interface__.

    Values are float32 or float64, indices int32 or int64. All arrays are in host memory, or all are on one GPU. The
    matrix keeps them alive. Nothing is copied, and specmv.plan() checks the contents of the arrays. Repeated entries
    add up.

    Raises TypeError for an object or an element type that is not supported, and specmv.InvalidValue (a ValueError) for
    wrong sizes or strides, or arrays on different devices.
    """

    def __init__(self, M: Any) -> None:
        if isinstance(M, Matrix):
            core = M._core
        elif _is_torch(M):
            core = _of_torch(M)
        elif getattr(M, "format", None) is not None and hasattr(M, "nnz"):
            core = _of_scipy(M)
        else:
            raise TypeError(
                f"M is a {type(M).__module__}.{type(M).__qualname__}; a sparse matrix of scipy, cupyx or torch is "
                "needed (a dense array: scipy.sparse.csr_array(M); arrays of CSR: specmv.Matrix.csr())"
            )
        self._core: _core.Matrix = core

    @classmethod
    def _of(cls, core: _core.Matrix) -> Matrix:
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def csr(
        cls, indptr: Any, indices: Any, data: Any, shape: Shape, *, index_base: int = 0, dtype: Any = "float64"
    ) -> Matrix:
        """CSR: indptr has rows + 1 elements; indices and data have one for each entry.

        data may be None: then only the structure is known, and Plan.update() sets values of `dtype`.
        index_base: 0 or 1, the first index.
        """
        rows, cols = _shape(shape)
        return cls._of(_make("csr", rows, cols, indptr, None, indices, data, index_base, dtype))

    @classmethod
    def csc(
        cls, indptr: Any, indices: Any, data: Any, shape: Shape, *, index_base: int = 0, dtype: Any = "float64"
    ) -> Matrix:
        """CSC: indptr has columns + 1 elements; indices are rows. data and index_base are as for csr()."""
        rows, cols = _shape(shape)
        return cls._of(_make("csc", rows, cols, indptr, indices, None, data, index_base, dtype))

    @classmethod
    def coo(
        cls, row: Any, col: Any, data: Any, shape: Shape, *, index_base: int = 0, dtype: Any = "float64"
    ) -> Matrix:
        """COO: row, col and data have one element for each entry, in any order. data may be None, as for csr()."""
        rows, cols = _shape(shape)
        return cls._of(_make("coo", rows, cols, None, row, col, data, index_base, dtype))

    @classmethod
    def bsr(cls, indptr: Any, indices: Any, data: Any, shape: Shape, *, index_base: int = 0) -> Matrix:
        """BSR: data has the shape (blocks, rows of a block, columns of a block), each block in C order.

        indptr has block rows + 1 elements; indices are block columns, counted from index_base.
        """
        rows, cols = _shape(shape)
        return cls._of(_make("bsr", rows, cols, indptr, None, indices, data, index_base, "float64"))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._core.rows, self._core.cols

    @property
    def nnz(self) -> int:
        """The number of stored values; explicit zeros and repeated entries count."""
        return self._core.nnz

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of the values, as numpy.dtype."""
        import numpy

        return numpy.dtype(self._core.type)

    def __repr__(self) -> str:
        place = "host memory" if self._core.device == -1 else "GPU memory"
        return f"<specmv.Matrix {self.shape[0]} x {self.shape[1]}, {self.nnz} of {self._core.type}, in {place}>"


def _make(
    format: str, rows: int, cols: int, offsets: Any, row: Any, col: Any, data: Any, base: int = 0, dtype: Any = "float64"
) -> _core.Matrix:
    if base not in (0, 1) or isinstance(base, bool):
        raise InvalidValue(f"index_base is {base!r}; it must be 0 or 1")
    for name, array in (("indptr", offsets), ("indices", row if row is not None else col)):
        if array is None and (format, name) != ("coo", "indptr"):
            raise TypeError(f"{name} is None; an array is needed")
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
    kind = _options._text("dtype", name.removeprefix("torch."))
    return _core.Matrix(format, rows, cols, offsets, row, col, data, kind, int(base))


def _of_scipy(M: Any) -> _core.Matrix:
    """Describes a matrix of scipy or cupyx, which use the same names."""
    format = M.format
    if format not in ("csr", "csc", "coo", "bsr"):
        raise TypeError(f"M is in the format {format}; specmv takes csr, csc, coo and bsr: pass M.tocsr()")
    if len(M.shape) != 2:
        raise InvalidValue(f"M has {len(M.shape)} dimensions; a matrix has 2")
    rows, cols = (int(extent) for extent in M.shape)
    if format == "coo":
        return _make("coo", rows, cols, None, M.row, M.col, M.data)
    if format == "bsr":
        blocks = int(M.nnz) // (M.data.shape[1] * M.data.shape[2])
        return _make("bsr", rows, cols, M.indptr, None, _only(M.indices, blocks), _only(M.data, blocks))
    nnz = int(M.nnz)
    indices, data = _only(M.indices, nnz), _only(M.data, nnz)
    if format == "csc":
        return _make("csc", rows, cols, M.indptr, indices, None, data)
    return _make("csr", rows, cols, M.indptr, None, indices, data)


def _is_torch(M: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(M, torch.Tensor)


def _of_torch(M: Any) -> _core.Matrix:
    layout = str(M.layout).removeprefix("torch.")
    if layout not in ("sparse_csr", "sparse_csc", "sparse_coo", "sparse_bsr"):
        raise TypeError(
            f"M has the layout {layout}; specmv takes sparse_csr, sparse_csc, sparse_coo and sparse_bsr: "
            "pass M.to_sparse_csr()"
        )
    if M.requires_grad:
        raise InvalidValue("M requires a gradient, which specmv does not compute: pass M.detach()")
    if M.dim() != 2 or M.dense_dim() != 0:
        raise InvalidValue(f"M has the shape {tuple(M.shape)}, with {M.dense_dim()} dense dimensions; a matrix has 2")
    rows, cols = M.shape
    if layout == "sparse_coo":
        indices = M._indices()
        return _make("coo", rows, cols, None, indices[0], indices[1], M._values())
    if layout == "sparse_csc":
        return _make("csc", rows, cols, M.ccol_indices(), M.row_indices(), None, M.values())
    kind = layout.removeprefix("sparse_")
    return _make(kind, rows, cols, M.crow_indices(), None, M.col_indices(), M.values())
