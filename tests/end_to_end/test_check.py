"""`gpumem check`: lines and exit codes."""

import json
import shutil
import subprocess
import unittest
import xml.etree.ElementTree
from pathlib import Path

from checked_suite import NASTY, CheckTest, suite
from harness import MODEL, PROGRAM, environment, run, strict_json


class Checks(CheckTest):
    def test_lines_and_exit_code(self):
        done = self.check(self.write())
        self.assertEqual(done.returncode, 1)
        verdicts = [line[:4] for line in done.stdout.splitlines() if line[:4] in ("PASS", "FAIL", "SKIP")]
        self.assertEqual(verdicts, ["FAIL", "SKIP", "FAIL", "SKIP", "PASS"])  # first that of all
        self.assertIn(f"FAIL  {NASTY}", done.stdout)
        self.assertIn(": 2 passed, 1 failed, 2 skipped", " ".join(done.stdout.split()))
        self.assertIn("PASS  2 expectations", done.stdout)
        self.assertRegex(done.stderr, r"\Agpumem: own: 1 expectation failed, the first, [^\n]+\n\Z")
        self.assertEqual(self.check(self.passing()).returncode, 0)

    def test_expectations_for_other_gpus_are_not_there(self):
        other = {"name": "an A100", "gpu": "NVIDIA A100", "cases": {"probe": "offset", "offset": 0}, "at_least": 1}
        done = self.check(self.write(expectations=[suite()["expectations"][0], other]), "--verbose", "--fail-on-skip")
        self.assertNotIn("A100", done.stdout)
        alone = self.check(self.write(expectations=[other]))
        self.assertEqual(alone.returncode, 1)
        self.assertIn("holds for NVIDIA A100, and this is NVIDIA H200", " ".join(alone.stdout.split()))

    def test_the_verdict_alone(self):
        done = self.check(self.write(), "-q")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\AFAIL  own on NVIDIA H200, [^\n]+: 2 passed, 1 failed, 2 skipped\n\Z")

    def test_widths(self):
        for width in (60, 80, 200):
            for line in self.check(self.write(), env=environment(COLUMNS=str(width))).stdout.splitlines():
                self.assertLessEqual(len(line), width, line)
                self.assertEqual(line, line.rstrip())

    def test_predictions_have_to_be_asked_for(self):
        report = self.path("r.json")
        self.assertEqual(self.check(self.passing(), "--output", report).returncode, 0)
        for arguments in ((report,), (self.passing(), report)):
            done = run("check", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertNotIn("PASS", done.stdout)
            self.assertIn("add --backend model to accept predictions", done.stdout)
            self.assertRegex(done.stderr, r"\Agpumem: own: nothing was checked; [^\n]+\n\Z")
            self.assertEqual(run("check", *arguments, "--backend", "model").returncode, 0)

    def test_a_report_of_other_cases_passes_no_suite(self):
        bank = Path(__file__).parents[2] / "configs/reference/h200/bank.json"
        done = run("check", "write-ups", str(bank), "--output", self.path("r.json"), "--junit", self.path("r.xml"),
                   "--openmetrics", self.path("r.prom"), "--verbose")
        self.assertEqual(done.returncode, 1)
        self.assertIn("PASS  nothing disturbed the GPU", done.stdout)  # which is asked of any report
        self.assertRegex(done.stdout, r"FAIL  at least one of the suite's own expectations was checked\s+none of \d+ expectations of the suite's own ")
        self.assertRegex(done.stderr, r"\Agpumem: write-ups: nothing was checked; none of [^\n]+\n\Z")
        report = strict_json((self.directory / "r.json").read_text())
        self.assertIs(report["passed"], False)
        self.assertEqual([check["verdict"] for check in report["checks"]].count("fail"), 1)
        self.assertIn('failures="1"', (self.directory / "r.xml").read_text())
        gauges = (self.directory / "r.prom").read_text()
        self.assertRegex(gauges, r"gpumem_check_passed\{[^}]*check=\"at least one of the suite's own expectations was checked\"\} 0")
        self.assertRegex(gauges, r"gpumem_suite_passed\{[^}]*\} 0")

    def test_a_skip_may_be_a_failure(self):
        skipping = self.write(expectations=[suite()["expectations"][0], suite()["expectations"][2]])
        measured = self.path("measured.json")
        report = strict_json(self.check(skipping, "--format", "json").stdout)
        self.assertIs(report["passed"], True)
        for result in report["results"]:  # so that nothing else is skipped
            result["headline"]["measured"] = result["bandwidth_gb_per_s"]["measured"] = result["headline"]["predicted"]
            result["time_seconds"] = {"median": 1, "ci95_low": 1, "ci95_high": 1, "min": 1, "p05": 1, "p95": 1,
                                      "count": 1, "samples": [1]}
            result["verified"] = True
        report["backend"] = "cuda"
        (self.directory / "measured.json").write_text(json.dumps(report))
        self.assertEqual(run("check", skipping, measured).returncode, 0)
        files = ("--output", self.path("r.json"), "--junit", self.path("r.xml"), "--openmetrics", self.path("r.prom"))
        done = run("check", skipping, measured, "--fail-on-skip", *files)
        self.assertEqual(done.returncode, 1)
        self.assertIn("SKIP  memory reads", done.stdout)
        self.assertIn("required: offset 0: ", done.stdout)
        self.assertRegex(done.stderr, r"\Agpumem: own: an expectation was skipped, memory reads: offset 0: [^\n]+\n\Z")
        kept = strict_json((self.directory / "r.json").read_text())
        self.assertIs(kept["passed"], False)
        self.assertEqual([check["verdict"] for check in kept["checks"]], ["pass", "pass", "pass", "skip"])
        self.assertIn('failures="1" errors="0" skipped="0"', (self.directory / "r.xml").read_text())
        self.assertRegex((self.directory / "r.prom").read_text(), r"gpumem_suite_passed\{[^}]*\} 0")
        self.assertIn("::error title=own%3A memory reads::required",
                      run("check", skipping, measured, "--fail-on-skip", "--format", "github").stdout)
        whole = self.write(expectations=suite()["expectations"][:1])
        self.assertEqual(run("check", whole, measured, "--fail-on-skip").returncode, 0)

    def test_a_required_skip_is_a_failure_everywhere(self):
        required = self.write(expectations=[suite()["expectations"][0], suite()["expectations"][2] | {"required": True}])
        done = self.check(required, "--output", self.path("r.json"), "--junit", self.path("r.xml"))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\Agpumem: own: a required expectation was skipped, memory reads: offset 0: [^\n]+\n\Z")
        self.assertIs(strict_json((self.directory / "r.json").read_text())["passed"], False)
        self.assertIn('<failure message="required: offset 0: ', (self.directory / "r.xml").read_text())
        self.assertIn("::error title=own%3A memory reads::required", self.check(required, "--format", "github").stdout)

    def test_what_is_no_check_says_nothing_of_passing(self):
        self.assertIsNone(self.predict("--offset", "0")["passed"])
        dry = self.succeed("check", self.write(), "--dry-run", "--format", "json")
        self.assertIsNone(strict_json(dry)["passed"])

    def test_a_report_keeps_its_checks(self):
        self.check(self.write(), "--output", self.path("r.json"), "--output", self.path("r.md"))
        report = strict_json((self.directory / "r.json").read_text())
        self.assertEqual(report["suite"], "own")
        self.assertEqual(report["watched_flags"], [])
        self.assertEqual([check["verdict"] for check in report["checks"]], ["pass", "skip", "pass", "fail", "skip"])
        self.assertEqual(report["checks"][3]["name"], NASTY)
        self.assertEqual(report["checks"][3]["cases"], [0, 1, 2, 3])
        self.assertLess(report["checks"][3]["measured"], report["checks"][3]["at_least"])
        self.assertIn("FAIL", (self.directory / "r.md").read_text())
        shown = self.check(self.write(), "--format", "json").stdout
        self.assertEqual(strict_json(shown)["checks"], report["checks"])

    def test_what_a_gpu_cannot_have_is_not_missed(self):
        of_occupancy = self.write(probes=[{"probe": "occupancy"}], expectations=[])
        for arguments in (["--output", self.path("r.json")], [self.path("r.json")]):
            done = self.check(of_occupancy, *arguments, "--verbose")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("PASS  every case ran  13 cases", done.stdout)

    def test_a_measured_report(self):
        report = Path(__file__).parents[2] / "configs/reference/h200/offset.json"
        done = run("check", str(report), "--verbose")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("PASS  every case ran", done.stdout)
        self.assertIn("PASS  data verified", done.stdout)
        self.assertIn("SKIP  never throttled", done.stdout)
        broken = json.loads(report.read_text())
        broken["results"][5]["verified"] = False
        broken["results"][5]["flags"] = ["throttled"]
        (self.directory / "broken.json").write_text(json.dumps(broken))
        done = run("check", self.path("broken.json"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL  data verified", done.stdout)

    def test_what_gpus_share_fails_none_of_them(self):
        # Four healthy H100s whose copies ran at once: check smoke --device all, before GPUs took turns.
        done = run("check", "smoke", str(Path(__file__).with_name("reports") / "four_h100s_at_once.json.gz"), "--verbose")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("SKIP  pinned copies reach the link", done.stdout)
        self.assertIn("4 GPUs used the host at once", done.stdout)
        self.assertIn("PASS  reads reach the memory", done.stdout)

    def test_standard_input(self):
        text = (self.directory / self.write()).read_text()
        self.assertEqual(self.check("-", input=text).returncode, 1)
        self.check(self.passing(), "--output", self.path("r.json"))
        report = (self.directory / "r.json").read_text()
        self.assertEqual(run("check", "-", "--backend", "model", input=report).returncode, 0)

    def test_a_file_with_a_relative_path_is_beside_the_suite(self):
        folder = self.directory / "suites"
        folder.mkdir()
        (folder / "columns.txt").write_text("0 4 8 12")
        axes = {"indices": ["columns.txt", "UNIFORM:8:4", "0,4"], "from": "none", "op": "read", "buffer": "auto"}
        text = json.dumps(suite(
            probes=[{"probe": "indices", "axes": axes}],
            expectations=[{"name": "e", "cases": {"probe": "indices", "indices": "columns.txt"}, "at_least": 0}]))
        (folder / "s.json").write_text(text)
        for where, path, shown in ((self.directory, "suites/s.json", "suites/columns.txt"), (folder, "s.json", "columns.txt"),
                                   (folder, "./s.json", "columns.txt"),
                                   ("/", str(folder / "s.json"), str(folder / "columns.txt"))):
            with self.subTest(path):
                done = self.check(path, "--format", "json", cwd=where, program=str(Path(PROGRAM).resolve()))
                self.assertEqual(done.returncode, 0, done.stderr)
                report = strict_json(done.stdout)
                self.assertEqual([result["parameters"]["indices"] for result in report["results"]],
                                 [shown, "UNIFORM:8:4", "0,4"])
                self.assertEqual({check["verdict"] for check in report["checks"] if check["name"] == "e"}, {"pass"})
        # One that is not there is not looked for elsewhere.
        (folder / "columns.txt").rename(self.directory / "columns.txt")
        line = self.fail_with(2, "check", "suites/s.json", *MODEL, cwd=self.directory, program=str(Path(PROGRAM).resolve()))
        self.assertIn("cannot read 'suites/columns.txt': No such file", line)
        done = self.check("-", input=text, cwd=self.directory, program=str(Path(PROGRAM).resolve()))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_shipped_suites_are_predicted(self):
        done = self.check("smoke", "--quiet")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertRegex(done.stdout, r"\A(PASS|FAIL)  smoke on [^\n]+ passed, [^\n]+\n\Z")

    def test_dry_run(self):
        text = self.succeed("check", "smoke", "--dry-run")
        self.assertIn("dry run", text)
        self.assertRegex(text, r"\d+ skipped")
        self.assertEqual(self.succeed("probe", "--config", self.write(), "--dry-run", "--format", "csv").count("\n"), 5)

    def test_config(self):
        report = strict_json(self.succeed("probe", "--config", self.write(), *MODEL, "--format", "json"))
        self.assertEqual(report["suite"], "own")
        self.assertEqual(report["checks"], [])
        self.assertEqual(len(report["results"]), 4)
        self.assertIn("takes no --offset", self.fail_with(2, "probe", "--config", "smoke", "--offset", "1"))
        self.assertIn("takes no 'bank'", self.fail_with(2, "probe", "bank", "--config", "smoke"))

    def test_usage(self):
        (self.directory / "other.json").write_text('{"schema_version": 1}')
        (self.directory / "cut.json").write_text('{"schema_version": 1')
        for arguments, part in {
            (): "check needs a suite",
            ("smok",): "did you mean 'smoke'?",
            ("nothing-like-it",): "no suite 'nothing-like-it': there are ",
            (self.path("missing.json"),): "missing.json",
            (str(self.directory),): str(self.directory),
            (self.path("other.json"),): "is no suite or report of gpumem's",
            (self.path("cut.json"),): "not valid JSON at line 1",
            ("smoke", "--attempts", "0"): "--attempts: '0'",
            ("smoke", "--junit", "/dev/null/dir.xml"): "/dev/null/dir.xml",
            ("smoke", "--openmetrics", str(self.directory)): str(self.directory),
            ("smoke", "--output", self.path("r.data")): "names no format",
            ("smoke", "--offset", "1"): "--offset",
            ("smoke", "--junit", "-"): "gpumem show REPORT --format junit",
            ("smoke", "--openmetrics", "-"): "gpumem show REPORT --format openmetrics",
            ("smoke", "--junit", "r.x", "--openmetrics", "./r.x"): "--openmetrics: './r.x' is named twice; name another file",
            ("smoke", "--output", "r.json", "--junit", "r.json"): "--junit: 'r.json' is named twice; name another file",
            ("smoke", "smoke", "--format", "json"): "one report of one suite",
        }.items():
            with self.subTest(arguments):
                self.assertIn(part, self.fail_with(2, "check", *arguments))

    def test_no_gpu_names_the_command_that_predicts(self):
        if run("devices").returncode == 0:
            self.skipTest("there is a GPU here")
        self.assertIn("check smoke --backend model --gpu h200", self.fail_with(3, "check", "smoke"))

    def test_files_that_fail_take_nothing_else_with_them(self):
        done = self.check(self.passing(), "--junit", "/dev/full", "--openmetrics", self.path("r.prom"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 passed, 0 failed", done.stdout)
        self.assertTrue((self.directory / "r.prom").read_text().endswith("# EOF\n"))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*/dev/full[^\n]*\n\Z")

    def held_by_full(self, script, *arguments):
        """Runs checks whose output fills up: all of it is measured, and what else is written passes a sound GPU."""
        done = subprocess.run(["bash", "-c", script, PROGRAM, "check", *arguments, *MODEL, "--junit", self.path("r.xml"),
                               "--openmetrics", self.path("r.prom")], capture_output=True, text=True, timeout=60,
                              check=False, env=environment())
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("No space left on device", done.stderr.splitlines()[-1])
        suites = xml.etree.ElementTree.parse(self.path("r.xml")).getroot()
        self.assertEqual(suites.get("failures"), "0")
        gauges = (self.directory / "r.prom").read_text()
        self.assertNotRegex(gauges, r"(?m)^gpumem_(check|suite)_passed\{[^\n]* 0$")
        self.assertRegex(gauges, r"(?m)^gpumem_suite_passed\{[^\n]* 1$")
        return done, suites

    @unittest.skipUnless(shutil.which("unshare") and
                         subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0,
                         "nothing may be mounted here")
    def test_a_full_disk_is_no_verdict(self):
        full = self.directory / "full"
        full.mkdir()
        script = f'unshare -m bash -c \'mount -t tmpfs -o size=48k none {full} && exec "$0" "$@"\' "$0" "$@"'
        done, _ = self.held_by_full(script, "smoke", "--output", str(full / "o.json"))
        self.assertIn("0 failed", done.stdout)
        self.assertIn("going on, and trying again in the end", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2)

    def test_a_full_output_keeps_no_suite_from_being_held(self):
        _, suites = self.held_by_full('exec "$0" "$@" >/dev/full', "smoke", self.passing())
        self.assertEqual(len(suites), 2)

    def test_a_report_that_show_reads(self):
        bound = {"name": "far", "cases": {"probe": "offset", "offset": 0}, "at_most": 1e60}
        self.check(self.write(expectations=[bound]), "--output", self.path("r.json"))
        self.succeed("show", self.path("r.json"))
        self.assertIn("of a magnitude from", self.fail_with(2, "check", self.write(expectations=[bound | {"at_most": 1e61}]), *MODEL))

    def test_a_closed_pipe_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "check", self.passing(), *MODEL], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write to standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
