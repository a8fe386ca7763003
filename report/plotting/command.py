"""Shared by the commands: one line for every error that a user can mend, plots, and files that are whole."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from .errors import Missing, UserError
from .model import Figure

KINDS = ("svg", "png", "pdf", "html")


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see --help")


def write(output: str, content: bytes) -> None:
    """Beside the target first, then renamed: a reader finds the whole file, the old one, or none."""
    path = Path(output)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "xb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        raise UserError(f"cannot write '{output}': {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def no_matplotlib(why: object) -> Missing:
    return Missing(f"figures take matplotlib ({why}); 'python3 -m pip install matplotlib' or 'apt-get install"
                   " python3-matplotlib' installs it, and .html does without")


def require_matplotlib() -> None:
    """Raises if matplotlib is missing or too old. Only looks for it: importing takes longer than drawing."""
    found = find_spec("matplotlib")
    if found is None:
        raise no_matplotlib("there is none")
    if PathFinder.find_spec("matplotlib.layout_engine", found.submodule_search_locations) is None:
        raise no_matplotlib("this one is older than 3.6")


def draw(figure: Figure, kind: str) -> bytes:
    """The bytes of a file of `kind`: svg, png or pdf."""
    try:  # a page does without it, so that only this may import it
        from . import drawing
    except ImportError as error:
        raise no_matplotlib(error) from error
    return drawing.draw(figure, kind)


def run(name: str, main: Callable[[list[str]], None]) -> None:
    """Calls `main` with the command line, and ends with 2 where the user can mend what is wrong."""
    try:
        main(sys.argv[1:])
    except UserError as error:
        print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
