"""`gpumem check smoke` finds each fault that is planted in the report of a healthy GPU, and by its own lines alone."""

import json
import unittest
from pathlib import Path

from harness import ProgramTest, run
from planted_faults import FAULTS, planted

REFERENCES = Path(__file__).parents[2] / "configs/reference"
REPORTS = {"h100": REFERENCES / "h100/smoke.json"}
# Expectations that relate cases to each other may also see a fault of one of them.
RELATED = ("conflicts cost", "has no conflicts", "is no slower than pageable", "reach the memory", "reach the link",
           "reads 4300 GB/s", "reads are", "writes are", "copies are", "ahead of pageable")


class Planted(ProgramTest):
    def failures(self, report):
        """The exit code, and the names of the expectations that failed."""
        path = self.directory / "planted.json"
        path.write_text(json.dumps(report))
        done = run("check", "smoke", str(path), "--format", "json")
        checks = json.loads(done.stdout)["checks"]
        return done.returncode, [check["name"] for check in checks if check["verdict"] == "fail"]

    def test_a_healthy_report_passes(self):
        for gpu, path in REPORTS.items():
            with self.subTest(gpu):
                self.assertEqual(self.failures(json.loads(path.read_text())), (0, []))

    def test_each_fault_is_found_by_its_own_lines(self):
        for gpu, path in REPORTS.items():
            report = json.loads(path.read_text())
            for fault, (_, expected) in FAULTS.items():
                with self.subTest(f"{gpu}: {fault}"):
                    code, failed = self.failures(planted(report, fault))
                    self.assertEqual(code, 1 if expected else 0, failed)
                    for part in expected:
                        self.assertTrue(any(part in name for name in failed), f"{part!r} is not in {failed}")
                    others = [name for name in failed if not any(part in name for part in (*expected, *RELATED))]
                    self.assertEqual(others, [])


if __name__ == "__main__":
    unittest.main()
