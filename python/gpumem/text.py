"""Text that a notebook shows as HTML."""

from __future__ import annotations

import re

from .plotting.markdown import from_markdown, preformatted, text_of

HEADING_OF_CASE = re.compile(r"^### ", re.MULTILINE)


class Text(str):
    """Text that the program printed, with an HTML form for notebooks."""

    def __new__(cls, text: str, page: str | None = None) -> Text:
        """page: its HTML; without one it is shown as it stands."""
        made = super().__new__(cls, text)
        made._page = preformatted(text) if page is None else page
        return made

    _page: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self._page


def of_cases(text: str, markdown: str) -> Text:
    """An explanation; of several cases, each unfolds under its heading."""
    head, *cases = HEADING_OF_CASE.split(markdown)
    if len(cases) < 2:
        return Text(text, from_markdown(markdown))
    return Text(text, "\n".join([from_markdown(head), *map(folded, cases)]))


def folded(case: str) -> str:
    title, _, rest = case.partition("\n")
    return f"<details><summary>{text_of(title)}</summary>\n{from_markdown(rest)}</details>"
