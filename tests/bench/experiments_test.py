#!/usr/bin/env python3
"""Tests what the reports of papers.py compute, with made-up lines."""

import contextlib
import glob
import io
import json
import os
import tempfile
import unittest
from unittest import mock

from experiments import (
    grids, hcghyb, judged, lines, page, page_models, page_rows, pmf, qcsr, real, recorder, statistics_paper, strips)
from experiments.results import Results, rank_correlation, ranks, refused_widths

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results",
                    "2026-11-21c-h200-papers.jsonl")


def kept_of(paper, gpu):
    """The newest results of a paper on a GPU."""
    return max(glob.glob(os.path.join(os.path.dirname(KEPT), f"*-{gpu}-papers-{paper}.jsonl.gz")))


class Lines(Results):
    """Results of lines that a test makes up."""

    def __init__(self, *lines):
        self.lines = list(lines)


def told(report, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        report(*arguments)
    return out.getvalue()


def plan_line(experiment, matrix, fmt, us, model, predicted):
    """A line of evaluate with a plan that the model knows, and one that it does not."""
    return {"experiment": experiment, "matrix": matrix, "type": "f32", "format": fmt,
            "plans": [{"us": 7, "params": {}, "predictedUs": {model: None}},
                      {"us": us, "params": {}, "predictedUs": {model: predicted}}]}


class ResultsTest(unittest.TestCase):
    def test_equal_values_share_a_rank(self):
        self.assertEqual(ranks([5, 1, 5, 9]), [1.5, 0, 1.5, 3])

    def test_rank_correlation_sees_order_only(self):
        self.assertAlmostEqual(rank_correlation([1, 2, 3, 4], [1, 10, 11, 1e6]), 1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3, 4], [9, 8, 1, 0]), -1)
        self.assertEqual(rank_correlation([1, 2, 3], [4, 4, 4]), 0)
        self.assertEqual(rank_correlation([1, 2], [1, 2]), 0)

    def test_widths_of_refusals(self):
        line = {"matrix": "a", "format": "ell", "why": "ell of width 90 would store 41.0 slots for each of 8784"}
        self.assertEqual(refused_widths([line, {"matrix": "b", "format": "ell", "us": 3}]), {"a": 90})

    def test_the_faster_of_two_lines_of_a_format_counts(self):
        def line(us, *ks):
            return {"experiment": "hyb", "matrix": "a", "type": "f32", "format": "hyb", "us": us,
                    "plans": [{"us": us, "params": {"hyb.k": k}} for k in ks]}

        for lines in ((line(3, 1, 2), line(5, 1)), (line(5, 1, 2), line(3, 1))):
            found = Lines(*lines).of("hyb")["a", "f32"]["hyb"]
            self.assertEqual(found["us"], 3)
            self.assertEqual([plan["params"]["hyb.k"] for plan in found["plans"]], [1, 2, 1])


class StripsTest(unittest.TestCase):
    def test_errors_by_reading(self):
        lines = []
        for reading, predicted in (("as-printed", 15), ("corrected", 10.5), ("unrounded", 9)):
            lines.append(plan_line(f"strips-{reading}-own", "a", "ell", 10, "strips", predicted))
        text = told(strips.report, Lines(*lines))
        self.assertIn("| ELL | 50.00 | 1 | 5.00 | 1 | 10.00 | 1 | 5.20 |", text)
        self.assertIn("**Holds here**: 29 of 32 errors are under or around 7 percent, the others at "
                      "most 10 (corrected): 1 of 1", text)
        self.assertIn("(as-printed): 0 of 1; the largest 50 percent", text)


