"""The Python package is typed, and the types of its keywords are what the program takes today."""

import re
import subprocess
import sys
import unittest

import probes_module
from python_package import PackageTest, has

USES = """
import gpumem

gpumem.probe(offset=range(33), op=["read", "write"], word_bytes=8)
gpumem.probe("--offset 0..32", size="64MiB", backend="auto", device=[0, 1], ci_width="1%")
gpumem.probes.bank(bank_stride=(1, 2), op="write")
"""
MISUSES = """\
gpumem.probe(op="reed")
gpumem.probe(ofset=1)
gpumem.probe(backend="gpu")
gpumem.probes.bank(op="copy")
gpumem.probe(offset=0.5)
"""


class Generated(unittest.TestCase):
    def test_it_is_what_the_program_says(self):
        for path, text in probes_module.files().items():
            kept = path.read_text(encoding="utf-8")
            self.assertEqual(kept, text, f"{path.name}: tests/program/documents.py writes it anew")


@unittest.skipUnless(has("mypy"), "mypy is not installed; 'python3 -m pip install mypy' does that")
class Types(PackageTest):
    def mypy(self, *arguments):
        """Its exit code and what it says, where the package is installed."""
        (packages,) = self.place.glob("lib/python*/site-packages")
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", str(self.directory),
                               *arguments], cwd=packages, capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def test_the_package(self):
        for libraries in ((), ("--no-site-packages",)):  # pandas, matplotlib and the like may be missing
            with self.subTest(libraries):
                exit_code, said = self.mypy("-p", "gpumem", *libraries)
                self.assertEqual(exit_code, 0, said)

    def test_its_keywords(self):
        program = self.directory / "program.py"
        program.write_text(USES + MISUSES)
        _, said = self.mypy(str(program))
        first = USES.count("\n") + 1
        wrong = [int(line) for line in re.findall(rf"{program.name}:(\d+): error: .*\[arg-type\]", said)]
        self.assertEqual(wrong, list(range(first, first + MISUSES.count("\n"))), said)
        self.assertEqual(said.count(": error: "), len(wrong), said)


if __name__ == "__main__":
    unittest.main()
