"""Chooses what to draw: one block of panels per table (probe) of the reports, one curve per sweep."""

from collections import Counter, namedtuple
from dataclasses import replace

from plotting import axes, readings, roofline
from plotting.errors import UserError
from plotting.looks import COLOURS
from plotting.model import Figure, Guide, Panel, Quantity, Series
from plotting.words import metric_label, phrase, value_text

CURVES = 6  # as many in one panel stay readable
PANELS = 36
QUESTIONS = {
    "coalesced": "does the order of a warp's lanes matter?", "offset": "what does misalignment cost?",
    "stride": "what do unused parts of sectors cost?", "bank": "what do bank conflicts cost?",
    "transfer": "what does a copy over the link cost?", "batching": "many small copies: how?",
    "zero-copy": "work on mapped host memory, or copy it first?", "overlap": "how much do copies and kernels overlap?"}
LOGARITHMIC = ("stride", "batching")  # over two orders of magnitude the slow end matters most
# What tells curves of one panel apart, before other parameters do.
FIRST = ("host_memory", "batching", "overlap", "placement", "op", "direction", "word_bytes")

Item = namedtuple("Item", "report case")


# ---- Which cases

def matches(case, where):
    """Whether every parameter in `where` has one of the values there, written as a number or as in the tables."""
    own = case.parameters
    return all(name in own and {str(own[name]), value_text(name, own[name])} & values for name, values in where.items())


def tables_of(reports, where):
    """The cases of each probe that has something to show. Cases without a reading leave a gap in their curve."""
    found = {}
    for report in reports:
        for case in report.cases:
            if matches(case, where):
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
    names = dict.fromkeys(name for item in items for name in item.case.parameters if name != swept)
    varying = [name for name in names if len({identity(item.case, name) for item in items}) > 1]
    compared = {item.case.compared for item in items}
    rank = {name: i for i, name in enumerate(FIRST)}
    return sorted(varying, key=lambda name: (name not in compared, rank.get(name, len(rank))))


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
        words = [phrase(name, identity(item.case, name)) for name in self.curves
                 if identity(item.case, name) not in (None, "auto")]
        if not self.curves and not self.several:  # which report it is says enough: the panel names the op
            words = [str(item.case.parameters[name]) for name in ("op",) if name in item.case.parameters]
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
        series = found[key]
        place = x.place(item.case)
        series.points.append(readings.point(item.case, place, f"{series.label}, {x.phrase(item.case)}"))
    for series in found.values():
        series.points.sort(key=lambda point: point.x)
    return [one for one in found.values() if any(point.readings for point in one.points)]


def slug(text):
    """Of characters that an XML id and a CSS selector may hold."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in text).split()).lower() or "cases"


# ---- Which quantities, and what limits them

def has(series, quantity):
    return any(getattr(point.readings.get(quantity), reading, None) is not None
               for one in series for point in one.points for reading in ("measured", "predicted", "counted"))


def metrics_of(items, series):
    """Metrics that vary: one number for all cases makes no curve."""
    for name in dict.fromkeys(name for item in items for name in item.case.metrics):
        if name == "cycles_per_request" and has(series, readings.CYCLES.name):
            continue
        if len({item.case.metrics.get(name) for item in items} - {None}) > 1:
            yield Quantity(f"metric {name}", metric_label(name))


def quantities_of(items, series):
    found = [quantity for quantity in (readings.BANDWIDTH, readings.PEAK, readings.TIME)
             if has(series, quantity.name)]
    if items[0].case.probe in LOGARITHMIC:
        found = [replace(quantity, log=quantity.name != readings.TIME.name) for quantity in found]
    if has(series, readings.CYCLES.name):  # bank conflicts: bandwidth is not the point
        found.insert(0, readings.CYCLES)
    if not found and not list(metrics_of(items, series)):
        names = dict.fromkeys(name for item in items for name in item.case.metrics)
        return [Quantity(f"metric {name}", metric_label(name)) for name in names]
    return found + list(metrics_of(items, series))


def peak_words(report, peak):
    def close(other):
        return other and abs(peak / other - 1) < 1e-6

    text = f"{peak:.0f} GB/s" if peak >= 100 else f"{peak:.1f} GB/s"
    if close(report.theoretical):
        return f"theoretical bandwidth {text}"
    if close(report.link):
        return f"{report.link_name}: {text}"
    return f"{report.link_name} both ways: {text}" if report.link and close(2 * report.link) else f"peak {text}"


def guides_of(items):
    several = len({item.report.gpu for item in items}) > 1
    found = {}
    for report, case in items:
        if case.peak:
            text = peak_words(report, case.peak)
            found.setdefault((case.peak, f"{report.gpu}: {text}" if several else text))
    guides = [Guide(readings.BANDWIDTH.name, label, level=peak) for peak, label in found]
    return guides + ([Guide(readings.PEAK.name, "peak", level=100)] if guides else [])


# ---- Panels

def subtitle(items, hidden, owner):
    """Whose cases these are, what is missing of them, and what all of them have in common."""
    missing, words = left_out(items), []
    for name in items[0].case.parameters:
        values = {item.case.parameters.get(name) for item in items}
        if name not in hidden and len(values) == 1:
            auto = " (auto)" if all(name in item.case.chosen for item in items) else ""
            words.append(phrase(name, values.pop()) + auto)
    return "; ".join(filter(None, [owner, missing, ", ".join(words)]))


def panel(items, title_words, looks, swept, name):
    x = axes.x_axis(items, swept)
    series = series_of(items, looks, x, name)
    hidden = {swept, *looks.curves, *title_words}
    probe = items[0].case.probe
    title = ", ".join([probe, *(phrase(key, value) for key, value in title_words.items() if value is not None)])
    if probe in QUESTIONS and not title_words:
        title = f"{probe}: {QUESTIONS[probe]}"
    return Panel(name, title, subtitle(items, hidden, looks.owner), x.axis, quantities_of(items, series), series,
                 guides_of(items))


def block(items, reports, gpus):
    """The panels of one table. `reports` are the labels of all reports: each has its colour in all blocks. `gpus` is
    how many GPUs the figure shows."""
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
                        f" as in '--where {others[0]}={value_text(others[0], next(iter(groups))[0])}'")
    names, panels = {}, []
    for values, group in groups.items():
        words = dict(zip(others, values))
        name = ".".join([probe, *(slug(f"{key} {value}") for key, value in words.items())])
        names[name] = names.get(name, 0) + 1
        name += f".{names[name]}" if names[name] > 1 else ""
        panels.append(panel(group, words, looks, swept, name))
    return [one for one in panels if one.quantities]


# ---- The figure

def titles(items):
    used = list({id(item.report): item.report for item in items}.values())
    title = ", ".join(dict.fromkeys(report.gpu or "unknown GPU" for report in used))
    models = [report for report in used if report.backend == "model"]
    origins = list(dict.fromkeys(report.origin for report in used))
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


def build(reports, name, where):
    """The figure of the reports' tables; with `name` of one of them, or the memory roofline."""
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
        chosen = " with these parameters" if where else ""
        raise UserError(f"nothing to plot in {named(reports)}: no case{chosen} that ran has a reading; run"
                        " 'gpumem probe --output FILE.json' without --dry-run")
    return Figure(*titles(items), blocks)
