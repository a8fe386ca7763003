#!/usr/bin/env python3
"""Puts what a report says into a page that quotes it.

  report/quote.py docs/write-ups.md                                     from the report that the page names
  report/quote.py docs/write-ups.md --report mine.json -o mine.md      the same page, of another GPU

A page names its report, from its own folder, in a comment, and comments, which Markdown does not show, say before each
figure where it comes from:

  <!--report ../configs/reference/h200/write-ups.json-->
  <!--= offset offset_elements=1 bandwidth_gb_per_s-->2560 GB/s<!--/-->    a probe, what tells its case, a quantity
  <!--= matmul matmul=column time_seconds / matmul=row-->3.6<!--/-->       over that of the case that differs so
  <!--= matmul global_load_sectors / global_load_requests-->5<!--/-->      over another quantity of the case
  <!--= device multiprocessors-->132<!--/-->                               of the device

A case that was skipped says why, and what it lacks is a dash.
"""

import math
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is

from plotting import command, reports  # noqa: E402
from plotting.errors import UserError  # noqa: E402

NAMED = re.compile(r"<!--report (\S+)-->")
QUOTE = re.compile(r"(<!--= *([^>]+?) *-->)(.*?)(<!--/-->)", re.DOTALL)
NOTHING = "–"
SHARES = {"fraction_of_peak", "achieved_occupancy", "load_efficiency"}
SCALED = {  # units in which a figure may be too large or too small to read, and what then takes their place
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes")),
    "GB/s": ((1e4, "TB/s", 1e3), (1, "GB/s")),
    "GFLOP/s": ((1e3, "TFLOP/s"), (1, "GFLOP/s"))}


# ---- A figure in words

def digits(value):
    """Three of them, or all before the point; what was counted has no others."""
    return f"{value:.0f}" if isinstance(value, int) or abs(value) >= 999.5 else f"{value:#.3g}".rstrip(".")


def in_words(quantity, unit, value):
    if isinstance(value, str):
        return value
    if quantity in SHARES:
        value, unit = 100 * value, "%"
    if unit in SCALED:
        least, unit, *factor = next((scale for scale in SCALED[unit] if abs(value) >= scale[0]), SCALED[unit][-1])
        value /= factor[0] if factor else least
    return f"{digits(value)} {unit}".strip()


# ---- What a quote asks for

def has(case, name, wanted):
    """As suites have it: 'auto' is what auto chose, and a value is one that was asked for."""
    chosen = name in case.chosen_by_auto
    return chosen if wanted == "auto" else not chosen and str(case.parameters.get(name)) == wanted


def find(report, probe, parameters):
    found = [case for case in report.results if case.probe == probe
             and all(has(case, name, wanted) for name, wanted in parameters.items())]
    if len(found) != 1:
        words = " ".join([probe, *(f"{name}={value}" for name, value in parameters.items())])
        raise UserError(f"{len(found)} cases of {report.path} are '{words}', and a quote is of one")
    return found[0]


def reading(case, quantity):
    """None where the case has no such reading."""
    if quantity in case.readings:
        found = case.readings[quantity]
        return found.counted if found.measured is None else found.measured
    return case.counters.get(quantity)


def of_device(report, member):
    value = (vars(report.device) | report.device.others).get(member)
    if value is None:
        raise UserError(f"{report.path} does not say the device's '{member}'")
    return in_words(member, "bytes" if member.endswith("_bytes") else "", value)


def quoted(report, asked):
    """What a report says to the words of a quote."""
    probe, *words = asked.split()
    if probe == "device" and len(words) == 1:
        return of_device(report, words[0])
    parameters, quantity, values = {}, None, []
    for part in " ".join(words).split(" / "):
        parameters |= dict(word.split("=", 1) for word in part.split() if "=" in word)
        quantity, *more = [word for word in part.split() if "=" not in word] or [quantity]
        if more or quantity is None:
            raise UserError(f"'{asked}' is not a probe, values of its parameters and one quantity")
        case = find(report, probe, parameters)
        if case.status != "ok":
            return f"{case.status}: {case.reason}"
        values.append(reading(case, quantity))
    if None in values or 0 in values[1:]:
        return NOTHING
    if len(values) > 1:
        return digits(values[0] / math.prod(values[1:]))
    return in_words(quantity, report.words.of_quantity(quantity)["unit"], values[0])


# ---- A page

def report_of(page, text):
    named = NAMED.search(text)
    if not named:
        raise UserError(f"'{page}' names no report; give one with --report")
    return page.parent / named[1]


def rendered(page, text, report):
    """The text with what the report says."""
    def replace(quote):
        try:
            return quote[1] + quoted(report, " ".join(quote[2].split())) + quote[4]
        except (UserError, ValueError) as error:
            raise UserError(f"{page}:{text.count(chr(10), 0, quote.start()) + 1}: {error}") from error
    return QUOTE.sub(replace, text)


def renewed(page, path=None):
    """The text of a page with what the report at `path` says, or the one that it names."""
    try:
        text = Path(page).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read '{page}': {error.strerror}") from error
    return rendered(page, text, reports.read(path or report_of(Path(page), text)))


def main(arguments):
    parser = command.Parser(prog="quote.py", description="Puts what a report says into a page that quotes it.")
    parser.add_argument("page", metavar="PAGE.md", help="the page, with comments that say where its figures come from")
    parser.add_argument("--report", metavar="REPORT", help="a JSON report (default: the one that the page names)")
    parser.add_argument("-o", "--output", metavar="FILE.md", help="where the page goes (default: where it was)")
    given = parser.parse_args(arguments)
    command.write(given.output or given.page, renewed(given.page, given.report).encode())


if __name__ == "__main__":
    command.run("quote.py", main)
