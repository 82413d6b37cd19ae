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


def times(results, kind, experiment="hcghyb", skewed=True):
    """Ratios of HYB's time to HCGHYB's in the bench, with the skewed matrices or without."""
    own, base = results.of("hcghyb"), results.of(experiment)
    return [base[key]["hyb"]["us"] / lines["hcghyb"]["us"] for key, lines in own.items()
            if key[1] == kind and "hcghyb" in lines and "hyb" in base.get(key, {})
            and (skewed or key[0] in hcghyb.MATRICES)]


def best_formats(of, metric, most=True, names=hcghyb.ORDER):
    """{matrix: the format with the most, or the least, of a metric}, where all ran."""
    return {twin_of(m): (max if most else min)(names, key=lambda name, m=m: of[name][m][metric]) for m in shared(of)}


def count(found, name):
    return sum(each == name for each in found.values())


def ahead(of, base, metric):
    """On how many matrices HCGHYB is better than another."""
    less = hcghyb.METRICS[metric][2]
    pairs = [(of["hcghyb"][m][metric], of[base][m][metric]) for m in shared(of)]
    return sum(own < other if less else own > other for own, other in pairs)


def largest(of, name, metric, most=5):
    """The matrices on which a format has the most of a metric, in this order."""
    return [twin_of(m) for m in sorted(of[name], key=lambda m: of[name][m][metric], reverse=True)[:most]]


def with_atomics(of):
    """HYB with atomics over ours: geometric mean of the times, and on how many matrices it takes longer."""
    ratios = [of[hcghyb.ATOMIC][m]["us"] / of["hyb"][m]["us"] for m in shared(of)]
    return geometric_mean(ratios), sum(ratio > 1 for ratio in ratios)


def at_the_papers_k(results, analyses, kind):
    """HYB's time over HCGHYB's at the K of Bell and Garland's rule: {matrix: ratio}."""
    k_of = {key: x["hybK"]["rowShare"] for key, x in analyses.analyses("thresholds").items()}
    both = hcghyb.at_one_threshold(results, "hcghyb", "hcghyb-same-k")
    return {twin_of(m): hyb / own for (m, t, k), (hyb, own) in both.items() if t == kind and k_of.get((m, t)) == k}


def between_calls(results, counted):
    """{(matrix, type): how many times as long HCGHYB took in the slower of two calls}"""
    out = {}
    for (matrix, kind), lines in results.of("hcghyb").items():
        entry = counted[kind]["hcghyb"].get(matrix)
        if entry and "hcghyb" in lines:
            times = lines["hcghyb"]["us"], entry["us"]
            out[twin_of(matrix), kind] = max(times) / min(times)
    return out


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


