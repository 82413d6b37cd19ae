"""The figures of PAPERS.md about the strips and statistics papers and the refit, from the kept results."""

import math
import statistics

from experiments import grids, lines, statistics_paper, strips
from experiments.results import geometric_mean, refused_widths, twin_of
from experiments.strips import error, priced

CSR_S = "csr-scalar"
REFIT = "A refit from the full grids"
LINES_OF = "lines-h200", "lines-h100", "grids"


def both(found, *titles):
    """The least and the most of the fits of these titles."""
    some = [fit for title in titles for fit in found[title]]
    return [min(some), max(some)]


def judged(results, reading):
    return priced(results, f"strips-{reading}-own", "strips")


def of_kernels(pairs, names=tuple(strips.FORMATS)):
    """The mean error of each kernel in percent."""
    return [100 * statistics.fmean(error(pair)
                                   for (of, _), pair in pairs.items() if of == name) for name in names]


def near(pairs):
    return sum(error(pair) <= strips.NEAR for pair in pairs.values())


def spread_of(pairs):
    """The least and the most error of CSR without the dense matrix, of that, and of ELL, COO and HYB."""
    dense = "dense:n=2000"
    csr = [100 * error(pair) for (of, m), pair in pairs.items() if of == "csr-vector" and m != dense]
    out = [min(csr), max(csr), 100 * error(pairs["csr-vector", dense])]
    for name in ("ell", "coo", "hyb"):
        errors = [100 * error(pair) for (of, _), pair in pairs.items() if of == name]
        out += [min(errors), max(errors)]
    return out


def laws(results, reading):
    """{(kernel, law): {matrix: error}}"""
    out = {}
    for law in statistics_paper.LAWS:
        for (of, m), pair in priced(results, f"statistics-{reading}-{law}", "statistics").items():
            out.setdefault((of, law), {})[m] = error(pair)
    return out


def law_means(by, kernel, names):
    """Mean errors in percent over the matrices that all fitted laws of the paper have."""
    present = [law for law in statistics_paper.LAWS[:3] if (kernel, law) in by]
    some = set.intersection(*(set(by[kernel, law]) for law in present))
    return [100 * statistics.fmean(e for m, e in by[kernel, law].items() if m in some) for law in names]


def wins(by, kernel, one, other):
    some = by[kernel, one].keys() & by[kernel, other].keys()
    won = sum(by[kernel, one][m] < by[kernel, other][m] for m in some)
    return [won, len(some) - won]


def factors(by):
    """How many times more accurate normal and uniform lengths are, by kernel."""
    out = []
    for kernel in statistics_paper.KERNELS:
        fixed, normal, uniform = law_means(by, kernel, statistics_paper.LAWS[:3])
        out += [fixed / normal, fixed / uniform]
    return out


def estimates(results, reading):
    """{kernel: measured and estimated times of the three laws}"""
    out = {}
    for law in statistics_paper.LAWS[:3]:
        for (of, _), pair in priced(results, f"statistics-{reading}-{law}", "statistics").items():
            out.setdefault(of, []).append(pair)
    return out


def too_long(pairs):
    return sum(predicted > measured for measured, predicted in pairs)


def mean_ratios(results):
    """{(format, matrix, type, median): mean as the papers time / median}"""
    return {(line["format"], line["matrix"], line.get("type"), plan["us"]): plan["usMean"] / plan["us"]
            for line in results.lines if line.get("format") in grids.FORMATS and "matrix" in line
            for plan in line.get("plans", []) if plan.get("usMean")}


def within(ratios, least=0.0):
    some = [ratio for (_, _, _, us), ratio in ratios.items() if us >= least]
    return [sum(abs(ratio - 1) < 0.05 for ratio in some), len(some)]


def of_strips(ratios, results):
    """Those of the strips paper's matrices; two papers share the file of an H100's times."""
    mine = {line["matrix"] for line in results.lines if line.get(
        "experiment", "").startswith("strips") and "matrix" in line}
    return ({key: ratio for key, ratio in ratios.items() if key[1] in mine},
            {key: ratio for key, ratio in ratios.items() if key[1] not in mine})


