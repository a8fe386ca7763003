#!/usr/bin/env python3
"""Compares the predictions of `gpumem run` with the times of the kernels. Makes the section "Kernels of programs" of
docs/prediction.md, from folders of reports that tests/corpus/collect made.

    tests/corpus/evaluate.py FOLDER...                               prints the section
    tests/corpus/evaluate.py --write docs/prediction.md FOLDER...    puts it between the page's markers
    tests/corpus/evaluate.py --write docs/prediction.md              the same, from the folders that the marker names
    tests/corpus/evaluate.py --trim FOLDER...                        rewrites reports, without what this does not need

A kernel counts once for each grid and block that a program launches it with.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

sys.dont_write_bytecode = True  # a source tree stays as it is
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "report"))

from plotting import command, kernel_names, kernels, reports  # noqa: E402
from plotting.errors import UserError  # noqa: E402
from plotting.model import grouped  # noqa: E402
from prediction import KERNELS_SECTION, percent, summary, table  # noqa: E402

SHORTEST_S = 5e-6  # below, a launch takes what any launch takes
NEAR = 0.25  # so far off, a predicted saving is still a good guide
WORST = 12

# By a kernel's name without its arguments: the first that matches.
LIBRARIES = (
    ("CUB, Thrust", r"(^|::)(cub|thrust)::"),
    ("PyTorch", r"^(at|c10|torch)::|^softmax_warp_"),
    ("cuFFT", r"fft|^[sd]pRadix"),
    ("cuRAND", r"^gen_sequenced|^generate_seed|curand"),
    ("cuBLAS, cuDNN, CUTLASS", r"nvjet|cutlass|cublas|cudnn|xmma|splitKreduce|^(ampere|turing|volta|sm\d+)_|^fmha_"
                               r"|^pytorch_flash::|^(internal::)?gem[mv]\w*(_kernel|::)"),
    ("Triton", r"^triton_"),
    ("CuPy", r"^cupy_"),
)
OWN = "the program's own"

# Members of results that the report's schema does not require, and that neither this nor `gpumem show` needs.
LEFT_OUT = ("ran_seconds",)


def library(demangled: str) -> str:
    name = kernel_names.qualified(demangled).partition("<")[0]
    for title, pattern in LIBRARIES:
        if re.search(pattern, name):
            return title
    # Some of PyTorch's kernels are in no namespace of its own, but their parameters are.
    return "PyTorch" if "at::native::" in demangled else OWN


@dataclass
class Kernel:
    """A kernel with one grid and block. Unknown values are None."""

    gpu: str
    program: str  # the report's name
    name: str  # demangled
    short_name: str
    measured_s: Optional[float]  # of a launch: the median
    predicted_s: Optional[float]
    low_s: Optional[float]  # the interval of the prediction
    high_s: Optional[float]
    explained: Optional[float]
    gpu_s: Optional[float]  # of all launches
    could_save_s: Optional[float]  # of all launches

    @property
    def off_by(self) -> float:
        """The error of the prediction. Only a kernel that `is_compared` has one."""
        assert self.measured_s and self.predicted_s
        return self.predicted_s / self.measured_s - 1

    def is_long(self) -> bool:
        return self.measured_s is not None and self.measured_s >= SHORTEST_S

    def is_compared(self) -> bool:
        return self.is_long() and bool(self.predicted_s)

    def is_inside(self) -> Optional[bool]:
        if self.measured_s is None or self.low_s is None or self.high_s is None:
            return None
        return self.low_s <= self.measured_s <= self.high_s


# ---- Reading

def files_of(folders: Iterable[str]) -> list[Path]:
    found = []
    for folder in folders:
        of_folder = sorted(Path(folder).glob("*.json"))
        if not of_folder:
            raise UserError(f"'{folder}' is no folder with reports; tests/corpus/collect makes one")
        found += of_folder
    return found


def kernels_of(path: Path) -> list[Kernel]:
    report = reports.read(path)
    found = [kernel for of_report in kernels.of_programs(report.results) for kernel in of_report]
    if not report.program.command or not found:
        raise UserError(f"{path}: holds no kernel of a program; give reports of 'gpumem run'")
    return [Kernel(report.gpu, path.stem, str(kernel.case.parameters[kernels.PROBE]), kernel.name,
                   kernel.case.time_seconds.median, kernel.case.predicted_seconds, kernel.case.predicted_low,
                   kernel.case.predicted_high, kernel.case.explained_share,
                   # Also of kernels that were only timed, which have no readings.
                   kernel.case.metrics.get("gpu_time_seconds"), kernel.case.metrics_predicted.get("could_save_seconds"))
            for kernel in found]


# ---- How far the times are off

def share(part: float, whole: float) -> str:
    return percent(part / whole) if whole else "-"


def errors_row(found: Sequence[Kernel]) -> list[Any]:
    compared = [kernel for kernel in found if kernel.is_compared()]
    inside = [kernel.is_inside() for kernel in compared if kernel.is_inside() is not None]
    gpu_s = sum(kernel.gpu_s or 0 for kernel in found)
    predicted_s = sum(kernel.gpu_s or 0 for kernel in compared)
    errors = ["-"] * 4
    if compared:
        _, *of_sorted = summary(compared)
        errors = [percent(error) for error in (statistics.fmean(abs(kernel.off_by) for kernel in compared), *of_sorted)]
    return [len(compared), *errors, share(sum(map(bool, inside)), len(inside)), share(predicted_s, gpu_s)]


def errors_table(found: Sequence[Kernel]) -> str:
    rows = []
    titles = [*(title for title, _ in LIBRARIES), OWN]
    for gpu, of_gpu in sorted(grouped(found, lambda kernel: kernel.gpu).items()):
        by_library = grouped(of_gpu, lambda kernel: library(kernel.name))
        rows += [[gpu, title, *errors_row(by_library[title])] for title in titles if title in by_library]
        rows.append([gpu, "all", *errors_row(of_gpu)])
    return table(["GPU", "library", ">kernels", ">mean %", ">median %", ">95th percentile %", ">worst %",
                  ">inside the interval %", ">GPU time predicted %"], rows)


# ---- What a better kernel saves

@dataclass
class Pair:
    """All launches of a bad kernel and of the good one that does the same job."""

    gpu: str
    name: str
    bad_s: float
    good_s: float
    predicted_s: Optional[float]  # that the bad one could save
    good_could_save_s: Optional[float]

    @property
    def saved_s(self) -> float:
        return self.bad_s - self.good_s

    @property
    def ratio(self) -> Optional[float]:
        return self.predicted_s / self.saved_s if self.predicted_s is not None and self.saved_s > 0 else None


def total(values: Iterable[Optional[float]]) -> Optional[float]:
    """The sum of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def pairs_of(found: Sequence[Kernel]) -> list[Pair]:
    sides: dict[tuple[str, str], dict[str, list[Kernel]]] = {}
    for kernel in found:
        named = re.fullmatch(r"(\w+)_(bad|good)", kernel_names.base(kernel.name))
        if named:
            sides.setdefault((kernel.gpu, named[1]), {}).setdefault(named[2], []).append(kernel)
    made = []
    for (gpu, name), by_side in sorted(sides.items()):
        bad, good = by_side.get("bad", []), by_side.get("good", [])
        bad_s, good_s = total(kernel.gpu_s for kernel in bad), total(kernel.gpu_s for kernel in good)
        if bad_s is not None and good_s is not None:
            made.append(Pair(gpu, name, bad_s, good_s, total(kernel.could_save_s for kernel in bad),
                             total(kernel.could_save_s for kernel in good)))
    return made


