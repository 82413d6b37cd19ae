"""Runs the tool: `python -m specmv run A.mtx` is `specmv run A.mtx`."""

import os
import sys

from ._report import tool


def main() -> None:
    os.execv(tool(), ["specmv", *sys.argv[1:]])


if __name__ == "__main__":
    main()
