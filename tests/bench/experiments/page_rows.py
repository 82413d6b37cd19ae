"""The rows of PAPERS.md, and the comparison of a row with figures."""

import os
import re

from experiments.results import Results

WORDS = "zero one two three four five six seven eight nine ten".split()
FIGURE = r"(-?\d[\d,]*(?:\.\d+)?|" + "|".join(WORDS) + ")"
FILES = re.compile(r"`([\w-]+)` \| ((?:`2026-[\w.-]+`(?:, )?)+)")
RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")


class Row:
    """A row of a table, or all text of a section that is in no table."""

    def __init__(self, proof, text):
        self.proof, self.text = proof, text
        self.compared = set()  # where the figures that were compared stand in the text


class Page:
    def __init__(self, text):
        self.files = {name: re.findall(r"`([^`]+)`", files) for name, files in FILES.findall(text)}
        self.rows, self.proofs = {}, {}
        prose = {}
        section = ""
        for line in text.splitlines():
            if line.startswith("## "):
                section = line[3:].split(" (")[0]
            elif line.startswith("| ") and section:
                self.add(section, [cell.strip() for cell in line.strip("|").split("|")])
            elif section and line:
                prose.setdefault(section, []).append(line.strip())
        for section, lines in prose.items():
            self.rows[section, "text"] = Row("-", " ".join(lines) + " nothing to measure")

    def add(self, section, cells):
        if set(cells[0]) <= set("- |") or cells[0] in ("place", "model"):
            return
        if section.startswith("A refit"):
            self.rows[section, ", ".join(cells[:4])] = Row("`grids-judged`", " | ".join(cells[4:]))
        else:
            ours = [cells[3], *cells[5:]]
            self.rows[section, cells[0]] = Row(cells[2], " | ".join(ours))

    def problems(self, section, place, template, values):
        """Where a row differs from a template with {} for each of the values; figures of ours only."""
        row = self.rows.get((section, place))
        if not row:
            return [f"{section}, {place}: there is no such row"]
        pattern = FIGURE.join(map(re.escape, template.split("{}")))
        found = re.search(r"(?<![\d.])" + pattern + r"(?![\d])", row.text)
        if not found:
            return [f"{section}, {place}: no '{template}' in the row; computed "
                    + ", ".join(f"{value:.6g}" for value in values)]
        if len(found.groups()) != len(values):
            return [f"{section}, {place}: '{template}' has {len(found.groups())} figures, not {len(values)}"]
        out = []
        for i, (printed, value) in enumerate(zip(found.groups(), values), 1):
            row.compared.add(found.span(i))
            if not is_printed(printed, value):
                out.append(f"{section}, {place}: '{template}', figure {i}: printed {printed}, computed "
                           f"{value:.6g}")
        return out

    def coverage(self):
        return {key: (len(row.compared), len(re.findall(FIGURE, row.text))) for key, row in self.rows.items()}


def is_printed(printed, value):
    """Whether a value is a printed figure when it is rounded to the same digits."""
    if printed in WORDS:
        return value == WORDS.index(printed)
    digits = len(printed.partition(".")[2])
    return abs(float(printed.replace(",", "")) - value) <= 0.5000001 * 10 ** -digits


class Sources:
    """The kept results by the names of the page, each read once."""

    def __init__(self, page, folder=RESULTS):
        self.files, self.folder, self.read = page.files, folder, {}

    def __getitem__(self, name):
        if name not in self.read:
            parts = [Results(os.path.join(self.folder, path)) for path in self.files[name]]
            for other in parts[1:]:
                parts[0].lines += other.lines
            self.read[name] = parts[0]
        return self.read[name]
