"""The figures of PAPERS.md about PMF, from the kept results."""

import math
from statistics import fmean, median

from experiments import pmf
from experiments.results import geometric_mean, twin_of

PAPERS_BUS = 16  # GB/s, B of Table 2
KNOWN = "coo", "csr-scalar", "ell", "hyb"  # the formats of the paper


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


def speeds_tested(results, kind, memory="pageable"):
    nnz, times = nnz_of(results), pmf.tested(results, memory)
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


def printed_times(results):
    """{(matrix, type, our format): (T on the GT 645M as Table 3 implies, bytes that are copied, of x and y too)}"""
    out = {}
    for (matrix, kind), x in results.analyses("analysis-gt645m").items():
        for at, (name, paper) in enumerate(pmf.FORMATS.items()):
            error = pmf.TABLE_3[twin_of(matrix)][2 * at + pmf.KINDS.index(kind)]
            if error is not None:
                t = x["pmf"]["asPrinted"][paper]
                out[matrix, kind, name] = (t["dtt"] + t["ct"]) * (1 + error / 100), t["dtt"] * PAPERS_BUS * 1000
    return out


def faster_than_printed(results, kind, memory="pageable"):
    """{format: (on how many matrices a tested speed is above that which Table 3 implies for the GT 645M, of how
    many)}"""
    theirs = printed_times(results)
    of = {name: [t[name][0] < theirs[m, k, name][0] for (m, k), t in pmf.tested(results, memory).items()
                 if k == kind and name in t and (m, k, name) in theirs] for name in pmf.FORMATS}
    return {name: (sum(each), len(each)) for name, each in of.items()}


def winners(results, kind, memory=None):
    """The fastest formats, with copies from this memory, or without copies."""
    if memory is None:
        return [min(us, key=us.get) for (_, k), us in pmf.alone(results).items() if k == kind]
    return [pmf.FORMATS[min(t, key=lambda name: t[name][0])]
            for (_, k), t in pmf.tested(results, memory).items() if k == kind]


def right(results, memory=None):
    """For how many matrices and types the format with the least T, or CT, is the fastest."""
    choice = {key: x["pmf"]["asPrinted"]["choice"] for key, x in results.analyses("analysis-pmf").items()}
    if memory is None:
        return sum(min(us, key=us.get) == choice[key]["byCt"].lower() for key, us in pmf.alone(results).items())
    return sum(pmf.FORMATS[min(t, key=lambda name: t[name][0])] == choice[key]["byT"].lower()
               for key, t in pmf.tested(results, memory).items())


def csr_before_coo(results, kind, memory=None):
    if memory is None:
        return sum(us["csr"] < us["coo"] for (_, k), us in pmf.alone(results).items() if k == kind)
    return sum(t["csr-scalar"][0] < t["coo"][0]
               for (_, k), t in pmf.tested(results, memory).items() if k == kind)


def estimated_csr_before_coo(results, kind):
    return sum(sum(t["csr"].values()) < sum(t["coo"].values())
               for (_, k), x in results.analyses("analysis-gt645m").items() if k == kind
               for t in [{f: {w: x["pmf"]["asPrinted"][f][w] for w in ("dtt", "ct")}
                          for f in ("csr", "coo")}])


def choices(results, reading, kind):
    return [x["pmf"][reading]["choice"]["byT"] for (_, k), x in results.analyses("analysis-gt645m").items()
            if k == kind]


def best_thresholds(results):
    """{(matrix, type): (Algorithm 2's K, the automatic one, the best, the longest row, us of these three)}"""
    seen, out = results.analyses("analysis-pmf"), {}
    for key, us in pmf.measured_thresholds(results).items():
        ks = seen[key]["pmf"]["asPrinted"]["hyb"]["k"], seen[key]["hybK"]["rowShare"], min(us, key=us.get)
        if ks[0] in us and ks[1] in us:
            out[key] = *ks, max(us), *(us[k] for k in ks)
    return out


def auto_over_algorithm(thresholds, different=False):
    return [us[1] / us[0] for algorithm, auto, _, _, *us in thresholds.values() if algorithm != auto or not different]


def over_best(thresholds):
    """{(matrix, type): time at Algorithm 2's K over that at the best}"""
    return {key: algorithm / best for key, (*_, algorithm, _, best) in thresholds.items()}


