"""Predicts every probe without options, for every second built-in profile: it ends well, and soon.

Neighbouring probes take the profiles between, so each profile has half of the probes. All of both would take twice as
long, two minutes on two cores.
"""

import json
import os
import subprocess
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, strict_json

PROFILES = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "configs" / "gpus").glob("*.json"))
# Machines differ in speed, and tests share theirs. So a sweep is held against what the model takes on the same machine
# for launches of known work. The longest, pitch on a T4, takes 16 times that: its launches are just too short for two
# stretches to stand for them. (Simulating stretches all the same takes a sixth, and is off by up to 14 %.)
YARDSTICK = ("--random-footprint", "64MiB", "--op", "gather,scatter")
MOST_TIMES = 30


class DefaultSweeps(ProgramTest):
    def sweep(self, probe, profile, *words):
        """The report, the exit code, and the processor time that it took."""
        before = os.times()
        done = subprocess.run([PROGRAM, "probe", probe, *words, "--backend", "model", "--gpu", profile, "--format", "json"],
                              capture_output=True, text=True, check=False, env=environment())
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return strict_json(done.stdout), done, seconds

    def yardstick(self):
        """Processor time of known work: the least of three, for a disturbance only makes it more."""
        return min(self.sweep("random", "h200", *YARDSTICK)[2] for _ in range(3))

    def test_all_end_well_and_soon(self):
        probes = [probe["name"] for probe in json.loads(self.succeed("list", "--json"))]
        known = self.yardstick()
        for number, profile in enumerate(PROFILES):
            for probe in probes[number % 2::2]:
                with self.subTest(probe=probe, profile=profile):
                    report, done, seconds = self.sweep(probe, profile)
                    statuses = {result["status"] for result in report["results"]}
                    # Cases that need something the GPU lacks are skipped, with a message.
                    self.assertLessEqual(statuses, {"ok", "skipped"}, done.stderr)
                    self.assertEqual(done.returncode, 3 if "skipped" in statuses else 0, done.stderr)
                    if report["tool"]["build_type"] != "Release":  # with the sanitizers, of which each has its own price
                        continue
                    if seconds > MOST_TIMES * known:  # perhaps for what else the machine does
                        known = max(known, self.yardstick())
                        seconds = min(seconds, self.sweep(probe, profile)[2])
                    self.assertLess(seconds, MOST_TIMES * known)


if __name__ == "__main__":
    unittest.main()
