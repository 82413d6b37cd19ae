"""The figures of PAPERS.md about HCGHYB, from the kept results."""

from statistics import fmean

from experiments import hcghyb
from experiments.results import geometric_mean, rank_correlation, twin_of

ENTRIES = {  # of Table 1, as the text prints them
    "tols4000": 8784, "meg4": 26324, "tuma2": 28440, "poli_large": 33074, "fd15": 44206, "poli4": 73249,
    "lp_stocfor3": 76473, "bayer04": 159082, "lhr10": 232633, "mark3jac120": 342475, "copter2": 407714,
    "ch7-8-b5": 846720, "fp": 848553, "sinc18": 973826, "Zd_Jac6": 1711983, "TSOPF_RS_b300_c2": 2943887,
    "xenon2": 3866688}
SHORT = {"us": "time", "gflops": "GFLOP/s", "occupancy": "occupancy", "instructionsPerWarp": "instructions",
         "warpEfficiency": "efficiency"}

NAMES = {"hcghyb": "HCGHYB", "hyb": "HYB", "ell": "ELL", "csr-scalar": "CSR", "csr5": "CSR5"}


def correlations(entries, metric):
    values = [e[metric] for e in entries.values()]
    return [rank_correlation([e[feature] for e in entries.values()], values) for feature in ("nnz", "std")]


def shared(of):
    return set.intersection(*(set(of[name]) for name in hcghyb.ORDER))


def means(of, metric, matrices=None, names=(*hcghyb.ORDER, hcghyb.ATOMIC, "csr-vector")):
    """{format: mean}, over the matrices that each ran on, or over those given."""
    return {name: fmean(e[metric] for matrix, e in of[name].items() if matrices is None or matrix in matrices)
            for name in names}


def order(of, metric, matrices=None, names=hcghyb.ORDER):
    by = means(of, metric, matrices)
    return sorted(names, key=by.get, reverse=True)


def gains(of, base, metric, matrices=None):
    """Best, ratio of means, worst, geometric mean of HCGHYB over another."""
    less = hcghyb.METRICS[metric][2]
    pairs = [(of[base][m][metric], e[metric]) for m, e in of["hcghyb"].items()
             if m in of[base] and (matrices is None or m in matrices)]
    each = [old / new if less else new / old for old, new in pairs]
    old, new = (sum(column) for column in zip(*pairs))
    return max(each), old / new if less else new / old, min(each), geometric_mean(each)


def times(results, kind, experiment="hcghyb"):
    """Ratios of HYB's time to HCGHYB's in the bench, skewed matrices too."""
    own, base = results.of("hcghyb"), results.of(experiment)
    return [base[key]["hyb"]["us"] / lines["hcghyb"]["us"] for key, lines in own.items()
            if key[1] == kind and "hcghyb" in lines and "hyb" in base.get(key, {})]


def other_k(of):
    return {twin_of(m): (of["hyb"][m]["params"]["hyb.k"], e["params"]["hyb.k"]) for m,
            e in of["hcghyb"].items()
            if of["hyb"][m]["params"]["hyb.k"] != e["params"]["hyb.k"]}


def equal_cells(of):
    """Cells of Table 2 that are equal, by format."""
    out = {}
    for name, printed in hcghyb.TABLE_2.items():
        entries = list(of[name].values())
        for feature, paper in zip(hcghyb.FEATURES, printed.split()):
            strengths = [abs(rank_correlation([e[feature] for e in entries], [e[metric] for e in entries]))
                         for metric in hcghyb.METRICS if (feature, metric) != ("nnz", "us")]
            out[name] = out.get(name, 0) + (hcghyb.impact(fmean(strengths)) == paper)
    return out


