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

from .errors import Error
from .program import call, program
from .report import Plot, Report, read

__all__ = ["Error", "Plot", "Report", "check", "probe", "program", "read", "run"]


def probe(arguments: str | Sequence[str] = (), *, backend: str | None = None, gpu: str | None = None) -> Report:
    """Runs probes: `arguments` are those of `gpumem probe`, as in "--offset 0..32 --op read,write".

    backend: "cuda" measures (the program's default), "model" predicts, "auto" measures where there is a GPU.
    gpu: the profile to predict for. Raises Error, with the report of what was done if anything was.
    """
    return reported(["probe", *words(arguments), *where(backend, gpu)])


def check(suites: str | Sequence[str] = "smoke", *, backend: str | None = None, gpu: str | None = None) -> Report:
    """Holds a GPU to what suites expect: `passed` of what it returns says whether it does, report["checks"] why.

    suites: the arguments of `gpumem check`, as in "smoke --attempts 3". The rest is as for probe().
    """
    return reported(["check", *words(suites), *where(backend, gpu)], fine=(0, 1))


def run(command: str | Sequence[str | os.PathLike], options: str | Sequence[str] = ()) -> Report:
    """Runs a program that uses CUDA, and reports on its kernels. `exit_code` of what it returns is the command's.

    command: its words, or one text as for a shell without its expansions. options: those of `gpumem run`, as in
    "--counters --kernel copy". The command has this process' stdin and stdout.
    """
    its = words(command)
    return reported(["run", *words(options)], fine=None, rest=["--", *its])


def words(arguments: str | Sequence[str | os.PathLike]) -> list[str]:
    return shlex.split(arguments) if isinstance(arguments, str) else [os.fspath(one) for one in arguments]


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
    if report is not None and (fine is None or ended.exit_code in fine):
        return report
    if ended.exit_code == 130 and not watches:
        raise KeyboardInterrupt
    complaint = in_python(ended.complaint or f"gpumem ended with {ended.exit_code} and said nothing")
    raise Error(complaint, ended.exit_code, report)


def in_python(complaint: str) -> str:
    """What the program says of another command line, said of an argument here."""
    what, is_cured, _ = complaint.partition("; to predict instead run: ")
    return f'{what}; to predict instead: backend="model", gpu="h200"' if is_cured else complaint
