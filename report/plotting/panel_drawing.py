"""Draws one panel into matplotlib's axes, and what its legend says. Every group of marks has the id of its series."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Container
from typing import Any

from .matplotlib_parts import Artist, Axes, Line2D, LogLocator, NullLocator, Patch
from .model import AROUND_AREAS, COLOURS, INK, MARKERS, READINGS, Block, Guide, Panel, Point, Quantity, Series, radius
from .reports import DISTURBED
from .scales import guides_of, span

PANEL_INCHES = 4.2  # height with its title and labels
LETTERS_PER_INCH = 11.0  # of the size that most texts have
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "ooo", "***")  # of bars, which have no markers
DASHED = (0, (4, 2))
NOTHING = float("nan")  # where a line breaks off
MUTED, GREY = "#6b6b6b", "#777777"
# The background of a text that curves may cross.
BEHIND: dict[str, Any] = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.6}
LOOKS: dict[str, dict[str, Any]] = {"measured": {"linestyle": "-", "linewidth": 1.6, "zorder": 3},
         "predicted": {"linestyle": DASHED, "linewidth": 1.1, "markerfacecolor": "white", "zorder": 2.5},
         "counted": {"linestyle": "none", "marker": "+", "markersize": 9, "markeredgewidth": 1.2, "zorder": 4}}
SIDES = {"right": ((5, 0), "left", "center"), "left": ((-5, 0), "right", "center"),  # of labels
         "above": ((0, 4), "center", "bottom"), "below": ((0, -4), "center", "top")}
CROSS: dict[str, Any] = {"linestyle": "none", "marker": "x", "color": INK, "markersize": 9, "markeredgewidth": 1.6,
                         "zorder": 5}


RING: dict[str, Any] = {"linestyle": "none", "marker": "o", "markerfacecolor": "none", "markeredgecolor": INK,
                        "markersize": 11, "markeredgewidth": 1.2, "zorder": 5}
BAND: dict[str, Any] = {"color": MUTED, "alpha": 0.18, "linewidth": 0, "zorder": 0.5}
MIDDLE: dict[str, Any] = {"color": MUTED, "linewidth": 0.8, "zorder": 0.6}


def letters_in(width: float) -> int:
    return int(width * LETTERS_PER_INCH)


def colour_of(series: Series) -> str:
    return COLOURS[series.colour % len(COLOURS)]


def marker_of(series: Series) -> str:
    return MARKERS[series.marker % len(MARKERS)]


def bar_looks(series: Series) -> dict[str, Any]:
    return {"facecolor": colour_of(series), "edgecolor": "white", "linewidth": 0,
            "hatch": HATCHES[series.marker % len(HATCHES)]}


def is_bars(panel: Panel) -> bool:
    return panel.x.scale == "category" and not panel.scatter


def flags_of(point: Point) -> list[str]:
    return [flag for flag in point.flags if flag in DISTURBED]


def values(panel: Panel, series: Series, reading: str) -> list[tuple[float, float | None]]:
    """(x, value) of all points, None where there is none. The first quantity is the one that is drawn."""
    name = panel.quantities[0].name
    return [(point.x, getattr(point.readings.get(name), reading, None)) for point in series.points]


def known(panel: Panel, series: Series, reading: str) -> list[tuple[float, float]]:
    return [(x, value) for x, value in values(panel, series, reading) if value is not None]


def inches(_: Panel) -> float:
    return PANEL_INCHES


def draw(axes: Axes, panel: Panel, width: float) -> None:
    """In axes that are `width` inches wide."""
    letters = letters_in(width)
    draw_titles(axes, panel, letters)
    draw_x_axis(axes, panel, letters)
    for i, series in enumerate(panel.series):
        if is_bars(panel):
            draw_bars(axes, panel, series, i)
            continue
        draw_interval(axes, panel, series, 0, color=colour_of(series), linewidth=5, alpha=0.3)
        draw_reaches(axes, panel, series)
        for reading in READINGS:
            (draw_areas if panel.area else draw_curve)(axes, panel, series, reading)
        draw_flags(axes, panel, series)
        draw_beyond(axes, panel, series)
        draw_labels(axes, panel, series)
    draw_y_axis(axes, panel)
    if panel.band:
        axes.axhspan(*panel.band, **BAND).set_gid(f"{panel.name}.band")
        axes.axhline(sum(panel.band) / 2, **MIDDLE)
    draw_guides(axes, panel)


# ---- Curves and bars

def curve_looks(panel: Panel, reading: str, thin: bool = False) -> dict[str, Any]:
    return {**LOOKS[reading], **({"linestyle": "none"} if panel.scatter else {"linewidth": 0.7} if thin else {})}


def draw_curve(axes: Axes, panel: Panel, series: Series, reading: str) -> None:
    found = values(panel, series, reading)
    if known(panel, series, reading):
        size = (5 if len(found) <= 16 else 3.6) + (3.5 if reading == "predicted" else 0)
        looks = {"color": colour_of(series), "marker": marker_of(series), "markersize": size}
        drawn = []
        for point, (x, y) in zip(series.points, found):
            drawn += [(x, NOTHING)] * bool(point.apart) + [(x, NOTHING if y is None else y)]
        line, = axes.plot(*zip(*drawn), **{**looks, **curve_looks(panel, reading, series.thin)})
        line.set_gid(f"{series.name}.{reading}")


def draw_areas(axes: Axes, panel: Panel, series: Series, reading: str) -> None:
    """Points whose areas are shares."""
    found = [(point, x, y) for point, (x, y) in zip(series.points, values(panel, series, reading)) if y is not None]
    if found:
        points, x, y = zip(*found)
        colour, solid = colour_of(series), reading == "measured"
        # A size is the square of a mark's width: a square of it has a larger area than a circle.
        factor = 4 if marker_of(series) == "o" else math.pi
        marks = axes.scatter(x, y, [factor * radius(point) ** 2 for point in points], marker=marker_of(series),
                             facecolor=colour if solid else "white", edgecolor="white" if solid else colour,
                             linewidth=0.6 if solid else 1.1, alpha=0.85, zorder=LOOKS[reading]["zorder"])
        marks.set_gid(f"{series.name}.{reading}")


def draw_reaches(axes: Axes, panel: Panel, series: Series) -> None:
    name = panel.quantities[0].name
    found = [(point.x, point.readings[name].known()[-1], point.reach[name]) for point in series.points
             if name in point.reach]
    if found:
        lines = axes.vlines(*zip(*found), color=colour_of(series), linewidth=1.3, zorder=2.4)
        lines.set_gid(f"{series.name}.reach")


def draw_interval(axes: Axes, panel: Panel, series: Series, shift: float, **looks: Any) -> None:
    ends = zip(values(panel, series, "ci95_low"), values(panel, series, "ci95_high"))
    found = [(x + shift, low, high) for (x, low), (_, high) in ends if None not in (low, high)]
    if found:
        axes.vlines(*zip(*found), **looks).set_gid(f"{series.name}.interval")


def draw_flags(axes: Axes, panel: Panel, series: Series) -> None:
    marked = [(x, value) for point, (x, value) in zip(series.points, values(panel, series, "measured"))
              if flags_of(point) and value is not None]
    if marked:
        line, = axes.plot(*zip(*marked), **CROSS)
        line.set_gid(f"{series.name}.flagged")


def draw_beyond(axes: Axes, panel: Panel, series: Series) -> None:
    name = panel.quantities[0].name
    marked = [(point.x, point.readings[name].known()[-1]) for point in series.points if point.beyond]
    if marked:
        line, = axes.plot(*zip(*marked), **RING)
        line.set_gid(f"{series.name}.beyond")


def draw_labels(axes: Axes, panel: Panel, series: Series) -> None:
    for point in series.points:
        reading = point.readings.get(panel.quantities[0].name)
        if point.label and point.label_side and reading and reading.known():
            away, horizontal, vertical = SIDES[point.label_side]
            past = 0 if point.share is None else radius(point) - 2  # of what most points have
            across, up = (step + math.copysign(past, step) if step else 0 for step in away)
            axes.annotate(point.label, (point.x, reading.known()[-1]), xytext=(across, up), textcoords="offset points",
                          ha=horizontal, va=vertical, fontsize=8.5, color=colour_of(series), zorder=5.5)


def draw_bars(axes: Axes, panel: Panel, series: Series, i: int) -> None:
    """One bar a case; predictions and counts are lines across it, or a pale bar where nothing was measured."""
    width = 0.8 / len(panel.series)
    shift = (i - (len(panel.series) - 1) / 2) * width
    measured = dict(known(panel, series, "measured"))
    for number, (x, value) in enumerate(measured.items()):
        bar, = axes.bar(x + shift, value, width * 0.9, zorder=2, **bar_looks(series))
        bar.set_gid(f"{series.name}.measured.{number + 1}")
    draw_interval(axes, panel, series, shift, color=INK, linewidth=1)
    for reading, dashes in (("predicted", (0, (3, 1.5))), ("counted", "-")):
        found = known(panel, series, reading)
        for x, value in found:
            if x not in measured:
                axes.bar(x + shift, value, width * 0.9, alpha=0.25, zorder=2, **bar_looks(series))
        if found:
            lines = axes.hlines([value for _, value in found], [x + shift - 0.45 * width for x, _ in found],
                                [x + shift + 0.45 * width for x, _ in found], color=INK, linewidth=1.6,
                                linestyle=dashes, zorder=3)
            lines.set_gid(f"{series.name}.{reading}")


def draw_guides(axes: Axes, panel: Panel) -> None:
    lines: dict[str, Any] = {"color": MUTED, "linewidth": 1.2, "linestyle": "-.", "zorder": 1}
    words: dict[str, Any] = {"color": MUTED, "fontsize": 10, "bbox": BEHIND, "zorder": 6}
    low, high = axes.get_ylim()
    drawn = [guide for guide in guides_of(panel, panel.quantities[0].name) if guide.points or guide.level is None or low <= guide.level <= high]
    for i, guide in enumerate(drawn):
        if guide.level is not None and not guide.points:
            line = axes.axhline(guide.level, **lines)
            place, side = (0.005, "left") if guide.at_left else (0.995, "right")
            axes.annotate(guide.label, (place, guide.level), xycoords=("axes fraction", "data"), xytext=(0, 3),
                          textcoords="offset points", ha=side, va="bottom", **words)
        else:
            line = axes.plot(*zip(*guide.points), **lines)[0] if guide.points else axes.axvline(guide.x or 0, **lines)
            axes.annotate(guide.label, (0.02, 0.985 - 0.06 * i), xycoords="axes fraction", va="top", **words)
        line.set_gid(f"{panel.name}.limit.{i + 1}")


# ---- Titles and axes

def draw_titles(axes: Axes, panel: Panel, letters: int) -> None:
    text = textwrap.shorten(panel.subtitle, letters * 11 // 10, placeholder=" ...")
    axes.set_title(textwrap.fill(panel.title, letters * 3 // 4), loc="left", fontweight="bold", pad=22 if text else 6)
    if text:
        note = axes.annotate(text, (0, 1), xycoords="axes fraction", xytext=(0, 7), textcoords="offset points",
                             color=MUTED, fontsize=10)
        note.set_in_layout(False)  # it would narrow the panel


def draw_x_axis(axes: Axes, panel: Panel, letters: int) -> None:
    if panel.x.scale.startswith("log"):
        axes.set_xscale("log", base=int(panel.x.scale[3:]))
    ticks, room = panel.x.ticks, letters * 0.8
    while panel.x.scale != "category" and len(ticks) > 2 and sum(len(text) + 2 for _, text in ticks) > room:
        ticks = ticks[::2]
    slanted: dict[str, Any] = {"rotation": 30, "ha": "right"} if sum(len(text) + 2 for _, text in ticks) > room else {}
    axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks], **slanted)
    axes.minorticks_off()
    axes.set_xlabel(panel.x.label)
    if panel.x.low is not None and panel.x.high is not None:
        axes.set_xlim(panel.x.low, panel.x.high)
    if panel.x.scale == "category":
        axes.grid(False, axis="x")
        axes.set_xlim(-0.6, len(panel.x.names) - 0.4)


def draw_y_axis(axes: Axes, panel: Panel) -> None:
    quantity = panel.quantities[0]
    axes.set_ylabel(textwrap.fill(quantity.label, 44))
    low, high = span([panel], quantity.name) if quantity.low is None else (quantity.low, quantity.high or 0)
    if quantity.exact:
        set_exactly(axes.yaxis, quantity)
        return
    if low <= 0 or not quantity.log:
        axes.set_ylim(min(0, low * 1.1), high * 1.1 if high > 0 else max(1, low))
        return
    axes.set_yscale("log")
    below, above = AROUND_AREAS if panel.area else (1.2, 1.4)
    axes.set_ylim(low / below, high * above)
    axes.yaxis.set_major_formatter("{x:g}")
    if high / low < 1000:
        axes.yaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())


def set_exactly(axis: Any, quantity: Quantity) -> None:
    """Lets an axis of matplotlib end at the quantity's least and most."""
    name, axes = axis.axis_name, axis.axes
    getattr(axes, f"set_{name}lim")(quantity.low, quantity.high)
    if quantity.log:
        getattr(axes, f"set_{name}scale")("log")
        axis.set_major_formatter("{x:g}")
        axis.set_major_locator(LogLocator(10, (1, 2, 5)))
        axis.set_minor_locator(NullLocator())