def fits(results):
    """{figure: the R squared of its lines}"""
    plans = list(grids.plans(results))
    out = {}
    for kernel in lines.KERNELS:
        for law in lines.LAWS[:1] if kernel[5].startswith("strips") else lines.LAWS:
            for kind in ("f32", "f64"):
                times = lines.times_of(plans, kernel[1], kernel[2], law, kind)
                for figure, *_, fit in lines.rows_of(kernel, law, kind, times) if times else []:
                    out.setdefault(figure, []).append(fit)
    for kind in ("f32", "f64"):
        times = lines.times_of(plans, "coo", None, "fixed", kind)
        out.setdefault("strips 10", []).append(lines.r_squared(
            [(p, us) for (i, p), us in times.items() if i == 1]))
    return out


def errors_by_product(results, experiment, law, fmt, model):
    """{(matrix, type, lanes, us): error in percent} of the benchmark matrices of a law."""
    return {(line["matrix"], line["type"], plan["params"].get("csr.lanes"), plan["us"]):
            100 * abs(plan["predictedUs"][model] - plan["us"]) / plan["us"]
            for line in results.lines_of(experiment)
            if line.get("format") == fmt and "matrix" in line
            and grids.NAME.fullmatch(line["matrix"])[1] == law
            for plan in line["plans"] if plan["predictedUs"].get(model)}


def benchmark_errors(results, experiment, law, fmt, model):
    return list(errors_by_product(results, experiment, law, fmt, model).values())


def over_entries(results, title, law, kind, strips_of_rows=None):
    """[(P_NZ, us)] of a kernel of `lines` at the paper's number of strips, or at another."""
    name, fmt, lanes, at, *_ = next(kernel for kernel in lines.KERNELS if kernel[0] == title)
    times = lines.times_of(list(grids.plans(results)), fmt, lanes, law, kind)
    return sorted((p, us) for (i, p), us in times.items() if i == (strips_of_rows or at))


def slopes(points):
    """us an entry of a row up to 1,024 of them and from there on, and R squared of one line through all."""
    below, above = ([(p, us) for p, us in points if has(p)] for has in (
        lambda p: p <= lines.END, lambda p: p >= lines.END))
    return lines.slope(below), lines.slope(above), lines.r_squared(points)


def largest_gains(found, kernel):
    """How many times as accurate normal and uniform lengths are as fixed ones, on the matrix that gains most."""
    fixed = found[kernel, "fixed"]
    return [max(fixed[m] / e for m, e in found[kernel, law].items() if m in fixed) for law in ("normal", "uniform")]


def kernel_times(results, one, other):
    """Times of a kernel over those of another: geometric mean, on how many matrices it takes less, of how many."""
    us = {(line["format"], line["matrix"]): plan["us"]
          for line in results.lines_of("statistics-corrected-fixed") for plan in line.get("plans", [])}
    ratios = [us[one, m] / us[other, m] for name, m in us if name == one and (other, m) in us]
    return geometric_mean(ratios), sum(ratio < 1 for ratio in ratios), len(ratios)


def longest_over_mean(results, law):
    """The longest row over the mean in the benchmark matrices that ELL ran on."""
    return statistics.fmean(plan["params"]["ell.width"] / mean
                            for of, fmt, plan, mean, *_ in grids.plans(results)
                            if (of, fmt) == (law, "ell"))


def unseen(results, reading, law, model):
    return {line["format"]: 100 * line["meanError"] for line in results.lines_of(f"unseen-{reading}-{law}")
            if line["model"] == model and "format" in line}


