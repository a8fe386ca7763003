#!/usr/bin/env python3
"""Puts what a report says into a page that quotes it.

  report/quote.py docs/write-ups.md                                     from the report that the page names
  report/quote.py docs/write-ups.md --report mine.json -o mine.md      the same page, of another GPU

A page names its report, from its own folder, in a comment; the last one before a figure holds. Comments, which Markdown
does not show, say before each figure where it comes from:

  <!--report ../configs/reference/h200/write-ups.json-->
  <!--= offset offset_elements=1 bandwidth_gb_per_s-->2560 GB/s<!--/-->    a probe, what tells its case, a quantity
  <!--= matmul matmul=column time_seconds / matmul=row-->3.6<!--/-->       over that of the case that differs so
  <!--= matmul global_load_sectors / global_load_requests-->5<!--/-->      over another quantity of the case
  <!--= device multiprocessors-->132<!--/-->                               of the device
  <!--= offset op=write offset_elements=8,16 bandwidth_gb_per_s least-->4000 GB/s<!--/-->   of several cases the least,
                                                                           the most or the median
  <!--= transfer host_memory=pageable bandwidth_gb_per_s error median-->7.1 %<!--/-->  how far predictions are off

A case that was skipped says why, and what it lacks is a dash.
"""

import functools
import math
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is

from plotting import command, reports  # noqa: E402
from plotting.errors import UserError  # noqa: E402

NAMED = re.compile(r"<!--report (\S+)\s*-->")
QUOTE = re.compile(r"(<!--= *([^>]+?) *-->)(.*?)(<!--/-->)", re.DOTALL)
NOTHING = "–"
OF_SEVERAL = {"least": min, "most": max, "median": statistics.median}
ERROR = "error"  # of the prediction, as a share of what was measured
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
    return chosen if wanted == "auto" else not chosen and str(case.parameters.get(name)) in wanted.split(",")


def find(report, probe, parameters, several):
    found = [case for case in report.results if case.probe == probe
             and all(has(case, name, wanted) for name, wanted in parameters.items())]
    if not found or len(found) > 1 and not several:
        words = " ".join([probe, *(f"{name}={value}" for name, value in parameters.items())])
        raise UserError(f"{len(found)} cases of {report.path} are '{words}', and a quote is of one, or of their"
                        f" {', '.join(OF_SEVERAL)}")
    return found


def reading(case, quantity, error):
    """None where the case has no such reading."""
    if quantity in case.readings:
        found = case.readings[quantity]
        if error:
            return abs(found.predicted / found.measured - 1) if found.predicted and found.measured else None
        return found.counted if found.measured is None else found.measured
    return None if error else case.counters.get(quantity)


def of_device(report, member):
    value = (vars(report.device) | report.device.others).get(member)
    if value is None:
        raise UserError(f"{report.path} does not say the device's '{member}'")
    return in_words(member, "bytes" if member.endswith("_bytes") else "", value)


def quoted(report, asked):
    """Returns the figure that a report has for the words of a quote."""
    probe, *words = asked.split()
    if probe == "device" and len(words) == 1:
        return of_device(report, words[0])
    several = OF_SEVERAL.get(words[-1])
    words = words[:-1] if several else words
    error = words[-1:] == [ERROR]
    words = words[:-1] if error else words
    parameters, quantity, values = {}, None, []
    for i, part in enumerate(" ".join(words).split(" / ")):
        parameters |= dict(word.split("=", 1) for word in part.split() if "=" in word)
        quantity, *more = [word for word in part.split() if "=" not in word] or [quantity]
        if more or quantity is None:
            raise UserError(f"'{asked}' is not a probe, values of its parameters and one quantity")
        cases = find(report, probe, parameters, several and i == 0)
        failed = [case for case in cases if case.status != "ok"]
        if failed:
            return f"{failed[0].status}: {failed[0].reason}"
        known = [value for case in cases if (value := reading(case, quantity, error)) is not None]
        values.append((several or min)(known) if known else None)
    if None in values or 0 in values[1:]:
        return NOTHING
    if len(values) > 1:
        return digits(values[0] / math.prod(values[1:]))
    if error:
        return f"{digits(100 * values[0])} %"
    return in_words(quantity, report.words.of_quantity(quantity)["unit"], values[0])


# ---- A page

def report_of(page, text):
    """The path of the report that a text names last."""
    named = NAMED.findall(text)
    if not named:
        raise UserError(f"'{page}' names no report; give one with --report")
    return page.parent / named[-1]


def rendered(page, text, read):
    """The text with what reports say. `read` makes a report of the part of the text before a quote."""
    def replace(quote):
        try:
            report = read(text[:quote.start()])
            return quote[1] + quoted(report, " ".join(quote[2].split())) + quote[4]
        except (UserError, ValueError) as error:
            raise UserError(f"{page}:{text.count(chr(10), 0, quote.start()) + 1}: {error}") from error
    return QUOTE.sub(replace, text)


def renewed(page, path=None, beside=lambda report: report):
    """The text of a page with what the report at `path` says, or those that it names. `beside` has the path of what is
    read instead."""
    read = functools.lru_cache(lambda at: reports.read(beside(at)))
    try:
        text = Path(page).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read '{page}': {error.strerror}") from error
    if path is None:
        report_of(Path(page), text)  # it names one
    return rendered(page, text, lambda before: read(path or report_of(Path(page), before)))


def main(arguments):
    parser = command.Parser(prog="quote.py", description="Puts a report's figures into a page that quotes it.")
    parser.add_argument("page", metavar="PAGE.md", help="the page, with comments that say where its figures come from")
    parser.add_argument("--report", metavar="REPORT", help="a JSON report (default: the one that the page names)")
    parser.add_argument("-o", "--output", metavar="FILE.md", help="file to write (default: the page itself)")
    given = parser.parse_args(arguments)
    command.write(given.output or given.page, renewed(given.page, given.report).encode())


if __name__ == "__main__":
    command.run("quote.py", main)
