"""The reference reports: they are read back as they are, and predictions stay close to what they measured."""

import json
import statistics
import unittest
from pathlib import Path

from harness import NODE, ProgramTest, strict_json

REFERENCES = Path(__file__).resolve().parents[2] / "configs" / "reference"

# Members that no version may change: the readings, and the identity of a case.
KEPT = ("probe", "parameters", "status", "reason", "verified", "useful_bytes", "time_seconds", "bandwidth_gb_per_s",
        "peak_gb_per_s", "fraction_of_peak", "relative_to_baseline", "access", "bottleneck", "metrics", "flags")


def sweeps(report):
    """Results that differ in nothing but the swept parameter: alternatives that a report compares are kept apart."""
    found = {}
    for result in report["results"]:
        fixed = tuple((k, v) for k, v in result["parameters"].items() if k != result["swept"])
        found.setdefault((result["probe"], result["swept"], fixed), []).append(result)
    return found.items()


class ReadBack(ProgramTest):
    def test_json_is_read_back_the_same(self):
        for path in sorted(REFERENCES.rglob("*.json")):
            with self.subTest(path=path.name):
                once = self.succeed("show", str(path), "--format", "json")
                again = self.succeed("show", "-", "--format", "json", input=once)
                self.assertEqual(again, once)
                old, new = json.loads(path.read_text()), strict_json(once)
                self.assertEqual(len(old["results"]), len(new["results"]))
                for before, after in zip(old["results"], new["results"]):
                    # A case that was about its bandwidth once keeps neither that peak nor the last digit of the rate.
                    about_another = "headline" not in before and after["headline"]["quantity"] != "bandwidth_gb_per_s"
                    derived = ("bandwidth_gb_per_s", "peak_gb_per_s") if about_another else ()
                    for member in KEPT:
                        if member not in derived:
                            self.assertEqual(before.get(member), after[member], member)
                for member in ("tool", "command", "started_at", "backend", "host"):
                    self.assertEqual(old[member], new[member])


