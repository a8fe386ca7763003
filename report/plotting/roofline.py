"""A roofline of memory. The roof is what the theoretical bandwidth leaves for useful bytes: theoretical bandwidth times
useful bytes per byte moved. A case on the roof is limited by device memory; one below it by something else.

Bytes moved are those that device memory moved, where counters saw them. Without counters they are those of the sectors
that the requests touch by prediction; caches may serve some of those again, so that a case can lie above the roof."""

import math

from plotting.command import UserError
from plotting.model import Guide, Panel, Quantity, Series, XAxis
from plotting.points import point
from plotting.reports import BANDWIDTH, has_reading, kinds

WARP = 32
SECTOR_BYTES = 32
SECTORS = "sectors_per_request"
COUNTED = "useful bytes per byte moved by device memory (counted)"
PREDICTED = "useful bytes per byte of the sectors requested (predicted)"


def of_device_memory(case):
    roof, peak = case.report.device.theoretical_bandwidth_gb_per_s, case.headline.peak
    return bool(case.headline.quantity == BANDWIDTH and has_reading(case) and roof and peak
                and abs(peak / roof - 1) < 1e-6)


def counted_efficiency(case):
    moved = sum(case.counters.get(name, 0) for name in ("dram_read_bytes", "dram_write_bytes"))
    return sum(case.useful_bytes.values()) / moved if moved else None


def predicted_efficiency(case):
    """Useful bytes / (sectors x 32) over all sites. Takes every lane for active, so not for cases with idle lanes."""
    if case.parameters.get("lanes") == "subset" or not case.access:
        return None
    sectors = [site.costs[SECTORS].predicted if SECTORS in site.costs else None for site in case.access]
    words = [site.word_bytes for site in case.access]
    if not all(sectors) or not all(words):
        return None
    return sum(word * WARP for word in words) / (sum(sectors) * SECTOR_BYTES)


def efficiencies(cases):
    for efficiency, label in ((counted_efficiency, COUNTED), (predicted_efficiency, PREDICTED)):
        found = [(case, efficiency(case)) for case in cases]
        found = [(case, x) for case, x in found if x]
        if found:
            return found, label
    raise UserError("no case for a roofline: it takes cases of device memory with sectors per request or counters,"
                    " as 'gpumem probe --stride 1..32 --op read,write,copy --counters' measures them")


def ticks(low, high):
    """Halves: a stride that doubles moves a case by one."""
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return [(2.0 ** power, f"1/{2 ** -power}" if power < 0 else str(2 ** power)) for power in powers]


def between(low, high, steps=32):
    """Places from low to high, so close that a line through them is right on any scale."""
    return [low * (high / low) ** (i / steps) for i in range(steps + 1)]


def grouped(found, several_gpus):
    """{(GPU, what): [(case, x)]}. The GPU is '' where there is only one, and `what` says the probe if there are several
    and what the case says in words, as its op."""
    several_probes = len({case.probe for case, _ in found}) > 1
    groups = {}
    for case, x in found:
        said = kinds(case).values()
        words = [case.probe] * (several_probes or not said) + [*said]
        gpu = case.report.gpu if several_gpus else ""
        groups.setdefault((gpu, " ".join(words)), []).append((case, x))
    return groups


def place_words(case):
    swept = case.swept
    return case.report.words.phrase(swept, case.parameters[swept]) if swept in case.parameters else case.probe


def series_of(groups, label, slug):
    gpus, kinds = (list(dict.fromkeys(key[i] for key in groups)) for i in (0, 1))
    found = []
    for (gpu, kind), members in groups.items():
        name = f"{gpu}: {kind}" if gpu else kind
        colour = gpus.index(gpu) if gpu else kinds.index(kind)
        one = Series(f"roofline.{slug(name)}", name, colour, kinds.index(kind))
        for case, x in sorted(members, key=lambda member: member[1]):
            made = point(case, x, f"{name}, {place_words(case)}")
            efficiency = [f"{x:.4g}", ""] if label == PREDICTED else ["", f"{x:.4g}"]
            made.rows.insert(0, [label.split(" (")[0], *efficiency, ""])
            one.points.append(made)
        found.append(one)
    return found


def roofs(found, several_gpus, low, high):
    for report in {case.report.gpu: case.report for case, _ in found}.values():
        name, roof = f"{report.gpu}: " if several_gpus else "", report.device.theoretical_bandwidth_gb_per_s
        yield Guide(f"{name}roof: {roof:.0f} GB/s x useful bytes per byte moved", BANDWIDTH,
                    points=[(at, roof * at) for at in between(low, high)])


def panel(cases, slug):
    """The roofline, and the cases in it: those of device memory. `slug` makes ids of labels."""
    cases = [case for case in cases if of_device_memory(case)]
    found, label = efficiencies(cases)
    several_gpus = len({case.report.gpu for case, _ in found}) > 1
    xs = sorted({x for _, x in found})
    low, high = xs[0] / 1.25, max(1.0, xs[-1]) * 1.25
    subtitle = f"{len(found)} cases"
    if len(found) < len(cases):
        lacking = "counters" if label == COUNTED else "sectors per request"
        subtitle += f"; left out: {len(cases) - len(found)} without {lacking}"
    made = Panel("roofline", "Roofline of device memory", subtitle,
                 XAxis(label, "log2", ticks(low, high), [(x, f"{x:.3g}") for x in xs]),
                 [Quantity(BANDWIDTH, cases[0].report.words.label(BANDWIDTH), log=True)],
                 series_of(grouped(found, several_gpus), label, slug),
                 list(roofs(found, several_gpus, low, high)), scatter=True)
    return made, [case for case, _ in found]
