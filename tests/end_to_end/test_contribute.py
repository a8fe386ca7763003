"""Contributing a profile: calibrate writes it with its reports and checks, and a script takes it into the repository."""

import copy
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, run, strict_json
from schemas import SCHEMAS, complaints, jsonschema

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).parents[2]
REFERENCES = ROOT / "configs" / "reference"
REPORTS = [str(REFERENCES / "h200" / name) for name in ("bank.json", "latency.json")]
FROM = [word for report in REPORTS for word in ("--from", report)]
CHECKS = ["schema", "sources", "ranges", "latencies", "scaling", "predictions"]


class Contribute(ProgramTest):
    def setUp(self):
        super().setUp()
        self.profile = self.directory / "profile.json"
        self.file = self.directory / "contribution.json"

    @staticmethod
    def schema():
        return strict_json((SCHEMAS / "contribution.schema.json").read_text(encoding="utf-8"))

    def written(self, name, document):
        file = self.directory / name
        file.write_text(json.dumps(document), encoding="utf-8")
        return file

    def contribute(self, *options):
        """Returns the contribution made of reference reports, and the text on stdout."""
        said = self.succeed("calibrate", *(options or FROM), "-o", str(self.profile), "--contribute", str(self.file))
        return strict_json(self.file.read_text(encoding="utf-8")), said

    def slow_shared(self):
        """A report whose shared memory answers later than L1."""
        report = json.loads(Path(REPORTS[1]).read_text(encoding="utf-8"))
        for result in report["results"]:
            if result["parameters"]["level"] == "shared":
                result["headline"]["measured"] *= 3
        return str(self.written("slow.json", report))

    def adopt(self, file, program=PROGRAM):
        """Takes it into a repository of the test's own, as "mine"."""
        configs = self.directory / "configs"
        (configs / "gpus").mkdir(parents=True, exist_ok=True)
        done = subprocess.run([sys.executable, ROOT / "scripts" / "adopt-profile", str(file), "mine", str(configs)],
                              capture_output=True, text=True, check=False, env=os.environ | {"GPUMEM": program})
        return done, sorted(str(path.relative_to(configs)) for path in configs.rglob("*.json"))

    def test_one_file_holds_profile_reports_and_checks(self):
        contribution, said = self.contribute()
        self.assertEqual(contribution["profile"], strict_json(self.profile.read_text(encoding="utf-8")))
        self.assertEqual([(check["name"], check["passed"]) for check in contribution["checks"]],
                         [(name, True) for name in CHECKS])
        for check in contribution["checks"]:
            self.assertIn(f"PASS  {check['name']:<12} {check['said']}\n", said)
        reports = contribution["reports"]
        cases = {part: {json.dumps([result["probe"], result["parameters"]]) for result in report["results"]}
                 for part, report in reports.items()}
        self.assertFalse(cases["fitted"] & cases["held_out"])
        given = [result for report in REPORTS for result in json.loads(Path(report).read_text(encoding="utf-8"))["results"]]
        self.assertEqual(cases["fitted"] | cases["held_out"],
                         {json.dumps([result["probe"], result["parameters"]]) for result in given})
        self.assertIn(f"the {len(given)} measured cases that it was made of", said)
        self.assertIn('open an issue "A profile of a GPU"', said)
        if jsonschema:
            self.assertEqual(complaints(self.schema(), contribution), [])
            contribution["reports"]["fitted"]["host"]["name"] = "mine"
            self.assertNotEqual(complaints(self.schema(), contribution), [])

    def test_nothing_in_it_says_whose_it_is(self):
        report = json.loads(Path(REPORTS[0]).read_text(encoding="utf-8"))
        report["host"]["name"] = report["device"]["uuid"] = report["suite"] = "my-own"
        report["command"] = ["/home/my-own/gpumem", "probe", "bank", "--output", "my-own.json"]
        self.contribute("--from", str(self.written("my-own.json", report)))
        self.assertNotIn("my-own", self.file.read_text(encoding="utf-8"))

    def test_a_contribution_makes_the_same_profile_again(self):
        self.contribute()
        again = self.directory / "again.json"
        said = self.succeed("calibrate", "--from", str(self.file), "-o", str(again))
        self.assertIn("held out (those that the contribution holds out)", said)
        self.assertEqual(again.read_text(encoding="utf-8"), self.profile.read_text(encoding="utf-8"))

    def test_what_fails_a_check_is_written_and_said(self):
        for quiet in ((), ("--quiet",)):
            self.file.unlink(missing_ok=True)
            done = run("calibrate", "--from", REPORTS[0], "--from", self.slow_shared(), "-o", str(self.profile),
                       "--contribute", str(self.file), *quiet)
            self.assertEqual((done.returncode, done.stderr), (1, "gpumem: the profile failed checks: latencies\n"))
            self.assertEqual("Failed checks are no reason not to" in done.stdout, not quiet)
            failed = [check for check in json.loads(self.file.read_text(encoding="utf-8"))["checks"] if not check["passed"]]
            self.assertEqual([check["name"] for check in failed], ["latencies"])
            self.assertIn("shared_latency_cycles is 69", failed[0]["said"])

    def test_beside_a_profile_on_stdout(self):
        done = run("calibrate", *FROM, "-o", "-", "--contribute", str(self.file))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(strict_json(done.stdout), json.loads(self.file.read_text(encoding="utf-8"))["profile"])
        self.assertIn("Contribution written to", done.stderr)

    def test_where_it_cannot_go(self):
        def line(file, *output):
            return self.fail_with(2, "calibrate", *FROM, *(output or ("-o", str(self.profile))), "--contribute", file)

        self.assertIn("name one in place of -", line("-"))
        self.assertIn("name one in place of -", line("-", "-o", "-"))
        self.assertRegex(line("/proc/nowhere/c.json"), "cannot write '/proc/nowhere/c.json': .*; choose another file")
        self.assertIn("is a directory".lower(), line(str(self.directory)).lower())
        self.assertIn("it is read as well", line(REPORTS[0]))
        for same in (str(self.profile), f"{self.directory}/../{self.directory.name}/profile.json"):
            self.assertIn("is the file of the profile itself; name another", line(same))
        self.assertFalse(self.profile.exists())
        self.profile.write_text("{}", encoding="utf-8")
        os.symlink(self.profile, self.directory / "link.json")
        self.assertIn("is the file of the profile itself", line(str(self.directory / "link.json")))

    def test_reports_of_two_gpus(self):
        line = self.fail_with(2, "calibrate", *FROM, "--from", str(REFERENCES / "h100" / "offset.json"), "-o",
                              str(self.profile), "--contribute", str(self.file))
        self.assertIn("a profile is of one kind of GPU", line)
        self.assertFalse(self.file.exists())

    def test_broken_contributions(self):
        good, _ = self.contribute()

        def changed(change):
            contribution = copy.deepcopy(good)
            change(contribution)
            return contribution

        for pointer, bad in {
            "/schema_version: expected 1": changed(lambda c: c.update(schema_version=2)),
            "/schema_version: expected this member": changed(lambda c: c.pop("schema_version")),
            "/reports: expected an object": changed(lambda c: c.update(reports=[])),
            "/reports/held_out: expected this member": changed(lambda c: c["reports"].pop("held_out")),
            "/reports/fitted: expected an object": changed(lambda c: c["reports"].update(fitted=7)),
            "/reports/fitted/results/3/time_seconds": changed(
                lambda c: c["reports"]["fitted"]["results"][3].update(time_seconds="fast")),
            "is no measurement": changed(lambda c: c["reports"]["fitted"].update(backend="model")),
            "is of one kind of GPU": changed(lambda c: c["reports"]["held_out"]["device"].update(name="NVIDIA H100")),
        }.items():
            with self.subTest(pointer):
                file = str(self.written("bad.json", bad))
                line = self.fail_with(2, "calibrate", "--from", file, "-o", str(self.profile))
                self.assertRegex(line, rf"bad\.json: .*{pointer}")
                if jsonschema and pointer != "is of one kind of GPU":
                    self.assertNotEqual(complaints(self.schema(), bad), [])
        text = self.file.read_text(encoding="utf-8")
        self.file.write_text(text[:len(text) // 2], encoding="utf-8")
        self.assertIn("not valid JSON", self.fail_with(2, "calibrate", "--from", str(self.file), "-o", str(self.profile)))

    def test_as_a_report_it_is_refused_with_what_reads_it(self):
        self.contribute()
        self.assertIn("a contributed profile; make its profile anew with: gpumem calibrate --from",
                      self.fail_with(2, "show", str(self.file)))

    def test_adopting(self):
        contribution, _ = self.contribute()
        for check in contribution["checks"]:
            check.update(passed=False, said="nobody asks this")
        contribution["profile"]["rates"].clear()
        done, files = self.adopt(self.written("doubtful.json", contribution))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()], [["PASS", name] for name in CHECKS])
        self.assertEqual(files, ["gpus/mine.json", "reference/mine/calibration-held-out.json",
                                 "reference/mine/calibration.json"])
        configs = self.directory / "configs"
        adopted, made = (json.loads(file.read_text(encoding="utf-8")) for file in (configs / files[0], self.profile))
        self.assertEqual(adopted, made | {"name": "mine"})
        for file, part in zip(files[1:], ("held_out", "fitted")):
            report = json.loads((configs / file).read_text(encoding="utf-8"))
            self.assertEqual(report["results"], contribution["reports"][part]["results"])

    def test_what_fails_a_check_is_not_adopted(self):
        report = self.slow_shared()
        self.assertEqual(run("calibrate", "--from", REPORTS[0], "--from", report, "-o", str(self.profile), "--contribute",
                             str(self.file)).returncode, 1)
        done, files = self.adopt(self.file)
        self.assertEqual((done.returncode, done.stderr, files), (1, "gpumem: the profile failed checks: latencies\n", []))
        self.assertIn("FAIL latencies", done.stdout)
        self.assertRegex(self.adopt(self.file, "/nowhere/gpumem")[0].stderr, r"\Acannot run gpumem: [^\n]+\n\Z")
        done, files = self.adopt(self.written("none.json", {}))
        self.assertEqual((done.returncode, files), (2, []))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]+\n\Z")


