"""The x axis: which parameter, on which scale, with ticks where a reader looks for them."""

from collections import Counter, namedtuple

from plotting.model import XAxis
from plotting.words import axis_label, phrase, value_text

MOST_TICKS = 12

X = namedtuple("X", "parameter axis place phrase")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def swept_parameter(cases):
    """The parameter along the x axis: the one a probe sweeps, or if it has one value only, the numeric one with the
    most values."""
    values = {}
    for case in cases:
        for name, value in case.parameters.items():
            if name not in case.chosen:
                values.setdefault(name, set()).add(value)
    for swept, _ in Counter(case.swept for case in cases if case.swept in values).most_common(1):
        if len(values[swept]) > 1:
            return swept
        values = {swept: values.pop(swept), **values}
    numeric = {name: len(found) for name, found in values.items() if all(map(is_number, found)) and len(found) > 1}
    if numeric:
        return max(numeric, key=numeric.get)
    return next(iter(values), None) or next(iter(cases[0].parameters), None)


def scale_of(values):
    """Powers get a logarithmic scale, steps a linear one."""
    if not all(map(is_number, values)) or len(values) < 2:
        return "category"
    if values[0] <= 0 or values[-1] < 8 * values[0]:
        return "linear"
    return "log2" if all(after >= 1.5 * before for before, after in zip(values, values[1:])) else "linear"


def thinned(ticks):
    step = -(-len(ticks) // MOST_TICKS)
    return ticks[::step]


def linear_ticks(parameter, low, high):
    """Multiples of a power of two: sectors, lines and banks are such."""
    step = 1
    while (high - low) / step > MOST_TICKS:
        step *= 2
    first = -(-low // step) * step
    places = [low] if first - low >= step / 2 else []
    return [(at, value_text(parameter, at)) for at in places + list(range(int(first), int(high) + 1, step))]


def x_axis(items, parameter):
    values = dict.fromkeys(item.case.parameters[parameter] for item in items if parameter in item.case.parameters)
    if all(map(is_number, values)):
        values = sorted(values)
    places = {value: place for place, value in enumerate(values)}
    scale = scale_of(list(values))
    names = [(places[value] if scale == "category" else value, value_text(parameter, value)) for value in values]
    if scale == "linear" and names[-1][0] - names[0][0] > MOST_TICKS:
        ticks = linear_ticks(parameter, names[0][0], names[-1][0])
    else:
        ticks = names if scale == "category" else thinned(names)
    return X(parameter, XAxis(axis_label(parameter), scale, ticks, names),
             lambda case: places[case.parameters[parameter]] if scale == "category" else case.parameters[parameter],
             lambda case: phrase(parameter, case.parameters[parameter]))
