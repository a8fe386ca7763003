"""The readings of one case: every quantity that an axis may show, and the rows that say all of them to a reader."""

from plotting.model import Point, Quantity, Reading
from plotting.words import figure_text, metric_label, phrase, stage_words

BANDWIDTH = Quantity("bandwidth", "effective bandwidth, GB/s")
PEAK = Quantity("peak", "effective bandwidth, % of peak")
TIME = Quantity("time", "time, us")
CYCLES = Quantity("cycles", "cycles (measured) or wavefronts per request", log=True)
DISTURBED = ("throttled", "contended", "ecc_errors", "link_degraded", "cache_resident", "counts_differ")


def scaled(value, factor):
    return None if value is None or factor is None else value * factor


def bandwidth(case):
    reading = Reading(measured=case.measured, predicted=case.predicted)
    if case.measured is not None and case.interval:
        reading.low, reading.high = case.measured / case.interval[1], case.measured / case.interval[0]
    return reading


def times(reading, factor):
    return Reading(*(scaled(getattr(reading, name), factor) for name in
                     ("measured", "predicted", "counted", "low", "high")))


def time_us(case):
    reading = Reading(measured=scaled(case.seconds, 1e6))
    if case.seconds and case.interval:
        reading.low, reading.high = (case.seconds * 1e6 * factor for factor in case.interval)
    if case.predicted and case.useful_bytes:
        reading.predicted = case.useful_bytes / case.predicted / 1e3
    return reading


def total_wavefronts(case, which):
    found = [site["wavefronts"][which] for site in case.access if site["space"] == "shared"]
    return sum(found) if found and None not in found else None


def cycles(case):
    reading = Reading(predicted=total_wavefronts(case, 0), counted=total_wavefronts(case, 1))
    if case.seconds:  # what a report of the model calls cycles is no measurement
        reading.measured = case.metrics.get("cycles_per_request")
    if reading.measured and case.interval:
        reading.low, reading.high = (reading.measured * factor for factor in case.interval)
    return reading


def metric(case, name):
    value = case.metrics.get(name)
    return Reading(measured=value) if case.seconds else Reading(predicted=value)


def readings(case):
    if case.status != "ok":
        return {}
    found = {BANDWIDTH.name: bandwidth(case), TIME.name: time_us(case), CYCLES.name: cycles(case)}
    found[PEAK.name] = times(found[BANDWIDTH.name], 100 / case.peak if case.peak else None)
    found.update({f"metric {name}": metric(case, name) for name in case.metrics})
    return found


def with_interval(reading):
    text = figure_text(reading.measured)
    if reading.low is None or reading.high is None or not reading.measured:
        return text
    return f"{text} ± {100 * (reading.high - reading.low) / 2 / reading.measured:.2g} %"


def rows(case, found):
    """[quantity, predicted, counted, measured] of all that is known of a case."""
    if not found:
        return []
    lines = []
    for quantity in (BANDWIDTH, PEAK, TIME):
        reading = found[quantity.name]
        lines.append([quantity.label, figure_text(reading.predicted), figure_text(reading.counted),
                      with_interval(reading)])
    for site in case.access:
        for quantity in ("sectors", "wavefronts"):
            name = f"{quantity} per request of {site['site']}"
            lines.append([name, *map(figure_text, site[quantity]), ""])
    for name in case.metrics:
        reading = found[f"metric {name}"]
        lines.append([metric_label(name), figure_text(reading.predicted), "", figure_text(reading.measured)])
    return [line for line in lines if any(line[1:])]


def point(case, x, title):
    found = readings(case)
    notes = [", ".join(phrase(name, value) + (" (auto)" if name in case.chosen else "")
                       for name, value in case.parameters.items())]
    if case.status != "ok":
        notes.append(" ".join([case.status, *([f"({case.reason})"] if case.reason else [])]))
    limits = {}
    for reading in ("predicted", "counted"):
        if reading in case.limits:
            limits.setdefault(stage_words(case.limits[reading]), []).append(reading)
    notes += [f"limit: {limit} ({' and '.join(by)})" for limit, by in limits.items()]
    if case.count and case.status == "ok":
        notes.append(f"median of {case.count:g} samples, ± half its 95 % confidence interval")
    return Point(x=x, readings=found, title=title, rows=rows(case, found), notes=notes, flags=list(case.flags),
                 why=case.why)
