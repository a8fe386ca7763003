"""Answers that fit into 1,500 tokens, and numbers in words."""

from __future__ import annotations

from collections.abc import Sequence

MOST_TOKENS = 1500
# Fewer than in any answer: the tokenizers cl100k_base and o200k_base took 2.57 bytes a token at least, 4.1 at most.
BYTES_PER_TOKEN = 2.5
MOST_BYTES = int(MOST_TOKENS * BYTES_PER_TOKEN)
LONGEST_LINE = 400  # bytes
LEFT_OUT = "({} more left out)"


def answer(head: Sequence[str], rows: Sequence[str] = (), tail: Sequence[str] = ()) -> str:
    """Puts lines together, of at most MOST_BYTES. Rows have what room `head` and `tail` leave; the last ones go first."""
    head, rows, tail = ([cut(line) for line in lines] for lines in (head, rows, tail))
    room = MOST_BYTES - size([*head, LEFT_OUT.format(len(rows)), *tail])
    kept = 0
    while kept < len(rows) and size(rows[: kept + 1]) <= room:
        kept += 1
    left_out = [LEFT_OUT.format(len(rows) - kept)] if kept < len(rows) else []
    body = cut("\n".join([*head, *rows[:kept], *left_out]), MOST_BYTES - size(tail))
    return "\n".join([*filter(None, [body]), *tail])


def size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def cut(text: str, most: int = LONGEST_LINE) -> str:
    """The text, or its beginning with "..." if it has more than `most` bytes."""
    whole = text.encode()
    return text if len(whole) <= most else whole[: most - 3].decode("utf-8", "ignore") + "..."


def seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{number(value / scale)} {unit}"
    return f"{number(value / 1e-9)} ns"


def size_in_words(value: float) -> str:
    """Bytes in decimal units, as GB/s are."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= scale:
            return f"{number(value / scale)} {unit}"
    return f"{number(value)} bytes"


def percent(share: float) -> str:
    return f"{number(100 * share)} %"


def number(value: float) -> str:
    """Three digits, and all digits before the point."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def several(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
