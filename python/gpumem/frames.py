"""Turns the program's CSV into frames of pandas and polars, with short names and without empty columns."""

from __future__ import annotations

import csv
import glob
import importlib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import Error, missing
from .keywords import KEYWORDS

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame  # type: ignore[import,unused-ignore]
    from polars import DataFrame as PolarsFrame  # type: ignore[import,unused-ignore]

Values = Sequence[Any]  # of a column: all int, all float, all bool or all str, and None where there is none
QUANTITY = "headline.quantity"  # what a case is about, so that these are of it:
INTERVAL = {"headline.ci95_low": "_low", "headline.ci95_high": "_high"}
SHORT = {
    "bandwidth_gb_per_s": "gb_per_s", "bandwidth_gb_per_s.measured": "gb_per_s",
    "bandwidth_gb_per_s.predicted": "gb_per_s_predicted", QUANTITY: "quantity", "headline.predicted": "predicted",
    "headline.peak": "peak", "time_seconds": "seconds", "time_seconds.median": "seconds",
    "time_seconds.ci95_low": "seconds_low", "time_seconds.ci95_high": "seconds_high", "time_seconds.min": "seconds_min",
    "time_seconds.p05": "seconds_p05", "time_seconds.p95": "seconds_p95", "time_seconds.count": "samples",
    "predicted_seconds": "seconds_predicted", "device.name": "gpu", "device.uuid": "gpu_uuid"}
# Columns that repeat others, or only say how tables are laid out.
LEFT_OUT = ("headline.measured", "headline.better", "peak_gb_per_s", *INTERVAL,
            "swept", "compared", "baseline", "chosen_by_auto")
WRITTEN = ((int, re.compile(r"-?\d+")), (float, re.compile(r"-?\d+\.?\d*([eE][-+]?\d+)?")))  # a float has its point


def library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise missing(name, "a frame") from error


def csv_options(all: bool) -> list[str]:
    """The options for CSV, with every column or with those that hold something."""
    return ["--format", "csv", *(["--columns", "all"] if all else [])]


def of_csv(text: str, quantities: Mapping[str, Any] | None = None, *, all: bool = False) -> DataFrame:
    """A frame of pandas with a row per case. all: every column of the CSV under its own name. attrs["quantities"] has
    what is known of the quantities among the columns."""
    frame: DataFrame = library("pandas").DataFrame(columns_of(text, all=all))
    frame.attrs["quantities"] = {name if all else short(name): about for name, about in (quantities or {}).items()}
    return frame


def polars_of_csv(text: str, *, all: bool = False) -> PolarsFrame:
    """The same columns as a frame of polars."""
    frame: PolarsFrame = library("polars").DataFrame(columns_of(text, all=all))
    return frame


def of_expected(text: str) -> DataFrame:
    """A row for each GPU and quantity of what `gpumem expect` writes as JSON."""
    document = json.loads(text)
    rows = [{"gpu": gpu["label"], **value, "source": value["source_words"]}
            for gpu in document.get("gpus", [document]) for value in gpu["expected"]]
    columns = ["gpu", "quantity", "value", "low", "high", "unit", "source"]
    frame: DataFrame = library("pandas").DataFrame(rows, columns=columns)
    return frame.astype({"low": float, "high": float})  # a column of nothing but null would be one of objects


# ---- Columns

def columns_of(text: str, *, all: bool) -> dict[str, Values]:
    """The values of each column of a CSV. all: of every column, under its own name."""
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    cells: dict[str, Sequence[str]] = dict(zip(header, zip(*rows))) if rows else {name: () for name in header}
    if all:
        return {name: typed(column) for name, column in cells.items()}
    return tidy({name: typed(column) for name, column in cells.items() if any(column)})


def typed(cells: Sequence[str]) -> Values:
    """The values of a column, which are of one type. A text that a spreadsheet would compute has a ' before it."""
    texts = set(cells) - {""}
    for kind, written in WRITTEN:
        if texts and all(map(written.fullmatch, texts)):
            return [kind(cell) if cell else None for cell in cells]
    if texts and texts <= {"true", "false"}:
        return [cell == "true" if cell else None for cell in cells]
    return [cell.removeprefix("'") if cell else None for cell in cells]


