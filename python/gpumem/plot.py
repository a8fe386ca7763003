"""Figures of reports, as `gpumem show REPORT... -o FILE.svg` draws them."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .arguments import FilePath, selection
from .errors import Error
from .program import output

if TYPE_CHECKING:
    from .report import Report

Scale = Literal["linear", "log"]


class Plot:
    """A figure of one report or several. A notebook shows it; save() writes .svg, .png, .pdf, or .html to click on."""

    def __init__(self, reports: Iterable[Report], figure: str | None = None, y: str | None = None,
                 scale: Scale | None = None, **parameters: object):
        """figure: the only one to draw: a probe, "roofline", "savings" or "timeline"; every probe if it is None. y: the
        quantity that the y axis shows. scale: "linear" or "log". parameters: only cases with these values, as in
        op=["read", "write"]. Raises Error if there is nothing to draw."""
        from .plotting import figures
        from .plotting.errors import UserError
        from .plotting.reports import labelled, parse

        if scale not in (None, "linear", "log"):
            raise Error(f"scale is linear or log, and not '{scale}'", 2)
        cases = selection((), parameters)
        try:
            parsed = [parse(text_of(report, cases), f"report {number + 1}") for number, report in enumerate(reports)]
            if not parsed:
                raise Error("there is no report to plot: the list is empty", 2)
            self._figure = figures.build(labelled(parsed), figure, y, scale)
        except UserError as error:
            raise Error(re.sub(r"--(?=figure |y )", "", str(error)), 2) from error  # options there, arguments here

    def bytes(self, kind: str) -> bytes:
        """The content of a file of that kind: svg, png, pdf or html."""
        from .plotting import command, page
        from .plotting.errors import UserError

        if kind not in command.KINDS:
            raise Error(f"a figure is {', '.join(command.KINDS[:-1])} or {command.KINDS[-1]}, and not '{kind}'", 2)
        try:
            return page.render(self._figure) if kind == "html" else command.draw(self._figure, kind)
        except UserError as error:
            raise Error(str(error), 2) from error

    def save(self, path: FilePath) -> None:
        """Writes it in the format of the extension."""
        Path(path).write_bytes(self.bytes(Path(path).suffix[1:].lower()))

    @property
    def title(self) -> str:
        """The GPUs that it is about."""
        return self._figure.title

    def __repr__(self) -> str:
        return f"<gpumem.Plot of {self.title}>"

    def _repr_svg_(self) -> str:
        return self.bytes("svg").decode("utf-8")


def text_of(report: Report, cases: list[str]) -> str:
    """The JSON of the report, with these cases alone if there are any."""
    return output("show", "-", *cases, "--format", "json", given=report.text) if cases else report.text


def picture(report: Report) -> str:
    """The figure of a report as HTML; a line that says why there is none where matplotlib is missing, and nothing where
    there is nothing to draw."""
    from .plotting.markdown import from_markdown

    try:
        plot = Plot([report])
    except Error:
        return ""
    try:
        drawn = b64encode(plot.bytes("svg")).decode("ascii")
    except Error as error:
        return from_markdown(f"No figure: {error}.")
    return f'<img alt="{html.escape(plot.title)}" style="max-width:100%" src="data:image/svg+xml;base64,{drawn}">'
