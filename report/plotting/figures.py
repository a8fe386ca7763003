"""Chooses what to draw: one block of panels per table (probe) of the reports, one curve per sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from . import axes, banks, kernel_roofline, kernel_times, kernels, memory_roofline, roofline, savings, scales, timelines
from .errors import UserError
from .curves import slug, unique
from .looks import Looks, matrix_of, parameters_of, series_of, split, values_of
from .model import Block, Figure, Guide, Panel, Quantity, grouped
from .reports import BANDWIDTH, PEAK_SHARE, TIME, Case, Report, has_reading, origin
from .words import Value

Tables = Mapping[str, Sequence[Case]]  # the cases of each probe

OF_PROGRAMS = {savings.NAME: savings, kernel_times.NAME: kernel_times}  # beside their roofline
PANELS = 36
SQUEEZED_CURVES, SQUEEZED_BARS = 16, 64  # from the least to the most: bars are compared by their length while they can be

# ---- Which cases

def tables_of(reports: Sequence[Report]) -> dict[str, list[Case]]:
    """The cases of each probe that has something to show. Cases without a reading leave a gap in their curve; of kernels
    nothing may be known but when they ran."""
    tables = grouped([case for report in reports for case in report.results], lambda case: case.probe)
    return {probe: cases for probe, cases in tables.items()
            if any(has_reading(case) or any(case.ran_seconds) for case in cases)}


def left_out(cases: Sequence[Case]) -> str:
    """The number of cases that failed or were skipped, in words; '' for none."""
    missing = Counter(case.status if case.status != "ok" else "with wrong data" if case.verified is False
                      else "without a reading" for case in cases if not has_reading(case))
    words = ", ".join(f"{count} {what}" for what, count in sorted(missing.items()))
    return f"{words} of {len(cases)} cases" if words else ""


# ---- Which quantities, and what limits them

def known_values(cases: Iterable[Case]) -> dict[str, set[float]]:
    """The known values of every quantity that has any."""
    found: dict[str, set[float]] = {}
    for case in cases:
        for name, reading in case.readings.items():
            found.setdefault(name, set()).update(reading.known())
    return {name: values for name, values in found.items() if values}


def spans(values: Iterable[float], factor: float) -> bool:
    """True if a linear axis would squeeze the small ones of these values, so that they need a logarithmic one."""
    return min(values) > 0 and max(values) >= factor * min(values)


def quantities_of(cases: Sequence[Case], logarithmic: Container[str]) -> list[Quantity]:
    """The quantity that the cases are about, then the others that are known of them. One number for all cases makes no
    curve."""
    words, headline, known = cases[0].report.words, cases[0].headline.quantity, known_values(cases)
    telling = [name for name in known if len(known[name]) > 1 or name in (headline, BANDWIDTH, PEAK_SHARE, TIME)]
    return [Quantity(name, words.label(name), name in logarithmic)
            for name in sorted(telling or known, key=lambda name: name != headline)]


def limit_of(case: Case, owner: str) -> Guide:
    """The best that the hardware could do, named where the device is known to be what limits it. `owner` is the GPU
    that alone has it, where there are several."""
    headline, device, words = case.headline, case.report.device, case.report.words
    pcie = device.pcie
    link = " ".join(["PCIe", *(f"{short}{value:g}" for short, value in (("gen", pcie.generation), ("x", pcie.width))
                               if value)])
    limits = ((device.theoretical_bandwidth_gb_per_s, "theoretical bandwidth"),
              (pcie.theoretical_gb_per_s, f"{link}:"), (2 * (pcie.theoretical_gb_per_s or 0), f"{link} both ways:"))
    best = "floor" if headline.better == "less" else "peak"
    name = best if owner else next(  # there is little room beside the name of a GPU
        (name for limit, name in limits if limit and headline.quantity == BANDWIDTH
         and abs(headline.peak / limit - 1) < 1e-6), best)
    whose = f"{owner}: " if owner else ""
    return Guide(f"{whose}{name} {words.amount(headline.quantity, headline.peak)}", headline.quantity,
                 level=headline.peak * words.unit(headline.quantity)[1])


def limits_of(cases: Sequence[Case]) -> list[Guide]:
    """A line for each level, of the GPU whose it is unless all have it."""
    limited = [case for case in cases if case.headline.peak]
    gpus = {case.report.gpu for case in limited}
    levels = grouped(limited, lambda case: (case.headline.quantity, f"{case.headline.peak:.6g}"))
    owners = [dict.fromkeys(case.report.gpu for case in of_level) for of_level in levels.values()]
    found = dict.fromkeys(limit_of(of_level[0], "" if len(own) == len(gpus) else ", ".join(own))
                          for of_level, own in zip(levels.values(), owners))
    return [*found, *([Guide("peak", PEAK_SHARE, level=1)] if found else [])]


def is_end(name: str, names: Container[str]) -> bool:
    """True if this is an end of the interval of another quantity, as capacity_low_bytes is of capacity_bytes."""
    return any(name.replace(end, "_") in names for end in ("_low_", "_high_") if end in name)


def found_in(cases: Sequence[Case]) -> list[str]:
    """The program's findings on tables that begin with one of the cases."""
    several = len({case.report.label for case in cases}) > 1
    return [f"{case.report.label}: {text}" if several else text
            for case in cases for text in case.report.found.get(case.place, ())]


