"""Draws a matrix: a row for each series, a column for each place on the x axis, and in each cell its value."""

from __future__ import annotations

from typing import Any

from .matplotlib_parts import Artist, Axes
from .model import Block, Panel
from .panel_drawing import MUTED, draw_titles, letters_in
from .words import figure_text

ROW_INCHES, AROUND_INCHES = 0.42, 1.5  # of a row, and of titles and axis
COLOURS_OF_VALUES = "viridis"


def inches(panel: Panel) -> float:
    return AROUND_INCHES + ROW_INCHES * len(panel.series)


def cells_of(panel: Panel) -> list[list[float]]:
    """Rows of what is known last of each case, NaN for nothing."""
    name = panel.quantities[0].name
    rows = []
    for series in panel.series:
        found = {point.x: point.readings[name].known() for point in series.points if name in point.readings}
        rows.append([(found.get(place) or [float("nan")])[-1] for place, _ in panel.x.names])
    return rows


def draw(axes: Axes, panel: Panel, width: float) -> None:
    """In axes that are `width` inches wide."""
    draw_titles(axes, panel, letters_in(width))
    cells, quantity = cells_of(panel), panel.quantities[0]
    image: Any = axes.imshow(cells, cmap=COLOURS_OF_VALUES, aspect="auto", vmin=quantity.low, vmax=quantity.high)
    image.set_gid(f"{panel.name}.cells")
    for i, of_row in enumerate(cells):
        for j, value in enumerate(of_row):
            if value == value:  # not NaN
                dark = image.norm(value) < 0.6
                axes.annotate(figure_text(value), (j, i), ha="center", va="center", fontsize=9,
                              color="white" if dark else "black")
    draw_failures(axes, panel)
    axes.set_xticks(range(len(panel.x.names)), [text for _, text in panel.x.names])
    axes.set_yticks(range(len(panel.series)), [series.label for series in panel.series])
    axes.set_xlabel(panel.x.label)
    axes.grid(False)
    axes.figure.colorbar(image, ax=axes, label=quantity.label)


def draw_failures(axes: Axes, panel: Panel) -> None:
    """A cross for each case without any reading: what was not to be run has no case."""
    for i, series in enumerate(panel.series):
        for point in series.points:
            if not point.readings:
                axes.annotate("\u00d7", (point.x, i), ha="center", va="center", fontsize=12, color=MUTED)


def legends(_: Block) -> list[list[Artist]]:
    return []
