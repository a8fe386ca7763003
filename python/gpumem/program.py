"""Finds the program, and calls it."""

from __future__ import annotations

import codecs
import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import IO, NamedTuple

from . import progress
from .arguments import FilePath
from .errors import Error

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LAST_WORDS = re.compile(r"(?:^|(?<=\n)|\r\x1b\[K)gpumem: [^\n]*\n?\Z")  # a last line that may be its complaint


def program() -> str:
    """The path of the program: $GPUMEM, else the one that was installed with this module, else the one on the PATH."""
    chosen = os.environ.get("GPUMEM") or of_this_distribution() or shutil.which("gpumem")
    if not chosen:
        raise Error("the program gpumem is neither installed with this module nor on the PATH; name it in $GPUMEM", 2)
    return chosen


def of_this_distribution() -> str | None:
    try:
        files = metadata.files("gpumem") or []
    except metadata.PackageNotFoundError:  # installed by another than pip
        files = []
    found = [Path(str(file.locate())).resolve() for file in files if file.name == "gpumem" and file.parent.name == "bin"]
    # `pip install --target` says where files would be in an environment, and puts them beside the modules. The Debian
    # package and `cmake --install` put the modules into PREFIX/share/gpumem/python.
    folders = Path(__file__).resolve().parents
    found += [folder / "bin" / "gpumem" for folder in (folders[1], *folders[4:5])]
    return next((str(path) for path in found if os.access(path, os.X_OK)), None)


class Ended(NamedTuple):
    """The end of a run of the program."""

    exit_code: int
    complaint: str | None  # its one line of what was wrong, if it had one
    unshown: str  # the end of what it said, which is not on stderr yet: the complaint, or nothing


def call(arguments: Sequence[FilePath], *, stdout: int | IO[str] | None = subprocess.DEVNULL, quiet: bool = False,
         place: FilePath | None = None) -> Ended:
    """Runs the program to its end, in the folder `place` if that is given. Its progress appears where somebody sees it,
    unless `quiet`; the rest of what it says, and what a watched command writes to stderr, on this process' stderr. An
    interrupt reaches the program first."""
    command = [program(), *(os.fspath(argument) for argument in arguments)]
    seen = not quiet and progress.is_seen()
    ours, its = pty.openpty() if seen else os.pipe()  # the program shows progress to a terminal only
    try:
        child = subprocess.Popen(command, stdin=None, stdout=stdout, stderr=its, cwd=place)
    except OSError as error:
        os.close(ours)
        raise Error(f"cannot start '{command[0]}': {error.strerror}", 2) from error
    finally:
        os.close(its)
    listener = progress.Bar() if seen and progress.in_notebook() else progress.OnStderr()
    said: list[str] = []
    unshown: list[str] = []
    reader = threading.Thread(target=pass_on, args=(ours, listener, said, unshown), daemon=True)
    reader.start()
    interrupted = False
    try:
        child.wait()
    except KeyboardInterrupt:
        interrupted = True
        child.send_signal(signal.SIGINT)
        child.wait()
    finally:
        reader.join(timeout=10)
        listener.close()
    if interrupted:
        show("".join(unshown))
        raise KeyboardInterrupt
    exit_code = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return Ended(exit_code, complaint_in("".join(said)), "".join(unshown))


def pass_on(source: int, listener: progress.OnStderr, said: list[str], unshown: list[str]) -> None:
    """Shows what comes, but for a last line that an exception may say."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with contextlib.suppress(OSError), os.fdopen(source, "rb", buffering=0) as stream:  # the other end may be closed
        while part := stream.read(65536):
            decoded = decoder.decode(part).replace("\r\n", "\n")
            said.append(decoded)
            waiting = "".join([*unshown, decoded])
            held = LAST_WORDS.search(waiting)
            unshown[:] = [held.group()] if held else []
            listener.show(waiting[: held.start()] if held else waiting)


def show(text: str) -> None:
    progress.OnStderr().show(text)


def complaint_in(text: str) -> str | None:
    lines = [line.rpartition("\r")[2] for line in CONTROLS.sub("", text).splitlines()]
    complaints = [line.removeprefix("gpumem: ") for line in lines if line.startswith("gpumem: ")]
    return complaints[-1] if complaints else None


def output(*arguments: FilePath, given: str | None = None) -> str:
    """Returns the program's output for a saved report, so that nothing is measured. Raises its complaint."""
    command = [program(), *(os.fspath(argument) for argument in arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise Error(complaint_in(done.stderr) or f"gpumem ended with {done.returncode}", done.returncode)
    return done.stdout
