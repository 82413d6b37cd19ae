"""Real matrices of the papers beside their twins, where SPECMV_MATRICES has their files."""

import os
import sys

from experiments.results import geometric_mean, table

NAMES = "add32 lp_stocfor3 bcsstk04 bcsstk16 bp_1600".split()
FORMATS = "csr-scalar,csr-vector,ell,jad,coo,hyb,csr5,qcsr,bcsr"


def files():
    """{name: path} of the papers' matrices that are there."""
    folder = os.environ.get("SPECMV_MATRICES") or "../shared/matrices"  # as the tool
    paths = {name: os.path.join(folder, name + ".mtx.gz") for name in NAMES}
    there = {name: path for name, path in paths.items() if os.path.exists(path)}
    if missing := paths.keys() - there.keys():
        print(f"real matrices: {folder} lacks {', '.join(sorted(missing))}", file=sys.stderr)
    return there


def measure(r):
    for name, path in files().items():
        r.call("real", "bench", [path], FORMATS, type="f32,f64")
        r.call("real-twin", "bench", [f"twin:{name}"], FORMATS, type="f32,f64")


def name_of(matrix):
    return os.path.basename(matrix).removeprefix("twin:").split(".mtx")[0]


def report(results):
    twins = {(name_of(matrix), kind): lines for (matrix, kind), lines in results.of("real-twin").items()}
    rows, ratios = [], {}
    for (matrix, kind), lines in sorted(results.of("real").items()):
        twin = twins.get((name_of(matrix), kind), {})
        for name in sorted(lines.keys() & twin.keys()):
            us, of_twin = lines[name]["us"], twin[name]["us"]
            rows.append([name_of(matrix), kind, name, us, of_twin, of_twin / us])
            ratios.setdefault(name, []).append(of_twin / us)
    if rows:
        table("Real matrices of the papers and their twins, us",
              "matrix type format real twin twin/real".split(), rows)
        table("The time of a twin over that of the real matrix, geometric means",
              ["format", "matrices and types", "mean", "least", "most"],
              [[name, len(some), geometric_mean(some), min(some), max(some)]
               for name, some in sorted(ratios.items())])
