#!/usr/bin/env python3
"""Repeats the experiments of the five papers on this machine's GPU (PAPERS.md lists them all).

papers.py run PAPER TOOL RESULTS.jsonl   measures, adds JSON lines; PAPER is pmf, qcsr, hcghyb,
                                         strips, statistics or all
papers.py report RESULTS.jsonl           prints tables and verdicts in Markdown, of what is there
papers.py judge TOOL KEPT MODEL NEW.jsonl
                                         judges the kept times of strips and statistics by a model, a
                                         name or a file; needs no GPU
papers.py grids MEASURED.jsonl           the same of what calibrate --papers full measured, or of what
                                         evaluate --measured --json wrote of that
"""

import os
import sys

from experiments import grids, hcghyb, pmf, qcsr, statistics_paper, strips
from experiments.recorder import Recorder
from experiments.results import Results

PAPERS = {"pmf": pmf, "qcsr": qcsr, "hcghyb": hcghyb, "strips": strips,
          "statistics": statistics_paper}


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
    elif len(sys.argv) == 6 and sys.argv[1] == "judge":
        tool, kept, model, path = sys.argv[2:]
        if os.path.exists(path):
            sys.exit(f"{path} exists: the lines of two judgements would mix")
        for module in (strips, statistics_paper):
            module.judge_again(Recorder(tool, path), Results(kept), model)
    elif len(sys.argv) == 3 and sys.argv[1] == "grids":
        grids.report(Results(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