class StatisticsTest(unittest.TestCase):
    def test_errors_of_one_law_are_compared_on_the_products_of_both_fits(self):
        def line(fit, us, predicted):
            return {"experiment": f"grids-{fit}-corrected-fixed", "type": "f32", "format": "jad", "plans": [
                {"us": us, "params": {}, "predictedUs": {"statistics": predicted}}],
                    "matrix": "rowlengths:dist=fixed,mean=8,rows=90,columns=band"}

        results = Lines(line("before", 10, 11), line("before", 20, 80), line("after", 10, 10.5))
        before, after = (page_models.errors_by_product(results, f"grids-{fit}-corrected-fixed", "fixed", "jad",
                                                       "statistics") for fit in ("before", "after"))
        self.assertEqual([round(before[key]) for key in before.keys() & after.keys()], [10])
        self.assertEqual(len(before), 2)

    def test_laws_and_wins(self):
        lines = []
        predicted = {"a": {"fixed": 30, "normal": 11, "uniform": 12, "poisson": 20},
                     "b": {"fixed": 10, "normal": 10.1, "uniform": 9, "poisson": 11}}
        for matrix, laws in predicted.items():
            for law, us in laws.items():
                lines.append(plan_line(f"statistics-corrected-{law}", matrix, "jad", 10, "statistics", us))
        text = told(statistics_paper.report, Lines(*lines))
        self.assertIn("| JAD | fixed | normal | 1:1 | 9:21 |", text)
        self.assertIn("| JAD | normal | uniform | 2:0 | 16:14 |", text)
        self.assertIn("**Holds here**: JAD: random lengths predict better", text)
        self.assertIn("| b | 10 | 10 | 10.10 | 9 | 11 |", text)

    def test_large_errors_support_no_order(self):
        text = told(statistics_paper.report, Lines(*(
            plan_line(f"statistics-corrected-{law}", "a", "csr-scalar", 10, "statistics", us)
            for law, us in (("fixed", 400), ("normal", 300), ("uniform", 200)))))
        self.assertIn("**Cannot be told here**: CSR-S: random lengths predict better", text)


class PmfTest(unittest.TestCase):
    def made(self, ct):
        shape = {"matrix": "twin:bbmat", "type": "f32", "rows": 10, "cols": 20, "nnz": 50}
        times = {"dtt": 90, "ct": 10}
        model = {f: times for f in ("coo", "csr", "ell")} | {
            "hyb": times | {"k": 4}, "choice": {"byT": "CSR", "byCt": "ELL"}}
        bench = [shape | {"experiment": "pmf", "format": f, "us": us, "storedBytes": 1000, "params": {}}
                 for f, us in ct.items()]
        copies = [{"experiment": "copies", "bytes": b, "uploadUs": 70, "downloadUs": 5,
                   "pinnedUploadUs": 20, "pinnedDownloadUs": 1}
                  for b in (50 * 12 + 80, 50 * 8 + 44 + 80, 40)]
        seen = {"experiment": "analysis-pmf", "matrix": {"name": "twin:bbmat", "nnz": 50}, "type": "f32",
                "hybK": {"pmf": 3, "rowShare": 6}, "pmf": {"asPrinted": model}}
        ks = [shape | {"experiment": "pmf-k", "format": "hyb", "us": us, "params": {"hyb.k": k}}
              for k, us in ((2, 1), (4, 2), (6, 3))]
        return Lines(*bench, *copies, seen, *ks)

    def test_times_with_copies(self):
        results = self.made({"coo": 50, "csr-scalar": 5})
        of = pmf.tested(results)["twin:bbmat", "f32"]
        self.assertEqual(of["coo"], (125, 50, 100, 10))
        self.assertEqual(of["csr-scalar"][0], 80)
        pinned = pmf.tested(results, "page-locked")["twin:bbmat", "f32"]
        self.assertEqual(pinned["coo"], (71, 50, 100, 10))
        text = told(pmf.report_table_3, results, "pageable")
        self.assertIn("1 of 2", text)  # above the estimate
        self.assertIn("-20.00", text)  # CSR: 80 us where 100 were expected
        self.assertIn("| bbmat | f32 | csr | csr | ell | csr |", told(pmf.report_choice, results))

    def test_products_alone(self):
        results = self.made({"coo": 50, "csr-scalar": 5})
        results.lines = [line for line in results.lines if line["experiment"] != "copies"]
        text = told(pmf.report_alone, results)
        self.assertIn("| bbmat | f32 | 0.00 | 0.01 | - | csr |", text)
        self.assertIn("**Holds here**: CSR is faster than COO for most, f32, without copies: 1 of 1", text)
        text = told(pmf.report_choice, results)
        self.assertIn("| bbmat | f32 | csr | - | ell | csr |", text)
        self.assertNotIn("least T ", text)
        self.assertIn("right for 0 of 1", text)

    def test_a_choice_that_was_not_the_fastest_keeps_its_threshold(self):
        shape = {"experiment": "hyb", "matrix": "twin:bbmat", "type": "f32", "format": "hyb"}
        plans = [{"us": us, "params": {"hyb.k": k}} for k, us in ((4, 30), (6, 20))]
        text = told(pmf.report_device_threshold, Lines(
            {"experiment": "thresholds", "matrix": {"name": "twin:bbmat"}, "type": "f32",
             "hybK": {"pmf": 4, "rowShare": 6}},
            shape | {"us": 20, "plans": plans}, shape | {"us": 31, "plans": [{"us": 31, "params": {"hyb.k": 4}}]}))
        self.assertIn("| twin:bbmat | f32 | 4 | 30 | 6 | 20 | 0.67 |", text)

    def test_best_threshold(self):
        text = told(pmf.report_best_threshold, self.made({"coo": 50}))
        self.assertIn("| bbmat | f32 | 2 | 1 | 4 | 2 | 6 | 3 |", text)
        self.assertIn("1.50 in the geometric mean over 1; Algorithm 2 takes 2.00 times", text)


