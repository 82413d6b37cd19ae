"""Plans: a kernel generated for one matrix, and its products."""

from __future__ import annotations

import weakref

from . import _core, _options
from ._context import Context
from ._errors import InvalidValue
from ._kept import Kept, Turn
from ._matrix import Matrix

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from typing_extensions import Unpack

    from ._typed import FurtherOptions, Options, Path, Rigor


class Plan(_core.Plan):
    """A matrix in the storage format that was chosen for it, and its kernel. specmv.plan() creates it.

    `p @ x` is A x, and `p.execute(x, out=y, alpha=a, beta=b)` is y = a A x + b y. x is an array of numpy, cupy or
    torch, or of any library with DLPack or __cuda_array_interface__. Its shape is (columns,), or (columns, k) for k
    vectors, and its type is that of the matrix (float64 with double_vectors). The result has the shape (rows,) or
    (rows, k), and belongs to the library of x. Nothing is copied: an array that cannot be used in place is refused.

    A plan on the GPU works on the current stream of x's library and returns without waiting; a NumPy array is
    copied to the GPU and back, and is ready on return.
    """

    # Set by _made().
    _kept: Kept | None  # the matrix, for the transpose and for a page
    _options: dict[str, Any]  # as plan() got them
    _context: Context | None
    _turn: Turn  # of changes of the values, and of whoever reads them; the transpose has the same
    _turned: Plan | None  # the plan of the transpose that we made
    _source: weakref.ref[Plan] | None  # the plan whose transpose we are

    # numpy leaves `x @ p` to us.
    __array_ufunc__ = None
    __array_priority__ = 1000

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns): the sizes of the result and of x."""
        return self._rows, self._cols

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of x and of the result, as numpy.dtype."""
        import numpy

        return numpy.dtype(self._type)

    @property
    def target(self) -> str:
        """Where products run: "gpu" or "host"."""
        return "gpu" if self.on_gpu else "host"

    @property
    def json(self) -> dict[str, Any]:
        """All facts: what runs, why it was chosen, all candidates, the stages of the set-up, warnings."""
        import json

        facts: dict[str, Any] = json.loads(self._json)
        return facts

    def update(self, values: Any, *, stream: Any = None) -> None:
        """Replaces the values of the matrix; its structure stays.

        values: nnz values in the order of the matrix's arrays, also for a transpose. On a GPU, they must stay unchanged
        until the stream has used them; the plan keeps them alive. The plan of p.T is updated too, now or when it is made. Raises
        specmv.InvalidValue if the plan needs `updatable` (most formats do), and for a wrong number of values; TypeError
        for another type. After an error, products may be refused until an update succeeds.
        """
        with self._turn.lock:
            other = self._transposed()
            if other is not None and not self._options.get("updatable"):
                if self._kept is not None and self._kept.core.has_values:
                    raise InvalidValue(
                        "the plan has a transpose, and one of them may refuse values: make it with updatable=True"
                    )
            kept = self._kept
            facts = self._update(values, stream, other, None if kept is None else kept.core)
            if kept is not None:
                kept.take(values, *facts)

    def _transposed(self) -> Plan | None:
        """Returns the plan of the transpose, if there is one: the one that we created, or the one that created us. We
        hold no strong reference to the latter, so both are freed as soon as nobody else refers to them."""
        if self._turned is not None:
            return self._turned
        return None if self._source is None else self._source()

    @property
    def T(self) -> Plan:
        """The plan of the transpose, with the same options, of the matrix as it was in plan() and with the values of
        the last update. It is made on first use, from the plan's copy of the matrix."""
        turned = self._transposed()
        return self._made_transpose() if turned is None else turned

    def _made_transpose(self) -> Plan:
        if self._kept is None:
            raise InvalidValue(
                "the plan has no copy of its matrix, for keep_matrix=False or for lack of memory: "
                "make a plan with transpose=True"
            )
        options = dict(self._options, transpose=not self._options.get("transpose", False))
        with self._turn.lock:
            turned = self._transposed()
            if turned is not None:  # another thread has made one meanwhile
                return turned
            self._check_whole()
            values = self._kept.values_elsewhere()  # first: it waits for an update on another stream
            turned = _made(self._kept.core, options, self._context, None)
            if values is not None:
                turned._update(values, None, None, None)
            turned._kept = self._kept
            turned._source = weakref.ref(self)
            turned._turn = self._turn
            self._turned = turned
        return turned

    def report(self, path: Path | None = None) -> str:
        """Returns a sentence about what runs now; with a path, writes a page about the matrix and returns its path.

        The page is one HTML file with the positions of the entries, the chosen format, and the times of all others,
        which the tool measures if there is a GPU. It is about products with one vector, and considers these options of
        the plan: products, rigor, formats, order, device, target, updatable, plain_values, beta_is_zero and only_packs.
        It needs scipy, and takes some time because the matrix is written to a temporary file.

        Raises specmv.Missing without scipy, and specmv.InvalidValue for a path that cannot be written, a plan without a
        copy of its matrix, or a matrix without values.
        """
        if path is None:
            return self._report()
        if self._kept is None:
            raise InvalidValue("the plan has no copy of its matrix for a page, for keep_matrix=False or lack of memory")
        from . import _report

        return _report.write_page(self, self._kept, path)

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until a plan with start="now" or improves is ready, at most this many seconds. Returns whether it is.

        Meanwhile, products of this plan in other threads wait. Raises what plan() would have raised if the set-up
        failed.
        """
        if seconds is None:
            self._wait()
            return True
        if not 0 <= seconds <= 2e6:
            raise InvalidValue(f"seconds is {seconds}; it must be between 0 and 2,000,000")
        return self._wait_for(int(seconds * 1000))

    def permutation(self) -> tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]]:
        """(rows, columns) as numpy arrays of int64: row i of the plan is row rows[i] of the matrix."""
        import numpy

        rows, columns = (numpy.empty(extent, numpy.int64) for extent in self.shape)
        self._permutation(rows, columns)
        return rows, columns

    def __rmatmul__(self, x: Any) -> Any:
        """x A for a vector x, by the plan of the transpose."""
        if len(getattr(x, "shape", ())) != 1:
            raise InvalidValue("x @ plan takes x of one dimension; use plan.T @ x for several vectors")
        return self.T @ x

    def __repr__(self) -> str:
        return f"<specmv.Plan {self.shape[0]} x {self.shape[1]} on the {self.target}: {self.text}>"


def plan(
    A: Any,
    products: int | None = None,
    rigor: Rigor = "estimate",
    vectors: int = 1,
    transpose: bool = False,
    *,
    context: Context | None = None,
    structure_of: Plan | None = None,
    keep_matrix: bool = True,
    **options: Unpack[FurtherOptions],
) -> Plan:
    """Chooses a storage format for A, stores A in this format, and compiles its kernel.

    A: a specmv.Matrix, or what specmv.Matrix() takes.
    products: the expected number of products; None if they are many.
    rigor: "estimate" (predict), "trial", "measure", "exhaustive" (time plans), "online" (time them in your products).
    vectors: the number of vectors per product.
    transpose: multiply by the transpose of A.
    context: a specmv.Context.
    structure_of: a plan of a matrix with the same sparsity pattern, whose choice is reused.
    keep_matrix: True keeps a copy of the arrays of A for p.T and the page, where A is. False saves that memory; then
      there is no p.T and no page. With csr_outlives_plan the arrays of A serve instead of a copy.
    options: target ("auto", "gpu", "host"), device, formats, updatable, start ("wait", "now"), max_bytes, kernels,
      only_packs, order, plan_text, beta_is_zero, csr_outlives_plan, vectors_on_gpu, scalars_on_gpu, double_vectors,
      result_apart, scratch_per_stream, compile_on_host, plain_values, vectors_in_plan_order, improves.
      specmv-options(7) says what each does. The default of `device` is the GPU that has the arrays of A, or GPU 0.

    Raises specmv.InvalidMatrix if the arrays do not form a matrix, specmv.NotApplicable if no format fits,
    specmv.Missing if the machine lacks what the options need, specmv.OutOfMemory, specmv.InvalidValue and TypeError.
    """
    given: dict[str, Any] = dict(options, products=products, rigor=rigor, vectors=vectors, transpose=transpose)
    if not isinstance(keep_matrix, bool):
        raise TypeError(f"keep_matrix is a {type(keep_matrix).__name__}; True or False is needed")
    matrix = A if isinstance(A, Matrix) else Matrix(A)
    _checked(context, Context, "context")
    _checked(structure_of, Plan, "structure_of")
    late = {
        "set-up": given.get("start") == "now" or given.get("improves", False),
        "csr_outlives_plan": given.get("csr_outlives_plan", False),
    }
    if not keep_matrix and any(late.values()):
        raise InvalidValue(
            'keep_matrix is False, but a plan with start="now", improves or csr_outlives_plan reads the arrays'
        )
    if late["csr_outlives_plan"]:
        made = _made(matrix._core, given, context, structure_of)
        made._kept = Kept(matrix._core)
    elif late["set-up"]:  # the set-up reads the arrays when plan() has returned
        kept = Kept(matrix._core.copy())
        made = _made(kept.core, given, context, structure_of)
        made._kept = kept
    else:
        made = _made(matrix._core, given, context, structure_of)
        made._kept = _kept_of(matrix._core) if keep_matrix else None
    return made


def _kept_of(core: _core.Matrix) -> Kept | None:
    try:
        return Kept(core.copy())
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":  # the latter is torch's
            return None
        raise


def _fields(core: _core.Matrix, given: dict[str, Any]) -> dict[str, int | str]:
    fields = _options.checked(given)
    if "device" not in fields and core.device > 0:
        fields["device"] = core.device
    return fields


def _checked(value: object, kind: type, name: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}; a specmv.{kind.__name__} is needed")


def _made(core: _core.Matrix, given: dict[str, Any], context: Context | None, structure_of: Plan | None) -> Plan:
    fields = _fields(core, given)
    reads = fields.get("start") or fields.get("improves") or fields.get("csrOutlivesPlan")
    made = Plan(core, context._core if context else None, structure_of, fields, core if reads else None)
    made._kept = None
    made._options = given
    made._context = context
    made._turn = Turn()
    made._turned = None
    made._source = None
    return made


def estimate(A: Any, *, context: Context | None = None, **options: Unpack[Options]) -> dict[str, Any]:
    """Predicts the plan that plan() would create from the same arguments, without creating it.

    Returns a dictionary with the plan's format, the bytes that it stores, and in microseconds the times of a product
    (product_us) and of the set-up (setup_us; setup_compiled_us if kernels must be compiled). Raises the same exceptions
    as plan().
    """
    matrix = A if isinstance(A, Matrix) else Matrix(A)
    _checked(context, Context, "context")
    return _core.estimate(matrix._core, context._core if context else None, _fields(matrix._core, dict(options)))
