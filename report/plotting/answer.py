"""Draws for the program: reads {"text": Markdown, "choices": {"figure", "y", "scale"}, "reports": [[name, report,
{index of a table's first case: what the table shows}], ...], "result": JSON of a result that is no report, or null} from
standard input, and writes the bytes of a picture to standard output. With --check it draws nothing, and only finds out
whether it could. Ends with 2 if there is nothing to draw, with 3 if something is missing to draw with; the last line on
standard error says why."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from . import changes, command, figures, page, ported, side_by_side
from .errors import Missing, UserError
from .markdown import plain_text
from .model import Figure
from .reports import Report, labelled, of_json


def figure_of(given: dict[str, Any], reports: list[Report], kind: str) -> Figure:
    result = given["result"]
    if result and "report" in result and "gpus" in result:
        return ported.figure(result)
    if result and "tolerance" in result and reports:
        return changes.figure(reports, result, kind == "html")
    if not reports:
        raise UserError("there is no figure of this, but a page: name a .html")
    return (side_by_side.build if kind == "html" else figures.build)(reports, **given["choices"])


def page_of(given: dict[str, Any], reports: list[Report]) -> bytes:
    """With what there is to say alone, if there is nothing to plot and nobody chose a figure."""
    try:
        figure = figure_of(given, reports, "html")
    except UserError:
        if any(given["choices"].values()):
            raise
        figure = Figure(plain_text(given["text"].partition("\n")[0].lstrip("# ")), "", [])
    return page.render(figure, given["text"])


def answer(kind: str, check: bool) -> bytes:
    if check:
        page.library() if kind == "html" else command.require_matplotlib()
        return b""
    given = json.load(sys.stdin)
    reports = labelled([of_json(report, name, findings) for name, report, findings in given["reports"]])
    return page_of(given, reports) if kind == "html" else command.draw(figure_of(given, reports, kind), kind)


def main(arguments: Sequence[str]) -> None:
    """The kind of the picture, and maybe --check."""
    try:
        sys.stdout.buffer.write(answer(arguments[0], "--check" in arguments[1:]))
    except UserError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(3 if isinstance(error, Missing) else 2)
