#!/usr/bin/env python3
"""Measures time and memory of `gpumem check --learn` over thousands of reports, and writes the table of its simulation.

The reports are those of one committed report, with the readings of each GPU scaled by made-up noise. With --simulate,
it runs the simulation (fleet_criteria.cpp) and puts its table into docs/gpus.md instead.

    tests/benchmark/fleet_criteria.py --gpumem build/release/gpumem
    tests/benchmark/fleet_criteria.py --simulate build/release/tests/gpumem_fleet_criteria
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "configs" / "reference" / "h200" / "smoke.json"
PAGE = ROOT / "docs" / "gpus.md"
OF_GPU = 0.003  # standard deviations: of a GPU, of its cases
OF_CASE = 0.001


def write_report(path, reference, number, noise):
    """Changes the readings of the reference and puts them back, which is faster than copying it."""
    reference["device"]["uuid"] = f"GPU-{number:08x}-0000-0000-0000-000000000000"
    speed = 1 + noise.gauss(0, OF_GPU)
    headlines = [result["headline"] for result in reference["results"]]
    kept = [headline["measured"] for headline in headlines]
    for headline in headlines:
        factor = speed * (1 + noise.gauss(0, OF_CASE))
        headline["measured"] *= 1 / factor if headline["better"] == "less" else factor
    path.write_text(json.dumps(reference))
    for headline, value in zip(headlines, kept):
        headline["measured"] = value
    return path.stat().st_size


def time_it(program, count, seed):
    reference = json.loads(REFERENCE.read_text())
    noise = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        reports = Path(directory) / "reports"
        reports.mkdir()
        size = sum(write_report(reports / f"gpu{number:05}.json", reference, number, noise) for number in range(count))
        suite = Path(directory) / "fleet.json"
        start = time.monotonic()
        child = subprocess.Popen([program, "check", "--learn", str(reports), "--output", str(suite), "--quiet"])
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
    print(f"{count} reports of {len(reference['results'])} cases, {size / 1e6:.0f} MB: {seconds:.1f} s, "
          f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time on {os.cpu_count()} processors, at most "
          f"{usage.ru_maxrss / 1024:.0f} MiB, load average {os.getloadavg()[0]:.1f}")
    return os.waitstatus_to_exitcode(status)


def simulate(program):
    table = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    text = PAGE.read_text(encoding="utf-8")
    header = re.escape(table.splitlines()[0])
    found = re.search(header + r"\n(\|.*\n)+", text)
    if not found:
        sys.exit(f"{PAGE} has no table with the header {table.splitlines()[0]}")
    PAGE.write_text(text[:found.start()] + table + text[found.end():], encoding="utf-8")
    print(table, end="")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpumem", default=os.environ.get("GPUMEM", "build/release/gpumem"), help="the program")
    parser.add_argument("--gpus", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulate", metavar="PROGRAM", help="run this simulation and write its table")
    arguments = parser.parse_args()
    if arguments.simulate:
        return simulate(arguments.simulate)
    return time_it(arguments.gpumem, arguments.gpus, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
