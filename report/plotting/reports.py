"""Reads JSON reports of gpumem, also older ones that lack newer members; says in one line what is wrong with one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

from plotting.command import UserError
from plotting.model import Reading
from plotting.words import Words

BANDWIDTH, PEAK_SHARE, TIME = "bandwidth_gb_per_s", "fraction_of_peak", "time_seconds"  # what every case has
DISTURBED = ("throttled", "contended", "ecc_errors", "link_degraded", "cache_resident", "counts_differ")
LONGEST_TEXT, LONGEST_NAME = 1000, 60
LARGEST = 1e30  # nothing that is measured here comes near
WROTE = "give reports that 'gpumem probe --output FILE.json' wrote"


@dataclass
class Site:
    """Where a kernel accesses memory. `costs` are what one request takes there, by name."""
    name: str
    word_bytes: Optional[float]
    costs: Dict[str, Reading]


@dataclass
class Case:
    """What a plot needs of one result; absent is None."""
    probe: str
    parameters: Dict[str, Any]
    chosen: List[str]  # parameters whose value 'auto' chose
    swept: Optional[str]
    compared: Optional[str]
    status: str
    reason: Optional[str]
    verified: Optional[bool]
    headline: str  # the quantity that the probe is about
    better: str
    peak: Optional[float]  # of the headline
    readings: Dict[str, Reading]  # by quantity, the headline first; none of a case that did not run
    count: Optional[float]
    useful_bytes: float
    access: List[Site]
    counters: Dict[str, float]
    limits: Dict[str, str]
    flags: List[str]
    why: Optional[str]

    def has_reading(self):
        return any(reading.known() for reading in self.readings.values())

    def kinds(self):
        """What its parameters say in words, but for the one along the x axis."""
        return {name: value for name, value in self.parameters.items()
                if isinstance(value, str) and name not in (self.swept, *self.chosen)}


@dataclass
class Conclusion:
    """What several cases show together."""
    cases: List[Case]
    advice: Optional[str]
    readings: Dict[str, Reading]


@dataclass
class Report:
    path: str
    backend: str
    profile: Optional[str]
    host: Optional[str]
    gpu: Optional[str]
    driver: Optional[str]
    version: Optional[str]
    commit: Optional[str]
    date: str
    theoretical: Optional[float]  # GB/s
    link: Optional[float]  # GB/s each way
    link_name: str
    cases: List[Case]
    conclusions: List[Conclusion]
    told: Dict[str, Dict[str, Any]]  # what its names mean
    label: str = ""
    words: Words = Words()

    def origin(self):
        """What a reader should know of how it was made."""
        known = (("driver", self.driver), ("gpumem", self.version), ("commit", self.commit))
        return ", ".join(filter(None, [self.date, *(f"{name} {text}" for name, text in known if text)]))


class WrongType(Exception):
    """A member that is not what a report has there."""


class Member:
    """A part of a report, which knows where it stands there."""
    KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", (int, float): "a number"}

    def __init__(self, value, where):
        self.value, self.where = value, where

    def at(self, name):
        value = self.value[name] if isinstance(self.value, list) else self.of(dict, {}).get(name)
        return Member(value, f"{self.where}/{name}")

    def of(self, kind, default=None):
        """What it is, which has to be of `kind`, or `default` for null."""
        if self.value is None:
            return default
        if not isinstance(self.value, kind) or isinstance(self.value, bool) != (kind is bool):
            raise WrongType(f"{self.where} is not {self.KINDS[kind]}")
        return self.value

    def number(self):
        value = self.of((int, float))
        if value is not None and not abs(value) <= LARGEST:
            raise WrongType(f"{self.where} is too large")
        return value

    def text(self, name, default=None):
        return self.at(name).of(str, default)

    def items(self, name):
        return [self.at(name).at(i) for i in range(len(self.at(name).of(list, [])))]

    def texts(self, name):
        return [item.of(str, "") for item in self.items(name)]

    def strings(self):
        found = {key: self.at(key).of(str) for key in self.of(dict, {})}
        return {key: text for key, text in found.items() if text is not None}

    def members(self, name):
        return {key: self.at(name).at(key) for key in self.at(name).of(dict, {})}

    def numbers(self, name, without=()):
        found = {key: one.number() for key, one in self.members(name).items() if key not in without}
        return {key: value for key, value in found.items() if value is not None}

    def reading(self, name):
        found = self.numbers(name, without=("quantity", "better", "peak", "samples"))
        return Reading(found.get("measured"), found.get("predicted"), found.get("counted"), found.get("ci95_low"),
                       found.get("ci95_high"))


# ---- One case

def read_site(site):
    costs = {name: site.reading(name) for name in site.of(dict, {}) if name.endswith("_per_request")}
    return Site(site.text("site", "") or site.text("space", ""), site.at("word_bytes").number(), costs)


def read_parameters(result):
    if result.at("parameters").of(dict) is None:
        raise WrongType(f"{result.where} has no parameters")
    for one in result.members("parameters").values():
        if not isinstance(one.value, str) and one.number() is None:
            raise WrongType(f"{one.where} is neither a number nor text")
    return result.value["parameters"]


def read_time(result, useful_bytes, bandwidth):
    time = result.numbers("time_seconds", without=("samples",))
    predicted = result.at("predicted_seconds").number()
    if predicted is None and bandwidth.predicted:  # older reports
        predicted = useful_bytes / bandwidth.predicted / 1e9 or None
    return Reading(time.get("median"), predicted, None, time.get("ci95_low"), time.get("ci95_high")), time.get("count")


def read_headline(result, bandwidth, time):
    """(quantity, which way is better, its peak, its reading): of older reports the bandwidth."""
    headline = result.at("headline")
    if headline.text("quantity"):
        return (headline.text("quantity"), headline.text("better", "neither"), headline.at("peak").number(),
                result.reading("headline"))
    peak, share = result.at("peak_gb_per_s").number(), result.at("fraction_of_peak").number()
    if not peak and bandwidth.measured and share:
        peak = bandwidth.measured / share
    interval = None not in (bandwidth.measured, time.low, time.high) and time.measured and time.low and time.high
    low, high = (bandwidth.measured * time.measured / end for end in (time.high, time.low)) if interval else (None, None)
    return BANDWIDTH, "more", peak, Reading(bandwidth.measured, bandwidth.predicted, None, low, high)


def share_of_peak(reading, better, peak):
    """1 is the best, whichever way is better."""
    if not peak:
        return Reading()
    if better != "less":
        return reading.each(lambda value: value / peak)
    share = reading.each(lambda value: peak / value if value else float("inf"))
    share.low, share.high = share.high, share.low
    return share


def read_metrics(result, is_measured):
    measured, predicted = result.numbers("metrics"), result.numbers("metrics_predicted")
    if not is_measured and not result.at("metrics_predicted").value:  # as older reports say predictions
        measured, predicted = {}, measured
    return {name: Reading(measured.get(name), predicted.get(name)) for name in {**measured, **predicted}}


def worst(sites, cost):
    """The largest of all sites, in each reading."""
    found = [site.costs[cost] for site in sites if cost in site.costs]
    known = {name: [getattr(one, name) for one in found if getattr(one, name) is not None]
             for name in ("predicted", "counted")}
    return Reading(**{name: max(values, default=None) for name, values in known.items()})


def read_case(result):
    probe = result.text("probe")
    if not probe:
        raise WrongType(f"{result.where} names no probe")
    useful_bytes, bandwidth = sum(result.numbers("useful_bytes").values()), result.reading(BANDWIDTH)
    time, count = read_time(result, useful_bytes, bandwidth)
    quantity, better, peak, headline = read_headline(result, bandwidth, time)
    access = [read_site(site) for site in result.items("access")]
    costs = {name: worst(access, name) for site in access for name in site.costs}
    metrics = read_metrics(result, time.measured is not None)
    readings = {quantity: headline, **{name: reading for name, reading in (
        (BANDWIDTH, bandwidth), (PEAK_SHARE, share_of_peak(headline, better, peak)), (TIME, time), *metrics.items(),
        *costs.items()) if name != quantity}}
    status = result.text("status", "ok")
    return Case(
        probe=probe, parameters=read_parameters(result), chosen=result.texts("chosen_by_auto"),
        swept=result.text("swept"), compared=result.text("compared"), status=status, reason=result.text("reason"),
        verified=result.at("verified").of(bool), headline=quantity, better=better, peak=peak,
        readings=readings if status == "ok" else {}, count=count, useful_bytes=useful_bytes, access=access,
        counters=result.numbers("counters"), flags=result.texts("flags"), why=result.text("why"),
        limits={reading: one.of(str) for reading, one in result.members("bottleneck").items() if one.value})


# ---- A report

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


def read_told(data):
    """What the report says of its names."""
    told = {kind: {name: one.strings() for name, one in holder.members(kind).items()}
            for holder, kind in ((data, "quantities"), (data.at("words"), "parameters"), (data.at("words"), "probes"))}
    return {**told, "stages": data.at("words").at("stages").strings()}


def read_conclusion(conclusion, cases):
    places = [index.of(int, -1) for index in conclusion.items("cases")]
    quantities = conclusion.at("quantities")
    return Conclusion([cases[place] for place in places if 0 <= place < len(cases)], conclusion.text("advice"),
                      {name: quantities.reading(name) for name in quantities.of(dict, {})})


def parse(text, path):
    """The report in `text`; `path` names it to the user."""
    def refuse(constant):
        raise ValueError(f"{constant} is no number of JSON")

    try:
        data = printable(json.loads(text, parse_constant=refuse))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON ({one_line(error)}); {WROTE}") from error
    if not isinstance(data, dict) or not isinstance(data.get("results"), list):
        raise UserError(f"{path}: no report of gpumem; {WROTE}")
    if data.get("schema_version") != 1:
        raise UserError(f"{path}: schema version {one_line(data.get('schema_version'))[:20]} is unknown, expected 1")
    try:
        return read_report(Member(data, ""), path)
    except WrongType as error:
        raise UserError(f"{path}: no report of gpumem ({one_line(error)}); {WROTE}") from error


def read_report(data, path):
    device, tool = data.at("device"), data.at("tool")
    pcie = device.at("pcie")
    known = [(short, pcie.at(name).number()) for short, name in (("gen", "generation"), ("x", "width"))]
    cases = [read_case(result) for result in data.items("results")]
    told = read_told(data)
    return Report(
        path=str(path), backend=data.text("backend", "cuda"), profile=data.text("profile"),
        host=data.at("host").text("name"), gpu=brief(device.text("name")), driver=brief(device.text("driver_version")),
        version=brief(tool.text("version")), commit=brief(tool.text("git_commit")),
        date=data.text("started_at", "")[:10], theoretical=device.at("theoretical_bandwidth_gb_per_s").number(),
        link=pcie.at("theoretical_gb_per_s").number(),
        link_name=" ".join(["PCIe", *(f"{short}{value:g}" for short, value in known if value)]), cases=cases,
        conclusions=[read_conclusion(one, cases) for one in data.items("conclusions")], told=told, words=Words([told]))


def read(path):
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON (no UTF-8 text); {WROTE}") from error
    return parse(text, path)


def told_apart(reports):
    """What tells reports of one GPU from each other: the host, else the file's name, else its path."""
    for what in (lambda report: report.host, lambda report: Path(report.path).stem, lambda report: report.path):
        names = [what(report) for report in reports]
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{report.path} ({i + 1})" for i, report in enumerate(reports)]


def load(paths):
    """The reports, each with a label that tells it from the others: its GPU, if need be with more. What one of them
    says of a name helps those that were written before reports said it."""
    reports = [read(path) for path in paths]
    words = Words(report.told for report in reports)
    alike = {}
    for report in reports:
        report.words, report.label = words, report.gpu or "unknown GPU"
        alike.setdefault(report.label, []).append(report)
    for label, group in alike.items():
        if len(group) > 1:
            for report, name in zip(group, told_apart(group)):
                report.label = one_line(name) if len(alike) == 1 else f"{label}, {one_line(name)}"
    return reports
