"""The figures of PAPERS.md about PMF, from the kept results."""

from statistics import fmean, median

from experiments import pmf
from experiments.results import geometric_mean, twin_of

TITLES = {"coo": "COO", "csr-scalar": "CSR", "ell": "ELL"}


def speeds_estimated(results, kind):
    """The least and the most NNZ / T per ns of each format on the GT 645M as printed."""
    out = []
    for paper in pmf.FORMATS.values():
        of = [x["matrix"]["nnz"] / (t["dtt"] + t["ct"]) / 1000 for (_, k), x in
              results.analyses("analysis-gt645m").items() if k == kind
              for t in [x["pmf"]["asPrinted"][paper]]]
        out += [min(of), max(of)]
    return out


def nnz_of(results):
    return {key: next(iter(lines.values()))["nnz"] for key, lines in results.of("pmf").items()}


def speeds_tested(results, kind):
    nnz, times = nnz_of(results), pmf.tested(results)
    out = []
    for name in pmf.FORMATS:
        of = [nnz[key] / t[name][0] / 1000 for key, t in times.items() if key[1] == kind and name in t]
        out += [min(of), max(of)]
    return out


def speeds_alone(results, kind):
    nnz, out = nnz_of(results), []
    for paper in pmf.FORMATS.values():
        of = [nnz[key] / us[paper] / 1000 for key,
     us in pmf.alone(results).items() if key[1] == kind and paper in us]
        out += [min(of), max(of)]
    return out


def faster_than_printed(results, kind):
    """On how many matrices a tested speed is above that which Table 3 implies for the GT 645M, by format."""
    seen, nnz = results.analyses("analysis-gt645m"), nnz_of(results)
    out = dict.fromkeys(pmf.FORMATS, 0)
    for (matrix, k), times in pmf.tested(results).items():
        for at, (name, paper) in enumerate(pmf.FORMATS.items()):
            error = pmf.TABLE_3[twin_of(matrix)][2 * at + pmf.KINDS.index(kind)]
            if k == kind and name in times and error is not None:
                t = seen[matrix, kind]["pmf"]["asPrinted"][paper]
                theirs = nnz[matrix, kind] / (t["dtt"] + t["ct"]) / (1 + error / 100)
                out[name] += nnz[matrix, kind] / times[name][0] > theirs
    return out


def winners(results, kind, copied):
    times = pmf.tested(results) if copied else pmf.alone(results)
    names = [min(t, key=lambda name: t[name][0] if copied else t[name])
             for (_, k), t in times.items() if k == kind]
    return [pmf.FORMATS.get(name, name) for name in names]


def right(results, copied):
    """For how many matrices and types the format with the least T, or CT, is the fastest."""
    choice = {key: x["pmf"]["asPrinted"]["choice"] for key, x in results.analyses("analysis-pmf").items()}
    if copied:
        return sum(pmf.FORMATS[min(t, key=lambda name: t[name][0])] == choice[key]["byT"].lower()
                   for key, t in pmf.tested(results).items())
    return sum(min(us, key=us.get) == choice[key]["byCt"].lower() for key, us in pmf.alone(results).items())


def csr_before_coo(results, kind, copied):
    if copied:
        return sum(t["csr-scalar"][0] < t["coo"][0] for (_, k), t in pmf.tested(results).items() if k == kind)
    return sum(us["csr"] < us["coo"] for (_, k), us in pmf.alone(results).items() if k == kind)


def estimated_csr_before_coo(results, kind):
    return sum(sum(t["csr"].values()) < sum(t["coo"].values())
               for (_, k), x in results.analyses("analysis-gt645m").items() if k == kind
               for t in [{f: {w: x["pmf"]["asPrinted"][f][w] for w in ("dtt", "ct")}
                          for f in ("csr", "coo")}])


def choices(results, reading, kind):
    return [x["pmf"][reading]["choice"]["byT"] for (_, k), x in results.analyses("analysis-gt645m").items()
            if k == kind]


def best_thresholds(results):
    """Geometric means of the automatic K's time over Algorithm 2's, and of that over the best; cases."""
    seen, auto, best = results.analyses("analysis-pmf"), [], []
    for key, us in pmf.measured_thresholds(results).items():
        algorithm, share = us.get(
    seen[key]["pmf"]["asPrinted"]["hyb"]["k"]), us.get(
        seen[key]["hybK"]["rowShare"])
        if algorithm and share:
            auto.append(share / algorithm)
            best.append(algorithm / min(us.values()))
    return geometric_mean(auto), geometric_mean(best), len(auto)


def device_thresholds(results):
    """The row share's time over that of the corrected K, where they differ: mean, cases, those above 1.15."""
    ratios = []
    for key, lines in results.of("hyb").items():
        k = results.analyses("thresholds").get(key, {}).get("hybK")
        if k and k["pmf"] != k["rowShare"]:
            own, share = pmf.hyb_at(k["pmf"], lines), pmf.hyb_at(k["rowShare"], lines)
            if own and share:
                ratios.append(share / own)
    return geometric_mean(ratios), len(ratios), sum(ratio > 1.15 for ratio in ratios)