def device_thresholds(results):
    """The row share's time over that of the corrected K, where they differ: mean, cases, those above 1.15, and where
    the row share's K is the larger one."""
    ratios, larger = [], 0
    for key, lines in results.of("hyb").items():
        k = results.analyses("thresholds").get(key, {}).get("hybK")
        if k and k["pmf"] != k["rowShare"]:
            own, share = pmf.hyb_at(k["pmf"], lines), pmf.hyb_at(k["rowShare"], lines)
            if own and share:
                ratios.append(share / own)
                larger += k["rowShare"] > k["pmf"]
    return geometric_mean(ratios), len(ratios), sum(ratio > 1.15 for ratio in ratios), larger


def errors_of_t(results, memory="pageable"):
    """How far the estimated speed is above the tested one, percent."""
    return [100 * (t[0] / t[2] - 1) for times in pmf.tested(results, memory).values() for t in times.values()]


def same_power_of_ten(results, memory):
    """For how many products the estimated and the tested speed have the same power of ten; of how many."""
    nnz = nnz_of(results)
    speeds = [[nnz[key] / t[at] / 1000 for at in (2, 0)]
              for key, times in pmf.tested(results, memory).items() for t in times.values()]
    return sum(len({math.floor(math.log10(x)) for x in pair}) == 1 for pair in speeds), len(speeds)


def slower_coo(results, kind, memory=None):
    """For how many matrices COO is slower than CSR, and than ELL, each with of how many."""
    if memory is None:
        times = [us for (_, k), us in pmf.alone(results).items() if k == kind]
    else:
        times = [{pmf.FORMATS[name]: t[0] for name, t in of.items()}
                 for (_, k), of in pmf.tested(results, memory).items() if k == kind]
    out = []
    for other in ("csr", "ell"):
        some = [us for us in times if other in us]
        out += [sum(us["coo"] > us[other] for us in some), len(some)]
    return tuple(out)


def known_over_fastest(results, worst):
    """{(matrix, type): time of the fastest plan of the formats that PMF knows over that of the fastest that is chosen
    by itself} on the unseen matrices whose fastest plan takes 5 us or more. CSR5 was not chosen by itself: only then
    is the worst choice, which is CSR with a thread a row, as much slower as the judgements say."""
    us = {}
    for line in results.lines:
        name = line.get("format") or "cusparse"
        if not name.startswith("cusparse") and name != "csr5" and line.get("plans"):
            us.setdefault((line["matrix"], line["type"]), {})[name] = min(plan["us"] for plan in line["plans"])
    matrix, times = worst
    if abs(max(of["csr-scalar"] / min(of.values()) for (m, _), of in us.items() if m == matrix) - times) > 0.01:
        return {}
    return {key: min(t for name, t in of.items() if name in KNOWN) / min(of.values())
            for key, of in us.items() if min(of.values()) >= 5}


def shares_of_copies(results, memory="pageable"):
    """The copies' percent of the time of a product with copies."""
    return [100 * (1 - t[1] / t[0]) for times in pmf.tested(results, memory).values() for t in times.values()]


def fastest_copy(results, memory="pageable"):
    """GB/s to the GPU at most."""
    up, _ = pmf.MEMORIES[memory]
    return max(line["bytes"] / line[up] / 1000 for line in results.lines_of("copies"))


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


def choice_figures(say, h200, h100):
    both = [choices(h200, reading, kind) for reading, kind in
            (("asPrinted", "f32"), ("corrected", "f32"), ("asPrinted", "f64"), ("corrected", "f64"))]

    def count(names, name):
        return sum(each == name for each in names)

    yield say("Algorithm 1", "CSR for all {} twins in single", min(count(each, "CSR") for each in both[:2]))
    yield say("Algorithm 1", "COO for {} as printed (TSOPF_RS_b300_c3) and for {} corrected",
              count(both[2], "COO"), count(both[3], "COO"))
    pageable, locked = (right(h200, memory) for memory in pmf.MEMORIES)
    yield say("Algorithm 1", "right for {} of 20 with copies from either memory",
              pageable if pageable == locked else -1)
    yield say("Algorithm 1", "(H100, pageable: {})", right(h100, "pageable"))
    yield say("Algorithm 1", "right without copies for {} of 20 (H100: {})", right(h200), right(h100))
    for kind in pmf.KINDS:
        ks = [h200.analyses("analysis-gt645m")[m, kind]["pmf"]["asPrinted"]["hyb"]["k"] for m in pmf.MATRICES]
        yield say("Algorithm 2", ", ".join(["{}"] * 9) + " and {} for the ten twins", *ks)


