#!/usr/bin/env python3
"""Prints the lines of solvers.cu as a table: table.py FILE.jsonl"""
import json
import math
import sys

NAMES = {"cg": "CG, Jacobi", "chebyshev": "Chebyshev", "pdhg": "PDHG", "pagerank": "PageRank"}


def main():
    with open(sys.argv[1]) as file:
        lines = [json.loads(line) for line in file]
    print("| solver | matrix | fused | products of specmv | cuSPARSE (" + "best) | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for solver, name in NAMES.items():
        own = [line for line in lines if line["solver"] == solver]
        for line in own:
            print(
                f"| {name} | {line['matrix']} | {line['fusedUs']:.1f} | {line['unfusedUs']:.1f} | "
                f"{line['cusparseUs']:.1f} ({line['cusparse']}) | {line['ratio']:.2f} |"
            )
        if own:
            mean = math.exp(sum(math.log(line["ratio"]) for line in own) / len(own))
            worst = max(line["difference"] for line in own)
            equal = all(line["sumsEqual"] for line in own)
            print(
                f"{name}: geometric mean {mean:.3f}; largest difference {worst:.1e}; "
                f"sums equal in each run: {equal}",
                file=sys.stderr,
            )


main()
