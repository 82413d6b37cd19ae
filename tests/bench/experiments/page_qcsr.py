"""The figures of PAPERS.md about QCSR, from the kept results."""

import math
import statistics

from experiments import qcsr
from experiments.results import geometric_mean

SIZES = {"2D_54019_highK": (54019, 486129), "add32": (4960, 19848), "case9": (14454, 147972),
         "aug3d": (24300, 69984), "g7jac060": (17730, 183325), "g3rmt3m3": (5357, 207695),
         "foldoc": (13356, 120238)}  # rows and entries, as printed in Table 2
LARGE, SMALL = qcsr.TABLE_1
FIVES = ", ".join(["{}"] * 5) + " and " + ", ".join(["{}"] * 5)


def ratios(results):
    """{(n, layout): transformation in products, by d}; of the tree alone in products as printed."""
    out, built = {}, trees_of(results)
    for (n, layout, d), line in sorted(qcsr.least_packs(results).items()):
        out.setdefault((n, layout), []).append(line["setupMs"]["pack"] * 1000 / line["us"])
        if layout == "printed":
            out.setdefault((n, "tree"), []).append(built[n, d]["buildMs"] * 1000 / line["us"])
    return out


def trees_of(*results):
    """{(n, d): quadtree} of all these results."""
    return {key: tree for each in results for key, tree in qcsr.trees(each).items()}


def worst_case(n, d, depth=None):
    return (4 ** (math.log2(n / d) if depth is None else depth) - 1) / 3


def fastest(results, experiment):
    """{(matrix, type): the fastest line of QCSR}, by replays."""
    out = {}
    for line in results.lines_of(experiment):
        if line.get("format") == "qcsr" and line.get("us"):
            key = line["matrix"], line["type"]
            out[key] = min(out.get(key, line), line, key=qcsr.replayed)
    return out


def memory(results, experiment):
    """The bytes of QCSR's matrix over those of CSR's, without the vectors."""
    csr = {key: lines["csr-vector"]["storedBytes"] for key, lines in results.of("qcsr").items()}
    return [line["storedBytes"] / csr[key] for key, line in fastest(results, experiment).items()]


def zero_copy(results):
    """The least and the most of what zero-copy takes in times of a copy: of the load, of a product."""
    found = {}
    for line in results.lines_of("zero-copy"):
        if line.get("format") == "qcsr" and line.get("us"):
            times = found.setdefault(line["matrix"], ([], []))[line["params"]["qcsr.zerocopy"]]
            times.append((line["setupMs"]["load"], line["us"]))
    of = [[statistics.median(mapped) / statistics.median(copied) for copied,
           mapped in zip(zip(*fast), zip(*slow))]
          for fast, slow in found.values()]
    return [extreme(column) for column in zip(*of) for extreme in (min, max)]


def over_d(results, experiment):
    """{(matrix, type): {each of the four d: the least time in replays}}"""
    out = {}
    for line in results.lines_of(experiment):
        if line.get("format") == "qcsr" and line.get("us") and line["params"]["qcsr.d"] in qcsr.SIZES:
            at = out.setdefault((line["matrix"], line["type"]), {})
            d = line["params"]["qcsr.d"]
            at[d] = min(qcsr.replayed(line), at.get(d, math.inf))
    return out


def rows_of(results):
    return {line["matrix"]: line["rows"] for line in results.lines_of("qcsr") if line.get("rows")}


def divided(results):
    """{(matrix, type): the least time as printed with a d that divides the matrix}"""
    rows = rows_of(results)
    return {key: min(us for d, us in times.items() if d < rows[key[0]])
            for key, times in over_d(results, "qcsr-printed").items()}


def dense(results):
    """The shares of the entries in the area of the leaves with entries, {(n, d): percent}."""
    of = [line for line in results.lines_of("analysis-tree") if line.get("quadtree")]
    out = {}
    for line in of:
        tree, n = line["quadtree"], line["matrix"]["rows"]
        out[n, tree["d"]] = 100 * line["matrix"]["nnz"] / tree["tiles"] / (n / 2 ** tree["depth"]) ** 2
    return out


