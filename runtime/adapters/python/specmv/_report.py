"""The page about a plan's matrix. The tool writes it from a copy of the matrix in a file."""

from __future__ import annotations

import os
import subprocess
import tempfile

from . import _core, _options
from ._errors import Error, InvalidValue, Missing

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from ._kept import Kept
    from ._plan import Plan
    from ._typed import Path


def tool() -> str:
    """The path of the tool, which lies beside this file."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "specmv")


def _on_host(array: Any) -> Any:
    """Returns an array as a NumPy array. The array's own library copies it from a GPU."""
    import numpy

    if hasattr(array, "cpu"):
        return array.detach().cpu().numpy()
    if hasattr(array, "get"):
        return array.get()
    if hasattr(array, "__dlpack__") and not isinstance(array, numpy.ndarray):
        return numpy.from_dlpack(array)
    found = numpy.asarray(array)
    if found.dtype == object:
        raise InvalidValue(f"a {type(array).__name__} cannot be copied to the host for the page; use arrays of cupy")
    return found


def _of_scipy(core: _core.Matrix, values: Any) -> Any:
    """Returns the matrix as a scipy matrix on the host, with these values, or with its own if values is None."""
    import scipy.sparse

    arrays = [_on_host(array) for array in core.arrays]
    if values is not None:
        data = _on_host(values)
    else:
        data = arrays[-1] if core.nnz else arrays[-1].astype(core.type)  # with no entries, values may be absent
    first = core.index_base
    if core.format == "coo":
        row, col = arrays[:2]
        return scipy.sparse.coo_matrix((data, (row - first, col - first)), (core.rows, core.cols))
    indptr, indices = arrays[:2]
    if core.format == "bsr":
        data = data.reshape(arrays[-1].shape)
    kind = getattr(scipy.sparse, f"{core.format}_matrix")
    return kind((data, indices - first, indptr - first), (core.rows, core.cols))


def _arguments(core: _core.Matrix, options: dict[str, Any]) -> list[str]:
    """Returns the options of the tool that are equivalent to those of the plan."""
    found = ["--type", {"float32": "f32", "float64": "f64"}[core.type]]
    if core.device > 0:
        options = {"device": core.device, **options}
    for name, flag in (("products", "--products"), ("device", "--device"), ("target", "--target")):
        if options.get(name) is not None:
            found += [flag, str(options[name])]
    formats = options.get("formats")
    if formats is not None:
        found += ["--format", formats if isinstance(formats, str) else ",".join(formats)]
    if options.get("rigor") in ("trial", "measure", "exhaustive"):
        found += ["--rigor", options["rigor"]]
    if options.get("order") is not None:
        found += ["--set", f"order={options['order']}"]
    if options.get("updatable") or options.get("plain_values"):
        found += ["--set", "values=plain"]
    return found + [flag for name, flag in (("beta_is_zero", "--beta-is-zero"), ("only_packs", "--only-packs"))
                    if options.get(name)]


def write_page(plan: Plan, kept: Kept, path: Path) -> str:
    """Writes the page about the plan's copy of its matrix. Returns its full path."""
    try:
        from scipy.io import mmwrite
    except ImportError:
        raise Missing("a page needs scipy, which is not installed: pip install scipy") from None
    core, options = kept.core, plan._options
    page = os.path.abspath(os.fsdecode(_options._path("path", path)))
    with tempfile.TemporaryDirectory(prefix="specmv-") as folder:
        file = os.path.join(folder, "matrix.mtx")
        with plan._turn.lock:  # updates wait until the copy is in the file
            plan._check_whole()
            values = kept.values_elsewhere()
            if values is None and not core.has_values:
                raise InvalidValue("the matrix has no values yet: call update() first")
            matrix = _of_scipy(core, values)
            # scipy would look for symmetry, which takes long.
            mmwrite(file, matrix.T if options.get("transpose") else matrix, symmetry="general")
        done = subprocess.run(
            [tool(), "report", "--quiet", *_arguments(core, options), "-o", page, file],
            capture_output=True, text=True, errors="replace",
        )
    if done.returncode == 0:
        return page
    sentence = (done.stderr.strip().splitlines() or [f"the tool ended with {done.returncode}"])[-1]
    kind = {1: InvalidValue, 2: InvalidValue, 3: Missing}.get(done.returncode, Error)
    raise kind(sentence.replace("error: ", "", 1))
