"""A report: what the program wrote, as JSON, as a frame of pandas or polars, as a table, as a plot."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import frames
from .arguments import FilePath, selection
from .errors import Error
from .plot import Plot, Scale, picture
from .plotting.markdown import from_markdown
from .program import output
from .text import Text, of_cases

if TYPE_CHECKING:
    from polars import DataFrame as PolarsFrame  # type: ignore[import,unused-ignore]

    from .frames import DataFrame

Format = Literal["table", "csv", "markdown", "json", "junit", "openmetrics", "trace"]


class Document(Mapping[str, Any]):
    """A JSON document that the program wrote. Nothing in it is worked out here."""

    def __init__(self, text: str, exit_code: int | None = None):
        """text: the JSON. exit_code: what the program that wrote it ended with; None where nobody knows."""
        self.text = text
        try:
            self._data: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise Error(f"this is no report of gpumem, for it is no JSON: {error}", 2) from error
        self.exit_code = exit_code

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def save(self, path: FilePath) -> None:
        """Writes the JSON."""
        Path(path).write_text(self.text, encoding="utf-8")


class Report(Document):
    """A report as `gpumem ... --output FILE.json` writes it, its members as docs/report.md has them:
    report["results"][0]["bandwidth_gb_per_s"]["measured"]."""

    @classmethod
    def load(cls, path: FilePath) -> Report:
        """Reads a file, also one of an older version; raises Error where it is none."""
        return cls(output("show", path, "--format", "json"))

    @property
    def results(self) -> list[dict[str, Any]]:
        """The cases, in their order."""
        cases: list[dict[str, Any]] = self["results"]
        return cases

    @property
    def passed(self) -> bool | None:
        """The same before it is saved and after it is loaded: whether a check passed, whether a command ended with 0,
        and otherwise whether every case ran and none moved wrong data. None where the report does not tell: it has no
        cases, or is an older check in which nothing failed."""
        if (said := self.get("passed")) is not None:
            return bool(said)
        if checks := self.get("checks"):
            return False if any(check["verdict"] == "fail" for check in checks) else None
        if program := self.get("program"):
            return None if program["exit_code"] is None else program["exit_code"] == 0
        if not self.results:
            return None
        return all(case["status"] == "ok" and case["verified"] is not False for case in self.results)

    def frame(self, *, all: bool = False) -> DataFrame:
        """A row per case, with the columns that hold something, under short names (docs/python.md). all: every column
        of `--columns all` under its own name. frame.attrs["quantities"] has the purpose and the unit of each quantity
        among them, by its column."""
        return frames.of_csv(self._csv(all), self.get("quantities"), all=all)

    def to_polars(self, *, all: bool = False) -> PolarsFrame:
        """The same columns as a frame of polars. Whole numbers are Int64, others Float64, and what is missing is null."""
        return frames.polars_of_csv(self._csv(all), all=all)

    def _csv(self, all: bool) -> str:
        return output("show", "-", *frames.csv_options(all), given=self.text)

    def show(self, format: Format = "table") -> str:
        """As `gpumem show` prints it."""
        return output("show", "-", "--format", format, given=self.text)

    def explain(self, *cases: int | str | Iterable[int], **parameters: object) -> Text:
        """Explains what limits each case and what would help, as `gpumem explain` does: explain(0), explain(range(3)),
        explain(offset=[0, 1], op="write"); without arguments, all cases. A notebook unfolds each case."""
        chosen = selection(cases, parameters)
        plain, markdown = (output("explain", "-", *chosen, "--format", form, given=self.text)
                           for form in ("text", "markdown"))
        return of_cases(plain, markdown)

    def plot(self, figure: str | None = None, *, y: str | None = None, scale: Scale | None = None,
             **parameters: object) -> Plot:
        """Draws it: see Plot."""
        return Plot([self], figure, y, scale, **parameters)

    @property
    def unused_gpu(self) -> str | None:
        """That the command of a run used no GPU, in words; None if it did, or there is none."""
        program = self.get("program")
        if not program or program["processes"]:
            return None
        return f"{program['command'][0]} used no GPU, so there is nothing to show"

    def __str__(self) -> str:
        return self.unused_gpu or self.show()

    def __repr__(self) -> str:
        return f"<gpumem.Report of {self._said()}>"

    def _said(self) -> str:
        if self.unused_gpu:
            return f"a command: {self.unused_gpu}"
        device = (self.get("device") or {}).get("name", "no GPU")
        origin = f"{'predicted' if self.get('backend') == 'model' else 'measured'}: {device}"
        checks, passed = self.get("checks"), self.passed
        if not checks or passed is None:
            return f"{len(self.results)} cases, {origin}"
        counts = Counter(check["verdict"] for check in checks)
        return (f"{self.get('suite') or 'a check'}: {'PASS' if passed else 'FAIL'}, {counts['pass']} passed,"
                f" {counts['fail']} failed, {counts['skip']} skipped, {origin}")

    def _repr_html_(self) -> str:
        """Its figure, if matplotlib is there, and its tables."""
        return from_markdown(self.unused_gpu) if self.unused_gpu else picture(self) + from_markdown(self.show("markdown"))


def read(paths: FilePath | Iterable[FilePath], *, all: bool = False) -> DataFrame:
    """A frame of one report or several, a row per case: see Report.frame(). paths: files, folders of reports, and
    patterns such as "reports/**/*.json". With several reports, the first column, `report`, names the report of each
    row."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files = list(dict.fromkeys(file for path in given for file in frames.files_of(os.fspath(path))))
    if not files:
        raise Error("there is no report to read: the list of paths is empty", 2)
    with ThreadPoolExecutor() as pool:  # the program works meanwhile
        csv = pool.submit(output, "show", *files, *frames.csv_options(all))
        frames.library("pandas")
        known = {name: about for quantities in pool.map(quantities_of, files) for name, about in quantities.items()}
        frame = frames.of_csv(csv.result(), known, all=all)
    is_one = isinstance(paths, (str, os.PathLike)) and files == [os.fspath(paths)]
    if len(files) == 1 and not is_one:  # several have the column already
        frame.insert(0, "report", files[0])
    return frame


def quantities_of(path: str) -> Mapping[str, Any]:
    """The quantities as a file describes them; those of an older or packed one as the program does."""
    try:
        found = json.loads(Path(path).read_bytes()).get("quantities")
    except (OSError, ValueError, AttributeError):
        found = None
    quantities: Mapping[str, Any] = found or Report.load(path)["quantities"]
    return quantities