def concluded(cases: Sequence[Case], swept: str, looks: Looks) -> tuple[list[str], list[Guide]]:
    """Conclusions from several of the cases: in words, and as places on the x axis if all cases show them."""
    labels, notes, places = {looks.label(case) for case in cases}, [], []
    numbers = [case.parameters.get(swept) for case in cases if axes.is_number(case.parameters.get(swept))]
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
                is_place = found and unit and words["unit"] == unit and not is_end(name, conclusion.quantities)
                if is_place and len(about) == len(cases) and min(numbers) <= reading.known()[-1] <= max(numbers):
                    places.append(Guide(said[-1], x=reading.known()[-1]))
            # Facts say what the quantities are, in words.
            facts = [] if report.found else [fact.text for fact in conclusion.facts] or [conclusion.advice, "; ".join(said)]
            for text in filter(None, facts if about else []):
                notes.append(f"{about[0]}: {text}" if len(set(about)) == 1 < len(labels) else text)
    return found_in(cases) + notes, places


# ---- Panels

def titled(case: Case) -> str:
    """Its probe, and what that is about."""
    purpose = case.report.words.of("probes", case.probe).get("purpose")
    return f"{case.probe} \u2013 {purpose}" if purpose else str(case.probe)


def in_common(cases: Sequence[Case]) -> dict[str, str]:
    """{parameter: what is said of it} of those in which no case differs."""
    found = {}
    for name in cases[0].parameters:
        values = {case.parameters.get(name) for case in cases}
        if len(values) == 1:
            auto = " (auto)" if all(name in case.chosen_by_auto for case in cases) else ""
            phrase = cases[0].report.words.phrase(name, values.pop())
            found[name] = phrase + auto if phrase else ""
    return found


def said_of(cases: Sequence[Case], hidden: Container[str]) -> str:
    return ", ".join(text for name, text in in_common(cases).items() if text and name not in hidden)


def panel(cases: Sequence[Case], title_words: Mapping[str, Value | None], looks: Looks, swept: str, name: str,
          logarithmic: Sequence[Container[str]], matrix: bool, said_above: Iterable[str]) -> tuple[Panel, list[str]]:
    """And what its cases show together. `logarithmic` are quantities that take such a scale as curves, and those that
    do as bars. `said_above` are parameters of which it need not speak."""
    quantity = axes.quantity_of_x(cases, swept)
    x, place = axes.quantity_axis(cases, quantity) if quantity else axes.x_axis(cases, swept, is_category=matrix)
    words, probe = cases[0].report.words, cases[0].probe
    phrases = [words.phrase(key, value) for key, value in title_words.items() if value is not None]
    title = ", ".join(filter(None, [probe, *phrases]))
    if not title_words:
        title = titled(cases[0])
    notes, places = concluded(cases, swept, looks)
    series = series_of(cases, looks, swept, place, name)
    if not matrix:  # which has a row for each
        series = [made for made in series if any(point.readings for point in made.points)]
    said = said_of(cases, {swept, *looks.curves, *title_words, *said_above})
    return Panel(name, title, "; ".join(filter(None, [looks.owner, left_out(cases), said])), x,
                 quantities_of(cases, logarithmic[x.scale == "category"]),
                 series, [scales.away_from_curves(limit, series) for limit in limits_of(cases)]
                 + ([] if quantity else places),
                 matrix=matrix), notes


