"""Shows the program's progress: on a terminal as the program's own line, in a notebook as a bar, and nowhere else."""

from __future__ import annotations

import html
import importlib
import re
import sys
from typing import Any

ERASE = "\r\x1b[K"  # before each line of progress, of which none ends
COUNT = re.compile(r"(\d+)/(\d+) ")  # that the line begins with


def is_seen() -> bool:
    return in_notebook() or sys.stderr.isatty()


def in_notebook() -> bool:
    return "IPython" in sys.modules and hasattr(sys.modules["IPython"].get_ipython(), "kernel")


class OnStderr:
    """As it comes."""

    def show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def close(self) -> None:
        pass


class Bar(OnStderr):
    """A bar in a notebook, which goes when the program ends. All other output goes to stderr."""

    _handle: Any = None  # of what is displayed
    _line = ""  # of progress, of which more may come

    def show(self, text: str) -> None:
        plain, *erased = (self._line + text).split(ERASE)
        self._line = f"{ERASE}{erased[-1]}" if erased and "\n" not in erased[-1] else ""
        for line in erased:
            if "\n" in line:
                plain += line
            elif counted := COUNT.match(line):
                self._display(f'<progress value="{counted[1]}" max="{counted[2]}"></progress> {html.escape(line)}')
        if plain:
            super().show(plain)

    def close(self) -> None:
        if self._handle:
            self._display("")

    def _display(self, content: str) -> None:
        content_by_type = {"text/html": content, "text/plain": ""}
        if self._handle:
            self._handle.update(content_by_type, raw=True)
        else:
            display = importlib.import_module("IPython.display").display
            self._handle = display(content_by_type, raw=True, display_id=True)