class References(ProgramTest):
    def setUp(self):
        super().setUp()
        probes = json.loads(self.succeed("list", "--json"))
        self.flags = {(probe["name"], axis["parameter"]): axis["flag"] for probe in probes for axis in probe["axes"]}

    def errors(self, probe, swept, fixed, measured):
        """The error of each prediction, as a share of the measured value."""
        values = ",".join(str(result["parameters"][swept]) for result in measured)
        flags = [text for name, value in fixed for text in (self.flags[probe, name], str(value))]
        predicted = self.predict(probe, self.flags[probe, swept], values, *flags)["results"]
        self.assertEqual(len(predicted), len(measured))
        # Reports of earlier versions name no headline: what they were about was the bandwidth.
        return [abs(p["headline"]["predicted"] / m.get("headline", m["bandwidth_gb_per_s"])["measured"] - 1)
                for p, m in zip(predicted, measured)]

    def check(self, file, *bounds):
        """Holds each sweep to the first bound whose parameters are the sweep's: (parameters, median, worst)."""
        report = json.loads((REFERENCES / file).read_text())
        self.assertEqual(report["backend"], "cuda")
        self.assertTrue(all(result["verified"] for result in report["results"]))
        for (probe, swept, fixed), measured in sweeps(report):
            errors = self.errors(probe, swept, fixed, measured)
            median, worst = next(rest for named, *rest in bounds if named.items() <= set(fixed))
            with self.subTest(file=file, sweep=fixed):
                self.assertLessEqual(statistics.median(errors), median)
                self.assertLessEqual(max(errors), worst)

    def test_global_sweeps_of_the_h200(self):
        self.check("h200/coalesced.json", ({}, 0.03, 0.04))
        self.check("h200/offset.json",
                   ({"op": "read"}, 0.03, 0.16),  # at offsets 8, 16 and 24, see docs/method/model.md
                   ({}, 0.09, 0.09))
        self.check("h200/stride.json", ({}, 0.04, 0.14))

    def test_bank_sweeps_of_the_h200(self):
        self.check("h200/bank.json", ({}, 0.005, 0.02))

    def test_textbook_sweep_of_the_h200(self):
        self.check("h200/offset_textbook.json", ({}, 0.01, 0.03))

    def test_transfers_of_the_h200(self):
        self.check("h200/transfer.json",
                   ({"host_memory": "pageable"}, 0.13, 0.40),
                   ({"direction": "both"}, 0.02, 0.31),  # copies too small to matter beside the start of two streams
                   ({}, 0.02, 0.11))

    def test_batching_of_the_h200(self):
        self.check("h200/batching.json",
                   ({"batching": "separate"}, 0.02, 0.05),
                   ({"batching": "packed"}, 0.06, 0.14),
                   ({"batching": "batched"}, 0.07, 0.77))  # what a copy costs there depends on their number

    def test_zero_copy_of_the_h200(self):
        self.check("h200/zero-copy.json",
                   ({"op": "write", "offset_elements": 1, "placement": "mapped"}, 0.04, 0.05),
                   ({}, 0.03, 0.03))

    def test_overlap_of_the_h200(self):
        self.check("h200/overlap.json",
                   ({"overlap": "pageable"}, 0.03, 0.10),
                   ({}, 0.05, 0.08))

    def test_chases_of_the_h200(self):
        self.check("h200/latency.json", ({}, 0.01, 0.04))
        self.check("h200/working-set.json", ({}, 0.04, 0.41))  # just beyond a cache, see docs/method/caches.md

    def test_patterns_of_the_h200_that_no_rate_was_fitted_to(self):
        errors = []
        for file in sorted((REFERENCES / "h200" / "unfitted").glob("*.json")):
            for (probe, swept, fixed), measured in sweeps(json.loads(file.read_text())):
                errors += self.errors(probe, swept, fixed, measured)
        self.assertGreater(len(errors), 1000)
        self.assertLessEqual(statistics.median(errors), 0.03)
        self.assertLessEqual(statistics.quantiles(errors, n=20)[-1], 0.13)  # 95 % of the cases

    def test_kernels_of_the_h200_that_no_rate_was_fitted_to(self):
        errors = []
        for name in ("transpose", "matmul", "fusion", "grayscale", "divergence", "occupancy", "roofline"):
            for (probe, swept, fixed), measured in sweeps(json.loads((REFERENCES / f"h200/{name}.json").read_text())):
                if not {"cublas", "predicated"} & set(dict(fixed).values()):  # nothing is predicted of these
                    errors += self.errors(probe, swept, fixed, measured)
        self.assertGreater(len(errors), 150)
        self.assertLessEqual(statistics.median(errors), 0.06)
        self.assertLessEqual(statistics.quantiles(errors, n=20)[-1], 0.25)
        self.assertLessEqual(max(errors), 0.35)

    def test_pairs_of_h100s(self):
        # Two H100s are joined as two H200s are: by the model of these.
        report = json.loads((REFERENCES / "h100/peer.json").read_text())
        self.assertEqual(len(report["results"]), 12)
        predicted = strict_json(self.succeed("probe", "peer", *NODE, "--format", "json"))["results"]
        by_case = {tuple(result["parameters"].items()): result for result in predicted}
        for measured in report["results"]:
            with self.subTest(**measured["parameters"]):
                self.assertTrue(measured["verified"])
                one = by_case[tuple(measured["parameters"].items())]
                self.assertEqual(one["useful_bytes"], measured["useful_bytes"])
                self.assertLessEqual(abs(one["headline"]["predicted"] / measured["headline"]["measured"] - 1), 0.05)
                latency = measured["metrics"]["load_latency_ns"]
                if latency is not None:
                    self.assertLessEqual(abs(one["metrics_predicted"]["load_latency_ns"] / latency - 1), 0.05)

    def test_nvlinks_of_h100s_carry_what_kernels_move(self):
        counted = 0
        for result in json.loads((REFERENCES / "h100/peer-counted.json").read_text())["results"]:
            if not result["parameters"]["via"].startswith("kernel-"):
                continue
            counted += 1
            with self.subTest(**result["parameters"]):
                reads = result["parameters"]["via"] == "kernel-read"
                carries, idle = ("received", "sent") if reads else ("sent", "received")
                counters = result["counters"]
                data = result["useful_bytes"]["written"]
                self.assertEqual(counters[f"nvlink_{carries}_bytes"], data)
                self.assertEqual(counters[f"nvlink_{idle}_bytes"], 0)
                headers = 16 / 128  # of a packet (docs/method/link.md)
                self.assertAlmostEqual(counters[f"nvlink_{carries}_overhead_bytes"] / data, headers, delta=0.005)
        self.assertEqual(counted, 6)

    def test_suites_pass_where_they_were_measured(self):
        for gpu in ("h200", "h100"):
            # The H100 was measured before best-practices went through all memory spaces.
            for suite in ("smoke",) if gpu == "h100" else ("smoke", "best-practices", "write-ups"):
                with self.subTest(gpu=gpu, suite=suite):
                    self.succeed("check", suite, str(REFERENCES / gpu / f"{suite}.json"))


if __name__ == "__main__":
    unittest.main()
