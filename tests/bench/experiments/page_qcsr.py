"""The figures of PAPERS.md about QCSR, from the kept results."""

import math
import statistics

from experiments import qcsr
from experiments.results import geometric_mean

SIZES = {"2D_54019_highK": (54019, 486129), "add32": (4960, 19848), "case9": (14454, 147972),
         "aug3d": (24300, 69984), "g7jac060": (17730, 183325), "g3rmt3m3": (5357, 207695),
         "foldoc": (13356, 120238)}  # rows and entries, as printed in Table 2
LARGE, SMALL = qcsr.TABLE_1


def ratios(results):
    """{(n, layout): transformation in products, by d}"""
    out = {}
    for (n, layout, d), line in sorted(qcsr.least_packs(results).items()):
        out.setdefault((n, layout), []).append(line["setupMs"]["pack"] * 1000 / line["us"])
    return out


def worst_case(n, d, depth=None):
    return (4 ** (math.log2(n / d) if depth is None else depth) - 1) / 3


def memory(results, experiment):
    """The bytes of QCSR's matrix over those of CSR's, without the vectors."""
    csr = {key: lines["csr-vector"]["storedBytes"] for key, lines in results.of("qcsr").items()}
    return [lines["qcsr"]["storedBytes"] / csr[key] for key, lines in results.of(experiment).items()]


def against(results):
    """{key: BCSR's time over QCSR's as printed and over its fastest, and CSR's time over its fastest}"""
    printed, bcsr = results.of("qcsr-printed"), results.least("bcsr", "bcsr")
    out = {}
    for key, lines in results.of("qcsr").items():
        csr = min(line["us"] for name, line in lines.items() if name.startswith("csr-"))
        out[key] = (bcsr[key] / printed[key]["qcsr"]["us"], bcsr[key] / lines["qcsr"]["us"],
                    csr / lines["qcsr"]["us"])
    return out


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


def over_d(results):
    """The worst time over the best among the d that were timed: geometric mean, most, cases."""
    times = {}
    for line in results.lines_of("qcsr"):
        for plan in line.get("plans", []) if line.get("format") == "qcsr" else []:
            at = times.setdefault((line["matrix"], line["type"]), {})
            at[plan["params"]["qcsr.d"]] = min(plan["us"], at.get(plan["params"]["qcsr.d"], math.inf))
    of = [max(us.values()) / min(us.values()) for us in times.values() if len(us) > 1]
    return geometric_mean(of), max(of), len(of)


def figures(of):
    h200, h100 = of["qcsr-h200"], of["qcsr-h100"]

    def say(place, template, *values):
        return "QCSR", place, template, values

    trees = qcsr.trees(h200)
    worst = "section 4.1, worst case"
    for n, d, template in (
            (34920, 8192, "d = 8,192: {} nodes, by the formula {};"), (715176,
             131072, "d = 131,072: {}, by the formula {};"),
            (20000, 256, "no empty region: {}, by the formula {}")):
        tree = (trees | qcsr.trees(of["analyses"]))[n, d]
        yield say(worst, template, tree["innerNodes"], worst_case(n, d))
    every = trees | qcsr.trees(of["analyses"])
    held = sum(q["innerNodes"] <= worst_case(n, d, max(0, math.ceil(math.log2(n / d))))
               for (n, d), q in every.items())
    yield say(worst, "it holds in all {} trees", held if held == len(every) else -held)
    by = ratios(h200)
    lists = ", ".join(["{}"] * 5) + " and " + ", ".join(["{}"] * 5)
    for layout, word in (("printed", "as printed "), ("slices", "in slices ")):
        yield say("Table 1", word + lists, *by[LARGE, layout], *by[SMALL, layout])
    rises = {key: 100 * (all_of[-1] / all_of[0] - 1) for key, all_of in by.items()}
    yield say("Table 1", "rises by {} and {} percent as printed, and by {} and {} percent in slices",
              *(rises[n, layout] for layout in ("printed", "slices") for n in (LARGE, SMALL)))
    text = "text of Table 1"
    other = ratios(h100)
    for name, template in (("printed", "as printed {} to {} against {} to {} (H100: {} to {} against {} to "
                            "{})"),
                           ("slices",
                            "in slices {} to {} against {} to {} (H100: {} to {} against {} to {})")):
        yield say(text, template, *(extreme(where[n, name]) for where in (by, other) for n in (LARGE, SMALL)
                                    for extreme in (min, max)))
    more = [100 * (a / b - 1) for a, b in zip(by[LARGE, "slices"], by[SMALL, "slices"])]
    yield say(text, "for each d, by {} to {} percent, but on the H100 for {} of 5", min(more), max(more),
              sum(a > b for a, b in zip(other[LARGE, "slices"], other[SMALL, "slices"])))
    tree = trees[LARGE, 256]
    yield say("section 4.1 (1), (2)", "depth {}, {} inner nodes, C_S {} bytes, built in {} ms",
              tree["depth"], tree["innerNodes"], tree["bytes"], tree["buildMs"])
    real = {key: q for key, q in trees.items() if key[1] < key[0]}
    yield say("section 4.1 (1), (2)", "in {} of {} trees with d < n; log4 n fits {} of {}",
              sum(q["depth"] == math.ceil(math.log2(n / d)) for (n, d), q in real.items()), len(real),
              sum(q["depth"] == math.ceil(math.log(n, 4)) for (n, _), q in trees.items()), len(trees))
    for experiment, template in (
            ("qcsr-printed", "as printed {} to {}, more in {} (H100: {} to {}, {})"),
            ("qcsr", "the fastest plan of QCSR {} to {}, more in {} (H100: {} to {}, {})")):
        values = []
        for results in (h200, h100):
            bytes_ = memory(results, experiment)
            values += [min(bytes_), max(bytes_), sum(ratio > 1 for ratio in bytes_)]
        yield say("section 4.1 (3)", template, *values)
    yield say("section 4.1 (3)", "takes less in {} of 14 (H100: {})",
              *(sum(ratio < 1 for ratio in memory(results, "qcsr")) for results in (h200, h100)))
    ours, theirs = zero_copy(h200), zero_copy(h100)
    yield say("section 5.4", "loading takes {} to {} times as long (H100: {} to {}), a product {} to {} "
              "times (H100: {} to {})", *ours[:2], *theirs[:2], *ours[2:], *theirs[2:])
    seen = {line["matrix"].removeprefix("twin:"): (line["rows"], line["nnz"])
            for line in h200.lines_of("qcsr")
            if line.get("format") == "qcsr"}
    yield say("Table 2", "rows for {} of 7, and its entries for {} of 7",
              *(sum(seen[name][i] == SIZES[name][i] for name in SIZES) for i in (0, 1)))
    figure = "Figure 13; abstract; introduction"
    pairs = against(h200)
    yield say(figure, "as printed {} against the best of five shapes of BCSR; the fastest of QCSR {} against "
              "BCSR and {} against CSR", *map(geometric_mean, zip(*pairs.values())))
    yield say(figure, "(H100: {}, {}, {})", *map(geometric_mean, zip(*against(h100).values())))
    won = {key: ratio for key, (_, ratio, _) in pairs.items() if ratio > 1}
    yield say(figure, "faster than BCSR in {} of {} cases: 2D_54019_highK ({}) and add32 ({}), both in "
              "double",
              len(won), len(pairs), won["twin:2D_54019_highK", "f64"], won["twin:add32", "f64"])
    mean, most, cases = over_d(h200)
    yield say("section 7, future work", "takes {} times the time of the best in the mean of {} cases, {} at "
              "most (H100: {}, {})", mean, cases, most, *over_d(h100)[:2])
