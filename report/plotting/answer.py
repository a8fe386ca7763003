"""Draws for the program: reads {"text": Markdown, "reports": [[name, report, {index of a table's first case: what the
table shows}], ...], "result": JSON of a result that is no report, or null} from standard input, and writes the bytes of a picture to standard output. With --check it draws
nothing, and only finds out whether it could. Ends with 2 if there is nothing to draw, with 3 if something is missing to
draw with; the last line on standard error says why."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Dict, Optional

from . import command, figures, page, ported
from .errors import Missing, UserError
from .markdown import plain_text
from .model import Figure
from .reports import Report, labelled, of_json


def figure_of(reports: list[Report], result: Optional[Dict[str, Any]]) -> Figure:
    if result and "report" in result and "gpus" in result:
        return ported.figure(result)
    if not reports:
        raise UserError("there is no figure of this, but a page: name a .html")
    return figures.build(reports, None, {})


def page_of(reports: list[Report], result: Optional[Dict[str, Any]], text: str) -> bytes:
    """With what there is to say alone, if there is nothing to plot."""
    try:
        figure = figure_of(reports, result)
    except UserError:
        figure = Figure(plain_text(text.partition("\n")[0].lstrip("# ")), "", [])
    return page.render(figure, text)


def answer(kind: str, check: bool) -> bytes:
    if check:
        page.library() if kind == "html" else command.drawing()
        return b""
    given = json.load(sys.stdin)
    reports = labelled([of_json(report, name, findings) for name, report, findings in given["reports"]])
    result = given["result"]
    return page_of(reports, result, given["text"]) if kind == "html" else command.draw(figure_of(reports, result), kind)


def main(arguments: Sequence[str]) -> None:
    """The kind of the picture, and maybe --check."""
    try:
        sys.stdout.buffer.write(answer(arguments[0], "--check" in arguments[1:]))
    except UserError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(3 if isinstance(error, Missing) else 2)
