#!/usr/bin/env python3
"""Writes a page that holds what was predicted against what was measured: tables, and a plot beside it.

  report/prediction.py REPORT... -o docs/prediction.md
  report/prediction.py REPORT... -o docs/prediction.md --predict build/release/gpumem

The reports are JSON, measured with the cuda backend. With --predict the predictions are made anew by that program, for
the profile that each report names, so that a changed model can be held against what was measured before. Cases are
compared by their headline, whatever quantity it is. The plot takes matplotlib.

Reports of suites that tests/benchmark/patterns.py draws get a section of their own: what the model makes of patterns
that nobody chose, by kind, and of kinds that nothing was fitted to. The section about kernels of programs, which
tests/corpus/evaluate.py makes, stays in the page as it is.
"""

import json
import math
import re
import shlex
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is

from plotting import command, reports  # noqa: E402
from plotting.errors import UserError  # noqa: E402
from plotting.model import Block, Figure, Guide, Panel, Point, Quantity, Reading, Series, XAxis, grouped  # noqa: E402

BAND = 0.15
WORST = 10
EXPRESSIONS = ("pattern", "active")  # parameters that are no names
DRAWN_KIND = re.compile(r"patterns of kind (\S+) \((\S+)\)")  # a check of a suite of drawn patterns: its kind and half
KERNELS_SECTION = re.compile(r"<!-- kernels:(?P<folders>[^\n]*?)-->\n.*?<!-- end of kernels -->", re.DOTALL)
DISTURBED = {"throttled", "contended", "link_degraded"}  # what was measured then is not the GPU's doing


# ---- What is compared

def is_sound(case):
    return bool(case.headline.measured and case.readings and case.verified is not False
                and not DISTURBED & set(case.flags))


def case_key(case, names=None):
    """Identifies a case by the parameters in `names` alone: an older report lacks the axes that came later."""
    return case.probe, tuple(sorted(pair for pair in case.parameters.items() if names is None or pair[0] in names))


def compared(report, anew):
    """The cases that have both readings: they get `predicted` and how far that is `off_by`, and their `kind` and
    `alternative` in words. `anew` holds predictions that stand in for the report's own."""
    found = []
    for case in filter(is_sound, report.results):
        by = case if anew is None else anew.get(case_key(case))
        case.predicted = by and by.readings.get(case.headline.quantity, Reading()).predicted
        if case.predicted:
            case.off_by = case.predicted / case.headline.measured - 1
            kinds = {name: value for name, value in reports.kinds(case).items() if name not in EXPRESSIONS}
            case.alternative, case.kind = kinds.pop(case.compared, ""), ", ".join(kinds.values())
            found.append(case)
    return found


def name_drawn(report):
    """Cases of drawn patterns get the `drawn` kind and its half, as the checks of their suite say; others None."""
    found = {}
    for check in report.checks:
        named = DRAWN_KIND.fullmatch(check.name or "")
        found.update((place, named.groups()) for place in check.cases if named)
    for case in report.results:
        case.drawn = found.get(case.place)


def load(path, predictor):
    """A report, with the cases of it that are `compared`."""
    report = reports.read(path)
    if report.backend != "cuda":
        raise UserError(f"{path}: nothing in it was measured (backend '{report.backend}'); give a report of the cuda"
                        " backend")
    if not any(case.headline.measured for case in report.results):
        raise UserError(f"{path}: holds no case that was measured")
    report.compared = compared(report, predictor.predictions(report) if predictor else None)
    name_drawn(report)
    if not report.compared:
        raise UserError(f"{path}: holds no case that is both measured and predicted; try --predict PROGRAM")
    return report


# ---- Predicting anew

class Predictor:
    """Has a program predict the cases of reports."""

    def __init__(self, program):
        self.program = program
        listed = self.run("list", "--json")
        try:
            self.flags = {probe["name"]: {axis["parameter"]: axis["flag"] for axis in probe["axes"]}
                          for probe in json.loads(listed)}
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"'{program} list --json' wrote no list of probes; is it gpumem?") from error

    def run(self, *arguments):
        words = [self.program, *arguments]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except OSError as error:
            raise UserError(f"cannot run '{self.program}': {error.strerror}") from error
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise UserError(f"'{shlex.join(words)}' ended with exit code {done.returncode} and said: {said}")
        return done.stdout

    def predictions(self, report):
        """The predicted cases that stand for the sound ones of a report, by their keys."""
        return {case_key(case, names): case for said, names in self.reports(report, filter(is_sound, report.results))
                for case in reports.parse(said, self.program).results}

    def reports(self, report, cases):
        """Reports of the predicted cases that stand for these of a report: the JSON of each, and which parameters tell
        its cases apart."""
        if not report.profile:
            raise UserError(f"{report.path}: names no profile to predict with; measure again, or leave out --predict")
        sweeps = grouped(cases, lambda case: (  # all but the swept parameter is alike
            case.probe, case.swept, tuple(pair for pair in case.parameters.items() if pair[0] != case.swept)))
        for (probe, *_), sweep in sweeps.items():
            flags = self.flags.get(probe)
            values = {name: dict.fromkeys(str(case.parameters[name]) for case in sweep) for name in sweep[0].parameters}
            unknown = [name for name in values if name not in (flags or {})]
            if unknown or flags is None:
                what = f"probe '{probe}'" if flags is None else f"parameter '{unknown[0]}' of probe '{probe}'"
                raise UserError(f"{report.path}: '{self.program}' has no {what}")
            # Values of most axes may stand in one text; an expression has to stand alone.
            texts = {name: of_name if name in EXPRESSIONS else [",".join(of_name)] for name, of_name in values.items()}
            axes = [word for name, of_name in texts.items() for text in of_name for word in (flags[name], text)]
            said = self.run("probe", probe, *axes, "--backend", "model", "--gpu", report.profile, "--quiet", "--format",
                            "json")
            yield said, list(values)


