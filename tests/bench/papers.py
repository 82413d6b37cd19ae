#!/usr/bin/env python3
"""Repeats the comparisons of the five papers that concern formats, on this machine's GPU.

papers.py run TOOL RESULTS.jsonl [MATRIX...]   measures (4 minutes on an H200), adds JSON lines
papers.py report RESULTS.jsonl                 prints the tables, in Markdown
"""

import json
import math
import os
import statistics
import subprocess
import sys

QCSR_CLASSES = (
    "twin:2D_54019_highK twin:add32 twin:case9 twin:aug3d twin:g7jac060 twin:g3rmt3m3 twin:foldoc"
).split()
BLOCKS = (2, 2), (3, 3), (4, 4), (1, 2), (2, 1)
HCGHYB_MATRICES = [
    f"twin:{name}"
    for name in "tols4000 meg4 tuma2 poli_large fd15 poli4 lp_stocfor3 bayer04 lhr10 mark3jac120"
    " copter2 ch7-8-b5 fp sinc18 Zd_Jac6 TSOPF_RS_b300_c2 xenon2".split()
]
HCGHYB_FORMATS = "csr-vector,ell,hyb,csr5,hcghyb"
# Skewed matrices large enough that launches do not hide the formats.
SKEWED = ["powerlaw:rows=2000000,avg=8,alpha=2.2,max=20000", "circuit:rows=2000000"]
TABLE_1_SIZES = 34920, 715176
TABLE_1_D = 256, 1024, 8192, 32768, 131072
PRINTED = {"qcsr.slices": 0, "qcsr.stage": 0, "qcsr.lanes": 16, "qcsr.align": 16}
ZERO_COPY = [f"stencil27:n={n}" for n in (4, 8, 12, 16, 20, 24, 32)]
REPEATS = 3


def kept(record):
    """What the reports use of a record, None for what they do not."""
    if record["experiment"] == "thresholds":
        return {name: record[name] for name in ("experiment", "hybK", "matrix", "type")}
    named = record.get("format", "")
    unused = record.get("summary") or record.get("total") or named.startswith("cusparse")
    return None if unused else record


