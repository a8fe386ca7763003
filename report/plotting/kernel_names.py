"""Names of kernels as people say them: without arguments, and as much of the rest as there is room for. Does the same
as report/text/kernel_names.cpp does for tables, more simply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

BRACKETS = {")": "(", ">": "<", "}": "{", "]": "["}
SAY_LITTLE = set("void bool char signed unsigned short int long float double const array lambda auto operator true"
                 " false struct class unnamed type tuple pair std nullptr_t".split())
ANONYMOUS = "(anonymous namespace)::"


def depths(text: str) -> list[int]:
    """The number of brackets that are open at each character, the character itself included."""
    depth, found = 0, []
    for i, letter in enumerate(text):
        arrow = letter == ">" and text[i - 1:i] == "-"
        depth += letter in BRACKETS.values()
        found.append(depth)
        depth -= letter in BRACKETS and not arrow and depth > 0
    return found


def without_brackets(text: str, close: str) -> str:
    """Without the brackets that it ends with, but for those that are all of it."""
    if not text.endswith(close):
        return text
    depth = depths(text)
    begin = max((i for i, letter in enumerate(text) if letter == BRACKETS[close] and depth[i] == depth[-1]), default=0)
    return text[:begin] or text


def qualified(demangled: str) -> str:
    """Turns "void at::fill<4>(int, float*)" into "at::fill<4>"."""
    text = re.sub(r" const$", "", demangled.partition(" [clone")[0]).replace(ANONYMOUS, "")
    text = without_brackets(text, ")")
    blanks = [i for i, (letter, depth) in enumerate(zip(text, depths(text))) if letter == " " and depth == 0]
    return text[blanks[-1] + 1:] if blanks else text


def unqualified(demangled: str) -> str:
    """"fill<4>"."""
    return re.sub(r"\b[A-Za-z_]\w*::", "", qualified(demangled))


def base(demangled: str) -> str:
    """"fill"."""
    return without_brackets(unqualified(demangled), ">")


def words(demangled: str) -> list[str]:
    """Names in the parameters of its template."""
    found = re.findall(r"\b[A-Za-z_]\w*", unqualified(demangled)[len(base(demangled)):])
    return [word for word in dict.fromkeys(found) if word not in SAY_LITTLE]


def forms(demangled: str, having: Mapping[str, int]) -> list[str]:
    """From the fullest to the shortest: with that word alone that fewest kernels have, by the counts in `having`."""
    word = min(words(demangled), key=lambda word: having[word], default=None)
    with_word = [f"{base(demangled)}<\u2026{word}\u2026>", f"\u2026{word}\u2026"] if word else []
    return [qualified(demangled), unqualified(demangled), *with_word[:1], base(demangled), *with_word[1:]]


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """{name: the fullest form of it in `width` letters}. Different names stay different, if need be by a number."""
    names, found, taken = list(dict.fromkeys(names)), {}, set()
    numbers: dict[str, int] = {}  # by what is numbered: the last one given
    having = Counter(word for name in names for word in words(name))
    own = {name: forms(name, having) for name in names}
    called = Counter(form for of_name in own.values() for form in set(of_name))
    for name in names:
        fitting = [form for form in own[name] if len(form) <= width and called[form] == 1]
        short = fitting[0] if fitting else cut(base(name), width)
        while short in taken:
            number = numbers[base(name)] = numbers.get(base(name), 1) + 1
            short = f"{cut(base(name), width - len(f' #{number}'))} #{number}"
        taken.add(short)
        found[name] = short
    return found


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[:width - 1] + "\u2026"
