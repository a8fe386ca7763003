"""`gpumem check smoke` finds each fault that is planted in the report of a healthy GPU, and by its own lines alone."""

import json
import unittest
from pathlib import Path

from harness import ProgramTest, run
from planted_faults import FAULTS, PAIR_FAULTS, on_two_gpus, planted

REFERENCES = Path(__file__).parents[2] / "configs/reference"
# Expectations that relate cases to each other may also see a fault of one of them.
RELATED = ("conflicts cost", "has no conflicts", "is no slower than pageable", "reach the memory", "reach the link",
           "reads 4300 GB/s", "reads are", "writes are", "copies are", "ahead of pageable")


def reference(name):
    return json.loads((REFERENCES / name).read_text())


def reports():
    """Reports of healthy GPUs, with the faults that they can have."""
    one = reference("h100/smoke.json")
    yield "h100", one, FAULTS
    yield "two H100s", on_two_gpus(one, reference("h100/peer-counted.json")), FAULTS | PAIR_FAULTS


class Planted(ProgramTest):
    def checks(self, report):
        """The exit code, and the checks that failed."""
        path = self.directory / "planted.json"
        path.write_text(json.dumps(report))
        done = run("check", "smoke", str(path), "--format", "json")
        checks = json.loads(done.stdout)["checks"]
        return done.returncode, [check for check in checks if check["verdict"] == "fail"]

    def test_a_healthy_report_passes(self):
        for gpu, report, _ in reports():
            with self.subTest(gpu):
                self.assertEqual(self.checks(report), (0, []))

    def test_each_fault_is_found_by_its_own_lines(self):
        for gpu, report, faults in reports():
            for fault, (_, expected) in faults.items():
                with self.subTest(f"{gpu}: {fault}"):
                    code, checks = self.checks(planted(report, fault))
                    failed = {check["name"] for check in checks}
                    self.assertEqual(code, 1 if expected else 0, failed)
                    for part in expected:
                        self.assertTrue(any(part in name for name in failed), f"{part!r} is not in {failed}")
                    others = [name for name in failed if not any(part in name for part in (*expected, *RELATED))]
                    self.assertEqual(others, [])

    def test_a_slow_pair_is_named(self):
        report = on_two_gpus(reference("h100/smoke.json"), reference("h100/peer-counted.json"))
        _, failed = self.checks(planted(report, "one pair 20 % slow"))
        self.assertEqual(len(failed), 1)
        self.assertEqual((failed[0]["source"], failed[0]["target"]), (0, 1))
        self.assertRegex(failed[0]["reason"], r"^GPU 0 \(00:06.0, GPU-\w{8}\) to GPU 1 \(00:07.0, GPU-\w{8}\), "
                                              r"via copy-engine: 318 GB/s, 20.0 % below the predicted 397 GB/s \(")


if __name__ == "__main__":
    unittest.main()
