"""Chooses what to draw: one block of panels per table (probe) of the reports, one curve per sweep."""

from collections import Counter, namedtuple
from dataclasses import replace

from plotting import axes, roofline
from plotting.command import UserError
from plotting.looks import COLOURS
from plotting.model import Figure, Guide, Panel, Quantity, Series, asked_for, spans_decades
from plotting.points import point
from plotting.reports import BANDWIDTH, PEAK_SHARE, TIME

CURVES = 6  # as many in one panel stay readable
PANELS = 36

Item = namedtuple("Item", "report case")


# ---- Which cases

def matches(item, where):
    """Whether every parameter in `where` has one of the values there, written as a number or as in the tables."""
    own, text = item.case.parameters, item.report.words.value
    return all(name in own and {str(own[name]), text(name, own[name])} & values for name, values in where.items())


def tables_of(reports, where):
    """The cases of each probe that has something to show. Cases without a reading leave a gap in their curve."""
    found = {}
    for report in reports:
        for case in report.cases:
            if matches(Item(report, case), where):
                found.setdefault(case.probe, []).append(Item(report, case))
    return {probe: items for probe, items in found.items() if any(item.case.has_reading() for item in items)}


def left_out(items):
    """How many cases failed or were skipped, in words; '' for none."""
    missing = Counter(item.case.status if item.case.status != "ok" else "without a reading" for item in items
                      if not item.case.has_reading())
    words = ", ".join(f"{count} {what}" for what, count in sorted(missing.items()))
    return f"{words} of {len(items)} cases" if words else ""


# ---- Which curves

def identity(case, parameter):
    """A parameter's value, where 'auto' is one: what it chose may differ from sweep to sweep."""
    return "auto" if parameter in case.chosen else case.parameters.get(parameter)


def parameters_of(items, swept):
    """Those that differ: alternatives that a probe compares come first, then what is said in words."""
    names = dict.fromkeys(name for item in items for name in item.case.parameters if name != swept)
    varying = [name for name in names if len({identity(item.case, name) for item in items}) > 1]
    compared = {item.case.compared for item in items}
    named = {name for item in items for name in item.case.kinds()}
    return sorted(varying, key=lambda name: (name not in compared, name not in named))


def values_of(case, names):
    return tuple(identity(case, name) for name in names)


def split(items, varying):
    """Parameters that tell the curves of a panel apart, and those that tell the panels apart."""
    curves = []
    for name in varying:
        tried = [*curves, name]
        others = [other for other in varying if other not in tried]
        keys = {(values_of(item.case, others), item.report.path, values_of(item.case, tried)) for item in items}
        if max(Counter(panel for panel, *_ in keys).values()) <= CURVES:
            curves = tried
    return curves, [name for name in varying if name not in curves]


class Looks:
    """Colours and markers: the same curve looks the same in all panels of a block. Colours are of reports where there
    are several, else of the first parameter that differs; markers are of the rest."""

    def __init__(self, items, curves, reports, gpus):
        self.curves, self.reports = curves, reports
        self.several = len({item.report.label for item in items}) > 1
        first, rest = ([], curves) if self.several else (curves[:1], curves[1:] or curves[:1])
        self.first, self.rest = first, rest
        # Where no legend says of which GPU the curves are, the panel does.
        self.owner = items[0].report.label if gpus > 1 and not self.several else ""
        self.colours = list(dict.fromkeys(values_of(item.case, first) for item in items))
        self.markers = list(dict.fromkeys(values_of(item.case, rest) for item in items))

    def of(self, item):
        colour = (self.reports.index(item.report.label) if self.several
                  else self.colours.index(values_of(item.case, self.first)))
        # Once the colours are used up, the next round has other markers.
        return colour, self.markers.index(values_of(item.case, self.rest)) + colour // len(COLOURS)

    def label(self, item):
        words = [item.report.words.phrase(name, identity(item.case, name)) for name in self.curves
                 if identity(item.case, name) not in (None, "auto")]
        if not self.curves and not self.several:
            words = [value for value in item.case.kinds().values()]
        if self.several:
            words = [item.report.label] + words
        elif not words:
            words = [item.case.probe]
        return ": ".join([words[0], ", ".join(words[1:])]) if self.several and words[1:] else ", ".join(words)


def series_of(items, looks, x, panel_name):
    found = {}
    for item in items:
        if x.parameter not in item.case.parameters:
            continue
        key = (item.report.label, values_of(item.case, looks.curves))
        if key not in found:
            name = f"{panel_name}.{slug(looks.label(item))}"
            taken = sum(series.name == name for series in found.values())
            found[key] = Series(name + (f".{taken + 1}" if taken else ""), looks.label(item), *looks.of(item))
        place = item.report.words.phrase(x.parameter, item.case.parameters[x.parameter])
        found[key].points.append(point(item, x.place(item.case), f"{found[key].label}, {place}"))
    for series in found.values():
        series.points.sort(key=lambda one: one.x)
    return [one for one in found.values() if any(case.readings for case in one.points)]