class HcghybTest(unittest.TestCase):
    def test_gains_over_the_atomic_one(self):
        def line(experiment, matrix, nnz, entries):
            features = {"nnz": nnz, "std": 1, "distavg": 1, "anpr": 1, "maxnpr": 1}
            metrics = {"gflops": 1, "occupancy": 0.5, "instructionsPerWarp": 10, "warpEfficiency": 1}
            formats = [{"format": f, "applies": True, "us": us} | metrics for f, us in entries.items()]
            return {"experiment": experiment, "type": "f64", "matrix": {"name": matrix},
                    "features": features, "formats": formats}

        lines = []
        for i, us in enumerate((2, 4, 6)):
            lines.append(line("metrics", f"m{i}", i, {"hcghyb": us, "hyb": 1, "csr-scalar": us}))
            lines.append(line("metrics-atomic", f"m{i}", i, {"hyb": 12}))
        of = hcghyb.counted(Lines(*lines))["f64"]
        self.assertEqual(set(of), {"hcghyb", "hyb", "csr-scalar", hcghyb.ATOMIC})
        text = told(hcghyb.report_gains, "f64", of)
        self.assertIn("| hyb, atomic | execution time | 6.00 | 3.00 | 2.00 |", text)
        text = told(hcghyb.report_means, "f64", of)
        self.assertIn("| execution time | 4.00 | 1.00 | 4.00 | 12.00 |", text)
        self.assertNotIn("the matrices of all", text)
        of |= {"ell": {"m1": of["hyb"]["m1"]}, "csr5": {"m1": of["hyb"]["m1"]}}
        text = told(hcghyb.report_means, "f64", of)
        self.assertIn("Figures 21 to 25, f64, the matrices of all", text)
        self.assertIn("| execution time | 4.00 | 1.00 | 1.00 | 4.00 | 1.00 | 12.00 |", text)
        self.assertIn("| 1 | csr-scalar | execution time | 3 | 2 | 6 | 1.00 | 0.00 |",
                      told(hcghyb.report_curves, "f64", of))

    def test_impacts(self):
        self.assertEqual([hcghyb.impact(x) for x in (0.29, 0.3, 0.6)], ["low", "medium", "high"])


    def test_one_threshold_for_both(self):
        line = {"experiment": "hcghyb-same-k", "matrix": "a", "type": "f32"}
        lines = [line | {"format": name, "us": us, "params": {"hyb.k": k}}
                 for k, of in ((2, {"hyb": 4, "hcghyb": 8}), (3, {"hyb": 5})) for name, us in of.items()]
        self.assertEqual(hcghyb.different_thresholds(lines), {("a", "f32"): {2, 3}})
        self.assertEqual(hcghyb.different_thresholds(lines[:2]), {})
        self.assertEqual(hcghyb.at_one_threshold(Lines(*lines), "hcghyb-same-k"), {("a", "f32", 2): (4, 8)})
        text = told(hcghyb.report_same_threshold, Lines(*lines))
        self.assertIn("| a | f32 | 2 | 4 | 8 | 0.50 |", text)
        self.assertIn("geometric mean 0.50 over 1", text)


