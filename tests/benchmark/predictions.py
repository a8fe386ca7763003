#!/usr/bin/env python3
"""Records the model's predictions and the processor time that they take, to compare them with another build's.

    tests/benchmark/predictions.py record build/release/gpumem before/
    tests/benchmark/predictions.py record build/release/gpumem after/ --only pitch,random
    tests/benchmark/predictions.py compare before/ after/

Recorded are the sweeps that probes do without options, on every built-in profile, the shipped suites, the cases of all
reference reports, and some patterns that nothing is proved of. Compared are the counts, which are integers over
requests and have to be equal, and every other number of the model's.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))

import prediction  # noqa: E402
from plotting import reports  # noqa: E402

HASH = "((i*0x9E3779B97F4A7C15>>29^i)*0xB4716089AA796D99>>20)&(n-1)"
PATTERNS = {
    "hash": [HASH, "--buffer", "4MiB"],
    "hash-write": [HASH, "--buffer", "4MiB", "--op", "write"],
    "hash-64MiB": [HASH, "--buffer", "64MiB"],
    "hash-1GiB": [HASH],
    "hash-lone": [HASH, "--buffer", "4MiB", "--block-threads", "1"],
    "lone": ["i * 3 ^ 5", "--block-threads", "1"],
    "odd": [HASH, "--buffer", "4MiB", "--block-threads", "100"],
    "columns": ["i % 1000 * (n / 1000) + i / 1000", "--buffer", "16MiB", "--op", "read,write,copy"],
    "masked": ["i * 7 % n", "--active", "i % 5 < 2", "--buffer", "16MiB"],
}


class Recorder(prediction.Predictor):
    """Keeps what the program says, and how long it takes."""

    def __init__(self, program, folder, only):
        super().__init__(program)
        self.folder, self.only = folder, only
        folder.mkdir(parents=True, exist_ok=True)

    def record(self, name, *arguments):
        if self.only and not any(one in name for one in self.only):
            return
        before = os.times()
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        report = json.loads(done.stdout) if done.stdout.startswith("{") else {"results": []}
        text = json.dumps({"arguments": arguments, "exit_code": done.returncode, "processor_seconds": seconds,
                           "said": done.stderr, "results": report["results"]})
        (self.folder / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"{seconds:7.2f} s  {done.returncode}  {name}", flush=True)

    def sweep(self, name, *arguments, gpu="h200"):
        self.record(name, "probe", *arguments, "--backend", "model", "--gpu", gpu, "--quiet", "--format", "json")

    def run(self, *arguments):  # of a Predictor: the cases of a report
        if arguments[0] == "probe":
            self.count += 1
            self.record(f"{self.prefix}-{self.count}", *arguments)
            return '{"schema_version": 1, "results": []}'
        return super().run(*arguments)

    def report(self, path):
        self.prefix, self.count = "reference-" + path.relative_to(ROOT / "configs" / "reference").as_posix().replace("/", "-")[:-5], 0
        report = reports.read(path)
        if report.backend == "cuda" and report.profile and report.profile != "attributes":
            try:
                self.predictions(report)
            except (prediction.UserError, KeyError) as error:
                print(f"{path}: {error}")


def record(arguments):
    recorder = Recorder(arguments.program, arguments.folder, arguments.only.split(",") if arguments.only else [])
    for gpu in sorted(path.stem for path in (ROOT / "configs" / "gpus").glob("*.json")):
        for probe in recorder.flags:
            recorder.sweep(f"{gpu}-{probe}", probe, gpu=gpu)
    for name, words in PATTERNS.items():
        recorder.sweep(f"pattern-{name}", "pattern", "--pattern", *words)
    for suite in sorted((ROOT / "configs").glob("*.json")):
        recorder.sweep(f"suite-{suite.stem}", "--config", str(suite))
    for path in sorted((ROOT / "configs" / "reference").rglob("*.json")):
        if "programs" not in path.parts:
            recorder.report(path)


COUNTS = re.compile(r"_per_request$")


def numbers(value, path=()):
    if isinstance(value, dict):
        for name, one in value.items():
            yield from numbers(one, (*path, name))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from numbers(one, (*path, str(place)))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, float(value)


def compare(arguments):
    headlines, others, exact = [], [], True
    for before in sorted(arguments.before.glob("*.json")):
        after = arguments.after / before.name
        if not after.exists():
            continue
        old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
        if old["exit_code"] != new["exit_code"]:
            print(f"{before.stem}: exit code {old['exit_code']}, then {new['exit_code']}: {new['said'].strip()}")
        if len(old["results"]) != len(new["results"]):
            print(f"{before.stem}: {len(old['results'])} cases, then {len(new['results'])}")
            continue
        worst = 0
        for place, (one, other) in enumerate(zip(old["results"], new["results"], strict=True)):
            if one["parameters"] != other["parameters"] or one["status"] != other["status"]:
                differ = {name: (value, other["parameters"].get(name)) for name, value in one["parameters"].items()
                          if value != other["parameters"].get(name)}
                print(f"{before.stem} [{place}]: {one['status']}, {other['status']}: {differ}")
            theirs = dict(numbers(other))
            for path, value in numbers(one):
                if path[0] == "parameters":
                    continue
                found = theirs.get(path)
                if found is None:
                    print(f"{before.stem} [{place}]: {'.'.join(path)} was {value}, then none")
                    continue
                off = abs(found - value) / max(abs(value), 1e-300) if found != value else 0
                if path[0] == "access":
                    if off > 1e-12:
                        print(f"{before.stem} [{place}]: {'.'.join(path)} was {value}, then {found}")
                        exact = False
                elif path[:2] == ("headline", "predicted"):
                    headlines.append((off, f"{before.stem} [{place}]"))
                    worst = max(worst, off)
                else:
                    others.append((off, f"{before.stem} [{place}] {'.'.join(path)}"))
        print(f"{before.stem:40} {old['processor_seconds']:7.2f} s {new['processor_seconds']:7.2f} s  {100 * worst:.3f} %")
    for what, found in (("headlines", headlines), ("all else", others)):
        if not found:
            continue
        off = [one for one, _ in found]
        print(f"{what}: {len(off)}, changed {sum(one > 1e-12 for one in off)}, median {100 * statistics.median(off):.4f} %, "
              f"over 1 %: {sum(one > 0.01 for one in off)}, largest {100 * max(off):.3f} %")
        for one, where in sorted(found, reverse=True)[:8]:
            if one > 0.001:
                print(f"  {100 * one:.3f} % {where}")
    print("counts are equal" if exact else "counts differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_record = commands.add_parser("record")
    of_record.add_argument("program")
    of_record.add_argument("folder", type=Path)
    of_record.add_argument("--only", help="parts of names, separated by commas")
    of_record.set_defaults(work=record)
    of_compare = commands.add_parser("compare")
    of_compare.add_argument("before", type=Path)
    of_compare.add_argument("after", type=Path)
    of_compare.set_defaults(work=compare)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
