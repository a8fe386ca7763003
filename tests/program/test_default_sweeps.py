"""What every probe does without options, predicted for every built-in profile: it ends well, and soon."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, strict_json

PROFILES = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "configs" / "gpus").glob("*.json"))
# Of processor time, which other work on the machine hardly changes: four times what a sweep may take.
MOST_SECONDS = 8


class DefaultSweeps(ProgramTest):
    def sweep(self, probe, profile):
        """The report, the exit code, and the processor time that it took."""
        before = os.times()
        done = subprocess.run([PROGRAM, "probe", probe, "--backend", "model", "--gpu", profile, "--format", "json"],
                              capture_output=True, text=True, check=False, env=environment())
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return strict_json(done.stdout), done, seconds

    def test_all_end_well_and_soon(self):
        probes = [probe["name"] for probe in json.loads(self.succeed("list", "--json"))]
        for profile in PROFILES:
            for probe in probes:
                with self.subTest(probe=probe, profile=profile):
                    report, done, seconds = self.sweep(probe, profile)
                    statuses = {result["status"] for result in report["results"]}
                    # What the GPU lacks is skipped, and said.
                    self.assertLessEqual(statuses, {"ok", "skipped"}, done.stderr)
                    self.assertEqual(done.returncode, 3 if "skipped" in statuses else 0, done.stderr)
                    if report["tool"]["build_type"] == "Release":  # others have the sanitizers
                        self.assertLess(seconds, MOST_SECONDS)


if __name__ == "__main__":
    unittest.main()