def milliseconds(seconds: Optional[float]) -> str:
    return "-" if seconds is None else f"{1e3 * seconds:.3g}"


def pairs_table(pairs: Sequence[Pair]) -> str:
    rows = [[pair.gpu, pair.name, *map(milliseconds, (pair.bad_s, pair.good_s, pair.saved_s, pair.predicted_s)),
             "-" if pair.ratio is None else f"{pair.ratio:.2f}", milliseconds(pair.good_could_save_s)]
            for pair in pairs]
    return table(["GPU", "pair", ">bad ms", ">good ms", ">saved ms", ">predicted ms", ">predicted / saved",
                  ">the good one could save ms"], rows)


def pairs_summary(pairs: Sequence[Pair]) -> str:
    with_ratio = [(pair.ratio, pair) for pair in pairs if pair.ratio is not None]
    near = sum(abs(ratio - 1) <= NEAR for ratio, _ in with_ratio)
    said = [f"The predicted saving is within {100 * NEAR:g} % of the measured one in {near} of {len(pairs)} pairs."]
    if with_ratio:
        ratio, pair = max(with_ratio, key=lambda of_pair: of_pair[0])
        said.append(f"The largest over-estimate is {ratio:.2f} x, of `{pair.name}` on {pair.gpu}." if ratio > 1
                    else "No saving is over-estimated.")
    without = len(pairs) - len(with_ratio)
    if without:
        said.append(f"Pairs without a ratio: {without}. Nothing was predicted, or the good kernel is not faster.")
    return " ".join(said)


# ---- The section

def interval(low_s: Optional[float], high_s: Optional[float]) -> str:
    return "-" if low_s is None or high_s is None else f"{microseconds(low_s)} to {microseconds(high_s)}"