def where(values: Values, chosen: Iterable[bool]) -> Values:
    return [value if is_chosen else None for value, is_chosen in zip(values, chosen)]


def is_known(values: Values) -> bool:
    return any(value is not None for value in values)


def tidy(table: Mapping[str, Values]) -> dict[str, Values]:
    """Orders the columns: first the report and the probe, then the parameters, those that are swept at the front, then
    the quantities that the cases are about, then all others."""
    if "probe" not in table:  # of no case
        return {}
    swept = [f"parameters.{name}" for column in ("swept", "compared") for name in dict.fromkeys(table.get(column, ()))]
    parameters = sorted((name for name in table if name.startswith("parameters.")), key=lambda name: name not in swept)
    about = [name for name in dict.fromkeys(table.get(QUANTITY, ())) if name]
    columns = {name: table[name] for name in ("report", "probe") if name in table}
    for name in parameters:
        columns.update(by_keyword(table, name))
    for quantity in about:
        columns.update(of_quantity(table, quantity))
    for name in ("headline.predicted", *table):
        if name in table and name not in (*parameters, *LEFT_OUT):
            columns.setdefault(short(name), unrepeated(table, name, about))
    if "quantity" in columns:
        columns["quantity"] = [name and short(name) for name in columns["quantity"]]
    return {name: values for name, values in columns.items() if is_known(values)}


def short(column: str) -> str:
    if column in SHORT:
        return SHORT[column]
    group, _, name = column.partition(".")
    if group in ("parameters", "metrics", "counters"):
        return name
    if group == "metrics_predicted":
        return f"{name}_predicted"
    for silent in (".measured", ".value", ".estimate"):
        column = column.replace(silent, "")
    return column.replace("ci95_", "").replace(".", "_")


def by_keyword(table: Mapping[str, Values], column: str) -> dict[str, Values]:
    """A parameter under the keyword that sets it, which is not the same for all probes."""
    name, values = short(column), table[column]
    keywords = [KEYWORDS.get(probe, {}).get(name, name) for probe in table["probe"]]
    used = dict.fromkeys(keyword for keyword, value in zip(keywords, values) if value is not None)
    return {keyword: where(values, (own == keyword for own in keywords)) for keyword in used}


def of_quantity(table: Mapping[str, Values], quantity: str) -> dict[str, Values]:
    """The measured values of a quantity, and the interval, which only cases have that are about the quantity."""
    measured = [column for column in (f"{quantity}.measured", f"metrics.{quantity}") if column in table]
    ends = {short(quantity) + end: where(table[column], (name == quantity for name in table[QUANTITY]))
            for column, end in INTERVAL.items() if column in table}
    return {**{short(quantity): table[column] for column in measured}, **ends}


def unrepeated(table: Mapping[str, Values], column: str, about: Iterable[str]) -> Values:
    """The column; a prediction without what "headline.predicted" holds."""
    for quantity in about:
        if column in (f"{quantity}.predicted", f"metrics_predicted.{quantity}"):
            return where(table[column], (name != quantity for name in table[QUANTITY]))
    return table[column]


# ---- Files

def files_of(path: str) -> list[str]:
    """A file itself, the reports of a folder, or what a pattern fits. Raises Error for none."""
    if os.path.isdir(path):
        names = ("*.json", "*.json.gz", "*.json.xz")
        found = [file for name in names for file in glob.glob(os.path.join(glob.escape(path), name))]
        nothing = f"there are no reports (*.json) in '{path}'"
    elif glob.has_magic(path) and not os.path.exists(path):
        found = glob.glob(path, recursive=True)
        nothing = f"no file fits '{path}'"
    else:
        return [path]
    if not found:
        raise Error(f"{nothing}; 'gpumem probe --output FILE.json' and report.save() write one", 2)
    return sorted(found)
