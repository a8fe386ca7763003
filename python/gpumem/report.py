"""A report: what the program wrote, as JSON, as a frame of pandas, as a table, as a plot."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import html
from .errors import Error, missing
from .program import output

if TYPE_CHECKING:
    import pandas


class Report(Mapping[str, Any]):
    """A report as `gpumem ... --output FILE.json` writes it, its members as docs/report.md has them:
    report["results"][0]["bandwidth_gb_per_s"]["measured"]. Nothing in it is worked out here."""

    def __init__(self, text: str, exit_code: int | None = None):
        """text: the JSON. exit_code: what the program that wrote it ended with; None where nobody knows."""
        self._text = text
        try:
            self._data: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise Error(f"this is no report of gpumem, for it is no JSON: {error}", 2) from error
        self.exit_code = exit_code

    @classmethod
    def load(cls, path: str | os.PathLike) -> Report:
        """Reads a file, also one of an older version; raises Error where it is none."""
        return cls(output("show", path, "--format", "json"))

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    @property
    def results(self) -> list[dict[str, Any]]:
        """The cases, in their order."""
        return self._data["results"]

    @property
    def passed(self) -> bool | None:
        """Whether `gpumem check` passed, as the report says; of anything else, whether the program that was called for it
        ended with 0. Of a report that was read, whether every case ran and moved the right data, or the watched program
        ended well; None where it does not tell: nothing was verified, or an older check in which nothing failed."""
        if self._data.get("passed") is not None:
            return self._data["passed"]
        if self.exit_code is not None:
            return self.exit_code == 0
        if checks := self._data.get("checks"):
            return False if any(check["verdict"] == "fail" for check in checks) else None
        if program := self._data.get("program"):
            return None if program["exit_code"] is None else program["exit_code"] == 0
        if any(case["status"] != "ok" or case["verified"] is False for case in self.results):
            return False
        return True if self.results and all(case["verified"] for case in self.results) else None

    def frame(self) -> pandas.DataFrame:
        """A row per case, with the columns of `--format csv`. frame.attrs["quantities"] has the purpose and the unit of
        each quantity among them, by its name."""
        try:
            import pandas
        except ImportError as error:
            raise missing("pandas", "a frame") from error
        frame = pandas.read_csv(io.StringIO(self.show("csv")))
        frame.attrs["quantities"] = self._data.get("quantities") or {}
        return frame

    def show(self, format: str = "table") -> str:
        """As `gpumem show` prints it: table, csv, markdown, json, junit, openmetrics or trace."""
        return output("show", "-", "--format", format, given=self._text)

    def explain(self) -> str:
        """As `gpumem explain` prints it: what limits each case, and what would help."""
        return output("explain", "-", given=self._text)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the JSON."""
        Path(path).write_text(self._text, encoding="utf-8")

    def plot(self, figure: str | None = None, *, y: str | None = None, scale: str | None = None) -> Plot:
        """Draws it, as report/plot.py does. figure: a probe, "roofline", "savings" or "timeline"; every probe
        if it is None. y: the quantity that the y axis shows. scale: "linear" or "log"."""
        return Plot([self], figure, y, scale)

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        device = (self._data.get("device") or {}).get("name", "no GPU")
        how = "predicted" if self._data.get("backend") == "model" else "measured"
        return f"<gpumem.Report of {len(self.results)} cases, {how}: {device}>"

    def _repr_html_(self) -> str:
        return html.from_markdown(self.show("markdown"))


class Plot:
    """A figure of one report or several. A notebook shows it; save() writes .svg, .png, .pdf, or .html to click on."""

    def __init__(self, reports: Iterable[Report], figure: str | None = None, y: str | None = None,
                 scale: str | None = None):
        from .plotting import figures
        from .plotting.errors import UserError
        from .plotting.reports import labelled, parse

        if scale not in (None, "linear", "log"):
            raise Error(f"scale is linear or log, and not '{scale}'", 2)
        try:
            parsed = [parse(report._text, f"report {number + 1}") for number, report in enumerate(reports)]
            if not parsed:
                raise Error("there is no report to plot: the list is empty", 2)
            self._figure = figures.build(labelled(parsed), figure, {}, y, scale)
        except UserError as error:
            raise Error(re.sub(r"--(?=figure |y )", "", str(error)), 2) from error  # options there, arguments here

    def bytes(self, kind: str) -> bytes:
        """The content of a file of that kind: svg, png, pdf or html."""
        from .plotting import command, page

        if kind not in command.KINDS:
            raise Error(f"a figure is {', '.join(command.KINDS[:-1])} or {command.KINDS[-1]}, and not '{kind}'", 2)
        try:
            return page.render(self._figure) if kind == "html" else command.draw(self._figure, kind)
        except command.UserError as error:
            raise Error(str(error), 2) from error

    def save(self, path: str | os.PathLike) -> None:
        """Writes it in the format of the extension."""
        Path(path).write_bytes(self.bytes(Path(path).suffix[1:].lower()))

    def __repr__(self) -> str:
        return f"<gpumem.Plot of {self._figure.title}>"

    def _repr_svg_(self) -> str:
        return self.bytes("svg").decode("utf-8")


def read(paths: str | os.PathLike | Iterable[str | os.PathLike]) -> pandas.DataFrame:
    """A frame of one report or several, a row per case: see Report.frame(). Of several the first column, `report`, says
    which one a row is of."""
    if isinstance(paths, (str, os.PathLike)):
        return Report.load(paths).frame()
    names = [os.fspath(path) for path in paths]
    if not names:
        raise Error("there is no report to read: the list of paths is empty", 2)
    frames = [Report.load(name).frame() for name in names]
    import pandas

    quantities = {name: about for frame in frames for name, about in frame.attrs["quantities"].items()}
    for frame in frames:
        frame.attrs.clear()  # frames with different ones cannot be put together
    together = pandas.concat([pandas.concat([pandas.Series(name, frame.index, name="report"), frame], axis=1)
                              for name, frame in zip(names, frames)], ignore_index=True)
    together.attrs["quantities"] = quantities
    return together
