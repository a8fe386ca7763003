"""The Python package, as `pip install` leaves it in an empty environment: built from what is built already."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import documents
from harness import ProgramTest

ROOT = documents.ROOT
BUILD = Path(os.environ.get("GPUMEM_BUILD", "build/release")).resolve()
H200 = ROOT / "configs" / "reference" / "h200"
NO_DRIVER = {"CUDA_VISIBLE_DEVICES": ""}


def has(module):
    return importlib.util.find_spec(module) is not None


@unittest.skipUnless((BUILD / "CMakeCache.txt").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
@unittest.skipUnless(has("scikit_build_core"), "scikit-build-core is not installed; 'python3 -m pip install' does that")
class PackageTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place = Path(folder.name) / "place"
        cls.call(sys.executable, "-m", "venv", "--without-pip", str(cls.place))
        cls.interpreter = str(cls.place / "bin" / "python3")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        settings = {"build-dir": f"{folder.name}/build", "cmake.define.GPUMEM_BUILT": str(BUILD)}
        cls.call(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder.name,
                 *(f"--config-settings={name}={value}" for name, value in settings.items()), str(ROOT))
        (cls.wheel,) = Path(folder.name).glob("*.whl")
        cls.call(*pip, f"--python={cls.interpreter}", "install", "--no-deps", "--no-index", "--no-compile", str(cls.wheel))

    @classmethod
    def call(cls, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)
        if done.returncode != 0:
            raise AssertionError(f"{command}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def python(self, code, *, without=(), **variables):
        """Runs the code with the package, and prints what its last line is worth."""
        blocked = "".join(f"import sys; sys.modules[{name!r}] = None\n" for name in without)
        plain = {name: value for name, value in os.environ.items() if name != "GPUMEM"}
        done = subprocess.run([self.interpreter, "-c", blocked + "import gpumem\n" + code], capture_output=True, text=True,
                              check=False, timeout=120, cwd=self.directory,
                              env={**plain, "PYTHONDONTWRITEBYTECODE": "1", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rstrip("\n")

    def error(self, code, **options):
        """The exit code and the line of the gpumem.Error that the code raises."""
        indented = code.replace("\n", "\n    ")
        said = self.python(f"try:\n    {indented}\nexcept gpumem.Error as error:\n    print(error.exit_code, error)",
                           **options)
        self.assertEqual(said.count("\n"), 0, said)
        exit_code, _, line = said.partition(" ")
        return int(exit_code), line

    def failing_suite(self):
        suite = self.directory / "own.json"
        suite.write_text(json.dumps({
            "schema_version": 1, "name": "own", "purpose": "p", "probes": [{"probe": "offset", "axes": {"offset": ["0"]}}],
            "expectations": [{"name": "e", "cases": {"probe": "offset"}, "quantity": "bandwidth_gb_per_s",
                              "at_least": 1e9}]}))
        return suite