def text_figures(say, double, single):
    """What the paper's text says of single matrices, of the formats on each matrix, and of atomic additions."""
    atomic, csr = hcghyb.ATOMIC, {twin_of(m): e["us"] for m, e in double["csr-scalar"].items()}
    named = "section 3, text; section 4.1, text; section 5, text"
    yield say(named, "CSR takes {} us for fd15 and {} for poli_large", csr["fd15"], csr["poli_large"])
    peak = largest(double, "csr-scalar", "gflops")
    right = (peak[0], peak[3]) == ("ch7-8-b5", "copter2") and "xenon2" in peak[:3]
    right &= set(largest(double, "ell", "us")) == {"Zd_Jac6", "fp", "poli4", "meg4", "poli_large"}
    right &= set(largest(double, "hyb", "us", 2)) == {"TSOPF_RS_b300_c2", "xenon2"}
    right &= largest(double, "hyb", "gflops", 3)[2] == "Zd_Jac6"
    right &= largest(double, atomic, "us", 3) == ["TSOPF_RS_b300_c2", "Zd_Jac6", "fp"]
    if not right:
        yield say(named, "other matrices are the slowest or have the most GFLOP/s")
    place, others = "section 8.2, text", [name for name in hcghyb.ORDER if name != "hcghyb"]
    fast = [best_formats(each, "gflops") for each in (double, single)]
    rest = all(count(each, "csr5") + count(each, "ell") == len(each) for each in fast)
    yield say(place, "CSR5 has the most on {} of {} (single {})", count(fast[0], "csr5"), len(fast[0]),
              count(fast[1], "csr5") if rest else -1)
    slow = [best_formats(each, "us", names=others) for each in (double, single)]
    both = all(each[m] == "ell" for each in slow for m in ("poli_large", "poli4"))
    yield say(place, "the slowest is ELL on {}, with poli_large and poli4, HYB on {}, CSR on {} (single: {}, {}, {})",
              *(count(each, name) if both else -1 for each in slow for name in ("ell", "hyb", "csr-scalar")))
    place, some = "section 8.1; section 8.2.3, text", shared(double)
    pairs = [[double[name][m] for m in some] for name in (atomic, "hyb")]
    values = [[fmean(e["warpEfficiency"] for e in each) * 100, fmean(e["instructionsPerWarp"] for e in each)]
              for each in pairs]
    yield say(place, "of {} percent and {} instructions per warp in the mean, ours without them {} and {}",
              *values[0], *values[1])
    yield say(place, "on {} of {} matrices it has less efficiency, on {} more instructions",
              sum(a["warpEfficiency"] < b["warpEfficiency"] for a, b in zip(*pairs)), len(some),
              sum(a["instructionsPerWarp"] > b["instructionsPerWarp"] for a, b in zip(*pairs)))
    (mean, longer), again = with_atomics(double), with_atomics(single)
    yield say(place, "takes {} times as long in the geometric mean and longer on {} of {} (single: {} and {})", mean,
              longer, len(some), *again)


