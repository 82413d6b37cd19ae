"""Strips (Guo and Wang 2012): figures 11 to 15 on the paper's eight matrices, in every reading."""

import statistics

from experiments.results import not_here, table, verdict

MATRICES = ["dense:n=2000", *(f"twin:{name},as=paper" for name in (
    "pdb1HYS consph cant rma10 conf5_4-8x8-05 shipsec1 mc2depi").split())]
TABLE_IV = {  # rows, entries per row, entries in millions, as printed
    "dense:n=2000": (2000, 2000.0, 4.0), "pdb1HYS": (36000, 119.3, 4.3), "consph": (83000, 72.1, 6.0),
    "cant": (62000, 64.1, 4.0), "rma10": (47000, 50.6, 2.37), "conf5_4-8x8-05": (49000, 39.0, 1.90),
    "shipsec1": (141000, 55.4, 7.81), "mc2depi": (526000, 3.9, 2.1)}
FORMATS = {"csr-vector": "CSR", "ell": "ELL", "coo": "COO", "hyb": "HYB"}
PUBLISHED = {"csr-vector": 4.2, "ell": 5.2, "coo": 1.0, "hyb": 5.7}  # percent, figure 15
READINGS = ("as-printed", "own"), ("corrected", "own"), ("unrounded", "own")
NEAR, FAR = 0.07, 0.10  # "under or around 7 percent", and the rest "between 8 and 10"


def measure(r):
    r.judge("strips", "strips", ",".join(FORMATS), 32, READINGS)


def analyze(r):
    """The eight matrices of Table IV, whose sizes evaluate does not print."""
    for matrix in MATRICES:
        r.analyze("analysis-strips", matrix, gpu="h200", format="coo")


def priced(results, experiment, model):
    """{(format, matrix): (measured us, predicted us)} of the one plan that the model knows."""
    out = {}
    for line in results.lines_of(experiment):
        for plan in line.get("plans", []):
            predicted = plan["predictedUs"].get(model)
            if predicted:
                out[line["format"], line["matrix"]] = plan["us"], predicted
    return out


def error(pair):
    measured, predicted = pair
    return abs(predicted - measured) / measured


def report(results):
    by = {reading: priced(results, f"strips-{reading}-own", "strips") for reading, _ in READINGS}
    plain = by["corrected"]
    if not plain:
        return
    for figure, (name, title) in enumerate(FORMATS.items(), 11):
        rows = []
        for (of, matrix), pair in plain.items():
            if of == name:
                others = [by[reading].get((of, matrix), ("-", "-"))[1]
                          for reading in ("as-printed", "unrounded")]
                rows.append([matrix, *pair, *others, 100 * error(pair)])
        if rows:
            table(f"{title}: measured and predicted us, f32 (figure {figure})",
                  ["matrix", "measured", "corrected", "as printed", "not rounded", "error %"], rows)
    rows = []
    for name, title in FORMATS.items():
        cells = []
        for reading, _ in READINGS:
            errors = [error(pair) for (of, _), pair in by[reading].items() if of == name]
            cells += [100 * statistics.fmean(errors) if errors else "-", len(errors)]
        rows.append([title, *cells, PUBLISHED[name]])
    table("Mean error in percent and number of matrices (figure 15)",
          ["kernel", "as printed", "of", "corrected", "of", "not rounded", "of", "the paper's"], rows)
    for reading, _ in READINGS:
        errors = [error(pair) for pair in by[reading].values()]
        if not errors:
            continue
        near = sum(e <= NEAR for e in errors)
        verdict(f"29 of 32 errors are under or around 7 percent, the others at most 10 ({reading})",
                near >= 0.9 * len(errors) and max(errors) <= FAR,
                f"{near} of {len(errors)}; the largest {100 * max(errors):.0f} percent")
    not_here("figures 3 to 10 as pictures", "their lines are in the GPU's model, which "
             "calibrate fits")
