#!/usr/bin/env python3
"""Times commands that nobody expects to wait for: help, lists, predictions. Prints the fastest of some runs of each, in
milliseconds, beside that of a program that does nothing.

    tests/benchmark/start_times.py --gpumem build/release/gpumem
"""

import argparse
import subprocess
import time

COMMANDS = (
    ("--help",),
    ("list",),
    ("probe", "--backend", "model", "--gpu", "h200"),
    ("probe", "--offset", "0..32", "--backend", "model", "--gpu", "h200"),
    ("check", "smoke", "--backend", "model", "--gpu", "h200"),
)


def milliseconds(command, runs):
    def once():
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        return time.perf_counter() - start

    return 1e3 * min(once() for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpumem", default="build/release/gpumem", help="the program (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="runs of each; the fastest counts (default: %(default)s)")
    arguments = parser.parse_args()

    print(f"{milliseconds(['true'], arguments.runs):8.1f} ms  true")
    for command in COMMANDS:
        print(f"{milliseconds([arguments.gpumem, *command], arguments.runs):8.1f} ms  gpumem {' '.join(command)}")


if __name__ == "__main__":
    main()
