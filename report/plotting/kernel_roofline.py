"""A program's kernels under the roof of device memory: the bytes that they use in a second, over the bytes that one
launch uses. From each kernel a line goes up to the bytes that it moves.

So one sees what limits a kernel. Its line ends at the roof: device memory, and the length is what it wastes. It has no
line and is far below: conflicts, latency, arithmetic. It is far left: too little work in a launch. Left of what L2
holds a kernel may be above the roof."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import labels
from .curves import point
from .kernels import Kernel, command_of, saving_most
from .model import Guide, Panel, Point, Quantity, Reading, Series, XAxis
from .reports import BANDWIDTH, PEAK_SHARE
from .words import size_in_words

NAME, ABOUT = "kernel-roofline", "Roofline of memory, kernels of programs"
LEAST = 0.002  # of the GPU time
LEAST_MOVED = 1.05  # per byte used: the mark hides a shorter line
ROOM = 1.6  # above the roof, for the words of the lines


def has_place(kernel: Kernel) -> bool:
    known = kernel.case.readings[BANDWIDTH].known() if BANDWIDTH in kernel.case.readings else []
    return kernel.used_bytes > 0 and bool(known) and known[-1] > 0


def that_matter(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Without those of next to no time, whose launches are so small that the others would share a corner. One that was
    launched but once has no time, and counts by what was predicted."""
    times = [kernel.gpu_s or (kernel.case.predicted_seconds or 0) * (kernel.launches or 1) for kernel in kernels]
    return [kernel for kernel, time_s in zip(kernels, times) if kernel.could_save() or time_s >= LEAST * sum(times)]


def placed(kernel: Kernel) -> Point:
    """The point of a kernel. A measured kernel has no second point for its prediction, because it would only add to the
    crowd."""
    made = point(kernel.case, kernel.used_bytes, kernel.name)
    made.label, made.share = kernel.name, kernel.share or 0
    for quantity in (BANDWIDTH, PEAK_SHARE):
        reading = made.readings[quantity]
        if reading.measured:
            made.readings[quantity] = Reading(measured=reading.measured)
        if kernel.moved and kernel.moved >= LEAST_MOVED and reading.known():
            made.reach[quantity] = made.readings[quantity].known()[-1] * kernel.moved
    return made


def series_of(kernels: Sequence[Kernel], most: Sequence[Kernel], panel_name: str) -> list[Series]:
    """The kernels that could save most are drawn first, and have the first choice of a place for their names."""
    by_share = sorted(kernels, key=lambda kernel: -(kernel.share or 0))  # so that large marks hide no small ones
    found = [Series(f"{panel_name}.saving", "could save time", 1, 1,
                    [placed(kernel) for kernel in by_share if kernel in most]),
             Series(f"{panel_name}.other", "others", 0, 0,
                    [placed(kernel) for kernel in by_share if kernel not in most])]
    return [made for made in found if made.points]


def axis(xs: Sequence[float]) -> tuple[float, float, XAxis]:
    low, high = min(xs) / 3, max(xs) * 3
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    ticks = [(2.0 ** power, size_in_words(2.0 ** power)) for power in powers if power >= 0]
    return low, high, XAxis("bytes that a launch uses", "log2", ticks[::1 + len(ticks) // 10],
                            [(x, size_in_words(x)) for x in xs])


def guides_of(kernels: Sequence[Kernel], low: float, high: float) -> list[Guide]:
    peaks = sorted({kernel.case.headline.peak for kernel in kernels if (kernel.case.headline.peak or 0) > 0})
    places = [low * (high / low) ** (i / 64) for i in range(65)]  # so close that names can keep off the line
    found = [Guide(f"theoretical bandwidth {peak:.0f} GB/s", BANDWIDTH, peak * ROOM, [(at, peak) for at in places])
             for peak in peaks]
    found += [Guide("peak", PEAK_SHARE, ROOM, [(at, 1) for at in places])] if peaks else []
    l2_bytes = kernels[0].case.report.device.l2_bytes
    return found + ([Guide(f"L2 holds {size_in_words(l2_bytes)}", x=l2_bytes)]
                    if l2_bytes and low < l2_bytes < high else [])


def panel(kernels: Sequence[Kernel], name: str) -> Panel | None:
    """The panel of one report's kernels; None if none of them has a place in it."""
    with_place = list(filter(has_place, kernels))
    shown = that_matter(with_place)
    if not shown:
        return None
    report = shown[0].case.report
    low, high, x_axis = axis(sorted({kernel.used_bytes for kernel in shown}))
    said, lacking = [f"{len(shown)} kernel{'s' * (len(shown) > 1)}"], len(kernels) - len(with_place)
    if lacking:
        said.append(f"left out: {lacking} not seen access by access, or without bytes")
    if len(shown) < len(with_place):
        said.append(f"left out: {len(with_place) - len(shown)} with less than {100 * LEAST:g} % of the time each")
    if not any(map(Kernel.could_save, kernels)):
        said.append("no accesses are known that waste time worth saving")
    quantities = [Quantity(quantity, report.words.label(quantity), log=True) for quantity in (BANDWIDTH, PEAK_SHARE)]
    made = Panel(name, f"Roofline of memory, kernels of {command_of(report)}", "; ".join(said), x_axis, quantities,
                 series_of(shown, saving_most(kernels), name), guides_of(shown, low, high), scatter=True, wide=True,
                 area="share of the GPU time", reach="to the bytes moved")
    labels.place(made)
    return made
