#!/usr/bin/env python3
"""Plots JSON reports of gpumem: predicted and measured curves, one panel per table; of a program that 'gpumem run'
watched, its kernels under the roof of memory, what they could save, and when they ran.

  report/plot.py report.json -o figure.svg
  report/plot.py h200.json v100.json --figure stride -o stride.png      several GPUs on one figure
  report/plot.py roofline.json matmul.json --figure roofline -o roofline.png
  report/plot.py app.json -o app.png                                    of 'gpumem run --output app.json -- ./app'
  report/plot.py report.json -o page.html                               interactive, works offline

svg, png and pdf take matplotlib; html takes plotly, which is put into the page.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is

from plotting import command, figures, page  # noqa: E402
from plotting.errors import UserError  # noqa: E402
from plotting.reports import load  # noqa: E402

def conditions(texts, reports):
    """{parameter: values} of NAME=VALUE,... Names are those in the reports, or their start, as in offset."""
    known = list(dict.fromkeys(name for report in reports for case in report.results for name in case.parameters))
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


def main(arguments):
    parser = command.Parser(prog="plot.py", formatter_class=argparse.RawDescriptionHelpFormatter,
                          description="Plots JSON reports of gpumem, predicted beside measured, one panel per table.",
                          epilog="example: report/plot.py configs/reference/h200/stride.json -o stride.svg")
    parser.add_argument("reports", nargs="+", metavar="REPORT",
                      help="report that 'gpumem probe --output FILE.json' or 'gpumem run --output FILE.json' wrote")
    parser.add_argument("-o", "--output", required=True, metavar="FILE",
                      help="figure to write: .svg, .png, .pdf, or .html for an interactive page that works offline")
    parser.add_argument("--figure", metavar="NAME",
                      help="one figure only: a probe in the reports, or 'roofline' (GFLOP/s of all cases with flops"
                           " against flops per byte; without such cases, a program's kernels under the roof of memory;"
                           " without these, bandwidth against useful bytes per byte moved), or 'savings' (what a"
                           " program's kernels could save) and 'timeline' (when they ran); default: every probe in the reports")
    parser.add_argument("--y", metavar="NAME",
                      help="quantity on the y axis of panels that have it: its name in the reports, or its first or"
                           " last words, as bandwidth, peak or time (default: the one that the probe is about)")
    parser.add_argument("--scale", choices=("linear", "log"), help="scale of the y axis (default: by the values)")
    parser.add_argument("--where", action="append", default=[], metavar="NAME=VALUE,...",
                      help="only cases with these values of a parameter, as in op=read,write; may be repeated")
    given = parser.parse_args(arguments)
    kind = Path(given.output).suffix[1:].lower()
    if kind not in command.KINDS:
        raise UserError(f"the figure '{given.output}' has to end in .{', .'.join(command.KINDS[:-1])} or"
                        f" .{command.KINDS[-1]}")
    reports = load(given.reports)
    figure = figures.build(reports, given.figure, conditions(given.where, reports), given.y, given.scale)
    command.write(given.output, page.render(figure) if kind == "html" else command.draw(figure, kind))


if __name__ == "__main__":
    command.run("plot.py", main)
