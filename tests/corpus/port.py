#!/usr/bin/env python3
"""Compares the prices of `gpumem port` with measurements: programs that were recorded on one GPU are ported to another
one, on which the same programs were recorded as well. Makes the section "How far off it is" of docs/port.md.

    tests/corpus/port.py --program build/release/gpumem FOLDER=PROFILE FOLDER=PROFILE            prints the section
    tests/corpus/port.py --program ... --write docs/port.md FOLDER=PROFILE FOLDER=PROFILE        puts it into the page

A folder holds reports of one GPU, as tests/corpus/collect or `gpumem run` left them; PROFILE is the profile of that GPU.
Reports of one name are of one program. Each kernel, grid and block counts once.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, Optional

sys.dont_write_bytecode = True  # a source tree stays as it is
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "report"))

from plotting import command  # noqa: E402
from plotting.errors import UserError  # noqa: E402
from prediction import percent, table  # noqa: E402

from evaluate import SHORTEST_S  # noqa: E402

SECTION = re.compile(r"<!-- ported -->\n.*<!-- end of ported -->", re.DOTALL)


@dataclass(frozen=True)
class Recorded:
    """The reports of one GPU."""

    folder: Path
    profile: str


@dataclass
class Ported:
    """A kernel that was ported, and measured there. Seconds are of a launch."""

    here_s: float
    predicted_here_s: float
    ported_s: float
    low_s: float
    high_s: float
    predicted_s: float  # there, by the model alone
    measured_s: float  # there
    limit_here: str
    limit_there: str

    @property
    def same_limit(self) -> bool:
        return self.limit_here == self.limit_there

    def carried(self, power: float) -> float:
        """The time there with this power of the residue."""
        return self.predicted_s * (self.here_s / self.predicted_here_s) ** power


def error(seconds: float, kernel: Ported) -> float:
    return abs(seconds / kernel.measured_s - 1)


# ---- Reading

def measured_of(path: Path) -> dict[tuple[str, str, int], Optional[float]]:
    """{(kernel, grid, block): median seconds of a launch}. Kernels that occur twice are None."""
    found: dict[tuple[str, str, int], Optional[float]] = {}
    for result in json.loads(path.read_text(encoding="utf-8"))["results"]:
        own = result["parameters"]
        key = own["kernel"], own["grid"], own["block_threads"]
        time = result["time_seconds"]
        found[key] = None if key in found or not time else time["median"]
    return found


def ported_of(program: str, path: Path, profile: str) -> list[dict[str, Any]]:
    done = subprocess.run([program, "port", str(path), "--gpu", profile, "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"gpumem port {path}: {done.stderr.strip()}")
    kernels: list[dict[str, Any]] = json.loads(done.stdout)["gpus"][0]["kernels"]
    return kernels


def is_portable(path: Path) -> bool:
    """False for a program none of whose kernels has a prediction: `gpumem port` refuses its report."""
    return any(result.get("work") for result in json.loads(path.read_text(encoding="utf-8"))["results"])


def kernels_of(program: str, here: Recorded, there: Recorded) -> list[Ported]:
    found = []
    for path in sorted(here.folder.glob("*.json")):
        other = there.folder / path.name
        if not other.exists() or not is_portable(path):
            continue
        measured = measured_of(other)
        for kernel in ported_of(program, path, there.profile):
            launch = kernel["launch"]
            seconds = measured.get((kernel["kernel"], kernel["grid"], kernel["block_threads"]))
            if launch["there_seconds"] is None or not seconds or min(seconds, launch["here_seconds"]) < SHORTEST_S:
                continue
            times = launch["there_seconds"] / kernel["there"]["seconds"]
            found.append(Ported(launch["here_seconds"], launch["predicted_here_seconds"], launch["there_seconds"],
                                kernel["there"]["low"] * times, kernel["there"]["high"] * times,
                                launch["predicted_there_seconds"], seconds, kernel["limit_here"], kernel["limit_there"]))
    if not found:
        raise UserError(f"no kernel of {here.folder} was measured in {there.folder} as well")
    return found


# ---- The section

def errors(kernels: Sequence[Ported], seconds: Callable[[Ported], float]) -> list[str]:
    off = sorted(error(seconds(kernel), kernel) for kernel in kernels)
    if not off:
        return ["-"] * 3
    return [percent(value) for value in (statistics.fmean(off), statistics.median(off), off[math.ceil(0.95 * len(off)) - 1])]


def rows_of(title: str, kernels: Sequence[Ported]) -> list[list[Any]]:
    rows = []
    for limit, chosen in (("all", kernels), ("the same", [kernel for kernel in kernels if kernel.same_limit]),
                          ("another", [kernel for kernel in kernels if not kernel.same_limit])):
        inside = [kernel.low_s <= kernel.measured_s <= kernel.high_s for kernel in chosen]
        rows.append([title, limit, len(chosen), *errors(chosen, lambda kernel: kernel.ported_s),
                     *errors(chosen, lambda kernel: kernel.predicted_s),
                     *errors(chosen, lambda kernel: kernel.here_s),
                     percent(sum(inside) / len(inside)) if inside else "-"])
    return rows


def section(program: str, recorded: Sequence[Recorded]) -> str:
    rows, all_of_them = [], []
    for here, there in permutations(recorded, 2):
        kernels = kernels_of(program, here, there)
        rows += rows_of(f"{here.profile} to {there.profile}", kernels)
        all_of_them += kernels
    powers = [[f"{power:g}", limit, *errors([kernel for kernel in all_of_them if kernel.same_limit == same],
                                            lambda kernel, power=power: kernel.carried(power))]
              for limit, same in (("the same", True), ("another", False)) for power in (0, 0.5, 1)]
    return "\n\n".join([
        f"An error is |ported / measured - 1| of the median time of a launch, of kernels that take {1e6 * SHORTEST_S:g} us"
        " or more on both GPUs. The first three columns are those of `gpumem port`, the next three of the model alone,"
        " without the residue, and the next three of no price at all: as if a launch took as long there as here. The last"
        " column says how many kernels lie in their interval. `tests/corpus/port.py` makes these tables.",
        table(["from, to", "limit there", ">kernels", ">mean %", ">median %", ">95th percentile %", ">model: mean %",
               ">median %", ">95th %", ">as here: mean %", ">median %", ">95th %", ">inside the interval %"], rows),
        "By the power of the residue:",
        table(["power", "limit there", ">mean %", ">median %", ">95th percentile %"], powers)]) + "\n"


def recorded_of(text: str) -> Recorded:
    folder, equals, profile = text.rpartition("=")
    if not equals or not list(Path(folder).glob("*.json")):
        raise UserError(f"'{text}' is not FOLDER=PROFILE with a folder of reports")
    return Recorded(Path(folder), profile)


def main(arguments: Sequence[str]) -> None:
    parser = command.Parser(prog="port.py", description="Ported against measured kernels of programs.")
    parser.add_argument("recorded", nargs="+", metavar="FOLDER=PROFILE", help="reports of a GPU, and its profile")
    parser.add_argument("--program", default="build/release/gpumem", help="the gpumem to port with")
    parser.add_argument("--write", metavar="PAGE", help="the page whose section between its markers is replaced")
    given = parser.parse_args(arguments)
    if len(given.recorded) < 2:
        raise UserError("port.py needs reports of two GPUs")
    made = section(given.program, [recorded_of(text) for text in given.recorded])
    if not given.write:
        print(made, end="")
        return
    text = Path(given.write).read_text(encoding="utf-8")
    if not SECTION.search(text):
        raise UserError(f"{given.write} has no lines '<!-- ported -->' and '<!-- end of ported -->'")
    new = f"<!-- ported -->\n\n{made}\n<!-- end of ported -->"
    command.write(given.write, SECTION.sub(lambda _: new, text).encode())


if __name__ == "__main__":
    command.run("port.py", main)
