"""The section of docs/port.md, of a report that is ported to the GPU of its own recording."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GPUMEM = os.environ.get("GPUMEM", "build/release/gpumem")
REPORT = ROOT / "configs" / "reference" / "h100" / "ported" / "operations_torch.json"


class Section(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        for name in ("one", "other"):
            (self.directory / name).mkdir()
            shutil.copy(REPORT, self.directory / name)

    def port(self, *arguments):
        return subprocess.run([sys.executable, str(ROOT / "tests" / "corpus" / "port.py"), "--program", GPUMEM, *arguments],
                              capture_output=True, text=True, timeout=60, check=False)

    def folders(self):
        return [f"{self.directory / name}=h100" for name in ("one", "other")]

    def test_a_gpu_takes_as_long_as_itself(self):
        done = self.port(*self.folders())
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if "h100 to h100" in line]
        self.assertEqual(len(rows), 6)
        for row in rows:
            if row[1] == "another":
                self.assertEqual(row[2], "0")
            else:
                self.assertGreater(int(row[2]), 5)
                self.assertEqual(row[9:12], ["0.0"] * 3)  # as if a launch took as long there as here

    def test_it_goes_between_the_markers_of_a_page(self):
        page = self.directory / "page.md"
        page.write_text("before\n<!-- ported -->\nold\n<!-- end of ported -->\nafter\n")
        self.assertEqual(self.port("--write", str(page), *self.folders()).returncode, 0)
        text = page.read_text()
        self.assertTrue(text.startswith("before\n<!-- ported -->\n\nAn error is "))
        self.assertTrue(text.endswith("<!-- end of ported -->\nafter\n"))
        self.assertNotIn("old\n", text)

    def test_wrong_input_is_one_line(self):
        for arguments, said in ((self.folders()[:1], "reports of two GPUs"), (["nowhere=h100", "x"], "is not FOLDER=PROFILE")):
            done = self.port(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