class QcsrTest(unittest.TestCase):
    def test_one_step_changed(self):
        def line(experiment, d, us):
            return {"matrix": "a", "type": "f32", "format": "qcsr", "experiment": experiment,
                    "params": {"qcsr.d": d}, "us": 2 * us, "usReplay": us}

        lines = [line("qcsr-printed", 256, 8), line("qcsr-printed", 1024, 4),
                 line("qcsr-qcsr.lanes", 256, 5), line("qcsr-qcsr.lanes", 1024, 6)]
        self.assertEqual(qcsr.fastest_sizes(lines), {("a", "f32"): 1024})
        text = told(qcsr.report_ablation, Lines(*lines))
        self.assertIn("| qcsr.lanes=32 | 16 | 1 | 1.50 | 1.50 | 1.50 |", text)
        self.assertNotIn("qcsr.align", text)

    def test_csr_with_a_thread_a_row_stands_beside_the_fastest(self):
        line = {"experiment": "qcsr", "matrix": "a", "type": "f32"}
        lines = [line | {"format": name, "us": us} for name, us in (
            ("qcsr", 4), ("csr-scalar", 8), ("csr-vector", 3), ("csr-merge", 2))]
        lines.append(line | {"experiment": "qcsr-printed", "format": "qcsr", "us": 5})
        self.assertEqual(qcsr.against(Lines(*lines)), {("a", "f32"): [4, 5, None, None, None, 8, 2]})
        text = told(qcsr.report_figure_13, Lines(*lines))
        self.assertIn("| csr, a thread a row | our fastest csr |", text)
        self.assertIn("**Holds here**: QCSR is 1.15 times as fast as CSR, printed: 1.60 against CSR with a "
                      "thread a row of 1, 0.40 against our fastest CSR of 1", text)
        self.assertNotIn("as fast as BCSR", text)


class RealTest(unittest.TestCase):
    def test_files_beside_their_twins(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, SPECMV_MATRICES=folder):
            self.assertEqual(real.files(), {})
            path = os.path.join(folder, "add32.mtx.gz")
            with open(path, "wb"):
                self.assertEqual(real.files(), {"add32": path})
        line = {"type": "f64", "format": "ell"}
        text = told(real.report, Lines(
            line | {"experiment": "real", "matrix": "/x/add32.mtx.gz", "us": 4},
            line | {"experiment": "real-twin", "matrix": "twin:add32", "us": 6}))
        self.assertIn("| add32 | f64 | ell | 4 | 6 | 1.50 |", text)


