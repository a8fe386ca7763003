"""Where the labels of points go: beside them, where they hide neither other points nor each other, and few lines."""

import math

LETTER, LINE = 0.0135, 0.045  # width and height in parts of a panel that is one of two in a row
AWAY = 0.012
MARGIN = 0.02  # around a panel's points and guides
SIDES = ("right", "left", "above", "below")


def scaled(values):
    """Of positive values on a logarithmic scale, from 0 to 1."""
    low, high = math.log(min(values)), math.log(max(values))
    return lambda value: (math.log(value) - low) / ((high - low) or 1)


def box(x, y, text, side):
    """Left, bottom, right and top of a text on one side of a point."""
    width, height = len(text) * LETTER, LINE
    left = {"right": x + AWAY, "left": x - AWAY - width}.get(side, x - width / 2)
    bottom = {"above": y + AWAY, "below": y - AWAY - height}.get(side, y - height / 2)
    return left, bottom, left + width, bottom + height


def around(x, y, size):
    return x - size / 2, y - size, x + size / 2, y + size


def hits(one, others):
    return sum(one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3] for other in others)


def along(places):
    """Little boxes on the lines between places."""
    steps = [i / 24 for i in range(1, 24)]
    return [around(x + (to_x - x) * step, y + (to_y - y) * step, 0.005)
            for (x, y), (to_x, to_y) in zip(places, places[1:]) for step in steps]


def place(panel):
    """Finds a side for every label of a panel with logarithmic axes; removes those that there is no room for."""
    name = panel.quantities[0].name
    shown = [[(point, value) for point in series.points for value in point.readings[name].known()[-1:]]
             for series in panel.series]
    every = [one for of_series in shown for one in of_series]
    guides = [place for guide in panel.guides for place in guide.points]
    across = scaled([*(point.x for point, _ in every), *(x for x, _ in guides)])
    up = scaled([*(value for _, value in every), *(guide.level for guide in panel.guides if guide.level)])
    curves = [[(across(point.x), up(value)) for point, value in of_series] for of_series in shown]
    taken = [around(x, y, AWAY) for curve in curves for x, y in curve]
    lines = [one for curve in curves for one in along(curve)]
    lines += [around(across(x), up(value), 0.005) for x, value in guides]
    for point, value in every:
        if not point.label:
            continue
        boxes = {side: box(across(point.x), up(value), point.label, side) for side in SIDES}
        free = [side for side, one in boxes.items()
                if one[0] > -MARGIN and one[2] < 1 + MARGIN and not hits(one, taken)]
        if free:
            point.label_side = min(free, key=lambda side: hits(boxes[side], lines))
            taken.append(boxes[point.label_side])
        else:
            point.label = None
