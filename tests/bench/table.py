#!/usr/bin/env python3
"""Makes the figures of both READMEs from the JSON lines of `specmv bench`: groups, matrices and set-up."""

import argparse
import gzip
import json
import math
import statistics

# Some real matrices of each kind, and some of the suite.
SELECTION = """
bcsstk33 cage11 email-Enron finan512 goodwin luxembourg_osm memplus qp_BOYD1_A rail507 t60k
stencil5:n=3000 stencil5:n=3000,coef=random stencil7:n=200 stencil7:n=200,coef=random
stencil27:n=160 stencil27:n=160,coef=random elasticity:n=75 blocks:b=3,k=27,band=400,rows=900000
fem2d:rows=2000000 fem2d:rows=2000000,order=random band:k=17,half=10000,rows=2000000
band:k=17,half=2000,rows=2000000 random:k=16,rows=2000000 random:k=24,spread=0.9,rows=1000000
powerlaw:rows=2000000,avg=8,alpha=2.2,max=20000 rmat:scale=20,edge=16 circuit:rows=2000000
epidemic:n=2048 qcd:l=16 chessboard:m=8,n=8,k=5 mycielskian:k=15 dense:n=2000
dense:rows=64,cols=1000000 dense:rows=1000000,cols=64 lp:rows=4284,cols=1096894 stencil5:n=100
random:k=40,rows=5000
""".split()
H200_L2_BYTES = 60 << 20  # of files whose machine lines do not tell
KINDS = {"f32": "float", "f64": "double"}


def read(path):
    """The summaries that have a ratio, each with the fastest line of ours, and the bytes of L2."""
    results, ours, l2_bytes = [], [], H200_L2_BYTES
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "machine" in line:  # of a new session; an interrupted matrix is measured again
                ours, l2_bytes = [], line.get("l2Bytes", l2_bytes)
            elif line.get("summary"):
                if ours and "ratio" in line and line.get("verified", True):
                    results.append((line, min(ours, key=lambda one: one["us"])))
                ours = []
            elif line.get("us") and line["verified"] and not line["format"].startswith("cusparse"):
                ours.append(line)
    first = {}  # a resumed bench adds a matrix's other type at the end
    for place, (line, _) in enumerate(results):
        first.setdefault(line["matrix"], place)
    results.sort(key=lambda result: (first[result[0]["matrix"]], result[0]["type"]))
    return results, l2_bytes


def mean_and_won(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))), sum(r > 1 for r in ratios)


def print_groups(results, l2_bytes):
    groups = {
        f"fits the {l2_bytes >> 20} MB of L2": lambda s: s["csrBytes"] <= l2_bytes,
        "beyond": lambda s: s["csrBytes"] > l2_bytes,
        "all": lambda s: True,
    }
    print("| group | type | won | geometric mean of the ratio | worst | best |")
    print("| --- | --- | --- | --- | --- | --- |")
    rows = []
    for state, ratio, replay_ratio in (("", "ratio", "replayRatio"),
                                       ("first plan, ", "firstRatio", "firstReplayRatio")):
        rows += [(state + group, ratio, belongs) for group, belongs in groups.items()]
        rows.append((f"{state}replays of a CUDA graph", replay_ratio, lambda s: True))
    for group, name, belongs in rows:
        for kind in KINDS:
            ratios = [s[name] for s, _ in results
                      if s["type"] == kind and name in s and belongs(s)]
            if ratios:
                mean, won = mean_and_won(ratios)
                print(f"|{group and ' ' + group} | {kind} | {won} of {len(ratios)} | {mean:.2f} "
                      f"| {min(ratios):.2f} | {max(ratios):.2f} |")
                group = ""


def print_fastest(results):
    parts = []
    for kind, word in KINDS.items():
        ratios = [s["cusparseBestUs"] / best["us"] for s, best in results if s["type"] == kind]
        if ratios:
            mean, won = mean_and_won(ratios)
            parts.append(f"{mean:.2f} in {word} ({won} of {len(ratios)} won)")
    print("\nWith the fastest of our formats on each matrix, instead of the predicted one, the mean "
          f"would be {' and '.join(parts)}.\n")


def replay_cells(s):
    """The figures of replays, which matrices beyond L2 do not have."""
    if "replayRatio" not in s:
        return " | | |"
    cusparse = s["cusparseBestReplay"].removeprefix("cusparse-")
    return (f" {s['chosenReplayUs']:.1f} | {s['cusparseBestReplayUs']:.1f} ({cusparse}) "
            f"| {s['replayRatio']:.2f} |")


def print_matrices(results, names):
    shown = [r for r in results if not names or r[0]["matrix"] in names]
    have_replays = any("replayRatio" in s for s, _ in shown)  # files of earlier versions have none
    print("| matrix | type | chosen | us | fastest of ours | best of cuSPARSE | ratio |"
          + (" us, replayed | cuSPARSE, replayed | ratio |" if have_replays else ""))
    print("| --- | --- | --- | --- | --- | --- | --- |" + (" --- | --- | --- |" if have_replays else ""))
    last = None
    for s, best in shown:
        # Within the noise the choice is the fastest.
        faster = best["us"] < 0.97 * s["chosenUs"]
        cusparse = s["cusparseBest"].removeprefix("cusparse-")
        print(
            f"| {s['matrix'] if s['matrix'] != last else ''} | {s['type']} | {s['chosen']} "
            f"| {s['chosenUs']:.1f} "
            f"| {best['format'] + ' ' + format(best['us'], '.1f') if faster else ''} "
            f"| {s['cusparseBestUs']:.1f} ({cusparse}) | {s['ratio']:.2f} |"
            + (replay_cells(s) if have_replays else "")
        )
        last = s["matrix"]


def print_choice(results):
    regrets = [s["chosenUs"] / best["us"] for s, best in results]
    lost = [f"{s['matrix']} {s['type']}{' (the choice)' if best['us'] < s['cusparseBestUs'] else ''}"
            for s, best in results if s["ratio"] <= 1]
    print(f"\nThe choice takes {mean_and_won(regrets)[0]:.2f} times the fastest of ours as a "
          f"geometric mean, {max(regrets):.2f} times at worst. "
          f"cuSPARSE wins {len(lost)} of {len(results)}: {', '.join(lost) or 'none'}.")


def print_set_up(results):
    products = sorted(s["breakEven"] for s, _ in results if s.get("breakEven"))
    if products:
        print("\nThe set-up has paid, where the choice is faster than cuSPARSE, after "
              f"{products[0]:,.0f} products at best, {statistics.median(products):,.0f} in the "
              f"median and {products[-1]:,.0f} at worst.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", metavar="RESULTS.jsonl")
    parser.add_argument("matrices", nargs="*", help="show these only (the groups are of all)")
    parser.add_argument("--selection", action="store_true", help="show some of each kind")
    args = parser.parse_args()
    results, l2_bytes = read(args.results)
    print_groups(results, l2_bytes)
    print_fastest(results)
    print_matrices(results, SELECTION if args.selection else args.matrices)
    print_choice(results)
    print_set_up(results)


if __name__ == "__main__":
    main()
