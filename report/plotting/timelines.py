"""Shows when the parts of cases ran. Each table whose cases have that shows two of them: the one that the others are
compared with, and the best."""

from __future__ import annotations

from collections.abc import Sequence

from .curves import slug
from .model import Span, TimeLine, grouped
from .reports import Case
from .savings import unit_of

MOST = 6
LONGEST = 2000  # spans in one


def spans_of(case: Case, factor: float) -> list[Span]:
    spans = [span for span in case.timeline if None not in (span.start_s, span.end_s) and span.end_s > span.start_s]
    streams = len({span.stream for span in spans}) > 1
    return [Span(f"stream {span.stream:g}" if streams else span.stage or "", span.stage or "", span.start_s * factor,
                 span.end_s * factor) for span in spans[:LONGEST]]


def line(case: Case) -> TimeLine | None:
    """The time line of one case; None if no part of it took time."""
    words = case.report.words
    unit, factor = unit_of(max((span.end_s or 0 for span in case.timeline), default=0))
    spans = spans_of(case, factor)
    if not spans:
        return None
    said = [words.phrase(name, value) for name, value in case.parameters.items() if name not in case.chosen_by_auto]
    title = f"{case.probe}: what runs when, {', '.join(filter(None, said[:2]))}"
    lanes = sorted({span.lane for span in spans}, key=lambda lane: (len(lane), lane))
    return TimeLine(f"timeline.{slug(title)}.{case.place}", title, ", ".join(filter(None, said[2:])), f"time, {unit}",
                    lanes, list(dict.fromkeys(span.stage for span in spans)), spans)


def of(cases: Sequence[Case]) -> list[TimeLine]:
    """The first case of each table has what is compared, or swept, at its baseline."""
    found: list[TimeLine] = []
    tables = grouped([case for case in cases if case.timeline and case.status == "ok"],
                     lambda case: (id(case.report), case.probe))
    for table in tables.values():
        best = min(table, key=lambda case: max(span.end_s or 0 for span in case.timeline))
        found += filter(None, map(line, table[:1] if best is table[0] else (table[0], best)))
    return found[:MOST]
