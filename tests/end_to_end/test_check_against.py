"""`gpumem check --against`: a history of one GPU, with saved reports in place of a GPU."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, run

SAVED = Path(__file__).parents[2] / "configs/reference/h200/smoke.json"


class Against(ProgramTest):
    def setUp(self):
        super().setUp()
        self.saved = json.loads(SAVED.read_text(encoding="utf-8"))
        self.history = self.directory / "h.jsonl"

    def of_day(self, day, faster=1.0):
        """A saved report of this day, in which every GB/s is so much faster."""
        report = json.loads(json.dumps(self.saved)) | {"started_at": f"2027-01-{day:02}T10:00:00Z"}
        for device in (report["device"], *report.get("devices", [])):
            device["uuid"] = "GPU-11111111"
        for result in report["results"]:
            headline = result["headline"]
            if headline["quantity"] == "bandwidth_gb_per_s" and headline["measured"]:
                for name in ("measured", "ci95_low", "ci95_high"):
                    headline[name] = headline[name] and headline[name] * faster * (1 + day % 3 / 1000)
        path = self.directory / f"{day}.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        return str(path)

    def check_day(self, day, faster=1.0):
        return run("check", self.of_day(day, faster), "--against", str(self.history))

    def lines(self):
        return [json.loads(line) for line in self.history.read_text(encoding="utf-8").splitlines()]

    def test_a_slow_day_fails_and_does_not_become_the_baseline(self):
        for day in range(1, 7):
            self.assertEqual(self.check_day(day).returncode, 0)
        for day in (7, 8):
            done = self.check_day(day, 0.7)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("FAIL  as fast as this GPU was: ", done.stdout)
            self.assertRegex(done.stdout, r"of\s+6\s+earlier\s+runs")
        self.assertEqual([line["verdict"] for line in self.lines()], ["pass"] * 6 + ["fail"] * 2)
        self.assertEqual(self.check_day(9).returncode, 0)

    def test_two_programs_share_a_file(self):
        reports = [self.of_day(day) for day in range(1, 9)]
        started = [subprocess.Popen([PROGRAM, "check", report, "--against", str(self.history)], env=environment(),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for report in reports]
        for process in started:
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(sorted(line["time"] for line in self.lines()), [f"2027-01-0{day}T10:00:00Z" for day in range(1, 9)])

    def test_a_folder_is_read_only(self):
        folder = self.directory / "history"
        folder.mkdir()
        for day in range(1, 7):
            os.rename(self.of_day(day), folder / f"{day}.json")
        before = sorted(folder.iterdir())
        self.assertEqual(run("check", self.of_day(7), "--against", str(folder)).returncode, 0)
        self.assertEqual(run("check", self.of_day(8, 0.7), "--against", str(folder)).returncode, 1)
        self.assertEqual(sorted(folder.iterdir()), before)

    def test_what_is_no_history_is_refused(self):
        report = self.of_day(1)
        self.assertIn("there is no folder", self.fail_with(2, "check", report, "--against", str(self.directory / "none")))
        self.assertIn("is neither a folder", self.fail_with(2, "check", report, "--against", report))
        self.history.write_text('{"schema_version": 1}\n', encoding="utf-8")
        self.assertIn("is no history", self.fail_with(2, "check", report, "--against", str(self.history)))
        self.assertIn("measures nothing", self.fail_with(2, "check", "smoke", "--dry-run", "--against", str(self.history)))
        self.assertIn("measures nothing", self.fail_with(2, "check", "smoke", "--backend", "model", "--gpu", "h200",
                                                         "--against", str(self.history)))


if __name__ == "__main__":
    unittest.main()
