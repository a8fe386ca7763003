"""The kernels of a program that 'gpumem run' watched: what the figures of them have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .kernel_names import short_names
from .model import grouped
from .reports import Case, Report
from .words import shortened

PROBE = "kernel"
NAME_LETTERS = 32
WORTH_SAVING = 0.02  # of a kernel's own time, as in the table
MOST_ROWS = 10  # as in the table


def command_of(report: Report) -> str:
    return shortened(" ".join(report.program.command or ["a program"]), 40)


class Kernel:
    """A kernel with one grid and block, as a case of a report. Unknown values are None."""

    def __init__(self, case: Case, name: str):
        def metric(quantity: str) -> float | None:
            return next(iter(case.readings[quantity].known()), None) if quantity in case.readings else None

        self.case, self.name = case, name
        self.gpu_s, self.saved_s = metric("gpu_time_seconds"), metric("could_save_seconds")
        self.share, self.moved = metric("gpu_time_share"), metric("bytes_moved_per_byte_used")
        self.launches = metric("launches")
        self.used_bytes = sum(case.useful_bytes.values())

    def could_save(self) -> bool:
        saved_s = self.saved_s or 0
        return saved_s > 0 and (not self.gpu_s or saved_s >= WORTH_SAVING * self.gpu_s)

    def reason(self) -> str:
        """The report's words on its worst accesses, without their cost; '' if there are none."""
        sentences = [sentence for sentence in re.split(r"\. (?=[A-Z])", self.case.why or "")
                     if "could be saved" not in sentence]
        return sentences[0].rstrip(".") if sentences else ""


def launch_words(case: Case, apart: Sequence[str]) -> str:
    """Its launch as a program says it, "<<<4096, 256>>>", by the parameters in which its kernel's launches differ."""
    launch = " <<<{grid}, {block_threads}>>>" if {"grid", "block_threads"} & set(apart) else ""
    return (launch + (" on GPU {device}" if "device" in apart else "")).format_map(
        {name: case.parameters.get(name, "?") for name in ("grid", "block_threads", "device")})


def launches_words(cases: Sequence[Case]) -> list[str]:
    """Words for each case that tell it from the other launches of its kernel; '' if it is the kernel's only one."""
    words: dict[int, str] = {}
    for of_kernel in grouped(cases, lambda case: case.parameters.get(PROBE)).values():
        apart = [name for name in ("grid", "block_threads", "device")
                 if len({case.parameters.get(name) for case in of_kernel}) > 1]
        for case in of_kernel:
            words[id(case)] = launch_words(case, apart)
    return [words[id(case)] for case in cases]


def of_programs(cases: Sequence[Case]) -> list[list[Kernel]]:
    """The kernels of each report, as a list."""
    found = []
    for of_report in grouped((case for case in cases if case.probe == PROBE), lambda case: id(case.report)).values():
        names = short_names([str(case.parameters.get(PROBE)) for case in of_report], NAME_LETTERS)
        found.append([Kernel(case, names[str(case.parameters.get(PROBE))] + launch)
                      for case, launch in zip(of_report, launches_words(of_report))])
    return found


def saving_most(kernels: Sequence[Kernel]) -> list[Kernel]:
    """At most ten, the first saves most."""
    return sorted(filter(Kernel.could_save, kernels), key=lambda kernel: -(kernel.saved_s or 0))[:MOST_ROWS]