def errors_of_t(results):
    """How far the estimated speed is above the tested one, percent."""
    return [100 * (t[0] / t[2] - 1) for times in pmf.tested(results).values() for t in times.values()]


def shares_of_copies(results):
    """The copies' percent of the time of a product with copies."""
    return [100 * (1 - t[1] / t[0]) for times in pmf.tested(results).values() for t in times.values()]


def unseen(results, reading, model):
    """{format: mean error in percent} and (cases, mean regret, worst) of a model on the unseen matrices."""
    lines = [line for line in results.lines_of(f"unseen-{reading}-own") if line["model"] == model]
    regret = next(line for line in lines if line.get("group") == "long")
    return ({line["format"]: 100 * line["meanError"] for line in lines if "format" in line},
            (regret["cases"], regret["regret"], regret["worst"], regret["worstMatrix"]))


def overlapped(results):
    """Errors of the predicted products on several GPUs that overlap the exchange, percent; ours only."""
    return [100 * abs(line["predictedOverlapUs"] / line["productUs"] - 1) for line in results.lines
            if line["overlap"] and line["predictedOverlapUs"] and not line["plan"].startswith("cusparse")]


def iterations(results, matrix):
    """{GPUs: us} of an iteration with our plans on the machine with four GPUs, where overlap was not set."""
    out = {}
    for line in results.lines:
        if line["machine"] == "4 x H100" and line["matrix"] == matrix and not line["formats"]:
            if line["ranks"] == 1 or line["predictedOverlapUs"]:
                out[line["ranks"]] = line["iterationUs"]
    return out