def transformations(results):
    """{(n, layout): ms of the transformation, by d}, and {n: ms of the tree alone, by d}"""
    packs, built = qcsr.least_packs(results), trees_of(results)
    return ({(n, layout): [packs[n, layout, d]["setupMs"]["pack"] for d in row] for n, row in qcsr.TABLE_1.items()
             for layout in ("printed", "aligned", "slices")},
            {n: [built[n, d]["buildMs"] for d in row] for n, row in qcsr.TABLE_1.items()})


def between_calls(results, n):
    """By how many percent the ratios to a product, as printed, of two calls differ at most."""
    found = {}
    for line in results.lines_of("table1-printed"):
        if line.get("format") == "qcsr" and line.get("us") and line["rows"] == n:
            found.setdefault(line["params"]["qcsr.d"], []).append(line["setupMs"]["pack"] / line["us"])
    return 100 * max(max(of) / min(of) - 1 for of in found.values() if len(of) == 2)


def of_kernel(results, name):
    """{(matrix, type): a kernel's least time in replays}"""
    return qcsr.least_replays(results, "qcsr", lambda each, _: each == name)


def pays(results):
    """{(matrix, type): after how many products as printed the packing pays, against CSR with a thread a row}"""
    csr = of_kernel(results, "csr-scalar")
    return {key: 1000 * line["setupMs"]["pack"] / (csr[key] - qcsr.replayed(line))
            for key, line in fastest(results, "qcsr-printed").items() if qcsr.replayed(line) < csr[key]}


def mean_least_most(values):
    return geometric_mean(values), min(values), max(values)


def layouts(results):
    """Aligned tiles' product and transformation over those of the leaves, in Table 1's cases."""
    packs = qcsr.least_packs(results)
    pairs = [(packs[n, "aligned", d], line) for (n, layout, d), line in packs.items() if layout == "printed"]
    return ([a["us"] / line["us"] for a, line in pairs],
            [a["setupMs"]["pack"] / line["setupMs"]["pack"] for a, line in pairs])


def table_1(say, h200, h100):
    by, other = ratios(h200), ratios(h100)
    for layout, word in (("printed", "as printed "), ("aligned", "in aligned tiles "), ("slices", "in slices "),
                         ("tree", "the tree alone in products as printed: ")):
        yield say("Table 1", word + FIVES, *by[LARGE, layout], *by[SMALL, layout])
    rises = {key: 100 * (all_of[-1] / all_of[0] - 1) for key, all_of in by.items()}
    yield say("Table 1", "rises by {} and {} percent as printed, {} and {} in aligned tiles, {} and {} in slices",
              *(rises[n, layout] for layout in ("printed", "aligned", "slices") for n in (LARGE, SMALL)))
    yield say("Table 1", "falls by {} and {} percent", -rises[LARGE, "tree"], -rises[SMALL, "tree"])
    small = by[SMALL, "tree"]
    if any(b >= a for a, b in zip(small, small[1:])):
        yield say("Table 1", "the tree's ratio does not fall at each step")
    tree = trees_of(h200)[SMALL, 131072]
    yield say("Table 1", "the depth is {} and the tree is {} leaf", tree["depth"], tree["tiles"])
    text = "text of Table 1"
    for layout, template in (("printed", "as printed {} to {}"), ("slices", "in slices {} to {}"),
                             ("tree", "the tree alone {} to {}")):
        each = [a / b for a, b in zip(by[LARGE, layout], by[SMALL, layout])]
        yield say(text, template, min(each), max(each))
    aligned, old = ([a / b for a, b in zip(of[LARGE, name], of[SMALL, name])]
                    for of, name in ((by, "aligned"), (other, "printed")))
    yield say(text, "in aligned tiles {} to {} (H100: {} to {})", min(aligned), max(aligned), min(old), max(old))
    each = [a / b for a, b in zip(other[LARGE, "slices"], other[SMALL, "slices"])]
    yield say(text, "(H100: {} to {}); the tree", min(each), max(each))
    yield say(text, "for {} of 5 d on the H200 and for {} of 5 on the H100",
              sum(a > b for a, b in zip(by[LARGE, "slices"], by[SMALL, "slices"])), sum(x > 1 for x in each))
    yield say(text, "for the tree alone in all {}", sum(a > b for a, b in zip(by[LARGE, "tree"], small)))
    yield from milliseconds(say, h200)
    for layout, template in (("printed", "takes {} to {} products as printed"), ("tree", "the tree alone {} to {}.")):
        each = by[LARGE, layout] + by[SMALL, layout]
        yield say("section 4.1, complexity", template, min(each), max(each))
    trees = trees_of(h200)
    yield say("section 4.1, complexity", "over 2n / d for n = 715,176 are {} with d = 256, and {} with d = 131,072",
              *(trees[LARGE, d]["innerNodes"] / (2 * LARGE / d) for d in (256, 131072)))


