"""The page of predicted against measured bandwidth, and its plot."""

import importlib.util
import json
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from harness import PROGRAM, ProgramTest

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

    def test_the_section_of_kernels_stays(self):
        """tests/corpus/evaluate.py makes it, of other reports."""
        kept = "<!-- kernels: folder -->\n\n## Kernels of programs\n\nfigures\n\n<!-- end of kernels -->"
        self.page.write_text(f"outdated\n\n{kept}\n\noutdated\n", encoding="utf-8")
        text = self.make(self.report("r.json", "--offset", "0..3", factors=[1.0, 1.02, 0.9, 1.2]))
        self.assertIn(f"\n\n{kept}\n\n## Reports\n", text)
        self.assertNotIn("outdated", text)

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

    def drawn(self):
        """A report of patterns as their suite has them, of cases of another probe: two of a kind to fit to, two of
        another that is held out, and one of no kind."""
        path = self.report("d.json", "--offset", "0..4", factors=[1.1, 1.2, 0.7, 1.4, 3.0])
        report = json.loads(path.read_text(encoding="utf-8"))
        texts = [("i / 2", "1"), ("i * 3 | i", "1"), ("i % 4 * 8 + i / 4", "lane < 3"), ("i ^ i >> 3", "1"), ("i", "1")]
        for result, (text, active), op, word in zip(report["results"], texts, ("read", "write", "read", "read", "copy"),
                                                    (4, 4, 8, 4, 4), strict=True):
            result |= {"probe": "pattern", "swept": "pattern", "parameters": {
                "pattern": text, "active": active, "op": op, "word_bytes": word}}
        report["checks"] = [{"name": name, "verdict": "pass", "cases": cases} for name, cases in (
            ("every case ran", [0, 1, 2, 3, 4]), ("patterns of kind tiles (fit)", [0, 1]),
            ("patterns of kind bit-orders (held-out)", [2, 3]))]
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def test_drawn_patterns(self):
        other = self.report("r.json", "--offset", "0..3", factors=[1.0, 1.02, 0.9, 1.2])
        self.assertNotIn("nobody fitted", self.make(other))
        text = self.make(other, self.drawn())
        before, section = text.split("## Patterns nobody fitted\n")
        section = section.split("\n## ")[0]
        self.assertIn("Fit: 2 cases, 15.0 % off in the median, 20.0 % at the 95th percentile, 20.0 % at worst, 50.0 %"
                      " within 15 %. Held-out: 2 cases, 35.0 %", section)
        self.assertIn("| fit | tiles | 2 | 15.0 | 20.0 | 20.0 |", section)
        self.assertIn("| held-out | bit-orders | 2 | 35.0 | 40.0 | 40.0 |", section)
        self.assertIn("| fit | write | 4 | 1 | 20.0 | 20.0 | 20.0 |", section)
        self.assertIn("| held-out | read | 8 | 1 | 30.0 | 30.0 | 30.0 |", section)
        worst = [line for line in section.splitlines() if line.startswith(("| fit |", "| held-out |")) and "`" in line]
        self.assertEqual([line.split(" | ")[-1] for line in worst], ["+40.0 |", "-30.0 |", "+20.0 |", "+10.0 |"])
        self.assertIn("| held-out | bit-orders | `i ^ i >> 3` | `1` | op=read word_bytes=4 |", worst[0])
        self.assertIn("`i * 3 \\| i`", worst[2])
        # An expression is no kind: one row for each operation.
        self.assertIn("| pattern | copy | - | 1 | 200.0 | 200.0 | 200.0 |", before)
        self.assertIn("| pattern | read | - | 3 |", before)
        self.assertIn("pattern=`i` active=`1` op=copy", before)

    def test_expressions_are_predicted_one_by_one(self):
        """A comma may be part of one: each is a use of its option."""
        path, said = self.drawn(), self.directory / "said"
        listing = json.dumps([{"name": "pattern", "axes": [
            {"parameter": name, "flag": "--" + name.replace("_", "-")}
            for name in ("pattern", "active", "op", "word_bytes")]}])
        program = self.directory / "program"
        program.write_text(f"#!{sys.executable}\nimport sys\nif sys.argv[1] == 'list':\n    print({listing!r})\nelse:\n"
                           f"    open({str(said)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
                           f"    print(open({str(path)!r}).read())\n", encoding="utf-8")
        program.chmod(0o755)
        self.assertIn("Patterns nobody fitted", self.make(path, "--predict", program))
        self.assertIn("probe pattern --pattern i / 2 --pattern i ^ i >> 3 --active 1 --op read --word-bytes 4 ",
                      said.read_text(encoding="utf-8"))

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