def figures(of):
    counted, others = hcghyb.counted(of["hcghyb-h200"]), hcghyb.counted(of["hcghyb-h100"])
    double, single = counted["f64"], counted["f32"]
    atomic = hcghyb.ATOMIC

    def say(place, template, *values):
        return "HCGHYB", place, template, values

    left = sorted(twin_of(m) for m in set(double["csr-scalar"]) - shared(double))
    yield say("text", "CSR and CSR5 on {}, HYB and HCGHYB on {}, ELL on {}", len(double["csr-scalar"]),
              len(double["hcghyb"]), len(double["ell"]))
    yield say("text", "All five formats ran on {}, all but " + ", ".join(left[:-1]) + " and " + left[-1],
              len(shared(double)))
    yield say("text", "differ on {} of the {} matrices (in single on {}; H100: {} and {})",
              len(other_k(double)),
              len(double["hcghyb"]), *(len(other_k(each)) for each in (single, others["f64"], others["f32"])))
    yield say("text", "on bayer04 {} and {}.", *other_k(double)["bayer04"])
    yield say("abstract", "{} (ratio of mean GFLOP/s), over HYB with atomics {}",
              *(gains(double, base, "gflops")[1] for base in ("hyb", atomic)))
    yield say("Table 1", "entries for {} of {}", sum(e["nnz"] == ENTRIES[twin_of(m)]
                                                  for m, e in double["csr-scalar"].items()), len(ENTRIES))
    for place, name, words in (("Figures 1 to 5", "csr-scalar", 5), ("Figures 6 to 10", "ell", 4),
                               ("Figures 11 to 15", "hyb", 5), ("Figures 16 to 20", "csr5", 5)):
        metrics = list(hcghyb.METRICS)[:words]
        yield say(place, "{} matrices: " + ", ".join(SHORT[metric] + " {} and {}" for metric in metrics),
                  len(double[name]), *(x for metric in metrics for x in correlations(double[name], metric)))
    yield say("Figures 6 to 10", "efficiency {} everywhere",
              min(e["warpEfficiency"] for e in double["ell"].values()))
    yield say("Figures 6 to 10", "weakly ({} in single)", correlations(single["ell"], "occupancy")[0])
    yield say("Figures 11 to 15", "with atomics: " + ", ".join(["{} and {}"] * 5) + ". In single",
              *(x for metric in hcghyb.METRICS for x in correlations(double[atomic], metric)))
    yield say("Figures 11 to 15", "GFLOP/s have {} with the spread (with atomics {}), and efficiency {} "
              "(with atomics {}; H100: {} and {})",
              *(correlations(each[name], metric)[1] for each, name, metric in (
                  (single, "hyb", "gflops"), (single, atomic, "gflops"), (single, "hyb", "warpEfficiency"),
                  (single, atomic, "warpEfficiency"), (others["f32"], "hyb", "warpEfficiency"),
                  (others["f32"], atomic, "warpEfficiency"))))
    yield say("Figures 11 to 15", "It is {} or more on each matrix", min(
        e["warpEfficiency"]
        for each in (double, single) for name in ("hyb", atomic) for e in each[name].values()))
    cells = equal_cells(double)
    yield say("Table 2", "{} of 20 cells are equal in double and {} in single (in double CSR {} of 5, ELL "
              "{}, HYB {}, CSR5 {})", sum(cells.values()), sum(equal_cells(single).values()), *cells.values())
    eleven = shared(double)
    template = ("{}, {} (with atomics {}), {}, {}, {}; `csr-vector` {}; "
                "on the eleven {}, {} ({}), {}, {}, {}")
    for figure, (metric, scale) in enumerate(zip(hcghyb.METRICS, (1, 1, 1, 1, 100)), 21):
        own, few = means(double, metric), means(double, metric, eleven)
        names = ("hcghyb", "hyb", atomic, "ell", "csr-scalar", "csr5")
        yield say(f"Figure {figure}", template, *(scale * own[name] for name in (*names, "csr-vector")),
                  *(scale * few[name] for name in names))
    for place, metric, kind, template in (
            ("Figure 21", "us", double, "on the eleven: "), ("Figure 22", "gflops", double, "the order is "),
            ("Figure 22", "gflops", single, "(in single "),
            ("Figure 23", "occupancy", double, "above ELL: "),
            ("Figure 23", "occupancy", single, "CSR (in single ")):
        names = order(kind, metric, eleven)
        names = names[::-1] if metric == "us" else names
        yield say(place, template + ", ".join(map(NAMES.get, names)))
    for some in (None, eleven):
        few = [NAMES[name] for name in order(double, "instructionsPerWarp", some)[::-1]]
        yield say("Figure 24", f"{few[0]} has the fewest and {few[-1]} the most, as in the paper; the other "
                  "three are in the reverse order, " + ", ".join(few[1:-1]))
        fast = [NAMES[name] for name in order(double, "us", some)[::-1]]
        yield say("Figure 21", "on the eleven: " + ", ".join(fast))
    for experiment, template in (("hcghyb", "{} times as fast as HYB (geometric mean, {} to {})"),
                                 ("hcghyb-atomic", "{} times as fast as HYB with atomics ({} to {})")):
        fast = times(of["hcghyb-h200"], "f64", experiment)
        yield say("Figure 21", template, geometric_mean(fast), min(fast), max(fast))
    yield say("Figure 21", "takes {} us or more", min(
        lines["hcghyb"]["us"] for (_, kind), lines in of["hcghyb-h200"].of("hcghyb").items()
        if kind == "f64" and "hcghyb" in lines))
    for base, word in (("hyb", "Over our HYB: "), (atomic, "Over HYB with atomics: ")):
        metrics = list(hcghyb.METRICS)[:5 if base == "hyb" else 4]
        yield say("equations 1 to 5", word + "; ".join(SHORT[metric] + " {}, {}, {}" for metric in metrics),
                  *(x for metric in metrics for x in gains(double, base, metric)[:3]))
    for gain in gains(double, atomic, "warpEfficiency")[:3]:
        yield say("equations 1 to 5", "efficiency {} in all three", gain)
    same = {m for m in double["hcghyb"] if twin_of(m) not in other_k(double)}
    kept = [metric for metric in hcghyb.METRICS if metric != "gflops"]
    yield say("equations 1 to 5", "On the {} matrices with one K, over our HYB, the ratios of means are: "
              "time {}, occupancy {}, instructions {}, efficiency {}; with atomics {}, {}, {}, {}", len(same),
              *(gains(double, base, metric, same)[1] for base in ("hyb", atomic) for metric in kept))
    fast = times(of["hcghyb-h100"], "f64")
    yield say("section 9, future work; section 8.1", "{} times as fast as HYB too (geometric mean, {} to {})",
              geometric_mean(fast), min(fast), max(fast))
