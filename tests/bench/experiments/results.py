"""The lines of a run, and what all reports need: tables, verdicts, means and ranks."""

import gzip
import json
import math
import re
import statistics


class Results:
    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            self.lines = list(map(json.loads, lines))

    def lines_of(self, experiment):
        return [line for line in self.lines if line["experiment"] == experiment]

    def of(self, experiment):
        """The measured lines of an experiment: {(matrix, type): {format: line}}. The bench adds a line for its
        choice if another plan of that format was faster: then the faster line, with the plans of both."""
        out = {}
        for line in self.lines_of(experiment):
            if line.get("us"):
                lines = out.setdefault((line["matrix"], line["type"]), {})
                other = lines.get(line["format"])
                if other:
                    plans = other.get("plans", []) + line.get("plans", [])
                    line = min(other, line, key=lambda each: each["us"]) | {"plans": plans}
                lines[line["format"]] = line
        return out

    def analyses(self, experiment):
        """What analyze said: {(matrix, type): line}."""
        return {(x["matrix"]["name"], x["type"]): x for x in self.lines_of(experiment) if "type" in x}

    def least(self, experiment, name):
        """The least time of a format over all lines of an experiment: {(matrix, type): us}."""
        out = {}
        for line in self.lines_of(experiment):
            if line.get("format") == name and line.get("us"):
                key = line["matrix"], line["type"]
                out[key] = min(line["us"], out.get(key, math.inf))
        return out


def refused_widths(records):
    """{matrix: the longest row} of those for which ELL was refused, since it would store much padding."""
    out = {}
    for line in records:
        width = re.match(r"ell of width (\d+) would store", line.get("why") or "")
        if line.get("format") == "ell" and width:
            out[line["matrix"]] = int(width[1])
    return out


def twin_of(matrix):
    """The name of the matrix of which this is the twin."""
    return matrix.removeprefix("twin:").removesuffix(",as=paper")


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def table(title, heads, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{x:.2f}" if isinstance(x, float) else str(x) for x in row) + " |")


def verdict(claim, holds, why):
    """A line: whether what the paper says holds on this GPU, and by which figures."""
    print(f"\n**{'Holds' if holds else 'Does not hold'} here**: {claim}: {why}")


def cannot_be_told(claim, why):
    """A line for a claim that the figures of this run neither support nor refute."""
    print(f"\n**Cannot be told here**: {claim}: {why}")


def not_here(claim, why):
    """A line for what this run cannot repeat."""
    print(f"\n**Not repeated**: {claim}: {why}")


def ranks(values):
    """Ranks from 0 on, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            out[i] = (at + end - 1) / 2
        at = end
    return out


def rank_correlation(xs, ys):
    """Spearman's: 1 if one grows with the other; 0 for fewer than three pairs or equal values."""
    if len(xs) < 3 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return 0.0
    return statistics.correlation(ranks(xs), ranks(ys))
