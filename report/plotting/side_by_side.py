"""Puts reports side by side on a page: a block for each table, in it a column for each report. Each panel has the limits
and the scale of its own report, so that a slower GPU fills its panel too. The same curves look the same in all of
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Tuple

from . import figures, scales
from .errors import UserError
from .model import Block, Figure, Panel, TimeLine, grouped
from .reports import Report

MOST = 4  # columns that are wide enough to read

Column = Tuple[str, Block]  # the label of a report, and what that has of a table


def alone(reports: Sequence[Report], draw: Callable[[Report], Figure]) -> list[tuple[str, Figure]]:
    """(label, figure) of each report that has something to show."""
    found = []
    for report in reports:
        try:
            found.append((report.label, draw(report)))
        except UserError:  # of no other
            continue
    return found


def headed(panel: Panel, label: str, about: str) -> str:
    """The title of a panel below that of its table."""
    return label if panel.title == about else f"{label}: {panel.title}"


def in_common(columns: Sequence[Column]) -> str:
    """The subtitles of the columns: once, if all say the same."""
    said = {label: block.subtitle for label, block in columns if block.subtitle}
    if len(said) == len(columns) and len(set(said.values())) == 1:
        return columns[0][1].subtitle
    return "; ".join(f"{label}: {text}" for label, text in said.items())


def share(panels: Sequence[Panel]) -> None:
    """Gives panels of several reports one x axis, unless points or lines need the room that theirs leaves, and for each
    quantity the scale that holds all of them."""
    if not any(panel.scatter or panel.stacked or any(guide.points for guide in panel.guides) for panel in panels):
        scales.share_x([panel.x for panel in panels])
    for panel in panels:
        for quantity in panel.quantities:
            having = [other for other in panels if scales.values_of([other], quantity.name)]
            quantity.together = scales.span(having, quantity.name) if having else None


def beside(columns: Sequence[Column], about: str) -> list[Panel]:
    """The panels of several reports, line by line. Panels with the same name stand beside each other."""
    lines = {name: line for line, name in enumerate(dict.fromkeys(
        panel.name for _, block in columns for panel in block.panels))}
    panels = [replace(panel, place=(lines[panel.name], column), title=headed(panel, label, about),
                      name=f"{panel.name}.{column + 1}" if column else panel.name)
              for column, (label, block) in enumerate(columns) for panel in block.panels]
    for of_line in grouped(panels, lambda panel: panel.place and panel.place[0]).values():
        shown = [panel for panel in of_line if not panel.grid]
        if len(shown) > 1:
            share(shown)
    return sorted(panels, key=lambda panel: panel.place or (0, 0))


def row(about: str, columns: Sequence[Column]) -> Block:
    """The block of one table. If one report alone has it, its panels stand as they do without others."""
    notes = [f"{label}: {note}" for label, block in columns for note in block.notes]
    if len(columns) == 1:
        (label, block), = columns
        return replace(block, title=f"{label}: {about}" if block.title else "", notes=notes, panels=[
            replace(panel, title=f"{label}: {panel.title}") for panel in block.panels])
    return Block(beside(columns, about), about, in_common(columns), notes, about, len(columns))


def time_lines(shown: Sequence[tuple[str, Figure]]) -> list[TimeLine]:
    return [replace(line, name=f"{line.name}.{number + 1}", title=f"{label}: {line.title}")
            for number, (label, figure) in enumerate(shown) for line in figure.timelines]


def build(reports: Sequence[Report], figure: str | None = None, y: str | None = None, scale: str | None = None) -> Figure:
    """The figure of the reports' tables, side by side where there are some reports, but no more than MOST. `figure`, `y`
    and `scale` are those of figures.build()."""
    like = figures.tables_of(reports)
    shown = alone(reports, lambda report: figures.build([report], figure, y, scale, like)) if 1 < len(reports) <= MOST else []
    if len(shown) < 2:
        return figures.build(reports, figure, y, scale)
    columns = [(label, block) for label, own in shown for block in own.blocks]
    blocks = [row(about, of_table) for about, of_table in grouped(columns, lambda column: column[1].about).items()]
    title, subtitle = figures.titles([case for cases in like.values() for case in cases])
    return Figure(title, subtitle, blocks, time_lines(shown), [text for _, own in shown for text in own.said])
