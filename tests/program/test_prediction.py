"""The page of predicted against measured bandwidth, and its plot."""

import importlib.util
import json
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from gpumem import PROGRAM, ProgramTest

SCRIPT = Path(__file__).resolve().parents[2] / "report" / "prediction.py"
SVG = "{http://www.w3.org/2000/svg}"


@unittest.skipIf(importlib.util.find_spec("matplotlib") is None,
                 "matplotlib is not installed; 'python3 -m pip install matplotlib' does that")
class Prediction(ProgramTest):
    def setUp(self):
        super().setUp()
        self.page = self.directory / "prediction.md"

    def report(self, name, *arguments, factors=None):
        """The path of a report of the model. With `factors` it becomes a measured one, of headlines that are the
        predicted ones over those factors."""
        report = self.predict(*arguments)
        if factors:
            report["backend"] = "cuda"
            for result, factor in zip(report["results"], factors, strict=True):
                headline = result["headline"]
                headline["measured"] = headline["predicted"] / factor
                result["verified"] = True
        path = self.directory / name
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments), "-o", str(self.page)], capture_output=True,
                              text=True, timeout=60, check=False)

    def make(self, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return self.page.read_text(encoding="utf-8")

    def refused(self, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aprediction\.py: [^\n]+\n\Z")
        self.assertFalse(self.page.exists())
        return done.stderr

    def test_figures(self):
        path = self.report("r.json", "--offset", "0..3", factors=[1.0, 1.02, 0.9, 1.2])
        text = self.make(path)
        self.assertIn("| offset | 4 | 6.0 | 20.0 | 20.0 |", text)
        self.assertIn("| offset | copy | - | 4 | 6.0 | 20.0 | 20.0 |", text)
        self.assertIn("75.0 % of the cases are within 15 %", text)
        worst = [line for line in text.splitlines() if line.startswith("| offset | offset_elements=")]
        self.assertEqual([line.split(" | ")[-1] for line in worst], ["+20.0 |", "-10.0 |", "+2.0 |", "+0.0 |"])
        self.assertIn("offset_elements=3 ", worst[0])
        self.assertIn(f"`{path}`", text)
        self.assertIn("NVIDIA H200", text)
        self.assertIn(f"report/prediction.py {path} -o {self.page}", text)

    def test_the_95th_percentile_leaves_out_one_in_twenty(self):
        text = self.make(self.report("r.json", "--offset", "0..19", factors=[1.01] * 18 + [1.1, 1.5]))
        self.assertIn("| offset | 20 | 1.0 | 10.0 | 50.0 |", text)

    def test_plot(self):
        offset = self.report("o.json", "--offset", "0..1", factors=[1.0, 2.0])
        bank = self.report("b.json", "--bank-stride", "1,32", factors=[1.1, 1.0])
        self.assertIn("](prediction.svg)", self.make(offset, bank))
        root = ElementTree.parse(self.directory / "prediction.svg").getroot()
        self.assertEqual(root.tag, SVG + "svg")
        texts = {text.text for text in root.iter(SVG + "text")}
        self.assertLessEqual({"measured bandwidth, GB/s", "predicted bandwidth, GB/s", "offset (2)",
                              "measured cycles per request", "predicted cycles per request", "bank (2)",
                              "within 15 %"}, texts)
        drawn = {group.get("id"): group for group in root.iter(SVG + "g")}
        for probe in ("offset", "bank"):
            self.assertEqual(len(list(drawn[f"{probe}.predicted"].iter(SVG + "use"))), 2)

    def test_alternatives_are_told_apart(self):
        text = self.make(self.report("t.json", "transfer", "--transfer", "pageable,pinned", "--direction", "to-device",
                                     "--size", "1MiB", factors=[1.3, 1.0]))
        self.assertIn("| transfer | to-device | pageable | 1 | 30.0 | 30.0 | 30.0 |", text)
        self.assertIn("| transfer | to-device | pinned | 1 | 0.0 | 0.0 | 0.0 |", text)

    def test_predicting_anew(self):
        path = self.report("r.json", "--stride", "1,2,5", "--op", "read,write", factors=[1.0] * 6)
        report = json.loads(path.read_text(encoding="utf-8"))
        for result in report["results"]:
            result["headline"]["predicted"] *= 3
        del report["results"][1]  # the rest is no product of values any more
        path.write_text(json.dumps(report), encoding="utf-8")
        self.assertIn("| stride | 5 | 200.0 | 200.0 | 200.0 |", self.make(path))
        text = self.make(path, "--predict", PROGRAM)
        self.assertIn("| stride | 5 | 0.0 | 0.0 | 0.0 |", text)
        self.assertIn("made anew", text)

    def test_older_reports_are_about_bandwidth(self):
        path = self.report("r.json", "--bank-stride", "1,32", factors=[1.0, 1.0])
        report = json.loads(path.read_text(encoding="utf-8"))
        for result in report["results"]:
            del result["headline"]
            result["bandwidth_gb_per_s"]["measured"] = result["bandwidth_gb_per_s"]["predicted"] / 1.25
        path.write_text(json.dumps(report), encoding="utf-8")
        for text in (self.make(path), self.make(path, "--predict", PROGRAM)):
            self.assertIn("| bank | 2 | 25.0 | 25.0 | 25.0 |", text)
            self.assertIn(" GB/s | +25.0 |", text)

    def test_disturbed_and_wrong_cases_are_left_out(self):
        path = self.report("r.json", "--offset", "0..3", factors=[1.0, 5.0, 5.0, 1.0])
        report = json.loads(path.read_text(encoding="utf-8"))
        report["results"][1]["flags"] = ["throttled"]
        report["results"][2]["verified"] = False
        path.write_text(json.dumps(report), encoding="utf-8")
        text = self.make(path)
        self.assertIn("| offset | 2 | 0.0 | 0.0 | 0.0 |", text)
        self.assertIn("Left out: 2 cases, 1 of them flagged `throttled`.", text)

    def test_what_was_not_measured_is_refused(self):
        self.assertIn("nothing in it was measured", self.refused(self.report("r.json", "--offset", "0..1")))

    def test_errors_of_a_user(self):
        measured = self.report("m.json", "--offset", "0", factors=[1.0])
        broken = self.directory / "broken.json"
        broken.write_text("{", encoding="utf-8")
        other = self.directory / "other.json"
        other.write_text("[1]", encoding="utf-8")
        self.assertIn("not valid JSON", self.refused(broken))
        self.assertIn("no report of gpumem", self.refused(other))
        self.assertIn("cannot read", self.refused(self.directory / "absent.json"))
        self.assertIn("cannot run", self.refused(measured, "--predict", self.directory / "absent"))
        self.assertIn("see --help", self.refused())
        self.page = self.directory / "absent" / "page.md"
        self.assertIn("cannot write", self.refused(measured))
        self.page = self.directory / "page.txt"
        self.assertIn("has to end in .md", self.refused(measured))

    def test_an_unknown_profile_is_the_programs_to_explain(self):
        path = self.report("m.json", "--offset", "0", factors=[1.0])
        report = json.loads(path.read_text(encoding="utf-8"))
        report["profile"] = "nothing"
        path.write_text(json.dumps(report), encoding="utf-8")
        self.assertIn("nothing", self.refused(path, "--predict", PROGRAM))


if __name__ == "__main__":
    unittest.main()