def speed_figures(say, h200, h100):
    speeds = "COO {} to {}, CSR {} to {}, ELL {} to {} NNZ per ns"
    for kind, at in (("f32", 3), ("f64", 5)):
        yield say(f"Figure {at}", speeds, *speeds_estimated(h200, kind))
        tested = f"Figure {at + 1}"
        yield say(tested, "from pageable memory " + speeds, *speeds_tested(h200, kind))
        yield say(tested, "(H100 {} to {}, {} to {}, {} to {})", *speeds_tested(h100, kind))
        yield say(tested, "from page-locked memory {} to {}, {} to {}, {} to {}",
                  *speeds_tested(h200, kind, "page-locked"))
        yield say(tested, "without copies {} to {}, {} to {}, {} to {}", *speeds_alone(h200, kind))
        ours, locked = (faster_than_printed(h200, kind, memory) for memory in pmf.MEMORIES)
        theirs = faster_than_printed(h100, kind)
        yield say(tested, "CSR is faster for {} of {} (H100: {}), COO for {} of {} (H100: {}), ELL for {} of {} "
                  "(H100: {} of {})", *ours["csr-scalar"], theirs["csr-scalar"][0], *ours["coo"],
                  theirs["coo"][0], *ours["ell"], *theirs["ell"])
        yield say(tested, "from page-locked memory all {} are faster", sum(n for n, of in locked.values() if n == of)
                  if all(n == of for n, of in locked.values()) else -1)
    for memory, template in (("pageable", "from pageable memory take {} percent of the time in the median of both "
                              "types, {} at least"), ("page-locked", "from page-locked memory {} and {}")):
        yield say("Figure 4", template, *(f(shares_of_copies(h200, memory)) for f in (median, min)))
    yield say("Figure 4", "(H100, pageable: {} and {})", *(f(shares_of_copies(h100)) for f in (median, min)))


def error_figures(say, of, h200, h100):
    errors = {memory: errors_of_t(h200, memory) for memory in pmf.MEMORIES}
    others = errors_of_t(h100)
    yield say("Table 3", "from pageable memory {} of {} within 20 percent, in the mean {} percent too fast (H100: "
              "{} of {}, {})", sum(abs(e) < 20 for e in errors["pageable"]), len(errors["pageable"]),
              fmean(errors["pageable"]), sum(abs(e) < 20 for e in others), len(others), fmean(others))
    locked = errors["page-locked"]
    yield say("Table 3", "from page-locked memory {} of {}, in the mean {} percent too fast, in the median {}",
              sum(abs(e) < 20 for e in locked), len(locked), fmean(locked), median(locked))
    yield say("Table 3", "from pageable memory reach {} at most (H100: {}), from page-locked memory {}",
              fastest_copy(h200), fastest_copy(h100), fastest_copy(h200, "page-locked"))
    rates = [bytes_ / us / 1000 for us, bytes_ in printed_times(h200).values()]
    yield say("Table 3", "imply copies of at least {} GB/s in the median, and for {} of {} of more than the {} GB/s",
              median(rates), sum(rate > PAPERS_BUS for rate in rates), len(rates), PAPERS_BUS)
    for reading, template in (("corrected", "COO {}, CSR (a thread a row) {}, ELL {}, HYB {} percent "
                               "corrected"),
                              ("as-printed", "and {}, {}, {}, {} as printed")):
        by, _ = unseen(of["unseen-judged"], reading, "pmf")
        yield say("Table 3", template, *(by[f] for f in ("coo", "csr-scalar", "ell", "hyb")))
    nnz = nnz_of(h200)
    order = "abstract; text, 6.2 (1)"
    for memory, template in (("pageable", "from pageable memory {} to {}"),
                             ("page-locked", "from page-locked memory {} to {}")):
        speeds = [(nnz[key] / t[2] / 1000, nnz[key] / t[0] / 1000)
                  for key, all_of in pmf.tested(h200, memory).items() for t in all_of.values()]
        estimated, tested = zip(*speeds)
        if memory == "pageable":
            yield say(order, "estimated {} to {} NNZ per ns", min(estimated), max(estimated))
        yield say(order, "tested " + template if memory == "pageable" else template, min(tested), max(tested))
    yield say(order, "the estimate is {} to {} and {} to {} times as high (H100, pageable: {} to {})",
              *(1 + f(each) / 100 for each in (*errors.values(), others) for f in (min, max)))
    same = [same_power_of_ten(*each) for each in ((h200, "page-locked"), (h200, "pageable"), (h100, "pageable"))]
    yield say(order, "({} of {} in the same power of ten)", *same[0])
    yield say(order, "({} of {}; H100: {} of {})", *same[1], *same[2])
    if max(max(of) for of in (*errors.values(), others)) >= 900:
        yield say(order, "a speed is ten times the estimate")
    yield say("text, 6.2 (2)", "{} of {} with copies from either memory; H100: {} of {}",
              sum(e < 0 for each in errors.values() for e in each), len(locked), sum(e < 0 for e in others),
              len(others))


