"""A roofline of memory. The roof is what the theoretical bandwidth leaves for useful bytes: theoretical bandwidth times
useful bytes per byte moved. A case on the roof is limited by device memory; one below it by something else.

Bytes moved are those that device memory moved, where counters saw them. Without counters they are those of the sectors
that the requests touch by prediction; caches may serve some of those again, so that a case can lie above the roof."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .errors import UserError
from .curves import curve, row, slug
from .model import Guide, Panel, Quantity, Reading, Series, Tick, XAxis, grouped
from .reports import BANDWIDTH, Case, has_reading, kinds

WARP = 32
SECTOR_BYTES = 32
SECTORS = "sectors_per_request"


def of_device_memory(case: Case) -> bool:
    roof, peak = case.report.device.theoretical_bandwidth_gb_per_s, case.headline.peak
    return bool(case.headline.quantity == BANDWIDTH and has_reading(case) and roof and peak
                and abs(peak / roof - 1) < 1e-6)


def moved_bytes(case: Case) -> float:
    """By device memory, as far as it was counted."""
    return float(sum(case.counters.get(name, 0) for name in ("dram_read_bytes", "dram_write_bytes")))


def counted_efficiency(case: Case) -> float | None:
    moved = moved_bytes(case)
    return sum(case.useful_bytes.values()) / moved if moved else None


def predicted_efficiency(case: Case) -> float | None:
    """Useful bytes / (sectors x 32) over all sites. Takes every lane for active, so not for cases with idle lanes."""
    if case.parameters.get("lanes") == "subset" or not case.access:
        return None
    sectors = [site.costs[SECTORS].predicted if SECTORS in site.costs else 0 for site in case.access]
    words: list[float] = [site.word_bytes for site in case.access]
    if not all(sectors) or not all(words):
        return None
    return sum(word * WARP for word in words) / (sum(sectors) * SECTOR_BYTES)


# The reading that it takes, what it says, and what a case without it lacks; the first that any case has.
EFFICIENCIES = (
    (counted_efficiency, "counted", "useful bytes per byte moved by device memory", "counters"),
    (predicted_efficiency, "predicted", "useful bytes per byte of the sectors requested", "sectors per request"))


def ticks(low: float, high: float) -> list[Tick]:
    """Halves: a stride that doubles moves a case by one."""
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return [(2.0 ** power, f"1/{2 ** -power}" if power < 0 else str(2 ** power)) for power in powers]


def place_words(case: Case) -> str:
    swept = case.swept
    return str(case.report.words.phrase(swept, case.parameters[swept]) if swept in case.parameters else case.probe)


def series_of(found: Sequence[tuple[Case, float]], several_gpus: bool) -> list[Series]:
    """A curve for each (GPU, kind of case). The GPU is '' where there is only one; the kind is the probe if there are
    several, and what the case says in words, as its op."""
    several_probes = len({case.probe for case, _ in found}) > 1

    def key(placed: tuple[Case, float]) -> tuple[str, str]:
        case, said = placed[0], kinds(placed[0]).values()
        return case.report.gpu if several_gpus else "", " ".join([case.probe] * (several_probes or not said) + [*said])

    groups = grouped(found, key)
    gpus, what = ([*dict.fromkeys(names)] for names in zip(*groups))
    series = []
    for (gpu, kind), members in groups.items():
        name, marker = f"{gpu}: {kind}" if gpu else kind, what.index(kind)
        series.append(curve(f"roofline.{slug(name)}", name, (gpus.index(gpu) if gpu else marker, marker),
                            [(x, case, place_words(case)) for case, x in members]))
    return series


def panel(cases: Sequence[Case]) -> tuple[Panel, list[Case]]:
    """The roofline, and the cases in it: those of device memory."""
    cases = [case for case in cases if of_device_memory(case)]
    for efficiency, reading, label, lacking in EFFICIENCIES:
        found = [(case, x) for case, x in zip(cases, map(efficiency, cases)) if x]
        if found:
            break
    else:
        raise UserError("no case for a roofline: it takes cases of device memory with sectors per request or counters,"
                        " as 'gpumem probe --stride 1..32 --op read,write,copy --counters' measures them")
    roofs = {case.report.gpu: case.report.device.theoretical_bandwidth_gb_per_s for case, _ in found}
    xs = sorted({x for _, x in found})
    low, high = xs[0] / 1.25, max(1.0, xs[-1]) * 1.25
    subtitle = f"{len(found)} cases"
    if len(found) < len(cases):
        subtitle += f"; left out: {len(cases) - len(found)} without {lacking}"
    series = series_of(found, len(roofs) > 1)
    for point in (point for made in series for point in made.points):
        point.rows.insert(0, row(label, Reading(**{reading: point.x})))
    places = [low * (high / low) ** (i / 32) for i in range(33)]  # so close that a line is right on any scale
    guides = [Guide((f"{gpu}: " if len(roofs) > 1 else "") + f"roof: {roof:.0f} GB/s x useful bytes per byte moved",
                    BANDWIDTH, points=[(at, roof * at) for at in places]) for gpu, roof in roofs.items()]
    made = Panel("roofline", "Roofline of device memory", subtitle,
                 XAxis(f"{label} ({reading})", "log2", ticks(low, high), [(x, f"{x:.3g}") for x in xs]),
                 [Quantity(BANDWIDTH, cases[0].report.words.label(BANDWIDTH), log=True)], series, guides, scatter=True)
    return made, [case for case, _ in found]
