"""HCGHYB (AlAhmadi et al. 2020): figures 1 to 25 and Table 2, with the paper's own kernels beside ours."""

import statistics

from experiments.results import (
    geometric_mean, not_here, rank_correlation, refused_widths, table, verdict)

MATRICES = [f"twin:{name},as=paper" for name in (
    "tols4000 meg4 tuma2 poli_large fd15 poli4 lp_stocfor3 bayer04 lhr10 mark3jac120 copter2"
    " ch7-8-b5 fp sinc18 Zd_Jac6 TSOPF_RS_b300_c2 xenon2").split()]
FORMATS = "csr-scalar,csr-vector,ell,hyb,csr5,hcghyb"
ATOMIC = "hyb, atomic"  # hyb with coo.atomic = 1, the paper's HYB
SKEWED = ["powerlaw:rows=2000000,avg=8,alpha=2.2,max=20000", "circuit:rows=2000000"]
METRICS = {  # ours: the paper's figure over nnz and spread for CSR, its name; True if less is better
    "us": (1, "execution time", True), "gflops": (2, "GFLOP/s", False),
    "occupancy": (3, "achieved occupancy", False),
    "instructionsPerWarp": (4, "instructions per warp", True),
    "warpEfficiency": (5, "warp efficiency", False)}
FIGURES_OF = {"csr-scalar": 0, "ell": 5, "hyb": 10, ATOMIC: 10, "csr5": 15}  # added to the figure
FEATURES = "nnz std distavg anpr maxnpr".split()
TABLE_2 = {"csr-scalar": "medium high medium medium high", "ell": "medium high low medium high",
           "hyb": "medium medium low medium medium", "csr5": "medium low low medium low"}
STRONG, WEAK = 0.6, 0.3  # absolute rank correlations that count as high and as medium (chosen)
MEANS = {  # figures 21 to 25: HCGHYB, HYB, ELL, CSR, CSR5
    "us": (264, 14390, 560, 880, 140), "gflops": (3.94, 2.31, 2.71, 1.38, 6.9),
    "occupancy": (0.61, 0.606, 0.604, 0.42, 0.36),
    "instructionsPerWarp": (340, 562, 4140, 397, 474),
    "warpEfficiency": (0.9979, 0.8343, 0.9991, 0.6590, 0.8545)}
GAINS = {  # best, average, worst, as printed
    "us": (375.75, 54.53, 0.99), "gflops": (375.57, 1.7, 0.99), "occupancy": (1.3, 1.01, 0.72),
    "instructionsPerWarp": (21.65, 1.6, 0.97), "warpEfficiency": (1.76, 1.2, 1.00)}
ORDER = "hcghyb", "hyb", "ell", "csr-scalar", "csr5"

# The least ratio of means that counts as a gain (our choice).
LEAST_GAIN = 1.02

def measure(r):
    both, atomic = "f32,f64", {"coo.atomic": 1}
    records = r.call("hcghyb", "bench", MATRICES + SKEWED, FORMATS, type=both)
    for (matrix, kind), ks in sorted(different_thresholds(records).items()):
        for k in sorted(ks):
            r.call("hcghyb-same-k", "bench", [matrix], "hyb,hcghyb", {"hyb.k": k}, type=kind)
    r.call("hcghyb-atomic", "bench", MATRICES + SKEWED, "hyb", atomic, type=both)
    for matrix, width in refused_widths(records).items():  # ELL without the limit of its padding
        r.call("hcghyb", "bench", [matrix], "ell", {"ell.width": width}, type=both)
        r.call("metrics", "profile", [matrix], "ell", {"ell.width": width}, type=both)
    for matrix in MATRICES:
        r.call("metrics", "profile", [matrix], FORMATS, type=both)
        r.call("metrics-atomic", "profile", [matrix], "hyb", atomic, type=both)


def analyze(r):
    """The K that the rule of Bell and Garland, whose HYB is the paper's, gives for each matrix."""
    for matrix in MATRICES:
        r.analyze("thresholds", matrix, gpu="h200")


def different_thresholds(records):
    """{(matrix, type): the K of HYB and of HCGHYB} where they took different ones."""
    ks = {}
    for line in records:
        if line.get("us") and line.get("format") in ("hyb", "hcghyb"):
            ks.setdefault((line["matrix"], line["type"]), set()).add(line["params"]["hyb.k"])
    return {key: some for key, some in ks.items() if len(some) > 1}


