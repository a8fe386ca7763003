"""One scale for what is to be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .model import READINGS, Guide, Panel, Series, XAxis


def guides_of(panel: Panel, quantity: str) -> list[Guide]:
    return [guide for guide in panel.guides if guide.quantity in (None, quantity)]


def values_of(panels: Iterable[Panel], quantity: str) -> list[float]:
    """All that an axis of it has to have room for, but for limits."""
    points = [point for panel in panels for series in panel.series for point in series.points]
    readings = [point.readings[quantity] for point in points if quantity in point.readings]
    found = [getattr(reading, name) for reading in readings for name in (*READINGS, "ci95_high")]
    found += [point.reach.get(quantity) for point in points]
    return [value for value in found if value is not None]


def span(panels: Sequence[Panel], quantity: str) -> tuple[float, float]:
    """The least and the most, with limits that are near. A far one would flatten the curves."""
    found = values_of(panels, quantity)
    low, high = min(found), max(found)
    near = [guide.level for panel in panels for guide in guides_of(panel, quantity)
            if guide.level and (guide.points or low < 4 * guide.level < 16 * high)]
    return min([low, *near]), max([high, *near])


def away_from_curves(guide: Guide, series: Sequence[Series]) -> Guide:
    """The guide, of a level, with its words on the side on which the curves are further from it."""
    ends: tuple[list[float], list[float]] = [], []
    for made in series:
        readings = [point.readings[guide.quantity] for point in made.points if guide.quantity in point.readings]
        known = [reading.known()[-1] for reading in readings if reading.known()]
        if known and guide.level:
            for end, value in zip(ends, (known[0], known[-1])):
                end.append(abs(math.log(value / guide.level)) if value > 0 else math.inf)
    left, right = (min(end, default=0) for end in ends)
    return replace(guide, at_left=True) if left > right + 0.1 else guide


def share(panels: Sequence[Panel]) -> None:
    """Gives panels that are to be compared one scale for each quantity, and where the x axis is of numbers, for that."""
    for panel in panels:
        for quantity in panel.quantities:
            quantity.low, quantity.high = span([other for other in panels if values_of([other], quantity.name)],
                                               quantity.name)
    share_x([panel.x for panel in panels])


def share_colours(panels: Sequence[Panel]) -> None:
    """Gives all maps of a figure one scale of colours for each quantity."""
    matrices = [panel for panel in panels if panel.matrix]
    for panel in matrices:
        for quantity in panel.quantities:
            found = values_of(matrices, quantity.name)
            quantity.low, quantity.high = min(found), max(found)


def share_x(axes: Sequence[XAxis]) -> None:
    if any(axis.scale != axes[0].scale or axis.scale == "category" for axis in axes):
        return
    places = [place for axis in axes for place, _ in axis.names]
    low, high = min(places), max(places)
    is_log = axes[0].scale != "linear"
    room = (high / low) ** 0.04 if is_log else 0.04 * (high - low)
    ticks = max((axis.ticks for axis in axes), key=lambda found: found[-1][0] - found[0][0])
    for axis in axes:
        axis.low, axis.high = (low / room, high * room) if is_log else (low - room, high + room)
        axis.ticks = ticks
