"""The probes that CONTRIBUTING.md shows compile as they stand, and no shipped probe has their names and flags."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from documents import CONTRIBUTING, ROOT, blocks
from harness import ProgramTest
from test_docs import TO_BE_WRITTEN

NVCC = os.environ.get("NVCC") or shutil.which("nvcc")
FLAGS = ("-std=c++20", f"-I{ROOT}", "-ptx", "-arch=compute_80", "-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra,-Werror")


def example_probes():
    return [block.text for block in blocks(CONTRIBUTING, "cpp")]


def errors(source):
    """Returns the messages of nvcc if it refuses a source or warns of it; nothing otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "example.cu"
        file.write_text(source, encoding="utf-8")
        done = subprocess.run([NVCC, *FLAGS, file, "-o", file.with_suffix(".ptx")], capture_output=True, text=True,
                              timeout=300, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


class ExampleProbes(ProgramTest):
    def test_each_has_a_path(self):
        text = CONTRIBUTING.read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"Write `(.*)`:\n\n```cpp", text), list(TO_BE_WRITTEN))

    @unittest.skipIf(NVCC is None, "there is no nvcc; name it in $NVCC")
    def test_they_compile(self):
        with ThreadPoolExecutor() as pool:
            self.assertEqual(list(pool.map(errors, example_probes())), [""] * len(TO_BE_WRITTEN))

    def test_their_names_and_flags_are_free(self):
        probes = json.loads(self.succeed("list", "--json"))
        taken = {probe["name"] for probe in probes} | {axis["flag"] for probe in probes for axis in probe["axes"]}
        for source in example_probes():
            own = re.findall(r'make_probe\(\s*"([^"]+)"|\.flag = "([^"]+)"', source)
            self.assertEqual(len(own), 2)
            self.assertEqual({name or flag for name, flag in own} & taken, set())


if __name__ == "__main__":
    unittest.main()