def figures(of):
    """(section, place, template, values) of each figure."""
    alone, copies, h100 = of["pmf-h200"], of["pmf-copies"], of["pmf-h100"]

    def say(place, template, *values):
        return "PMF", place, template, values

    def count(names, name):
        return sum(each == name for each in names)

    both = [choices(alone, reading, kind) for reading, kind in
            (("asPrinted", "f32"), ("corrected", "f32"), ("asPrinted", "f64"), ("corrected", "f64"))]
    yield say("Algorithm 1", "CSR for all {} twins in single", min(count(each, "CSR") for each in both[:2]))
    yield say("Algorithm 1", "COO for {} as printed (TSOPF_RS_b300_c3) and for {} corrected",
              count(both[2], "COO"), count(both[3], "COO"))
    yield say("Algorithm 1", "for {} of 20 (`pmf-copies`; COO", right(copies, True))
    yield say("Algorithm 1", "for {} of 20 (`pmf-h100`), since", right(h100, True))
    yield say("Algorithm 1", "for {} of 20 (`pmf-copies`), {} of 20 (`pmf-h200`) and {} of 20 (`pmf-h100`)",
              right(copies, False), right(alone, False), right(h100, False))
    for kind in pmf.KINDS:
        ks = [alone.analyses("analysis-gt645m")[m, kind]["pmf"]["asPrinted"]["hyb"]["k"]
                             for m in pmf.MATRICES]
        yield say("Algorithm 2", ", ".join(["{}"] * 9) + " and {} for the ten twins", *ks)
    for kind, at in (("f32", 3), ("f64", 5)):
        yield say(f"Figure {at}", "COO {} to {}, CSR {} to {}, ELL {} to {} NNZ per ns",
                  *speeds_estimated(alone, kind))
        tested = f"Figure {at + 1}"
        yield say(tested, "with copies (`pmf-copies`) COO {} to {}, CSR {} to {}, ELL {} to {} NNZ",
                  *speeds_tested(copies, kind))
        yield say(tested, "(H100 {} to {}, {} to {}, {} to {})", *speeds_tested(h100, kind))
        yield say(tested, "without copies (`pmf-h200`) {} to {}, {} to {}, {} to {}",
                  *speeds_alone(alone, kind))
        ours, theirs = faster_than_printed(copies, kind), faster_than_printed(h100, kind)
        more = "; on scircuit by less than 1 percent" if kind == "f64" else ""
        yield say(tested, "CSR is faster for {} of 10 (H100: {}" + more + "), COO for {}", ours["csr-scalar"],
                  theirs["csr-scalar"], ours["coo"])
        yield say(tested, "(H100: {}), ELL for {} of 7 (H100: {})", theirs["coo"], ours["ell"], theirs["ell"])
    errors, others = errors_of_t(copies), errors_of_t(h100)
    yield say("Table 3", "{} of {} within 20 percent, in the mean {} percent too fast (H100: {})",
              sum(abs(e) < 20 for e in errors), len(errors), fmean(errors), fmean(others))
    yield say("Table 3", "reaches {} at most (H100: {})", *(max(
        line["bytes"] / line["uploadUs"] / 1000 for line in where.lines_of("copies"))
                                                            for where in (copies, h100)))
    yield say("Figure 4", "{} percent of the time in the median of both types, {} at least (H100: {} and {})",
              *(f(shares_of_copies(where)) for where in (copies, h100) for f in (median, min)))
    for reading, template in (("corrected", "COO {}, CSR (a thread a row) {}, ELL {}, HYB {} percent "
                               "corrected"),
                              ("as-printed", "and {}, {}, {}, {} as printed")):
        by, _ = unseen(of["unseen-judged"], reading, "pmf")
        yield say("Table 3", template, *(by[f] for f in ("coo", "csr-scalar", "ell", "hyb")))
    times, nnz = pmf.tested(copies), nnz_of(copies)
    speeds = [(nnz[key] / t[2] / 1000, nnz[key] / t[0] / 1000)
               for key, all_of in times.items() for t in all_of.values()]
    order = "abstract; text, 6.2 (1)"
    yield say(order, "estimated {} to {}, tested {} to {} NNZ", min(e for e, _ in speeds),
              max(e for e, _ in speeds),
              min(t for _, t in speeds), max(t for _, t in speeds))
    yield say(order, "{} to {} times as much (H100: {} to {})", *(1 + e / 100 for e in (
        min(errors), max(errors), min(others), max(others))))
    yield say(order, "only if a factor of {} (H100: {})", 1 + max(errors) / 100, 1 + max(others) / 100)
    yield say("text, 6.2 (2)", "{} of {}; H100: {} of {}", sum(e < 0 for e in errors), len(errors),
              sum(e < 0 for e in others), len(others))
    fastest = [winners(copies, kind, True) for kind in pmf.KINDS]
    for each in fastest:
        yield say("text, 6.2 (3)", "fastest for {}; in both types CSR for {} and COO for {}",
                  count(each, "ell"),
                  count(each, "csr"), count(each, "coo"))
    yield say("text, 6.2 (3)", "(H100: CSR for {})", min(count(winners(h100, kind, True), "csr")
                                                         for kind in pmf.KINDS))
    ran = {m for (m, _), us in pmf.alone(alone).items() if "ell" in us}
    yield say("text, 6.2 (3)", "ELL for {} in single", count(winners(alone, "f32", False), "ell"))
    yield say("text, 6.2 (3)", "for {} in double (PR02R, raefsky5); ELL ran for {}",
              count(winners(alone, "f64", False), "ell"), len(ran))
    yield say("text, 6.2 (4)", "predicted for {} on the GT 645M; tested with copies for {} (`pmf-copies`), "
              "all but TSOPF_RS_b300_c3 (H100: {}); without copies for {}, raefsky5, in `pmf-h200`, and for "
              "{} in `pmf-copies` (H100: {})", estimated_csr_before_coo(alone, "f32"),
              *(csr_before_coo(where, "f32", copied) for where, copied in (
                  (copies, True), (h100, True), (alone, False), (copies, False), (h100, False))))
    yield say("text, 6.2 (5)", "CSR slower for {}, TSOPF_RS_b300_c3; tested with copies (`pmf-copies`): "
              "slower for {}, TSOPF_RS_b300_c3 (H100: {}); without copies (`pmf-h200`): slower for {} "
              "(H100: {})",
              10 - estimated_csr_before_coo(alone, "f64"), 10 - csr_before_coo(copies, "f64", True),
              10 - csr_before_coo(h100, "f64", True), 10 - csr_before_coo(alone, "f64", False),
              10 - csr_before_coo(h100, "f64", False))
    slow = pmf.alone(alone)["twin:TSOPF_RS_b300_c3", "f64"]
    yield say("text, 6.2 (5)", "CSR takes {} times as long", slow["csr"] / slow["coo"])
    auto, best, cases = best_thresholds(alone)
    yield say("abstract", "{} in the mean of {} cases, and {} times the time of the best", auto, cases, best)
    yield say("abstract", "(H100: {} and {}); corrected", *best_thresholds(h100)[:2])
    mean, cases, above = device_thresholds(alone)
    yield say("abstract", "{} in the mean of the {} cases where the K differ, above 1.15 in {}", mean, cases,
              above)
    mean, cases, above = device_thresholds(h100)
    yield say("abstract", "(H100: {} and {}); the same", mean, above)
    yield say("abstract", "in an older run (`older-h200`): {} in the mean of {}, above 1.15 in {}",
              *device_thresholds(of["older-h200"]))
    cases, printed, worst, _ = unseen(of["unseen-judged"], "as-printed", "pmf")[1]
    _, mean, most, matrix = unseen(of["unseen-judged"], "corrected", "pmf")[1]
    yield say("section 7", f"in the worst case, `{matrix}`, it takes CSR")
    yield say("section 7", "{} cases of 5 us and more", cases)
    yield say("section 7", "{} in the mean and {} at worst as printed, {} and {} corrected", printed, worst,
              mean, most)
    yield say("section 7", "fitted to benchmarks: {} and {}",
              *unseen(of["unseen-judged"], "corrected", "traffic")[1][1:3])
    us = iterations(of["ranks"], "stencil27:n=256")
    yield say("section 7, future work", "takes {} us on one H100, {} on two and {} on four", us[1], us[2],
              us[4])
    errors = overlapped(of["ranks"])
    yield say("section 7, future work", "{} have a prediction, which is {} percent off in the mean and {} at "
              "worst",
              len(errors), fmean(errors), max(errors))