def milliseconds(say, h200):
    text = "text of Table 1, in milliseconds"
    packs, built = transformations(h200)
    yield say(text, "as printed " + FIVES + " ms", *packs[LARGE, "printed"], *packs[SMALL, "printed"])
    yield say(text, "the tree alone " + FIVES, *built[LARGE], *built[SMALL])
    larger = [[a / b for a, b in zip(*pair)] for pair in (
        (packs[LARGE, "printed"], packs[SMALL, "printed"]), (built[LARGE], built[SMALL]))]
    yield say(text, "takes {} to {} times as long, for the tree alone {} to {} times",
              *(extreme(each) for each in larger for extreme in (min, max)))
    yield say(text, "differ by up to {} percent for n = 34,920 and by {} for n = 715,176",
              between_calls(h200, SMALL), between_calls(h200, LARGE))
    steps = {name: [b < a for a, b in zip(of, of[1:])] for name, of in (
        ("tree", built[LARGE]), ("small tree", built[SMALL]), ("large", packs[LARGE, "printed"]),
        ("small", packs[SMALL, "printed"]))}
    ends = all(packs[n, "printed"][-1] < packs[n, "printed"][0] for n in (LARGE, SMALL))
    if not all(steps["tree"] + steps["small tree"]) or all(steps["large"]) or all(steps["small"]) or not ends:
        yield say(text, "the tree falls with each larger d, the packing from end to end only")
    us = {key: line["us"] for key, line in qcsr.least_packs(h200).items()}
    yield say(text, "from {} to {} us and from {} to {}", *(
        us[n, "printed", d] for n in (LARGE, SMALL) for d in (256, 131072)))


