"""Figures of reports, as report/plot.py draws them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .arguments import FilePath
from .errors import Error

if TYPE_CHECKING:
    from .report import Report

Scale = Literal["linear", "log"]


class Plot:
    """A figure of one report or several. A notebook shows it; save() writes .svg, .png, .pdf, or .html to click on."""

    def __init__(self, reports: Iterable[Report], figure: str | None = None, y: str | None = None,
                 scale: Scale | None = None):
        from .plotting import figures
        from .plotting.errors import UserError
        from .plotting.reports import labelled, parse

        if scale not in (None, "linear", "log"):
            raise Error(f"scale is linear or log, and not '{scale}'", 2)
        try:
            parsed = [parse(report.text, f"report {number + 1}") for number, report in enumerate(reports)]
            if not parsed:
                raise Error("there is no report to plot: the list is empty", 2)
            self._figure = figures.build(labelled(parsed), figure, {}, y, scale)
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

    def __repr__(self) -> str:
        return f"<gpumem.Plot of {self._figure.title}>"

    def _repr_svg_(self) -> str:
        return self.bytes("svg").decode("utf-8")