@unittest.skipIf(yaml is None, "python3-yaml is not installed")
class IssueForms(ProgramTest):
    """Forms are as GitHub requires, and the commands that they name can be run."""

    def test_forms(self):
        forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
        names = []
        for file in forms:
            with self.subTest(file.name):
                text = file.read_text(encoding="utf-8")
                form = yaml.safe_load(text)
                names.append(form["name"])
                self.assertTrue(form["description"])
                self.assertLessEqual(form.keys(), {"name", "description", "title", "labels", "body"})
                asked = [field for field in form["body"] if field["type"] != "markdown"]
                self.assertTrue(asked)
                for field in asked:
                    self.assertIn(field["type"], ("input", "textarea", "checkboxes"))
                    self.assertTrue(field["attributes"]["label"])
                ids = [field["id"] for field in asked]
                self.assertEqual(len(ids), len(set(ids)))
                commands = re.findall(r"`gpumem ([a-z]+)([^`\n]*)`|^ *gpumem ([a-z]+)(.*)$", text, re.MULTILINE)
                self.assertTrue(commands)
                for command, options, alone, more in commands:
                    known = self.succeed(command or alone, "--help")
                    for option in re.findall(r"--[a-z-]+", options + more):
                        self.assertIn(option, known)
        self.assertEqual(names, ["A profile of a GPU", "A wrong number"])
        # calibrate and this page send people to it by its name.
        self.assertIn(names[0], (ROOT / "docs" / "dev" / "profiles.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
