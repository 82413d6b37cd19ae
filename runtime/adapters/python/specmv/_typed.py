"""Types of arguments, for type checkers only: nothing imports this file when a program runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Sequence, SupportsIndex, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from ._context import Context
    from ._plan import Plan

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Shape = Union[Tuple[SupportsIndex, SupportsIndex], Sequence[SupportsIndex]]
Rigor = Literal["estimate", "trial", "measure", "exhaustive", "online"]


class FurtherOptions(TypedDict, total=False):
    """The options of plan() that are no parameters of their own."""

    target: Literal["auto", "gpu", "host"]
    device: int | None
    formats: str | Sequence[str] | None
    updatable: bool
    start: Literal["wait", "now"]
    max_bytes: int | None
    kernels: Literal["both", "specialized", "general"]
    only_packs: bool
    order: str | None
    plan_text: str | None
    beta_is_zero: bool
    csr_outlives_plan: bool
    vectors_on_gpu: bool
    scalars_on_gpu: bool
    double_vectors: bool
    result_apart: bool
    scratch_per_stream: bool
    compile_on_host: bool
    plain_values: bool
    vectors_in_plan_order: bool
    improves: bool


class Options(FurtherOptions, total=False):
    """All options, which estimate() takes."""

    products: int | None
    rigor: Rigor
    vectors: int
    transpose: bool


class Arguments(Options, total=False):
    """All named arguments of plan(), which LinearOperator() passes on."""

    context: Context | None
    structure_of: Plan | None
    keep_matrix: bool
