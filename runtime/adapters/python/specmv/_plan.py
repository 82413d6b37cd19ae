"""Plans: a kernel generated for one matrix, and its products."""

from __future__ import annotations

import atexit
import weakref

from . import _core, _options
from ._errors import InvalidValue
from ._matrix import Matrix


# The interpreter must not end while a thread of the library waits to call a function of Python.
_contexts: weakref.WeakSet = weakref.WeakSet()


@atexit.register
def _close_contexts() -> None:
    for context in list(_contexts):
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
    """

    def __init__(self, log=None, *, log_level=2, threads=0, cache_directory=None, packs=None, gpu_model=None):
        if log is not None and not callable(log):
            raise TypeError(f"log is a {type(log).__name__}; a function of (level, sentence) is needed")
        for name, text in (("cache_directory", cache_directory), ("packs", packs), ("gpu_model", gpu_model)):
            if text is not None:
                _options._text(name, text)
        level = _options._number("log_level", log_level, 1, 4)
        count = _options._number("threads", threads, 0, 2**31 - 1)
        self._core = _core.Context(log, level, count, cache_directory, packs, gpu_model)
        _contexts.add(self)

    def close(self) -> None:
        """Stops the messages. Plans keep the other settings."""
        self._core.close()


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
    _matrix: Matrix | None  # for the transpose and for a page
    _options: dict  # as plan() got them
    _context: Context | None
    _turned: Plan | None  # the plan of the transpose that we made
    _source: weakref.ref[Plan] | None  # the plan whose transpose we are
    _values: object  # of the last update; None before it

    # numpy leaves `x @ p` to us.
    __array_ufunc__ = None
    __array_priority__ = 1000

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns): the sizes of the result and of x."""
        return self._rows, self._cols

    @property
    def dtype(self):
        """The type of x and of the result, as numpy.dtype."""
        import numpy

        return numpy.dtype(self._type)

    @property
    def target(self) -> str:
        """Where products run: "gpu" or "host"."""
        return "gpu" if self.on_gpu else "host"

    @property
    def json(self) -> dict:
        """All facts: what runs, why it was chosen, all candidates, the stages of the set-up, warnings."""
        import json

        return json.loads(self._json)

    def update(self, values, *, stream=None) -> None:
        """Replaces the values of the matrix; its structure stays.

        values: nnz values in the order of the matrix's arrays, also for a transpose. On a GPU, they must stay unchanged
        until the stream has used them; the plan keeps them alive. The plan of p.T is updated too. Raises
        specmv.InvalidValue if the plan needs `updatable` (most formats do), and for a wrong number of values; TypeError
        for another type. After an error, products may be refused until an update succeeds.
        """
        other = self._transposed()
        if other is not None and not self._options.get("updatable"):
            if self._matrix is not None and self._matrix._core.has_values:
                raise InvalidValue(
                    "the plan has a transpose, and one of them may refuse values: make it with updatable=True"
                )
        for one in (self, other):
            if one is not None:
                one._update(values, stream)
                one._values = values

    def _transposed(self) -> Plan | None:
        """Returns the plan of the transpose, if there is one: the one that we created, or the one that created us. We
        hold no strong reference to the latter, so both are freed as soon as nobody else refers to them."""
        if self._turned is not None:
            return self._turned
        return None if self._source is None else self._source()

    @property
    def T(self) -> Plan:
        """The plan of the transpose, with the same options. It is created on first use, from the arrays of the matrix
        and the values of the last update, which must not have changed."""
        turned = self._transposed()
        if turned is None:
            if self._matrix is None:
                raise InvalidValue("the plan was made with keep_matrix=False; make a plan with transpose=True")
            options = dict(self._options, transpose=not self._options.get("transpose", False))
            turned = _made(self._matrix, options, self._context, None, True)
            if self._values is not None:
                turned._update(self._values, None)
            turned._values = self._values
            turned._source = weakref.ref(self)
            self._turned = turned
        return turned

    def report(self, path=None) -> str:
        """Returns a sentence about what runs now; with a path, writes a page about the matrix and returns its path.

        The page is one HTML file with the positions of the entries, the chosen format, and the times of all others,
        which the tool measures if there is a GPU. It is about products with one vector, and considers these options of
        the plan: products, rigor, formats, order, device, target, updatable, plain_values, beta_is_zero and only_packs.
        It needs scipy, and takes some time because the matrix is written to a temporary file.

        Raises specmv.Missing without scipy, and specmv.InvalidValue for a path that cannot be written, a plan that was
        made with keep_matrix=False, or a matrix without values.
        """
        if path is None:
            return self._report()
        if self._matrix is None:
            raise InvalidValue("the plan was made with keep_matrix=False, so it has no matrix for a page")
        from . import _report

        return _report.write_page(self._matrix._core, self._values, self._options, path)

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until a plan with start="now" is ready, at most this many seconds. Returns whether it is ready.

        Meanwhile, products of this plan in other threads wait. Raises what plan() would have raised if the set-up
        failed.
        """
        if seconds is None:
            self._wait()
            return True
        if not 0 <= seconds <= 2e6:
            raise InvalidValue(f"seconds is {seconds}; it must be between 0 and 2,000,000")
        return self._wait_for(int(seconds * 1000))

    def permutation(self):
        """(rows, columns) as numpy arrays of int64: row i of the plan is row rows[i] of the matrix."""
        import numpy

        rows, columns = (numpy.empty(extent, numpy.int64) for extent in self.shape)
        self._permutation(rows, columns)
        return rows, columns

    def __rmatmul__(self, x):
        """x A for a vector x, by the plan of the transpose."""
        if len(getattr(x, "shape", ())) != 1:
            raise InvalidValue("x @ plan takes x of one dimension; use plan.T @ x for several vectors")
        return self.T @ x

    def __repr__(self) -> str:
        return f"<specmv.Plan {self.shape[0]} x {self.shape[1]} on the {self.target}: {self.text}>"


def plan(
    A,
    products: int | None = None,
    rigor: str = "estimate",
    vectors: int = 1,
    transpose: bool = False,
    *,
    context: Context | None = None,
    structure_of: Plan | None = None,
    keep_matrix: bool = True,
    **options,
) -> Plan:
    """Chooses a storage format for A, stores A in this format, and compiles its kernel.

    A: a specmv.Matrix, or what specmv.Matrix() takes.
    products: the expected number of products; None if they are many.
    rigor: "estimate" (predict), "trial", "measure", "exhaustive" (time plans), "online" (time them in your products).
    vectors: the number of vectors per product.
    transpose: multiply by the transpose of A.
    context: a specmv.Context.
    structure_of: a plan of a matrix with the same sparsity pattern, whose choice is reused.
    keep_matrix: False keeps no reference to the arrays of A; then there is no p.T and no page.
    options: target ("auto", "gpu", "host"), device, formats, updatable, start ("wait", "now"), max_bytes, kernels,
      only_packs, order, plan_text, beta_is_zero, csr_outlives_plan, vectors_on_gpu, scalars_on_gpu, double_vectors,
      result_apart, scratch_per_stream, compile_on_host, plain_values, vectors_in_plan_order. specmv-options(7) says
      what each does. The default of `device` is the GPU that has the arrays of A, or GPU 0.

    Raises specmv.InvalidMatrix if the arrays do not form a matrix, specmv.NotApplicable if no format fits,
    specmv.Missing if the machine lacks what the options need, specmv.OutOfMemory, specmv.InvalidValue and TypeError.
    """
    given = dict(options, products=products, rigor=rigor, vectors=vectors, transpose=transpose)
    if not isinstance(keep_matrix, bool):
        raise TypeError(f"keep_matrix is a {type(keep_matrix).__name__}; True or False is needed")
    return _made(A, given, context, structure_of, keep_matrix)


def _fields(matrix: Matrix, given: dict) -> dict:
    fields = _options.checked(given)
    if "device" not in fields and matrix._core.device > 0:
        fields["device"] = matrix._core.device
    return fields


def _checked(value, kind, name: str):
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}; a specmv.{kind.__name__} is needed")
    return value


def _made(A, given: dict, context, structure_of, keep_matrix: bool) -> Plan:
    matrix = A if isinstance(A, Matrix) else Matrix(A)
    fields = _fields(matrix, given)
    _checked(context, Context, "context")
    _checked(structure_of, Plan, "structure_of")
    if not keep_matrix and (fields.get("start") or fields.get("csrOutlivesPlan")):
        raise InvalidValue('keep_matrix is False, but a plan with start="now" or csr_outlives_plan reads the arrays')
    kept = matrix if keep_matrix else None
    made = Plan(matrix._core, context._core if context else None, structure_of, fields, matrix._core if kept else None)
    made._matrix = kept
    made._options = given
    made._context = context
    made._turned = None
    made._source = None
    made._values = None
    return made


def estimate(A, *, context: Context | None = None, **options) -> dict:
    """Predicts the plan that plan() would create from the same arguments, without creating it.

    Returns a dictionary with the plan's format, the bytes that it stores, and in microseconds the times of a product
    (product_us) and of the set-up (setup_us; setup_compiled_us if kernels must be compiled). Raises the same exceptions
    as plan().
    """
    matrix = A if isinstance(A, Matrix) else Matrix(A)
    _checked(context, Context, "context")
    return _core.estimate(matrix._core, context._core if context else None, _fields(matrix, options))
