"""Calls of the program that leave this process' stdin and stdout alone, for the protocol is spoken there."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..errors import Error
from ..program import complaint_in, program
from ..report import Report

GRACE_SECONDS = 5.0  # within which the program ends its own command and itself (docs/report.md: within a second)
TAIL_BYTES = 4096


class Called(NamedTuple):
    """A run of the program that ended by itself."""

    exit_code: int
    out: str
    err: str  # the end of it


def called(arguments: Sequence[str], *, timeout: float, fine: Collection[int] | None = (0,)) -> Called:
    """Runs the program for `timeout` seconds at most. Raises Error with its line for exit codes that are not `fine`
    (None: all are) and when the time is over; then the program has been ended."""
    if timeout <= 0:
        raise Error(f"timeout_seconds is {timeout:g}; give a time above 0", 2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            child = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except (OSError, ValueError) as error:
            raise Error(f"cannot start gpumem: {error}", 2) from error
        try:
            exit_code = child.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise Error(f"'gpumem {arguments[0]}' was ended after {timeout:g} s; give it less to do, or more time in "
                        "timeout_seconds", 130) from error
        finally:
            end(child)
        out.seek(0)
        done = Called(exit_code, out.read().decode("utf-8", "replace"), tail_of(err.fileno()))
    if fine is not None and exit_code not in fine:
        raise Error(complaint_in(done.err) or f"gpumem ended with {exit_code} and said nothing", exit_code)
    return done


def end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def tail_of(descriptor: int) -> str:
    with open(descriptor, "rb", closefd=False) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL_BYTES))
        return file.read().decode("utf-8", "replace")


def report_of(arguments: Sequence[str], *, timeout: float, fine: Collection[int] = (0,)) -> Report:
    """Runs the program for a report on its stdout."""
    done = called([*arguments, "--format", "json"], timeout=timeout, fine=fine)
    return Report(done.out, done.exit_code)


def saved(path: str, *, timeout: float) -> Report:
    """Reads a report, also one of an older version."""
    return report_of(["show", name_of(path)], timeout=timeout)


def name_of(path: str) -> str:
    """A file's name as an argument that the program takes for neither an option nor its standard input."""
    return f"./{path}" if path.startswith("-") else path