def figures_of_strips(of):
    def say(place, template, *values):
        return "Strips", place, template, values

    h200, own, wide = of["strips-h200"], of["judged-h100"], of["judged-grids"]
    few, other, many = (fits(of[name]) for name in LINES_OF)

    for most in both(few, "strips 3, 4"):
        yield say("Figures 3, 4", "R squared of a line {} (", most)
    yield say("Figures 3, 4", "(`lines-h100`: {} to {})", *both(other, "strips 3, 4"))
    most_p = max(mean for law, fmt, plan, mean, _, _ in grids.plans(of["grids"])
                 if (law, fmt, plan["params"].get("csr.lanes")) == ("fixed", "csr-vector", 32))
    for most in both(many, "strips 3, 4"):
        yield say("Figures 3, 4", "up to {} at I = 10 {}", most_p, most)
    yield say("Figures 3, 4", "P_NZ of {} to {} at I = 10, of {} to {} at I = 1)", *(
        f(p for p, _ in points) for points in (
            over_entries(of["lines-h200"], "CSR", "fixed", "f32"),
            [at for at in over_entries(of["lines-h200"], "CSR", "fixed", "f32", 1) if at[0] >= lines.END])
        for f in (min, max)))
    both_types = [slopes(over_entries(of["grids"], "CSR", "fixed", kind)) for kind in ("f32", "f64")]
    for fit in (fit for *_, fit in both_types):
        yield say("section III-F", "costs {} us up to 1,024 and {} from there on, {} times as much (double {}); one "
                  "line through all has an R squared of {}", *both_types[0][:2],
                  *(above / below for below, above, _ in both_types), fit)
    yield say("Figures 5, 6", "R squared {} to {} (`lines-h100`: {} to {}); in the full grids of the H100 {} "
              "to {}",
              *(x for found in (few, other, many) for x in both(found, "strips 5, 6")))
    for i in (0, 1):
        yield say("Figures 7, 8, 9", "R squared {} in figures 7 and 8 (`lines-h100`: {}); in the full grids "
                  "of the H100 {} in all three", *(both(found, "strips 7", "strips 8")[i]
                                                   for found in (few, other)),
                  both(many, "strips 7", "strips 8", "strips 9")[i])
        yield say("Figure 10", "R squared {} (`lines-h100`: {}; full grids of the H100: {})",
                  *(both(found, "strips 10")[i] for found in (few, other, many)))
    times, _ = of_strips(mean_ratios(of["times-h100"]), of["times-h100"])
    yield say("section III-D", "for {} of {} plans on the eight (H100: {} of {}), and for {} of {} in the "
              "full grids",
              *within(mean_ratios(h200)), *within(times), *within(mean_ratios(of["grids"])))
    seen = {twin_of(x["matrix"]["name"]): x["matrix"]
            for x in of["analyses"].lines_of("analysis-strips")}
    off = [(100 * abs(seen[m]["rows"] / rows - 1), 100 * abs(seen[m]["nnz"] / entries / 1e6 - 1))
           for m, (rows, _, entries) in strips.TABLE_IV.items()]
    yield say("Table IV", "the rows differ from the printed ones by {} percent or less, the entries by {} percent or "
              "less", *(math.ceil(10 * max(each)) / 10 for each in zip(*off)))
    refused, ran = refused_widths(of["pmf-h200"].lines_of("pmf")), of["pmf-h200"].of("pmf")
    wind, circuit = "twin:pwtk", "twin:scircuit"
    right = wind not in refused and all("ell" in ran[m, kind] for m in (wind, circuit) for kind in ("f32", "f64"))
    line = ran[circuit, "f32"]["csr-scalar"]
    yield say("section IV", "since it would store {} slots for an entry",
              refused[circuit] * line["rows"] / line["nnz"] if right else -1)
    tested = "Figures 11 to 14"
    for results, template in (
            (h200, "CSR is {} to {} percent off but for the dense 2,000 ({}), ELL {} to {}, COO {} to {}, "
             "HYB {} to {}"),
            (own, "by its own fit: CSR {} to {}, dense {}, ELL {} to {}, COO {} to {}, HYB {} to {}"),
            (wide, "the full grids: CSR {} to {}, dense {}, ELL {} to {}, COO {} to {}, HYB {} to {}")):
        yield say(tested, template, *spread_of(judged(results, "corrected")))
    split = sum(fmt == "hyb" for fmt, _ in judged(h200, "corrected"))
    yield say(tested, "HYB has {} of the eight matrices", split)
    shares = {twin_of(x["matrix"]["name"]): x["hybK"]["rowShare"]
              for x in of["analyses"].lines_of("analysis-strips")}
    widths = {line["matrix"].removeprefix("twin:").removesuffix(",as=paper"): line["params"]["ell.width"]
              for line in h200.lines_of("strips-corrected-own") if line.get("format") == "ell"}
    for found in (shares, widths):
        yield say(tested, "(K = {}, {} and {} is their longest row)",
                  *(found[name] for name in ("cant", "conf5_4-8x8-05", "mc2depi")))
    yield say(tested, "(K = {}, since", shares["dense:n=2000"])
    for results, start in ((h200, "COO, HYB: as printed "), (own, "by its own fit: as printed "),
                           (wide, "the full grids: as printed ")):
        yield say("Figure 15", start + "{}, {}, {}, {}, corrected {}, {}, {}, {}, not rounded {}, {}, {}, {}",
                  *(x for reading in ("as-printed", "corrected", "unrounded")
                    for x in of_kernels(judged(results, reading))))
    names = list(strips.FORMATS)
    totals = {reading: unseen(of["unseen-judged"], reading, "own", "strips")
              for reading in ("as-printed", "corrected", "unrounded")}
    yield say("Figure 15", "On `unseen`: corrected {}, {}, {}, {}; as printed ELL {}, HYB {}; not rounded "
              "{}, {}, {}, {}",
              *(totals["corrected"][f] for f in names),
              totals["as-printed"]["ell"], totals["as-printed"]["hyb"],
              *(totals["unrounded"][f] for f in names))
    yield say("Figure 15", "{} of {} errors are 7 percent or less on the H200, not rounded {}; on the H100 "
              "by its own fit {} and {}, by the fit to the full grids {} and {}",
              near(judged(h200, "corrected")),
              len(judged(h200, "corrected")), near(judged(h200, "unrounded")),
              *(near(judged(results, reading)) for results in (own, wide)
                for reading in ("corrected", "unrounded")))
    yield say("Figure 15", "(H100, full grids: CSR {}, ELL {}, COO {})",
              *(statistics.fmean(benchmark_errors(of["grids-judged"], "grids-after-corrected-fixed", "fixed",
                                                  f, "strips"))
                for f in ("csr-vector", "ell", "coo")))
    later = "section V, future work"
    dia = [next(line for line in of[name].lines_of(experiment)
                if (line.get("model"), line.get("format")) == ("traffic", "dia"))
           for name, experiment in (("unseen-judged", "unseen-corrected-own"),
                                    ("grids-judged", "calibrated-corrected-fixed"))]
    yield say(later, "{} percent off in the mean of {} plans of `unseen`, {} of {} of `lines-h100`",
              *(x for line in dia for x in (100 * line["meanError"], line["plans"])))
    yield say(later, "takes {} us where the strips model predicts {}",
              *judged(h200, "corrected")["csr-vector", "dense:n=2000"])


