"""gpumem compare --fleet: one report per machine in, the machines that are off out."""

import csv
import io
import json
import random
import sys
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, run, strict_json

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmark"))
import fleet_reports  # noqa: E402  which makes reports out of one


class Fleet(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = fleet_reports.model_report(PROGRAM, samples=5)

    def write(self, number, planted=None, **changes):
        """The report of a machine; returns its path."""
        report = fleet_reports.machine_report(self.reference, number, planted, random.Random(number))
        for name, value in changes.items():
            report["device"][name] = value
        path = self.directory / f"node{number}.json"
        path.write_text(json.dumps(report))
        return str(path)

    def compare(self, *options, code=0):
        done = run("compare", "--fleet", str(self.directory), *options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def standing_out(self, text):
        return {Path(machine["file"]).stem for machine in strict_json(text)["machines"] if machine["stands_out"]}

    def test_planted_outliers_are_found_and_only_those(self):
        planted = {3: "slow", 11: "one_slow_case", 17: "failed", 25: "wrong_data"}
        for number in range(30):
            self.write(number, planted.get(number))
        done = self.compare("--format", "json")
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.standing_out(done.stdout), {"node3", "node11", "node17", "node25"})
        text = self.compare().stdout
        self.assertIn("4 of 30 GPUs stand out", text)
        self.assertIn("(out of memory)", text)
        self.assertIn("moved wrong data", text)

    def test_a_healthy_fleet_is_one_line(self):
        for number in range(8):
            self.write(number)
        done = self.compare("--fail-on-regression", "3%")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count("Healthy: none of the 8 GPUs stands out."), 1)

    def test_fail_on_regression(self):
        for number in range(8):
            self.write(number, "slow" if number == 5 else None)
        self.compare()
        self.compare("--fail-on-regression", "10%")
        done = self.compare("--fail-on-regression", "3%", code=1)
        self.assertIn("1 of 8 GPUs stands out", done.stdout)
        self.assertRegex(done.stderr,
                         r"\Agpumem: 1 of 8 GPUs is more than 3 % slower [^\n]*node0000 15:00.0: [^\n]*\n\Z")

    def test_a_failed_case_fails_whatever_the_share(self):
        for number in range(8):
            self.write(number, "failed" if number == 5 else None)
        done = self.compare("--fail-on-regression", "50%", code=1)
        self.assertIn("node0000 15:00.0: 1 case failed", done.stderr)

    def test_too_few_to_judge_is_no_pass(self):
        for number in range(4):
            self.write(number)
        self.assertIn("Too few to find outliers: 4 x", self.compare().stdout)
        done = self.compare("--fail-on-regression", "3%", code=1)
        self.assertRegex(done.stderr, r"\Agpumem: nothing could be judged[^\n]*\n\Z")

    def test_broken_files_are_named_and_the_rest_is_compared(self):
        for number in range(6):
            self.write(number)
        (self.directory / "broken.json").write_text('{"schema_version": 1, "tool"')
        (self.directory / "other.json").write_text('{"schema_version": 7}')
        done = self.compare("--format", "json", code=2)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"\Agpumem: .*/broken\.json: not valid JSON at line 1, column \d+")
        self.assertRegex(lines[1], r"\Agpumem: .*/other\.json: /schema_version: expected 1")
        fleet = strict_json(done.stdout)
        self.assertEqual(len(fleet["machines"]), 6)
        self.assertEqual([Path(one["file"]).name for one in fleet["unreadable"]], ["broken.json", "other.json"])
        self.assertIn("2 files could not be used", self.compare(code=2).stdout)

    def test_many_broken_files_are_counted(self):
        for number in range(6):
            self.write(number)
        for number in range(25):
            (self.directory / f"broken{number}.json").write_text("")
        lines = self.compare(code=2).stderr.splitlines()
        self.assertEqual(len(lines), 11)
        self.assertEqual(lines[-1], "gpumem: and 15 more files that could not be used")

    def test_what_is_strict_elsewhere_is_strict_in_what_is_not_kept(self):
        report = json.loads(Path(self.write(0)).read_text())
        text = json.dumps(report)
        samples = json.dumps(report["results"][0]["time_seconds"]["samples"])
        for broken in ("[1, 2,]", "[1e999]", '[{"a": 1, "a": 2}]', "[" * 30 + "]" * 30, '"none"'):
            with self.subTest(broken):
                (self.directory / "node0.json").write_text(text.replace(samples, broken, 1))
                done = run("compare", "--fleet", str(self.directory))
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("node0.json: ", done.stderr)

    def test_no_report_at_all(self):
        self.assertIn("there are no reports", self.fail_with(2, "compare", "--fleet", str(self.directory)))
        (self.directory / "one.json").write_text("{}")
        done = run("compare", "--fleet", str(self.directory))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 2)
        missing = run("compare", "--fleet", str(self.directory / "missing"))
        self.assertEqual(missing.returncode, 2)
        self.assertIn("No such file or directory", missing.stderr)

    def test_a_report_may_come_on_standard_input(self):
        files = [self.write(number) for number in range(2)]
        expected = self.succeed("compare", "--fleet", *files, "--format", "json")
        with open(files[1], encoding="utf-8") as file:
            given = self.succeed("compare", "--fleet", files[0], "-", "--format", "json", stdin=file)
        self.assertEqual(given, expected.replace(files[1], "standard input"))

    def test_files_and_directories_are_read_once_and_nothing_else_is(self):
        first = self.write(0)
        for number in range(1, 5):
            self.write(number)
        (self.directory / ".hidden.json").write_text("no report")
        (self.directory / "notes.txt").write_text("no report")
        (self.directory / "old").mkdir()
        (self.directory / "old" / "node9.json").write_text("no report")
        fleet = strict_json(self.succeed("compare", "--fleet", first, str(self.directory), "--format", "json"))
        self.assertEqual([Path(machine["file"]).stem for machine in fleet["machines"]],
                         ["node0", "node1", "node2", "node3", "node4"])

    def test_words_choose_cases(self):
        for number in range(8):
            self.write(number, "slow" if number == 2 else None)
        fleet = strict_json(self.compare("offset=3", "op=write", "--format", "json").stdout)
        self.assertEqual([case["parameters"]["offset_elements"] for case in fleet["kinds"][0]["cases"]
                          if "offset_elements" in case["parameters"]], [3])
        self.assertEqual({len(machine["cases"]) for machine in fleet["machines"]}, {1})
        self.assertEqual(self.standing_out(json.dumps(fleet)), {"node2"})
        self.assertEqual({len(machine["cases"]) for machine in strict_json(
            self.compare("0..4", "--format", "json").stdout)["machines"]}, {5})
        directory = str(self.directory)
        self.assertIn("no case has 'offset=77'; there are: 0..8", self.fail_with(2, "compare", "--fleet", directory, "offset=77"))
        self.assertIn("did you mean 'offset'?", self.fail_with(2, "compare", "--fleet", directory, "ofset=1"))

    def test_the_order_of_threads_does_not_show(self):
        for number in range(16):
            self.write(number, "slow" if number % 9 == 0 else None)
        for format_name in ("table", "json", "csv", "markdown"):
            texts = {self.compare("--format", format_name).stdout for _ in range(3)}
            self.assertEqual(len(texts), 1, format_name)

    def test_a_minority_is_named(self):
        for number in range(10):
            self.write(number, driver_version="570.1" if number == 9 else "580.2", pcie={
                "generation": 5, "width": 8 if number == 9 else 16})
        text = self.compare().stdout
        self.assertIn("driver: 580.2 on 9, 570.1 on 1 (node0001).", text)
        self.assertIn("host link: PCIe gen5 x16 on 9, PCIe gen5 x8 on 1 (node0001).", text)

    def test_outputs(self):
        for number in range(6):
            self.write(number, "slow" if number == 2 else None)
        reports = str(self.directory)
        out = self.directory / "out"
        out.mkdir()
        files = [str(out / f"fleet.{extension}") for extension in ("json", "csv", "md", "txt")]
        options = [option for file in files for option in ("--output", file)]
        self.assertEqual(self.succeed("compare", "--fleet", reports, "--quiet", *options), "")
        self.assertEqual(self.standing_out(Path(files[0]).read_text()), {"node2"})
        rows = list(csv.DictReader(io.StringIO(Path(files[1]).read_text())))
        self.assertEqual(len(rows), 6 * len(self.reference["results"]))
        self.assertEqual({row["host"] for row in rows if row["verdict"] == "slow"}, {"node0000"})
        self.assertRegex(Path(files[2]).read_text(), r"(?m)^\| node0000 \| 12:00\.0 \|")
        self.assertIn("1 of 6 GPUs stands out", Path(files[3]).read_text())

    def test_widths(self):
        for number in range(8):
            self.write(number, "slow" if number == 2 else None)
        for width in (60, 80, 200):
            done = run("compare", "--fleet", str(self.directory), env=environment(COLUMNS=str(width)))
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), width)

    def test_the_benchmark_finds_what_it_planted(self):
        planted, _ = fleet_reports.make_fleet(self.directory, self.reference, 24, 4, seed=3)
        _, text = fleet_reports.timed(PROGRAM, str(self.directory), "--format", "json")
        self.assertEqual(fleet_reports.found_in(text), planted.keys())


if __name__ == "__main__":
    unittest.main()
