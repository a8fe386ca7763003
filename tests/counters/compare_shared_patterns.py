#!/usr/bin/env python3
"""Counts the wavefronts of random shared-memory patterns with ncu and compares them with the prediction.

  compare_shared_patterns.py GPUMEM_SHARED_PATTERNS OUTPUT.md
"""

import json
import subprocess
import sys
from collections import Counter

import ncu

WAVEFRONTS = {"load": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
              "store": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}


def main():
    program, output = sys.argv[1:]
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    patterns = [json.loads(line) for line in lines]
    launches = ncu.count([program], "regex:access_pattern", list(WAVEFRONTS.values()))
    assert len(launches) == len(patterns), "ncu did not see every launch"
    total, equal = Counter(), Counter()
    for pattern, launch in zip(patterns, launches):
        key = (pattern["kind"], pattern["op"])
        total[key] += 1
        equal[key] += launch[WAVEFRONTS[pattern["op"]]] == pattern["predicted"]
    with open(output, "w") as file:
        file.write("| pattern | loads | agree | stores | agree |\n| --- | --- | --- | --- | --- |\n")
        for kind in dict.fromkeys(kind for kind, _ in total):
            load, store = (kind, "load"), (kind, "store")
            file.write(f"| {kind} | {total[load]} | {equal[load]} | {total[store]} | {equal[store]} |\n")
    print(f"{sum(equal.values())} of {sum(total.values())} patterns agree")
    return 0 if equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