def figures(of):
    counted, others = hcghyb.counted(of["hcghyb-h200"]), hcghyb.counted(of["hcghyb-h100"])
    double, single = counted["f64"], counted["f32"]
    atomic = hcghyb.ATOMIC

    def say(place, template, *values):
        return "HCGHYB", place, template, values

    left = sorted(twin_of(m) for m in set(double["csr-scalar"]) - shared(double))
    yield say("text", "CSR, ELL and CSR5 ran on {} matrices, HYB and HCGHYB on {}: " + " and ".join(left) + " has no",
              len(double["ell"]) if len(double["ell"]) == len(double["csr5"]) == len(double["csr-scalar"]) else -1,
              len(double["hcghyb"]))
    yield say("text", "over the other {}", len(shared(double)))
    yield say("text", "was not, ELL ran on {}", len(others["f64"]["ell"]))
    yield say("text", "differ on {} of the {} matrices (in single on {}; H100: {} and {})",
              len(other_k(double)),
              len(double["hcghyb"]), *(len(other_k(each)) for each in (single, others["f64"], others["f32"])))
    yield say("text", "on bayer04 {} and {}.", *other_k(double)["bayer04"])
    yield say("abstract", "{} (ratio of mean GFLOP/s), over HYB with atomics {}",
              *(gains(double, base, "gflops")[1] for base in ("hyb", atomic)))
    yield say("Table 1", "entries for {} of {}", sum(e["nnz"] == ENTRIES[twin_of(m)]
                                                  for m, e in double["csr-scalar"].items()), len(ENTRIES))
    for place, name, words in (("Figures 1 to 5", "csr-scalar", 5), ("Figures 6 to 10", "ell", 5),
                               ("Figures 11 to 15", "hyb", 5), ("Figures 16 to 20", "csr5", 5)):
        metrics = list(hcghyb.METRICS)[:words]
        yield say(place, "{} matrices: " + ", ".join(SHORT[metric] + " {} and {}" for metric in metrics),
                  len(double[name]), *(x for metric in metrics for x in correlations(double[name], metric)))
    yield say("Figures 6 to 10", "efficiency is {} percent or more", 100 * min(
        e["warpEfficiency"] for each in (double, single) for e in each["ell"].values()))
    yield say("Figures 6 to 10", "for occupancy ({}, in single {}), which", *(
        correlations(each["ell"], "occupancy")[0] for each in (double, single)))
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
              "{}, HYB {}, CSR5 {}", sum(cells.values()), sum(equal_cells(single).values()), *cells.values())
    yield say("Table 2", "with HYB with atomics {} and {})", *(
        sum(equal_cells(each | {"hyb": each[atomic]}).values()) for each in (double, single)))
    yield say("Figures 16 to 20", "for time with the spread ({})", correlations(double["csr5"], "us")[1])
    yield say("Figures 16 to 20", "GFLOP/s rather grow ({})", correlations(double["csr5"], "gflops")[1])
    sixteen = shared(double)
    template = "{}, {} (with atomics {}), {}, {}, {}; `csr-vector` {}; with ch7-8-b5 ELL {}, CSR {}, CSR5 {}"
    for figure, (metric, scale) in enumerate(zip(hcghyb.METRICS, (1, 1, 1, 1, 100)), 21):
        own, few = means(double, metric), means(double, metric, sixteen)
        names = "hcghyb", "hyb", atomic, "ell", "csr-scalar", "csr5", "csr-vector"
        yield say(f"Figure {figure}", template, *(scale * few[name] for name in names),
                  *(scale * own[name] for name in ("ell", "csr-scalar", "csr5")))
    few = means(double, "occupancy", sixteen)
    *shares, last = (few[name] / paper for name, paper in zip(hcghyb.ORDER, hcghyb.MEANS["occupancy"]))
    best = best_formats(double, "occupancy")
    yield say("Figure 23", "on {} of {} matrices only (ELL on {}, CSR5 on {}; in single ELL on {})",
              count(best, "hcghyb"), len(best), count(best, "ell"), count(best, "csr5"),
              count(best_formats(single, "occupancy"), "ell"))
    yield say("Figure 23", "than HYB on {} of {} and than HYB with atomics on {}", ahead(double, "hyb", "occupancy"),
              len(best), ahead(double, atomic, "occupancy"))
    for each in (double, single):
        names = {name: fmean(each[name][m]["instructionsPerWarp"] for m in shared(each)) for name in hcghyb.ORDER}
        if sorted(names, key=names.get)[-2] != "csr-scalar":
            yield say("Figure 24", "CSR has not the second most instructions")
    yield from text_figures(say, double, single)
    yield say("Figure 23", "values are {} to {} times the paper's, CSR5's {}", min(shares), max(shares), last)
    for place, metric, kind, some, template in (
            ("Figure 21", "us", double, sixteen, "The order is "),
            ("Figure 21", "us", single, sixteen, "The order is "),
            ("Figure 22", "gflops", double, sixteen, "the order is "),
            ("Figure 22", "gflops", single, sixteen, "in single "),
            ("Figure 22", "gflops", double, None, "with ch7-8-b5 "),
            ("Figure 23", "occupancy", double, sixteen, "the order is "),
            ("Figure 23", "occupancy", single, sixteen, "the order is "),
            ("Figure 24", "instructionsPerWarp", double, sixteen, "the order is "),
            ("Figure 24", "instructionsPerWarp", single, sixteen, "in single ")):
        names = order(kind, metric, some)
        names = names[::-1] if hcghyb.METRICS[metric][2] else names
        yield say(place, template + ", ".join(map(NAMES.get, names)))
    for experiment, template in (("hcghyb", "{} times as fast as HYB (geometric mean, {} to {})"),
                                 ("hcghyb-atomic", "{} times as fast as HYB with atomics ({} to {})")):
        fast = times(of["hcghyb-h200"], "f64", experiment)
        yield say("Figure 21", template, geometric_mean(fast), min(fast), max(fast))
    for base, template in (("hyb", "on the {} matrices, {} ({} to {})"), (atomic, "and {} ({} to {}). Two copies")):
        fast = [double[base][m]["us"] / double["hcghyb"][m]["us"] for m in sixteen]
        size = [len(fast)] if base == "hyb" else []
        yield say("Figure 21", template, *size, geometric_mean(fast), min(fast), max(fast))
    yield say("Figure 21", "takes {} us or more", min(
        lines["hcghyb"]["us"] for (_, kind), lines in of["hcghyb-h200"].of("hcghyb").items()
        if kind == "f64" and "hcghyb" in lines))
    calls = between_calls(of["hcghyb-h200"], counted)
    slow = max(calls, key=calls.get)
    yield say("Figure 21", f"up to {{}} times ({slow[0]} in " + {"f32": "single)", "f64": "double)"}[slow[1]],
              calls[slow])
    one = "sections 8.1 and 8.2, one K for both"
    both = [hyb / own for hyb, own in hcghyb.at_one_threshold(of["hcghyb-h200"], "hcghyb-same-k").values()]
    yield say(one, "{} pairs: {} times as fast as HYB in the mean ({} to {})", len(both), geometric_mean(both),
              min(both), max(both))
    for kind, template in (("f64", "in double {} in the mean of {} matrices ({} to {})"),
                           ("f32", "in single {} of {} ({} to {})")):
        ratios = at_the_papers_k(of["hcghyb-h200"], of["analyses"], kind)
        yield say(one, template, geometric_mean(ratios.values()), len(ratios), min(ratios.values()),
                  max(ratios.values()))
    missing = set(map(twin_of, double["hcghyb"])) - ratios.keys()
    widest, = (double["hyb"][m]["maxnpr"] for m in sixteen if twin_of(m) in missing)
    yield say(one, "whose K = {} is its longest row", widest)
    both = hcghyb.at_one_threshold(of["hcghyb-h200"], "hcghyb", "hcghyb-same-k")
    xenon = {(t, k): hyb / own for (m, t, k), (hyb, own) in both.items() if twin_of(m) == "xenon2"}
    few, many = sorted({k for _, k in xenon})
    yield say(one, "xenon2 has {} with this K, {}, and {} with K = {} (in single {} and {})", xenon["f64", many], many,
              xenon["f64", few], few, xenon["f32", many], xenon["f32", few])
    yield say(one, "has rows of {} entries", double["hyb"]["twin:xenon2,as=paper"]["maxnpr"])
    yield say(one, "all but " + " and ".join(sorted(missing)))
    for base, word in (("hyb", "Over our HYB: "), (atomic, "Over HYB with atomics: ")):
        metrics = list(hcghyb.METRICS)[:5 if base == "hyb" else 4]
        yield say("equations 1 to 5", word + "; ".join(SHORT[metric] + " {}, {}, {}" for metric in metrics),
                  *(x for metric in metrics for x in gains(double, base, metric)[:3]))
    for gain in gains(double, atomic, "warpEfficiency")[:3]:
        yield say("equations 1 to 5", "efficiency {} in all three", gain)
    yield say("equations 1 to 5", "in occupancy on {} of {}, in instructions on {}, in efficiency on {}",
              *(x for metric in ("occupancy", "instructionsPerWarp", "warpEfficiency")
                for x in [ahead(double, atomic, metric), len(sixteen)][:2 if metric == "occupancy" else 1]))
    same = {m for m in double["hcghyb"] if twin_of(m) not in other_k(double)}
    kept = [metric for metric in hcghyb.METRICS if metric != "gflops"]
    yield say("equations 1 to 5", "On the {} matrices with one K, over our HYB, the ratios of means are: "
              "time {}, occupancy {}, instructions {}, efficiency {}; with atomics {}, {}, {}, {}", len(same),
              *(gains(double, base, metric, same)[1] for base in ("hyb", atomic) for metric in kept))
    fast, ours = (times(of[name], "f64", skewed=False) for name in ("hcghyb-h100", "hcghyb-h200"))
    yield say("section 9, future work; section 8.1", "{} times as fast as HYB on the {} (geometric mean, {} to {}; "
              "H200, `bench` too, {})", geometric_mean(fast), len(fast), min(fast), max(fast),
              geometric_mean(ours) if len(ours) == len(fast) else -1)