def section_4(say, h200, h100, analyses):
    every = trees_of(h200, analyses)
    worst = "section 4.1, worst case"
    for n, d, template in (
            (34920, 8192, "d = 8,192: {} nodes, by the formula {};"), (715176,
             131072, "d = 131,072: {}, by the formula {};"),
            (20000, 256, "no empty region: {}, by the formula {}")):
        yield say(worst, template, every[n, d]["innerNodes"], worst_case(n, d))
    held = sum(q["innerNodes"] <= worst_case(n, d, max(0, math.ceil(math.log2(n / d))))
               for (n, d), q in every.items())
    yield say(worst, "it holds in all {} trees", held if held == len(every) else -held)
    trees = trees_of(h200)
    tree = trees[LARGE, 256]
    yield say("section 4.1 (1), (2)", "depth {}, {} inner nodes, C_S {} bytes, built in {} ms",
              tree["depth"], tree["innerNodes"], tree["bytes"], tree["buildMs"])
    real = {key: q for key, q in trees.items() if key[1] < key[0]}
    yield say("section 4.1 (1), (2)", "in {} of {} trees with d < n; log4 n fits {} of {}",
              sum(q["depth"] == math.ceil(math.log2(n / d)) for (n, d), q in real.items()), len(real),
              sum(q["depth"] == math.ceil(math.log(n, 4)) for (n, _), q in trees.items()), len(trees))
    over = [q["depth"] for (n, _), q in trees.items() if q["depth"] > math.ceil(math.log(n, 4))]
    yield say("section 4.1 (1), (2)", "it fails for {} of {} trees, of depth {} above {}", len(over), len(trees),
              max(over), math.ceil(math.log(LARGE, 4)))
    printed, old, own = (memory(*each) for each in (
        (h200, "qcsr-printed"), (h100, "qcsr-printed"), (h200, "qcsr")))
    yield say("section 4.1 (3)", "{} cases: as printed {} to {}, more in {} (aligned tiles on an H100: {} to {}, "
              "{})", len(printed), *(f(of) for of in (printed, old) for f in (min, max, lambda of: sum(
                  ratio > 1 for ratio in of))))
    yield say("section 4.1 (3)", "the fastest plan of QCSR {} to {}, more in {}", min(own), max(own),
              sum(ratio > 1 for ratio in own))
    yield say("section 4.1 (3)", "takes less in {} of {}", sum(ratio < 1 for ratio in own), len(own))
    shares = dense(h200)
    distribution = "section 4.1 (4); section 4.2"
    yield say(distribution, "fill {} percent of the leaves' area with d = 256 (n = 715,176; {} for n = 34,920)",
              shares[LARGE, 256], shares[SMALL, 256])
    yield say(distribution, "no more with any larger d, down to {} percent", min(shares.values())
              if all(shares[n, 256] >= share for (n, _), share in shares.items()) else -1)
    us = over_d(h200, "qcsr-printed")
    longer = [us["twin:foldoc", kind][d] / us["twin:case9", kind][d] for kind in ("f32", "f64") for d in qcsr.SIZES]
    yield say(distribution, "foldoc ({} rows, {} entries) takes {} to {} times as long as case9 ({}, {})",
              *SIZES["foldoc"], min(longer), max(longer), *SIZES["case9"])
    times = qcsr.against(h200)
    scalar, csr = (qcsr.RIVALS[name] for name in ("CSR with a thread a row", "our fastest CSR"))
    yield say("section 4.1, amortization", "as printed a product is slower than that of our fastest CSR in {} of {} "
              "cases; the fastest plan of QCSR is faster in {}", sum(row[1] > row[csr] for row in times.values()),
              len(times), sum(row[0] < row[csr] for row in times.values()))
    yield say("section 4.1, amortization", "it is faster as printed in {} of {}",
              sum(row[1] < row[scalar] for row in times.values()), len(times))
    after = {(key[0].removeprefix("twin:"), key[1]): n for key, n in pays(h200).items()}
    few = [n for (matrix, _), n in after.items() if matrix in ("foldoc", "g7jac060", "g3rmt3m3")]
    yield say("section 4.1, amortization", "pays after {} to {} products for foldoc, g7jac060 and g3rmt3m3 ({} cases)",
              min(few), max(few), len(few))
    rest = {key: n for key, n in after.items() if n not in few}
    wide = rest.keys() == {("add32", "f32"), ("add32", "f64"), ("case9", "f64")}
    yield say("section 4.1, amortization", "after {} to {} for add32 (both types) and case9 in double",
              *((min(rest.values()), max(rest.values())) if wide else (-1, -1)))


