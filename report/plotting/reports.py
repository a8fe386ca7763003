"""Reads JSON reports of gpumem, also older ones that lack newer members; says in one line what is wrong with one."""

from __future__ import annotations

import functools
import gzip
import json
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, Optional, get_args, get_type_hints

from .errors import UserError
from .model import Reading, grouped
from .words import Words, shortened

BANDWIDTH, PEAK_SHARE, TIME = "bandwidth_gb_per_s", "fraction_of_peak", "time_seconds"  # what every case has
DISTURBED = ("throttled", "contended", "ecc_errors", "link_degraded", "cache_resident", "counts_differ")
LONGEST_TEXT = 1000
LARGEST = 1e30  # nothing that is measured here comes near
LARGEST_WHOLE = 2**63 - 1  # what draws can do with no larger one
DIGITS = "0123456789abcdefghijklmnopqrstuv"  # of banks, and of the wavefronts of a request
MOST_ROWS = 128  # of a picture of banks, and columns
WROTE = "give reports that 'gpumem probe --output FILE.json' or 'gpumem run' wrote"


# ---- What is read, by the JSON's own names. ... stands for any name.

@dataclass
class Headline(Reading):
    quantity: Optional[str] = None
    better: Optional[str] = None
    peak: Optional[float] = None


Case = SimpleNamespace  # what CASE names, and what read_case() adds
Report = SimpleNamespace  # what REPORT names, and what parse() and labelled() add
CASE: dict[Any, Any] = {
    "probe": str, "parameters": {...: ...}, "swept": str, "compared": str, "across": str, "drawn_over": str,
    "chosen_by_auto": [str], "status": str, "reason": str, "verified": bool, "headline": Headline,
    "useful_bytes": {...: float}, "useful_flops": float,
    "time_seconds": {"median": float, "ci95_low": float, "ci95_high": float, "count": float},
    "predicted_seconds": float, "predicted_low": float, "predicted_high": float, "explained_share": float,
    "bandwidth_gb_per_s": Reading, "peak_gb_per_s": float, "fraction_of_peak": float,
    "access": [{"site": str, "space": str, "word_bytes": float, ...: ...}], "bottleneck": {...: str}, "why": str,
    "bank_grid": {"banks": [str], "first_row": int, "first_column": int, "tile_rows": int, "tile_columns": int,
                  "elements": int, "element_bytes": int, "text": str,
                  "lanes": [{"row": int, "column": int, "wavefront": int}]},
    "counters": {...: float}, "metrics": {...: float}, "metrics_predicted": {...: float}, "flags": [str],
    "timeline": [{"stage": str, "stream": float, "start_s": float, "end_s": float}], "ran_seconds": [float]}
REPORT: dict[Any, Any] = {
    "tool": {"version": str, "git_commit": str}, "started_at": str, "backend": str, "profile": str,
    "host": {"name": str},
    "device": {"name": str, "driver_version": str, "theoretical_bandwidth_gb_per_s": float,
               "l2_bytes": float,
               "pcie": {"generation": float, "width": float, "theoretical_gb_per_s": float}, ...: ...},
    "quantities": {...: {...: str}},
    "words": {"probes": {...: {...: str}}, "parameters": {...: {...: str}}, "stages": {...: str}},
    "conclusions": [{"cases": [int], "advice": str, "quantities": {...: Reading}, "facts": [{"text": str}]}],
    "suite": str, "checks": [{"name": str, "cases": [int], "verdict": str, "reason": str}],
    "program": {"command": [str], "launches_seen": float, "bin_seconds": float,
                "sampling_seconds": float}, "results": [CASE]}

KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", float: "a number", int: "a number"}


class WrongType(Exception):
    """A member that is not what a report has there."""


def checked(value: Any, kind: type, where: str) -> Any:
    fits = isinstance(value, (int, float) if kind is float else kind) and isinstance(value, bool) == (kind is bool)
    if not fits:
        raise WrongType(f"{where} is not {KINDS[kind]}")
    if kind is not float:
        return value
    if not abs(value) <= LARGEST:
        raise WrongType(f"{where} is too large")
    return value if abs(value) <= LARGEST_WHOLE else float(value)


@functools.cache
def members_of(kind: type[Reading]) -> dict[str, type]:
    """The members' types, without None."""
    return {name: get_args(hint)[0] for name, hint in get_type_hints(kind).items()}