# ---- The page

def summary(cases):
    """Number, median, 95th percentile (95 % of the cases are at most that far off) and worst."""
    errors = sorted(abs(case.off_by) for case in cases)
    return len(errors), statistics.median(errors), errors[(95 * len(errors) + 99) // 100 - 1], errors[-1]


def percent(share):
    return f"{100 * share:.1f}"


def cell(value):
    return "-" if value in (None, "") else str(value).replace("\\", "\\\\").replace("|", "\\|")


def table(titles, rows):
    """Columns whose title starts with > are numbers."""
    marks = ["---:" if title.startswith(">") else "---" for title in titles]
    lines = [[title.lstrip(">") for title in titles], marks, *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def errors_table(names, cases, key):
    rows = []
    for named, of_key in sorted(grouped(cases, key).items()):
        count, *errors = summary(of_key)
        rows.append([*named, count, *map(percent, errors)])
    return table([*names, ">cases", ">median %", ">95th percentile %", ">worst %"], rows)


def left_out(loaded, compared_cases):
    """Says how many cases the page does not hold, and how many of them were disturbed while they were measured."""
    cases = [case for report in loaded for case in report.results]
    missing = len(cases) - len(compared_cases)
    if not missing:
        return ""
    flags = Counter(flag for case in cases for flag in DISTURBED & set(case.flags))
    flagged = ", ".join(f"{count} of them flagged `{flag}`" for flag, count in sorted(flags.items()))
    return f" Left out: {missing} cases{', ' if flagged else ' that were not measured and verified'}{flagged}."


def worst_row(case):
    values = [case.report.words.amount(case.headline.quantity, value)
              for value in (case.headline.measured, case.predicted)]
    parameters = (f"{name}={code(value) if name in EXPRESSIONS else value}" for name, value in case.parameters.items())
    return [case.probe, " ".join(parameters), *values, f"{100 * case.off_by:+.1f}"]


def code(text):
    """An expression has signs that Markdown would take for its own."""
    return f"`{text}`"


def drawn_row(case):
    """A row of the table of drawn patterns: the parameters that make the pattern come first."""
    kind, half = case.drawn
    values = [case.report.words.amount(case.headline.quantity, value)
              for value in (case.headline.measured, case.predicted)]
    own = case.parameters
    rest = " ".join(f"{name}={value}" for name, value in own.items() if name not in EXPRESSIONS)
    return [half, kind, code(own.get("pattern", "-")), code(own["active"]) if own.get("active") else "", rest, *values,
            f"{100 * case.off_by:+.1f}"]


def drawn_sections(cases):
    """Sections about drawn patterns; none where there are none."""
    drawn = [case for case in cases if case.drawn]
    if not drawn:
        return []
    halves = []
    for half, found in sorted(grouped(drawn, lambda case: case.drawn[1]).items()):
        count, median, p95, worst = summary(found)
        within = sum(abs(case.off_by) <= BAND for case in found)
        halves.append(f"{half}: {count} cases, {percent(median)} % off in the median, {percent(p95)} % at the 95th"
                      f" percentile, {percent(worst)} % at worst, {percent(within / count)} % within {100 * BAND:g} %")
    worst_cases = sorted(drawn, key=lambda case: -abs(case.off_by))[:WORST]
    return [
        "## Patterns nobody fitted",
        "These patterns are drawn at random by `tests/benchmark/patterns.py`, which describes the kinds. The kinds of the"
        " half `fit` may be fitted to; no rate is fitted to those of the half `held-out`, but they may have shown what"
        " was missing."
        f" {'. '.join(map(capitalised, halves))}.",
        "### By kind",
        errors_table(["half", "kind"], drawn, lambda case: (case.drawn[1], case.drawn[0])),
        "### By operation and word",
        errors_table(["half", "op", "word bytes"], drawn, lambda case: (
            case.drawn[1], case.parameters.get("op", ""), case.parameters.get("word_bytes", 0))),
        f"### The {len(worst_cases)} worst patterns",
        table(["half", "kind", "pattern", "active", "other parameters", ">measured", ">predicted", ">off by %"],
              map(drawn_row, worst_cases)),
    ]


def capitalised(text):
    return text[:1].upper() + text[1:]


def kernels_section(output):
    """The section of the page on kernels of programs, which comes from other reports: a list, empty if there is none."""
    try:
        found = KERNELS_SECTION.search(output.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a page yet to be written, or none of ours
        return []
    return [found[0]] if found else []


def page(loaded, cases, predictor, plot_name, made_by, kept):
    """`kept` are sections that this script does not make."""
    count, median, p95, worst = summary(cases)
    # An alternative is named where a probe has more than one.
    plural = {probe for probe, found in grouped(cases, lambda case: case.probe).items()
              if len({case.alternative for case in found}) > 1}
    within = sum(abs(case.off_by) <= BAND for case in cases)
    origin = "Predictions are those of the reports, by the commit that measured them."
    if predictor:
        version = predictor.run("--version").strip()
        origin = f"Predictions are of `{predictor.program}`, {version}, made anew for this page."
    worst_cases = sorted(cases, key=lambda case: -abs(case.off_by))[:WORST]
    sources = [[f"`{report.path}`", report.gpu, report.device.driver_version, report.tool.git_commit, report.profile,
                report.date, len(report.compared)] for report in loaded]
    sections = [
        "# Predicted against measured",
        "After reading this page you know how far the model's predictions are from what GPUs measured: by probe, by kind,"
        " and in the worst cases.",
        f"{count} cases. Their headline, for most the bandwidth, is predicted {percent(median)} % off in the"
        f" median, {percent(p95)} % at the 95th percentile and {percent(worst)} % at worst; {percent(within / count)} %"
        f" of the cases are within {100 * BAND:g} %. An error is |predicted / measured - 1|. {origin}"
        f"{left_out(loaded, cases)}",
        f"![Predicted against measured, one point per case]({plot_name})",
        "## By probe",
        errors_table(["probe"], cases, lambda case: (case.probe,)),
        "## By probe, kind and alternative",
        "The kind of a case is its parameters that are words, such as the op or the direction of a copy.",
        errors_table(["probe", "kind", "alternative"], cases, lambda case: (
            case.probe, case.kind, case.alternative if case.probe in plural else "")),
        f"## The {len(worst_cases)} worst cases",
        table(["probe", "parameters", ">measured", ">predicted", ">off by %"], map(worst_row, worst_cases)),
        *drawn_sections(cases),
        *kept,
        "## Reports",
        table(["report", "GPU", "driver", "commit", "profile", "measured on", ">cases"], sources),
        "## Made by",
        f"```\n{made_by}\n```",
    ]
    return "\n\n".join(sections) + "\n"


# ---- The plot

def panel(name, cases):
    """The cases of one quantity: predicted over measured, a colour for each probe."""
    words = cases[0].report.words
    factor = words.unit(name)[1]
    by_probe = sorted(grouped(cases, lambda case: case.probe).items(), key=lambda group: -len(group[1]))
    series = []
    for i, (probe, found) in enumerate(by_probe):  # the many first, so that the few are seen
        # Nobody sees more digits than these, and many cases fall together.
        places = dict.fromkeys(tuple(f"{value * factor:.3g}" for value in (case.headline.measured, case.predicted))
                               for case in found)
        points = [Point(float(x), {name: Reading(predicted=float(y))}, probe) for x, y in places]
        series.append(Series(probe, f"{probe} ({len(found)})", i, i, points))
    xs = [point.x for made in series for point in made.points]
    ticks = [10.0 ** power for power in range(math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs))) + 1)]
    guides = [Guide(label, name, points=[(at, share * at) for at in (ticks[0], ticks[-1])]) for share, label in (
        (1, "predicted = measured"), (1 - BAND, f"within {100 * BAND:g} %"), (1 + BAND, ""))]
    label = words.label(name)
    axis = XAxis(f"measured {label}", "log10", [(at, f"{at:g}") for at in ticks], [])
    return Panel(name, words.of_quantity(name)["title"], "", axis, [Quantity(name, f"predicted {label}", log=True)],
                 series, guides, scatter=True)


