"""Writes a figure as one interactive page that needs nothing else: no network, no other file, no library."""

import html
import json
import re
from dataclasses import asdict, replace
from pathlib import Path

from plotting.looks import COLOURS, INK, MARKERS
from plotting.readings import DISTURBED

HERE = Path(__file__).parent


def chosen(panel, y, scale):
    """The panel with the asked-for quantity first, and with the asked-for scale."""
    quantities = sorted(panel.quantities, key=lambda quantity: quantity.name != y) if y else panel.quantities
    if scale:
        quantities = [replace(quantity, log=scale == "log") for quantity in quantities]
    return replace(panel, quantities=quantities)


def known(value):
    """Without what is absent, to keep the page small."""
    if isinstance(value, dict):
        return {name: known(part) for name, part in value.items() if part is not None and part != {}}
    return [known(part) for part in value] if isinstance(value, (list, tuple)) else value


def data_of(figure, y, scale):
    """As JSON that can stand in a page: no text in it ends the element that holds it."""
    blocks = [[known(asdict(chosen(panel, y, scale))) for panel in block] for block in figure.blocks]
    data = {"blocks": blocks, "looks": {"colours": COLOURS, "markers": MARKERS, "ink": INK}, "disturbed": DISTURBED}
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def render(figure, y, scale):
    parts = {"title": html.escape(figure.title), "subtitle": html.escape(figure.subtitle),
             "data": data_of(figure, y, scale), "style": (HERE / "page.css").read_text(encoding="utf-8"),
             "script": (HERE / "page.js").read_text(encoding="utf-8")}
    template = (HERE / "page.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)  # once: what is put in stays as it is
    return page.encode("utf-8", "replace")
