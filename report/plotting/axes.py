"""The x axis: which parameter, on which scale, with ticks where a reader looks for them."""

from collections import Counter, namedtuple

from plotting.model import XAxis

MOST_TICKS = 12

X = namedtuple("X", "parameter axis place")


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


def linear_ticks(low, high, text):
    """Multiples of a power of two: sectors, lines and banks are such."""
    step = 1
    while (high - low) / step > MOST_TICKS:
        step *= 2
    first = -(-low // step) * step
    places = [low] if first - low >= step / 2 else []
    return [(at, text(at)) for at in places + list(range(int(first), int(high) + 1, step))]


def x_axis(cases, parameter):
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
    return X(parameter, XAxis(words.axis(parameter), scale, ticks, names),
             lambda case: places[case.parameters[parameter]])
