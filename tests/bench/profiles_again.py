#!/usr/bin/env python3
"""Makes the profiles of kept measurements again, for versions whose signatures are newer than the file.

profiles_again.py TOOL MEASURED.jsonl[.gz] NEW.jsonl   needs the matrices; leaves out those it cannot load
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile


def profile_of(tool, matrix):
    """The signature's id and text as this version makes them; None if the matrix cannot be loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "signature")
        call = [tool, "analyze", matrix, "--json", "--quiet", "--format=coo", "--signature", path]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{matrix}: {done.stderr.strip()}", file=sys.stderr)
            return None
        with open(path, encoding="utf-8") as text:
            return json.loads(done.stdout)["signature"], text.read()


def renew(tool, lines):
    """The lines with new profiles, but for matrices that cannot be loaded."""
    known = {}
    for line in lines:
        if line.get("summary") and "profile" in line:
            matrix = line["matrix"]
            if matrix not in known:
                known[matrix] = profile_of(tool, matrix)
            if known[matrix] is None:
                continue
            line["signature"], line["profile"] = known[matrix]
        yield line


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tool, source, target = sys.argv[1:]
    with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as before, \
            open(target, "w", encoding="utf-8") as after:
        for line in renew(tool, map(json.loads, before)):
            after.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
