"""The x axis: which parameter, on which scale, with ticks where a reader looks for them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Optional

from .model import Tick, XAxis
from .reports import Case
from .words import Value

MOST_TICKS = 12
Place = Callable[[Case], Optional[float]]  # of a case on an axis; None if it has none


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def swept_parameter(cases: Sequence[Case]) -> str:
    """The parameter along the x axis: the one a probe sweeps, or if it has one value only, the numeric one with the
    most values."""
    values: dict[str, set[Value]] = {}
    for case in cases:
        for name, value in case.parameters.items():
            if name not in case.chosen_by_auto:
                values.setdefault(name, set()).add(value)
    swept = [name for name, _ in Counter(case.swept for case in cases if case.swept in values).most_common(1)]

    def rank(name: str) -> tuple[bool, int]:
        several = len(values[name]) > 1
        return several and name in swept, len(values[name]) if several and all(map(is_number, values[name])) else 0

    return max([*swept, *values], key=rank, default=str(next(iter(cases[0].parameters))))


def quantity_of_x(cases: Sequence[Case], swept: str) -> str:
    """The quantity along the x axis instead of the swept parameter, where the cases say so and each has it; else ''."""
    quantity = str(cases[0].drawn_over or "")
    asked = quantity and swept == cases[0].swept
    return quantity if asked and all(x_reading(case, quantity) is not None for case in cases if case.readings) else ""


def x_reading(case: Case, quantity: str) -> float | None:
    """The case's value of the quantity in the unit shown: measured if it was, else predicted."""
    reading = case.readings.get(quantity)
    found = reading and (reading.measured if reading.measured is not None else reading.predicted)
    return None if found is None else float(found) * case.report.words.unit(quantity)[1]


def scale_of(values: Sequence[Any]) -> str:
    """Steps get a linear scale. Powers, nearly or all over, would crowd at its low end: half of the values in the first
    quarter."""
    if not all(map(is_number, values)) or len(values) < 2:
        return "category"
    low, middle, high = values[0], values[(len(values) - 1) // 2], values[-1]
    return "log2" if 0 < 8 * low <= high and middle - low < (high - low) / 4 else "linear"


def linear_ticks(low: float, high: float, text: Callable[[float], str]) -> list[Tick]:
    """Multiples of a power of two: sectors, lines and banks are such."""
    step = 1
    while (high - low) / step > MOST_TICKS:
        step *= 2
    first = -(-low // step) * step
    places = [low] if first - low >= step / 2 else []
    return [(at, text(at)) for at in places + list(range(int(first), int(high) + 1, step))]


def log_ticks(names: list[Tick], text: Callable[[float], str]) -> list[Tick]:
    """The values, where a reader can tell them apart, else powers of two."""
    low, high = names[0][0], names[-1][0]
    if len(names) <= MOST_TICKS and all(after >= 1.5 * before for (before, _), (after, _) in zip(names, names[1:])):
        return names
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return [(2 ** power, text(2 ** power)) for power in powers[::-(-len(powers) // MOST_TICKS)]]


def quantity_axis(cases: Sequence[Case], quantity: str) -> tuple[XAxis, Place]:
    """A linear one, of what the cases have of a quantity, and the place of each."""
    words = cases[0].report.words
    values = sorted({x for case in cases if (x := x_reading(case, quantity)) is not None})
    step = 10.0 ** math.floor(math.log10(max(values[-1] - values[0], 1e-9)))
    while (values[-1] - values[0]) / step > MOST_TICKS / 2:
        step *= 2
    ticks = [(step * k, f"{step * k:g}") for k in range(math.ceil(values[0] / step), math.floor(values[-1] / step) + 1)]
    names = [(value, f"{value:.4g}") for value in values]
    return XAxis(words.label(quantity), "linear", ticks, names), lambda case: x_reading(case, quantity)


def x_axis(cases: Sequence[Case], parameter: str, is_category: bool = False) -> tuple[XAxis, Place]:
    """The axis of a parameter's values, and the place of each case that has it."""
    words = cases[0].report.words
    values = list(dict.fromkeys(case.parameters[parameter] for case in cases if parameter in case.parameters))
    if all(map(is_number, values)):
        values.sort()
    scale = "category" if is_category else scale_of(values)
    places = {value: place if scale == "category" else value for place, value in enumerate(values)}
    names = [(place, words.value(parameter, value)) for value, place in places.items()]
    ticks = names if scale == "category" else names[::-(-len(names) // MOST_TICKS)]
    if scale == "log2":
        ticks = log_ticks(names, lambda at: words.value(parameter, at))
    elif scale == "linear" and names[-1][0] - names[0][0] > MOST_TICKS:
        ticks = linear_ticks(names[0][0], names[-1][0], lambda at: words.value(parameter, at))
    return XAxis(words.axis(parameter), scale, ticks, names), lambda case: places.get(case.parameters.get(parameter))