# ---- Legend

def legends(block: Block) -> list[list[Artist]]:
    """The curves, and below them how their readings are drawn."""
    drawn = [(panel, series) for panel in block.panels for series in panel.series]
    there = {reading for panel, series in drawn for reading in (*READINGS, "ci95_low") if known(panel, series, reading)}
    curves: dict[str, Series] = {}
    for _, series in drawn:
        curves.setdefault(series.label, series)
    handles = [curve_handle(series, block.panels[0], "measured" in there) for series in curves.values()]
    how = reading_handles(block.panels[0], there)
    if block.panels[0].area:
        how.append(Line2D([], [], label=f"area: {block.panels[0].area}", color=GREY, marker="o", markersize=9,
                          linestyle="none"))
    if any(point.reach for _, series in drawn for point in series.points):
        how.append(Line2D([], [], label=f"line up: {block.panels[0].reach}", color=GREY, marker="|", markersize=11,
                          markeredgewidth=1.3, linestyle="none"))
    if any(point.beyond for _, series in drawn for point in series.points):
        how.append(Line2D([], [], label="all of its interval beyond the noise", **RING))
    flags = sorted({flag for _, series in drawn for point in series.points for flag in flags_of(point)})
    if flags:
        how.append(Line2D([], [], label="flagged: " + ", ".join(flags), **CROSS))
    return [handles, how]


def curve_handle(series: Series, panel: Panel, measured: bool) -> Artist:
    if is_bars(panel):
        return Patch(alpha=1 if measured else 0.25, label=series.label, **bar_looks(series))
    return Line2D([], [], color=colour_of(series), marker=marker_of(series), markersize=6, label=series.label,
                  **curve_looks(panel, "measured" if measured else "predicted", series.thin))


def reading_handles(panel: Panel, there: Container[str]) -> list[Artist]:
    labels = {reading: reading for reading in ("measured", "predicted", "counted") if reading in there}
    if "ci95_low" in there:
        labels["measured"] = "measured (95 % interval)"
    looks = {reading: {"color": GREY, "marker": "o", **curve_looks(panel, reading)} for reading in READINGS}
    if is_bars(panel):
        looks = {"measured": {"color": GREY, "marker": "s", "linestyle": "none"},
                 "predicted": {"color": INK, "linestyle": DASHED}, "counted": {"color": INK}}
    return [Line2D([], [], label=label, **looks[reading]) for reading, label in labels.items()]
