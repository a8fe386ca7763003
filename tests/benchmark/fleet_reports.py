#!/usr/bin/env python3
"""Times `gpumem compare --fleet` over thousands of reports, and checks that it finds what is wrong in them.

Makes reports of many machines out of one report: the same cases, every time with the noise of a machine and of a run,
and on some machines something planted: cases that are slower, a failed case, wrong data. Then times the command over
all of them and compares what it names with what was planted.

    tests/benchmark/fleet_reports.py --gpumem build/release/gpumem --machines 2000
    tests/benchmark/fleet_reports.py --report configs/reference/h200/stride.json --keep /tmp/fleet
"""

import argparse
import copy
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MACHINE_NOISE = 0.002  # standard deviations: between the GPUs of a fleet, and between runs on one
RUN_NOISE = 0.001
MOST_NOISE = 3  # standard deviations: what goes beyond is cut, so that nothing is off but what was planted
PLANTED = ("slow", "one_slow_case", "failed", "wrong_data")


def model_report(program, samples):
    """A prediction dressed up as a measurement, with as many cases and samples as a smoke check has."""
    done = subprocess.run(
        [program, "probe", "--offset", "0..8", "--stride", "1..16*2", "--bank-stride", "1,2,4,8,16,32", "--op",
         "read,write", "--backend", "model", "--gpu", "h200", "--format", "json"],
        check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    report["backend"] = "cuda"
    for result in report["results"]:
        for readings in (result["headline"], result["bandwidth_gb_per_s"]):
            readings["measured"] = readings["predicted"]
        seconds = result["predicted_seconds"]
        result["verified"] = True
        result["time_seconds"] = {name: seconds for name in ("median", "ci95_low", "ci95_high", "min", "p05", "p95")}
        result["time_seconds"] |= {"count": samples, "samples": [seconds] * samples}
    return report


def draw(noise, deviation):
    """A factor around 1."""
    return 1 + deviation * max(-MOST_NOISE, min(MOST_NOISE, noise.gauss(0, 1)))


def headlines(result):
    """The quantities by which a case is judged. Reports of earlier versions have bandwidths alone."""
    return [result[name] for name in ("headline", "bandwidth_gb_per_s") if name in result]


def lose_readings(result):
    result["time_seconds"] = None
    for readings in headlines(result):
        readings["measured"] = None


def scale(result, factor, noise):
    """Makes a case `factor` times as fast, with samples around it."""
    for readings in headlines(result):
        if readings["measured"] is not None:
            readings["measured"] *= 1 / factor if readings.get("better") == "less" else factor
    times = result["time_seconds"]
    if times is None:
        return
    for name in ("median", "ci95_low", "ci95_high", "min", "p05", "p95"):
        times[name] /= factor
    times["samples"] = [times["median"] * draw(noise, RUN_NOISE) for _ in times["samples"]]


def machine_report(reference, number, planted, noise):
    report = copy.deepcopy(reference)
    report["host"]["name"] = f"node{number // 8:04}"
    report["device"]["uuid"] = f"GPU-{number:08x}-0000-0000-0000-000000000000"
    report["device"]["pci_bus_id"] = f"00000000:{0x10 + number % 8:02x}:00.0"
    machine = draw(noise, MACHINE_NOISE)
    for result in report["results"]:
        scale(result, machine * draw(noise, RUN_NOISE), noise)
    results = report["results"]
    if planted == "slow":
        for result in results:
            scale(result, 0.93, noise)
    elif planted == "one_slow_case":
        scale(results[len(results) // 2], 0.95, noise)
    elif planted == "failed":
        results[0] |= {"status": "failed", "reason": "out of memory", "verified": None}
        lose_readings(results[0])
    elif planted == "wrong_data":
        results[1]["verified"] = False
        lose_readings(results[1])
    return report


def make_fleet(directory, reference, machines, outliers, seed):
    """Writes a report per machine; returns what was planted, by file name."""
    noise = random.Random(seed)
    planted = {}
    size = 0
    sick = set(noise.sample(range(machines), outliers))
    for number in range(machines):
        path = directory / f"machine{number:05}.json"
        what = PLANTED[len(planted) % len(PLANTED)] if number in sick else None
        if what:
            planted[path.name] = what
        text = json.dumps(machine_report(reference, number, what, noise))
        path.write_text(text)
        size += len(text)
    return planted, size


def timed(program, directory, *options):
    """Seconds from start to exit, and what came out."""
    start = time.monotonic()
    done = subprocess.run([program, "compare", "--fleet", directory, *options], capture_output=True, text=True,
                          check=False)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {done.stderr}")
    return seconds, done.stdout


def found_in(text):
    return {Path(machine["file"]).name for machine in json.loads(text)["machines"] if machine["stands_out"]}


def run(directory, arguments):
    if arguments.report:
        reference = json.loads(Path(arguments.report).read_text())
    else:
        reference = model_report(arguments.gpumem, samples=30)
    start = time.monotonic()
    planted, size = make_fleet(directory, reference, arguments.machines, arguments.outliers, arguments.seed)
    print(f"{arguments.machines} reports of {len(reference['results'])} cases, "
          f"{size / arguments.machines / 1e3:.0f} kB each, {size / 1e6:.0f} MB in all; "
          f"made in {time.monotonic() - start:.1f} s, seed {arguments.seed}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    times = sorted(timed(arguments.gpumem, directory)[0] for _ in range(arguments.repetitions))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(times)
    print(f"gpumem compare --fleet: {times[len(times) // 2]:.2f} s (median of {len(times)}, {times[0]:.2f} to "
          f"{times[-1]:.2f}) on {os.cpu_count()} processors, {busy:.2f} s of processor time, "
          f"at most {after.ru_maxrss / 1024:.0f} MiB, load average {os.getloadavg()[0]:.1f}")
    seconds, text = timed(arguments.gpumem, directory, "--format", "json")
    print(f"with --format json: {seconds:.2f} s, {len(text) / 1e6:.1f} MB")
    found = found_in(text)
    missed = {name: planted[name] for name in sorted(planted.keys() - found)}
    invented = sorted(found - planted.keys())
    print(f"{len(planted)} planted, {len(planted) - len(missed)} of them found; missed: {missed or 'none'}; "
          f"named without cause: {invented or 'none'}")
    return 1 if missed or invented else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpumem", default=os.environ.get("GPUMEM", "build/release/gpumem"), help="the program")
    parser.add_argument("--report", help="the report to vary; without one, a prediction for an H200")
    parser.add_argument("--machines", type=int, default=2000)
    parser.add_argument("--outliers", type=int, default=8, help="machines with something planted")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a directory for the reports, which then stay")
    arguments = parser.parse_args()
    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
        return run(Path(arguments.keep), arguments)
    with tempfile.TemporaryDirectory() as directory:
        return run(Path(directory), arguments)


if __name__ == "__main__":
    sys.exit(main())
