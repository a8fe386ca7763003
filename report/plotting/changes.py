"""Shows what a comparison found: the speed of each case in a new report relative to an old one, over the axis of its
table, with the band in which changes count as noise. The largest changes come first, as bars; those of a program are
all bars. Both reports' curves follow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from . import figures, kernels, side_by_side
from .curves import row
from .errors import UserError
from .looks import identity, parameters_of
from .model import Block, Figure, Panel, Point, Quantity, Reading, Series, Tick, XAxis, grouped
from .reports import Case, Headline, Report, has_reading
from .words import Words, shortened

SPEED = "speed_ratio"
LABEL = "speed, new / old"
LOGARITHMIC = 3  # from the least to the most: a linear axis would squeeze losses
WIDEST_BAND = 0.5  # for which an axis makes room
MOST_BARS, NAME_LETTERS = 20, 52
FEW = 12  # cases that a reader finds without bars
VERDICTS = (("slower", 1), ("faster", 2), ("ambiguous", 4), ("same", 7))  # with their colours


# ---- The cases

def amount(words: Words, quantity: str | None, side: Mapping[str, Any] | None) -> str:
    value = (side or {}).get("estimate") and (side or {})["estimate"]["value"]
    return words.amount(quantity, value) if quantity and value is not None else "not known"


def reading_of(speed: Mapping[str, Any], is_predicted: bool) -> Reading:
    if is_predicted:
        return Reading(predicted=speed["value"])
    return Reading(speed["value"], None, None, speed["ci95_low"], speed["ci95_high"])


def case_of(compared: Mapping[str, Any], change: Mapping[str, Any], report: Report, is_predicted: bool) -> Case:
    """The case of a new report with its speed as the only reading, and `verdict`, `old_to_new` and `spent_s`: how much
    more or less time a program's kernel took in all."""
    case = SimpleNamespace(**vars(report.results[change["case"]["index"]]))
    speed, words = change["speed_ratio"], report.words
    old, new = (amount(words, compared["quantity"], side) for side in (compared["old"], change["case"]))
    spent = change["metrics"].get("gpu_time_seconds")
    case.report, case.verdict, case.old_to_new = report, change["verdict"], f"{old} \u2192 {new}"
    case.spent_s = spent["new"] - spent["old"] if spent else 0
    case.readings = {SPEED: reading_of(speed, is_predicted)} if speed else {}
    case.headline, case.why = Headline(quantity=SPEED, better="more"), f"{case.old_to_new}: {case.verdict}."
    case.flags = list(dict.fromkeys([*case.flags, *compared["old"]["flags"]]))
    case.access, case.timeline, case.bottleneck, case.drawn_over = [], [], {}, None
    case.time_seconds = SimpleNamespace(count=None)
    return case


def cases_of(result: Mapping[str, Any], reports: Sequence[Report]) -> list[Case]:
    """The cases that both the old and a new report have."""
    found, is_predicted = [], all(report.backend == "model" for report in reports)
    for number, report in enumerate(reports[1:]):
        report.words.told.setdefault("quantities", {})[SPEED] = {"title": LABEL, "unit": ""}
        alone = SimpleNamespace(**{**vars(report), "found": {}, "conclusions": []})  # which are of its readings
        found += [case_of(compared, compared["new"][number], alone, is_predicted) for compared in result["cases"]
                  if compared["old"] and compared["new"][number]["case"]]
    return found


def is_beyond(case: Case) -> bool:
    return case.verdict in ("slower", "faster")


def is_out(speed: Reading, tolerance: float) -> bool:
    """True if the whole interval is beyond the band, as the program judges it. Predictions have none."""
    low, high = speed.ci95_low or speed.predicted or 1, speed.ci95_high or speed.predicted or 1
    return low > 1 + tolerance or high < 1 - tolerance


def size(case: Case) -> float:
    """The size of its change: half and double the speed are alike."""
    return abs(math.log(case.readings[SPEED].known()[-1])) if has_reading(case) else 0


# ---- What both kinds of panels share

def set_scale(panels: Sequence[Panel], tolerance: float) -> None:
    """Gives panels one scale, on which all intervals and the band have room."""
    found = [value for panel in panels for series in panel.series for point in series.points if SPEED in point.readings
             for value in vars(point.readings[SPEED]).values() if value]
    around = min(tolerance, WIDEST_BAND)
    low, high = min(1 - around, *found), max(1 + around, *found)
    is_log = high > LOGARITHMIC * low
    room = (high / low) ** 0.06 if is_log else 0.06 * (high - low)
    for panel in panels:
        panel.quantities = [Quantity(SPEED, LABEL, is_log, *((low / room, high * room) if is_log
                                                             else (low - room, high + room)), exact=True)]
        panel.band = (1 - tolerance, 1 + tolerance)


def marks(tolerance: float) -> str:
    return f"band: ±{100 * tolerance:.3g} %, noise; ring: all of the interval is beyond it"


def counted(cases: Sequence[Case]) -> str:
    """The number of cases of each verdict, as in "2 slower, 1 faster, 40 same"."""
    tally = Counter(case.verdict for case in cases)
    return ", ".join(f"{tally[verdict]} {verdict}" for verdict, _ in VERDICTS if tally[verdict])


# ---- The curves of a table

