"""QCSR (Zhang et al. 2013): figure 13, Table 1, section 4.1's tree and section 5.4's zero-copy."""

import math
import statistics

from experiments.results import geometric_mean, not_here, table, verdict

CLASSES = (
    "twin:2D_54019_highK twin:add32 twin:case9 twin:aug3d twin:g7jac060 twin:g3rmt3m3 twin:foldoc"
).split()
BLOCKS = (2, 2), (3, 3), (4, 4), (1, 2), (2, 1)
TABLE_1 = {  # d: transformation in products, as printed
    715176: {256: 251.128, 1024: 210.342, 8192: 160.653, 32768: 120.84, 131072: 75.345},
    34920: {256: 144.092, 1024: 112.227, 8192: 61.301, 32768: 23.1371, 131072: 6.793},
}
PRINTED = {"qcsr.slices": 0, "qcsr.stage": 0, "qcsr.lanes": 16, "qcsr.align": 16}
# Sections 4.2 and 5.1 to 5.4, each turned to the other side: a half-warp a row, aligned segments, x in shared
# memory, which the paper has not, and the matrix in the host's memory.
ABLATION = {"qcsr.lanes": 32, "qcsr.align": 1, "qcsr.stage": 1, "qcsr.zerocopy": 1}
ZERO_COPY = [f"stencil27:n={n}" for n in (4, 8, 12, 16, 20, 24, 32)]
REPEATS = 3
FULL_TREE = "random:rows=20000,cols=20000,k=100", 256  # no region of it is empty; d


def measure(r):
    both = "f32,f64"
    rivals = "csr-scalar,csr-vector,csr-merge,qcsr"
    r.call("qcsr", "bench", CLASSES, rivals, type=both, rigor="exhaustive")
    for rows, columns in BLOCKS:  # also where BCSR would not offer itself
        numbers = {"bcsr.r": rows, "bcsr.c": columns}
        r.call("bcsr", "bench", CLASSES, "bcsr", numbers, type=both, rigor="exhaustive")
    r.call("qcsr-printed", "bench", CLASSES, "qcsr", PRINTED, type=both, rigor="exhaustive")
    for name, other in ABLATION.items():
        r.call(f"qcsr-{name}", "bench", CLASSES, "qcsr", PRINTED | {name: other}, type=both, rigor="exhaustive")
    for n, row in TABLE_1.items():
        for d in row:
            for name, numbers in (("printed", PRINTED), ("slices", {"qcsr.slices": 1})):
                numbers = numbers | {"qcsr.d": d, "qcsr.stage": 0}
                # Twice, since the first set-up of a process loads or compiles the kernels that pack.
                r.call(f"table1-{name}", "bench", [f"fem2d:rows={n}"] * 2, "qcsr", numbers)
            r.call("analysis-tree", "analyze", [f"fem2d:rows={n}"], "qcsr",
                   {"qcsr.d": d, "qcsr.slices": 1, "qcsr.stage": 0}, all=True)
    for matrix in ZERO_COPY * REPEATS:
        for flag in (0, 1):
            r.call("zero-copy", "bench", [matrix], "qcsr", {"qcsr.zerocopy": flag})


def analyze(r):
    """A tree in which every region is divided, against the paper's worst case."""
    matrix, d = FULL_TREE
    numbers = {"qcsr.d": d, "qcsr.slices": 1, "qcsr.stage": 0}
    r.call("analysis-tree", "analyze", [matrix], "qcsr", numbers, all=True, type="f32", gpu="h200")


def report_figure_13(results):
    printed, bcsr = results.of("qcsr-printed"), results.least("bcsr", "bcsr")
    rows = []
    for key, lines in results.of("qcsr").items():
        all_csr = [line["us"] for name, line in lines.items() if name.startswith("csr-")]
        if "qcsr" not in lines or "qcsr" not in printed.get(key, {}) or key not in bcsr or not all_csr:
            continue  # of a run that was cut short
        us, old, csr = lines["qcsr"]["us"], printed[key]["qcsr"]["us"], min(all_csr)
        rows.append([*key, us, old, bcsr[key], csr, bcsr[key] / us, csr / us, bcsr[key] / old])
    if not rows:
        return
    heads = "matrix type qcsr as-printed bcsr csr bcsr/qcsr csr/qcsr bcsr/as-printed".split()
    table("QCSR on the classes of its paper (figure 13), us", heads, rows)
    fastest, of_csr, old = (geometric_mean(column) for column in list(zip(*rows))[-3:])
    verdict("QCSR is 1.15 times as fast as BCSR", old >= 1.1,
            f"{old:.2f} as printed, {fastest:.2f} the fastest of QCSR, {of_csr:.2f} against CSR")


