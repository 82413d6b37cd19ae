"""Calls the tool and keeps its JSON lines, each with the name of its experiment."""

import json
import os
import subprocess
import sys
import tempfile

ANALYSIS = "experiment hybK matrix type pmf quadtree gpu".split()


def kept(record):
    """What the reports use of a record, None for what they do not."""
    if record["experiment"].startswith(("thresholds", "analysis")):
        return {name: record[name] for name in ANALYSIS if name in record}
    named = record.get("format", "")
    unused = record.get("summary") or record.get("total") or named.startswith("cusparse")
    return None if unused else record


def documents(verb, text):
    """The documents of a call: JSON lines of bench and evaluate, else one with its further types."""
    if verb in ("bench", "evaluate"):
        return [json.loads(line) for line in text.splitlines() if line]
    first = json.loads(text) if text else {}
    return ([first] if first else []) + first.pop("further", [])


class Recorder:
    def __init__(self, tool, path):
        self.tool, self.path = tool, path

    def keep(self, experiment, records):
        with open(self.path, "a", encoding="utf-8") as out:
            for record in records:
                record = kept(record | {"experiment": experiment})
                if record:
                    out.write(json.dumps(record, sort_keys=True) + "\n")

    def said(self, what, verb, matrices, formats=None, numbers=None, **more):
        """What the tool prints as JSON; a call that fails is told, and the run goes on. True: an option that
        has no value."""
        options = [f"--set={name}={value}" for name, value in (numbers or {}).items()]
        for name, value in more.items():
            option = "--" + name.replace("_", "-")
            options.append(option if value is True else f"{option}={value}")
        if formats:
            options.append(f"--format={formats}")
        command = [self.tool, verb, *matrices, "--json", "--quiet", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{what}: {done.stderr.strip()}", file=sys.stderr)
        return done.stdout

    def call(self, experiment, verb, matrices, formats=None, numbers=None, **more):
        text = self.said(experiment, verb, matrices, formats, numbers, **more)
        records = documents(verb, text)
        self.keep(experiment, records)
        return records

    def analyze(self, experiment, matrix, **more):
        """Predictions of one matrix in both types; they need no GPU with --gpu."""
        return self.call(experiment, "analyze", [matrix], type="f32,f64", **more)

    def model(self):
        """The name of this GPU's model; evaluate --measured would take the default one's on any machine."""
        return documents("analyze", self.said("model", "analyze", ["stencil5:n=4"]))[0]["gpu"]

    def judge(self, experiment, suite, formats, lanes, readings):
        """Measures a suite once, and judges that by each reading, a pair of --reading and --law."""
        gpu = self.model()
        with tempfile.TemporaryDirectory() as folder:
            measured = os.path.join(folder, "measured.jsonl")
            text = self.said(experiment, "evaluate", [], formats, {"csr.lanes": lanes},
                             suite=suite, type="f32", rigor="exhaustive", papers="full")
            with open(measured, "w", encoding="utf-8") as out:
                out.write(text)
            self.judge_measured(experiment, measured, readings, gpu)

    def judge_measured(self, experiment, measured, readings, gpu):
        """Judges the measurements in a file by a model, a name or a file, with each reading; needs no GPU."""
        for reading, law in readings:
            self.call(f"{experiment}-{reading}-{law}", "evaluate", [], measured=measured,
                      reading=reading, law=law, gpu=gpu)

    def judge_again(self, experiment, lines, readings, gpu):
        """Judges the times of kept lines by another model. A judgement is what judge keeps: no profiles,
        so that the tool loads each matrix, which the summary lines name here."""
        first = [line for line in lines if line.get("experiment") == "-".join((experiment, *readings[0]))]
        summaries = {(line["matrix"], line["type"]): {"summary": True, "matrix": line["matrix"],
                     "type": line["type"], "verified": True} for line in first if "format" in line}
        if not first:
            return
        with tempfile.TemporaryDirectory() as folder:
            measured = os.path.join(folder, "measured.jsonl")
            with open(measured, "w", encoding="utf-8") as out:
                for line in sessions_of(first):
                    out.write(json.dumps(line) + "\n")
                for (matrix, kind), summary in summaries.items():
                    for line in first:
                        if (line.get("matrix"), line.get("type")) == (matrix, kind):
                            out.write(json.dumps(line) + "\n")
                    out.write(json.dumps(summary) + "\n")
            self.judge_measured(experiment, measured, readings, gpu)


def sessions_of(lines):
    """The lines that name the machine and the request, as evaluate wrote them first."""
    return [line for line in lines if "machine" in line]
