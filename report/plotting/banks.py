"""Shows tiles of shared memory, the bank of each element, and the wavefronts that serve the slowest request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .curves import slug, unique
from .looks import identity, parameters_of
from .model import BankGrid, Block, Panel, Quantity, Tick, XAxis
from .reports import DIGITS, Case

BANK = "bank"
MOST = 6  # pictures that are large enough to read
TICKS = 8
TITLE = "Banks of the tile, and the wavefronts of its slowest request"


def grid_of(case: Case) -> BankGrid:
    """The grid, with the places of it that the request accesses. Of lanes that share an element, the first one counts."""
    given = case.bank_grid
    rows = [[DIGITS.index(digit) for digit in row] for row in given.banks]
    marks: dict[tuple[int, int], int] = {}
    for lane in given.lanes:
        row = lane.row - given.first_row
        for column in range(lane.column - given.first_column, lane.column - given.first_column + given.elements):
            if 0 <= row < len(rows) and 0 <= column < len(rows[0]):
                marks.setdefault((row, column), lane.wavefront)
    return BankGrid(rows, [(row, column, wavefront) for (row, column), wavefront in marks.items()],
                    ticks(given.first_row, len(rows)))


def ticks(first: int, count: int) -> list[Tick]:
    """(place, number) of some rows or columns, the first among them, at steps of a power of two."""
    step = 1
    while count > TICKS * step:
        step *= 2
    return [(i, str(first + i)) for i in range(0, count, step)]


def part_of(case: Case) -> str:
    """The part of the tile that the picture shows; '' for all of it."""
    given = case.bank_grid
    shown = ((given.first_row, len(given.banks), given.tile_rows, "rows"),
             (given.first_column, len(given.banks[0]), given.tile_columns, "columns"))
    return "; ".join(f"{what} {first} to {first + count - 1} of {all_of}" for first, count, all_of, what in shown
                     if count < all_of)


def block(cases: Sequence[Case]) -> Block | None:
    """The pictures of one table's cases; None if none has any."""
    drawn = [case for case in cases if case.bank_grid.banks]
    if not drawn:
        return None
    shown = drawn[:MOST]
    words, probe = shown[0].report.words, shown[0].probe
    swept = shown[0].swept or next(iter(shown[0].parameters))
    varying = [swept, *parameters_of(drawn, swept)] if len(drawn) > 1 else []
    names: Counter[str] = Counter()
    panels = []
    for case in shown:
        said = [words.phrase(name, identity(case, name) or "") for name in varying if name in case.parameters]
        title = ", ".join(filter(None, said)) or TITLE
        count = len(case.bank_grid.banks[0])
        x = XAxis("column", "linear", ticks(case.bank_grid.first_column, count), [(0.0, "0"), (count - 1.0, "")])
        panels.append(Panel(unique(f"{probe}.banks.{slug(title)}", names), title,
                            "; ".join(filter(None, [case.bank_grid.text, part_of(case)])), x,
                            [Quantity(BANK, BANK, low=0, high=len(DIGITS) - 1)], [], [], grid=grid_of(case)))
    more = len(drawn) - len(shown)
    limit = f"the first {MOST} of {len(drawn)} cases; choose others with gpumem show" if more else ""
    order = "numbers: the wavefront that serves an element, in one of the orders that take as many"
    if len(panels) == 1:
        panels[0].subtitle += f" {order[0].upper()}{order[1:]}."
        return Block(panels)
    return Block(panels, TITLE, "; ".join(filter(None, [order, limit])))
