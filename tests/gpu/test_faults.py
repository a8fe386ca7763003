"""A kernel corrupts data or faults: the case says so, the others run, and the exit code tells the user.

Runs gpumem_with_faults ($GPUMEM_WITH_FAULTS). Ends with 77, which ctest reports as skipped, without a GPU.
"""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.environ["GPUMEM_WITH_FAULTS"]


def probe(*arguments):
    command = [PROGRAM, "probe", *arguments, "--format", "json", "--time-budget", "0s"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, json.loads(done.stdout), done.stderr


class Faults(unittest.TestCase):
    def status(self, report):
        return [(r["parameters"].get("fault"), r["status"], r["verified"]) for r in report["results"]]

    def test_corrupt_data_fails_the_case_with_exit_code_1(self):
        code, report, error = probe("fault", "--fault", "none,corrupt")
        self.assertEqual(self.status(report), [("none", "ok", True), ("corrupt", "failed", False)])
        self.assertIsNone(report["results"][1]["bandwidth_gb_per_s"]["measured"])
        self.assertIn("4711", report["results"][1]["reason"])
        self.assertEqual(code, 1, error)

    def test_a_fault_leaves_the_other_cases_to_run(self):
        code, report, error = probe("fault", "offset", "--fault", "none,fault,memory", "--offset", "0,1")
        by_fault = {r["parameters"].get("fault"): r for r in report["results"] if r["probe"] == "fault"}
        self.assertEqual(by_fault["none"]["status"], "ok")
        self.assertEqual(by_fault["fault"]["status"], "failed")
        self.assertIn("cudaErrorIllegalAddress", by_fault["fault"]["reason"])
        self.assertEqual(by_fault["memory"]["status"], "failed")
        self.assertIn("MiB", by_fault["memory"]["reason"])
        offsets = [r for r in report["results"] if r["probe"] == "offset"]
        self.assertEqual([(r["status"], r["verified"]) for r in offsets], [("ok", True)] * 2)
        self.assertGreater(offsets[0]["bandwidth_gb_per_s"]["measured"], 0)
        self.assertEqual(code, 4, error)

    def test_two_faults_in_a_row(self):
        code, report, error = probe("fault", "--fault", "fault,none,corrupt,fault")
        statuses = [r["status"] for r in report["results"]]
        self.assertEqual(statuses, ["failed", "ok", "failed"])  # a value given twice is one case
        self.assertEqual(code, 1, error)


if __name__ == "__main__":
    if subprocess.run([PROGRAM, "devices"], capture_output=True).returncode == 3:
        print("skipped: no usable GPU")
        sys.exit(77)
    unittest.main(verbosity=2)