def format_figures(say, h200, h100):
    def count(names, name):
        return sum(each == name for each in names)

    fastest = [winners(h200, kind, memory) for kind in pmf.KINDS for memory in pmf.MEMORIES]
    for each in fastest:
        yield say("text, 6.2 (3)", "fastest for {}; in both types CSR for {} and COO for {}",
                  count(each, "ell"), count(each, "csr"), count(each, "coo"))
    yield say("text, 6.2 (3)", "(H100, pageable: CSR for {})", min(count(winners(h100, kind, "pageable"), "csr")
                                                                   for kind in pmf.KINDS))
    ran, old = ({m for (m, _), us in pmf.alone(each).items() if "ell" in us} for each in (h200, h100))
    yield say("text", "ELL runs for {} of the ten on the H200", len(ran))
    yield say("text", "and ELL ran for {}", len(old))
    yield say("text, 6.2 (3)", "ELL for {} in single", count(winners(h200, "f32"), "ell"))
    alone = [winners(h200, kind) for kind in pmf.KINDS]
    yield say("text, 6.2 (3)", "for {} in double (PR02R, raefsky3, raefsky5), COO for the other {} and {}, CSR for "
              "none; ELL ran for {}", count(alone[1], "ell"), *(count(each, "coo") for each in alone),
              len(ran) if not any(count(each, "csr") for each in alone) else -1)
    copied = [slower_coo(h200, kind, memory) for kind in pmf.KINDS for memory in pmf.MEMORIES]
    single, double = (slower_coo(h200, kind) for kind in pmf.KINDS)
    yield say("section 1", "COO is slower than CSR for {} of {} and slower than ELL for {} of {}",
              *(copied[0] if len(set(copied)) == 1 else [-1] * 4))
    yield say("section 1", "slower than CSR for {} of {}, than ELL for {} of {} in single and {} of {} in double",
              single[0] if single[0] == double[0] else -1, *single[1:], *double[2:])
    single = [csr_before_coo(h200, "f32", memory) for memory in pmf.MEMORIES]
    yield say("text, 6.2 (4)", "predicted for {} on the GT 645M; tested with copies from either memory for {}, "
              "all but TSOPF_RS_b300_c3 (H100, pageable: {}); without copies for {} (H100: {})",
              estimated_csr_before_coo(h200, "f32"), single[0] if len(set(single)) == 1 else -1,
              csr_before_coo(h100, "f32", "pageable"), csr_before_coo(h200, "f32"), csr_before_coo(h100, "f32"))
    double = [10 - csr_before_coo(h200, "f64", memory) for memory in pmf.MEMORIES]
    yield say("text, 6.2 (5)", "CSR slower for {}, TSOPF_RS_b300_c3; tested with copies from either memory: "
              "slower for {}, TSOPF_RS_b300_c3 (H100, pageable: {}); without copies: slower for {} (H100: {})",
              10 - estimated_csr_before_coo(h200, "f64"), double[0] if len(set(double)) == 1 else -1,
              10 - csr_before_coo(h100, "f64", "pageable"), 10 - csr_before_coo(h200, "f64"),
              10 - csr_before_coo(h100, "f64"))
    slow = pmf.alone(h200)["twin:TSOPF_RS_b300_c3", "f64"]
    yield say("text, 6.2 (5)", "CSR takes {} times as long", slow["csr"] / slow["coo"])


