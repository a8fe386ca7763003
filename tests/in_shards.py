#!/usr/bin/env python3
"""Runs the test cases of a Catch2 program in a few processes instead of one for each: starting a sanitized program takes
longer than most of its tests.

  tests/in_shards.py build/fuzz/tests/gpumem_tests --jobs 2
"""

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SHARDS_PER_JOB = 6  # so that none waits long for the last one
SHOWN = 10  # of the longest cases
DURATION = re.compile(r"^([0-9.]+) s: (.*)\n", re.MULTILINE)


def run(program, names, folder, number):
    listed = Path(folder) / f"{number}.txt"
    listed.write_text("".join(f'"{escaped(name)}"\n' for name in names), encoding="utf-8")
    return subprocess.run([program, "--input-file", str(listed), "--durations", "yes"], capture_output=True, text=True, errors="replace",
                          check=False)


def escaped(name):
    return "".join("\\" + c if c in '\\,["' else c for c in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    listing = subprocess.run([given.program, "--list-test-names-only"], capture_output=True, text=True, check=False)
    names = listing.stdout.splitlines()
    shards = given.jobs * SHARDS_PER_JOB
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        runs = list(pool.map(lambda k: run(given.program, names[k::shards], folder, k), range(min(shards, len(names)))))
    durations = []
    for one in runs:
        durations += [(float(seconds), name) for seconds, name in DURATION.findall(one.stdout)]
        if one.returncode:
            print(DURATION.sub("", one.stdout) + one.stderr)
    print(f"{len(names)} test cases in {len(runs)} processes, {sum(not one.returncode for one in runs)} of which passed")
    print("the longest:", *(f"{seconds:5.1f} s  {name}" for seconds, name in sorted(durations)[:-SHOWN - 1:-1]), sep="\n")
    sys.exit(any(one.returncode for one in runs) or not names)


if __name__ == "__main__":
    main()
