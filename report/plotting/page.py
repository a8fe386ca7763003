"""Writes a figure as one interactive page that needs nothing else: no network, no other file. plotly draws it there.
The page begins with the part of the program's text that stands before all tables, and ends with the tables."""

from __future__ import annotations

import html
import importlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .errors import Missing
from .markdown import from_markdown, split_at_tables
from .model import COLOURS, MARKERS, Figure
from .reports import DISTURBED

HERE = Path(__file__).parent


def known(value: Any) -> Any:
    """Without what is absent, to keep the page small."""
    if isinstance(value, dict):
        return {name: known(part) for name, part in value.items() if part is not None and part != {}}
    return [known(part) for part in value] if isinstance(value, (list, tuple)) else value


def library() -> str:
    """The script that draws: the one that was installed with this, else that of the Python package."""
    brought = HERE.parent / "plotly.min.js"
    if brought.exists():
        return brought.read_text(encoding="utf-8")
    try:
        plotly = importlib.import_module("plotly.offline")
    except ImportError as error:
        raise Missing(f"pages take plotly ({error}); 'python3 -m pip install plotly' installs it, and .svg, .png and"
                      " .pdf take matplotlib instead") from error
    return str(plotly.get_plotlyjs())


def paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts)


def folded(tables: str, is_all: bool) -> str:
    """Tables are long, and figures say the same, where there are any."""
    return f"<details{' open' if is_all else ''}><summary>All numbers</summary>{tables}</details>" if tables else ""


def render(figure: Figure, text: str = "") -> bytes:
    """`text` is Markdown."""
    plain = asdict(figure)
    lead, tables = split_at_tables(text)
    data = json.dumps({"blocks": known(plain["blocks"]), "timelines": known(plain["timelines"]),
                       "looks": {"colours": len(COLOURS), "markers": MARKERS}, "disturbed": DISTURBED},
                      allow_nan=False, separators=(",", ":"))
    for mark in "<>&":  # no text in it ends the element that holds it
        data = data.replace(mark, f"\\u{ord(mark):04x}")
    parts = {"title": html.escape(figure.title), "subtitle": html.escape(figure.subtitle), "data": data,
             "lead": paragraphs(figure.said) + from_markdown(lead),
             "tables": folded(from_markdown(tables), not figure.blocks),
             "plotly": library() if figure.blocks else "", "style": (HERE / "page.css").read_text(encoding="utf-8"),
             "script": (HERE / "page.js").read_text(encoding="utf-8")}
    template = (HERE / "page.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)  # once: what is put in stays as it is
    return page.encode("utf-8", "replace")
