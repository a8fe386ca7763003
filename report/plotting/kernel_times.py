"""Shows when a program's kernels ran: the share of the GPU's time that each took, in bars over the program's own time.
In the white parts, the GPU was idle or did something other than kernels. The time in which gpumem looked closely is cut
out: the program alone does not have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from .curves import row
from .kernels import Kernel, command_of
from .model import COLOURS, Guide, Panel, Point, Quantity, Reading, Series, Tick, XAxis
from .savings import unit_of
from .words import figure_text

NAME, ABOUT, SHARE = "timeline", "When kernels ran", "share_of_time"
NAMED = len(COLOURS) - 1  # the others share the last colour
MOST_TICKS = 10


def ticks(end: float) -> list[Tick]:
    """Round numbers from 0 on."""
    step = next(step for power in (math.floor(math.log10(end)) - 1, math.floor(math.log10(end)))
                for step in (10.0 ** power, 2 * 10.0 ** power, 5 * 10.0 ** power) if end / step <= MOST_TICKS)
    return [(i * step, figure_text(i * step)) for i in range(int(end / step) + 1)]


def own_bins(busy: Sequence[float], width: float, looked: float | None) -> list[int]:
    """The bins of the program itself. While gpumem looks at a launch, nothing else runs, and it looks at the first
    launches of each kernel. So the first empty bins, as many as `looked` seconds fill, are gpumem's."""
    empty = [i for i, ran in enumerate(busy) if ran == 0]
    cut = set(empty[:int(min(len(empty), max(0, looked or 0) / width + 1e-9))])
    return [i for i in range(len(busy)) if i not in cut]


def points_of(label: str, ran: Sequence[float], whole: Sequence[float], width: float, unit: str) -> list[Point]:
    """The points of `ran`: the busy time in each bin of the axis, as a share of its `whole`. `width` is that of a bin,
    in `unit`."""
    points = []
    for i, (busy, all_of_it) in enumerate(zip(ran, whole)):
        share = Reading(100 * busy / all_of_it)
        if share.measured:
            title = f"{label}, {figure_text(i * width)} to {figure_text((i + 1) * width)} {unit}"
            points.append(Point((i + 0.5) * width, {SHARE: share}, title, [row("of the time, %", share)]))
    return points


def overlap_words(busy: Sequence[float], whole: Sequence[float]) -> str:
    """Kernels of several streams take more time than passes."""
    over = [ran / time for ran, time in zip(busy, whole) if ran > 1.005 * time]
    if not over:
        return ""
    bars = "1 bar" if len(over) == 1 else f"{len(over)} bars"
    return f"In {bars} overlapping kernels add up to {100 * max(over):.0f} %; drawn as 100 %."


def unknown_words(kernels: int) -> str:
    """Says how many kernels are left out because nobody knows when they ran."""
    if not kernels:
        return ""
    return "1 kernel without times is left out." if kernels == 1 else f"{kernels} kernels without times are left out."


def panel(kernels: Sequence[Kernel], name: str) -> Panel | None:
    """The panel of one report's kernels; None if the report does not say when they ran."""
    width = kernels[0].case.report.program.bin_seconds
    placed = sorted((kernel for kernel in kernels if (width or 0) > 0 and sum(kernel.case.ran_seconds) > 0),
                    key=lambda kernel: -sum(kernel.case.ran_seconds))
    if not placed:
        return None
    busy = [sum(at) for at in zip_longest(*(kernel.case.ran_seconds for kernel in placed), fillvalue=0)]
    program = placed[0].case.report.program
    own = own_bins(busy, width, program.sampling_seconds)
    cut_seconds = (len(busy) - len(own)) * width
    unit, factor = unit_of(len(own) * width)
    shown, others = placed[:NAMED], placed[NAMED:]
    rows = [(kernel.name, kernel.case.ran_seconds) for kernel in shown]
    if others:
        rows.append((f"{len(others)} others", [sum(at) for at in zip_longest(
            *(kernel.case.ran_seconds for kernel in others), fillvalue=0)]))
    gpus = len({kernel.case.parameters.get("device") for kernel in placed})
    passed = [gpus * width] * len(own)
    whole = [max(busy[i], time) for i, time in zip(own, passed)]
    series = [Series(f"{name}.{place}", label, place, 0,
                     points_of(label, [ran[i] if i < len(ran) else 0 for i in own], whole, width * factor, unit))
              for place, (label, ran) in enumerate(rows)]
    said = [unknown_words(len(kernels) - len(placed)), overlap_words([busy[i] for i in own], passed)]
    ends = len(own) * width * factor
    whose = f"the time of {gpus} GPUs" if gpus > 1 else "the time"
    without = f" without {figure_text(cut_seconds * factor)} {unit} of sampling" if cut_seconds else ""
    x = XAxis(f"time since the first launch{without}, {unit}", "linear", ticks(ends), [(0, "0"), (ends, figure_text(ends))])
    return Panel(name, f"When kernels of {command_of(placed[0].case.report)} ran",
                 " ".join(filter(None, said)), x,
                 [Quantity(SHARE, f"share of {whose}, %")], series, [Guide("all of the time", SHARE, level=100)],
                 wide=True, stacked=width * factor)
