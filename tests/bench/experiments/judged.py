"""Judges kept times by another model, without a GPU: those of a paper's run, or of evaluate and calibrate."""

import json
import os
import tempfile

from experiments import grids, statistics_paper, strips

LAWS = "own", *statistics_paper.LAWS
READINGS = "as-printed", "corrected", "unrounded"
MODELS = "strips", "statistics"
CROSSED = "normal", "csr-vector"  # the law whose model judges a kernel on the matrices of all laws too
OF_TOTAL = ("format group law model reading cases plans regret worst worstMatrix meanError medianError"
            " total").split()


def is_benchmark(line):
    """The match of a benchmark matrix with a kernel that the two papers know; its group 1 is the law."""
    known = isinstance(line.get("matrix"), str) and line.get("format") in grids.FORMATS
    return grids.NAME.fullmatch(line["matrix"]) if known else None


def briefly(line):
    """A line's plans with what the two papers' models predict for them; None if they predict nothing."""
    plans = []
    for plan in line["plans"]:
        predicted = {model: plan["predictedUs"].get(model) for model in MODELS}
        if any(predicted.values()):
            plan = {name: plan[name] for name in ("us", "usMean") if name in plan} | {
                "params": {name: n for name, n in plan["params"].items() if name == "csr.lanes"}}
            plans.append(plan | {"predictedUs": predicted})
    return {name: line[name] for name in ("matrix", "type", "format")} | {"plans": plans} if plans else None


def judge_measured(r, name, lines, readings, model):
    """Judges what evaluate or calibrate measured; keeps predictions for benchmark matrices, and totals."""
    with tempfile.TemporaryDirectory() as folder:
        measured = os.path.join(folder, "measured.jsonl")
        with open(measured, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
        for reading, law in readings:
            experiment = f"{name}-{reading}-{law}"
            text = r.said(experiment, "evaluate", [], measured=measured, reading=reading, law=law, gpu=model)
            with open(r.path, "a", encoding="utf-8") as out:
                for line in map(json.loads, text.splitlines()):
                    if named := is_benchmark(line):
                        asked = named[1] == law or (law, line["format"]) == CROSSED
                        kept = briefly(line) if asked else None
                    elif line.get("total") and line.get("model") in (*MODELS, "pmf", "traffic"):
                        kept = {key: line[key] for key in OF_TOTAL if key in line}
                    else:
                        continue
                    if kept:
                        out.write(json.dumps(kept | {"experiment": experiment}, sort_keys=True) + "\n")


def judge(r, name, lines, model):
    """Judges all that some lines hold. Profiles of an older file must be made again (profiles_again.py)."""
    if any("experiment" in line for line in lines):
        for experiment, readings in (("strips", strips.READINGS), ("statistics", statistics_paper.READINGS)):
            r.judge_again(experiment, lines, readings, model)
    elif any(is_benchmark(line) for line in lines):
        judge_measured(r, name, lines, [("corrected", law) for law in statistics_paper.LAWS], model)
    else:
        judge_measured(r, name, lines, [(reading, law) for reading in READINGS for law in LAWS], model)
