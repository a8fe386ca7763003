"""Turns the program's CSV into a frame of pandas, with short names and without empty columns."""

from __future__ import annotations

import glob
import importlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import Error, missing
from .keywords import KEYWORDS

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame, Series  # type: ignore[import,unused-ignore]

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


def pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise missing("pandas", "a frame") from error


def of_csv(text: str, quantities: Mapping[str, Any] | None = None, *, all: bool = False) -> DataFrame:
    """A row per case. all: every column of the CSV under its own name. attrs["quantities"] has what is known of the
    quantities among the columns."""
    frame: DataFrame = pandas().read_csv(io.StringIO(text), low_memory=False)
    for name in frame.select_dtypes(["object", "string"]):
        frame[name] = frame[name].map(without_mark, na_action="ignore")
    if not all:
        frame = tidy(frame)
    frame.attrs["quantities"] = {name if all else short(name): about for name, about in (quantities or {}).items()}
    return frame


def of_expected(text: str) -> DataFrame:
    """A row for each GPU and quantity of what `gpumem expect` writes as JSON."""
    document = json.loads(text)
    rows = [{"gpu": gpu["label"], **value, "source": value["source_words"]}
            for gpu in document.get("gpus", [document]) for value in gpu["expected"]]
    columns = ["gpu", "quantity", "value", "low", "high", "unit", "source"]
    frame: DataFrame = pandas().DataFrame(rows, columns=columns)
    return frame.astype({"low": float, "high": float})  # a column of nothing but null would be one of objects


def without_mark(text: Any) -> Any:
    """The text of a cell, which has a ' before it so that no spreadsheet computes it; other values as they are."""
    return text.removeprefix("'") if isinstance(text, str) else text


def tidy(frame: DataFrame) -> DataFrame:
    """Orders the columns: first the parameters, those that are swept at the front, then the quantities that the cases
    are about, then all others."""
    if frame.empty:
        return frame.iloc[:, :0]
    frame = frame.dropna(axis="columns", how="all")
    names = [str(column) for column in frame]
    swept = [f"parameters.{name}" for column in ("swept", "compared") if column in frame
             for name in frame[column].unique()]
    parameters = sorted((name for name in names if name.startswith("parameters.")), key=lambda name: name not in swept)
    about = list(frame[QUANTITY].dropna().unique()) if QUANTITY in frame else []
    columns = {"probe": frame["probe"]}
    for name in parameters:
        columns.update(by_keyword(frame, name))
    for quantity in about:
        columns.update(of_quantity(frame, quantity))
    for name in ("headline.predicted", *names):
        if name in frame and name not in (*parameters, *LEFT_OUT, *repeated(frame, about)):
            columns.setdefault(short(name), frame[name])
    if "quantity" in columns:
        columns["quantity"] = columns["quantity"].map(short, na_action="ignore")
    made: DataFrame = pandas().DataFrame(columns)
    return made.dropna(axis="columns", how="all")


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


def by_keyword(frame: DataFrame, column: str) -> dict[str, Series]:
    """A parameter under the keyword that sets it, which is not the same for all probes."""
    name = short(column)
    keywords = frame["probe"].map(lambda probe: KEYWORDS.get(probe, {}).get(name, name))
    used = keywords[frame[column].notna()].unique()
    return {used[0]: frame[column]} if len(used) == 1 else {
        keyword: frame[column].where(keywords == keyword) for keyword in used}


def of_quantity(frame: DataFrame, quantity: str) -> dict[str, Series]:
    """The measured values of a quantity, and the interval, which only cases have that are about the quantity."""
    is_about = frame[QUANTITY] == quantity
    measured = [column for column in (f"{quantity}.measured", f"metrics.{quantity}") if column in frame]
    ends = {short(quantity) + end: frame[column].where(is_about) for column, end in INTERVAL.items() if column in frame}
    return {**{short(quantity): frame[column] for column in measured}, **ends}


def repeated(frame: DataFrame, about: Iterable[str]) -> list[str]:
    """Columns of predictions that hold nothing but what "headline.predicted" holds."""
    return [column for quantity in about for column in (f"{quantity}.predicted", f"metrics_predicted.{quantity}")
            if column in frame and (frame[QUANTITY] == quantity)[frame[column].notna()].all()]


def together(frames: Mapping[str, DataFrame]) -> DataFrame:
    """One frame of several, whose first column says which one a row is of."""
    quantities = {name: about for frame in frames.values() for name, about in frame.attrs["quantities"].items()}
    for name, frame in frames.items():
        frame.attrs.clear()  # frames with different ones cannot be put together
        frame.insert(0, "report", name)
    made: DataFrame = pandas().concat(list(frames.values()), ignore_index=True)
    made.attrs["quantities"] = quantities
    return made


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