def figures_of_statistics(of):
    def say(place, template, *values):
        return "Statistics", place, template, values

    h200, own, wide = of["statistics-h200"], of["judged-h100"], of["judged-grids"]
    few, other, many = (fits(of[name]) for name in LINES_OF)

    corrected = {name: laws(of[name], "corrected")
                 for name in ("statistics-h200", "judged-h100", "judged-grids")}
    ours, theirs, after = corrected.values()
    three, kernels = statistics_paper.LAWS[:3], list(statistics_paper.KERNELS)
    abstract = "abstract; text of figures 7 to 10"
    for found, start in ((ours, "H200: "), (theirs, "H100: ")):
        ratios = factors(found)
        yield say(abstract, start + "CSR-V {} and {}, CSR-S {} and {}, ELL {} and {}, JAD {} and {}; mean {}",
                  *ratios, statistics.fmean(ratios))
    scalar = [mean / 100 for found in (ours, theirs) for mean in law_means(found, CSR_S, three)]
    yield say(abstract, "are {} to {} times the measured time", min(scalar), max(scalar))
    yield say("Figures 1, 2", "R squared {} to {} for four laws (`lines-h100`: {} to {})",
              *(x for found in (few, other) for x in both(found, "statistics 1", "statistics 2")))
    for fit in both(many, "statistics 1", "statistics 2"):
        yield say("Figures 1, 2", "full grids of the H100 {}, P_NZ", fit)
    yield say("Figures 1, 2", "P_NZ of {} to {} at I = 40, of {} to {} at I = 1)", *(
        f(p for p, _ in points) for points in (
            over_entries(of["lines-h200"], "CSR-V", "fixed", "f32"),
            [at for at in over_entries(of["lines-h200"], "CSR-V", "fixed", "f32", 1) if at[0] >= lines.END])
        for f in (min, max)))
    wide_points = {law: over_entries(of["grids"], "CSR-V", law, "f32") for law in three}
    yield say("Figures 1, 2", "P_NZ up to {} at I = 40 (normal lengths up to {}, fitted up to 1,024)", min(
        wide_points[law][-1][0] for law in ("fixed", "uniform")), wide_points["normal"][-1][0])
    costs = {(law, kind): slopes(over_entries(of["grids"], "CSR-V", law, kind))
             for law in three for kind in ("f32", "f64")}
    yield say("section 3.2.1", "costs from 1,024 on {} (double {}) times what it costs below with fixed lengths, {} "
              "({}) with normal and {} ({}) with uniform ones; one line through all has an R squared of {} or more",
              *(above / below for below, above, _ in costs.values()), min(fit for *_, fit in costs.values()))
    place = "introduction"
    for results, start in ((ours, "H200 "), (theirs, "H100 ")):
        yield say(place, start + "CSR-V {} and {}, CSR-S {} and {}, ELL {} and {}, JAD {} and {}",
                  *(gain for kernel in kernels for gain in largest_gains(results, kernel)))
    for one, rival, template in (
            ("jad", "ell", "JAD takes {} times ELL's time in the geometric mean of {} matrices, and less on {} (H100: "
             "{} and {})"),
            ("csr-vector", CSR_S, "CSR-V takes {} times CSR-S's in the mean of {}, and less on {} (H100: {} and {})")):
        (mean, less, size), again = (kernel_times(of[name], one, rival) for name in ("statistics-h200", "times-h100"))
        yield say("section 2", template, mean, size, less, *(again[:2] if again[2] == size else (-1, -1)))
    named = (("csr-vector", "cavity05", "fixed", "uniform"), ("csr-vector", "bcsstk04", "fixed", "normal"),
             ("csr-vector", "bp_1600", "normal", "uniform"), (CSR_S, "bcsstk16", "fixed", "normal"),
             (CSR_S, "bips98_1142", "fixed", "uniform"), (CSR_S, "bayer09", "normal", "uniform"))
    errors = [[[100 * results[kernel, law]["twin:" + name] for law in laws_] for kernel, name, *laws_ in named]
              for results in (ours, theirs)]
    place = "text of figures 7 and 8, named matrices"
    for (_, name, *laws_), pair in zip(named, errors[0]):
        yield say(place, f"{name} {laws_[0]} {{}} and {laws_[1]} {{}}", *pair)
    yield say(place, "the better in {} of {} (H100: {})", sum(a < b for a, b in errors[0]), len(named),
              sum(a < b for a, b in errors[1]))
    yield say("text", "more than {} percent off, we say", statistics_paper.LARGEST)
    for i in (0, 1):
        yield say("Figures 3, 4, 5", "R squared {} to {}, {} to {} and {} (`lines-h100`: {} to {}, {} to {} "
                  "and {})",
                  *(x for found in (few, other) for x in (*both(found, "statistics 3"),
                                                          *both(found, "statistics 4"),
                                                          both(found, "statistics 5")[i])))
    for fit in both(many, "statistics 3", "statistics 4", "statistics 5"):
        yield say("Figures 3, 4, 5", "{} in all three", fit)
    yield say("Figures 3, 4, 5", "(JAD {} to {})", *both(many, "statistics 3.2.3"))
    ratios = mean_ratios(h200)
    _, times = of_strips(mean_ratios(of["times-h100"]), of["times-h100"])
    yield say("equation 5", "for {} of {} plans on the thirty", *within(ratios))
    yield say("equation 5", "with all {} of 6 us and more", within(ratios, 6)[0])
    yield say("equation 5", "with all {} of 6 us and more", within(ratios, 6)[1])
    yield say("equation 5", "(H100: {} of {}, {} of {}), and for {} of {} in the full grids", *within(times),
              *within(times, 6), *within(mean_ratios(of["grids"])))
    rough = {name: laws(of[name], "unrounded") for name in ("statistics-h200", "judged-h100")}
    for place, kernel, percent in (("Figure 7", "csr-vector", "{}, {}, {} (Poisson {})"),
                                   ("Figure 8", CSR_S, "{}, {}, {} (Poisson {})"),
                                   ("Figure 9", "ell", "{}, {}, {} (Poisson {})"),
                                   ("Figure 10", "jad", "{}, {}, {} (Poisson {})")):
        for name, start in (("statistics-h200", "thirty, H200: "), ("judged-h100", "by its own fit: ")):
            values = law_means(corrected[name], kernel, statistics_paper.LAWS)
            if kernel == "csr-vector" or kernel != CSR_S and name == "statistics-h200":
                values += law_means(rough[name], kernel, three)
            yield say(place, start + percent + ", not rounded {}, {}, {}" * (len(values) > 4), *values)
        totals = [unseen(of["unseen-judged"], "corrected", law, "statistics")
                         for law in statistics_paper.LAWS]
        yield say(place, "On `unseen`, H200: " + percent, *(total[kernel] for total in totals))
        if kernel == "csr-vector":
            yield say(place, "the full grids: fixed {}, uniform {} (Poisson {})",
                      *law_means(after, kernel, ("fixed", "uniform", "poisson")))
        else:
            start = "the full grids, on 26: " if kernel == "jad" else "the full grids: "
            yield say(place, start + percent, *law_means(after, kernel, statistics_paper.LAWS))
    for experiment, end in (("calibrated", "(`lines-h100`)"), ("grids-before", "(`grids`)")):
        yield say("Figure 7", "{}, {}, {} " + end, *(statistics.fmean(benchmark_errors(
            of["grids-judged"], f"{experiment}-corrected-normal", law, "csr-vector", "statistics"))
                                                     for law in three))
    yield say("Figure 7", "(H100: {} and {} times)", *factors(theirs)[:2])
    scalar += [mean / 100 for mean in law_means(after, CSR_S, three)]
    won = [wins(results, CSR_S, law, "fixed")[0] for results in (ours, theirs) for law in ("normal", "uniform")]
    best = all(wins(results, CSR_S, "uniform", "normal")[1] == 0 for results in (ours, theirs))
    yield say("Figure 8", "on {} to {} of {} matrices", min(won), max(won),
              sum(wins(ours, CSR_S, "normal", "fixed")) if best else -1)
    yield say("Figure 8", "with predictions of {} to {} times the measured time", 1 + min(
        mean / 100 for total in totals[:3] for mean in [total[CSR_S]]), 1 + max(scalar))
    for law in ("normal", "uniform"):
        yield say("Figure 9", "their longest row is {} times the mean",
                  longest_over_mean(of["lines-h200"], law))
    counts = "text of figures 7 to 10"

    def pairs(found, one, *some):
        return [x for kernel in kernels for law in some for x in wins(found, kernel, one, law)]

    for found, start in ((ours, "H200, fixed against normal and uniform: "),
                         (theirs, "H100 by its own fit: ")):
        yield say(counts, start + "CSR-V {}:{} and {}:{}, CSR-S {}:{} and {}:{}, ELL {}:{} and {}:{}, JAD "
                  "{}:{} and {}:{}; normal against uniform: CSR-V {}:{}, CSR-S {}:{}, ELL {}:{}, JAD {}:{}",
                  *pairs(found, "fixed", "normal", "uniform"), *pairs(found, "normal", "uniform"))
    yield say(counts, "fixed against uniform: CSR-V {}:{}, CSR-S {}:{}, ELL {}:{}, JAD {}:{}",
              *pairs(after, "fixed", "uniform"))
    yield say(counts, "({} of 30, the paper's 3) and not on the H200 ({} and {} of 30)",
              wins(theirs, "csr-vector", "fixed",
                   "normal")[0], wins(ours, "csr-vector", "fixed", "normal")[0],
              wins(ours, "csr-vector", "fixed", "uniform")[0])
    known = priced(h200, "statistics-corrected-fixed", "statistics")
    width = {line["matrix"]: line["params"]["ell.width"]
             for line in h200.lines_of("statistics-corrected-fixed") if line.get("format") == "ell"}
    refused = [m for m in width if (CSR_S, m) not in known]
    yield say(counts, "(ELL of {} matrices, since it refuses the others; CSR-S of {}, since the model's "
                      "line is "
              "below zero for {} with at most {} entries per row)",
              *(sum(name == kernel for name, _ in known) for kernel in ("ell", CSR_S)), len(refused),
              max(width[m] for m in refused))
    for kernel, place in ((CSR_S, "Figure 8"), ("ell", "Figure 9")):
        yield say(place, "on {} of the thirty, H200", sum(name == kernel for name, _ in known))
    products = [measured for measured, _ in known.values()]
    yield say(counts, "{} of the {} products take 10 us or less", sum(us <= 10 for us in products),
              len(products))
    tested = "Figures 11 to 14"
    kinds, rest = estimates(h200, "corrected"), kernels[1:]
    rounded = {name: [pair for some in estimates(of[name], "unrounded").values() for pair in some]
               for name in rough}
    yield say(tested, "all {} estimates of CSR-S, ELL and JAD", sum(too_long(kinds[k]) for k in rest))
    yield say(tested, "all {} estimates of CSR-S, ELL and JAD", sum(len(kinds[k]) for k in rest))
    yield say(tested, "({} to {}, {} to {} and {} to {} times the time), {} of CSR-V's {}; not rounded {} of "
              "{}",
              *(extreme(predicted / measured for measured, predicted in kinds[k])
                for k in rest for extreme in (min, max)),
              too_long(kinds["csr-vector"]), len(kinds["csr-vector"]), too_long(rounded["statistics-h200"]),
              len(rounded["statistics-h200"]))
    kinds = estimates(own, "corrected")
    yield say(tested, "by its own fit: {} of {}, CSR-V {} of {}; not rounded {} of {}",
              sum(too_long(kinds[k]) for k in rest),
              sum(len(kinds[k]) for k in rest), too_long(kinds["csr-vector"]), len(kinds["csr-vector"]),
              too_long(rounded["judged-h100"]), len(rounded["judged-h100"]))
    faster = [line["ratio"] for line in of["solvers"].lines if "ratio" in line]
    yield say("section 5, future work", "{} of the time that they take with cuSPARSE, in the geometric mean "
              "of {} cases",
              1 / geometric_mean(faster), len(faster))


