"""Errors with a message of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import Report


class Error(Exception):
    """The program's one line on what went wrong and what to do, without the "gpumem: " in front of it.

    exit_code: the program's, as its manual lists them: 1 data that were wrong, 2 a mistake in what was asked for, 3 no
    usable GPU, 4 a probe that failed to run.
    report: what was measured all the same, or None.
    """

    def __init__(self, message: str, exit_code: int, report: Report | None = None):
        super().__init__(message)
        self.exit_code = exit_code
        self.report = report


def missing(module: str, what_for: str) -> Error:
    """The error for a Python package that is not installed."""
    return Error(f"{what_for} takes {module}; 'python3 -m pip install {module}' installs it", 2)
