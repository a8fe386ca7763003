#!/usr/bin/env python3
"""Times loops that launch without a pause, alone and under `gpumem run`, in windows of half a second, so that the time
in which gpumem looks is told from the time after it.

    tests/benchmark/watched_loops.py --gpumem build/release/gpumem
    tests/benchmark/watched_loops.py --stay --loops graph,empty

The loops: a transformer layer of PyTorch run eagerly, the same layer replayed from a CUDA graph, and an empty kernel
(empty_launches.cu, compiled with nvcc). Each program runs alone and watched in turns. A row shows the medians over the
rounds, in microseconds an iteration. With --stay, a third program in each turn is watched to its end (GPUMEM_RUN_STAY),
as gpumem did it before it left programs alone.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOOPS = ("eager", "graph", "empty")
WINDOW_S = 0.5
FIRST_S = 2  # in which gpumem may look; it is asked to cost next to nothing after them


def layer_loop(kind, seconds):
    """The loop itself, in the program that is timed. Prints a window's seconds and iterations a line."""
    import torch

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, device="cuda", dtype=torch.bfloat16)
    layer.eval()
    data = torch.randn(8, 64, 256, device="cuda", dtype=torch.bfloat16)
    batch = 20  # iterations, so that the queue of launches never fills
    with torch.no_grad():
        step = lambda: layer(data)  # noqa: E731
        if kind == "graph":
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                for _ in range(3):
                    layer(data)
            side.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                layer(data)
            step = graph.replay
            batch = 200
        began = window = time.perf_counter()
        iterations = 0
        while True:
            for _ in range(batch):
                step()
            torch.cuda.synchronize()
            iterations += batch
            now = time.perf_counter()
            if now - window < WINDOW_S:
                continue
            print(f"{now - window:.6f} {iterations}", flush=True)
            window, iterations = now, 0
            if now - began >= seconds:
                return


def compiled_empty(folder):
    source = Path(__file__).parent / "empty_launches.cu"
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    subprocess.run([nvcc, "-O2", "-o", str(folder / "empty"), str(source)], check=True)
    return str(folder / "empty")


def windows_of(command, environment):
    """Lists the end of each window, in seconds since the loop began, and the microseconds of an iteration in it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    end_s, windows = 0, []
    for line in done.stdout.splitlines():
        width_s, iterations = map(float, line.split())
        end_s += width_s
        windows.append((end_s, 1e6 * width_s / iterations))
    return windows


def in_turns(arguments, command, report):
    """Runs the ways to run the loop in turns. Returns the windows of each run by way, and the seconds after which
    gpumem left each watched run (None: it did not)."""
    watched = [arguments.gpumem, "run", "--quiet", "--output", str(report), "--", *command]
    ways = {"alone": (command, {}), "watched": (watched, {"GPUMEM_RUN_STAY": ""})}
    if arguments.stay:
        ways["stays"] = (watched, {"GPUMEM_RUN_STAY": "1"})
    runs, left = {way: [] for way in ways}, []
    for _ in range(arguments.rounds):
        for way, (words, environment) in ways.items():
            runs[way].append(windows_of(words, environment))
            if way == "watched":
                left.append(json.loads(report.read_text(encoding="utf-8"))["program"].get("watched_seconds"))
    return runs, left


def in_words(values):
    return f"{statistics.median(values):9.2f}" if values else "         "


def show(loop, runs, left):
    alone = [us for windows in runs["alone"] for end_s, us in windows if end_s > FIRST_S]
    print(f"{loop}: us an iteration; left after "
          + ", ".join("(not)" if seconds is None else f"{seconds:.1f} s" for seconds in left))
    print(f"{'window':>11} " + " ".join(f"{way:>9}" for way in runs))
    longest = max(len(windows) for of_way in runs.values() for windows in of_way)
    for i in range(longest):
        columns = [[windows[i][1] for windows in of_way if i < len(windows)] for of_way in runs.values()]
        print(f"{WINDOW_S * i:4.1f}-{WINDOW_S * (i + 1):4.1f} s " + " ".join(map(in_words, columns)))
    for way in list(runs)[1:]:
        for part, fits in ((f"first {FIRST_S} s", lambda end_s: end_s <= FIRST_S + WINDOW_S / 2),
                           ("after that", lambda end_s: end_s > FIRST_S + WINDOW_S / 2)):
            us = [us for windows in runs[way] for end_s, us in windows if fits(end_s)]
            if us and alone:
                print(f"  {way}, {part}: {statistics.median(us) / statistics.median(alone):.3f} x alone")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpumem", default="build/release/gpumem", help="the program (default: %(default)s)")
    parser.add_argument("--loops", default=",".join(LOOPS), help="loops to time (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each program (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=6, help="that a loop lasts (default: %(default)s)")
    parser.add_argument("--stay", action="store_true", help="runs programs that are watched to their end, too")
    parser.add_argument("--loop", choices=LOOPS[:2], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.loop:
        layer_loop(arguments.loop, arguments.seconds)
        return
    unknown = set(arguments.loops.split(",")) - set(LOOPS)
    if unknown:
        parser.error(f"--loops: {', '.join(sorted(unknown))}: the loops are {', '.join(LOOPS)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for loop in arguments.loops.split(","):
            command = ([compiled_empty(folder), str(arguments.seconds)] if loop == "empty" else
                       [sys.executable, __file__, "--loop", loop, "--seconds", str(arguments.seconds)])
            show(loop, *in_turns(arguments, command, folder / "report.json"))


if __name__ == "__main__":
    main()
