"""Compares PAPERS.md with the kept results: computes its figures again and looks for them in its rows."""

import os
import re

from experiments import page_hcghyb, page_models, page_pmf, page_qcsr, page_real
from experiments.page_rows import Page, Sources

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "PAPERS.md")
CHECKED = page_pmf, page_qcsr, page_hcghyb, page_models, page_real
NO_KEPT_RESULT = {"T"}  # a test of the tool
UNPROVEN = "nothing to measure", "cannot be compared", "nothing to compare with"


def problems_of_names(page, sources):
    """Files that are not there, rows without a proof, and names that the page does not explain."""
    out = [f"{name}: there is no {path}" for name, paths in sources.files.items() for path in paths
           if not os.path.exists(os.path.join(sources.folder, path))]
    used = set()
    for (section, place), row in page.rows.items():
        names = set(re.findall(r"[\w-]+", row.proof)) - {"-"}
        used |= names
        out += [f"{section}, {place}: {name} is not explained"
                for name in names - NO_KEPT_RESULT - sources.files.keys()]
        if not names and not any(word in row.text for word in UNPROVEN):
            out.append(f"{section}, {place}: no kept result is named")
    out += [f"{name} proves no row" for name in sources.files.keys() - used]
    return out


def check(path=PAGE):
    """(problems, {(section, place): (figures of ours that were compared, all figures of ours)})"""
    with open(path, encoding="utf-8") as text:
        page = Page(text.read())
    sources = Sources(page)
    problems = problems_of_names(page, sources)
    for module in CHECKED:
        for section, place, template, values in module.figures(sources):
            problems += page.problems(section, place, template, values)
    return problems, page.coverage()


def report(path=PAGE):
    """Prints what differs and what is not compared; returns the number of differences."""
    problems, coverage = check(path)
    for problem in problems:
        print(problem)
    compared = sum(n for n, _ in coverage.values())
    print(f"{len(coverage)} rows and paragraphs; {compared} figures computed again; {len(problems)} differ")
    print("\nNot compared:")
    for (section, place), (n, of) in coverage.items():
        if n == 0:
            print(f"- {section}: {place}")
    return len(problems)
