#!/usr/bin/env python3
"""Makes README's table of figures from the JSON lines of `specmv bench`: table.py RESULTS.jsonl"""

import json
import sys


def read(path):
    """Summaries by (matrix, type), and the fastest line of ours for each."""
    summaries, best = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "matrix" not in line or "machine" in line:
                continue
            key = line["matrix"], line["type"]
            if line.get("summary"):
                summaries[key] = line
            elif line.get("us") and not line["format"].startswith("cusparse"):
                if key not in best or line["us"] < best[key]["us"]:
                    best[key] = line
    return summaries, best


def main():
    summaries, best = read(sys.argv[1])
    print("| matrix | type | chosen | us | fastest of ours | best of cuSPARSE | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    last = None
    for (matrix, kind), s in summaries.items():
        if "ratio" not in s:
            continue
        ours = best[matrix, kind]
        # Within the noise the choice is the fastest.
        faster = ours["us"] < 0.97 * s["chosenUs"]
        cusparse = s["cusparseBest"].removeprefix("cusparse-")
        print(
            f"| {matrix if matrix != last else ''} | {kind} | {s['chosen']} | {s['chosenUs']:.1f} "
            f"| {ours['format'] + ' ' + format(ours['us'], '.1f') if faster else ''} "
            f"| {s['cusparseBestUs']:.1f} ({cusparse}) | {s['ratio']:.2f} |"
        )
        last = matrix


if __name__ == "__main__":
    main()
