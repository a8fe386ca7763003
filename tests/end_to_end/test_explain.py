"""Explanations: of a saved report, and in the last column of a table."""

import json
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest


class Explain(ProgramTest):
    def setUp(self):
        super().setUp()
        self.report = str(self.directory / "r.json")
        self.succeed("probe", "--offset", "0..8", "--op", "write", "--elements-per-thread", "8", *MODEL, "--quiet", "--output",
                     self.report)

    def test_one_case(self):
        text = self.succeed("explain", self.report, "offset=1")
        self.assertEqual(text.count("\n["), 1)
        self.assertIn("\n[1] offset: offset 1 element, write, ", text)
        words = " ".join(text.split())
        self.assertIn("each store touches 5 sectors where 4 would do; align the base to 32 bytes: ", words)
        self.assertRegex(words, r"Limited by [^:]+, \d[\d.]* us of \d[\d.]* us")
        self.assertRegex(text, r"\n  [^\n]+\(the limit\) +\d+ us\n")
        self.assertRegex(text, r"\n  sectors per store of target \(global\) +5\n")
        self.assertNotIn("\x1b", text)

    def test_what_it_says_is_in_the_report(self):
        report = json.loads(Path(self.report).read_text(encoding="utf-8"))
        words = " ".join(self.succeed("explain", self.report).split())
        for result in report["results"]:
            self.assertTrue(result["why"].startswith("Limited by "))
            self.assertIn(result["why"], words)

    def test_all_cases_and_ranges(self):
        self.assertEqual(self.succeed("explain", self.report).count("\n["), 9)
        self.assertEqual(self.succeed("explain", self.report, "2..4").count("\n["), 3)
        self.assertEqual(self.succeed("explain", self.report, "0..4", "offset=4..8").count("\n["), 1)

    def test_standard_input_and_markdown(self):
        with open(self.report, encoding="utf-8") as file:
            text = self.succeed("explain", "-", "0", "--format", "markdown", stdin=file)
        self.assertIn("\n### \\[0\\] offset: ", text)
        self.assertIn("\n| figure | predicted | counted |\n", text)

    def test_width(self):
        for width in (80, 120):
            for line in self.succeed("explain", self.report, env={"COLUMNS": str(width)}).splitlines():
                self.assertLessEqual(len(line), width, line)

    def test_a_report_without_cases(self):
        content = json.loads(Path(self.report).read_text(encoding="utf-8")) | {"results": [], "conclusions": []}
        empty = self.directory / "empty.json"
        empty.write_text(json.dumps(content), encoding="utf-8")
        self.assertIn("\nThe report has no cases to explain; make one", self.succeed("explain", str(empty)))
        content |= {"device": None, "backend": "cuda", "program": {
            "command": ["true"], "exit_code": 0, "processes": 1, "kernels_seen": 0, "launches_seen": 0, "launches_counted": 0,
            "skipped": {}, "notes": []}}
        empty.write_text(json.dumps(content), encoding="utf-8")
        for options in ((), ("--format", "markdown")):
            text = self.succeed("explain", str(empty), *options).strip()
            self.assertRegex(text, r"\Atrue launched no kernel\. There is nothing to explain; watch [^\n]+ COMMAND\Z")

    def test_errors(self):
        name = self.report
        self.assertIn("did you mean 'offset'?", self.fail_with(2, "explain", name, "ofset=1"))
        self.assertIn("9 cases, 0 to 8", self.fail_with(2, "explain", name, "9"))
        self.assertEqual(self.fail_with(2, "explain", name, "offset=99"), "no case has 'offset=99'; there are: 0..8")
        self.assertEqual(self.fail_with(2, "explain", name, "buffer=1MiB"), "no case has 'buffer=1MiB'; there are: 1GiB")
        self.assertEqual(self.fail_with(2, "explain", name, "3", "offset=4"), "none of 9 cases fits '3 offset=4'")
        self.assertIn("needs a report", self.fail_with(2, "explain"))
        self.assertIn("did you mean 'markdown'?", self.fail_with(2, "explain", name, "--format", "markdwon"))
        self.assertIn("No such file", self.fail_with(2, "explain", "/no/such.json"))
        self.assertIn("cannot read", self.fail_with(2, "explain", str(self.directory)))
        broken = self.directory / "broken.json"
        text = Path(name).read_text(encoding="utf-8")
        for content, expected in ((text[:5000], "not valid JSON at line "), ("", "not valid JSON at line 1"),
                                  (text.replace('"schema_version": 1', '"schema_version": 2'), "/schema_version: expected 1"),
                                  (text.replace('"status": "ok"', '"status": 1', 1), "/results/0/status: expected a text"),
                                  ("[" * 100000, "at most 16 levels")):
            broken.write_text(content, encoding="utf-8")
            self.assertIn(expected, self.fail_with(2, "explain", str(broken)))


class Column(ProgramTest):
    def test_why(self):
        text = self.succeed("probe", "--offset", "0..2", "--op", "write", *MODEL, "--why")
        header = next(line for line in text.splitlines() if "predicted" in line and line.endswith("why"))
        self.assertTrue(header)
        self.assertIn("5 sectors per store where 4 would do", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 100, line)
        self.assertIn("| why |", self.succeed("probe", "--offset", "0..2", *MODEL, "--why", "--format", "markdown"))
        self.assertNotIn("why", self.succeed("probe", "--offset", "0..2", *MODEL))

    def test_in_files(self):
        path = self.directory / "t.txt"
        self.succeed("probe", "--offset", "0..2", "--op", "write", *MODEL, "--why", "--quiet", "--output", str(path))
        self.assertIn("  why", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
