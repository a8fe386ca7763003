"""The program's commands as functions. `quiet` leaves out progress and notices."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

from . import frames
from .arguments import Arguments, Backend, FilePath, flags, refuse_unknown, selection, words
from .errors import Error
from .program import Ended, call, output, show
from .report import Report
from .results import Comparison, Portrait
from .text import Text

if TYPE_CHECKING:
    from .frames import DataFrame

Counters = Union[bool, Literal["require"], None]
Device = Union[int, str, Sequence[int], None]  # an index, a UUID or a PCI id; "all", or indices, for several at once
Share = Union[float, str, None]  # 0.02 or "2%"


def probed(given: dict[str, Any], name: str | None = None) -> Report:
    """Runs probes: `given` are the arguments of a function of probes.py, that of one probe if it has a `name`."""
    refuse_unknown(given.pop("unknown"), given, f"gpumem.probes.{name.replace('-', '_')}" if name else "gpumem.probe")
    arguments, quiet = words(given.pop("arguments", [name])), given.pop("quiet")
    return reported(["probe", *arguments, *flags(given)], quiet=quiet)


def check(suite: Arguments = "smoke", *, attempts: int | None = None, fail_on_skip: bool = False,
          backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
          counters: Counters = None, quiet: bool = False) -> Report:
    """Holds a GPU to what a suite expects: `passed` of what it returns says whether it does, report["checks"] why.

    suite: its name or file, or the arguments of `gpumem check`, as in "smoke run.json". attempts: how often a case
    that failed is measured. fail_on_skip: whether what was skipped fails. The rest is as for probe().
    """
    options = flags({"attempts": attempts, "fail_on_skip": fail_on_skip, "backend": backend, "gpu": gpu,
                     "device": device, "counters": counters})
    return reported(["check", *words(suite), *options], fine=(0, 1), quiet=quiet)


def run(command: Arguments, options: Arguments = (), *, counters: bool = False, replay: bool = False,
        sites: bool = False, kernel: str | None = None, launches: int | None = None, skip_first: int | None = None,
        max_overhead: Share = None, gpu: FilePath | None = None, device: int | str | None = None,
        quiet: bool = False) -> Report:
    """Runs a program that uses CUDA, and reports on its kernels. `exit_code` of what it returns is the command's.

    command: its words, or one text as for a shell without its expansions. It has this process' stdin and stdout.
    The others are the options of `gpumem run`, also in `options` as in "--counters --kernel copy": counters, replay
    and sites choose how to look, kernel (a regular expression), launches and skip_first at what, max_overhead for how
    long (0.2 or "20%" of the time), device on which GPU; gpu is the profile that says what the GPU could do.
    """
    its = words(command)
    chosen = flags({"counters": counters, "replay": replay, "sites": sites, "kernel": kernel, "launches": launches,
                    "skip_first": skip_first, "max_overhead": max_overhead, "gpu": gpu, "device": device})
    report = reported(["run", *words(options), *chosen, "--quiet"], fine=None, rest=["--", *its])
    if report.unused_gpu and not quiet:
        show(f"gpumem: {report.unused_gpu}\n")
    return report


def compare(*reports: Report | FilePath, tolerance: Share = None, fail_on_regression: Share = None,
            fleet: bool = False, quiet: bool = False, **parameters: object) -> Comparison:
    """Compares the first report with each of the others, case by case: compare(before, after, offset=1, op="copy").

    reports: reports or files of them; with fleet=True one per machine, or folders of them, to find the machines that
    are unlike the others. parameters: only cases with these values. tolerance: differences within it are the same
    (0.02 or "2%"). fail_on_regression: `passed` is False where a case is surely slower by more than this, and True
    otherwise; without it `passed` is None.
    """
    options = flags({"tolerance": tolerance, "fail_on_regression": fail_on_regression, "fleet": fleet})
    with tempfile.TemporaryDirectory() as folder:
        names, place = files_in(folder, reports)
        ended, made = written(["compare", *names, *selection((), parameters), *options], "json", "txt", "md", "csv",
                              quiet=quiet, place=place)
    accept(ended, (0, 1))
    return Comparison(made["json"], ended.exit_code, table=made["txt"], markdown=made["md"], csv=made["csv"],
                      gated=fail_on_regression is not None)


def portrait(*reports: Report | FilePath, backend: Backend | None = None, gpu: FilePath | None = None,
             device: int | str | None = None, counters: Counters = None, quiet: bool = False) -> Portrait:
    """A GPU's memory on one page, for which it is measured for some 10 s; of reports what they hold, side by side. The
    rest is as for probe()."""
    options = flags({"backend": backend, "gpu": gpu, "device": device, "counters": counters})
    kinds = ("html", "txt") if reports else ("html", "txt", "json")
    with tempfile.TemporaryDirectory() as folder:
        names, place = files_in(folder, reports)
        ended, made = written(["portrait", *names, *options], *kinds, quiet=quiet, place=place)
    accept(ended)
    return Portrait(made["html"], made["txt"], Report(made["json"], ended.exit_code) if "json" in made else None)


def devices() -> list[dict[str, Any]]:
    """The GPUs of this machine, each with all that a report's "device" has. Raises Error where there is none."""
    found: list[dict[str, Any]] = json.loads(output("devices", "--json"))
    return found


