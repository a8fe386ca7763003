"""Stands in for gpumem when the commands of pages are run, on a machine that need not have a GPU. Commands that would
measure predict, and commands that would calibrate fit a reference report. If documents.py asks for it, a command that
would measure gives the measurements in the reference report of the same command, beside this program's predictions of
its cases."""

import os
import re
import subprocess
import sys
from pathlib import Path

import documents
import harness
import predicted_anew

# Options that change nothing about the cases, with the number of words each takes. A reference may have been counted as
# well.
OUTPUT = {"--output": 2, "--format": 2, "--junit": 2, "--openmetrics": 2, "--why": 1, "--no-color": 1, "--color": 2}
ABOUT_THE_RUN = {"--ci-width": 2, "--time-budget": 2, "--quiet": 1, "--counters": 1, "--counters=require": 1, "--device": 2, "--attempts": 2}


def split(words, options):
    """The words that belong to `options`, and the others."""
    taken, others = [], []
    words = list(words)
    while words:
        count = options.get(words[0], 0)
        (taken if count else others).extend(words[:count or 1])
        words = words[count or 1:]
    return taken, others


def is_report(word):
    return word.endswith(".json") and Path(word).exists() and '"results"' in Path(word).read_text(encoding="utf-8")


def measures(words):
    return (words[0] in ("probe", "check", "portrait") and not {"--backend", "--dry-run", "--help"} & set(words)
            and not any(is_report(word) for word in split(words, OUTPUT)[1]))


def reference_of(words):
    """The reference report with the cases of a command; the H200's, where there are several."""
    cases = split(words, OUTPUT | ABOUT_THE_RUN)[1]
    for report in sorted((documents.ROOT / "configs" / "reference").rglob("*.json"), reverse=True):
        command = re.search(r'"command": (\[.*?\])', report.read_text(encoding="utf-8"), re.DOTALL)[1]
        if split(re.findall('"(.*?)"', command)[1:], OUTPUT | ABOUT_THE_RUN)[1] == cases:
            return str(report)
    return None


def arguments(words):
    if words[0] == "calibrate" and "--from" not in words:
        return [*words, "--from", "configs/reference/h200/bank.json"]
    if not measures(words):
        return words
    if documents.REFERENCES not in os.environ:
        profile = os.environ.get(documents.PROFILE)
        model = ["--backend", "model", "--gpu", profile] if profile else harness.model(words)
        return [*split(words, {"--device": 2})[1], *harness.cheaper(words), *model]
    report = reference_of(words)
    if report is None:
        sys.exit(f"no report in configs/reference is of 'gpumem {' '.join(words)}', so nothing tells what that prints")
    accepted = subprocess.run([harness.PROGRAM, *words, "--dry-run", "--quiet"], stdout=subprocess.DEVNULL, check=False)
    if accepted.returncode != 0:
        sys.exit(accepted.returncode)
    report = predicted_anew.beside_measured(report, os.environ[documents.REFERENCES])
    output = split(words, OUTPUT)[0]
    if words[0] == "check":
        return ["check", words[1], report, *output]
    return ["portrait" if words[0] == "portrait" else "show", report, *output]


if __name__ == "__main__":
    given = sys.argv[1:]
    os.execv(harness.PROGRAM, [harness.PROGRAM, *(arguments(given) if given else [])])
