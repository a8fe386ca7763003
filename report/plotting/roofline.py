"""The roofline (Williams, Waterman and Patterson, CACM 2009): flops per second over flops per byte of device memory,
and the line under which both the memory and the arithmetic keep every kernel. A panel for each type of operand.

Bytes are those that device memory moved, where counters saw them, else the useful ones. The line is that of the sweep
of the probe 'roofline', where it was measured, else the theoretical one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from . import labels
from .curves import point, row, slug
from .memory_roofline import moved_bytes, of_device_memory, place_words, ticks
from .model import COLOURS, Guide, Panel, Quantity, Reading, Series, XAxis, grouped
from .reports import BANDWIDTH, PEAK_SHARE, TIME, Case, kinds
from .words import figure_text

FLOPS = "gflop_per_s"
SWEEP = "roofline"  # the probe
TYPES = ("float", "double")
ROOM = 1.5  # above the roof, for the words of each GPU's


# ---- The cases

def positive(value: float | None) -> float | None:
    """The value if a logarithmic axis has a place for it, else None."""
    return value if value and 0 < value < math.inf else None


def rate_of(case: Case) -> Reading:
    """Useful flops over time, in GFLOP/s."""
    time, flops = case.readings[TIME], case.useful_flops / 1e9
    measured, predicted, low, high = (positive(flops / seconds) if positive(seconds) else None for seconds in
                                      (time.measured, time.predicted, time.ci95_high, time.ci95_low))
    return Reading(measured, predicted, None, low, high)


def has_flops(case: Case) -> bool:
    return positive(case.useful_flops) is not None


class Placed:
    """A case with flops on the roofline. Its x is 0 if it is about bytes that are not in device memory. A case that
    stays in L2 is placed by its useful bytes, because device memory counts next to none."""

    def __init__(self, case: Case):
        elsewhere = case.headline.quantity == BANDWIDTH and not of_device_memory(case)  # in registers, say
        useful, moved = (0, 0) if elsewhere else (sum(case.useful_bytes.values()), moved_bytes(case))
        self.case, self.rate, self.counted = case, rate_of(case), bool(moved)
        self.useful_intensity = positive(case.useful_flops / useful) if useful else None
        by_count = moved and "cache_resident" not in case.flags
        self.x = (positive(case.useful_flops / moved) if by_count else self.useful_intensity) or 0.0

    def name(self, mixed: bool) -> str:
        """Its probe and what it says in words but for the type; and whether its bytes are the useful ones, unless all
        are."""
        said = [value for name, value in kinds(self.case).items() if name != "type"]
        return " ".join([self.case.probe, *said]) + (" (useful bytes)" if mixed and not self.counted else "")


def placed(cases: Iterable[Case]) -> list[Placed]:
    found = [Placed(case) for case in cases if has_flops(case) and TIME in case.readings]
    return [member for member in found if member.x and member.rate.known()]


def type_of(member: Placed) -> str:
    return TYPES[member.case.parameters.get("type") == "double"]


# ---- The line

def measured_roof(found: Iterable[Placed]) -> tuple[float, float] | None:
    """GB/s and GFLOP/s at best, of a sweep that has cases on both sides of where they meet."""
    places = [(member.x, member.rate.measured) for member in found
              if member.case.probe == SWEEP and member.rate.measured]
    slopes = [rate / x for x, rate in places]
    return (max(slopes), max(rate for _, rate in places)) if places and max(slopes) > 2 * min(slopes) else None


def theoretical_roof(found: Sequence[Placed]) -> tuple[float | None, float | None]:
    """The peak of a case that arithmetic limits is that of the arithmetic; None where no case says it."""
    slope = positive(found[0].case.report.device.theoretical_bandwidth_gb_per_s)
    peaks = [member.case.headline.peak for member in found if member.case.headline.quantity == FLOPS and slope
             and positive(member.case.headline.peak) and member.useful_intensity
             and member.case.headline.peak < 0.999 * slope * member.useful_intensity]
    return slope, max(peaks, default=None)


def roofs_of(found: Sequence[Placed], low: float, high: float) -> list[Guide]:
    """For each GPU, the slope of the memory, and as far as it is known the roof of the arithmetic."""
    places = [low * (high / low) ** (i / 128) for i in range(129)]  # so close that a line is right on any scale
    by_gpu, roofs = grouped(found, lambda member: member.case.report.gpu), []
    for gpu, members in by_gpu.items():
        measured = measured_roof(members)
        how, (slope, peak) = ("measured", measured) if measured else ("theoretical", theoretical_roof(members))
        if slope:
            owner, limit = f"{gpu}: " if len(by_gpu) > 1 else "", f", {figure_text(peak)} GFLOP/s" if peak else ""
            roofs.append(Guide(f"{owner}{figure_text(slope)} GB/s{limit} {how}", FLOPS,
                               peak and peak * ROOM**len(by_gpu), [(at, min(slope * at, peak or math.inf)) for at in places]))
    return roofs


# ---- The figure

def series_of(found: Iterable[Placed], gpus: list[str], names: list[str], mixed: bool, panel_name: str) -> list[Series]:
    """A curve for each GPU and kind of case, in the order of the report."""
    series = []
    for (gpu, name), members in grouped(found, lambda member: (member.case.report.gpu, member.name(mixed))).items():
        sweep = members[0].case.probe == SWEEP
        marker = 0 if sweep else 1 + names.index(name)
        label = f"{gpu}: {name}" if len(gpus) > 1 else name
        of_kind = (marker - 1) % (len(COLOURS) - 1)  # the sweep has the last colour for itself
        colour = gpus.index(gpu) if len(gpus) > 1 else of_kind if marker else len(COLOURS) - 1
        made = Series(f"{panel_name}.{slug(label)}", label, colour, marker, thin=not sweep)
        for member in members:
            of_case = point(member.case, member.x, f"{label}, {place_words(member.case)}")
            if FLOPS not in member.case.readings:
                of_case.rows.insert(0, row("GFLOP/s", member.rate))
            x = Reading(counted=member.x) if member.counted else Reading(predicted=member.x)
            of_case.rows.insert(0, row(x_words([member]), x))
            # A measured case has no second point for its prediction, because it would only add to the crowd.
            crowds = made.thin and member.rate.measured
            of_case.readings[FLOPS] = replace(member.rate, predicted=None) if crowds else member.rate
            made.points.append(of_case)
        if made.thin and len(gpus) == 1:
            made.points[-1].label = label_of(members[-1])
        series.append(made)
    return series


def label_of(member: Placed) -> str:
    """Its variant and size, or probe and size."""
    case = member.case
    said = [value for name, value in kinds(case).items() if name != "type"] or [case.probe]
    if case.swept in case.parameters:
        said.append(case.report.words.value(case.swept, case.parameters[case.swept]))
    return " ".join(said)


def x_words(found: Iterable[Placed]) -> str:
    counted = {member.counted for member in found}
    return "flops per " + ("useful byte" if counted == {False} else "byte of device memory (counted"
                           + (" unless said otherwise)" if len(counted) > 1 else ")"))


def panel(found: Sequence[Placed], kind: str, gpus: list[str], names: list[str], left_out: str) -> Panel:
    mixed = len({member.counted for member in found}) > 1
    xs = sorted({member.x for member in found})
    low, high = xs[0] / 2, xs[-1] * 2.5
    words, name = found[0].case.report.words, f"{SWEEP}.{kind}"
    subtitle = "; ".join(filter(None, [f"{len(found)} cases" if len(found) > 1 else "", left_out]))
    quantities = [Quantity(FLOPS, "GFLOP/s", log=True)]
    quantities += [Quantity(other, words.label(other), log=True) for other in (PEAK_SHARE, BANDWIDTH, TIME)
                   if any(member.case.readings[other].known() for member in found)]
    x_axis = XAxis(x_words(found), "log2", ticks(low, high), [(x, f"{x:.3g}") for x in xs])
    made = Panel(name, f"Roofline, {kind}", subtitle, x_axis, quantities, series_of(found, gpus, names, mixed, name),
                 roofs_of(found, low, high))
    labels.place(made)
    return made


def panels(cases: Sequence[Case]) -> tuple[list[Panel], list[Case]]:
    """One for each type of operand, and the cases in them; none without flops."""
    found = placed(cases)
    gpus = list(dict.fromkeys(member.case.report.gpu for member in found))
    types = grouped(found, type_of)
    mixed = {kind: len({member.counted for member in members}) > 1 for kind, members in types.items()}
    names = list(dict.fromkeys(member.name(mixed[type_of(member)]) for member in found if member.case.probe != SWEEP))
    left_out = f"left out: {len(cases) - len(found)} without flops or a time" if len(found) < len(cases) else ""
    return ([panel(types[kind], kind, gpus, names, left_out) for kind in TYPES if kind in types],
            [member.case for member in found])