def typed(kind: Any, value: Any, where: str) -> Any:
    """`value` as `kind` says: a type, [of each], {name: of each} as attributes, or {...: of each} as a dictionary.
    Null is None, or empty, or something of which nothing is known."""
    if isinstance(kind, list):
        parts = checked([] if value is None else value, list, where)
        if None in parts:
            raise WrongType(f"{where}/{parts.index(None)} is null")
        return [typed(kind[0], part, f"{where}/{i}") for i, part in enumerate(parts)]
    if isinstance(kind, dict) or kind in (Reading, Headline):
        value = checked({} if value is None else value, dict, where)
        named: dict[Any, Any] = kind if isinstance(kind, dict) else members_of(kind)
        members = {name: typed(of, value.get(name), f"{where}/{name}") for name, of in named.items() if name is not ...}
        others = {name: typed(named[...], part, f"{where}/{name}") for name, part in value.items()
                  if name not in members and part is not None} if ... in named else {}
        if not isinstance(kind, dict):
            return kind(**members)
        return SimpleNamespace(**members, others=others) if members else others
    return value if value is None or kind is ... else checked(value, kind, where)


# ---- A case

def has_reading(case: Case) -> bool:
    return any(reading.known() for reading in case.readings.values())


def kinds(case: Case) -> dict[str, str]:
    """The case's parameters whose values are words, without the one along the x axis."""
    return {name: value for name, value in case.parameters.items()
            if isinstance(value, str) and name not in (case.swept, *case.chosen_by_auto)}


def read_case(case: Case, where: str) -> None:
    """Adds its readings by quantity, the headline first; none of a case that did not run or moved wrong data. Older
    reports say some of it otherwise."""
    if not case.probe:
        raise WrongType(f"{where} names no probe")
    if not case.parameters:
        raise WrongType(f"{where} has no parameters")
    for name, value in case.parameters.items():
        if not isinstance(value, str) and checked(value, float, f"{where}/parameters/{name}") > LARGEST_WHOLE:
            raise WrongType(f"{where}/parameters/{name} is too large")
    for i, piece in enumerate(case.timeline):
        if None in (piece.stream, piece.start_s, piece.end_s):
            raise WrongType(f"{where}/timeline/{i} has no place in the timeline")
    if case.bank_grid.banks:
        require_grid(case.bank_grid, f"{where}/bank_grid")
    for i, site in enumerate(case.access):
        site.costs = {name: typed(Reading, cost, f"{where}/access/{i}/{name}") for name, cost in site.others.items()
                      if name.endswith("_per_request")}
    if not case.headline.quantity:
        read_older(case)
    metrics = {name: Reading(case.metrics.get(name), case.metrics_predicted.get(name))
               for name in {**case.metrics, **case.metrics_predicted}}
    costs = {name: worst(case, name) for name in dict.fromkeys(name for site in case.access for name in site.costs)}
    time, about = case.time_seconds, {case.headline.quantity: case.headline}
    case.status = case.status or "ok"
    case.readings = {} if case.status != "ok" or case.verified is False else {
        **about, BANDWIDTH: case.bandwidth_gb_per_s, PEAK_SHARE: share_of_peak(case.headline),
        TIME: Reading(time.median, case.predicted_seconds, None, time.ci95_low, time.ci95_high), **metrics, **costs,
        **about}


def require_grid(grid: Any, where: str) -> None:
    """Raises unless the parts of a picture of banks fit together."""
    columns = len(grid.banks[0])
    if not 0 < columns <= MOST_ROWS or len(grid.banks) > MOST_ROWS or any(
            len(row) != columns or set(row) - set(DIGITS) for row in grid.banks):
        raise WrongType(f"{where}/banks has no rows of as many digits")
    numbers = [grid.first_row, grid.first_column, grid.tile_rows, grid.tile_columns, grid.elements,
               grid.element_bytes, *(part for lane in grid.lanes for part in (lane.row, lane.column, lane.wavefront))]
    if None in numbers or min(numbers) < 0 or max(numbers) > LARGEST_WHOLE or grid.elements > MOST_ROWS \
            or grid.element_bytes == 0:
        raise WrongType(f"{where} lacks a number, or has one that is out of range")


def read_older(case: Case) -> None:
    """Reads a case of an older report. Its headline was the bandwidth, with the interval of the time, and predicted
    metrics stood with measured ones."""
    time, peak = case.time_seconds, case.peak_gb_per_s
    measured, predicted = case.bandwidth_gb_per_s.measured, case.bandwidth_gb_per_s.predicted
    if not peak and measured and case.fraction_of_peak:
        peak = measured / case.fraction_of_peak
    low, high = ((measured * time.median / end if measured and time.median and end else None)
                 for end in (time.ci95_high, time.ci95_low))
    case.headline = Headline(measured, predicted, None, low, high, BANDWIDTH, "more", peak)
    if case.predicted_seconds is None and predicted:
        case.predicted_seconds = sum(case.useful_bytes.values()) / predicted / 1e9 or None
    if time.median is None:
        case.metrics, case.metrics_predicted = {}, case.metrics