def at_one_threshold(results, *experiments):
    """{(matrix, type, K): (us of HYB, us of HCGHYB)} where both ran with this K."""
    us = {}
    for line in (line for experiment in experiments for line in results.lines_of(experiment)):
        if line.get("us") and line.get("format") in ("hyb", "hcghyb"):
            at = us.setdefault((line["matrix"], line["type"], line["params"]["hyb.k"]), {})
            at[line["format"]] = min(line["us"], at.get(line["format"], line["us"]))
    return {key: (at["hyb"], at["hcghyb"]) for key, at in sorted(us.items()) if len(at) == 2}


def report_same_threshold(results):
    """HYB and HCGHYB at one K, where each had taken another."""
    rows = [[*key, hyb, own, hyb / own]
            for key, (hyb, own) in at_one_threshold(results, "hcghyb-same-k").items()]
    if rows:
        table("HYB and HCGHYB at the same K, us", "matrix type K hyb hcghyb hyb/hcghyb".split(), rows)
        mean = geometric_mean([row[-1] for row in rows])
        verdict("HCGHYB is faster than HYB at the same K", mean > 1, f"geometric mean {mean:.2f} over {len(rows)}")


def counted(results):
    """{type: {format: {matrix: metrics and features}}} of the products that ran."""
    out = {}
    for experiment, renamed in (("metrics", {}), ("metrics-atomic", {"hyb": ATOMIC})):
        for line in results.lines_of(experiment):
            for entry in line["formats"]:
                if entry["applies"] and entry["us"] and (not renamed or entry["format"] in renamed):
                    name = renamed.get(entry["format"], entry["format"])
                    of = out.setdefault(line.get("type", "f64"), {}).setdefault(name, {})
                    of[line["matrix"]["name"]] = line["features"] | entry
    return out


def report_times(results):
    formats = FORMATS.split(",")
    rows, ratios = [], {}
    atomic = results.of("hcghyb-atomic")
    for key, lines in results.of("hcghyb").items():
        us = [lines[f]["us"] if f in lines else "-" for f in formats]
        old = atomic.get(key, {}).get("hyb", {}).get("us", "-")
        cells = ["-", "-"]
        if "hcghyb" in lines:
            for i, base in enumerate((lines.get("hyb", {}).get("us", "-"), old)):
                if base != "-":
                    cells[i] = base / lines["hcghyb"]["us"]
                    ratios.setdefault((key[1], i), []).append(cells[i])
        rows.append([*key, *us, old, *cells])
    if not rows:
        return
    table("HCGHYB against the others (figure 21), us",
          ["matrix", "type", *formats, ATOMIC, "hyb/hcghyb", "atomic/hcghyb"], rows)
    for (kind, i), some in sorted(ratios.items()):
        mean = geometric_mean(some)
        verdict(f"HCGHYB is faster than HYB (54.53 times in the paper), {kind}, "
                f"{('ours', 'with atomics')[i]}", mean > 1,
                f"geometric mean {mean:.2f}, {min(some):.2f} to {max(some):.2f}")


def report_curves(kind, of):
    """Figures 1 to 20: how each metric follows the entries and the spread of the row lengths."""
    rows = []
    for name, first in FIGURES_OF.items():
        for metric, (figure, title, _) in METRICS.items():
            entries = [e for e in of.get(name, {}).values() if e.get(metric) is not None]
            if entries:
                values = [e[metric] for e in entries]
                rows.append([figure + first, name, title, len(entries), min(values), max(values),
                             *(rank_correlation([e[f] for e in entries], values)
                               for f in ("nnz", "std"))])
    if rows:
        table(f"Figures 1 to 20, {kind}: rank correlation of a metric with nnz (a) and with the spread (b)",
              ["figure", "format", "metric", "matrices", "least", "most", "with nnz", "with spread"],
              sorted(rows, key=lambda row: row[0]))


def impact(strength):
    return "high" if strength >= STRONG else "medium" if strength >= WEAK else "low"


