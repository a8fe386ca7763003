#!/usr/bin/env python3
"""Plants a fault in a report of `gpumem check smoke`, as a GPU with that fault would have measured it.

    tests/end_to_end/planted_faults.py REPORT FAULT > planted.json
    tests/end_to_end/planted_faults.py --list

Faults of a pair of GPUs are for reports of several (--device all). A value that is slower by a share is divided in every reading of its case, also in the intervals and samples. Everything
else stays as it was measured.
"""

import argparse
import copy
import json
import sys


def parameters_are(result, **wanted):
    return all(result["parameters"].get(name) in (value if isinstance(value, tuple) else (value,))
               for name, value in wanted.items())


def scale_values(values, factor, names):
    for name in names:
        if isinstance(values.get(name), (int, float)):
            values[name] *= factor
        elif isinstance(values.get(name), list):
            values[name] = [value * factor for value in values[name]]


def slow_down(result, factor):
    """The case takes `factor` times as long."""
    scale_values(result["time_seconds"], factor,
                 ("median", "ci95_low", "ci95_high", "min", "p05", "p95", "samples"))
    headline = result["headline"]
    worse = factor if headline["better"] == "less" else 1 / factor
    scale_values(headline, worse, ("measured", "samples"))
    low, high = headline.get("ci95_low"), headline.get("ci95_high")
    if low is not None:
        headline["ci95_low"], headline["ci95_high"] = low * worse, high * worse
    scale_values(result["bandwidth_gb_per_s"], 1 / factor, ("measured",))
    scale_values(result, 1 / factor, ("fraction_of_peak",))


def slow_cases(factor, probe, **wanted):
    def plant(report):
        chosen = [result for result in report["results"]
                  if result["probe"] == probe and parameters_are(result, **wanted)]
        if not chosen:
            raise SystemExit(f"the report has no case of {probe} with {wanted}")
        for result in chosen:
            slow_down(result, factor)
    return plant


def all_of(*plants):
    def plant(report):
        for each in plants:
            each(report)
    return plant


def flag(name):
    def plant(report):
        report["results"][0]["flags"].append(name)
    return plant


def idle_generation(report):
    """A link that rests in generation 1, and is at full speed in every copy."""
    for device in [report["device"], *report["devices"]]:
        device["pcie"]["generation"] = 1


def on_two_gpus(report, pairs):
    """A report of `check smoke --device all` on two GPUs: each has the cases of `report`, and between them are the copies
    of `pairs`, a report of `probe peer` on GPUs of the kind. Only the predictions of the pairs are from a profile now."""
    both = copy.deepcopy(report)
    both["devices"] = [{**device, "index": index} for index, device in enumerate(pairs["devices"])]
    both["device"] = both["devices"][0]
    both["results"] = []
    for result in report["results"]:
        for index in range(2):
            own = copy.deepcopy(result)
            own["parameters"]["device"] = index
            own["across"] = "device"
            if result["probe"] == "transfer":
                own["host_shared_by"] = 1
            both["results"].append(own)
    copies = [copy.deepcopy(result) for result in pairs["results"]
              if parameters_are(result, via="copy-engine", direction="one-way")]
    for result in copies:
        result["flags"].remove("predicted_from_attributes")
    both["results"] += copies
    for follows in ("checks", "conclusions", "findings"):
        both.pop(follows)
    return both


PINNED = {"host_memory": "pinned"}

# The fault, and a part of the name of each expectation that must fail; none if it is no fault.
FAULTS = {
    "memory 5 % slow": (all_of(slow_cases(1 / 0.95, "offset"), slow_cases(1 / 0.95, "stride"),
                               slow_cases(1 / 0.95, "coalesced")), ("memory reaches",)),
    "L2 10 % slow": (slow_cases(1 / 0.9, "hierarchy", level=("l2", "l2-shared")), ("L2 reaches", "all read come from L2")),
    "L1 10 % slow": (slow_cases(1 / 0.9, "hierarchy", level="l1"), ("L1 reaches",)),
    "shared memory 10 % slow": (slow_cases(1 / 0.9, "bank"), ("shared memory is as expected",)),
    "L2 answers 10 % later": (slow_cases(1.1, "latency", level="l2"), ("L2 answers",)),
    "memory answers 10 % later": (slow_cases(1.1, "latency", level="memory"), ("memory answers",)),
    "one way 20 % slow": (slow_cases(1 / 0.8, "transfer", direction="to-host", **PINNED), ("the link is as expected",)),
    "the other way 20 % slow": (slow_cases(1 / 0.8, "transfer", direction="to-device", **PINNED),
                                ("the link is as expected",)),
    "both ways 30 % slow": (slow_cases(1 / 0.7, "transfer", direction="both", **PINNED), ("both ways of the link",)),
    "a bank conflict": (slow_cases(2, "bank", stride_words=1), ("shared memory is as expected",)),
    "atomics of L2 15 % slow": (slow_cases(1 / 0.85, "atomics", space="global"), ("atomics of L2",)),
    "errors of the memory": (flag("ecc_errors"), ("nothing disturbed",)),
    "throttled": (flag("throttled"), ("nothing disturbed",)),
    "a link that rests": (idle_generation, ()),
}

# The same of reports of several GPUs.
PAIR_FAULTS = {
    "one pair 20 % slow": (slow_cases(1 / 0.8, "peer", source=0, target=1), ("every pair of GPUs copies",)),
    "all pairs 5 % slow": (slow_cases(1 / 0.95, "peer"), ("every pair of GPUs copies",)),
}


def planted(report, fault):
    """Returns a copy of the report with the fault."""
    changed = copy.deepcopy(report)
    (FAULTS | PAIR_FAULTS)[fault][0](changed)
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="?")
    parser.add_argument("fault", nargs="?", choices=FAULTS | PAIR_FAULTS)
    parser.add_argument("--list", action="store_true", help="name the faults")
    arguments = parser.parse_args()
    if arguments.list:
        print(*FAULTS, *PAIR_FAULTS, sep="\n")
        return
    if arguments.fault is None:
        parser.error("name a report and a fault; --list names the faults")
    with open(arguments.report, encoding="utf-8") as file:
        json.dump(planted(json.load(file), arguments.fault), sys.stdout)


if __name__ == "__main__":
    main()
