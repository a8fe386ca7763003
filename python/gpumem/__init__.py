"""gpumem: how a GPU's memory behaves, measured and predicted.

    import gpumem
    report = gpumem.probe("--offset 0..32", backend="auto")    runs the program; shows itself in a notebook
    report.frame()                                             a row per case, in pandas
    report.plot()                                              the curves
    gpumem.check("smoke").passed
    gpumem.run(["python3", "train.py"])                        the kernels of any program that uses CUDA
    gpumem.read(["before.json", "after.json"])                 saved reports

Everything is done by the program `gpumem`, which is installed with this module; its manual and docs/ say what a report
holds. What goes wrong is a gpumem.Error: the program's one line, with its exit code.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Union

from .errors import Error
from .program import call, program, show
from .report import Plot, Report, read

Arguments = Union[str, os.PathLike, Sequence[Union[str, int, float, os.PathLike]]]  # one text is as for a shell

__all__ = ["Error", "Plot", "Report", "check", "probe", "program", "read", "run"]


def probe(arguments: Arguments = (), *, backend: str | None = None, gpu: str | None = None) -> Report:
    """Runs probes: `arguments` are those of `gpumem probe`, as in "--offset 0..32 --op read,write".

    backend: "cuda" measures (the program's default), "model" predicts, "auto" measures where there is a GPU.
    gpu: the profile to predict for. Raises Error, with the report of what was done if anything was.
    """
    return reported(["probe", *words(arguments), *where(backend, gpu)])


def check(suite: Arguments = "smoke", *, backend: str | None = None, gpu: str | None = None) -> Report:
    """Holds a GPU to what a suite expects: `passed` of what it returns says whether it does, report["checks"] why.

    suite: its name or file, or the arguments of `gpumem check`, as in "smoke --attempts 3". The rest is as for probe().
    """
    return reported(["check", *words(suite), *where(backend, gpu)], fine=(0, 1))


def run(command: Arguments, options: Arguments = ()) -> Report:
    """Runs a program that uses CUDA, and reports on its kernels. `exit_code` of what it returns is the command's.

    command: its words, or one text as for a shell without its expansions. options: those of `gpumem run`, as in
    "--counters --kernel copy". The command has this process' stdin and stdout.
    """
    its = words(command)
    return reported(["run", *words(options)], fine=None, rest=["--", *its])


def words(arguments: Arguments) -> list[str]:
    if isinstance(arguments, os.PathLike):
        arguments = [arguments]
    if not isinstance(arguments, str):
        return [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in arguments]
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise Error(f"{arguments!r} is no list of words ({str(error).lower()}); give one: ['--offset', '0..4']", 2) from error


def where(backend: str | None, gpu: str | None) -> list[str]:
    return [*(["--backend", backend] if backend else []), *(["--gpu", gpu] if gpu else [])]


def reported(arguments: list[str], *, fine: Sequence[int] | None = (0,), rest: Sequence[str] = ()) -> Report:
    """Calls the program for its report; `fine` are exit codes that say nothing went wrong: None, all with a report."""
    watches = bool(rest)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.json"
        ended = call([*arguments, "--output", str(target), *(["--quiet"] if watches else []), *rest],
                     quiet_stdout=not watches)
        report = Report(target.read_text(encoding="utf-8"), ended.exit_code) if target.exists() else None
    if ended.interrupted or (ended.exit_code == 130 and not watches):
        show(ended.unshown)
        raise KeyboardInterrupt
    if report is not None and (fine is None or ended.exit_code in fine):
        show(ended.unshown)
        return report
    if ended.exit_code == 0:
        raise Error(f"'gpumem {shlex.join(arguments)}' makes no report; it is for the command line", 2)
    complaint = in_python(ended.complaint or f"gpumem ended with {ended.exit_code} and said nothing")
    raise Error(complaint, ended.exit_code, report)


def in_python(complaint: str) -> str:
    """What the program says of another command line, said of an argument here."""
    if complaint.startswith("--output holds one report of one suite"):
        return "a report is of one suite, or of one saved report; check them one at a time"
    what, is_cured, _ = complaint.partition("; to predict instead run: ")
    return f'{what}; to predict instead: backend="model", gpu="h200"' if is_cured else complaint
