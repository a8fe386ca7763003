#!/usr/bin/env python3
"""Mends programs by their advice alone: runs each of mending/ under gpumem, takes the cure of the first entry of its
advice, applies the edit that the program has for that cure, and runs it again.

  GPUMEM=build/release/gpumem tests/corpus/mend.py [PROGRAM...] [--output FILE.json]

An edit stands in comments below the line that it replaces, a comment for each of its lines: "// cure pad_rows: LINE". It
takes a GPU, nvcc for the programs in CUDA, and PyTorch and Triton for those in Python. Prints what each saved beside what
the advice said, and ends with 1 if a program was not mended: no edit for its cure, another checksum, or a saving outside
of 0.8 x the low to 1.25 x the high end of the interval that was said.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "mending"
MARK = re.compile(r"^\s*(?://|#) cure (\w+): (.*)$")


def cures_of(source):
    return sorted({found[1] for line in source.splitlines() if (found := MARK.match(line))})


def mended(source, cure):
    """The source with the lines that the edit for this cure replaces."""
    lines = []
    replaced = None  # the line that the edits below are for, while it stands
    for line in source.splitlines():
        edit = MARK.match(line)
        if not edit:
            replaced = line
            lines.append(line)
        elif edit[1] == cure:
            if replaced is not None:
                lines.pop()
                replaced = None
            lines.append(re.match(r"\s*", line)[0] + edit[2])
    return "\n".join(lines) + "\n"


def command_of(source, folder):
    if source.suffix == ".py":
        return [sys.executable, str(source)]
    program = folder / source.stem
    subprocess.run(["nvcc", "-std=c++17", "-O3", "-lineinfo", "-arch=native", f"-I{FOLDER}", "-o", program, source], check=True)
    return [str(program)]


def run(source, folder):
    """The report of the program, and the line with its checksum."""
    report = folder / f"{source.stem}.json"
    ended = subprocess.run([os.environ["GPUMEM"], "run", "--quiet", "--output", report, "--", *command_of(source, folder)],
                           check=True, capture_output=True, text=True, timeout=300)
    return json.loads(report.read_text()), next(line for line in ended.stdout.splitlines() if line.startswith("checksum"))


def gpu_seconds(report):
    return sum(one["metrics"]["gpu_time_seconds"] or 0 for one in report["results"])


def mend(path, folder):
    """Mends one program, and returns what came of it as a dictionary."""
    source = path.read_text()
    before, checksum = run(path, folder)
    found = {"program": path.name, "before_s": gpu_seconds(before), "cure": None, "edits": cures_of(source)}
    if not before["advice"]:
        return found | {"problem": "no advice"}
    advice = before["advice"][0]
    found |= {name: advice[name] for name in ("cure", "source_line", "saves_seconds", "saves_seconds_low",
                                              "saves_seconds_high", "confidence")}
    if advice["cure"] not in found["edits"]:
        return found | {"problem": "no edit for this cure"}
    other = folder / f"mended_{path.name}"
    other.write_text(mended(source, advice["cure"]))
    after, other_checksum = run(other, folder)
    found |= {"after_s": gpu_seconds(after), "saved_s": found["before_s"] - gpu_seconds(after)}
    if checksum != other_checksum:
        return found | {"problem": f"{checksum}, and mended {other_checksum}"}
    if not 0.8 * advice["saves_seconds_low"] <= found["saved_s"] <= 1.25 * advice["saves_seconds_high"]:
        return found | {"problem": "another saving than said"}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", help="names of files in mending/ (default: all)")
    parser.add_argument("--output", type=Path, help="a file for the results as JSON")
    given = parser.parse_args()
    paths = [FOLDER / name for name in given.programs] or sorted([*FOLDER.glob("*.cu"), *FOLDER.glob("*.py")])
    results = []
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = mend(path, Path(folder))
            except (subprocess.SubprocessError, StopIteration) as error:
                found = {"program": path.name, "problem": f"{error} {getattr(error, 'stderr', '') or ''}".strip()}
        results.append(found)
        said = " ".join(f"{found[name] * 1e3:.3g}" for name in ("saves_seconds_low", "saves_seconds", "saves_seconds_high")
                        if name in found)
        had = f"{found['saved_s'] * 1e3:.3g} of {found['before_s'] * 1e3:.3g}" if "saved_s" in found else "-"
        print(f"{found['program']:20} {found.get('cure') or '-':26} said {said or '-':22} had {had:18} ms"
              f"  {found.get('problem', 'ok')}", flush=True)
    if given.output:
        given.output.write_text(json.dumps(results, indent=1) + "\n")
    return any("problem" in found for found in results)


if __name__ == "__main__":
    sys.exit(main())