class GridsTest(unittest.TestCase):
    def test_means_and_errors(self):
        def line(law, us, mean, predicted):
            return {"matrix": f"rowlengths:dist={law},mean=8,rows=90,columns=band", "format": "ell",
                    "plans": [{"us": us, "usMean": mean, "predictedUs": {"statistics": predicted}}]}

        results = Lines({"matrix": "stencil5:n=9", "format": "ell", "plans": [{"us": 1}]},
                        line("fixed", 10, 10.1, 11), line("fixed", 20, 24, 16), line("normal", 4, None, None),
                        {"total": True, "model": "pmf", "format": "ell", "plans": 12})  # evaluate's
        text = told(grids.report, results)
        self.assertIn("| ELL | 2 | 1.10 | 1.01 | 1.20 |", text)
        self.assertIn("within 5 percent for 1 of 2", text)
        self.assertIn("| ELL | fixed | statistics | 2 | 15.00 | 15.00 |", text)
        self.assertIn("| ELL | normal | 1 | 8 | 8 | 90 |", text)


class LinesTest(unittest.TestCase):
    def test_lines_over_entries_strips_and_slopes(self):
        plans = []
        for i in (1, 2, 3, 5):
            for p in (4, 32, 512, 1024):
                us = (1 + i) * p + 7 * i if p < 1024 or i < 5 else 1  # the last is far off
                plans.append(("normal", "ell", {"us": us, "params": {}}, p, 90 * i, "f32"))
                plans.append(("normal", "jad", {"us": us, "params": {}}, p, 90 * i, "f32"))
        text = told(lines.report, plans)
        self.assertNotIn("ELL", text)  # the strips paper knows fixed lengths only
        self.assertIn("| statistics 3.2.3 | JAD | normal | f32 | I, P_NZ = 32 | 4 | 1.00 |", text)
        self.assertIn("| I, the slope over P_NZ | 4 |", text)
        self.assertIn("1 of 3 lines", text)

    def test_lanes_tell_kernels_apart(self):
        plans = [("fixed", "csr-vector", {"us": p, "params": {"csr.lanes": lanes}}, p, 10, "f64")
                 for lanes in (16, 32) for p in (4, 8, 16)]
        self.assertEqual(len(lines.times_of(plans, "csr-vector", 16, "fixed", "f64")), 3)
        self.assertIn("| strips 3, 4 | CSR | fixed | f64 | P_NZ up to 1,024, I = 1 | 3 | 1.00 |",
                      told(lines.report, plans))