def report_table_2(kind, of):
    """The mean absolute rank correlation of a feature with the metrics; time does not count for nnz."""
    rows, equal = [], 0
    for name, printed in TABLE_2.items():
        entries = list(of.get(name, {}).values())
        if not entries:
            continue
        cells = []
        for feature, paper in zip(FEATURES, printed.split()):
            strengths = []
            for metric in METRICS:
                known = [e for e in entries if e.get(metric) is not None]
                if known and not (feature == "nnz" and metric == "us"):
                    strengths.append(abs(rank_correlation([e[feature] for e in known],
                                                          [e[metric] for e in known])))
            strength = statistics.fmean(strengths) if strengths else 0.0
            equal += impact(strength) == paper
            cells.append(f"{impact(strength)} ({strength:.2f}); {paper}")
        rows.append([name, *cells])
    if rows:
        table(f"Table 2, {kind}: impact of a feature, ours (mean absolute rank correlation); the paper's",
              ["format", "nnz", "npr variance", "distavg", "anpr", "maxnpr"], rows)
        verdict(f"the impacts are those of Table 2, {kind}", equal > 0.8 * 5 * len(rows),
                f"{equal} of {5 * len(rows)} are equal (high from {STRONG}, medium from {WEAK})")


def report_means(kind, of):
    """Over the matrices that each format ran on, and over those that all of the paper's formats ran on."""
    report_means_over(kind, of)
    if all(name in of for name in ORDER):
        shared = set.intersection(*(set(of[name]) for name in ORDER))
        some = {name: {m: e for m, e in entries.items() if m in shared} for name, entries in of.items()}
        report_means_over(f"{kind}, the matrices of all", {name: e for name, e in some.items() if e})


def report_means_over(kind, of):
    names = [name for name in (*ORDER, "csr-vector", ATOMIC) if name in of]
    rows = []
    for metric, (_, title, _) in METRICS.items():
        cells = []
        for name in names:
            known = [e[metric] for e in of[name].values() if e.get(metric) is not None]
            cells.append(statistics.fmean(known) if known else "-")
        papers = dict(zip(ORDER, MEANS[metric])) | {ATOMIC: MEANS[metric][1]}
        rows.append([title, *cells])
        rows.append(["the paper's", *(papers.get(name, "-") for name in names)])
    if rows and names:
        table(f"Figures 21 to 25, {kind}: arithmetic means over the matrices",
              ["metric", *(f"{name} ({len(of[name])})" for name in names)], rows)


def report_gains(kind, of):
    """Best, average and worst of each metric of HCGHYB against HYB, matrix by matrix."""
    rows = []
    for base in ("hyb", ATOMIC):
        for metric, (_, title, less) in METRICS.items():
            pairs = [(of[base][m][metric], e[metric]) for m, e in of.get("hcghyb", {}).items()
                     if m in of.get(base, {}) and e.get(metric) and of[base][m].get(metric)]
            if not pairs:
                continue
            gains = [old / new if less else new / old for old, new in pairs]
            old, new = (sum(column) for column in zip(*pairs))
            mean = old / new if less else new / old
            rows.append([base, title, max(gains), mean, min(gains), geometric_mean(gains),
                         *GAINS[metric]])
    if rows:
        table(f"Gains of HCGHYB over HYB (equations 1 to 5), {kind}",
              ["over", "metric", "best", "ratio of means", "worst", "geometric mean", "paper: best",
               "average", "worst"], rows)
        for base, title, *gain in rows:
            verdict(f"HCGHYB gains in {title} over {base}, {kind} ({gain[5]}x in the paper)",
                    gain[1] > LEAST_GAIN, f"{gain[1]:.2f}, {gain[2]:.2f} to {gain[0]:.2f}")


def report_matrices(kind, of):
    names = [name for name in (*ORDER, "csr-vector", ATOMIC) if name in of]
    heads = ["matrix", "nnz", "spread", "format", *METRICS]
    rows = [[matrix, e["nnz"], e["std"], name, *(e.get(metric, "-") for metric in METRICS)]
            for name in names for matrix, e in of[name].items()]
    if rows:
        table(f"The figures per matrix, {kind}", heads, sorted(rows, key=lambda row: row[1]))


def report(results):
    report_times(results)
    report_same_threshold(results)
    for kind, of in sorted(counted(results).items()):
        for part in (report_curves, report_table_2, report_means, report_gains, report_matrices):
            part(kind, of)
    not_here("the curves of figures 1 to 20 point by point", "the paper prints no numbers for them")
