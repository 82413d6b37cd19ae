"""Runs the tool: `python -m specmv run A.mtx` is `specmv run A.mtx`."""

import os
import sys


def main() -> None:
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "specmv")
    os.execv(tool, ["specmv", *sys.argv[1:]])


if __name__ == "__main__":
    main()
