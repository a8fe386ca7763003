"""Tells the curves of a table apart: by the parameters that differ, which make panels, colours and markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Optional, Tuple

from . import axes
from .curves import curve, slug, unique, without_bridges
from .model import COLOURS, Series, grouped
from .reports import Case, kinds
from .words import Value, Words

Values = Tuple[Optional[Value], ...]  # of some parameters of a case

CURVES = 6  # as many in one panel stay readable
PANELS_OF_SEVERAL = 12  # reports


def identity(case: Case, parameter: str) -> Value | None:
    """A parameter's value, where 'auto' is one: what it chose may differ from sweep to sweep."""
    return "auto" if parameter in case.chosen_by_auto else case.parameters.get(parameter)


def parameters_of(cases: Sequence[Case], swept: str) -> list[str]:
    """The parameters that differ: first alternatives that a probe compares, then parameters whose values are words."""
    names = dict.fromkeys(name for case in cases for name in case.parameters if name != swept)
    varying = [name for name in names if len({identity(case, name) for case in cases}) > 1]
    compared = {case.compared for case in cases}
    named = {name for case in cases for name in kinds(case)}
    return sorted(varying, key=lambda name: (name not in compared, name not in named))


def values_of(case: Case, names: Iterable[str]) -> Values:
    return tuple(identity(case, name) for name in names)


def split(cases: Sequence[Case], varying: Sequence[str], several: bool) -> tuple[list[str], list[str]]:
    """Parameters that tell the curves of a panel apart, and those that tell the panels apart. Values that a report
    compares across, such as several GPUs, share a panel, however many they are. `several` reports are compared too: then
    colours alone tell the curves of a panel apart, unless that makes too many panels."""
    curves = [name for name in varying if name == cases[0].across]
    others = [name for name in varying if name not in curves]
    if several and len({values_of(case, others) for case in cases}) <= PANELS_OF_SEVERAL:
        return curves, others
    for name in (parameter for parameter in varying if parameter not in curves):
        tried = [*curves, name]
        others = [other for other in varying if other not in tried]
        keys = {(values_of(case, others), case.report.path, values_of(case, tried)) for case in cases}
        if max(Counter(panel for panel, *_ in keys).values()) <= CURVES:
            curves = tried
    return curves, [name for name in varying if name not in curves]


def matrix_of(cases: Sequence[Case]) -> tuple[str | None, str | None]:
    """The parameters whose values are the rows and the columns of a matrix, which has no curves; None, None for none.
    Pairs are one: of one thing with another of its kind, and none with itself."""
    rows, columns = cases[0].swept, cases[0].across
    pairs = {(case.parameters.get(rows), case.parameters.get(columns)) for case in cases}
    down, across = map(set, zip(*pairs))
    are_pairs = down & across and all(row != column for row, column in pairs)
    return (rows, columns) if are_pairs and len(down) > 1 and len(across) > 2 else (None, None)


class Looks:
    """Colours and markers: the same curve looks the same in all panels of a block. Colours are of `reports`, by their
    labels, where there are any, else of the first parameter that differs; markers are of the rest."""

    def __init__(self, cases: Sequence[Case], curves: list[str], reports: list[str], gpus: int):
        self.curves = curves
        self.several = bool(reports)
        # If no legend names the GPU of the curves, the panel does.
        self.owner = cases[0].report.label if gpus > 1 and not self.several else ""
        self.colours: list[Hashable] = [*reports] if self.several else list(dict.fromkeys(map(self.coloured_by, cases)))
        self.markers = list(dict.fromkeys(map(self.marked_by, cases)))

    def coloured_by(self, case: Case) -> Hashable:
        return str(case.report.label) if self.several else values_of(case, self.curves[:1])

    def marked_by(self, case: Case) -> Values:
        return values_of(case, self.curves if self.several else self.curves[1:] or self.curves)

    def of(self, case: Case) -> tuple[int, int]:
        colour = self.colours.index(self.coloured_by(case))
        # Once the colours are used up, the next round has other markers.
        return colour, self.markers.index(self.marked_by(case)) + colour // len(COLOURS)

    def label(self, case: Case) -> str:
        words = [case.report.words.phrase(name, identity(case, name)) for name in self.curves
                 if identity(case, name) not in (None, "auto")]
        if self.several:
            return ": ".join(filter(None, [case.report.label, ", ".join(filter(None, words))]))
        return ", ".join(filter(None, words if self.curves else kinds(case).values())) or case.probe


def series_of(cases: Sequence[Case], looks: Looks, swept: str, place: axes.Place, panel_name: str) -> list[Series]:
    """A curve for each of the looks, of the cases that have a place on the x axis; without any reading too."""
    found: list[Series] = []
    names: Counter[str] = Counter()
    placed = [(x, case, case.report.words.phrase(swept, case.parameters[swept]))
              for case in cases if swept in case.parameters and (x := place(case)) is not None]
    for of_curve in grouped(placed, lambda entry: (entry[1].report.label, values_of(entry[1], looks.curves))).values():
        _, first, _ = of_curve[0]
        label = looks.label(first)
        made = curve(unique(f"{panel_name}.{slug(label)}", names), label, looks.of(first), of_curve)
        found.append(without_bridges(made) if Words.is_distance(swept) else made)
    return found
