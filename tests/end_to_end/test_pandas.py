"""The snippets of docs/report.md that load a report into pandas, as they stand there, and the frames they make."""

import csv
import importlib.util
import json
import unittest
from pathlib import Path

import documents
from harness import MODEL, ProgramTest

PAGE = documents.DOCS / "report.md"
PROBES = ("--offset", "0,1,8", "--op", "read,write")
NUMBERS = ("parameters.offset_elements", "parameters.word_bytes", "useful_bytes.read", "bandwidth_gb_per_s.predicted",
           "peak_gb_per_s", "relative_to_baseline.predicted")


class Page(unittest.TestCase):
    def test_it_shows_both_formats(self):
        text = "".join(block.text for block in documents.blocks(PAGE, "python"))
        self.assertIn('pandas.json_normalize(report["results"])', text)
        self.assertIn('pandas.read_csv("report.csv")', text)


@unittest.skipIf(importlib.util.find_spec("pandas") is None,
                 "pandas is not installed; 'python3 -m pip install pandas' does that")
class Pandas(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("probe", *PROBES, *MODEL, "--quiet", "--output", str(self.directory / "report.json"),
                     "--output", str(self.directory / "report.csv"))
        self.results = json.loads((self.directory / "report.json").read_text(encoding="utf-8"))["results"]

    def run_snippets(self):
        """The frame that each snippet leaves in `frame`, by the function that made it."""
        frames = {}
        for block in documents.blocks(PAGE, "python"):
            names = documents.execute(block, self.directory)
            for function in ("json_normalize", "read_csv"):
                if function in block.text:
                    frames[function] = names["frame"]
        return frames

    def test_frames_are_tidy(self):
        from pandas.api.types import is_numeric_dtype
        for function, frame in self.run_snippets().items():
            with self.subTest(function):
                self.assertEqual(len(frame), len(self.results))
                self.assertEqual(len(set(frame.columns)), len(frame.columns))
                for column in NUMBERS:
                    self.assertTrue(is_numeric_dtype(frame[column]), f"{column} is {frame[column].dtype}")
                self.assertEqual(list(frame["parameters.op"]), [result["parameters"]["op"] for result in self.results])
                # Values that were not measured are missing, and no text stands for them.
                self.assertTrue(frame["bandwidth_gb_per_s.measured"].isna().all())
                self.assertFalse(frame["bandwidth_gb_per_s.predicted"].isna().any())

    def test_both_give_the_same_numbers(self):
        frames = self.run_snippets()
        self.assertEqual(set(frames), {"json_normalize", "read_csv"})
        for column in NUMBERS:
            normalized, read = frames["json_normalize"][column], frames["read_csv"][column]
            self.assertEqual(len(normalized), len(read))
            for one, other in zip(normalized, read):
                self.assertAlmostEqual(one, other, delta=1e-12 * abs(one))  # pandas 2 reads a last digit differently
            self.assertGreater(sum(normalized), 0)
        self.assertEqual(list(frames["json_normalize"]["bandwidth_gb_per_s.predicted"]),
                         [result["bandwidth_gb_per_s"]["predicted"] for result in self.results])

    def test_measured_and_missing_values_share_a_column(self):
        """A measured report with a failed case: its numbers stay numbers."""
        golden = Path(__file__).resolve().parents[1] / "report" / "golden"
        for suffix in ("json", "csv"):
            (self.directory / f"report.{suffix}").write_bytes((golden / f"measured_copy.{suffix}").read_bytes())
        with open(golden / "measured_copy.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        failed = [i for i, row in enumerate(rows) if row["status"] == "failed"]
        self.assertEqual(len(failed), 1)
        for function, frame in self.run_snippets().items():
            with self.subTest(function):
                measured = frame["bandwidth_gb_per_s.measured"]
                self.assertEqual(str(measured.dtype), "float64")
                self.assertEqual([i for i, missing in enumerate(measured.isna()) if missing], failed)
                self.assertEqual(measured.iloc[0], float(rows[0]["bandwidth_gb_per_s.measured"]))


if __name__ == "__main__":
    unittest.main()
