"""`gpumem show`: saved reports again, in every format, and also those of older versions."""

import csv
import io
import json
import subprocess
import unittest
from pathlib import Path
from xml.etree import ElementTree

from harness import MODEL, PROGRAM, ProgramTest, environment, strict_json

CONFIGS = Path(__file__).parents[2] / "configs"
OTHER = CONFIGS / "reference" / "h200" / "stride.json"
OFFSET = CONFIGS / "reference" / "h200" / "offset.json"


class ShowTest(ProgramTest):
    def saved(self, *arguments, name="run.json"):
        path = self.directory / name
        self.succeed("probe", *arguments, *MODEL, "--quiet", "--output", str(path))
        return str(path)


class OneReport(ShowTest):
    def test_every_format_is_what_the_run_itself_wrote(self):
        outputs = {name: self.directory / f"run.{extension}"
                   for name, extension in (("table", "txt"), ("json", "json"), ("csv", "csv"), ("markdown", "md"))}
        options = [option for path in outputs.values() for option in ("--output", str(path))]
        self.succeed("probe", "--offset", "0..8", "--bank-stride", "0..4", *MODEL, "--why", "--quiet", *options)
        for name, path in outputs.items():
            shown = self.succeed("show", str(outputs["json"]), "--format", name, "--why", env=environment(COLUMNS="80"))
            self.assertEqual(shown, path.read_text(), name)

    def test_what_an_older_version_did_not_write_is_made_anew(self):
        report = json.loads(OFFSET.read_text())
        report.pop("findings", None)
        for result in report["results"]:
            for member in ("why", "stages", "timeline", "compared"):
                result.pop(member, None)
        shown = strict_json(self.succeed("show", "-", "--format", "json", input=json.dumps(report)))
        self.assertTrue(shown["findings"])
        self.assertTrue(any(result["why"] for result in shown["results"]))

    def test_what_a_report_says_is_not_said_again(self):
        report = json.loads(OFFSET.read_text())
        report["findings"] = ["As it was found then."]
        report["results"][0]["why"] = "As it was explained then."
        shown = strict_json(self.succeed("show", "-", "--format", "json", input=json.dumps(report)))
        self.assertEqual(shown["findings"], report["findings"])
        self.assertEqual(shown["results"][0]["why"], "As it was explained then.")

    def test_a_file_instead_of_stdout(self):
        file = self.directory / "run.csv"
        self.assertEqual(self.succeed("show", str(OFFSET), "--output", str(file)), "")
        self.assertEqual(file.read_text(), self.succeed("show", str(OFFSET), "--format", "csv"))
        printed = self.succeed("show", str(OFFSET), "--output", str(file), "--output", "-", "--format", "json")
        strict_json(printed)

    def test_checks_are_shown_as_tests(self):
        report = json.loads(OFFSET.read_text())
        report["checks"] = [{"name": "reads reach the memory", "verdict": "fail", "reason": "too slow",
                             "quantity": None, "measured": 0.5, "at_least": 0.8, "at_most": None,
                             "required": False, "attempts": 1, "cases": [0]}]
        file = self.directory / "run.xml"
        self.succeed("show", "-", "--output", str(file), input=json.dumps(report))
        suites = ElementTree.parse(file).getroot()
        self.assertEqual([case.get("name") for case in suites.iter("testcase")], ["reads reach the memory"])
        self.assertEqual(len(list(suites.iter("failure"))), 1)
        self.assertIn("has no checks", self.fail_with(2, "show", str(OFFSET), "--format", "junit"))

    def test_openmetrics_has_every_bandwidth(self):
        text = self.succeed("show", str(OFFSET), "--format", "openmetrics")
        results = json.loads(OFFSET.read_text())["results"]
        self.assertEqual(text.count("\ngpumem_bandwidth_bytes_per_second{"), len(results))
        self.assertTrue(text.endswith("# EOF\n"))

    def test_a_dry_run_stays_a_plan(self):
        path = self.directory / "plan.json"
        table = self.succeed("probe", "--offset", "0..8", "--dry-run", "--output", str(path), "--output", "-")
        self.assertEqual(self.succeed("show", str(path)), table)

    def test_a_reader_that_leaves_is_no_crash(self):
        with subprocess.Popen([PROGRAM, "show", str(OFFSET), "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment()) as program:
            program.stdout.close()
            stderr = program.stderr.read()
        self.assertIn(program.returncode, (2, -13))
        self.assertLessEqual(stderr.count(b"\n"), 1)


class SeveralReports(ShowTest):
    def test_tables_follow_one_another(self):
        paths = [self.saved("--offset", "0..2", name="a.json"), self.saved("--stride", "1,2", name="b.json")]
        table = self.succeed("show", *paths)
        self.assertLess(table.index(f"== {paths[0]} =="), table.index(f"== {paths[1]} =="))
        self.assertIn(f"# {paths[1]}", self.succeed("show", *paths, "--format", "markdown"))

    def test_csv_is_one_table(self):
        paths = [self.saved("--offset", "0..2", "--op", "read", name="a.json"),
                 self.saved("--transfer", "pinned", "--size", "1MiB", name="b.json")]
        rows = list(csv.reader(io.StringIO(self.succeed("show", *paths, "--format", "csv"))))
        self.assertEqual(rows[0][:2], ["report", "probe"])
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        cases = [strict_json(Path(path).read_text())["results"] for path in paths]
        self.assertEqual([row[0] for row in rows[1:]], [paths[0]] * len(cases[0]) + [paths[1]] * len(cases[1]))

    def test_json_holds_one(self):
        self.assertIn("one report", self.fail_with(2, "show", str(OFFSET), str(OTHER), "--format", "json"))


class Mistakes(ShowTest):
    def test_each_has_one_line(self):
        suite = self.directory / "suite.json"
        suite.write_text('{"schema_version": 1, "name": "mine", "probes": []}')
        truncated = self.directory / "truncated.json"
        truncated.write_text(OFFSET.read_text()[:7000])
        mistakes = (
            ((), "show needs a report"),
            (("missing.json",), "cannot read 'missing.json': No such file"),
            ((str(self.directory),), "Is a directory"),
            ((str(suite),), "suite"),
            ((str(CONFIGS / "gpus" / "h200.json"),), "profile"),
            ((str(truncated),), "truncated.json: "),
            (("-",), "standard input: "),
            (("-", "-"), "holds only one report"),
            ((str(OFFSET), "--format", "tabel"), "did you mean 'table'"),
            ((str(OFFSET), "--output", "out.xyz"), "names no format"),
            ((str(OFFSET), "--colour"), "unknown option '--colour'"),
        )
        for arguments, expected in mistakes:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.fail_with(2, "show", *arguments, input=""))


if __name__ == "__main__":
    unittest.main()
