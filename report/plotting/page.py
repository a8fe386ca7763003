"""Writes a figure as one interactive page that needs nothing else: no network, no other file, no library."""

import html
import json
import re
from dataclasses import asdict
from pathlib import Path

from .model import COLOURS, INK, MARKERS
from .reports import DISTURBED

HERE = Path(__file__).parent


def known(value):
    """Without what is absent, to keep the page small."""
    if isinstance(value, dict):
        return {name: known(part) for name, part in value.items() if part is not None and part != {}}
    return [known(part) for part in value] if isinstance(value, (list, tuple)) else value


def render(figure):
    looks = {"colours": COLOURS, "markers": MARKERS, "ink": INK}
    data = json.dumps({"blocks": known(asdict(figure)["blocks"]), "looks": looks, "disturbed": DISTURBED},
                      allow_nan=False, separators=(",", ":"))
    for mark in "<>&":  # no text in it ends the element that holds it
        data = data.replace(mark, f"\\u{ord(mark):04x}")
    parts = {"title": html.escape(figure.title), "subtitle": html.escape(figure.subtitle), "data": data,
             "style": (HERE / "page.css").read_text(encoding="utf-8"),
             "script": (HERE / "page.js").read_text(encoding="utf-8")}
    template = (HERE / "page.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)  # once: what is put in stays as it is
    return page.encode("utf-8", "replace")