def share_of_peak(headline: Headline) -> Reading:
    """1 is the best, whichever way is better."""
    peak = headline.peak
    if not peak:
        return Reading()
    if headline.better != "less":
        return headline.times(1 / peak)
    share = headline.each(lambda value: peak / value if value else float("inf"))
    share.ci95_low, share.ci95_high = share.ci95_high, share.ci95_low
    return share


def worst(case: Case, cost: str) -> Reading:
    """The largest of all sites, in each reading."""
    sites = [site.costs[cost] for site in case.access if cost in site.costs]
    return Reading(None, *(max((value for value in values if value is not None), default=None)
                           for values in zip(*((site.predicted, site.counted) for site in sites))))


# ---- A report

def printable(value: Any) -> Any:
    """`value` with all texts in it of one line, of characters that XML and fonts know, and not without end."""
    if isinstance(value, dict):
        return {printable(name): printable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [printable(part) for part in value]
    if not isinstance(value, str):
        return value
    line = one_line(value)
    shown = line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)
    return shortened(shown, LONGEST_TEXT)


def printable_lines(text: str) -> list[str]:
    return [printable(line) for line in text.splitlines() if line.strip()]


def one_line(text: object) -> str:
    return " ".join(str(text).split())


def origin(report: Report) -> str:
    """The origin that a reader should know: date, driver, versions."""
    known = (("driver", report.device.driver_version), ("gpumem", report.tool.version),
             ("commit", report.tool.git_commit))
    return ", ".join(filter(None, [report.date, *(f"{name} {shortened(text)}" for name, text in known if text)]))


def parse(text: str, path: str) -> Report:
    """The report in `text`; `path` names it to the user."""
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        return of_json(json.loads(text, parse_constant=refuse), path)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON ({one_line(error)}); {WROTE}") from error


def of_json(raw: Any, path: str, findings: Mapping[str, str] | None = None) -> Report:
    """The report that was read from JSON. `findings` say what tables show, a fact a line, by the place of their first
    case."""
    data = printable(raw)
    if not isinstance(data, dict) or not isinstance(data.get("results"), list):
        raise UserError(f"{path}: no report of gpumem; {WROTE}")
    if data.get("schema_version") != 1:
        raise UserError(f"{path}: schema version {one_line(data.get('schema_version'))[:20]} is unknown, expected 1")
    try:
        report: Report = typed(REPORT, data, "")
        for i, case in enumerate(report.results):
            read_case(case, f"/results/{i}")
            case.report, case.place = report, i
    except WrongType as error:
        raise UserError(f"{path}: no report of gpumem ({one_line(error)}); {WROTE}") from error
    report.told = {"quantities": report.quantities, **vars(report.words)}
    report.found = {int(place): printable_lines(text) for place, text in (findings or {}).items()}
    report.path, report.words = str(path), Words([report.told])
    report.gpu, report.date = shortened(report.device.name or "unknown GPU"), (report.started_at or "")[:10]
    return report


def content(path: str) -> bytes:
    """The bytes of a file, or of standard input ("-"), unpacked if they are compressed with gzip."""
    packed = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if packed.startswith(b"\xfd7zXZ\0"):
        raise UserError(f"{path}: is compressed with xz, which is not read; unpack it with unxz")
    try:
        return gzip.decompress(packed) if packed.startswith(b"\x1f\x8b\x08") else packed
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(f"{path}: is compressed, and damaged or truncated; copy or compress it again") from error


def read(path: str) -> Report:
    try:
        text = content(path).decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON (no UTF-8 text); {WROTE}") from error
    return parse(text, "standard input" if path == "-" else path)


def told_apart(reports: Sequence[Report]) -> list[str]:
    """Names that tell reports of one GPU from each other: the host, else the file's name, else its path."""
    for what in (lambda report: report.host.name, lambda report: Path(report.path).stem, lambda report: report.path):
        names = [what(report) for report in reports]
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{report.path} ({i + 1})" for i, report in enumerate(reports)]


def labelled(reports: list[Report]) -> list[Report]:
    """The reports, each with a label that tells it from the others: its GPU, if need be with more. Words that one
    report has for a name help reports that were written before reports had them."""
    words = Words([report.told for report in reports])
    alike = grouped(reports, lambda report: report.gpu)
    for gpu, group in alike.items():
        for report, name in zip(group, told_apart(group)):
            own = one_line(name) if len(alike) == 1 else f"{gpu}, {one_line(name)}"
            report.words, report.label = words, own if len(group) > 1 else gpu
    return reports
