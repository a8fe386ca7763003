"""A profile of one's own: calibrate leaves it, and predictions of that GPU come from it from then on."""

import json
import unittest
from pathlib import Path

from harness import WATCHED, ProgramTest, environment, has_library, has_watched, run

ROOT = Path(__file__).parents[2]
REPORT = str(ROOT / "configs" / "reference" / "h200" / "bank.json")


class Own(ProgramTest):
    def setUp(self):
        super().setUp()
        self.settings = {"env": environment(XDG_CONFIG_HOME=str(self.directory / "settings"),
                                            GPUMEM_SANITIZER=str(Path(WATCHED).resolve()))}  # any file: nobody loads it
        self.file = self.directory / "settings" / "gpumem" / "gpus" / "h200.json"

    def source_of(self, gpu):
        """The profile that predicts for a GPU, and where it is from."""
        report = json.loads(self.succeed("probe", "--offset", "0", "--backend", "model", "--gpu", gpu, "--format", "json",
                                         **self.settings))
        return report["profile"], report["profile_source"]

    def test_calibrate_leaves_one(self):
        self.assertEqual(self.source_of("NVIDIA H200"), ("h200", "shipped"))
        self.assertIn(f"Written to {self.file}; ", self.succeed("calibrate", "--from", REPORT, **self.settings))
        self.assertEqual(self.source_of("NVIDIA H200"), ("NVIDIA H200, calibrated", "own"))
        self.assertEqual(self.source_of("h200"), ("h200", "shipped"))
        self.assertEqual(self.source_of(str(self.file)), ("NVIDIA H200, calibrated", "file"))

    def test_with_a_file_that_alone_is_written(self):
        mine = self.directory / "mine.json"
        self.succeed("calibrate", "--from", REPORT, "-o", str(mine), **self.settings)
        self.succeed("calibrate", "--from", REPORT, "-o", "-", "--quiet", **self.settings)
        self.assertTrue(mine.exists())
        self.assertFalse((self.directory / "settings").exists())

    def test_nowhere_to_put_it(self):
        self.assertIn("name a file with -o FILE", self.fail_with(2, "calibrate", "--from", REPORT, env={"PATH": "/usr/bin"}))
        (self.directory / "settings").write_text("in the way", encoding="utf-8")
        line = self.fail_with(2, "calibrate", "--from", REPORT, **self.settings)
        self.assertIn(f"cannot make the folder '{self.file.parent}'", line)

    @has_library
    @has_watched
    def test_kernels_are_predicted_by_it(self):
        report = self.directory / "app.json"

        def found(*options):
            done = run("run", *options, "--quiet", "--output", str(report), "--", WATCHED, "kernels", **self.settings)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            whole = json.loads(report.read_text(encoding="utf-8"))
            notes = [note for note in whole["program"]["notes"] if "predicting" in note]
            return whole["profile"], whole["profile_source"], notes

        self.assertEqual(found(), ("h200", "shipped", []))
        self.succeed("calibrate", "--from", REPORT, **self.settings)
        self.assertEqual(found(), ("NVIDIA H200, calibrated", "own", []))
        self.assertEqual(found("--gpu", "h200"), ("h200", "shipped", []))
        # Another GPU's stands below the table (test_port.py): the run is predicted as without it.
        self.assertEqual(found("--gpu", "v100"), ("NVIDIA H200, calibrated", "own", []))
        self.file.write_text("{}", encoding="utf-8")
        profile, source, notes = found()
        self.assertEqual((profile, source), ("h200", "shipped"))
        self.assertEqual(notes, ["not predicting with your own profile of this GPU: "
                                 f"{self.file}: /schema_version: expected this member, which is missing"])


if __name__ == "__main__":
    unittest.main()
