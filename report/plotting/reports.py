"""Reads JSON reports of gpumem, also older ones that lack newer members; says in one line what is wrong with one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from plotting.errors import UserError

LONGEST_TEXT, LONGEST_NAME = 1000, 60
LARGEST = 1e30  # nothing that is measured here comes near
WROTE = "give reports that 'gpumem probe --output FILE.json' wrote"


@dataclass
class Case:
    """What a plot needs of one result. Bandwidths in GB/s; absent is None."""
    probe: str
    parameters: Dict[str, Any]
    chosen: List[str]  # parameters whose value 'auto' chose
    swept: Optional[str]
    compared: Optional[str]
    status: str
    reason: Optional[str]
    measured: Optional[float]
    predicted: Optional[float]
    interval: Optional[Tuple[float, float]]  # of the time, as factors of its median
    seconds: Optional[float]
    count: Optional[float]
    peak: Optional[float]
    useful_bytes: float
    access: List[Dict[str, Any]]
    metrics: Dict[str, float]
    counters: Dict[str, float]
    limits: Dict[str, str]
    flags: List[str]
    why: Optional[str]

    def has_reading(self):
        return self.status == "ok" and (self.measured is not None or self.predicted is not None or bool(self.metrics)
                                        or any(site["wavefronts"] != (None, None) for site in self.access))


@dataclass
class Report:
    path: str
    backend: str
    profile: Optional[str]
    host: Optional[str]
    gpu: Optional[str]
    theoretical: Optional[float]  # GB/s
    link: Optional[float]  # GB/s each way
    link_name: str
    origin: str  # what a reader should know of how it was made
    cases: List[Case]
    label: str = ""


class WrongType(Exception):
    """A member that is not what a report has there."""


def typed(value, kind, what, default=None):
    """`value`, which has to be of `kind`, or `default` for null."""
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        names = {dict: "an object", list: "a list", str: "text", (int, float): "a number"}
        raise WrongType(f"{what} is not {names[kind]}")
    return value


def number(value, what):
    value = typed(value, (int, float), what)
    if value is not None and not abs(value) <= LARGEST:
        raise WrongType(f"{what} is too large")
    return value


def member(holder, name, kind, where, default=None):
    return typed(holder.get(name), kind, f"{where}/{name}", default)


def numbers(holder, name, where):
    found = member(holder, name, dict, where, {})
    found = {key: number(value, f"{where}/{name}/{key}") for key, value in found.items()}
    return {key: value for key, value in found.items() if value is not None}


def texts(holder, name, where):
    return [typed(text, str, f"{where}/{name}", "") for text in member(holder, name, list, where, [])]


def read_site(site, where):
    site = typed(site, dict, where, {})
    name = member(site, "site", str, where, "") or member(site, "space", str, where, "")

    def both(quantity):
        found = numbers(site, quantity, where)
        return found.get("predicted"), found.get("counted")

    return {"site": name, "op": member(site, "op", str, where, ""), "space": member(site, "space", str, where, ""),
            "word_bytes": number(site.get("word_bytes"), where + "/word_bytes"),
            "sectors": both("sectors_per_request"), "wavefronts": both("wavefronts_per_request")}


def read_parameters(result, where):
    parameters = member(result, "parameters", dict, where)
    if parameters is None:
        raise WrongType(f"{where} has no parameters")
    for name, value in parameters.items():
        if not isinstance(value, str) and number(value, f"{where}/parameters/{name}") is None:
            raise WrongType(f"{where}/parameters/{name} is neither a number nor text")
    return parameters


def read_case(result, where):
    result = typed(result, dict, where, {})
    time = {name: value for name, value in member(result, "time_seconds", dict, where, {}).items() if name != "samples"}
    time = numbers({"time_seconds": time}, "time_seconds", where)
    median, low, high = (time.get(name) for name in ("median", "ci95_low", "ci95_high"))
    bandwidth = numbers(result, "bandwidth_gb_per_s", where)
    measured, fraction = bandwidth.get("measured"), number(result.get("fraction_of_peak"), where + "/fraction_of_peak")
    peak = number(result.get("peak_gb_per_s"), where + "/peak_gb_per_s")
    if not peak and measured and fraction:  # older reports have the fraction only
        peak = measured / fraction
    probe = member(result, "probe", str, where)
    if not probe:
        raise WrongType(f"{where} names no probe")
    limits = member(result, "bottleneck", dict, where, {})
    sites = member(result, "access", list, where, [])
    return Case(
        probe=probe, parameters=read_parameters(result, where), chosen=texts(result, "chosen_by_auto", where),
        swept=member(result, "swept", str, where), compared=member(result, "compared", str, where),
        status=member(result, "status", str, where, "ok"), reason=member(result, "reason", str, where),
        measured=measured, predicted=bandwidth.get("predicted"),
        interval=(low / median, high / median) if median and low and high else None, seconds=median,
        count=time.get("count"), peak=peak, useful_bytes=sum(numbers(result, "useful_bytes", where).values()),
        access=[read_site(site, f"{where}/access/{i}") for i, site in enumerate(sites)],
        metrics=numbers(result, "metrics", where), counters=numbers(result, "counters", where),
        limits={reading: text for reading, text in limits.items() if isinstance(text, str)},
        flags=texts(result, "flags", where), why=member(result, "why", str, where))


def parse(text, path):
    def refuse(constant):
        raise ValueError(f"{constant} is no number of JSON")

    try:
        return printable(json.loads(text, parse_constant=refuse))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON ({one_line(error)}); {WROTE}") from error


def printable(value):
    """`value` with all texts in it of one line, of characters that XML and fonts know, and not without end."""
    if isinstance(value, dict):
        return {printable(name): printable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [printable(part) for part in value]
    if not isinstance(value, str):
        return value
    text = "".join(c if c.isprintable() else "\ufffd" for c in one_line(value))
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."


def one_line(text):
    return " ".join(str(text).split())


def brief(text):
    return text if text is None or len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "..."


def origin(data, device):
    tool = member(data, "tool", dict, "", {})
    words = [member(data, "started_at", str, "", "")[:10]]
    words += [f"{name} {brief(one_line(text))}" for name, text in (("driver", device.get("driver_version")),
                                                           ("gpumem", tool.get("version")),
                                                           ("commit", tool.get("git_commit"))) if text]
    return ", ".join(word for word in words if word)


def read_report(path):
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON (no UTF-8 text); {WROTE}") from error
    data = parse(text, path)
    if not isinstance(data, dict) or not isinstance(data.get("results"), list):
        raise UserError(f"{path}: no report of gpumem; {WROTE}")
    if data.get("schema_version") != 1:
        raise UserError(f"{path}: schema version {one_line(data.get('schema_version'))[:20]} is unknown, expected 1")
    try:
        device, host = member(data, "device", dict, "", {}), member(data, "host", dict, "", {})
        pcie = member(device, "pcie", dict, "/device", {})
        known = [(short, number(pcie.get(name), f"/device/pcie/{name}"))
                 for short, name in (("gen", "generation"), ("x", "width"))]
        link = " ".join(["PCIe", *(f"{short}{value:g}" for short, value in known if value)])
        return Report(path=str(path), backend=member(data, "backend", str, "", "cuda"),
                      profile=member(data, "profile", str, ""), host=member(host, "name", str, "/host"),
                      gpu=brief(member(device, "name", str, "/device")),
                      theoretical=number(device.get("theoretical_bandwidth_gb_per_s"), "/device/theoretical..."),
                      link=number(pcie.get("theoretical_gb_per_s"), "/device/pcie/theoretical_gb_per_s"),
                      link_name=link, origin=origin(data, device),
                      cases=[read_case(result, f"/results/{i}") for i, result in enumerate(data["results"])])
    except WrongType as error:
        raise UserError(f"{path}: no report of gpumem ({one_line(error)}); {WROTE}") from error


def told_apart(reports):
    """What tells reports of one GPU from each other: the host, else the file's name, else its path."""
    for what in (lambda report: report.host, lambda report: Path(report.path).stem, lambda report: report.path):
        names = [what(report) for report in reports]
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{report.path} ({i + 1})" for i, report in enumerate(reports)]


def load(paths):
    """The reports, each with a label that tells it from the others: its GPU, if need be with more."""
    reports = [read_report(path) for path in paths]
    for report in reports:
        report.label = report.gpu or "unknown GPU"
    alike = {}
    for report in reports:
        alike.setdefault(report.label, []).append(report)
    for label, group in alike.items():
        if len(group) > 1:
            for report, name in zip(group, told_apart(group)):
                report.label = one_line(name) if len(alike) == 1 else f"{label}, {one_line(name)}"
    return reports
