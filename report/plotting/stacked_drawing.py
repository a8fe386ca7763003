"""Draws bars that stand on each other, over a time that they fill without a gap."""

from __future__ import annotations

from typing import Any

from .matplotlib_parts import Artist, Axes, Patch
from .model import Block, Panel, Series
from .panel_drawing import bar_looks, draw_guides, draw_titles, draw_x_axis, inches, known, letters_in

__all__ = ["draw", "inches", "legends"]


def draw(axes: Axes, panel: Panel, width: float) -> None:
    """In axes that are `width` inches wide."""
    draw_titles(axes, panel, letters_in(width))
    draw_x_axis(axes, panel, letters_in(width))
    reached: dict[float, float] = {}
    for series in panel.series:
        found = known(panel, series, "measured")
        bars = axes.bar([x for x, _ in found], [value for _, value in found], panel.stacked or 0,
                        bottom=[reached.get(x, 0) for x, _ in found], zorder=2, **looks(series))
        for number, bar in enumerate(bars):
            bar.set_gid(f"{series.name}.{number + 1}")
        for x, value in found:
            reached[x] = reached.get(x, 0) + value
    levels = [guide.level for guide in panel.guides if guide.level]
    axes.set_ylim(0, 1.1 * max([*reached.values(), *levels]))
    axes.set_xlim(0, panel.x.names[-1][0])
    axes.set_ylabel(panel.quantities[0].label)
    axes.grid(False, axis="x")
    draw_guides(axes, panel)


def looks(series: Series) -> dict[str, Any]:
    return {**bar_looks(series), "hatch": None}


def legends(block: Block) -> list[list[Artist]]:
    return [[Patch(label=series.label, **looks(series)) for series in block.panels[0].series]]
