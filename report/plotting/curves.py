"""Cases as curves: each is a point, with all that is known of it for a reader who asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from .model import Point, Reading, Series
from .reports import Case
from .words import Words, figure_text


def slug(text: str) -> str:
    """The text in characters that an XML id and a CSS selector may hold."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in text).split()).lower() or "cases"


def unique(name: str, taken: Counter[str]) -> str:
    """With a number, if it was given before; `taken` counts how often each was."""
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}.{taken[name]}"


def curve(name: str, label: str, looks: tuple[int, int], placed: Iterable[tuple[float, Case, str]]) -> Series:
    """The series of (x, case, words of x), in the order of x. `looks` are the numbers of its colour and marker."""
    points = [point(case, x, f"{label}, {place}") for x, case, place in sorted(placed, key=lambda entry: entry[0])]
    return Series(name, label, *looks, points)


def without_bridges(series: Series) -> Series:
    """The series, of distances in memory: no line goes over those that were not run. Beside single cases two neighbours
    make no line either, as 1 and 2 of powers of two: it would seem to be a curve that ends."""
    runs: list[list[Point]] = []
    for point in series.points:
        if runs and point.x - runs[-1][-1].x <= 1:
            runs[-1].append(point)
        else:
            runs.append([point])
    singles = any(len(run) == 1 for run in runs)
    for run in runs:
        for i, point in enumerate(run):
            is_pair = singles and len(run) == 2
            point.apart = point is not series.points[0] and (i == 0 or is_pair) or None
    return series


def row(label: str, reading: Reading) -> list[str]:
    measured = figure_text(reading.measured)
    low, high = reading.ci95_low, reading.ci95_high
    if reading.measured and low is not None and high is not None:
        measured += f" ± {100 * (high - low) / 2 / reading.measured:.2g} %"
    return [label, figure_text(reading.predicted), figure_text(reading.counted), measured]


def rows(case: Case, readings: Mapping[str, Reading], words: Words) -> list[list[str]]:
    """[quantity, predicted, counted, measured] of all that is known of a case, a site's costs by site."""
    of_sites = {name for site in case.access for name in site.costs}
    lines = [row(words.label(name), reading) for name, reading in readings.items() if name not in of_sites]
    if readings:
        lines += [row(f"{words.label(name)} of {site.site or site.space}", reading) for site in case.access
                  for name, reading in site.costs.items()]
    return [line for line in lines if any(line[1:])]


def notes(case: Case, words: Words) -> list[str]:
    said = [", ".join(phrase + (" (auto)" if name in case.chosen_by_auto else "")
                      for name, value in case.parameters.items() if (phrase := words.phrase(name, value)))]
    if case.status != "ok":
        said.append(f"{case.status} ({case.reason})" if case.reason else case.status)
    if case.verified is False:
        said.append("moved wrong data")
    limits: dict[str, list[str]] = {}
    for reading, stage in case.bottleneck.items():
        limits.setdefault(words.of("stages", stage) or stage.replace("_", " "), []).append(reading)
    said += [f"limit: {limit} ({' and '.join(by)})" for limit, by in limits.items()]
    if case.time_seconds.count and case.readings:
        said.append(f"median of {case.time_seconds.count:g} samples, ± half its 95 % confidence interval")
    return said


def point(case: Case, x: float, title: str) -> Point:
    words = case.report.words
    shown = {name: reading.times(words.unit(name)[1]) for name, reading in case.readings.items()}
    return Point(x, shown, title, rows(case, shown, words), notes(case, words), case.flags, case.why)
