"""Shows as bars how long a program's kernels take on the GPU of the recording, and would take on another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .curves import row
from .errors import UserError
from .kernel_names import short_names
from .model import Block, Figure, Panel, Point, Quantity, Reading, Series, XAxis
from .savings import unit_of

SECONDS = "seconds"
MOST_BARS, NAME_LETTERS = 20, 48


def titles(kernels: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of kernels, with grid and block where several kernels share a name."""
    names = [str(kernel["kernel"]) for kernel in kernels]
    short = short_names(names, NAME_LETTERS)
    return [short[name] + (f" <<<{kernel['grid']}, {kernel['block_threads']}>>>" if names.count(name) > 1 else "")
            for name, kernel in zip(names, kernels)]


def panel(gpu: Mapping[str, Any], here: str, number: int) -> Panel | None:
    """The panel of one GPU; None if no kernel has a time there."""
    known = [kernel for kernel in gpu["kernels"] if kernel["there"]["seconds"] is not None]
    kernels = known[:MOST_BARS]
    if not kernels:
        return None
    unit, factor = unit_of(max(kernel[where]["seconds"] for kernel in kernels for where in ("here", "there")))
    series = [Series(f"ported{number}.{where}", label, place, 0, thin=where == "here")
              for place, (where, label) in enumerate((("here", f"here, on {here}, measured"), ("there", "there, by the model")))]
    named = titles(kernels)
    for i, kernel in enumerate(kernels):
        measured, predicted = (kernel[where]["seconds"] * factor for where in ("here", "there"))
        rows = [row(f"here, {unit}", Reading(measured)), row(f"there, {unit}", Reading(predicted=predicted))]
        series[0].points.append(Point(i, {SECONDS: Reading(measured)}, named[i], rows))
        limits = [kernel["limit_here"], kernel["limit_there"]]
        label = f"limited by {limits[0]}" if limits[0] == limits[1] else f"limited by {limits[0]} here, by {limits[1]} there"
        series[1].points.append(Point(i, {SECONDS: Reading(predicted=predicted)}, named[i], rows, label=label))
    names = [(float(i), name) for i, name in enumerate(named)]
    more = len(known) - len(kernels)
    return Panel(f"ported{number}", f"Here and on {gpu['gpu']}", f"{more} more take less time here" if more else "",
                 XAxis("kernel", "category", names, names), [Quantity(SECONDS, f"GPU time of all launches, {unit}")],
                 series, [], wide=True, sideways=True, between="against")


def figure(ported: Mapping[str, Any]) -> Figure:
    """Takes the JSON that `gpumem port` writes. Throws if no kernel has a time on another GPU."""
    here = ported["gpu"] or "the GPU of the recording"
    panels = [panel(gpu, here, number) for number, gpu in enumerate(ported["gpus"], 1)]
    blocks = [Block([made]) for made in panels if made]
    if not blocks:
        raise UserError("no kernel has a time on another GPU")
    return Figure(f"Kernels of {ported['report']} on other GPUs", "", blocks)
