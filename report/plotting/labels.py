"""Places the labels of points beside them, so that they hide neither other points nor each other, and few lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Tuple

from .model import AROUND_AREAS, Panel, Point, radius

Box = Tuple[float, float, float, float]  # left, bottom, right and top

LETTER, LINE = 0.0135, 0.045  # width and height in parts of a panel that is one of two in a row
BROAD = "<>#\u2026"  # letters that are half as wide again
WIDE = 0.77  # what that is in a wide panel
WIDTH, HEIGHT = 380, 209  # of a panel that is one of two in a row, in points of print
AWAY = 0.012
DOT = 0.0025, 0.005  # of a line
MARGIN = 0.02  # around a panel's points and guides
SIDES = ("right", "left", "above", "below")


def scaled(values: Iterable[float]) -> Callable[[float], float]:
    """Returns a function that puts positive values on a logarithmic scale from 0 to 1."""
    low, high = math.log(min(values)), math.log(max(values))
    return lambda value: (math.log(value) - low) / ((high - low) or 1)


def half_size(point: Point, wide: bool) -> tuple[float, float]:
    """Half the width and height of its mark."""
    if point.share is None:
        return AWAY / 2, AWAY
    return radius(point) / WIDTH * (WIDE if wide else 1), radius(point) / HEIGHT


def box(x: float, y: float, point: Point, side: str, wide: bool) -> Box:
    """Left, bottom, right and top of a point's label on one side of it."""
    letter, (across, up), label = LETTER * (WIDE if wide else 1), half_size(point, wide), point.label or ""
    width, height = (len(label) + 0.5 * sum(label.count(broad) for broad in BROAD)) * letter, LINE
    left = {"right": x + across + AWAY / 2, "left": x - across - AWAY / 2 - width}.get(side, x - width / 2)
    bottom = {"above": y + up, "below": y - up - height}.get(side, y - height / 2)
    return left, bottom, left + width, bottom + height


def around(x: float, y: float, half_width: float, half_height: float) -> Box:
    return x - half_width, y - half_height, x + half_width, y + half_height


def hits(own: Box, others: Iterable[Box]) -> int:
    return sum(own[0] < other[2] and other[0] < own[2] and own[1] < other[3] and other[1] < own[3] for other in others)


def along(places: Sequence[tuple[float, float]]) -> list[Box]:
    """Little boxes on the lines between places."""
    steps = [i / 24 for i in range(1, 24)]
    return [around(x + (to_x - x) * step, y + (to_y - y) * step, *DOT)
            for (x, y), (to_x, to_y) in zip(places, places[1:]) for step in steps]


def place(panel: Panel) -> None:
    """Finds a side for every label of a panel with logarithmic axes; removes those that there is no room for."""
    name = panel.quantities[0].name
    shown = [[(point, value) for point in series.points for value in point.readings[name].known()[-1:]]
             for series in panel.series]
    every = [place for of_series in shown for place in of_series]
    own = [guide for guide in panel.guides if guide.quantity == name]
    guides = [place for guide in own for place in guide.points or ()]
    across = scaled([*(point.x for point, _ in every), *(x for x, _ in guides)])
    reaches = [(point, value) for point, value in every if name in point.reach]
    high = [*(value for _, value in every), *(guide.level for guide in own if guide.level),
            *(point.reach[name] for point, _ in reaches)]
    below, above = AROUND_AREAS if panel.area else (1, 1)
    up = scaled([min(high) / below, max(high) * above])
    curves = [[(across(point.x), up(value)) for point, value in of_series] for of_series in shown]
    taken = [around(across(point.x), up(value), *half_size(point, panel.wide)) for point, value in every]
    lines = [part for curve in curves if not panel.scatter for part in along(curve)]
    lines += [part for point, value in reaches
              for part in along([(across(point.x), up(to)) for to in (value, point.reach[name])])]
    lines += [around(across(x), up(value), *DOT) for x, value in guides]
    lines += [part for guide in panel.guides if guide.x for part in along([(across(guide.x), 0), (across(guide.x), 1)])]
    for point, value in every:
        if not point.label:
            continue
        boxes = {side: box(across(point.x), up(value), point, side, panel.wide) for side in SIDES}
        free = [side for side, area in boxes.items()
                if area[0] > -MARGIN and area[2] < 1 + MARGIN and not hits(area, taken)]
        if free:
            point.label_side = min(free, key=lambda side: hits(boxes[side], lines))
            taken.append(boxes[point.label_side])
        else:
            point.label = None
