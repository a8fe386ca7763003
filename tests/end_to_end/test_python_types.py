"""The Python package is typed, and the types of its keywords are what the program takes today."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from harness import PROGRAM
from python_package import BUILD, PackageTest, has

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


@unittest.skipUnless((BUILD / "python").exists(), "this build has no Python package")
class Generated(unittest.TestCase):
    def test_the_build_folder_has_the_package(self):
        code = "import gpumem; print(gpumem.probe('offset', offset=1, backend='model', gpu='h200', quiet=True).results[0]['probe'])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "GPUMEM": str(Path(PROGRAM).resolve())})
        self.assertEqual((done.returncode, done.stdout), (0, "offset\n"), done.stderr)


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
