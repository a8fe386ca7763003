"""Names in words. Reports say their own; names in reports written before that are spelled as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

Value = Union[str, float]  # of a parameter
ENDINGS = (("_gb_per_s", "GB/s"), ("_seconds", "s"), ("_bytes", "bytes"))  # units that say themselves
# Endings of the names of parameters that count places in memory.
PLACES = {"elements", "words", "sectors", "lines", "rows", "columns"}
HARDWARE = {"l1": "L1", "l2": "L2", "tlb": "TLB"}  # as its documentation writes it
SHOWN = {"s": ("us", 1e6)}  # units that readers want another for, and how many of it they hold


def shortened(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else text[:longest] + "..."


def spelled(name: str) -> dict[str, str]:
    """A name as its letters say it: {title, unit}."""
    for ending, unit in ENDINGS:
        if name.endswith(ending) and name != ending:
            return {"title": spaced(name[:-len(ending)]), "unit": unit}
    return {"title": spaced(name), "unit": ""}


def spaced(name: str) -> str:
    first, *others = name.split("_")
    return " ".join([HARDWARE.get(first, first), *others])


def size_in_words(size: float) -> str:
    for factor, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor and (size % (factor // 4) == 0 or size != int(size)):
            return f"{size / factor:{'g' if size == int(size) else '.4g'}} {unit}"
    return f"{size:g} B"


def figure_text(value: float | None) -> str:
    """A number in about four digits, as a reader wants it; '' for none."""
    if value is None:
        return ""
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e7):
        return f"{value:.4g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


class Words:
    """The words of reports for their probes, parameters, stages and quantities: {kind: {name: words}}."""

    def __init__(self, told: Iterable[Mapping[str, Mapping[str, Any]]]):
        self.told: dict[str, dict[str, Any]] = {}
        for of_report in told:
            for kind, names in of_report.items():
                self.told.setdefault(kind, {}).update(names)

    def of(self, kind: str, name: str) -> Any:
        return self.told.get(kind, {}).get(name, {})

    def of_parameter(self, name: str) -> dict[str, str]:
        plain = spelled(name)
        return {**plain, "one": plain["title"] + " 1", "several": plain["title"] + " {}",
                **self.of("parameters", name)}

    def is_size(self, parameter: str) -> bool:
        """True if the parameter's values are bytes and have no other words than their size."""
        words = self.of_parameter(parameter)
        return words["unit"] == "bytes" and words["several"].endswith("{}")

    @staticmethod
    def is_distance(parameter: str) -> bool:
        """True if the parameter's numbers count places in memory. The divisors of such a number may matter more than
        its size, so two numbers say nothing about those between them."""
        return parameter.rpartition("_")[2] in PLACES

    def value(self, parameter: str, value: Value) -> str:
        if isinstance(value, str):
            return shortened(value)
        if self.is_size(parameter):
            return size_in_words(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    def phrase(self, parameter: str, value: Value) -> str:
        """A parameter with its value, as in 'offset 1 element', '4-byte words' or 'pinned'; '' if nothing is to be said
        of it."""
        words, text = self.of_parameter(parameter), self.value(parameter, value)
        if value == 0 and "zero" in words:
            return words["zero"]
        if text == "auto":
            return f"{words['title']} auto"
        if text in ("yes", "no"):
            return words["title"] if text == "yes" else ""
        if isinstance(value, str):
            return text
        return words["one"] if text == "1" else words["several"].replace("{}", text)

    def axis(self, parameter: str) -> str:
        """The title of an axis whose ticks are this parameter's values."""
        words = self.of_parameter(parameter)
        return words["title"] if self.is_size(parameter) else with_unit(words["title"], words["unit"])

    def of_quantity(self, name: str) -> dict[str, str]:
        return {**spelled(name), **self.of("quantities", name)}

    def unit(self, quantity: str) -> tuple[str, float]:
        """The unit in which a quantity is shown, and the number of these that the report's own unit holds."""
        unit = self.of_quantity(quantity)["unit"]
        return SHOWN.get(unit, (unit, 1))

    def label(self, quantity: str) -> str:
        """A quantity with its unit, for an axis or a table."""
        return with_unit(self.of_quantity(quantity)["title"], self.unit(quantity)[0])

    def amount(self, quantity: str, value: float) -> str:
        """A value with its unit, as in '4814 GB/s' or '256 KiB'."""
        unit, factor = self.unit(quantity)
        text = size_in_words(value) if unit == "bytes" else f"{figure_text(value * factor)} {unit}"
        return text.strip()


def with_unit(title: str, unit: str) -> str:
    if unit.startswith("/"):
        return title + unit.replace("/", " per ")
    return f"{title}, {unit}" if unit and title.replace(" per ", "/") != unit else title
