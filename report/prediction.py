#!/usr/bin/env python3
"""Writes a page that holds predicted against measured bandwidth: tables, and a plot beside it.

  report/prediction.py REPORT... -o docs/prediction.md
  report/prediction.py REPORT... -o docs/prediction.md --predict build/release/gpumem

The reports are JSON, measured with the cuda backend. With --predict the predictions are made anew by that program, for
the profile that each report names, so that a changed model can be held against what was measured before.
"""

import argparse
import json
import math
import shlex
import statistics
import subprocess
import sys
from collections import Counter, namedtuple
from pathlib import Path
from xml.sax.saxutils import escape

BAND = 0.15
WORST = 10
DISTURBED = {"throttled", "contended", "link_degraded"}  # what was measured then is not the GPU's doing

Case = namedtuple("Case", "probe parameters kind alternative measured predicted")
Report = namedtuple("Report", "path data cases")


class UserError(Exception):
    """What the user can mend, in one line."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UserError(f"{message}; see --help")


# ---- Reading reports

def read_report(path):
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON; give reports that 'gpumem probe --output FILE.json' wrote") from error
    try:
        version, backend, results = data["schema_version"], data["backend"], data["results"]
        readings = [(result["probe"], result["parameters"], result["bandwidth_gb_per_s"]["predicted"],
                     result["bandwidth_gb_per_s"]["measured"]) for result in results]
    except (KeyError, TypeError) as error:
        raise UserError(f"{path}: no report of gpumem; give those that 'gpumem probe --output FILE.json' wrote") \
            from error
    if version != 1:
        raise UserError(f"{path}: schema version {version} is unknown, expected 1")
    if backend != "cuda":
        raise UserError(f"{path}: nothing in it was measured (backend '{backend}'); give a report of the cuda backend")
    if not any(measured for *_, measured in readings):
        raise UserError(f"{path}: holds no case with a measured bandwidth")
    return data


def is_sound(result):
    return (result.get("status") == "ok" and result.get("verified") is not False
            and bool(result["bandwidth_gb_per_s"]["measured"]) and not DISTURBED & set(result.get("flags", [])))


def case_key(probe, parameters):
    return probe, tuple(sorted(parameters.items()))


def cases_of(results, anew):
    """The cases that have both readings. `anew` holds predictions that stand in for the results' own."""
    cases = []
    for result in results:
        own = result["bandwidth_gb_per_s"]["predicted"]
        prediction = own if anew is None else anew.get(case_key(result["probe"], result["parameters"]))
        if not is_sound(result) or not prediction:
            continue
        parameters = result["parameters"]
        compared = result.get("compared")
        cases.append(Case(result["probe"], parameters, parameters.get("op") or parameters.get("direction") or "",
                          str(parameters[compared]) if compared in parameters else "",
                          result["bandwidth_gb_per_s"]["measured"], prediction))
    return cases


# ---- Predicting anew

