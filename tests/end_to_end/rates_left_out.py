#!/usr/bin/env python3
"""Compares the rule that scales a rate to another GPU with the rates that others published.

  GPUMEM=build/release/gpumem tests/end_to_end/rates_left_out.py    rewrites the table in docs/method/profiles.md

Each published rate of a profile is left out in turn. The program then scales the H200's rate, as it does for a GPU of
which nobody published it, and `gpumem expect` says what follows. The figure with the rate stands beside it.
"""

import json
import statistics
import tempfile
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "configs" / "gpus"
PAGE = ROOT / "docs" / "method" / "profiles.md"
BEGIN, END = "<!-- begin: tests/end_to_end/rates_left_out.py -->\n", "<!-- end: tests/end_to_end/rates_left_out.py -->\n"

# The quantities of `gpumem expect` that one rate decides: the rate, and by what it is scaled.
QUANTITIES = {
    "memory_read_gb_per_s": ("dram_read_bytes_per_s", "the memory's bandwidth"),
    "memory_write_gb_per_s": ("dram_write_bytes_per_s", "the memory's bandwidth"),
    "memory_copy_gb_per_s": ("dram_copy_bytes_per_s", "reads and writes, else the memory's bandwidth"),
    "l2_read_gb_per_s": ("l2_load_sectors_per_s", "multiprocessors x clock, or slices x clock"),
    "l1_read_gb_per_s": ("l1_bytes_per_cycle", "multiprocessors x clock"),
    "link_to_device_gb_per_s": ("pcie_to_device_bytes_per_s", "the link's bandwidth"),
    "link_to_host_gb_per_s": ("pcie_to_host_bytes_per_s", "the rate to the device"),
    "l1_latency_cycles": ("l1_latency_cycles", "nothing: the same cycles"),
    "l2_latency_cycles": ("l2_latency_cycles", "nothing: the same cycles"),
    "memory_latency_cycles": ("memory_latency_cycles", "nothing: the same cycles"),
}
FEWEST = 2  # profiles that publish a rate


def expected(gpu):
    done = harness.run("expect", str(gpu), "--format", "json")
    if done.returncode != 0:
        raise AssertionError(f"{gpu}: {done.stderr}")
    return {value["quantity"]: value for value in json.loads(done.stdout)["expected"]}


def left_out():
    """For each quantity, the profiles that publish its rate, each with what is predicted without over what is known."""
    found = {}
    for path in sorted(PROFILES.glob("*.json")):
        profile = json.loads(path.read_text(encoding="utf-8"))
        if "rates" not in profile:  # a node of other GPUs
            continue
        known = expected(path)
        for quantity, (rate, _) in QUANTITIES.items():
            if known.get(quantity, {}).get("source") != "published" or rate not in profile["rates"]:
                continue
            rates = {name: value for name, value in profile["rates"].items() if name != rate}
            with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
                json.dump({**profile, "rates": rates}, file)
                file.flush()
                without = expected(file.name)[quantity]["value"]
            found.setdefault(quantity, {})[path.stem] = without / known[quantity]["value"]
    return {quantity: found[quantity] for quantity in QUANTITIES if len(found.get(quantity, {})) >= FEWEST}


def table(found):
    lines = ["| quantity | scaled by | median off | predicted / published, by GPU |", "| --- | --- | ---: | --- |"]
    for quantity, of in found.items():
        median = statistics.median(abs(ratio - 1) for ratio in of.values())
        each = ", ".join(f"{gpu} {ratio:.2f}" for gpu, ratio in sorted(of.items(), key=lambda item: item[1]))
        lines.append(f"| `{quantity}` | {QUANTITIES[quantity][1]} | {median:.0%} | {each} |")
    return "\n".join(lines) + "\n"


def page(found):
    """The page as it should be."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return before + BEGIN + table(found) + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(left_out()), encoding="utf-8")
