"""The results of comparing reports, and portraits."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from . import frames
from .arguments import FilePath
from .plotting.markdown import from_markdown
from .report import Document, Report

if TYPE_CHECKING:
    from polars import DataFrame as PolarsFrame  # type: ignore[import,unused-ignore]

    from .frames import DataFrame


class Comparison(Document):
    """Reports held against each other, as `gpumem compare --format json` writes it (docs/compare.md)."""

    def __init__(self, text: str, exit_code: int, *, table: str, markdown: str, csv: str, gated: bool):
        """gated: whether fail_on_regression was given."""
        super().__init__(text, exit_code)
        self._table, self._markdown, self._csv, self._gated = table, markdown, csv, gated

    @property
    def passed(self) -> bool | None:
        """With fail_on_regression, whether nothing is surely slower by more than that and nothing failed. Without it
        None, however the reports differ."""
        return self.exit_code == 0 if self._gated else None

    def frame(self, *, all: bool = False) -> DataFrame:
        """A row per case, or with fleet=True per case and machine. The rest is as for Report.frame()."""
        return frames.of_csv(self._csv, all=all)

    def to_polars(self, *, all: bool = False) -> PolarsFrame:
        """The same as a frame of polars."""
        return frames.polars_of_csv(self._csv, all=all)

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        verdict = next((line for line in self._table.splitlines()[::-1] if " same, " in line), "nothing in common")
        return f"<gpumem.Comparison: {verdict}>"

    def _repr_html_(self) -> str:
        return from_markdown(self._markdown)


class Portrait:
    """A GPU's memory on one page, as `gpumem portrait` draws it, or several GPUs beside each other."""

    def __init__(self, page: str, table: str, report: Report | None):
        """report: what was measured or predicted for it; None for a portrait of saved reports."""
        self.page, self.report, self._table = page, report, table

    def save(self, path: FilePath) -> None:
        """Writes the page, which is HTML."""
        Path(path).write_text(self.page, encoding="utf-8")

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return f"<gpumem.Portrait of {self._table.partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        """In a frame, for the page has styles of its own."""
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width:100%;height:60em;border:0"></iframe>'
