"""Draws a figure with matplotlib, 3.6 or newer. The same figure makes the same bytes, fit to be committed."""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import bank_drawing, matrix_drawing, panel_drawing, sideways_drawing, stacked_drawing
from .matplotlib_parts import Artist, Axes, Canvas, ConstrainedLayoutEngine, ScaledTranslation, SubplotSpec, matplotlib
from .model import INK, Block, Figure, Panel
from .panel_drawing import LETTERS_PER_INCH, MUTED, letters_in

WIDTH_INCHES = {1: 8.6, 2: 12.4, 3: 15.6}
HEADER_INCHES = 0.55  # of what the panels of a block have in common
LEGEND_LINE_INCHES, LEGEND_INCHES = 0.225, 0.08  # of a line, and of what is around all lines
LETTERS_BESIDE_LABEL = 9  # that the mark of a legend's entry and the gaps around it have room for
TITLE_INCHES = 0.85
MAKER = "gpumem"
METADATA = {"svg": {"Date": None, "Creator": MAKER}, "png": {"Software": MAKER},
            "pdf": {"CreationDate": None, "Creator": MAKER}}
SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 11, "axes.titlesize": 12.5,
    "axes.labelsize": 11, "legend.fontsize": 10.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": MUTED, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.grid": True, "grid.color": "#e3e3e3", "grid.linewidth": 0.8, "axes.axisbelow": True,
    "image.composite_image": False,  # images keep their ids
    "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "gpumem", "pdf.fonttype": 42}


def draw(figure: Figure, kind: str) -> bytes:
    """The bytes of a file of `kind`: svg, png or pdf."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **SETTINGS}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a glyph that the font lacks is no reason to alarm
        out = io.BytesIO()
        drawn(figure).savefig(out, format=kind, metadata=METADATA[kind], dpi=110)
    return out.getvalue()


# ---- Where panels go

def columns_of(block: Block) -> int:
    return {1: 1, 2: 2, 4: 2}.get(len(block.panels), 3)


def is_half(block: Block) -> bool:
    return len(block.panels) == 1 and not block.panels[0].wide


def in_rows(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks of one panel stand two in a row, larger and wide ones have a row for themselves."""
    rows: list[list[Block]] = []
    for block in blocks:
        half = [row for row in rows if len(row) == 1 and is_half(row[0]) and is_half(block)]
        if half:
            half[0].append(block)
        else:
            rows.append([block])
    return rows


def legend_shape(handles: Sequence[Artist], width: float) -> tuple[int, int]:
    """Columns and lines of a legend in so many inches."""
    longest = max(len(str(handle.get_label())) for handle in handles) + LETTERS_BESIDE_LABEL
    columns = max(1, min(len(handles), int(width * LETTERS_PER_INCH / longest)))
    lines = -(-len(handles) // columns)
    return -(-len(handles) // lines), lines


def legend_inches(handles: Sequence[Artist], width: float) -> float:
    return legend_shape(handles, width)[1] * LEGEND_LINE_INCHES + LEGEND_INCHES


def drawing_of(panel: Panel) -> ModuleType:
    if panel.sideways:
        return sideways_drawing
    if panel.grid:
        return bank_drawing
    return stacked_drawing if panel.stacked else matrix_drawing if panel.matrix else panel_drawing


class Row:
    """Blocks side by side, and how high they are in inches: their panels, and their legends below."""

    def __init__(self, blocks: Sequence[Block], width: float, places: int):
        self.blocks, self.width, self.places = blocks, width / places, places
        self.legends = [drawing_of(block.panels[0]).legends(block) for block in blocks]
        self.columns = columns_of(blocks[0])
        self.lines = -(-len(blocks[0].panels) // self.columns)
        self.line_inches = max(drawing_of(block.panels[0]).inches(block.panels[0]) for block in blocks)
        self.headers = [HEADER_INCHES] * bool(blocks[0].title)
        self.above = sum(self.headers) + self.lines * self.line_inches
        self.below = max(sum(legend_inches(handles, self.width) for handles in legends) for legends in self.legends)
        self.below = max(self.below, LEGEND_INCHES)  # no height at all is none that the layout can do with

    def draw(self, canvas: Canvas, place: SubplotSpec) -> None:
        grid = place.subgridspec(1, self.places)
        for i, (block, legends) in enumerate(zip(self.blocks, self.legends)):
            heights = [*self.headers, *[self.line_inches] * self.lines, self.below]
            cells = grid[0, i].subgridspec(len(heights), self.columns, height_ratios=heights)
            if self.headers:
                self.draw_header(canvas.add_subplot(cells[0, :]), block)
            for number, panel in enumerate(block.panels):
                line, column = divmod(number, self.columns)
                cell = cells[len(self.headers) + line, column]
                drawing_of(panel).draw(canvas.add_subplot(cell), panel, self.width / self.columns)
            self.draw_legends(canvas.add_subplot(cells[-1, :]), legends)

    def draw_header(self, axes: Axes, block: Block) -> None:
        """Draws the title and the subtitle, which say what the panels have in common."""
        axes.axis("off")
        letters = letters_in(self.width)
        axes.text(0, 1, block.title, fontsize=13.5, fontweight="bold", va="top")
        common = textwrap.shorten(block.subtitle, letters * 11 // 10, placeholder=" ...")
        axes.annotate(common, (0, 1), xycoords="axes fraction", xytext=(0, -20), textcoords="offset points",
                      color=MUTED, fontsize=10, va="top").set_in_layout(False)

    def draw_legends(self, axes: Axes, legends: Sequence[Sequence[Artist]]) -> None:
        """In inches under each other: the layout makes these axes lower than they were meant to be."""
        axes.axis("off")
        used = 0.0
        for handles in legends:
            under = axes.transAxes + ScaledTranslation(0, -used, axes.figure.dpi_scale_trans)
            columns, _ = legend_shape(handles, self.width)
            by_column = [handle for column in range(columns) for handle in handles[column::columns]]  # to read by line
            legend = axes.legend(handles=by_column, ncol=columns, loc="upper center",
                                 bbox_to_anchor=(0.5, 1), bbox_transform=under, frameon=False, borderaxespad=0,
                                 borderpad=0.2, handlelength=2.6, columnspacing=1.8)
            if handles is not legends[-1]:  # the last one stays by itself
                axes.add_artist(legend)
            used += legend_inches(handles, self.width)


def drawn(figure: Figure) -> Canvas:
    blocks = in_rows(figure.blocks)
    # A lone curve needs no whole row.
    places = [2 if is_half(row[0]) and len(figure.blocks) > 1 else 1 for row in blocks]
    width = WIDTH_INCHES[max(max(columns_of(row[0]), of_row) for row, of_row in zip(blocks, places))]
    rows = [Row(row, width, of_row) for row, of_row in zip(blocks, places)]
    total = sum(row.above for row in rows) + sum(row.below for row in rows) + TITLE_INCHES

    canvas = Canvas(figsize=(width, total), layout=ConstrainedLayoutEngine(h_pad=0.06, w_pad=0.08))
    canvas.suptitle(figure.title + "\n ", fontsize=14.5, fontweight="bold", x=0.1 / width, ha="left")
    canvas.text(0.1 / width, 1 - 0.38 / total, figure.subtitle, color=MUTED, fontsize=10.5, va="top")
    grid = canvas.add_gridspec(len(rows), 1, height_ratios=[row.above + row.below for row in rows])
    for i, row in enumerate(rows):
        row.draw(canvas, grid[i, 0])
    return canvas
