"""A roofline of memory. The roof is what the theoretical bandwidth leaves for useful bytes: theoretical bandwidth times
useful bytes per byte moved. A case on the roof is limited by device memory; one below it by something else.

Bytes moved are those that device memory moved, where counters saw them. Without counters they are those of the sectors
that the requests touch by prediction; caches may serve some of those again, so that a case can lie above the roof."""

from plotting.command import UserError
from plotting.model import Guide, Panel, Quantity, Series, XAxis
from plotting.points import point
from plotting.reports import BANDWIDTH

WARP = 32
SECTOR_BYTES = 32
SECTORS = "sectors_per_request"
COUNTED = "useful bytes per byte moved by device memory (counted)"
PREDICTED = "useful bytes per byte of the sectors requested (predicted)"


def of_device_memory(item):
    report, case = item
    return bool(case.headline == BANDWIDTH and case.has_reading() and report.theoretical and case.peak
                and abs(case.peak / report.theoretical - 1) < 1e-6)


def counted_efficiency(case):
    moved = sum(case.counters.get(name, 0) for name in ("dram_read_bytes", "dram_write_bytes"))
    return case.useful_bytes / moved if moved and case.useful_bytes else None


def predicted_efficiency(case):
    """Useful bytes / (sectors x 32) over all sites. Takes every lane for active, so not for cases with idle lanes."""
    if case.parameters.get("lanes") == "subset" or not case.access:
        return None
    sectors = [site.costs[SECTORS].predicted if SECTORS in site.costs else None for site in case.access]
    words = [site.word_bytes for site in case.access]
    if not all(sectors) or not all(words):
        return None
    return sum(word * WARP for word in words) / (sum(sectors) * SECTOR_BYTES)


def efficiencies(items):
    for efficiency, label in ((counted_efficiency, COUNTED), (predicted_efficiency, PREDICTED)):
        found = [(item, efficiency(item.case)) for item in items]
        found = [(item, x) for item, x in found if x]
        if found:
            return found, label
    raise UserError("no case for a roofline: it takes cases of device memory with sectors per request or counters,"
                    " as 'gpumem probe --stride 1..32 --op read,write,copy --counters' measures them")


def ticks(low, high):
    """Halves: a stride that doubles moves a case by one."""
    found, at = [], 1.0
    while at > low / 2:
        at /= 2
    while at < high * 2:
        name = f"1/{1 / at:g}" if at < 1 else f"{at:g}"
        found.append((at, name))
        at *= 2
    return [tick for tick in found if low * 0.99 <= tick[0] <= high * 1.01]


def between(low, high, steps=32):
    """Places from low to high, so close that a line through them is right on any scale."""
    return [low * (high / low) ** (i / steps) for i in range(steps + 1)]


def grouped(found, several_gpus):
    """{(GPU, what): [(item, x)]}. The GPU is '' where there is only one, and `what` is an op, a probe or both."""
    several_probes = len({item.case.probe for item, _ in found}) > 1
    groups = {}
    for item, x in found:
        op = item.case.parameters.get("op")
        words = [item.case.probe] * (several_probes or not op) + [str(op)] * bool(op)
        gpu = item.report.gpu or "unknown GPU" if several_gpus else ""
        groups.setdefault((gpu, " ".join(words)), []).append((item, x))
    return groups


def place_words(report, case):
    swept = case.swept
    return report.words.phrase(swept, case.parameters[swept]) if swept in case.parameters else case.probe


def series_of(groups, label, slug):
    gpus, kinds = (list(dict.fromkeys(key[i] for key in groups)) for i in (0, 1))
    found = []
    for (gpu, kind), members in groups.items():
        name = f"{gpu}: {kind}" if gpu else kind
        colour = gpus.index(gpu) if gpu else kinds.index(kind)
        one = Series(f"roofline.{slug(name)}", name, colour, kinds.index(kind))
        for item, x in sorted(members, key=lambda member: member[1]):
            case = point(item, x, f"{name}, {place_words(*item)}")
            efficiency = [f"{x:.4g}", ""] if label == PREDICTED else ["", f"{x:.4g}"]
            case.rows.insert(0, [label.split(" (")[0], *efficiency, ""])
            one.points.append(case)
        found.append(one)
    return found


def roofs(found, several_gpus, low, high):
    for report in {item.report.gpu: item.report for item, _ in found}.values():
        name = f"{report.gpu}: " if several_gpus else ""
        yield Guide(f"{name}roof: {report.theoretical:.0f} GB/s x useful bytes per byte moved", BANDWIDTH,
                    points=[(at, report.theoretical * at) for at in between(low, high)])


def panel(items, slug):
    """The roofline, and the cases in it: those of device memory. `slug` makes ids of labels."""
    items = [item for item in items if of_device_memory(item)]
    found, label = efficiencies(items)
    several_gpus = len({item.report.gpu for item, _ in found}) > 1
    xs = sorted({x for _, x in found})
    low, high = xs[0] / 1.25, max(1.0, xs[-1]) * 1.25
    subtitle = f"{len(found)} cases"
    if len(found) < len(items):
        lacking = "counters" if label == COUNTED else "sectors per request"
        subtitle += f"; left out: {len(items) - len(found)} without {lacking}"
    made = Panel("roofline", "Roofline of device memory", subtitle,
                 XAxis(label, "log2", ticks(low, high), [(x, f"{x:.3g}") for x in xs]),
                 [Quantity(BANDWIDTH, items[0].report.words.label(BANDWIDTH), log=True)], series_of(grouped(found, several_gpus), label, slug),
                 list(roofs(found, several_gpus, low, high)), scatter=True)
    return made, [item for item, _ in found]