def expect(*gpus: FilePath, device: int | str | None = None, all: bool = False) -> DataFrame:
    """The values that GPUs should reach, as a frame of pandas with a row for each GPU and quantity: gpu, quantity, value,
    low, high, unit, source. Nothing is measured. Raises Error for a name that no profile has, and where pandas is not installed.

    gpus: names or files of profiles; without any, the GPU of this machine. device: which GPU of this machine. all: every
    GPU that has a shipped profile. Measurements of healthy GPUs lie from low to high, in the value's unit; both are NaN
    where nobody knows. source: of the rate that decides the value, such as "published (Ernst (NHR@FAU))" or "scaled from
    the H200".
    """
    return frames.of_expected(output("expect", *gpus, *flags({"device": device, "all": all}), "--format", "json"))


def calibrate(path: FilePath | None = None, *, reports: Iterable[FilePath] = (), held_out: Iterable[FilePath] = (),
              name: str | None = None, device: int | str | None = None, quiet: bool = False) -> Text:
    """Measures the rates of a GPU, for predictions of it, or fits them to saved reports of measurements. Returns the
    rates, and how well they hold, in words.

    path: where to write the profile, which gpu= then takes; without it, it is your own of such a GPU from then on.
    held_out: reports to hold the rates against, which they are not fitted to. name: of the profile in reports.
    """
    options = flags({"output": path, "name": name, "device": device})
    options += [f"--{option}={os.fspath(file)}" for option, files in (("from", reports), ("check", held_out))
                for file in files]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        ended = call(["calibrate", *options], stdout=said, quiet=quiet)
        said.seek(0)
        summary = said.read()
    accept(ended)
    return Text(summary)


# ---- Calls

def reported(arguments: Sequence[str], *, fine: Sequence[int] | None = (0,), rest: Sequence[str] = (),
             quiet: bool = False) -> Report:
    """Calls the program for its report. `fine` are exit codes that say nothing went wrong; None: that of the command
    that it watched."""
    ended, made = written(arguments, "json", rest=rest, quiet=quiet)
    if not made:
        accept(ended)
        raise Error(f"'gpumem {shlex.join(arguments)}' makes no report; it is for the command line", 2)
    report = Report(made["json"], ended.exit_code)
    accept(ended, (report["program"]["exit_code"],) if fine is None else fine, report)
    return report


def written(arguments: Sequence[str], *kinds: str, rest: Sequence[str] = (), quiet: bool = False,
            place: FilePath | None = None) -> tuple[Ended, dict[str, str]]:
    """Calls the program, in the folder `place`, for a file of each kind, as their extensions say; what it wrote, by
    kind. `rest` is the command that it watches, which has this process' stdout."""
    with tempfile.TemporaryDirectory() as folder:
        files = {kind: Path(folder) / f"written.{kind}" for kind in kinds}
        options = [*(f"--output={file}" for file in files.values()), *(["--quiet"] if quiet else [])]
        ended = call([*arguments, *options, *rest], stdout=None if rest else subprocess.DEVNULL, quiet=quiet, place=place)
        return ended, {kind: file.read_text(encoding="utf-8") for kind, file in files.items() if file.exists()}


def accept(ended: Ended, fine: Sequence[int] = (0,), report: Report | None = None) -> None:
    """Raises Error for any other exit code, with the report of what was done all the same."""
    if ended.exit_code in fine:
        show(ended.unshown)
    elif ended.exit_code == 130:
        show(ended.unshown)
        raise KeyboardInterrupt
    else:
        complaint = in_python(ended.complaint or f"gpumem ended with {ended.exit_code} and said nothing")
        raise Error(complaint, ended.exit_code, report)


def files_in(folder: str, reports: Sequence[Report | FilePath]) -> tuple[list[str], str | None]:
    """The files of reports, and where the program finds them: those that no file holds are written into the folder,
    under names that a table can show."""
    place = folder if any(isinstance(report, Report) for report in reports) else None
    files = []
    for number, report in enumerate(reports, 1):
        if isinstance(report, Report):
            files.append(f"report{number}.json")
            report.save(Path(folder, files[-1]))
        else:
            files.append(os.path.abspath(report) if place else os.fspath(report))
    return files, place


def in_python(complaint: str) -> str:
    """Turns the program's advice on its command line into advice on arguments."""
    if complaint.startswith("--output holds one report of one suite"):
        return "a report is of one suite, or of one saved report; check them one at a time"
    what, is_cured, _ = complaint.partition("; to predict instead run: ")
    if is_cured:
        return f'{what}; to predict instead: backend="model", gpu="h200"'
    return complaint.replace("gpumem calibrate --from REPORT", 'gpumem.calibrate(reports=["report.json"])')
