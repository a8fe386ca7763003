"""Chooses what to draw: one block of panels per table (probe) of the reports, one curve per sweep."""

from collections import Counter
from dataclasses import replace

from plotting import axes, roofline
from plotting.command import UserError
from plotting.looks import COLOURS
from plotting.model import Figure, Guide, Panel, Quantity, Series, asked_for, spans_decades
from plotting.points import point
from plotting.reports import BANDWIDTH, PEAK_SHARE, TIME, has_reading, kinds, origin

CURVES = 6  # as many in one panel stay readable
PANELS = 36

# ---- Which cases

def matches(case, where):
    """Whether every parameter in `where` has one of the values there, written as a number or as in the tables."""
    own, text = case.parameters, case.report.words.value
    return all(name in own and {str(own[name]), text(name, own[name])} & values for name, values in where.items())


def tables_of(reports, where):
    """The cases of each probe that has something to show. Cases without a reading leave a gap in their curve."""
    found = {}
    for report in reports:
        for case in report.results:
            if matches(case, where):
                found.setdefault(case.probe, []).append(case)
    return {probe: cases for probe, cases in found.items() if any(has_reading(case) for case in cases)}


def left_out(cases):
    """How many cases failed or were skipped, in words; '' for none."""
    missing = Counter(case.status if case.status != "ok" else "without a reading" for case in cases
                      if not has_reading(case))
    words = ", ".join(f"{count} {what}" for what, count in sorted(missing.items()))
    return f"{words} of {len(cases)} cases" if words else ""


# ---- Which curves

def identity(case, parameter):
    """A parameter's value, where 'auto' is one: what it chose may differ from sweep to sweep."""
    return "auto" if parameter in case.chosen_by_auto else case.parameters.get(parameter)


def parameters_of(cases, swept):
    """Those that differ: alternatives that a probe compares come first, then what is said in words."""
    names = dict.fromkeys(name for case in cases for name in case.parameters if name != swept)
    varying = [name for name in names if len({identity(case, name) for case in cases}) > 1]
    compared = {case.compared for case in cases}
    named = {name for case in cases for name in kinds(case)}
    return sorted(varying, key=lambda name: (name not in compared, name not in named))


def values_of(case, names):
    return tuple(identity(case, name) for name in names)


def split(cases, varying):
    """Parameters that tell the curves of a panel apart, and those that tell the panels apart."""
    curves = []
    for name in varying:
        tried = [*curves, name]
        others = [other for other in varying if other not in tried]
        keys = {(values_of(case, others), case.report.path, values_of(case, tried)) for case in cases}
        if max(Counter(panel for panel, *_ in keys).values()) <= CURVES:
            curves = tried
    return curves, [name for name in varying if name not in curves]


class Looks:
    """Colours and markers: the same curve looks the same in all panels of a block. Colours are of reports where there
    are several, else of the first parameter that differs; markers are of the rest."""

    def __init__(self, cases, curves, reports, gpus):
        self.curves, self.reports = curves, reports
        self.several = len({case.report.label for case in cases}) > 1
        first, rest = ([], curves) if self.several else (curves[:1], curves[1:] or curves[:1])
        self.first, self.rest = first, rest
        # Where no legend says of which GPU the curves are, the panel does.
        self.owner = cases[0].report.label if gpus > 1 and not self.several else ""
        self.colours = list(dict.fromkeys(values_of(case, first) for case in cases))
        self.markers = list(dict.fromkeys(values_of(case, rest) for case in cases))

    def of(self, case):
        colour = (self.reports.index(case.report.label) if self.several
                  else self.colours.index(values_of(case, self.first)))
        # Once the colours are used up, the next round has other markers.
        return colour, self.markers.index(values_of(case, self.rest)) + colour // len(COLOURS)

    def label(self, case):
        words = [case.report.words.phrase(name, identity(case, name)) for name in self.curves
                 if identity(case, name) not in (None, "auto")]
        if not self.curves and not self.several:
            words = list(kinds(case).values())
        if self.several:
            words = [case.report.label] + words
        elif not words:
            words = [case.probe]
        return ": ".join([words[0], ", ".join(words[1:])]) if self.several and words[1:] else ", ".join(words)


