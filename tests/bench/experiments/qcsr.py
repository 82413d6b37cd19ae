"""QCSR (Zhang et al. 2013): figure 13, Table 1, section 4.1's tree and section 5.4's zero-copy.

Its matrices fit L2 many times: products are compared by the times of replays of a graph."""

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
ALIGNED = {"qcsr.slices": 0, "qcsr.stage": 0, "qcsr.lanes": 16, "qcsr.align": 16}
PRINTED = ALIGNED | {"qcsr.halved": 1}  # the leaves of Algorithm 1
SIZES = 256, 1024, 8192, 65536  # the d that are tried; the paper prints none
# Algorithm 1 and sections 5.1 to 5.4, each turned to the other side: leaves of halves, a half-warp a row, aligned
# segments, x in shared memory, which the paper has not, and the matrix in the host's memory.
ABLATION = {"qcsr.halved": 0, "qcsr.lanes": 32, "qcsr.align": 1, "qcsr.stage": 1, "qcsr.zerocopy": 1}
ZERO_COPY = [f"stencil27:n={n}" for n in (4, 8, 12, 16, 20, 24, 32)]
REPEATS = 3
FULL_TREE = "random:rows=20000,cols=20000,k=100", 256  # no region of it is empty; d


def measure(r):
    both = "f32,f64"
    rivals = "csr-scalar,csr-vector,csr-merge,qcsr"
    r.call("qcsr", "bench", CLASSES, rivals, type=both, rigor="exhaustive")
    for d in SIZES:  # more plans than the exhaustive search of one call times
        r.call("qcsr", "bench", CLASSES, "qcsr", {"qcsr.d": d}, type=both, rigor="exhaustive")
    for rows, columns in BLOCKS:  # also where BCSR would not offer itself
        numbers = {"bcsr.r": rows, "bcsr.c": columns}
        r.call("bcsr", "bench", CLASSES, "bcsr", numbers, type=both, rigor="exhaustive")
    printed = [line for d in SIZES for line in r.call(
        "qcsr-printed", "bench", CLASSES, "qcsr", PRINTED | {"qcsr.d": d}, type=both, rigor="exhaustive")]
    sizes = {}
    for (matrix, _), d in fastest_sizes(printed).items():
        sizes.setdefault(matrix, set()).add(d)
    for name, other in ABLATION.items():
        for matrix, some in sizes.items():
            for d in sorted(some):
                r.call(f"qcsr-{name}", "bench", [matrix], "qcsr", PRINTED | {"qcsr.d": d, name: other}, type=both)
    for n, row in TABLE_1.items():
        for d in row:
            for name, numbers in (("printed", PRINTED), ("aligned", ALIGNED), ("slices", {"qcsr.slices": 1})):
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


def replayed(line):
    return line.get("usReplay") or line["us"]


def least_replays(results, experiment, accept=lambda name, line: name == "qcsr"):
    """{(matrix, type): the least time of those lines that are accepted}"""
    out = {}
    for line in results.lines_of(experiment):
        if line.get("us") and accept(line.get("format", ""), line):
            key = line["matrix"], line["type"]
            out[key] = min(replayed(line), out.get(key, math.inf))
    return out


# Whose times `against` has, and where.
RIVALS = {"2 x 2": 2, "4 x 4": 3, "the best shape": 4, "CSR with a thread a row": 5, "our fastest CSR": 6}
BLOCKED = list(RIVALS)[:3]  # of BCSR


def shape_is(rows, columns):
    return lambda name, line: name == "bcsr" and (
        line["params"]["bcsr.r"], line["params"]["bcsr.c"]) == (rows, columns)


def fastest_sizes(records):
    """{(matrix, type): the d of the fastest of these lines}"""
    least = {}
    for line in records:
        if line.get("us") and line.get("format") == "qcsr":
            key = line["matrix"], line["type"]
            least[key] = min((replayed(line), line["params"]["qcsr.d"]), least.get(key, (math.inf, 0)))
    return {key: d for key, (_, d) in least.items()}


def against(results):
    """{key: times of QCSR's fastest plan and as printed, of BCSR with 2 x 2, 4 x 4 and its best shape, of
    CSR with a thread a row, and of our fastest kernel of CSR}. None for what a format refused."""
    of = [least_replays(results, "qcsr"), least_replays(results, "qcsr-printed"),
          least_replays(results, "bcsr", shape_is(2, 2)), least_replays(results, "bcsr", shape_is(4, 4)),
          least_replays(results, "bcsr", lambda name, _: name == "bcsr"),
          least_replays(results, "qcsr", lambda name, _: name == "csr-scalar"),
          least_replays(results, "qcsr", lambda name, _: name.startswith("csr-"))]
    return {key: [times.get(key) for times in of] for key in sorted(of[0].keys() & of[1].keys())}


def figure_13(results):
    """What is compared: {(whose, name): the other's times over QCSR's}"""
    times = against(results).values()
    return {(whose, name): [row[at] / row[ours] for row in times if row[at]]
            for ours, whose in enumerate(("fastest", "printed")) for name, at in RIVALS.items()}


def report_figure_13(results):
    rows = [[*key, *(us or "-" for us in times)] for key, times in against(results).items()]
    if not rows:
        return
    heads = ["matrix", "type", "qcsr", "as printed", "bcsr 2 x 2", "bcsr 4 x 4", "best of bcsr",
             "csr, a thread a row", "our fastest csr"]
    table("QCSR on the classes of its paper (figure 13), us in replays", heads, rows)
    ratios = figure_13(results)
    for whose in ("printed", "fastest"):
        means = {name: geometric_mean(ratios[whose, name]) for name in RIVALS if ratios[whose, name]}
        for rival, names in (("BCSR,", BLOCKED), ("CSR,", list(RIVALS)[3:])):
            if names[0] in means:
                verdict(f"QCSR is 1.15 times as fast as {rival} {whose}", means[names[0]] >= 1.1, ", ".join(
                    f"{means[name]:.2f} against {name} of {len(ratios[whose, name])}" for name in names
                    if name in means))


def ablation(results, name):
    """The time with one step changed over that as printed, at the d that is fastest as printed."""
    printed = {}
    for line in results.lines_of("qcsr-printed") + results.lines_of(f"qcsr-{name}"):
        if line.get("us") and line.get("format") == "qcsr":
            key = line["matrix"], line["type"], line["params"]["qcsr.d"]
            at = printed.setdefault(key, {})
            at[line["experiment"]] = min(replayed(line), at.get(line["experiment"], math.inf))
    best = fastest_sizes(results.lines_of("qcsr-printed"))
    return [at[f"qcsr-{name}"] / at["qcsr-printed"] for (matrix, kind, d), at in sorted(printed.items())
            if best.get((matrix, kind)) == d and len(at) == 2]


def report_ablation(results):
    """What each step of the paper gives, the others as printed."""
    rows = []
    for name, other in ABLATION.items():
        ratios = ablation(results, name)
        if ratios:
            rows.append([f"{name}={other}", PRINTED.get(name, 0), len(ratios), geometric_mean(ratios),
                         min(ratios), max(ratios)])
    if rows:
        table("QCSR as printed with one step changed: time over that as printed (Algorithm 1, sections 5.1 to 5.4)",
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