def dodged(panel: Panel) -> None:
    """Points of several series over one name stand beside each other."""
    for i, series in enumerate(panel.series):
        for point in series.points:
            point.x += 0.6 * (i - (len(panel.series) - 1) / 2) / len(panel.series)


def table(cases: Sequence[Case], tolerance: float) -> Block:
    """The panels of one table. Throws if they are too many."""
    block = figures.block(cases, cases, list(dict.fromkeys(case.report.label for case in cases)), 1)
    for panel in block.panels:
        panel.name, panel.guides, panel.scatter = f"change.{panel.name}", [], panel.x.scale == "category"
        for series in panel.series:
            series.name, series.thin = f"change.{series.name}", True
            for point in series.points:
                point.beyond = is_out(point.readings.get(SPEED, Reading()), tolerance) or None
        if panel.scatter and not panel.matrix:
            dodged(panel)
    set_scale(block.panels, tolerance)
    about = f"Change of {block.about}"
    if block.title:
        block.title, block.subtitle = about, "; ".join(filter(None, [marks(tolerance), block.subtitle]))
    else:
        block.panels[0].title = about
        block.panels[0].subtitle = "; ".join(filter(None, [marks(tolerance), block.panels[0].subtitle]))
    block.notes, block.about = [counted(cases)], about
    return block


# ---- Bars

def names_of(cases: Sequence[Case]) -> list[str]:
    """Words that tell the cases of all tables apart."""
    varying = {probe: parameters_of(of_probe, "") for probe, of_probe in grouped(cases, lambda case: case.probe).items()}
    labels = {case.report.label for case in cases}
    found = []
    for case in cases:
        phrases = [case.report.words.phrase(name, identity(case, name)) for name in varying[case.probe]
                   if identity(case, name) not in (None, "auto")]
        said = ", ".join([case.report.label] * (len(labels) > 1) + list(filter(None, phrases)))
        found.append(": ".join(filter(None, [case.probe if len(varying) > 1 or not said else "", said])))
    return found


def bars(named: Sequence[tuple[str, Case]], title: str, subtitle: str, tolerance: float) -> Block:
    """A bar for each case, from the speed before to the speed now, in the order given."""
    series = []
    for verdict, colour in VERDICTS:
        points = [Point(i, {SPEED: case.readings[SPEED]}, name, [row(LABEL, case.readings[SPEED])], flags=case.flags,
                        why=case.why) for i, (name, case) in enumerate(named) if case.verdict == verdict]
        if points:
            series.append(Series(f"change.{verdict}", verdict, colour, 0, points, thin=verdict in ("ambiguous", "same")))
    names: list[Tick] = [(i, f"{shortened(name, NAME_LETTERS)}\n{case.old_to_new}") for i, (name, case) in enumerate(named)]
    panel = Panel("change", title, subtitle, XAxis("case", "category", names, names), [], series, [], wide=True,
                  sideways=True, base=1)
    set_scale([panel], tolerance)
    return Block([panel], about=title)


def of_kernels(cases: Sequence[Case], tolerance: float) -> list[Block]:
    """The bars of programs' kernels: those that changed the GPU time most come first."""
    named = [(kernel.name, kernel.case) for of_report in kernels.of_programs(cases) for kernel in of_report
             if has_reading(kernel.case)]
    named.sort(key=lambda entry: -abs(entry[1].spent_s))
    more = len(named) - MOST_BARS
    return [bars(named[:MOST_BARS], "Change of kernels: the speed of a launch",
                 f"{more} more changed the GPU time less" if more > 0 else "", tolerance)] if named else []


def largest(cases: Sequence[Case], tolerance: float) -> list[Block]:
    """The bars of the largest changes, unless the tables are so short that these are easily found."""
    named = [(name, case) for name, case in zip(names_of(cases), cases) if is_beyond(case)]
    named.sort(key=lambda entry: -size(entry[1]))
    if not named or len(cases) <= FEW:
        return []
    title = f"The {MOST_BARS} largest of {len(named)} changes" if len(named) > MOST_BARS else "What changed"
    return [bars(named[:MOST_BARS], title, counted(cases), tolerance)]


# ---- The figure

def blocks_of(cases: Sequence[Case], tolerance: float) -> list[Block]:
    """The bars, then the tables: first those with the largest changes."""
    if any(case.probe == kernels.PROBE for case in cases):
        return of_kernels(cases, tolerance)
    tables = [of_probe for of_probe in grouped(cases, lambda case: case.probe).values() if any(map(has_reading, of_probe))]
    tables.sort(key=lambda of_probe: -max(map(size, filter(is_beyond, of_probe)), default=0))
    found = largest(cases, tolerance)
    for of_probe in tables:
        try:
            found.append(table(of_probe, tolerance))
        except UserError:  # too many panels: the bars have what matters
            continue
    return found


def figure(reports: Sequence[Report], result: Mapping[str, Any], on_page: bool) -> Figure:
    """Takes the JSON that `gpumem compare` writes, and the reports that it compared, the old one first. Curves of both
    share panels, but programs stand side by side on a page."""
    cases = cases_of(result, reports)
    shown = blocks_of(cases, result["tolerance"])
    try:
        found = (side_by_side.build(reports) if on_page and any(case.probe == kernels.PROBE for case in cases)
                 else figures.build(reports))
    except UserError:
        if not shown:
            raise
        found = Figure(*figures.titles(cases), [])
    found.blocks[:0] = shown
    return found
