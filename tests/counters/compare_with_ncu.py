#!/usr/bin/env python3
"""Compares what gpumem predicts with what ncu counts, case by case, and writes the outcome as Markdown.

  compare_with_ncu.py GPUMEM OUTPUT.md -- probe --offset 0..32 -- probe --stride 1..32 --op read,write,copy

Each `--` starts one run of gpumem under ncu. Integers are compared as integers: a case agrees when the counted
requests, sectors and wavefronts of its launches are exactly those predicted. ncu must be on PATH, with permission to
count.
"""

import json
import os
import sys
import tempfile
from collections import defaultdict

import ncu

# (space, op) -> (requests, what the record predicts per request, its counter)
COUNTERS = {
    ("global", "load"): ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "sectors_per_request",
                         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global", "store"): ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "sectors_per_request",
                          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("shared", "load"): ("smsp__inst_executed_op_shared_ld.sum", "wavefronts_per_request",
                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("shared", "store"): ("smsp__inst_executed_op_shared_st.sum", "wavefronts_per_request",
                          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
}
KERNELS = "regex:^(read|write|copy|load_banks)$"


def case_name(record):
    return " ".join([record["probe"]] + [f"{k}={v}" for k, v in record["parameters"].items()])


def run_under_ncu(program, arguments):
    """The report of one run, and for each case name the counters of its launches."""
    metrics = [metric for requests, _, units in COUNTERS.values() for metric in (requests, units)]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [program, *arguments, "--time-budget", "0s", "--quiet", "--output", report]
        launches = defaultdict(list)
        for launch in ncu.count(command, KERNELS, metrics):
            launches[launch["range"]].append(launch)
        with open(report) as file:
            return json.load(file), launches


def compare(record, launches):
    """Returns the differences as text; empty if every launch agrees with every prediction."""
    if not launches:
        return "no launch of it was counted"
    sites = defaultdict(list)
    for site in record["access"]:
        sites[(site["space"], site["op"])].append(site)
    differences = []
    for key, (requests, field, units) in COUNTERS.items():
        for launch in launches:
            if key not in sites:
                # The shared probes store their tile once, outside of what is declared and timed.
                if key == ("global", "load") and launch[requests] != 0:
                    differences.append(f"undeclared {key[0]} {key[1]}s: {launch[requests]:.0f} requests")
                continue
            (site,) = sites[key]
            predicted = site[field]["predicted"]
            counted = launch[units] / launch[requests] if launch[requests] else 0
            if launch[units] != predicted * launch[requests]:
                differences.append(f"{key[0]} {key[1]}: predicted {predicted:g}, counted {counted:g} per request")
    return "; ".join(sorted(set(differences)))


def main():
    program, output, *rest = sys.argv[1:]
    runs = []
    for argument in rest:
        if argument == "--":
            runs.append([])
        else:
            runs[-1].append(argument)
    lines = []
    total = wrong = 0
    for arguments in runs:
        report, launches = run_under_ncu(program, arguments)
        failures = []
        counted = 0
        for record in report["results"]:
            found = launches.get(case_name(record), [])
            counted += len(found)
            difference = compare(record, found)
            if difference:
                failures.append(f"| {case_name(record)} | {difference} |")
        cases = len(report["results"])
        total += cases
        wrong += len(failures)
        lines.append(f"| `gpumem {' '.join(arguments)}` | {cases} | {counted} | {cases - len(failures)} |")
        lines += failures
        print(lines[-1 - len(failures)], flush=True)
    with open(output, "w") as file:
        file.write("| run | cases | launches counted | cases that agree exactly |\n| --- | --- | --- | --- |\n")
        file.write("\n".join(lines) + "\n")
    print(f"{total - wrong} of {total} cases agree")
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