def series_of(cases, looks, x, panel_name):
    found = {}
    for case in cases:
        if x.parameter not in case.parameters:
            continue
        key = (case.report.label, values_of(case, looks.curves))
        if key not in found:
            name = f"{panel_name}.{slug(looks.label(case))}"
            taken = sum(series.name == name for series in found.values())
            found[key] = Series(name + (f".{taken + 1}" if taken else ""), looks.label(case), *looks.of(case))
        place = case.report.words.phrase(x.parameter, case.parameters[x.parameter])
        found[key].points.append(point(case, x.place(case), f"{found[key].label}, {place}"))
    for series in found.values():
        series.points.sort(key=lambda one: one.x)
    return [one for one in found.values() if any(case.readings for case in one.points)]


def slug(text):
    """Of characters that an XML id and a CSS selector may hold."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in text).split()).lower() or "cases"


# ---- Which quantities, and what limits them

def quantities_of(cases, is_log):
    """What the cases are about, then what else is known of them: one number for all cases makes no curve."""
    words, headline = cases[0].report.words, cases[0].headline.quantity
    found = {}
    for case in cases:
        for name, reading in case.readings.items():
            found.setdefault(name, set()).update(reading.known())
    known = [name for name, values in found.items() if values]
    telling = [name for name in known if len(found[name]) > 1 or name in (headline, BANDWIDTH, PEAK_SHARE, TIME)]
    return [Quantity(name, words.label(name), is_log(name))
            for name in sorted(telling or known, key=lambda name: name != headline)]


def spread_of(cases):
    """Whether a quantity spans decades in these cases."""
    return lambda name: spans_decades([value for case in cases if name in case.readings
                                       for value in case.readings[name].known()])


def peak_words(case):
    """The best that the hardware could do, named where the device is known to be what limits it."""
    headline, device = case.headline, case.report.device
    pcie = device.pcie
    link = " ".join(["PCIe", *(f"{short}{value:g}" for short, value in (("gen", pcie.generation), ("x", pcie.width))
                               if value)])
    limits = ((device.theoretical_bandwidth_gb_per_s, "theoretical bandwidth"),
              (pcie.theoretical_gb_per_s, f"{link}:"), (2 * (pcie.theoretical_gb_per_s or 0), f"{link} both ways:"))
    name = next((name for limit, name in limits if limit and headline.quantity == BANDWIDTH
                 and abs(headline.peak / limit - 1) < 1e-6), "floor" if headline.better == "less" else "peak")
    return f"{name} {case.report.words.amount(headline.quantity, headline.peak)}"


def limits_of(cases):
    several = len({case.report.gpu for case in cases}) > 1
    found = {}
    for case in cases:
        quantity, peak = case.headline.quantity, case.headline.peak
        if peak:
            text, level = peak_words(case), peak * case.report.words.unit(quantity)[1]
            label = f"{case.report.gpu}: {text}" if several else text
            found.setdefault((label, level), Guide(label, quantity, level=level))
    return [*found.values(), *([Guide("peak", PEAK_SHARE, level=1)] if found else [])]


def concluded(cases, swept, looks):
    """What several of the cases show together: in words, and where all show it, as places on the x axis."""
    labels, notes, places = {looks.label(case) for case in cases}, [], []
    for report in {id(case.report): case.report for case in cases}.values():
        unit = report.words.of_parameter(swept)["unit"]
        for conclusion in report.conclusions:
            about = [looks.label(case) for case in cases if case.report is report and case.place in conclusion.cases]
            said = []
            for name, reading in conclusion.quantities.items():
                words, found = report.words.of_quantity(name), ", ".join(
                    f"{report.words.amount(name, getattr(reading, which))} {which}"
                    for which in ("measured", "predicted") if getattr(reading, which) is not None)
                said += [f"{words['title']} {found}"] if found else []
                if found and unit and words["unit"] == unit and len(about) == len(cases):
                    places.append(Guide(said[-1], x=reading.known()[-1]))
            text = " ".join(filter(None, [conclusion.advice, "; ".join(said)]))
            if about and text:
                notes.append(f"{about[0]}: {text}" if len(set(about)) == 1 < len(labels) else text)
    return notes, places


# ---- Panels

def subtitle(cases, hidden, owner):
    """Whose cases these are, what is missing of them, and what all of them have in common."""
    missing, words = left_out(cases), []
    for name in cases[0].parameters:
        values = {case.parameters.get(name) for case in cases}
        if name not in hidden and len(values) == 1:
            auto = " (auto)" if all(name in case.chosen_by_auto for case in cases) else ""
            words.append(cases[0].report.words.phrase(name, values.pop()) + auto)
    return "; ".join(filter(None, [owner, missing, ", ".join(words)]))


def panel(cases, title_words, looks, swept, name, is_log):
    x = axes.x_axis(cases, swept)
    words, probe = cases[0].report.words, cases[0].probe
    series = series_of(cases, looks, x, name)
    title = ", ".join([probe, *(words.phrase(key, value) for key, value in title_words.items() if value is not None)])
    purpose = (words.of("probes", probe) or {}).get("purpose")
    if purpose and not title_words:
        title = f"{probe} \u2013 {purpose}"
    notes, places = concluded(cases, swept, looks)
    return Panel(name, title, subtitle(cases, {swept, *looks.curves, *title_words}, looks.owner), x.axis,
                 quantities_of(cases, lambda of: x.axis.scale != "category" and is_log(of)), series,
                 limits_of(cases) + places, notes)


def block(cases, reports, gpus):
    """The panels of one table. `reports` are the labels of all reports: each has its colour in all blocks. `gpus` is
    how many GPUs the figure shows."""
    words = cases[0].report.words
    swept = axes.swept_parameter(cases)
    varying = parameters_of(cases, swept)
    curves, others = split(cases, varying)
    looks = Looks(cases, curves, reports, gpus)
    groups = {}
    for case in cases:
        groups.setdefault(values_of(case, others), []).append(case)
    probe = slug(cases[0].probe)
    if len(groups) > PANELS:
        raise UserError(f"{cases[0].probe}: {len(groups)} panels are too many to read; choose cases with --where,"
                        f" as in '--where {others[0]}={words.value(others[0], next(iter(groups))[0])}'")
    names, panels = Counter(), []
    for values, group in groups.items():
        title_words = dict(zip(others, values))
        name = ".".join([probe, *(slug(f"{key} {value}") for key, value in title_words.items())])
        names[name] += 1
        name += f".{names[name]}" if names[name] > 1 else ""
        panels.append(panel(group, title_words, looks, swept, name, spread_of(cases)))
    return [one for one in panels if one.quantities]


# ---- The figure

def titles(cases):
    used = list({id(case.report): case.report for case in cases}.values())
    title = ", ".join(dict.fromkeys(report.gpu for report in used))
    models = [report for report in used if report.backend == "model"]
    origins = list(dict.fromkeys(origin(report) for report in used))
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
    tables = {probe: cases for probe, cases in tables.items() if name in (None, "roofline", probe)}
    cases = [case for of_probe in tables.values() for case in of_probe]
    if name == "roofline" and cases:
        panel_of_memory, cases = roofline.panel(cases, slug)
        blocks = [[panel_of_memory]]
    else:
        used = list(dict.fromkeys(case.report.label for case in cases))
        gpus = len({case.report.gpu for case in cases})
        blocks = [block(of_probe, used, gpus) for of_probe in tables.values()]
        blocks = [panels for panels in blocks if panels]
    if not blocks:
        chosen_words = " with these parameters" if where else ""
        raise UserError(f"nothing to plot in {named(reports)}: no case{chosen_words} that ran has a reading; run"
                        " 'gpumem probe --output FILE.json' without --dry-run")
    known = {one.name: one for panels in blocks for of_block in panels for one in of_block.quantities}
    if y and not asked_for(known.values(), y):
        raise UserError(f"--y '{y}': no such quantity in the reports; there are {', '.join(known)}")
    return Figure(*titles(cases), [[chosen(one, y, scale) for one in panels] for panels in blocks])