def block(cases: Sequence[Case], like: Sequence[Case], reports: list[str], gpus: int) -> Block:
    """The panels of one table. Curves look as in a table of the cases `like`, which hold these. `reports` are the
    labels of all reports: each has its colour in all blocks. `gpus` is how many GPUs the figure shows."""
    words, several = cases[0].report.words, len({case.report.label for case in cases}) > 1
    rows, swept = matrix_of(like)
    swept = swept or axes.swept_parameter(like)
    varying = parameters_of(like, swept)
    curves, others = ([rows], [name for name in varying if name != rows]) if rows else split(like, varying, several)
    looks = Looks(like, curves, reports if several else [], gpus)
    known = known_values(cases)
    logarithmic = [{name for name in known if spans(known[name], factor)} for factor in (SQUEEZED_CURVES, SQUEEZED_BARS)]
    groups = grouped(cases, lambda case: values_of(case, others))
    if len(groups) > PANELS:
        raise UserError(f"{cases[0].probe}: {len(groups)} panels are too many to read; choose cases, as in"
                        f" '{others[0]}={words.value(others[0], next(iter(groups))[0])}'")
    names: Counter[str] = Counter()
    made: list[tuple[Panel, list[str]]] = []
    said_above: Iterable[str] = in_common(cases) if len(groups) > 1 else {}
    for values, group in groups.items():
        title_words = dict(zip(others, values))
        name = ".".join(map(slug, [cases[0].probe, *(f"{key} {value}" for key, value in title_words.items())]))
        made.append(panel(group, title_words, looks, swept, unique(name, names), logarithmic, rows is not None, said_above))
    made = [(shown, notes) for shown, notes in made if shown.quantities]
    panels = [shown for shown, _ in made]
    found = Block(panels, notes=list(dict.fromkeys(note for _, notes in made for note in notes)), about=titled(cases[0]))
    if len(panels) > 1:
        scales.share(panels)
        found.title, found.subtitle = titled(cases[0]), said_of(cases, {swept, *curves})
    return found


# ---- The figure

def titles(cases: Sequence[Case]) -> tuple[str, str]:
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


def verdict(report: Report) -> list[str]:
    """The outcome of a report that was checked against a suite: how many expectations passed, and which ones failed."""
    if not any(check.verdict for check in report.checks):
        return []
    tally = Counter(check.verdict for check in report.checks)
    counts = f"{tally['pass']} passed, {tally['fail']} failed, {tally['skip']} skipped"
    failed = [f"FAIL {check.name}: {check.reason}" for check in report.checks if check.verdict == "fail"]
    return [f"{report.suite or 'expectations'} on {report.label}: {counts}", *failed]


def named(reports: Sequence[Report]) -> str:
    paths = [report.path for report in reports]
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def is_called(quantity: str, name: str) -> bool:
    """True if this is the quantity's name, or the first or last word of it, as 'time' is of 'time_seconds'."""
    return quantity == name or quantity.startswith(f"{name}_") or quantity.endswith(f"_{name}")


def choose(panel_of: Panel, y: str | None, scale: str | None) -> None:
    """Puts the asked-for quantity first, and gives all of them the asked-for scale."""
    if y:
        panel_of.quantities.sort(key=lambda quantity: not is_called(quantity.name, y))
    for quantity in panel_of.quantities:
        if scale and not (panel_of.sideways or panel_of.stacked or panel_of.grid):
            quantity.log = scale == "log"


def of_programs(cases: Sequence[Case], name: str | None) -> list[Block]:
    """The blocks of the kernels of programs, a panel each: the roofline, what could be saved and when they ran, or one
    of them."""
    known = {"roofline": kernel_roofline, **OF_PROGRAMS}
    makers = [known[name]] if name in known else known.values()
    names: Counter[str] = Counter()
    made = [(maker.panel(of_report, unique(maker.NAME, names)), maker.ABOUT)
            for of_report in kernels.of_programs(cases) for maker in makers]
    return [Block([shown], about=about) for shown, about in made if shown]