def threshold_figures(say, h200, h100, older):
    ours, theirs = best_thresholds(h200), best_thresholds(h100)
    apart, every = auto_over_algorithm(ours, True), auto_over_algorithm(ours)
    others = auto_over_algorithm(theirs, True)
    yield say("abstract", "{} in the mean of the {} cases where the K differ ({} of all {}; H100: {} and {}), and {} "
              "times the time of the best K that was tried, COO and ELL among them (H100: {})",
              *(geometric_mean(apart), len(apart)), *(geometric_mean(every), len(every)),
              geometric_mean(others) if len(others) == len(apart) else -1, geometric_mean(auto_over_algorithm(theirs)),
              *(geometric_mean(over_best(each).values()) for each in (ours, theirs)))
    faster = [(algorithm, auto) for algorithm, auto, _, _, *us in ours.values() if algorithm != auto and us[1] < us[0]]
    yield say("abstract", "In {} of the {} cases where the automatic K is faster it is the smaller one",
              sum(auto < algorithm for algorithm, auto in faster), len(faster))
    costs = over_best(ours)
    plain = [costs[key] for key, (_, _, best, longest, *_) in ours.items() if best == longest]
    most = sorted(costs, key=costs.get)[-len(plain):]
    right = {twin_of(matrix) for matrix, _ in most} == {"raefsky3", "raefsky5"} and sorted(plain) == sorted(
        costs[key] for key in most)
    yield say("abstract", "(raefsky3 and raefsky5, {} to {})", *((min(plain), max(plain)) if right else (-1, -1)))
    mean, cases, above, larger = device_thresholds(h200)
    place = "abstract, corrected K"
    yield say(place, "{} in the mean of the {} cases where the K differ, above 1.15 in {}", mean, cases, above)
    yield say("abstract, corrected K", "is the larger one in all {}", larger if larger == cases else -1)
    mean, _, above, _ = device_thresholds(h100)
    yield say(place, "(H100: {} and {}); the same", mean, above)
    yield say(place, "in an older run (`older-h200`): {} in the mean of {}, above 1.15 in {}",
              *device_thresholds(older)[:3])


def figures(of):
    """(section, place, template, values) of each figure."""
    h200, h100 = of["pmf-h200"], of["pmf-h100"]

    def say(place, template, *values):
        return "PMF", place, template, values

    yield from choice_figures(say, h200, h100)
    yield from speed_figures(say, h200, h100)
    yield from error_figures(say, of, h200, h100)
    yield from format_figures(say, h200, h100)
    yield from threshold_figures(say, h200, h100, of["older-h200"])
    cases, printed, worst, _ = unseen(of["unseen-judged"], "as-printed", "pmf")[1]
    _, mean, most, matrix = unseen(of["unseen-judged"], "corrected", "pmf")[1]
    yield say("section 7", f"in the worst case, `{matrix}`, it takes CSR")
    yield say("section 7", "{} cases of 5 us and more", cases)
    yield say("section 7", "{} in the mean and {} at worst as printed, {} and {} corrected", printed, worst,
              mean, most)
    ratios = known_over_fastest(of["unseen"], (matrix, most))
    yield say("section 7", "the fastest of COO, CSR, ELL and HYB takes {} times its time in the mean",
              geometric_mean(ratios.values()) if len(ratios) == cases else -1)
    yield say("section 7", "fitted to benchmarks: {} and {}",
              *unseen(of["unseen-judged"], "corrected", "traffic")[1][1:3])
    within = [[sum(abs(e) < 20 for e in errors), len(errors)] for errors in (
        errors_of_t(h200), errors_of_t(h100), errors_of_t(h200, "page-locked"))]
    yield say('section 7, "general"', "are {} of {} and {} of {} estimates as printed, from page-locked memory (H200) "
              "{} of {}", *(x for pair in within for x in pair))
    us = iterations(of["ranks"], "stencil27:n=256")
    yield say("section 7, future work", "takes {} us on one H100, {} on two and {} on four", us[1], us[2],
              us[4])
    errors = overlapped(of["ranks"])
    yield say("section 7, future work", "{} have a prediction, which is {} percent off in the mean and {} at "
              "worst",
              len(errors), fmean(errors), max(errors))
