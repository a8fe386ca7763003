"""Draws for the program: python3 plotting KIND, with {"text": Markdown, "reports": [[name, report, {index of a table's first
case: what the table shows}], ...]} on standard input, writes the bytes of a picture of that kind to standard output. With --check it draws nothing, and only finds out
whether it could. Ends with 2 if there is nothing to draw, with 3 if something is missing to draw with; the last line
on standard error says why."""

import sys

if sys.version_info < (3, 9):
    sys.stderr.write("python3 is %d.%d, and drawing takes 3.9 or newer\n" % sys.version_info[:2])
    sys.exit(3)
sys.dont_write_bytecode = True  # a source tree stays as it is

import json  # noqa: E402
from pathlib import Path  # noqa: E402

# The modules are those of a package, beside which others may lie that are called like Python's own.
sys.path[0:1] = []
sys.path.append(str(Path(__file__).absolute().parents[1]))

from plotting import command, figures, page  # noqa: E402
from plotting.errors import Missing, UserError  # noqa: E402
from plotting.reports import labelled, of_json  # noqa: E402


def main(kind: str, check: bool) -> None:
    if check:
        page.library() if kind == "html" else command.drawing()
        return
    given = json.load(sys.stdin)
    reports = labelled([of_json(report, name, findings) for name, report, findings in given["reports"]])
    figure = figures.build(reports, None, {})
    sys.stdout.buffer.write(page.render(figure, given["text"]) if kind == "html" else command.draw(figure, kind))


if __name__ == "__main__":
    try:
        main(sys.argv[1], "--check" in sys.argv[2:])
    except UserError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(3 if isinstance(error, Missing) else 2)
