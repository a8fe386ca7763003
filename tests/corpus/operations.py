"""Runs a table of operations, each in an NVTX range of its name, so that a report says which kernel is whose."""

from __future__ import annotations

import sys
from typing import Any, Callable, Mapping

RUNS = 12  # of each operation: the first may be slower, and a median takes some


def run_all(make: Mapping[str, Callable[[], Callable[[], Any]]], *, begin: Callable[[str], Any],
            end: Callable[[], Any], synchronise: Callable[[], Any]) -> int:
    """Makes each operation and runs it. An operation that fails (a library may lack it) does not stop the others; the
    exit code is 1 then. Making is outside of the range: its kernels are not the operation's."""
    failed = []
    for name, maker in make.items():
        try:
            operation = maker()
            synchronise()
            begin(name)
            try:
                for _ in range(RUNS):
                    operation()
                synchronise()
            finally:
                end()
        except Exception as error:  # whatever a library throws  # noqa: BLE001
            failed.append(f"{name}: {' '.join(str(error).split())[:120]}")
    print(f"{len(make) - len(failed)} of {len(make)} operations ran")
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    return 1 if failed else 0
