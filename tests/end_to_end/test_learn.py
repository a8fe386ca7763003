"""gpumem check --learn: a suite out of a fleet's reports, which later checks are held to."""

import json
import random
import sys
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, run, strict_json

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmark"))
import fleet_reports  # noqa: E402  which makes reports out of one


class Learn(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = fleet_reports.model_report(PROGRAM, samples=5)

    def setUp(self):
        super().setUp()
        self.reports = self.directory / "reports"
        self.reports.mkdir()
        self.suite = self.directory / "fleet.json"

    def report(self, number, planted=None, **device):
        report = fleet_reports.machine_report(self.reference, number, planted, random.Random(number))
        report["device"] |= device
        return report

    def write(self, report, name, folder=None):
        path = (folder or self.reports) / f"{name}.json"
        path.write_text(json.dumps(report))
        return str(path)

    def fleet(self, count, **device):
        for number in range(count):
            self.write(self.report(number, **device), f"gpu{number}")

    def learn(self, *options):
        return self.succeed("check", "--learn", str(self.reports), "--output", str(self.suite), *options)

    def refused(self, *options):
        return self.fail_with(2, "check", "--learn", str(self.reports), *options)

    def test_what_is_learned_passes_healthy_gpus_and_fails_a_slow_one(self):
        self.fleet(24)
        text = self.learn()
        self.assertIn(f"Learned from 24 x NVIDIA H200: {len(self.reference['results'])} cases", text)
        suite = strict_json(self.suite.read_text())
        self.assertEqual(len(suite["expectations"]), len(self.reference["results"]))
        for expectation in suite["expectations"]:
            self.assertEqual(expectation["gpu"], "NVIDIA H200")
            self.assertRegex(expectation["because"],
                             r"\Alearned from 24 GPUs: median .*, spread .* %.*; finds [\d.]+ % slower with 95 % "
                             r"certainty, false alarm 1 in 1000 checks of a GPU\Z")
        healthy = self.write(self.report(100), "healthy", self.directory)
        done = run("check", str(self.suite), healthy)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        slow = self.write(self.report(101, "slow"), "slow", self.directory)
        done = run("check", str(self.suite), slow)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("learned from 24 GPUs", " ".join(done.stdout.split()))

    def test_the_probes_of_the_suite_are_those_of_the_reports(self):
        self.fleet(8)
        self.learn()
        suite = strict_json(self.suite.read_text())
        probes = {entry["probe"]: entry["axes"] for entry in suite["probes"]}
        self.assertEqual(len(probes), len(suite["probes"]))
        self.assertEqual(list(probes), list(dict.fromkeys(case["probe"] for case in self.reference["results"])))
        self.assertEqual(probes["offset"]["offset"], list(range(9)))
        plan = strict_json(self.succeed("check", str(self.suite), "--dry-run", "--format", "json"))

        def kinds(report):
            return sorted((case["probe"], str(case["parameters"].get("op"))) for case in report["results"])

        self.assertEqual(kinds(plan), kinds(self.reference))

    def test_more_false_alarms_find_smaller_faults(self):
        self.fleet(12)
        self.learn()
        strict = [expectation.get("at_least") for expectation in strict_json(self.suite.read_text())["expectations"]]
        self.learn("--false-alarms", "10%")
        loose = [expectation.get("at_least") for expectation in strict_json(self.suite.read_text())["expectations"]]
        pairs = [(one, other) for one, other in zip(strict, loose) if one is not None]
        self.assertGreater(len(pairs), 0)
        self.assertTrue(all(one <= other for one, other in pairs))
        self.assertTrue(any(one < other for one, other in pairs))

    def test_json_on_stdout_is_the_suite(self):
        self.fleet(8)
        text = self.learn("--format", "json")
        self.assertEqual(text, self.suite.read_text())
        self.assertEqual(self.learn("--quiet"), "")

    def test_another_kind_of_gpu_is_a_skip_that_says_so_and_fails(self):
        self.fleet(8)
        self.learn()
        other = self.write(self.report(50, name="NVIDIA L40S"), "other", self.directory)
        done = run("check", str(self.suite), other)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"SKIP .*")
        self.assertIn("holds for NVIDIA H200, and this is NVIDIA L40S", " ".join(done.stdout.split()))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*nothing was checked;[^\n]*\n\Z")

    def test_two_groups_of_hosts_are_told(self):
        for number in range(40):
            report = self.report(number)
            for result in report["results"]:
                fleet_reports.scale(result, 0.9 if number % 2 else 1, random.Random(number))
            self.write(report, f"gpu{number}")
        text = " ".join(self.learn().split())
        self.assertRegex(text, r"is in two groups: 20 GPUs at [\d.]+ [^.]* and 20 at [\d.]+ .*\. 35 more cases are in two groups")
        self.assertIn("in two groups, 20 at", self.suite.read_text())

    def test_a_gpu_counts_once_with_its_latest_report(self):
        self.fleet(8)
        older = self.report(3, "slow")
        older["started_at"] = "2020-01-01T00:00:00Z"
        self.write(older, "older")
        text = " ".join(self.learn().split())
        self.assertIn("Learned from 8 x NVIDIA H200", text)
        self.assertIn("1 report left out, because a later one is of the same GPU", text)

    def test_what_cannot_be_learned_from_is_refused_in_a_line(self):
        self.assertIn("there are no reports (*.json)", self.refused())
        self.fleet(1)
        self.assertIn("the reports are of 1 GPU, and it takes 8 of a kind", self.refused())
        self.fleet(7)
        self.assertIn("the reports are of 7 GPUs, and it takes 8 of a kind", self.refused())
        self.write(self.report(7, name="NVIDIA L40S"), "other")
        self.assertIn("of 2 kinds of GPU, 7 x NVIDIA H200 and 1 x NVIDIA L40S", self.refused())
        self.fleet(8)
        (self.reports / "other.json").unlink()
        self.write(self.report(9) | {"backend": "model"}, "predicted")
        self.assertRegex(self.refused(), r"predicted\.json: was predicted")

    def test_reports_without_common_cases_are_refused(self):
        for number in range(8):
            report = self.report(number)
            report |= {"results": report["results"][number:number + 1], "conclusions": [], "findings": []}
            self.write(report, f"gpu{number}")
        self.assertIn("there is nothing to learn: no case has values of 8 GPUs", self.refused())

    def test_options_that_have_no_meaning_are_refused(self):
        self.fleet(8)
        for options in (("--attempts", "3"), ("--backend", "model"), ("--dry-run",), ("--junit", "x.xml"),
                        ("--fail-on-skip",), ("--verbose",), ("--ci-width", "2%"), ("--format", "github")):
            with self.subTest(options):
                self.assertIn(f"{options[0]}", self.refused(*options))
        self.assertIn("no .json file", self.refused("--output", "fleet.csv"))
        self.assertIn("--false-alarms is for --learn", self.fail_with(2, "check", "smoke", "--false-alarms", "1%"))
        self.assertIn("--false-alarms: ", self.refused("--false-alarms", "60%"))
        self.assertIn("check --learn needs reports", self.fail_with(2, "check", "--learn"))

    def test_a_broken_file_is_named_and_the_rest_is_learned_from(self):
        self.fleet(8)
        (self.reports / "broken.json").write_text("{")
        done = run("check", "--learn", str(self.reports), "--output", str(self.suite))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*broken\.json: [^\n]*\n\Z")
        self.assertIn("Learned from 8 x", done.stdout)


if __name__ == "__main__":
    unittest.main()
