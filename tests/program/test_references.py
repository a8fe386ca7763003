"""The model against the reference reports: predictions stay close to what was measured on real GPUs."""

import json
import statistics
import unittest
from pathlib import Path

from gpumem import ProgramTest

REFERENCES = Path(__file__).resolve().parents[2] / "configs" / "reference"
FLAGS = {"offset_elements": "--offset", "stride_elements": "--stride", "stride_words": "--bank-stride",
         "lanes": "--lanes", "op": "--op", "word_bytes": "--word-bytes", "block_threads": "--block-threads",
         "elements_per_thread": "--elements-per-thread", "buffer_bytes": "--buffer"}


def sweeps(report):
    """Results that differ in nothing but the swept parameter."""
    found = {}
    for result in report["results"]:
        fixed = tuple((k, v) for k, v in result["parameters"].items() if k != result["swept"])
        found.setdefault((result["probe"], result["swept"], fixed), []).append(result)
    return found.items()


class References(ProgramTest):
    def check(self, gpu, file, median, worst):
        report = json.loads((REFERENCES / gpu / file).read_text())
        self.assertEqual(report["backend"], "cuda")
        self.assertTrue(all(result["verified"] for result in report["results"]))
        for (probe, swept, fixed), measured in sweeps(report):
            values = ",".join(str(result["parameters"][swept]) for result in measured)
            flags = [text for name, value in fixed for text in (FLAGS[name], str(value))]
            predicted = self.predict(probe, FLAGS[swept], values, *flags)["results"]
            self.assertEqual(len(predicted), len(measured))
            errors = [abs(p["bandwidth_gb_per_s"]["predicted"] / m["bandwidth_gb_per_s"]["measured"] - 1)
                      for p, m in zip(predicted, measured)]
            with self.subTest(file=file, sweep=fixed):
                self.assertLessEqual(statistics.median(errors), median)
                self.assertLessEqual(max(errors), worst)

    def test_saturated_global_sweeps_of_the_h200(self):
        for file in ("coalesced.json", "offset.json", "stride.json"):
            self.check("h200", file, median=0.10, worst=0.30)

    def test_bank_sweeps_of_the_h200(self):
        self.check("h200", "bank.json", median=0.02, worst=0.05)

    def test_textbook_sweep_of_the_h200(self):
        self.check("h200", "offset_textbook.json", median=0.30, worst=0.30)


if __name__ == "__main__":
    unittest.main()