def slug(text):
    """Of characters that an XML id and a CSS selector may hold."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in text).split()).lower() or "cases"


# ---- Which quantities, and what limits them

def quantities_of(items, is_log):
    """What the cases are about, then what else is known of them: one number for all cases makes no curve."""
    words, headline = items[0].report.words, items[0].case.headline
    found = {}
    for item in items:
        for name, reading in item.case.readings.items():
            found.setdefault(name, set()).update(reading.known())
    known = [name for name, values in found.items() if values]
    telling = [name for name in known if len(found[name]) > 1 or name in (headline, BANDWIDTH, PEAK_SHARE, TIME)]
    return [Quantity(name, words.label(name), is_log(name))
            for name in sorted(telling or known, key=lambda name: name != headline)]


def spread_of(items):
    """Whether a quantity spans decades in these cases."""
    return lambda name: spans_decades([value for item in items if name in item.case.readings
                                       for value in item.case.readings[name].known()])


def peak_words(report, case):
    """The best that the hardware could do, named where the device is known to be what limits it."""
    names = {report.theoretical: "theoretical bandwidth", report.link: f"{report.link_name}:",
             2 * (report.link or 0): f"{report.link_name} both ways:"} if case.headline == BANDWIDTH else {}
    name = next((name for limit, name in names.items() if limit and abs(case.peak / limit - 1) < 1e-6),
                "floor" if case.better == "less" else "peak")
    return f"{name} {report.words.amount(case.headline, case.peak)}"


def limits_of(items):
    """The best that the hardware could do."""
    several = len({item.report.gpu for item in items}) > 1
    found = {}
    for report, case in items:
        if case.peak:
            text, level = peak_words(report, case), case.peak * report.words.unit(case.headline)[1]
            label = f"{report.gpu}: {text}" if several else text
            found.setdefault((label, level), Guide(label, case.headline, level=level))
    return [*found.values(), *([Guide("peak", PEAK_SHARE, level=1)] if found else [])]


# ---- What several cases show together

def concluded(words, name, reading):
    said = [f"{words.amount(name, getattr(reading, which))} {which}" for which in ("measured", "predicted")
            if getattr(reading, which) is not None]
    return f"{words.of_quantity(name)['title']} {', '.join(said)}"


def conclusions_of(items):
    """(report, conclusion, those of the cases that it is about), for each that is about some of them."""
    for report in {id(item.report): item.report for item in items}.values():
        for conclusion in report.conclusions:
            mine = [item for item in items if any(item.case is case for case in conclusion.cases)]
            if mine:
                yield report, conclusion, mine


def notes_of(items, looks):
    """In words, with the curve that it is about where that is one of several."""
    labels = {looks.label(item) for item in items}
    for report, conclusion, mine in conclusions_of(items):
        about = {looks.label(item) for item in mine}
        said = ", ".join(concluded(report.words, *found) for found in conclusion.readings.items() if found[1].known())
        text = " ".join(filter(None, [conclusion.advice, said]))
        if text:
            yield f"{about.pop()}: {text}" if len(about) == 1 < len(labels) else text


def found_in_all(items, swept):
    """What all cases show together: as places on the x axis, and where it is none, in words."""
    places, words = [], []
    for report, conclusion, mine in conclusions_of(items):
        for name, reading in conclusion.readings.items() if len(mine) == len(items) else ():
            if reading.known():
                unit, text = report.words.of_quantity(name)["unit"], concluded(report.words, name, reading)
                if unit and unit == report.words.of_parameter(swept)["unit"]:
                    places.append(Guide(text, x=reading.known()[-1]))
                else:
                    words.append(text)
    return places, words


# ---- Panels

def subtitle(items, hidden, first):
    """After what comes first: what is missing of the cases, and what all of them have in common."""
    missing, words = left_out(items), []
    for name in items[0].case.parameters:
        values = {item.case.parameters.get(name) for item in items}
        if name not in hidden and len(values) == 1:
            auto = " (auto)" if all(name in item.case.chosen for item in items) else ""
            words.append(items[0].report.words.phrase(name, values.pop()) + auto)
    return "; ".join(filter(None, [*first, missing, ", ".join(words)]))


def panel(items, title_words, looks, swept, name, is_log):
    x = axes.x_axis(items, swept)
    words, probe = items[0].report.words, items[0].case.probe
    series = series_of(items, looks, x, name)
    title = ", ".join([probe, *(words.phrase(key, value) for key, value in title_words.items() if value is not None)])
    purpose = (words.of("probes", probe) or {}).get("purpose")
    if purpose and not title_words:
        title = f"{probe} \u2013 {purpose}"
    places, found = found_in_all(items, swept)
    return Panel(name, title, subtitle(items, {swept, *looks.curves, *title_words}, [looks.owner, *found]), x.axis,
                 quantities_of(items, lambda of: x.axis.scale != "category" and is_log(of)), series,
                 limits_of(items) + places, list(dict.fromkeys(notes_of(items, looks))))


def block(items, reports, gpus):
    """The panels of one table. `reports` are the labels of all reports: each has its colour in all blocks. `gpus` is
    how many GPUs the figure shows."""
    words = items[0].report.words
    swept = axes.swept_parameter([item.case for item in items])
    varying = parameters_of(items, swept)
    curves, others = split(items, varying)
    looks = Looks(items, curves, reports, gpus)
    groups = {}
    for item in items:
        groups.setdefault(values_of(item.case, others), []).append(item)
    probe = slug(items[0].case.probe)
    if len(groups) > PANELS:
        raise UserError(f"{items[0].case.probe}: {len(groups)} panels are too many to read; choose cases with --where,"
                        f" as in '--where {others[0]}={words.value(others[0], next(iter(groups))[0])}'")
    names, panels = Counter(), []
    for values, group in groups.items():
        title_words = dict(zip(others, values))
        name = ".".join([probe, *(slug(f"{key} {value}") for key, value in title_words.items())])
        names[name] += 1
        name += f".{names[name]}" if names[name] > 1 else ""
        panels.append(panel(group, title_words, looks, swept, name, spread_of(items)))
    return [one for one in panels if one.quantities]


# ---- The figure

def titles(items):
    used = list({id(item.report): item.report for item in items}.values())
    title = ", ".join(dict.fromkeys(report.gpu or "unknown GPU" for report in used))
    models = [report for report in used if report.backend == "model"]
    origins = list(dict.fromkeys(report.origin() for report in used))
    words = [origins[0]] if len(origins) == 1 else [f"{len(used)} reports"]
    if len(models) == len(used):
        title += ": predictions"
        profiles = ", ".join(sorted({report.profile for report in models if report.profile}))
        words.insert(0, "nothing measured: by gpumem's model" + (f", profile {profiles}" if profiles else ""))
    elif models:
        words.append("predictions only: " + "; ".join(report.label for report in models))
    return title, "; ".join(words)


def named(reports):
    paths = [report.path for report in reports]
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def chosen(panel_of, y, scale):
    """The panel with the asked-for quantity first, and with the asked-for scale."""
    wanted = [one.name for one in asked_for(panel_of.quantities, y)]
    quantities = sorted(panel_of.quantities, key=lambda quantity: quantity.name not in wanted)
    if scale:
        quantities = [replace(quantity, log=scale == "log") for quantity in quantities]
    return replace(panel_of, quantities=quantities)


def build(reports, name, where, y=None, scale=None):
    """The figure of the reports' tables; with `name` of one of them, or the memory roofline. `y` names the quantity to
    show, where a panel has it, and `scale` that of its axis, linear or log; None leaves both to the panel."""
    tables = tables_of(reports, where)
    if tables and name not in (None, "roofline", *tables):
        raise UserError(f"no cases of '{name}' in {named(reports)}; --figure takes {', '.join(tables)} or roofline")
    tables = {probe: items for probe, items in tables.items() if name in (None, "roofline", probe)}
    items = [item for of_probe in tables.values() for item in of_probe]
    if name == "roofline" and items:
        panel_of_memory, items = roofline.panel(items, slug)
        blocks = [[panel_of_memory]]
    else:
        used = list(dict.fromkeys(item.report.label for item in items))
        gpus = len({item.report.gpu for item in items})
        blocks = [block(of_probe, used, gpus) for of_probe in tables.values()]
        blocks = [panels for panels in blocks if panels]
    if not blocks:
        chosen_words = " with these parameters" if where else ""
        raise UserError(f"nothing to plot in {named(reports)}: no case{chosen_words} that ran has a reading; run"
                        " 'gpumem probe --output FILE.json' without --dry-run")
    known = {one.name: one for panels in blocks for of_block in panels for one in of_block.quantities}
    if y and not asked_for(known.values(), y):
        raise UserError(f"--y '{y}': no such quantity in the reports; there are {', '.join(known)}")
    return Figure(*titles(items), [[chosen(one, y, scale) for one in panels] for panels in blocks])
