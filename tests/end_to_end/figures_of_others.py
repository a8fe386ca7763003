#!/usr/bin/env python3
"""Figures that others published, beside those that the model predicts from the profile of their GPU.

  GPUMEM=build/release/gpumem tests/end_to_end/figures_of_others.py    rewrites docs/figures-of-others.md

The figures are in tests/figures_of_others/: who measured what on which GPU, the command of gpumem that predicts the same, and
the case of its report. A figure that made the profile is marked, because it proves nothing.
"""

import json
import statistics
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "tests" / "figures_of_others"
PAGE = ROOT / "docs" / "figures-of-others.md"
BEGIN, END = "<!-- begin: tests/end_to_end/figures_of_others.py -->\n", "<!-- end -->\n"


def figures():
    return [figure for file in sorted(FIGURES.glob("*.json")) for figure in json.loads(file.read_text(encoding="utf-8"))]


def reports(of):
    """The predicted report of every command and GPU, by both."""
    made = {}
    for figure in of:
        key = figure["gpu"], *figure["command"]
        if key in made:
            continue
        done = harness.run(*figure["command"], "--backend", "model", "--gpu", figure["gpu"], "--format", "json")
        if not done.stdout:
            raise AssertionError(f"{key}: {done.stderr}")
        made[key] = json.loads(done.stdout)
    return made


def predicted(figure, report):
    """The value in the figure's unit."""
    cases = [result for result in report["results"] if figure["case"].items() <= result["parameters"].items()]
    if len(cases) != 1:
        raise AssertionError(f"{figure['says']}: {len(cases)} cases have {figure['case']}")
    metric = figure.get("quantity", "headline")
    value = cases[0]["headline"]["predicted"] if metric == "headline" else cases[0]["metrics_predicted"][metric]
    return value and value * figure.get("scale", 1)


def with_predictions():
    """The figures, each with `predicted` and, as a fraction of what was published, `off`."""
    listed = figures()
    made = reports(listed)
    for figure in listed:
        figure["predicted"] = predicted(figure, made[(figure["gpu"], *figure["command"])])
        figure["off"] = figure["predicted"] and figure["predicted"] / figure["value"] - 1
    return listed


def kind(figure):
    """A row of the summary: bandwidth of a whole array, of a part that a cache holds, latency, or a link."""
    probe = figure["command"][1]
    if probe == "latency":
        return "latencies"
    if probe == "peer":
        return "between GPUs"
    if probe in ("transfer", "zero-copy", "overlap"):
        return "host link"
    return "whole arrays" if figure["whole_array"] else "caches and patterns"


def errors(of):
    return [abs(figure["off"]) for figure in of if figure["off"] is not None and not figure["made_profile"]]


def percentile_95(values):
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def summary(of):
    lines = ["| figures that made no profile | number | median off | 95th percentile | worst |", "| --- | ---: | ---: | ---: | ---: |"]
    kinds = sorted({kind(figure) for figure in of})
    for name, some in [*((name, [one for one in of if kind(one) == name]) for name in kinds), ("all", of)]:
        off = errors(some)
        if off:
            lines.append(f"| {name} | {len(off)} | {statistics.median(off):.1%} | {percentile_95(off):.0%} | {max(off):.0%} |")
    return "\n".join(lines) + "\n"


def source(figure):
    if figure["commit"]:
        owner = figure["source"].split(" (")[0]
        return f"[{owner}](https://github.com/{owner}/blob/{figure['commit']}/{figure['file']})"
    return f"[{figure['source']}]({figure['file']})" if figure["file"].startswith("http") else f"{figure['source']}, {figure['file']}"


def row(figure):
    digits = "{:.3g}" if figure["value"] < 100 else "{:.0f}"
    value, prediction = digits.format(figure["value"]), figure["predicted"]
    off = "-" if prediction is None else f"{figure['off']:+.0%}"
    mark = " p" if figure["made_profile"] else ""
    prediction = "-" if prediction is None else digits.format(prediction)
    return f"| {figure['says']} | {source(figure)} | {value} {figure['unit']}{mark} | {prediction} | {off} |"


def page(listed):
    """The page as it should be, by figures with predictions."""
    text = summary(listed)
    for gpu in sorted({figure["gpu"] for figure in listed}):
        text += f"\n### `{gpu}`\n\n| measured | by | published | predicted | off |\n| --- | --- | ---: | ---: | ---: |\n"
        text += "\n".join(row(figure) for figure in listed if figure["gpu"] == gpu) + "\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return before + BEGIN + text + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(with_predictions()), encoding="utf-8")
