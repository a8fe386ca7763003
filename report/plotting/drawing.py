"""Draws a figure with matplotlib, 3.6 or newer. The same figure makes the same bytes, fit to be committed."""

import io
import logging
import warnings

from plotting.command import UserError
from plotting.looks import INK, LETTERS_PER_INCH, MUTED

PANEL_INCHES = 4.2  # height of a panel with its title and labels
WIDTH_INCHES = {1: 8.6, 2: 12.4, 3: 15.6}
LEGEND_LINE_INCHES, LEGEND_INCHES = 0.225, 0.08  # of a line, and of what is around all lines
TITLE_INCHES = 0.85
MAKER = "gpumem report/plot.py"
METADATA = {"svg": {"Date": None, "Creator": MAKER}, "png": {"Software": MAKER},
            "pdf": {"CreationDate": None, "Creator": MAKER}}
SETTINGS = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 11, "axes.titlesize": 12.5,
    "axes.labelsize": 11, "legend.fontsize": 10.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": MUTED, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.grid": True, "grid.color": "#e3e3e3", "grid.linewidth": 0.8, "axes.axisbelow": True,
    "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "gpumem", "pdf.fonttype": 42}


def draw(figure, kind):
    """The bytes of a file of `kind`: svg, png or pdf."""
    try:  # a page does without it, so that nothing else may import it
        import matplotlib
        from matplotlib.figure import Figure as Canvas
    except ImportError as error:
        raise UserError(f"cannot draw .{kind} without matplotlib ({error}); 'python3 -m pip install matplotlib' or"
                        " 'apt-get install python3-matplotlib' installs it, and .html does without") from error
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **SETTINGS}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a glyph that the font lacks is no reason to alarm
        out = io.BytesIO()
        drawn(figure, Canvas).savefig(out, format=kind, metadata=METADATA[kind], dpi=110)
    return out.getvalue()


# ---- Where panels go

def columns_of(block):
    return {1: 1, 2: 2, 4: 2}.get(len(block), 3)


def lines_of(block):
    return -(-len(block) // columns_of(block))


def in_rows(blocks):
    """Blocks of one panel stand two in a row, larger ones have a row for themselves."""
    rows, open_row = [], None
    for block in blocks:
        if len(block) == 1 and open_row:
            open_row.append(block)
            open_row = None
            continue
        rows.append([block])
        if len(block) == 1:
            open_row = rows[-1]
    return rows


def legend_shape(handles, width):
    """Columns and lines of a legend in so many inches."""
    longest = max(len(handle.get_label()) for handle in handles)
    columns = max(1, min(len(handles), int(width * LETTERS_PER_INCH / (longest + 6))))
    return columns, -(-len(handles) // columns)


def legend_inches(legends, width):
    return sum(legend_shape(handles, width)[1] * LEGEND_LINE_INCHES + LEGEND_INCHES for handles in legends)


def drawn(figure, canvas_class):
    from plotting import panel_drawing
    rows = in_rows(figure.blocks)
    width = WIDTH_INCHES[max(columns_of(row[0]) if len(row) == 1 else 2 for row in rows)]
    single = len(rows) == 1 and len(rows[0]) == 1
    across = [2 if len(row[0]) == 1 and not single else 1 for row in rows]  # a lone curve needs no whole row
    legends = [[panel_drawing.legends(block) for block in row] for row in rows]
    below = [max(legend_inches(of_block, width / places) for of_block in of_row)
             for of_row, places in zip(legends, across)]
    above = [lines_of(row[0]) * PANEL_INCHES for row in rows]
    total = sum(above) + sum(below) + TITLE_INCHES

    canvas = canvas_class(figsize=(width, total), layout="constrained")
    canvas.get_layout_engine().set(h_pad=0.06, w_pad=0.08)
    canvas.suptitle(figure.title + "\n ", fontsize=14.5, fontweight="bold", x=0.1 / width, ha="left")
    canvas.text(0.1 / width, 1 - 0.38 / total, figure.subtitle, color=MUTED, fontsize=10.5, va="top")
    grid = canvas.add_gridspec(len(rows), 1, height_ratios=[sum(heights) for heights in zip(above, below)])
    for i, row in enumerate(rows):
        places = grid[i].subgridspec(1, across[i])
        for j, block in enumerate(row):
            add_block(canvas, places[j], panel_drawing.draw, block, legends[i][j], width / across[i], above[i],
                      below[i])
    return canvas


def add_block(canvas, place, draw_panel, block, legends, width, above, below):
    """The panels of a block, and one legend for all of them under them."""
    from matplotlib.transforms import ScaledTranslation
    columns, lines = columns_of(block), lines_of(block)
    cells = place.subgridspec(lines + 1, columns, height_ratios=[above / lines] * lines + [below])
    for k, panel in enumerate(block):
        draw_panel(canvas.add_subplot(cells[k // columns, k % columns]), panel, width / columns)
    axes = canvas.add_subplot(cells[lines, :])
    axes.axis("off")
    used = 0
    for handles in legends:
        # In inches: the layout makes these axes lower than they were meant to be.
        under = axes.transAxes + ScaledTranslation(0, -used, canvas.dpi_scale_trans)
        legend = axes.legend(handles=handles, ncol=legend_shape(handles, width)[0], loc="upper center",
                             bbox_to_anchor=(0.5, 1), bbox_transform=under, frameon=False, borderaxespad=0,
                             borderpad=0.2, handlelength=2.6, columnspacing=1.8)
        if handles is not legends[-1]:  # the last one stays by itself
            axes.add_artist(legend)
        used += legend_inches([handles], width)
