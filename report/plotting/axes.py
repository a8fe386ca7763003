"""The x axis: which parameter, on which scale, with ticks where a reader looks for them."""

from collections import Counter

from .model import XAxis

MOST_TICKS = 12


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def swept_parameter(cases):
    """The parameter along the x axis: the one a probe sweeps, or if it has one value only, the numeric one with the
    most values."""
    values = {}
    for case in cases:
        for name, value in case.parameters.items():
            if name not in case.chosen_by_auto:
                values.setdefault(name, set()).add(value)
    swept = [name for name, _ in Counter(case.swept for case in cases if case.swept in values).most_common(1)]

    def rank(name):
        several = len(values[name]) > 1
        return several and name in swept, len(values[name]) if several and all(map(is_number, values[name])) else 0

    return max([*swept, *values], key=rank, default=next(iter(cases[0].parameters)))


def scale_of(values):
    """Powers get a logarithmic scale, steps a linear one."""
    if not all(map(is_number, values)) or len(values) < 2:
        return "category"
    powers = all(after >= 1.5 * before for before, after in zip(values, values[1:]))
    return "log2" if powers and 0 < 8 * values[0] <= values[-1] else "linear"


def linear_ticks(low, high, text):
    """Multiples of a power of two: sectors, lines and banks are such."""
    step = 1
    while (high - low) / step > MOST_TICKS:
        step *= 2
    first = -(-low // step) * step
    places = [low] if first - low >= step / 2 else []
    return [(at, text(at)) for at in places + list(range(int(first), int(high) + 1, step))]


def x_axis(cases, parameter):
    """The axis, and the place on it of each value."""
    words = cases[0].report.words
    values = dict.fromkeys(case.parameters[parameter] for case in cases if parameter in case.parameters)
    if all(map(is_number, values)):
        values = sorted(values)
    scale = scale_of(list(values))
    places = {value: place if scale == "category" else value for place, value in enumerate(values)}
    names = [(place, words.value(parameter, value)) for value, place in places.items()]
    if scale == "linear" and names[-1][0] - names[0][0] > MOST_TICKS:
        ticks = linear_ticks(names[0][0], names[-1][0], lambda at: words.value(parameter, at))
    else:
        ticks = names if scale == "category" else names[::-(-len(names) // MOST_TICKS)]
    return XAxis(words.axis(parameter), scale, ticks, names), places