def report_ablation(results):
    """What each step of the paper gives, the others as printed."""
    printed = results.least("qcsr-printed", "qcsr")
    rows = []
    for name, other in ABLATION.items():
        changed = results.least(f"qcsr-{name}", "qcsr")
        ratios = [changed[key] / printed[key] for key in sorted(printed.keys() & changed.keys())]
        if ratios:
            rows.append([f"{name}={other}", PRINTED.get(name, 0), len(ratios), geometric_mean(ratios),
                         min(ratios), max(ratios)])
    if rows:
        table("QCSR as printed with one step changed: time over that as printed (sections 4.2, 5.1 to 5.4)",
              ["step", "printed", "matrices and types", "mean", "least", "most"], rows)


def trees(results):
    """{(n, d): quadtree}"""
    out = {}
    for line in results.lines_of("analysis-tree"):
        if line.get("quadtree"):
            out[line["matrix"]["rows"], line["quadtree"]["d"]] = line["quadtree"]
    return out


def least_packs(results):
    """{(n, layout, d): the line of QCSR with the shortest transformation}"""
    out = {}
    for line in results.lines:
        if line["experiment"].startswith("table1") and line.get("format") == "qcsr" and line.get("us"):
            key = line["rows"], line["experiment"].removeprefix("table1-"), line["params"]["qcsr.d"]
            if key not in out or line["setupMs"]["pack"] < out[key]["setupMs"]["pack"]:
                out[key] = line
    return out


def report_table_1(results):
    tree_of = trees(results)
    rows, falls = [], []
    for (n, layout, d), line in least_packs(results).items():
        us, pack, tree = line["us"], line["setupMs"]["pack"] * 1000, tree_of.get((n, d))
        grown = tree["buildMs"] * 1000 / us if tree else "-"
        rows.append([n, layout, d, pack, us, pack / us, grown, TABLE_1.get(n, {}).get(d, "-")])
        falls.append((layout, n, d, pack / us))
    if not rows:
        return
    heads = ["n", "layout", "d", "transform us", "product us", "ratio", "tree alone / product", "paper"]
    table("QCSR's Table 1: transformation in products, fem2d, f64", heads, rows)
    ratio = {(layout, n, d): x for layout, n, d, x in falls}
    pairs = [(ratio["printed", n, 256], ratio["printed", n, 131072])
             for n in TABLE_1 if ("printed", n, 256) in ratio and ("printed", n, 131072) in ratio]
    if pairs:
        verdict("a larger d makes the transformation cheaper in products", all(b < a for a, b in pairs),
                ", ".join(f"{a:.0f} to {b:.0f}" for a, b in pairs) + " as printed, d = 256 to 131,072")
    not_here("the matrices of Table 1", "the paper gives their sizes only; ours are fem2d")


def report_tree(results):
    rows = [[n, d, q["depth"], q["innerNodes"], q["bytes"], q["tiles"], q["empty"], q["buildMs"]]
            for (n, d), q in sorted(trees(results).items())]
    if rows:
        table("QCSR's quadtree as printed (section 4.1)",
              ["n", "d", "depth", "inner nodes", "C_S bytes", "tiles", "empty", "built in ms"], rows)
        printed = sum(q["depth"] == math.ceil(math.log(n, 4)) for (n, _), q in trees(results).items())
        halved = sum(q["depth"] == math.ceil(math.log2(n / d)) for (n, d), q in trees(results).items())
        verdict("the depth is log4 n", printed == len(rows),
                f"for {printed} of {len(rows)}; ceil(log2(n / d)), since each level halves n, for {halved}")


def report_zero_copy(results):
    found = {}
    for line in results.lines_of("zero-copy"):
        if line.get("format") == "qcsr" and line.get("us"):
            times = found.setdefault(line["matrix"], ([], []))[line["params"]["qcsr.zerocopy"]]
            times.append((line["storedBytes"], line["setupMs"]["load"] * 1000, line["us"]))
    rows = []
    for matrix, (copied, mapped) in found.items():
        if not copied or not mapped:
            continue
        bytes_, *fast = map(statistics.median, zip(*copied))
        rows.append([matrix, bytes_, *fast, *map(statistics.median, list(zip(*mapped))[1:])])
    if not rows:
        return
    heads = ["matrix", "bytes", "load", "product", "load, zero-copy", "product, zero-copy"]
    table("QCSR from a copy on the GPU and by zero-copy (section 5.4), f64, us (medians)", heads, rows)
    verdict("zero-copy reduces the transfer of a small matrix", all(row[4] < row[2] for row in rows),
            f"{min(row[4] / row[2] for row in rows):.1f} to "
            f"{max(row[4] / row[2] for row in rows):.1f} times the time of a copy")


def report(results):
    for part in (report_figure_13, report_ablation, report_table_1, report_tree, report_zero_copy):
        part(results)
