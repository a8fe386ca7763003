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
TICKS, WORD_BYTES = 8, 4
TITLE = "Banks of the tile, and the wavefronts of its slowest request"


def together_in(case: Case) -> int:
    """The elements of a cell: those of a word, if they lie in one bank in every row; else 1."""
    count = max(1, WORD_BYTES // case.bank_grid.element_bytes)
    whole = all(digit == row[i // count * count] for row in case.bank_grid.banks for i, digit in enumerate(row))
    return count if whole else 1


def grid_of(case: Case) -> BankGrid:
    """The grid, with the cells of it that the request accesses. The first of the lanes that share a cell counts."""
    given, together = case.bank_grid, together_in(case)
    rows = [[DIGITS.index(digit) for digit in row[::together]] for row in given.banks]
    marks: dict[tuple[int, int], int] = {}
    for lane in given.lanes:
        row, begin = lane.row - given.first_row, lane.column - given.first_column
        for column in range(begin, begin + given.elements):
            if 0 <= row < len(rows) and 0 <= column < len(given.banks[0]):
                marks.setdefault((row, column // together), lane.wavefront)
    return BankGrid(rows, [(row, cell, wavefront) for (row, cell), wavefront in marks.items()],
                    ticks(given.first_row, len(rows), 1), together, given.text or "")


def ticks(first: int, count: int, together: int) -> list[Tick]:
    """(place, number) of some rows or columns, the first among them, at steps of a power of two."""
    step = together
    while count > TICKS * step:
        step *= 2
    return [(i / together, str(first + i)) for i in range(0, count, step)]


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
    varying = sorted(parameters_of(drawn, ""), key=lambda name: name != swept)
    names: Counter[str] = Counter()
    panels = []
    for case in shown:
        said = [words.phrase(name, identity(case, name) or "") for name in varying if name in case.parameters]
        title = ", ".join(filter(None, said)) or TITLE
        grid = grid_of(case)
        names_of_columns = ticks(case.bank_grid.first_column, len(case.bank_grid.banks[0]), grid.together)
        panels.append(Panel(unique(f"{probe}.banks.{slug(title)}", names), title, part_of(case),
                            XAxis("column", "linear", names_of_columns, names_of_columns),
                            [Quantity(BANK, BANK, low=0, high=len(DIGITS) - 1)], [], [], grid=grid))
    more = len(drawn) - len(shown)
    limit = f"the first {MOST} of {len(drawn)} cases; choose others with gpumem show" if more else ""
    order = "numbers: wavefronts, in one of the orders that take as many"
    if len(panels) == 1:
        panels[0].subtitle = "; ".join(filter(None, [order, panels[0].subtitle]))
        return Block(panels, about=f"{probe}: {TITLE}")
    return Block(panels, TITLE, "; ".join(filter(None, [order, limit])), about=f"{probe}: {TITLE}")
