"""When a program's kernels ran: the share of the GPU's time that each took, in bars over the time of the run. What is
white the GPU was idle, or did what is no kernel."""

import math
from itertools import zip_longest

from .curves import row
from .kernels import command_of
from .model import COLOURS, Guide, Panel, Point, Quantity, Reading, Series, XAxis
from .savings import unit_of
from .words import figure_text

NAME, SHARE = "timeline", "share_of_time"
NAMED = len(COLOURS) - 1  # the others share the last colour
MOST_TICKS = 10


def ticks(end):
    """Round numbers from 0 on."""
    step = next(step for power in (math.floor(math.log10(end)) - 1, math.floor(math.log10(end)))
                for step in (10.0 ** power, 2 * 10.0 ** power, 5 * 10.0 ** power) if end / step <= MOST_TICKS)
    return [(i * step, figure_text(i * step)) for i in range(int(end / step) + 1)]


def points_of(label, ran, width, gpus, unit):
    """Of `ran`, what was busy in each bin, as wide as `width`; both in `unit`."""
    points = []
    for i, busy in enumerate(ran):
        share = Reading(100 * busy / width / gpus)
        if share.measured:
            title = f"{label}, {figure_text(i * width)} to {figure_text((i + 1) * width)} {unit}"
            points.append(Point((i + 0.5) * width, {SHARE: share}, title, [row("of the time, %", share)]))
    return points


def panel(kernels, name):
    """Of the kernels of one report; None if it does not say when they ran."""
    width = kernels[0].case.report.program.bin_seconds
    placed = sorted((one for one in kernels if (width or 0) > 0 and sum(one.case.ran_seconds) > 0),
                    key=lambda one: -sum(one.case.ran_seconds))
    if not placed:
        return None
    bins = max(len(one.case.ran_seconds) for one in placed)
    unit, factor = unit_of(bins * width)
    shown, others = placed[:NAMED], placed[NAMED:]
    rows = [(one.name, one.case.ran_seconds) for one in shown]
    if others:
        rows.append((f"{len(others)} others", [sum(at) for at in zip_longest(*(one.case.ran_seconds for one in others),
                                                                            fillvalue=0)]))
    gpus = len({one.case.parameters.get("device") for one in placed})
    series = [Series(f"{name}.{place}", label, place, 0,
                     points_of(label, [busy * factor for busy in ran], width * factor, gpus, unit))
              for place, (label, ran) in enumerate(rows)]
    unknown = len(kernels) - len(placed)
    ends = bins * width * factor
    whose = f"the time of {gpus} GPUs" if gpus > 1 else "the time"
    x = XAxis(f"time since the first launch, {unit}", "linear", ticks(ends), [(0, "0"), (ends, figure_text(ends))])
    return Panel(name, f"When kernels of {command_of(placed[0].case.report)} ran",
                 f"left out: {unknown} of which it is not known" if unknown else "", x,
                 [Quantity(SHARE, f"share of {whose}, %")], series, [Guide("all of the time", SHARE, level=100)],
                 wide=True, stacked=width * factor)
