"""Faults planted in programs of PyTorch: the advice names the line, the array and the cure, and what mending saves lies
within what it said."""
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

GPUMEM = os.environ["GPUMEM"]

SETUP = """
import sys, torch
torch.manual_seed(0)
mended = len(sys.argv) > 1
def repeat(step, *arguments):
    for _ in range(20):
        result = step(*arguments)
    torch.cuda.synchronize()
"""

# The faulty line ends in "# fault", that which makes the array in "# made".
PLANTED = {
    "sort_indices": """
        values = torch.randn(1 << 26, device="cuda")  # made
        places = torch.randint(1 << 26, (1 << 23,), device="cuda")
        if mended: places = places.sort().values
        def step(values, places):
            return torch.take(values, places)  # fault
        repeat(step, values, places)
    """,
    "contiguous_operand": """
        left = torch.randn(4096, 8192, device="cuda")
        right = torch.randn(8192, 4096, device="cuda")  # made
        if mended: right = right.t().contiguous().t()
        def step(left, right):
            return left * right.t()  # fault
        repeat(step, left, right)
    """,
}


def report_of(folder, program, *arguments):
    source = os.path.join(folder, "planted.py")
    with open(source, "w", encoding="utf-8") as file:
        file.write(program)
    report = os.path.join(folder, "report.json")
    subprocess.run([GPUMEM, "run", "--quiet", "--output", report, "--", sys.executable, source, *arguments],
                   check=True, timeout=240)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def seconds_asked_for_at(report, line):
    return sum(one["metrics"]["gpu_time_seconds"] or 0 for one in report["results"]
               if (one.get("caller") or "").startswith(line))


class Planted(unittest.TestCase):
    def test_advice(self):
        for cure, program in PLANTED.items():
            with self.subTest(cure), tempfile.TemporaryDirectory() as folder:
                program = SETUP + textwrap.dedent(program)
                lines = program.splitlines()
                fault, made = (f"planted.py:{1 + next(i for i, line in enumerate(lines) if line.endswith(mark))}"
                               for mark in ("# fault", "# made"))
                before = report_of(folder, program)
                first = before["advice"][0]
                self.assertEqual((first["cure"], first["python_line"]), (cure, fault))
                self.assertTrue(first["array"]["made_at"].startswith(made), first["array"])
                after = report_of(folder, program, "mended")
                saved = seconds_asked_for_at(before, fault) - seconds_asked_for_at(after, fault)
                self.assertGreater(saved, 0.8 * first["saves_seconds_low"])
                self.assertLess(saved, 1.25 * first["saves_seconds_high"])


if __name__ == "__main__":
    ready = subprocess.run([sys.executable, "-c", "import torch; torch.zeros(1, device='cuda')"], capture_output=True)
    if ready.returncode != 0:
        print("skipped: no PyTorch with a GPU")
        sys.exit(77)
    unittest.main()