def steps(say, h200):
    """Algorithm 1 and sections 5.1 to 5.4, each with one step changed."""
    for place, name, template in (
            ("Algorithm 1 and the pseudo-code before it", "qcsr.halved", "{} times the time of the leaves in the "
             "mean of 14 cases ({} to {})"),
            ("section 5.1", "qcsr.lanes", "a warp a row: {} times the time in the mean of 14 cases ({} to {})"),
            ("section 5.2", "qcsr.align", "without alignment {} times the time in the mean of 14 cases ({} to {})"),
            ("section 5.4", "qcsr.zerocopy", "a product as printed {} times in the mean of 14 cases ({} to {})")):
        of = qcsr.ablation(h200, name)
        yield say(place, template, *(mean_least_most(of) if len(of) == 14 else (0, 0, 0)))
    align, stage = (qcsr.ablation(h200, f"qcsr.{name}") for name in ("align", "stage"))
    best, warp = fastest(h200, "qcsr-printed"), fastest(h200, "qcsr-qcsr.lanes")
    times = {key: qcsr.replayed(warp[key]) / qcsr.replayed(line) for key, line in best.items()}
    groups = {"2D_54019_highK": 0, "aug3d": 0, "foldoc": 1}
    parts = [[us for (matrix, _), us in times.items() if groups.get(matrix.removeprefix("twin:"), 2) == at]
             for at in range(3)]
    yield say("section 5.1", "within {} percent in {}; without 2D_54019_highK and aug3d {} in the mean of {}", 5,
              sum(abs(us - 1) < 0.05 for us in times.values()), geometric_mean(parts[1] + parts[2]),
              len(parts[1] + parts[2]))
    yield say("section 5.1", "the warp takes {} to {} times the time, on foldoc {} to {}, on the other four {} to {}",
              *(extreme(of) for of in parts for extreme in (min, max)))
    yield say("section 5.2", "slower in {} of 14", sum(x > 1 for x in align))
    bytes_ = {key: line["storedBytes"] for key, line in fastest(h200, "qcsr-printed").items()}
    plain = [bytes_[key] / line["storedBytes"] for key, line in fastest(h200, "qcsr-qcsr.align").items()]
    yield say("section 5.2", "alignment stores {} to {} times the bytes", min(plain), max(plain))
    yield say("section 5.3", "ran in {} of 14 cases, g3rmt3m3 in single, and takes {} times", len(stage), *stage)
    line, = (line for line in h200.lines_of("qcsr-qcsr.stage") if line.get("us"))
    rows = rows_of(h200)[line["matrix"]]
    yield say("section 5.3", "The other {} have d = {}", sum(line["params"]["qcsr.d"] == 65536 for key, line in
                                                            best.items() if key != ("twin:g3rmt3m3", "f32")), 65536)
    yield say("section 5.3", "needs chunks of {} rows, of which the matrix has {}", line["params"]["qcsr.rows"],
              math.ceil(rows / line["params"]["qcsr.rows"]))
    products, packs = layouts(h200)
    yield say("Algorithm 1 and the pseudo-code before it", "in the {} cases of Table 1 {} to {}, and {} to {} "
              "times its transformation", len(products), min(products), max(products), min(packs), max(packs))


def against_csr(say, h200, h100):
    place = "introduction"
    ours, theirs = qcsr.figure_13(h200), qcsr.figure_13(h100)
    scalar, best = "CSR with a thread a row", "our fastest CSR"

    def faster(of):
        return sum(x > 1 for x in of)

    of = ours["printed", scalar]
    kinds = [[row[qcsr.RIVALS[scalar]] / row[1] for (_, k), row in qcsr.against(h200).items() if k == kind]
             for kind in ("f32", "f64")]
    yield say(place, "times over QCSR's in the mean of {}.", len(of))
    yield say(place, "as printed {} (single {}, double {}; {} to {}, median {}; QCSR faster in {}), the fastest plan "
              "{} (faster in {}); H100, aligned tiles, {} (faster in {})", geometric_mean(of),
              *map(geometric_mean, kinds), min(of), max(of), statistics.median(of), faster(of),
              geometric_mean(ours["fastest", scalar]),
              faster(ours["fastest", scalar]), geometric_mean(theirs["printed", scalar]),
              faster(theirs["printed", scalar]))
    yield say(place, "Our fastest CSR: as printed {}, the fastest plan {} (faster in {}); H100, aligned tiles, {}",
              geometric_mean(ours["printed", best]), geometric_mean(ours["fastest", best]),
              faster(ours["fastest", best]), geometric_mean(theirs["printed", best]))
    printed = qcsr.least_replays(h200, "qcsr-printed")
    alone = [[us / printed[key] for key, us in of_kernel(h200, name).items()] for name in ("csr-vector", "csr-merge")]
    yield say(place, "against `csr-vector` alone {}, against `csr-merge` alone {} (faster in {} than either)",
              *map(geometric_mean, alone), sum(map(faster, alone)))


