"""Writes a figure as one interactive page that needs nothing else: no network, no other file, no library."""

import html
import json
import re
from dataclasses import asdict
from pathlib import Path

from plotting.looks import COLOURS, INK, MARKERS
from plotting.reports import DISTURBED

HERE = Path(__file__).parent


def known(value):
    """Without what is absent, to keep the page small."""
    if isinstance(value, dict):
        return {name: known(part) for name, part in value.items() if part is not None and part != {}}
    return [known(part) for part in value] if isinstance(value, (list, tuple)) else value


def data_of(figure):
    """As JSON that can stand in a page: no text in it ends the element that holds it."""
    data = {"blocks": known(asdict(figure)["blocks"]), "looks": {"colours": COLOURS, "markers": MARKERS, "ink": INK},
            "disturbed": DISTURBED}
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def render(figure):
    parts = {"title": html.escape(figure.title), "subtitle": html.escape(figure.subtitle), "data": data_of(figure),
             "style": (HERE / "page.css").read_text(encoding="utf-8"),
             "script": (HERE / "page.js").read_text(encoding="utf-8")}
    template = (HERE / "page.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)  # once: what is put in stays as it is
    return page.encode("utf-8", "replace")
