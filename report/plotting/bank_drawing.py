"""Draws a tile of shared memory: a cell an element, in the colour of its bank. The elements that the slowest request
accesses are in full colour, with the number of their wavefront; the others are pale."""

from __future__ import annotations

import textwrap
from typing import Any

from .matplotlib_parts import Artist, Axes, Rectangle
from .matrix_drawing import COLOURS_OF_VALUES
from .model import INK, BankGrid, Block, Panel
from .panel_drawing import draw_titles, letters_in

GRID_INCHES, AROUND_INCHES = 5.4, 1.9  # of all rows, and of titles and axis
ROW_INCHES = 0.09, 0.3  # the least and the most
BESIDE_INCHES = 1.4  # of labels and the scale of colours
POINTS_PER_INCH, LETTER_WIDTH = 72, 0.62  # of a size of print
SIZES = 3.6, 9.0  # of numbers, the least and the most
PALE = 0.35


def inches(panel: Panel) -> float:
    rows = len(panel.grid.rows) if panel.grid else 0
    least, most = ROW_INCHES
    return AROUND_INCHES + rows * min(max(GRID_INCHES / max(rows, 1), least), most)


def size_of_numbers(panel: Panel, grid: BankGrid, width: float) -> float:
    """The size at which numbers fit into the cells, as far as it can be read."""
    letters = max((len(str(wavefront)) for _, _, wavefront in grid.marks), default=1)
    high = (inches(panel) - AROUND_INCHES) / len(grid.rows) * POINTS_PER_INCH
    wide = max(width - BESIDE_INCHES, 1) / len(grid.rows[0]) * POINTS_PER_INCH / (letters * LETTER_WIDTH)
    return max(SIZES[0], min(SIZES[1], 0.95 * high, wide))


def draw(axes: Axes, panel: Panel, width: float) -> None:
    """In axes that are `width` inches wide."""
    grid = panel.grid
    if grid is None:
        return
    quantity = panel.quantities[0]
    draw_titles(axes, panel, letters_in(width))
    looks: dict[str, Any] = {"cmap": COLOURS_OF_VALUES, "aspect": "auto", "vmin": quantity.low, "vmax": quantity.high,
                             "interpolation": "nearest"}
    axes.imshow(grid.rows, alpha=PALE, **looks).set_gid(f"{panel.name}.banks")
    accessed = [[float("nan")] * len(row) for row in grid.rows]
    for row, column, _ in grid.marks:
        accessed[row][column] = grid.rows[row][column]
    image: Any = axes.imshow(accessed, **looks)
    image.set_gid(f"{panel.name}.request")
    size = size_of_numbers(panel, grid, width)
    for row, column, wavefront in grid.marks:
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=0.4))
        dark = image.norm(grid.rows[row][column]) < 0.6
        axes.annotate(str(wavefront), (column, row), ha="center", va="center_baseline", fontsize=size,
                      color="white" if dark else INK, annotation_clip=True)
    axes.set_xticks([place for place, _ in panel.x.ticks], [text for _, text in panel.x.ticks])
    axes.set_yticks([place for place, _ in grid.ticks], [text for _, text in grid.ticks])
    axes.set_xlabel(f"{panel.x.label}\n{textwrap.fill(grid.text, letters_in(width) * 9 // 10)}")
    axes.set_ylabel("row")
    axes.grid(False)
    axes.figure.colorbar(image, ax=axes, label=quantity.label, ticks=[0, 8, 16, 24, 31], fraction=0.06, pad=0.02)


def legends(_: Block) -> list[list[Artist]]:
    return []