class KeptTest(unittest.TestCase):
    def test_runs_that_were_cut_short_are_reported(self):
        for paper in (pmf, qcsr, hcghyb, strips, statistics_paper):
            name = paper.__name__.split(".")[-1].removesuffix("_paper")
            for gpu in ("h100", "h200"):
                whole = Results(kept_of(name, gpu)).lines
                for some in [whole[:i] for i in range(0, len(whole), max(1, len(whole) // 12))] + \
                        [whole[i::3] for i in range(3)] + [whole[i:] for i in (1, len(whole) // 2)]:
                    text = told(paper.report, Lines(*some)) + told(grids.report_means, Lines(*some))
                    self.assertNotIn("nan", text)
                    self.assertNotIn("0 of 0", text)

    def test_the_figures_of_the_page_are_reported(self):
        for paper, parts in (
                (pmf, ("right for 11 of 20", "geometric mean 0.99 over 9, more on 1, slower on 6",
                       "(47 of 58): 0 of 58; mean of absolute errors 415.9", "(47 of 58): 20 of 58",
                       "right for 18 of 20", "f32: 0 of 10; CSR 9, COO 1")),
                (qcsr, ("BCSR, fastest: 0.92 against 2 x 2 of 14", "8.9 to 38.7 times",
                        "CSR, printed: 1.26 against CSR with a thread a row of 14, 0.48 against our fastest CSR",
                        "| qcsr.lanes=32 | 16 | 14 | 1.11 |")),
                (hcghyb, ("11 of 20 are equal", "0.04, 0.01 to 0.17", "geometric mean 0.03 over 34")),
                (real, ("| csr-vector | 10 | 1.00 | 0.94 | 1.12 |",)),
                (strips, ("(corrected): 3 of 28", "| ELL | 261.14 | 8 | 219.82 | 8 | 30.05 | 8 | 5.20 |")),
                (statistics_paper, ("(corrected): 254 of 327", "normal 36.2, uniform 34.6, poisson 36.9"))):
            name = paper.__name__.split(".")[-1].removesuffix("_paper")
            text = told(paper.report, Results(kept_of(name, "h200")))
            for part in parts:
                self.assertIn(part, text)

    def test_the_kept_run_is_reported(self):
        results = Results(KEPT)
        self.assertIn("BCSR, fastest: 0.94 against 2 x 2 of 14",
                      told(qcsr.report, results))
        self.assertIn("geometric mean 1.03 over 10, more on 2, slower on 7", told(pmf.report, results))
        self.assertIn("5 of 15 are equal", told(hcghyb.report, results))
        told(grids.report_means, results)


class PageTest(unittest.TestCase):
    def changed(self, old, new):
        """What page.check says of the page with a text in place of another."""
        with open(page.PAGE, encoding="utf-8") as text:
            whole = text.read()
        self.assertIn(old, whole)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "PAGE.md")
            with open(path, "w", encoding="utf-8") as out:
                out.write(whole.replace(old, new, 1))
            return page.check(path)[0]

    def test_the_page_has_the_figures_of_the_kept_results(self):
        problems, coverage = page.check()
        self.assertEqual(problems, [])
        self.assertGreater(sum(n > 0 for n, _ in coverage.values()), 100)
        self.assertGreater(sum(n for n, _ in coverage.values()), 1300)

    def test_a_wrong_figure_is_named_with_its_row(self):
        problem, = self.changed("by its own fit: 54.9, 48.4, 46.3", "by its own fit: 54.9, 43.4, 46.3")
        for part in ("Statistics, Figure 7: ", "figure 2: printed 43.4, computed 48.379"):
            self.assertIn(part, problem)

    def test_a_text_that_is_gone_is_named(self):
        problem, = self.changed("HYB has four of the eight", "HYB has several of the eight")
        self.assertIn("Strips, Figures 11 to 14: no 'HYB has {} of the eight matrices' in the row", problem)

    def test_a_row_names_kept_results(self):
        self.assertIn("PMF, Algorithm 2: no kept result is named", self.changed(
            "from E(X) on | `pmf-h200` |", "from E(X) on | - |"))
        self.assertIn("PMF, Algorithm 2: pmf-h300 is not explained", self.changed(
            "from E(X) on | `pmf-h200` |", "from E(X) on | `pmf-h300` |"))

    def test_figures_are_compared_as_printed(self):
        for printed, value, same in (("1,084", 1084.4, True), ("1,084", 1084.6, False), ("0.67", 0.674, True),
                                     ("-0.79", -0.787, True), ("four", 4, True), ("four", 5, False)):
            self.assertEqual(page_rows.is_printed(printed, value), same)


def recorder_of(folder, cases):
    """A recorder that calls a shell script, whose lines each say what one verb prints, and its results' path."""
    tool, path = os.path.join(folder, "tool"), os.path.join(folder, "out.jsonl")
    with open(tool, "w", encoding="utf-8") as script:
        script.write("#!/bin/sh\ncase \"$*\" in\n" + "".join(f"{case};;\n" for case in cases) + "esac\n")
    os.chmod(tool, 0o755)
    return recorder.Recorder(tool, path), path


class RecorderTest(unittest.TestCase):
    def test_a_call_keeps_what_reports_use(self):
        with tempfile.TemporaryDirectory() as folder:
            r, path = recorder_of(folder, (
                """bench*) echo '{"format":"ell","us":1}'; echo '{"format":"cusparse-csr","us":1}'
                   echo '{"summary":true}'""",
                """*) echo '{"type":"f32","matrix":{"name":"a"},"profile":1,"further":[{"type":"f64",'
                   echo '"matrix":{"name":"a"}}]}'"""))
            r.call("some", "bench", ["a"])
            self.assertEqual(r.analyze("analysis", "a")[0]["profile"], 1)
            results = Results(path)
            self.assertEqual([x.get("format") for x in results.lines], ["ell", None, None])
            self.assertEqual(set(results.analyses("analysis")), {("a", "f32"), ("a", "f64")})
            self.assertNotIn("profile", results.lines[1])

    def test_measurements_are_judged_by_the_model_of_their_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            r, path = recorder_of(folder, (
                """analyze*) echo '{"gpu":"h100"}'""",
                """*--measured=*--gpu=h100) echo '{"format":"ell","judged":"h100"}'""",
                """evaluate*) echo '{"format":"ell","judged":"another"}'"""))
            r.judge("strips", "strips", "ell", 32, [("corrected", "own")])
            self.assertEqual([x["judged"] for x in Results(path).lines_of("strips-corrected-own")], ["h100"])

    def test_kept_times_are_judged_again(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = os.path.join(folder, "seen")
            r, path = recorder_of(folder, (
                f"""*--measured=*--gpu=some.json) for each in "$@"; do case $each in
                    --measured=*) cat "${{each#--measured=}}" > {seen};; esac; done
                    echo '{{"format":"ell","judged":true}}'""",))
            lines = [{"experiment": "strips-as-printed-own", "machine": "a GPU"}]
            lines += [{"experiment": f"strips-{reading}-own", "matrix": matrix, "type": "f32", "format": fmt}
                      for reading, _ in strips.READINGS for fmt in ("coo", "ell") for matrix in ("a", "b")]
            judged.judge(r, "a name", lines, "some.json")
            with open(seen, encoding="utf-8") as text:
                measured = list(map(json.loads, text))
            self.assertEqual([line.get("matrix") for line in measured], [None] + ["a"] * 3 + ["b"] * 3)
            self.assertEqual([line.get("summary") for line in measured], [None] + [None, None, True] * 2)
            for reading, law in strips.READINGS:
                self.assertEqual(len(Results(path).lines_of(f"strips-{reading}-{law}")), 1)

    def test_benchmark_matrices_and_totals_are_kept_of_what_was_measured(self):
        def line(law, fmt, matrix="rowlengths:dist={},mean=4,rows=9,columns=band"):
            return {"matrix": matrix.format(law), "type": "f32", "format": fmt, "plans": [
                {"us": 1, "params": {"csr.lanes": 16, "block": 256},
                 "predictedUs": {"statistics": 2, "traffic": 3}},
                {"us": 1, "params": {}, "predictedUs": {"statistics": None, "strips": None}}]}

        lines_ = [line("fixed", "ell"), line("normal", "csr-vector"), line("normal", "bcsr"),
                  line("fixed", "csr-vector"), line("fixed", "ell", "stencil5:n=4"),
                  {"total": True, "model": "pmf", "format": "ell", "plans": 7, "meanError": 0.5, "p90Error": 1},
                  {"total": True, "model": "runoff", "group": "long", "regret": 1}]
        told_ = "".join(f"echo '{json.dumps(each)}'; " for each in lines_)
        with tempfile.TemporaryDirectory() as folder:
            r, path = recorder_of(folder, (f"*--reading=corrected*) {told_}",))
            judged.judge(r, "some", lines_, "h100")
            results = Results(path)
            self.assertEqual([each.get("matrix", "total").split(",")[0] for each in
                              results.lines_of("some-corrected-normal")], [
                "rowlengths:dist=normal", "rowlengths:dist=fixed", "total"])  # CSR-V of all laws
            first, *_, last = results.lines_of("some-corrected-fixed")
            self.assertEqual(first["plans"], [{"us": 1, "params": {"csr.lanes": 16},
                                               "predictedUs": {"strips": None, "statistics": 2}}])
            self.assertEqual(last["meanError"], 0.5)
            self.assertNotIn("p90Error", last)


if __name__ == "__main__":
    unittest.main()