def figures_of_the_refit(of):
    kernels = {"CSR": "csr-vector", "CSR-V": "csr-vector", "CSR-S": CSR_S, "ELL": "ell", "COO": "coo",
               "JAD": "jad"}
    rows = [("strips", name, "fixed") for name in ("CSR", "ELL", "COO")]
    rows += [("statistics", name, law) for name in ("CSR-V", "CSR-S", "ELL", "JAD")
              for law in statistics_paper.LAWS[:3]]
    medians, fitted = [], {}
    for model, name, law in rows:
        values = []
        before, after = (errors_by_product(of["grids-judged"], f"{when}-corrected-{law}", law, kernels[name], model)
                         for when in ("grids-before", "grids-after"))
        shared = before.keys() & after.keys() if after else before.keys()
        for errors in (before, after):
            some = [errors[key] for key in shared if key in errors]
            values += [statistics.fmean(some), statistics.median(some)] if some else []
        yield (REFIT, f"{model}, {name}, {law}, {law}",
               "{}, {} | {}, {} | {}" if len(values) == 4 else "{}, {} | not fitted | {}", [*values, len(shared)])
        if (model, name, law) == ("statistics", "CSR-S", "fixed"):
            dropped = [us for key in before.keys() - after.keys() for us in key[3:]]
            first = len(before)
        if law == "fixed":
            medians.append(values[3])
            fitted[model, name] = values[2]
    text = REFIT, "text"
    matrices = {line["matrix"] for line in of["grids"].lines if line.get("summary")}
    yield *text, "({} of 569)", (sum(bool(grids.NAME.fullmatch(matrix)) for matrix in matrices),)
    yield *text, "the medians are {} to {} percent after the fit", (min(medians), max(medians))
    apart = [fitted["strips", "CSR"], fitted["strips", "ELL"],
        fitted["statistics", "CSR-V"], fitted["statistics", "CSR-S"]]
    yield *text, "ELL of the strips model are at {} to {}.", (min(apart), max(apart))
    before, after = (of_kernels(judged(of[name], "corrected")) for name in ("judged-h100", "judged-grids"))
    pairs = [x for pair in zip(after, before) for x in pair]
    yield *text, ("strips, corrected, CSR {} in place of {}, ELL {} in place of {}, COO {} in place of {}, "
                  "HYB {} in place of {}"), pairs
    own, wide = (laws(of[name], "corrected") for name in ("judged-h100", "judged-grids"))
    pairs = []
    for kernel in statistics_paper.KERNELS:
        some = own[kernel, "fixed"].keys() & wide[kernel, "fixed"].keys()
        pairs += [100 * statistics.fmean(found[kernel, "fixed"][m] for m in some) for found in (wide, own)]
    yield *text, ("fixed lengths, CSR-V {} in place of {}, CSR-S {} in place of {}, ELL {} in place of {}, "
                  "JAD {} in place of {}."), pairs
    of_all = sum((law, fmt) == ("fixed", CSR_S) for law, fmt, *_ in grids.plans(of["grids"]))
    have = len(benchmark_errors(of["grids-judged"], "grids-after-corrected-fixed", "fixed", CSR_S, "statistics"))
    yield *text, ("{} of {} for CSR-S with fixed lengths have one, before the fit {}. The {} that only the first fit "
                  "predicts take {} to {} us"), (have, of_all, first, len(dropped), min(dropped), max(dropped))


def figures(of):
    yield from figures_of_strips(of)
    yield from figures_of_statistics(of)
    yield from figures_of_the_refit(of)