class Recorder:
    """Calls the tool and keeps its JSON lines, each with the name of its experiment."""

    def __init__(self, tool, path):
        self.tool, self.path = tool, path

    def call(self, experiment, verb, matrices, formats=None, numbers=None, **more):
        options = [f"--set={name}={value}" for name, value in (numbers or {}).items()]
        options += [f"--{name}={value}" for name, value in more.items()]
        if formats:
            options.append(f"--format={formats}")
        command = [self.tool, verb, *matrices, "--json", "--quiet", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{experiment}: {done.stderr.strip()}", file=sys.stderr)
        documents = done.stdout.splitlines() if verb == "bench" else [done.stdout]
        with open(self.path, "a", encoding="utf-8") as out:
            for record in map(json.loads, filter(None, documents)):
                record = kept(record | {"experiment": experiment})
                if record:
                    out.write(json.dumps(record, sort_keys=True) + "\n")


def measure(tool, path, real):
    if os.path.exists(path):
        sys.exit(f"{path} exists: the lines of two runs would mix")
    r = Recorder(tool, path)
    both = "f32,f64"
    rivals = "csr-scalar,csr-vector,csr-merge,qcsr"
    r.call("qcsr", "bench", QCSR_CLASSES, rivals, type=both, rigor="exhaustive")
    for rows, columns in BLOCKS:  # also where BCSR would not offer itself
        numbers = {"bcsr.r": rows, "bcsr.c": columns}
        r.call("bcsr", "bench", QCSR_CLASSES, "bcsr", numbers, type=both, rigor="exhaustive")
    r.call("qcsr-printed", "bench", QCSR_CLASSES, "qcsr", PRINTED, type=both, rigor="exhaustive")
    for n in TABLE_1_SIZES:
        for d in TABLE_1_D:
            for name, numbers in (("printed", PRINTED), ("slices", {"qcsr.slices": 1})):
                numbers = numbers | {"qcsr.d": d, "qcsr.stage": 0}
                r.call(f"table1-{name}", "bench", [f"fem2d:rows={n}"], "qcsr", numbers)
    skewed = HCGHYB_MATRICES + SKEWED
    r.call("hyb", "bench", skewed + real, "hyb,ell,coo", type=both, rigor="exhaustive")
    r.call("hcghyb", "bench", skewed, HCGHYB_FORMATS, type=both)
    for matrix in skewed + real:
        for kind in ("f32", "f64"):
            r.call("thresholds", "analyze", [matrix], "hyb", type=kind)
    for matrix in HCGHYB_MATRICES:
        r.call("metrics", "profile", [matrix], HCGHYB_FORMATS, type="f64")
    for matrix in ZERO_COPY * REPEATS:
        for flag in (0, 1):
            r.call("zero-copy", "bench", [matrix], "qcsr", {"qcsr.zerocopy": flag})


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


class Results:
    def __init__(self, path):
        with open(path, encoding="utf-8") as lines:
            self.lines = list(map(json.loads, lines))

    def of(self, experiment):
        """The measured lines of an experiment: {(matrix, type): {format: line}}."""
        out = {}
        for line in self.lines:
            if line["experiment"] == experiment and line.get("us"):
                out.setdefault((line["matrix"], line["type"]), {})[line["format"]] = line
        return out

    def least(self, experiment, name):
        """The least time of a format over all lines of an experiment: {(matrix, type): us}."""
        out = {}
        for line in self.lines:
            if line["experiment"] == experiment and line.get("format") == name and line.get("us"):
                key = line["matrix"], line["type"]
                out[key] = min(line["us"], out.get(key, math.inf))
        return out


def table(title, heads, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{x:.2f}" if isinstance(x, float) else str(x) for x in row) + " |")


def report_qcsr(results):
    printed, bcsr = results.of("qcsr-printed"), results.least("bcsr", "bcsr")
    rows = []
    for key, lines in results.of("qcsr").items():
        us, old = lines["qcsr"]["us"], printed[key]["qcsr"]["us"]
        csr = min(line["us"] for name, line in lines.items() if name.startswith("csr-"))
        rows.append([*key, us, old, bcsr[key], csr, bcsr[key] / us, csr / us, bcsr[key] / old])
    heads = "matrix type qcsr as-printed bcsr csr bcsr/qcsr csr/qcsr bcsr/as-printed".split()
    table("QCSR on the classes of its paper, us", heads, rows)
    means = [geometric_mean(column) for column in list(zip(*rows))[-3:]]
    print("\ngeometric means of the ratios: " + ", ".join(f"{mean:.2f}" for mean in means))


def report_table_1(results):
    rows = []
    for line in results.lines:
        if line["experiment"].startswith("table1") and line.get("format") == "qcsr":
            row = [line["rows"], line["experiment"].removeprefix("table1-")]
            if line.get("us"):
                pack = line["setupMs"]["pack"] * 1000
                rows.append(row + [line["params"]["qcsr.d"], pack, line["us"], pack / line["us"]])
            else:
                rows.append(row + [line.get("why"), "-", "-", "-"])
    heads = "n layout d transform-us SpMV-us ratio".split()
    table("QCSR's Table 1: transform over SpMV, fem2d, f64", heads, rows)


def hyb_at(k, lines):
    """Microseconds of HYB at K, which is COO at 0 and ELL where no row is longer; None: not run."""
    for plan in lines["hyb"]["plans"] if "hyb" in lines else []:
        if plan["params"]["hyb.k"] == k:
            return plan["us"]
    if k == 0:
        return lines["coo"]["us"]
    if "ell" in lines and lines["ell"]["params"]["ell.width"] <= k:
        return lines["ell"]["us"]
    return None


def report_thresholds(results):
    k_of = {(x["matrix"]["name"], x["type"]): x["hybK"]
            for x in results.lines if x["experiment"] == "thresholds"}
    rows = []
    for key, lines in results.of("hyb").items():
        k = k_of[key]
        pmf, share = hyb_at(k["pmf"], lines), hyb_at(k["rowShare"], lines)
        if pmf and share and k["pmf"] != k["rowShare"]:
            rows.append([*key, k["pmf"], pmf, k["rowShare"], share, share / pmf])
    heads = "matrix type K-pmf us K-share us share/pmf".split()
    table("HYB with the PMF paper's K and with the row share's, where they differ", heads, rows)
    for kind in ("f32", "f64"):
        some = [row[-1] for row in rows if row[1] == kind]
        wins = sum(x > 1.15 for x in some)
        print(f"\n{kind}: geometric mean {geometric_mean(some):.2f} over {len(some)}, the PMF's "
              f"more than 15 % faster on {wins}, slower on {sum(x < 1 for x in some)}")


def report_hcghyb(results):
    formats = HCGHYB_FORMATS.split(",")
    rows, ratios = [], {}
    for key, lines in results.of("hcghyb").items():
        us = [lines[f]["us"] if f in lines else "-" for f in formats]
        ratio = "-"
        if "hyb" in lines and "hcghyb" in lines:
            ratio = lines["hyb"]["us"] / lines["hcghyb"]["us"]
            ratios.setdefault(key[1], []).append(ratio)
        rows.append([*key, *us, ratio])
    table("HCGHYB against the others, us", ["matrix", "type", *formats, "hyb/hcghyb"], rows)
    for kind, some in ratios.items():
        print(f"\n{kind}: geometric mean of hyb / hcghyb {geometric_mean(some):.2f}, "
              f"{min(some):.2f} to {max(some):.2f}")


def report_metrics(results):
    names = "us gflops occupancy instructionsPerWarp warpEfficiency l2HitRate".split()
    found = {}
    for line in results.lines:
        if line["experiment"] == "metrics":
            for entry in line["formats"]:
                if entry["applies"] and entry["us"]:
                    found.setdefault(entry["format"], []).append(entry)
    rows = []
    for name, entries in found.items():
        means = []
        for metric in names:
            known = [e[metric] for e in entries if e[metric] is not None]
            means.append(statistics.fmean(known) if known else "-")
        rows.append([name, len(entries), *means])
    table("The five metrics, arithmetic means over the HCGHYB paper's matrices (twins, f64)",
          ["format", "matrices", *names], rows)


def report_zero_copy(results):
    found = {}
    for line in results.lines:
        if line["experiment"] == "zero-copy" and line.get("format") == "qcsr" and line.get("us"):
            times = found.setdefault(line["matrix"], ([], []))[line["params"]["qcsr.zerocopy"]]
            times.append((line["storedBytes"], line["setupMs"]["load"] * 1000, line["us"]))
    rows = []
    for matrix, (copied, mapped) in found.items():
        bytes_, *fast = map(statistics.median, zip(*copied))
        rows.append([matrix, bytes_, *fast, *map(statistics.median, list(zip(*mapped))[1:])])
    heads = ["matrix", "bytes", "load", "product", "load, zero-copy", "product, zero-copy"]
    table("QCSR from a copy on the GPU and by zero-copy, f64, us (medians)", heads, rows)


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "run":
        measure(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif len(sys.argv) == 3 and sys.argv[1] == "report":
        results = Results(sys.argv[2])
        for report in (report_qcsr, report_table_1, report_thresholds, report_hcghyb,
                       report_metrics, report_zero_copy):
            report(results)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
