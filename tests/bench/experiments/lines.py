"""The papers' lines on their benchmark matrices: strips, figures 3 to 10; statistics, figures 1 to 5."""

import statistics

from experiments.results import table, verdict

END = 1024  # P_NZ where the papers' regimes meet
LINEAR = 0.95  # R squared from which points count as on a line (chosen)
# The kernel, its format and lanes, the I and the P_NZ of the paper's lines (strips prints none: those
# of its fit), and the figures of time over P_NZ, over I, and of the slope over I.
KERNELS = (
    ("CSR", "csr-vector", 32, 10, (64, 2048), "strips 3, 4", "strips 5, 6", None),
    ("ELL", "ell", None, 10, (64,), "strips 7", "strips 9", "strips 8"),
    ("CSR-V", "csr-vector", 16, 40, (64, 2048), "statistics 1", "statistics 2", None),
    ("CSR-S", "csr-scalar", None, 5, (32,), "statistics 3", "statistics 5", "statistics 4"),
    ("JAD", "jad", None, 5, (32,), "statistics 3.2.3", "statistics 3.2.3", "statistics 3.2.3"),
)
LAWS = "fixed", "normal", "uniform", "poisson"


def r_squared(points):
    """How much of the variance of y a line explains; None for fewer than three x."""
    if len({x for x, _ in points}) < 3:
        return None
    xs, ys = zip(*points)
    return statistics.correlation(xs, ys) ** 2 if len(set(ys)) > 1 else 1.0


def slope(points):
    return statistics.linear_regression(*zip(*points)).slope


def times_of(plans, fmt, lanes, law, kind):
    """{(I, P_NZ): us} of a kernel, with I by the least number of rows, which is one strip."""
    some = [(mean, rows, plan["us"]) for of, f, plan, mean, rows, t in plans
            if (of, f, t) == (law, fmt, kind) and plan["params"].get("csr.lanes") == lanes]
    strip = min((rows for _, rows, _ in some), default=1)
    return {(rows // strip, mean): us for mean, rows, us in some if rows % strip == 0}


def rows_of(kernel, law, kind, times):
    title, _, _, at, crossings, over_entries, over_strips, over_slopes = kernel
    strips = sorted({i for i, _ in times})
    out = []
    for regime, has in (("up to 1,024", lambda p: p <= END), ("from 1,024", lambda p: p >= END)):
        for i in dict.fromkeys((at, *strips[:1])):  # the paper's I, and one strip
            points = [(p, us) for (j, p), us in times.items() if j == i and has(p)]
            if (fit := r_squared(points)) is not None:
                out.append([over_entries, title, law, kind, f"P_NZ {regime}, I = {i}", len(points), fit])
                break
    for p in crossings:
        points = [(i, us) for (i, q), us in times.items() if q == p]
        if (fit := r_squared(points)) is not None:
            out.append([over_strips, title, law, kind, f"I, P_NZ = {p}", len(points), fit])
    slopes = []
    for i in strips if over_slopes else []:
        points = [(p, us) for (j, p), us in times.items() if j == i and p <= END]
        if len({p for p, _ in points}) > 2:
            slopes.append((i, slope(points)))
    if (fit := r_squared(slopes)) is not None:
        out.append([over_slopes, title, law, kind, "I, the slope over P_NZ", len(slopes), fit])
    return out


def report(plans):
    plans = list(plans)
    rows = []
    for kernel in KERNELS:
        for law in LAWS[:1] if kernel[5].startswith("strips") else LAWS:
            for kind in ("f32", "f64"):
                times = times_of(plans, kernel[1], kernel[2], law, kind)
                rows += rows_of(kernel, law, kind, times) if times else []
    for kind in ("f32", "f64"):  # one strip of rows has as many strips of entries as a row has entries
        points = [(p, us) for (i, p), us in times_of(plans, "coo", None, "fixed", kind).items() if i == 1]
        if (fit := r_squared(points)) is not None:
            rows.append(["strips 10", "COO", "fixed", kind, "strips of entries", len(points), fit])
    if rows:
        table("The papers' lines: R squared of a line through the times", [
            "figure", "kernel", "law", "type", "over", "points", "R squared"], rows)
        linear = sum(row[-1] >= LINEAR for row in rows)
        verdict("the times are approximately linear in P_NZ and in I", linear > 0.9 * len(rows),
                f"{linear} of {len(rows)} lines have an R squared of {LINEAR} or more")