def microseconds(seconds: Optional[float]) -> str:
    return "-" if seconds is None else f"{1e6 * seconds:.1f}"


def worst_table(found: Sequence[Kernel]) -> str:
    rows = [[kernel.gpu, kernel.program, f"`{kernel.short_name}`", microseconds(kernel.measured_s),
             microseconds(kernel.predicted_s), interval(kernel.low_s, kernel.high_s),
             "-" if kernel.explained is None else percent(kernel.explained), f"{100 * kernel.off_by:+.1f}"]
            for kernel in found]
    return table(["GPU", "program", "kernel", ">measured us", ">predicted us", ">interval us", ">explained %",
                  ">off by %"], rows)


def section(folders: Sequence[str]) -> str:
    found = [kernel for path in files_of(folders) for kernel in kernels_of(path)]
    long_ones = [kernel for kernel in found if kernel.is_long()]
    worst = sorted((kernel for kernel in long_ones if kernel.is_compared()), key=lambda kernel: -abs(kernel.off_by))
    pairs = pairs_of(found)
    parts = [
        "## Kernels of programs",
        "This section is about kernels of programs that `gpumem run` watched: those of"
        " [tests/corpus](../tests/corpus), as `tests/corpus/collect` ran them. `tests/corpus/evaluate.py` makes it.",
        "### By GPU and library",
        f"An error is |predicted / measured - 1| of the median time of a launch. Kernels below {1e6 * SHORTEST_S:g} us"
        " are left out. A kernel counts once for each grid and block. The interval is what the prediction says of its"
        " own error. The last column is the share of the GPU time whose kernels have a prediction.",
        errors_table(long_ones),
    ]
    if pairs:
        parts += [
            "### A bad kernel and a good one",
            "Each pair of `tests/corpus/pairs` does one job badly and well. Times are of all launches. The saving"
            " is predicted from the bad kernel alone. If the good kernel could still save something,"
            " the bad one could save more than the pair shows.",
            pairs_table(pairs),
            pairs_summary(pairs),
        ]
    parts += [f"### The {len(worst[:WORST])} kernels predicted worst", worst_table(worst[:WORST])]
    return "\n\n".join(parts) + "\n"


def write(page: str, folders: Sequence[str]) -> None:
    """Replaces what the page has between its markers."""
    try:
        text = Path(page).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read '{page}': {error}") from error
    old = KERNELS_SECTION.search(text)
    if not old:
        raise UserError(f"{page} has no lines '<!-- kernels: FOLDER... -->' and '<!-- end of kernels -->'; add them"
                        " where the section belongs")
    folders = folders or old["folders"].split()
    if not folders:
        raise UserError(f"no folder of reports is given, and the marker of {page} names none")
    new = f"<!-- kernels: {' '.join(folders)} -->\n\n{section(folders)}\n<!-- end of kernels -->"
    command.write(page, (text[:old.start()] + new + text[old.end():]).encode())


# ---- Reports small enough to commit

def trimmed(report: dict[str, Any]) -> dict[str, Any]:
    """The report without single samples and what else nobody looks up later. gpumem shows it as before."""
    results = []
    for result in report["results"]:
        kept = {name: value for name, value in result.items() if name not in LEFT_OUT}
        if kept.get("time_seconds"):
            kept["time_seconds"] = {**kept["time_seconds"], "samples": []}
        results.append(kept)
    return {**report, "results": results}


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def trim(folders: Sequence[str]) -> None:
    for path in files_of(folders):
        kernels_of(path)  # refuses what is no report
        report = trimmed(json.loads(path.read_text(encoding="utf-8-sig")))
        lines = ",\n".join(map(compact, report["results"]))
        others = compact({**report, "results": []})
        # A line for each kernel, so that a new report differs from the old one where its kernels do.
        command.write(path, others.replace('"results":[]', f'"results":[\n{lines}\n]').encode() + b"\n")


def main(arguments: Sequence[str]) -> None:
    parser = command.Parser(prog="evaluate.py", description="Predicted against measured kernels of programs.")
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="folders of reports of 'gpumem run'")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", metavar="PAGE", help="the page whose section between its markers is replaced")
    how.add_argument("--trim", action="store_true",
                     help="rewrite the reports of the folders, for committing them, without single samples")
    given = parser.parse_args(arguments)
    if not given.folders and not given.write:
        raise UserError("no folder of reports is given; see --help")
    if given.trim:
        trim(given.folders)
    elif given.write:
        write(given.write, given.folders)
    else:
        print(section(given.folders), end="")


if __name__ == "__main__":
    command.run("evaluate.py", main)
