"""What a program's kernels could save beside the time that they take, and why: bars, the worst first."""

from .curves import point
from .kernels import command_of, saving_most
from .model import Panel, Quantity, Reading, Series, XAxis

NAME, TIME_ON_GPU = "savings", "gpu_time_seconds"
UNITS = (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))


def unit_of(seconds):
    return next((unit for unit in UNITS if seconds * unit[1] >= 1), UNITS[-1])


def bar(kernel, place, reading, label=None):
    made = point(kernel.case, place, kernel.name)
    made.readings, made.label = {TIME_ON_GPU: reading}, label
    return made


def panel(kernels, name):
    """Of the kernels of one report; None if none could save anything."""
    rows = saving_most(kernels)
    if not rows:
        return None
    unit, factor = unit_of(max(max(kernel.gpu_s or 0, kernel.saved_s) for kernel in rows))
    taken = [bar(kernel, i, Reading(kernel.gpu_s * factor)) for i, kernel in enumerate(rows) if kernel.gpu_s]
    saved = [bar(kernel, i, Reading(predicted=kernel.saved_s * factor), kernel.reason())
             for i, kernel in enumerate(rows)]
    series = [Series(f"{name}.taken", "GPU time", 0, 0, taken, thin=True),
              Series(f"{name}.saved", "could save, by the model", 1, 0, saved)]
    series = [made for made in series if made.points]
    names = [(i, kernel.name) for i, kernel in enumerate(rows)]
    more = sum(kernel.could_save() for kernel in kernels) - len(rows)
    return Panel(name, f"What kernels of {command_of(rows[0].case.report)} could save",
                 f"{more} more could save less" if more else "", XAxis("kernel", "category", names, names),
                 [Quantity(TIME_ON_GPU, f"GPU time, {unit}")], series, [], wide=True, sideways=True)
