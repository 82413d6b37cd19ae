#!/usr/bin/env python3
"""Repeats the experiments of the five papers on this machine's GPU (PAPERS.md lists them all).

papers.py run PAPER TOOL RESULTS.jsonl   measures, adds JSON lines; PAPER is pmf, qcsr, hcghyb,
                                         strips, statistics, real (real matrices beside their
                                         twins) or all
papers.py report RESULTS.jsonl           prints tables and verdicts in Markdown, of what is there
papers.py judge TOOL MODEL NAME NEW.jsonl KEPT.jsonl...
                                         judges kept times by the strips and statistics models of a GPU's
                                         model, a name or a file, and adds JSON lines; needs no GPU. Names
                                         the experiments of what evaluate or calibrate measured NAME
papers.py page                           compares PAPERS.md with the kept results, and fails if they differ
papers.py analyze TOOL NEW.jsonl         what analyze says of the papers' matrices, where no run keeps it
papers.py grids MEASURED.jsonl           the same of what calibrate --papers full measured, or of what
                                         evaluate --measured --json wrote of that
"""

import os
import sys

from experiments import grids, hcghyb, judged, page, pmf, qcsr, real, statistics_paper, strips
from experiments.recorder import Recorder
from experiments.results import Results

PAPERS = {"pmf": pmf, "qcsr": qcsr, "hcghyb": hcghyb, "strips": strips,
          "statistics": statistics_paper, "real": real}


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "run" and sys.argv[2] in {"all", *PAPERS}:
        paper, tool, path = sys.argv[2:]
        if os.path.exists(path):
            sys.exit(f"{path} exists: the lines of two runs would mix")
        for name, module in PAPERS.items():
            if paper in ("all", name):
                module.measure(Recorder(tool, path))
    elif len(sys.argv) == 3 and sys.argv[1] == "report":
        results = Results(sys.argv[2])
        for name, module in PAPERS.items():
            print(f"\n## {name}")
            module.report(results)
        grids.report_means(results)
    elif len(sys.argv) >= 7 and sys.argv[1] == "judge":
        tool, model, name, path = sys.argv[2:6]
        lines = [line for kept in sys.argv[6:] for line in Results(kept).lines]
        judged.judge(Recorder(tool, path), name, lines, model)
    elif len(sys.argv) == 4 and sys.argv[1] == "analyze":
        for module in (qcsr, hcghyb, strips):
            module.analyze(Recorder(*sys.argv[2:]))
    elif sys.argv[1:] == ["page"]:
        sys.exit(page.report() > 0)
    elif len(sys.argv) == 3 and sys.argv[1] == "grids":
        grids.report(Results(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
