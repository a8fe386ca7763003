#!/usr/bin/env python3
"""Measures the cost of listening to a framework's allocator: allocations.py BUILD [CALLS]
Times an allocation and its release, with the program's own line so many frames further out and 20,000 other allocations
in use, through tests/program/watch/callers and its stand-in of the framework's libraries."""

import ctypes
import sys
import tempfile
import time
from pathlib import Path

libraries = Path(sys.argv[1]) / "tests" / "callers"
calls = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
ctypes.CDLL(str(libraries / "libc10.so"), ctypes.RTLD_GLOBAL)
framework = ctypes.CDLL(str(libraries / "libc10_cuda.so"))
framework.framework_churn.argtypes = [ctypes.c_uint64, ctypes.c_int]
framework.framework_allocate.argtypes = [ctypes.c_uint64, ctypes.c_int64]
package = {"__name__": "package", "framework": framework}
exec(compile("def down(depth, calls):\n"
             "    return down(depth - 1, calls) if depth else framework.framework_churn(0x7F0000000000, calls)\n",
             "/lib/site-packages/package.py", "exec"), package)


def nanoseconds(depth):
    package["down"](depth, 1000)
    times = []
    for _ in range(3):
        began = time.perf_counter()
        package["down"](depth, calls)
        times.append(time.perf_counter() - began)
    return min(times) / calls * 1e9


alone = nanoseconds(0)
with tempfile.TemporaryDirectory() as folder:
    assert ctypes.CDLL(str(libraries / "gpumem_launches.so")).begin(folder.encode())
    for i in range(20000):
        framework.framework_allocate(0x7E0000000000 + i * 65536, 512)
    print(f"Python {sys.version.split()[0]}: {alone:.0f} ns alone")
    for depth in (0, 3, 10, 30):
        print(f"  {nanoseconds(depth):.0f} ns with the program's line {depth + 1} frames further out")
