#!/usr/bin/env python3
"""Plots JSON reports of gpumem: predicted and measured curves, one panel per table.

  report/plot.py report.json -o figure.svg
  report/plot.py h200.json v100.json --figure stride -o stride.png      several GPUs on one figure
  report/plot.py report.json -o page.html                               interactive, works offline

svg, png and pdf take matplotlib; html takes nothing.
"""

import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is

from plotting import figures, page  # noqa: E402
from plotting.drawing import draw  # noqa: E402
from plotting.errors import UserError  # noqa: E402
from plotting.reports import load  # noqa: E402

KINDS = ("svg", "png", "pdf", "html")
Y = ("bandwidth", "peak", "time", "cycles")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UserError(f"{message}; see --help")


def parser():
    made = Parser(prog="plot.py", formatter_class=argparse.RawDescriptionHelpFormatter,
                  description="Plots JSON reports of gpumem, predicted beside measured, one panel per table.",
                  epilog="example: report/plot.py configs/reference/h200/stride.json -o stride.svg")
    made.add_argument("reports", nargs="+", metavar="REPORT", help="what 'gpumem probe --output FILE.json' wrote")
    made.add_argument("-o", "--output", required=True, metavar="FILE",
                      help="figure to write: .svg, .png, .pdf, or .html for an interactive page that works offline")
    made.add_argument("--figure", metavar="NAME",
                      help="one figure only: a probe in the reports, or 'roofline' (bandwidth against useful bytes per"
                           " byte moved); default: every probe in the reports")
    made.add_argument("--y", choices=Y, help="what the y axis shows, where a panel has it: GB/s, %% of peak, time, or"
                                             " cycles per request (default: what the probe is about)")
    made.add_argument("--scale", choices=("linear", "log"), help="of the y axis (default: what suits the probe)")
    made.add_argument("--where", action="append", default=[], metavar="NAME=VALUE,...",
                      help="only cases with these values of a parameter, as in op=read,write; may be repeated")
    return made


def conditions(texts, reports):
    """{parameter: values} of NAME=VALUE,... Names are those in the reports, or their start, as in offset."""
    known = list(dict.fromkeys(name for report in reports for case in report.cases for name in case.parameters))
    found = {}
    for text in texts:
        given, equals, values = text.partition("=")
        names = [given] if given in known else [name for name in known if name.rpartition("_")[0] == given]
        if not equals or not values:
            raise UserError(f"--where '{text}' is not NAME=VALUE; see --help")
        if len(names) != 1:
            raise UserError(f"--where '{text}': no parameter '{given}' in the reports; there are {', '.join(known)}")
        found.setdefault(names[0], set()).update(value.strip() for value in values.split(","))
    return found


def kind_of(output):
    kind = Path(output).suffix[1:].lower()
    if kind not in KINDS:
        raise UserError(f"the figure '{output}' has to end in .{', .'.join(KINDS[:-1])} or .{KINDS[-1]}")
    return kind


def write(output, content):
    """Beside the target first, then renamed: a reader finds the whole figure, the old one, or none."""
    path = Path(output)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "xb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        raise UserError(f"cannot write '{output}': {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def main(arguments):
    given = parser().parse_args(arguments)
    kind = kind_of(given.output)
    reports = load(given.reports)
    figure = figures.build(reports, given.figure, conditions(given.where, reports))
    content = page.render(figure, given.y, given.scale) if kind == "html" else draw(figure, kind, given.y, given.scale)
    write(given.output, content)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as user_error:
        print(f"plot.py: {' '.join(str(user_error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