def roofline_of(panels: Sequence[Panel]) -> Block:
    about = "Roofline: what the memory and the arithmetic allow, and what cases reach"
    return Block(list(panels), about if len(panels) > 1 else "", about=about)


def roofs(cases: Sequence[Case]) -> tuple[list[Block], list[Case]]:
    """The block of a roofline, and the cases in it. Without flops it is that of memory."""
    panels, of_flops = roofline.panels(cases)
    if panels:
        return [roofline_of(panels)], of_flops
    of_kernels = of_programs(cases, "roofline")
    if of_kernels or all(case.probe == kernels.PROBE for case in cases):
        return of_kernels, [case for case in cases if case.probe == kernels.PROBE]
    panel_of_memory, of_memory = memory_roofline.panel(cases)
    return [Block([panel_of_memory])], of_memory


def blocks_of(tables: Mapping[str, list[Case]], like: Tables) -> list[Block]:
    """The blocks of whole tables, one for each table. Their curves look as in the tables `like`."""
    cases = [case for of_probe in tables.values() for case in of_probe]
    used = list(dict.fromkeys(case.report.label for case in cases))
    gpus = len({case.report.gpu for case in cases})
    found = []
    for probe, of_probe in tables.items():
        with_flops = roofline.panels(list(filter(roofline.has_flops, cases)))[0] if probe == roofline.SWEEP else []
        if probe == kernels.PROBE:
            found += of_programs(of_probe, None)
        else:
            found.append(roofline_of(with_flops) if with_flops else block(of_probe, like[probe], used, gpus))
            found += filter(None, [banks.block(of_probe)])
    return [shown for shown in found if shown.panels]


def nothing(reports: Sequence[Report], name: str | None) -> str:
    """Why there is no figure."""
    if name == savings.NAME:
        return f"nothing to save in {named(reports)}: no kernel is known to waste 2 % of its time"
    if name == kernel_times.NAME:
        return f"nothing to plot in {named(reports)}: of no kernel it is known when it ran"
    programs = [report for report in reports if report.program.launches_seen is not None]
    if len(programs) < len(reports):
        return (f"nothing to plot in {named(reports)}: no case that ran has a reading; run"
                " 'gpumem probe --output FILE.json' without --dry-run")
    launched = any(report.program.launches_seen for report in programs)
    what = "of no kernel an access was seen" if launched else "the program launched no kernel"
    return f"nothing to plot in {named(reports)}: {what}"


def build(reports: Sequence[Report], figure: str | None = None, y: str | None = None, scale: str | None = None,
          like: Tables | None = None) -> Figure:
    """The figure of the reports' tables; if `figure` names one of them, the roofline or one of OF_PROGRAMS, only that.
    `y` names the quantity to show, where a panel has it, and `scale` that of its axis, linear or log; None leaves both
    to the panel. Curves look as in the tables `like`, which hold these, or in these."""
    tables = tables_of(reports)
    others = ("roofline", *(OF_PROGRAMS if kernels.PROBE in tables else []))
    if tables and figure not in (None, *others, *tables):
        known = [probe for probe in tables if probe != "roofline"]
        raise UserError(f"no cases of '{figure}' in {named(reports)}; --figure takes"
                        f" {', '.join([*known, *others[1:]])} or roofline")
    probe_of = kernels.PROBE if figure in OF_PROGRAMS else figure
    tables = {probe: cases for probe, cases in tables.items() if figure in (None, "roofline") or probe == probe_of}
    cases = [case for of_probe in tables.values() for case in of_probe]
    if figure == "roofline" and cases:
        blocks, cases = roofs(cases)
    else:
        blocks = of_programs(cases, figure) if figure in OF_PROGRAMS else blocks_of(tables, like or tables)
    if not blocks:
        raise UserError(nothing(reports, figure))
    panels = [shown for of_table in blocks for shown in of_table.panels]
    drawn = dict.fromkeys(quantity.name for shown in panels for quantity in shown.quantities)
    if y and not any(is_called(quantity, y) for quantity in drawn):
        raise UserError(f"--y '{y}': no such quantity in the reports; there are {', '.join(drawn)}")
    scales.share_colours(panels)
    for shown in panels:
        choose(shown, y, scale)
    return Figure(*titles(cases), blocks, timelines.of(cases), [text for report in reports for text in verdict(report)])
