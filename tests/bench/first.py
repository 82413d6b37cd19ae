#!/usr/bin/env python3
"""Makes a table of the lines of first_benchmark: what plans take as a program meets them.

    while read a b; do build/tests/first_benchmark f64 $a $b; done <PAIRS >FILE; tests/bench/first.py FILE
"""

import gzip
import json
import math
import statistics
import sys

L2_BYTES = 60 << 20  # of an H200
KINDS = {
    "first": "first plan of the process",
    "new": "second new pattern",
    "beside": "known, beside another plan",
    "alone": "known, alone",
}


def csr_bytes(line, kind):
    value = 4 if line["type"] == "f32" else 8
    if kind == "new":  # of the other matrix, without what its rows and columns take
        return line["otherNnz"] * (value + 4)
    return line["nnz"] * (value + 4) + 4 * (line["rows"] + 1) + value * (line["rows"] + line["cols"])


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.startswith("{")]


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def is_compiled(plan):
    return bool((plan["kernel"] or {}).get("compiled")) or plan["setupMs"]["compile"] > 0


def print_plans(lines):
    print("| plan | group | cases | ms, geometric mean | worst | products, geometric mean | worst |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for kind, title in KINDS.items():
        for group, belongs in (("within L2", True), ("beyond", False)):
            of = [line for line in lines if (csr_bytes(line, kind) <= L2_BYTES) == belongs]
            plans = [(line[kind]["us"], line[kind].get("productUs", line["first"]["productUs"])) for line in of]
            if not plans:
                continue
            times, products = [us / 1000 for us, _ in plans], [us / product for us, product in plans]
            print(
                f"| {title} | {group} | {len(plans)} | {mean(times):.2f} | {max(times):.2f} "
                f"| {mean(products):.1f} | {max(products):.1f} |"
            )
    plans = [line[kind] for line in lines for kind in KINDS]
    parts = [plan["setupMs"]["total"] / plan["createMs"] for plan in plans]
    parts.sort()
    print(f"\n{sum(map(is_compiled, plans))} of {len(plans)} plans waited for NVRTC.")
    print(f"The parts of setupMs add up to {parts[len(parts) // 2]:.3f} of createMs (median; least {parts[0]:.3f}).")
    destroyed = [line["lastDestroyUs"] for line in lines]
    print(f"To destroy the last plan takes {mean(destroyed):.0f} us.")


def print_starts(lines):
    first = sorted(line["now"]["firstYUs"] / 1000 for line in lines)
    print(f"first y of START_NOW: {first[len(first) // 2]:.2f} ms (median of {len(first)}; {first[-1]:.2f} at most)")


def main():
    lines = [line for path in sys.argv[1:] for line in read(path)]
    starts, plans = [line for line in lines if "now" in line], [line for line in lines if "first" in line]
    if plans:
        print_plans(plans)
    if starts:
        print_starts(starts)


if __name__ == "__main__":
    main()
