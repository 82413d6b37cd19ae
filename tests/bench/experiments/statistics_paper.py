"""Statistics (Wang, Gu and Li 2017): the laws side by side, figures 7 to 14."""

import itertools
import statistics

from experiments.results import cannot_be_told, not_here, table, verdict
from experiments.strips import error, priced

KERNELS = {"csr-vector": "CSR-V", "csr-scalar": "CSR-S", "ell": "ELL", "jad": "JAD"}
LAWS = "fixed", "normal", "uniform", "poisson"
PUBLISHED = {"csr-vector": (5.05, 2.42, 2.56), "csr-scalar": (5.44, 3.52, 3.21),
             "ell": (5.79, 3.26, 3.53), "jad": (5.97, 3.94, 4.28)}  # percent: fixed, normal, uniform
WINS = {  # of thirty matrices, how many the first law predicts better than the second
    ("csr-vector", "fixed", "normal"): 3, ("csr-vector", "fixed", "uniform"): 3,
    ("csr-vector", "normal", "uniform"): 18, ("csr-scalar", "fixed", "normal"): 15,
    ("csr-scalar", "fixed", "uniform"): 12, ("csr-scalar", "normal", "uniform"): 13,
    ("ell", "fixed", "normal"): 7, ("ell", "fixed", "uniform"): 7, ("ell", "normal", "uniform"): 20,
    ("jad", "fixed", "normal"): 9, ("jad", "fixed", "uniform"): 11, ("jad", "normal", "uniform"): 16}
LARGEST = 1000  # percent; if the best law is farther off, an order of laws means nothing (chosen)
READINGS = [(reading, law) for reading in ("corrected", "unrounded") for law in LAWS]


def measure(r):
    r.judge("statistics", "statistics", ",".join(KERNELS), 16, READINGS)


def report_errors(by, reading):
    """Figures 7 to 10."""
    rows = []
    for figure, (name, title) in enumerate(KERNELS.items(), 7):
        cells, means = [], []
        shared = set.intersection(*({m for of, m in by[reading, law] if of == name} for law in LAWS[:3]))
        for law in LAWS:
            errors = [error(pair) for (of, m), pair in by[reading, law].items()
                      if of == name and m in shared]
            means.append(100 * statistics.fmean(errors) if errors else None)
            cells += [means[-1] if errors else "-", len(errors)]
        if None in means[:3]:
            continue
        rows.append([figure, title, *cells, *PUBLISHED[name]])
        best = LAWS[min(range(3), key=means.__getitem__)]
        paper = LAWS[min(range(3), key=PUBLISHED[name].__getitem__)]
        claim = f"{title}: random lengths predict better than fixed ones, {paper} ones best ({reading})"
        why = f"{best} ones are the best: " + ", ".join(
            f"{law} {mean:.1f}" for law, mean in zip(LAWS, means) if mean is not None)
        if min(means[:3]) > LARGEST:
            cannot_be_told(claim, why)
        else:
            verdict(claim, best == paper, why)
    if rows:
        heads = ["figure", "kernel"]
        for law in LAWS:
            heads += [law, "of"]
        table(f"Mean error in percent by law, f32, {reading} (figures 7 to 10)",
              [*heads, "paper: fixed", "normal", "uniform"], rows)


def report_wins(by, reading):
    rows = []
    for name, title in KERNELS.items():
        for one, other in itertools.combinations(LAWS, 2):
            first, second = ({m: error(pair) for (of, m), pair in by[reading, law].items() if of == name}
                             for law in (one, other))
            shared = first.keys() & second.keys()
            if shared:
                wins = sum(first[m] < second[m] for m in shared)
                paper = WINS.get((name, one, other))
                rows.append([title, one, other, f"{wins}:{len(shared) - wins}",
                             f"{paper}:{30 - paper}" if paper else "-"])
    if rows:
        table(f"On how many matrices one law predicts better than the other, {reading}",
              ["kernel", "law", "other", "ours", "the paper's"], rows)


def report_times(by, reading):
    """Figures 11 to 14."""
    for figure, (name, title) in enumerate(KERNELS.items(), 11):
        matrices = sorted({m for law in LAWS for (of, m) in by[reading, law] if of == name})
        rows = []
        for matrix in matrices:
            pairs = [by[reading, law].get((name, matrix)) for law in LAWS]
            measured = next(pair[0] for pair in pairs if pair)
            rows.append([matrix, measured, *(pair[1] if pair else "-" for pair in pairs)])
        if rows:
            table(f"{title}: measured and estimated us, f32, {reading} (figure {figure})",
                  ["matrix", "measured", *LAWS], sorted(rows, key=lambda row: row[1]))
    pairs = [pair for law in LAWS[:3] for pair in by[reading, law].values()]
    if pairs:
        longer = sum(predicted > measured for measured, predicted in pairs)
        verdict(f"almost all estimates are greater than the measured time ({reading})",
                longer > 0.9 * len(pairs), f"{longer} of {len(pairs)}")


def report(results):
    by = {(reading, law): priced(results, f"statistics-{reading}-{law}", "statistics")
          for reading, law in READINGS}
    for reading in ("corrected", "unrounded"):
        for part in (report_errors, report_wins, report_times):
            part(by, reading)
    not_here("twenty-four of the thirty matrices", "the paper's text names six, its figures are pictures; "
             "square matrices of the other papers take their places")
