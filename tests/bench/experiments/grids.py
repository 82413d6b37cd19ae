"""The papers' benchmark matrices: their own way of timing beside ours, and a fit's errors on them."""

import re
import statistics

from experiments import lines
from experiments.results import table, verdict

LAWS = "fixed", "normal", "uniform", "poisson"
NAME = re.compile(r"rowlengths:dist=(\w+),mean=(\d+),rows=(\d+),columns=band")
FORMATS = {"csr-vector": "CSR-V or CSR", "csr-scalar": "CSR-S", "ell": "ELL", "jad": "JAD", "coo": "COO"}


def plans(results):
    """(law, format, plan, P_NZ, rows, type) of each plan on a benchmark matrix."""
    for line in results.lines:
        named = NAME.fullmatch(line.get("matrix", "")) if isinstance(line.get("matrix"), str) else None
        for plan in line.get("plans", []) if named else []:
            yield named[1], line["format"], plan, int(named[2]), int(named[3]), line.get("type")


def report_means(results):
    rows, all_of = [], []
    for name, title in FORMATS.items():
        seen = {(line["matrix"], line.get("type"), plan["us"]): plan["usMean"] / plan["us"]
                for line in results.lines if line.get("format") == name and "matrix" in line
                for plan in line.get("plans", []) if plan.get("usMean")}  # once for all readings
        ratios = list(seen.values())
        if ratios:
            all_of += ratios
            rows.append([title, len(ratios), statistics.median(ratios), min(ratios), max(ratios)])
    if rows:
        table("The papers' mean (sum of beta - sum of alpha) / (beta - alpha) over our median",
              ["kernel", "plans", "median", "least", "most"], rows)
        near = sum(abs(ratio - 1) < 0.05 for ratio in all_of)
        verdict("the papers' way of timing gives our medians", near > 0.95 * len(all_of),
                f"within 5 percent for {near} of {len(all_of)}")


def report_extent(results):
    rows = []
    for name, title in FORMATS.items():
        for law in LAWS:
            some = [(mean, rows_) for l, fmt, _, mean, rows_, _ in plans(results) if (l, fmt) == (law, name)]
            if some:
                rows.append([title, law, len(some), min(m for m, _ in some), max(m for m, _ in some),
                             max(r for _, r in some)])
    if rows:
        table("What was measured", ["kernel", "law", "plans", "least P_NZ", "most P_NZ", "most rows"], rows)


def report_errors(results):
    """Errors of the statistics model on its own matrices, by the law it was judged with."""
    rows = []
    for name, title in FORMATS.items():
        for law in LAWS:
            for model in ("strips", "statistics"):
                errors = [abs(plan["predictedUs"][model] - plan["us"]) / plan["us"]
                          for l, fmt, plan, _, _, _ in plans(results)
                          if (l, fmt) == (law, name) and plan["predictedUs"].get(model)]
                if errors:
                    rows.append([title, law, model, len(errors), 100 * statistics.fmean(errors),
                                 100 * statistics.median(errors)])
    if rows:
        table("Errors of the papers' models on benchmark matrices, percent",
              ["kernel", "law of the matrix", "model", "plans", "mean", "median"], rows)


def report(results):
    for part in (report_extent, report_means, report_errors):
        part(results)
    lines.report(plans(results))
