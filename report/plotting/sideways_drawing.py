"""Draws bars from left to right, where names are long and every bar has a sentence: those of a panel over each other,
and the sentence above them."""

from __future__ import annotations

import textwrap
from typing import Any

from .matplotlib_parts import Artist, Axes, Patch
from .model import INK, Block, Panel, Point, Series
from .panel_drawing import BAND, MIDDLE, MUTED, colour_of, draw_titles, letters_in, set_exactly
from .words import figure_text

ROW_INCHES, AROUND_INCHES = 0.46, 1.25  # of a bar with its sentence, and of titles and axis
THICK, LETTERS_PER_INCH = 0.42, 17
NAME_SIZE, NAME_LETTERS_PER_INCH = 10, 12


def inches(panel: Panel) -> float:
    return AROUND_INCHES + ROW_INCHES * len(panel.x.names)


def looks(series: Series) -> dict[str, Any]:
    return {"facecolor": colour_of(series), "alpha": 0.3 if series.thin else 1, "linewidth": 0}


def value_of(panel: Panel, point: Point) -> float:
    return point.readings[panel.quantities[0].name].known()[-1]


def draw(axes: Axes, panel: Panel, width: float) -> None:
    """In axes that are `width` inches wide."""
    draw_titles(axes, panel, letters_in(width))
    for series in panel.series:
        for number, point in enumerate(series.points):
            base = panel.base or 0
            bar, = axes.barh(point.x, value_of(panel, point) - base, THICK, base, zorder=2, **looks(series))
            bar.set_gid(f"{series.name}.{number + 1}")
            reading = point.readings[panel.quantities[0].name]
            if reading.ci95_low is not None and reading.ci95_high is not None:
                axes.hlines(point.x, reading.ci95_low, reading.ci95_high, color=INK, linewidth=1)
    if panel.band:
        axes.axvspan(*panel.band, **BAND).set_gid(f"{panel.name}.band")
        axes.axvline(sum(panel.band) / 2, **MIDDLE)
    draw_texts(axes, panel, width)
    names = panel.x.names
    axes.set_yticks([place for place, _ in names], [name for _, name in names], fontsize=NAME_SIZE)
    axes.set_ylim(len(names) - 0.6, -0.9)  # the first one on top
    if panel.quantities[0].exact:
        set_exactly(axes.xaxis, panel.quantities[0])
    else:
        axes.set_xlim(0, 1.2 * max(value_of(panel, point) for series in panel.series for point in series.points))
    axes.set_xlabel(panel.quantities[0].label)
    axes.grid(False, axis="y")


def draw_texts(axes: Axes, panel: Panel, width: float) -> None:
    """Each bar's numbers behind it, as "9.8 of 11", and above it its sentence."""
    room = int((width - max(len(name) for _, name in panel.x.names) / NAME_LETTERS_PER_INCH - 0.5) * LETTERS_PER_INCH)
    for place, _ in panel.x.names:
        here = [point for series in panel.series for point in series.points if point.x == place]
        numbers = [value_of(panel, point) for point in here]
        ends = [getattr(point.readings[panel.quantities[0].name], "ci95_high") or 0 for point in here]
        axes.annotate(f" {panel.between} ".join(map(figure_text, map(rounded, numbers[::-1]))),
                      (max(*numbers, *ends, panel.base or 0), place), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=9.5, color=INK)
        for label in (point.label for point in here if point.label):
            axes.annotate(textwrap.shorten(label, room, placeholder=" ..."), (0, place - THICK / 2), xytext=(1, 2.5),
                          textcoords="offset points", va="bottom", fontsize=8.5, color=MUTED)


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


def legends(block: Block) -> list[list[Artist]]:
    return [[Patch(label=series.label, **looks(series)) for series in block.panels[0].series]]