def run(program, *arguments):
    command = [program, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise UserError(f"cannot run '{program}': {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise UserError(f"'{shlex.join(command)}' ended with exit code {done.returncode} and said: {said}")
    return done.stdout


def run_json(program, *arguments):
    try:
        return json.loads(run(program, *arguments))
    except ValueError as error:
        raise UserError(f"'{shlex.join([program, *arguments])}' wrote no JSON; is it gpumem?") from error


def boxes(cases):
    """Parameters of cases, all with the same names, as few products of values: each is {name: values}."""
    names = list(cases[0])
    found = {tuple((case[name],) for name in names) for case in cases}
    for i in range(len(names)):
        alike = {}
        for box in found:
            alike.setdefault((box[:i], box[i + 1:]), []).extend(box[i])
        found = {before + (tuple(sorted(values)),) + after for (before, after), values in alike.items()}
    return [dict(zip(names, box, strict=True)) for box in sorted(found, key=repr)]


class Predictor:
    """What a program predicts for the cases of reports."""

    def __init__(self, program):
        self.program = program
        probes = run_json(program, "list", "--json")
        self.flags = {probe["name"]: {axis["parameter"]: axis["flag"] for axis in probe["axes"]} for probe in probes}

    def predictions(self, path, data):
        if not data.get("profile"):
            raise UserError(f"{path}: names no profile to predict with; measure again, or leave out --predict")
        alike = {}
        for result in filter(is_sound, data["results"]):
            parameters = result["parameters"]
            alike.setdefault((result["probe"], tuple(parameters)), []).append(parameters)
        found = {}
        for (probe, names), cases in alike.items():
            unknown = [name for name in names if name not in self.flags.get(probe, {})]
            if probe not in self.flags or unknown:
                what = f"parameter '{unknown[0]}' of probe '{probe}'" if probe in self.flags else f"probe '{probe}'"
                raise UserError(f"{path}: '{self.program}' has no {what}")
            for box in boxes(cases):
                axes = [word for name, values in box.items()
                        for word in (self.flags[probe][name], ",".join(map(str, values)))]
                report = run_json(self.program, "probe", probe, *axes, "--backend", "model", "--gpu", data["profile"],
                                  "--quiet", "--format", "json")
                for result in report["results"]:
                    found[case_key(probe, result["parameters"])] = result["bandwidth_gb_per_s"]["predicted"]
        return found


def load(paths, program):
    predictor = Predictor(program) if program else None
    reports = []
    for path in paths:
        data = read_report(path)
        anew = predictor.predictions(path, data) if predictor else None
        cases = cases_of(data["results"], anew)
        if not cases:
            raise UserError(f"{path}: holds no case that is both measured and predicted; try --predict PROGRAM")
        reports.append(Report(path, data, cases))
    return reports


# ---- Figures

def off_by(case):
    return case.predicted / case.measured - 1


def summary(cases):
    """Number, median, 95th percentile (95 % of the cases are at most that far off) and worst."""
    errors = sorted(abs(off_by(case)) for case in cases)
    return len(errors), statistics.median(errors), errors[(95 * len(errors) + 99) // 100 - 1], errors[-1]


def grouped(cases, key):
    groups = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    return groups


def percent(share):
    return f"{100 * share:.1f}"


def percent_words(share):
    return f"{100 * share:g} %"


def gb_per_s(value):
    return f"{value:.4g}" if value < 10000 else f"{value:.0f}"


# ---- The page

def cell(value):
    return "-" if value in (None, "") else str(value).replace("\\", "\\\\").replace("|", "\\|")


def table(titles, rows):
    """Columns whose title starts with > are numbers."""
    lines = ["| " + " | ".join(title.lstrip(">") for title in titles) + " |",
             "| " + " | ".join("---:" if title.startswith(">") else "---" for title in titles) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows])


def errors_table(names, groups):
    rows = []
    for key, cases in groups.items():
        count, *errors = summary(cases)
        rows.append([*key, count, *map(percent, errors)])
    return table([*names, ">cases", ">median %", ">95th percentile %", ">worst %"], rows)


def sources(reports):
    rows = []
    for report in reports:
        data = report.data
        device, tool = data.get("device") or {}, data.get("tool") or {}
        rows.append([f"`{report.path}`", device.get("name"), device.get("driver_version"), tool.get("git_commit"),
                     data.get("profile"), str(data.get("started_at"))[:10], len(report.cases)])
    return table(["report", "GPU", "driver", "commit", "profile", "measured on", ">cases"], rows)


def left_out(reports):
    """Says how many cases the page does not hold, and how many of them were disturbed while they were measured."""
    results = [result for report in reports for result in report.data["results"]]
    missing = len(results) - sum(len(report.cases) for report in reports)
    if not missing:
        return ""
    flags = Counter(flag for result in results for flag in DISTURBED & set(result.get("flags", [])))
    flagged = ", ".join(f"{count} of them flagged `{flag}`" for flag, count in sorted(flags.items()))
    return f" Left out: {missing} cases{', ' if flagged else ' that were not measured and verified'}{flagged}."


def page(reports, program, plot_name, command):
    cases = [case for report in reports for case in report.cases]
    count, median, p95, worst = summary(cases)
    several = grouped(cases, lambda case: case.probe)
    # An alternative is named where a probe has more than one.
    plural = {probe for probe, of_probe in several.items() if len({case.alternative for case in of_probe}) > 1}
    detailed = grouped(cases, lambda c: (c.probe, c.kind, c.alternative if c.probe in plural else ""))
    within = sum(abs(off_by(case)) <= BAND for case in cases)
    if program:
        origin = f"Predictions are of `{program}`, {run(program, '--version').strip()}, made anew for this page."
    else:
        origin = "Predictions are those of the reports, by the commit that measured them."
    worst_rows = [[case.probe, " ".join(f"{name}={value}" for name, value in case.parameters.items()),
                   gb_per_s(case.measured), gb_per_s(case.predicted), f"{100 * off_by(case):+.1f}"]
                  for case in sorted(cases, key=lambda case: -abs(off_by(case)))[:WORST]]
    sections = [
        "# Predicted against measured",
        f"{count} cases. The predicted bandwidth is off by {percent(median)} % in the median, {percent(p95)} % at the"
        f" 95th percentile and {percent(worst)} % at worst; {percent(within / count)} % of the cases are within"
        f" {percent_words(BAND)}. An error is |predicted / measured - 1|. {origin}{left_out(reports)}",
        f"![Predicted against measured bandwidth, one point per case]({plot_name})",
        "## By probe",
        errors_table(["probe"], {(probe,): of_probe for probe, of_probe in sorted(several.items())}),
        "## By probe, op and alternative",
        "For copies over the host link the direction stands for the op.",
        errors_table(["probe", "op", "alternative"], dict(sorted(detailed.items()))),
        f"## The {len(worst_rows)} worst cases",
        table(["probe", "parameters", ">measured GB/s", ">predicted GB/s", ">off by %"], worst_rows),
        "## What was measured",
        sources(reports),
        "## Made by",
        f"```\n{command}\n```",
    ]
    return "\n\n".join(sections) + "\n"


# ---- The plot

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5195", "#8c6d1f", "#56b4e9", "#555555", "#e69f00", "#a6761d")
SIDE = 560  # of the square with the points
LEFT, TOP, LEGEND = 100, 56, 220


def plot(cases):
    values = [value for case in cases for value in (case.measured, case.predicted)]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)

    def x(value):
        return LEFT + SIDE * (math.log10(value) - low) / (high - low)

    def y(value):
        return TOP + SIDE * (high - math.log10(value)) / (high - low)

    width, height = LEFT + SIDE + LEGEND, TOP + SIDE + 72
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
           ' font-family="sans-serif" font-size="15" fill="#222">',
           "<title>Predicted against measured bandwidth</title>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{LEFT}" y="32" font-size="18">Predicted against measured bandwidth, {len(cases)} cases</text>',
           f'<clipPath id="area"><rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/></clipPath>']

    first, last = 10.0 ** low, 10.0 ** high
    out.append('<g stroke="#ddd">')
    for power in range(low, high + 1):
        at = 10.0 ** power
        out.append(f'<path d="M{x(at):.1f} {TOP}V{TOP + SIDE}M{LEFT} {y(at):.1f}H{LEFT + SIDE}"/>')
    out.append("</g>")
    corners = [(first, 1 - BAND), (last, 1 - BAND), (last, 1 + BAND), (first, 1 + BAND)]
    points = " ".join(f"{x(at):.1f},{y(at * share):.1f}" for at, share in corners)
    out += ['<g clip-path="url(#area)">', f'<polygon points="{points}" fill="#bbb" fill-opacity="0.45"/>',
            f'<path d="M{x(first):.1f} {y(first):.1f}L{x(last):.1f} {y(last):.1f}" stroke="#222"/>', "</g>"]

    by_probe = sorted(grouped(cases, lambda case: case.probe).items(), key=lambda group: -len(group[1]))
    colours = {probe: COLOURS[i % len(COLOURS)] for i, (probe, _) in enumerate(by_probe)}
    for probe, of_probe in by_probe:  # the many first, so that the few are seen
        out.append(f'<g fill="{colours[probe]}" fill-opacity="0.6">')
        places = Counter((f"{x(case.measured):.1f}", f"{y(case.predicted):.1f}") for case in of_probe)
        out += [f'<circle cx="{across}" cy="{down}" r="3"/>' for across, down in places]
        out.append("</g>")

    out.append(f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#222"/>')
    for power in range(low, high + 1):
        at = 10.0 ** power
        out += [f'<text x="{x(at):.1f}" y="{TOP + SIDE + 24}" text-anchor="middle">{at:g}</text>',
                f'<text x="{LEFT - 10}" y="{y(at) + 5:.1f}" text-anchor="end">{at:g}</text>']
    middle = TOP + SIDE / 2
    out += [f'<text x="{LEFT + SIDE / 2}" y="{height - 16}" text-anchor="middle" font-size="16">measured, GB/s</text>',
            f'<text x="24" y="{middle}" text-anchor="middle" font-size="16" transform="rotate(-90 24 {middle})">'
            "predicted, GB/s</text>"]

    at_x, at_y = LEFT + SIDE + 24, TOP + 14
    for probe, of_probe in by_probe:
        out += [f'<circle cx="{at_x}" cy="{at_y - 5}" r="6" fill="{colours[probe]}"/>',
                f'<text x="{at_x + 16}" y="{at_y}">{escape(probe)} ({len(of_probe)})</text>']
        at_y += 26
    out += [f'<path d="M{at_x - 8} {at_y - 5}h16" stroke="#222"/>',
            f'<text x="{at_x + 16}" y="{at_y}">predicted = measured</text>',
            f'<rect x="{at_x - 8}" y="{at_y + 14}" width="16" height="14" fill="#bbb" fill-opacity="0.45"/>',
            f'<text x="{at_x + 16}" y="{at_y + 26}">within {percent_words(BAND)}</text>', "</svg>"]
    return "\n".join(out) + "\n"


# ---- The command

def write(path, text):
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}") from error


def main(arguments):
    parser = Parser(prog="prediction.py", description="Predicted against measured bandwidth: a page and a plot.")
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="JSON reports, measured with the cuda backend")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.md",
                        help="the page; the plot gets the same name with .svg")
    parser.add_argument("--predict", metavar="PROGRAM",
                        help="a gpumem that predicts the cases anew (default: the predictions of the reports)")
    given = parser.parse_args(arguments)
    output = Path(given.output)
    if output.suffix != ".md":
        raise UserError(f"the page '{given.output}' has to end in .md")
    reports = load(given.reports, given.predict)
    plot_path = output.with_suffix(".svg")
    command = shlex.join(["report/prediction.py", *arguments])
    text = page(reports, given.predict, plot_path.name, command)
    write(plot_path, plot([case for report in reports for case in report.cases]))
    write(output, text)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as user_error:
        print(f"prediction.py: {user_error}", file=sys.stderr)
        sys.exit(2)
