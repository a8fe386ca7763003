"""Shows as bars how much time a program's kernels take and could save, and why, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from .curves import point
from .kernels import Kernel, command_of, saving_most
from .model import Panel, Point, Quantity, Reading, Series, Tick, XAxis

NAME, ABOUT, TIME_ON_GPU = "savings", "Possible savings in kernels", "gpu_time_seconds"
UNITS = (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))


def unit_of(seconds: float) -> tuple[str, float]:
    return next((unit for unit in UNITS if seconds * unit[1] >= 1), UNITS[-1])


def bar(kernel: Kernel, place: int, reading: Reading, label: str | None = None) -> Point:
    made = point(kernel.case, place, kernel.name)
    made.readings, made.label = {TIME_ON_GPU: reading}, label
    return made


def panel(kernels: Sequence[Kernel], name: str) -> Panel | None:
    """The panel of one report's kernels; None if none could save anything."""
    rows = saving_most(kernels)
    if not rows:
        return None
    unit, factor = unit_of(max(max(kernel.gpu_s or 0, kernel.saved_s or 0) for kernel in rows))
    taken = [bar(kernel, i, Reading(kernel.gpu_s * factor)) for i, kernel in enumerate(rows) if kernel.gpu_s]
    saved = [bar(kernel, i, Reading(predicted=(kernel.saved_s or 0) * factor), kernel.reason())
             for i, kernel in enumerate(rows)]
    series = [Series(f"{name}.taken", "GPU time", 0, 0, taken, thin=True),
              Series(f"{name}.saved", "could save, by the model", 1, 0, saved)]
    series = [made for made in series if made.points]
    names: list[Tick] = [(i, kernel.name) for i, kernel in enumerate(rows)]
    more = sum(kernel.could_save() for kernel in kernels) - len(rows)
    return Panel(name, f"Possible savings in kernels of {command_of(rows[0].case.report)}",
                 f"{more} more could save less" if more else "", XAxis("kernel", "category", names, names),
                 [Quantity(TIME_ON_GPU, f"GPU time, {unit}")], series, [], wide=True, sideways=True)
