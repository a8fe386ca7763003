"""Python's values as the words of a command line."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Literal, SupportsIndex, TypeVar, Union

from .errors import Error

FilePath = Union[str, "os.PathLike[str]"]
Arguments = Union[FilePath, Sequence[Union[int, float, FilePath]]]  # a text is split as a shell splits it
Backend = Literal["cuda", "model", "auto"]

# An axis takes a value or any collection of values, including an array of numpy and a column of pandas. A text may be a
# range ("1..32*2") or a size ("64MiB").
Name = TypeVar("Name", bound=str)
Names = Union[Name, Iterable[Name], None]
Numbers = Union[SupportsIndex, str, Iterable[Union[SupportsIndex, str]], None]
Texts = Union[FilePath, Iterable[FilePath], None]


def words(arguments: Arguments) -> list[str]:
    """The words of a command line. Raises Error for a text whose quotes do not end."""
    if isinstance(arguments, os.PathLike):
        return [in_text(arguments)]
    if not isinstance(arguments, str):
        return [in_text(argument) for argument in arguments]
    try:
        return shlex.split(arguments)
    except ValueError as error:
        problem = f"{arguments!r} is no list of words ({str(error).lower()}); give one: ['--offset', '0..4']"
        raise Error(problem, 2) from error


def flags(given: Mapping[str, object]) -> list[str]:
    """{"word_bytes": [4, 8]} as ["--word-bytes=4,8"]. None and False leave an option out, True has no value. Raises
    Error for an empty collection."""
    return [flag for name, value in given.items() for flag in flags_of(name, value)]


def flags_of(name: str, value: object) -> list[str]:
    if value is None or value is False:
        return []
    flag = f"--{flag_name(name)}"
    return [flag] if value is True else [f"{flag}={text}" for text in in_texts(name, value)]


def selection(cases: Iterable[object], parameters: Mapping[str, object]) -> list[str]:
    """The words that choose cases of a report: by position, and by parameter as "offset=0,1"."""
    chosen = [text for case in cases for text in in_texts("case", case)]
    return chosen + [f"{flag_name(name)}={','.join(in_texts(name, value))}" for name, value in parameters.items()]


def flag_name(name: str) -> str:
    """--from is the keyword from_, for Python has a "from" of its own."""
    return name.rstrip("_").replace("_", "-")


def in_texts(name: str, value: object) -> list[str]:
    """Numbers together in one text, names and expressions in one each, for these may have commas."""
    if isinstance(value, range) and len(value) > 1 and value.step > 0:
        return [f"{value.start}..{value[-1]}" + (f":{value.step}" if value.step > 1 else "")]
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return [in_text(value)]
    values = list(value)
    if not values:
        raise Error(f"{name}: there are no values in {value!r}; give one, or leave it out", 2)
    texts = [in_text(part) for part in values]
    return [",".join(texts)] if all(isinstance(part, Real) for part in values) else texts


def in_text(value: object) -> str:
    text: str = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    # A column of pandas with a gap in it, and numpy.linspace, have whole numbers as floats.
    return text.removesuffix(".0") if isinstance(value, Real) else text


def refuse_unknown(unknown: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raises Error for the first unknown keyword, with the nearest of the known ones."""
    for name in unknown:
        near = difflib.get_close_matches(name, list(known), 1, 0.55)
        hint = f"did you mean '{near[0]}'?" if near else f"help({function}) lists them"
        raise Error(f"{function}() has no keyword '{name}'; {hint}", 2)