def products(say, h200, h100):
    figure = "Figure 13; abstract"
    ours, theirs = qcsr.figure_13(h200), qcsr.figure_13(h100)
    means = {key: geometric_mean(of) for key, of in ours.items()}
    for whose, template in (("printed", "as printed {} against 2 x 2, {} against 4 x 4 ({} cases), {} against the "
                             "best of five shapes;"),
                            ("fastest", "the fastest plan of QCSR {}, {} ({}), {};")):
        yield say(figure, template, means[whose, "2 x 2"], means[whose, "4 x 4"], len(ours[whose, "4 x 4"]),
                  means[whose, "the best shape"])
    yield say(figure, "(H100, aligned tiles with three of the d: {}, {}, {})", *(
        geometric_mean(theirs["printed", name]) for name in qcsr.BLOCKED))
    yield from against_csr(say, h200, h100)
    split, rivals = divided(h200), qcsr.against(h200)
    below = [rivals[key][qcsr.RIVALS["2 x 2"]] / us for key, us in split.items()]
    yield say(figure, "the d that divide the matrix alone {} against 2 x 2", geometric_mean(below))
    for name, words in (("2 x 2", "than 2 x 2 in {} of {}"), ("4 x 4", "than 4 x 4 in {} of {}"),
                        ("the best shape", "than the best shape in {} of {}")):
        of = ours["fastest", name]
        yield say(figure, words, sum(x > 1 for x in of), len(of))
    by = {key: (row[2] / row[1], row[2] / row[0]) for key, row in rivals.items()}
    yield say("section 6, text", "as printed {} and {} in single and double for 2D_54019_highK, {} and {} for "
              "add32; the fastest plan {} and {}, {} and {}",
              *(by[f"twin:{name}", kind][at] for at in (0, 1) for name in ("2D_54019_highK", "add32")
                for kind in ("f32", "f64")))
    best, rows = fastest(h200, "qcsr"), rows_of(h200)
    slices = {key for key, line in best.items() if line["params"]["qcsr.slices"]}
    whole = all(line["params"]["qcsr.d"] >= rows[matrix] for (matrix, _), line in best.items())
    leaves = sum(bool(line["params"].get("qcsr.halved")) for line in best.values())
    named = {(f"twin:{name}", kind) for name in ("2D_54019_highK", "add32") for kind in ("f32", "f64")}
    yield say("section 6, text", "slices in {} of {} cases and aligned tiles in {}, with d >= n in all",
              len(slices) if named <= slices else -1, len(best),
              len(best) - len(slices) if whole and not leaves else -1)
    future = "section 7, future work"
    for experiment, template in (
            ("qcsr-printed", "as printed the worst takes {} times the time of the best in the mean of {} cases, {} "
             "at most;"), ("qcsr", "the fastest plan {} ({} cases), {} at most")):
        of = [max(times.values()) / min(times.values()) for times in over_d(h200, experiment).values()
              if len(times) == len(qcsr.SIZES)]
        yield say(future, template, geometric_mean(of), len(of), max(of))
    best = qcsr.fastest_sizes(h200.lines_of("qcsr-printed"))
    yield say(future, "at least n in {} of {} cases as printed", sum(d >= rows[matrix] for (matrix, _), d in
                                                                 best.items()), len(best))


def figures(of):
    h200, h100 = of["qcsr-h200"], of["qcsr-h100"]

    def say(place, template, *values):
        return "QCSR", place, template, values

    yield from table_1(say, h200, h100)
    yield from section_4(say, h200, h100, of["analyses"])
    yield from steps(say, h200)
    ours, theirs = zero_copy(h200), zero_copy(h100)
    yield say("section 5.4", "loading takes {} to {} times as long (H100: {} to {}), a product {} to {} "
              "times (H100: {} to {})", *ours[:2], *theirs[:2], *ours[2:], *theirs[2:])
    seen = {line["matrix"].removeprefix("twin:"): (line["rows"], line["nnz"])
            for line in h200.lines_of("qcsr")
            if line.get("format") == "qcsr"}
    yield say("Table 2", "rows for {} of 7, and its entries for {} of 7",
              *(sum(seen[name][i] == SIZES[name][i] for name in SIZES) for i in (0, 1)))
    yield from products(say, h200, h100)