def plot(cases):
    panels = [panel(name, found) for name, found in grouped(cases, lambda case: case.headline.quantity).items()]
    return command.draw(Figure("Predicted against measured", f"{len(cases)} cases", [Block([made]) for made in panels]), "svg")


# ---- The command

def main(arguments):
    parser = command.Parser(prog="prediction.py", description="Predicted against measured: a page and a plot.")
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="JSON reports, measured with the cuda backend")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.md",
                        help="the page; the plot gets the same name with .svg")
    parser.add_argument("--predict", metavar="PROGRAM",
                        help="a gpumem that predicts the cases anew (default: the predictions of the reports)")
    given = parser.parse_args(arguments)
    output = Path(given.output)
    if output.suffix != ".md":
        raise UserError(f"the page '{given.output}' has to end in .md")
    predictor = Predictor(given.predict) if given.predict else None
    loaded = [load(path, predictor) for path in given.reports]
    cases = [case for report in loaded for case in report.compared]
    plot_path = output.with_suffix(".svg")
    text = page(loaded, cases, predictor, plot_path.name, shlex.join(["report/prediction.py", *arguments]),
                kernels_section(output))
    command.write(plot_path, plot(cases))
    command.write(output, text.encode())


if __name__ == "__main__":
    command.run("prediction.py", main)
