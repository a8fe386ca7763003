"""Patterns of shared memory drawn at random, their judge, and the command line of the probe that runs them."""

import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path

from harness import ProgramTest, environment, run, strict_json

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "benchmark"))

import tile_patterns  # noqa: E402

MODEL = ("--backend", "model", "--gpu", "h100")
REFERENCE = ROOT / "configs" / "reference" / "h100" / "tile-patterns.json"
COPIES = ROOT / "configs" / "reference" / "h200" / "tile-copies.json"


class Suites(ProgramTest):
    def test_a_seed_draws_the_same(self):
        self.assertEqual(tile_patterns.suite_of(5, 20), tile_patterns.suite_of(5, 20))
        self.assertNotEqual(tile_patterns.suite_of(5, 20), tile_patterns.suite_of(6, 20))

    def test_every_case_stays_within_its_tile(self):
        suite = tile_patterns.suite_of(3, 60)
        del suite["expectations"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "suite.json"
            path.write_text(json.dumps(suite), encoding="utf-8")
            report = strict_json(self.succeed("probe", "--config", path, *MODEL, "--json"))
        self.assertEqual([result["status"] for result in report["results"]], ["ok"] * 60)

    def test_the_judge(self):
        report = json.loads(REFERENCE.read_text(encoding="utf-8"))
        self.assertIn("0 counted otherwise than predicted", tile_patterns.judged(json.loads(COPIES.read_text()))[0])
        lines, good = tile_patterns.judged(report)
        self.assertTrue(good, lines)
        for change in (lambda one: one["access"][0]["wavefronts_per_request"].update(predicted=1.5),
                       lambda one: one["headline"].update(measured=1.2 * one["headline"]["predicted"]),
                       lambda one: one.update(verified=False), lambda one: one.update(status="failed")):
            changed = copy.deepcopy(report)
            change(changed["results"][0])
            self.assertFalse(tile_patterns.judged(changed)[1])


class References(ProgramTest):
    def ratios(self, reference, gpu, suite):
        """Predicted to measured, of the cycles and of the time of each case, the least first."""
        measured = json.loads(reference.read_text(encoding="utf-8"))["results"]
        path = self.directory / "suite.json"
        path.write_text(json.dumps(suite), encoding="utf-8")
        words = ("probe", "--config", path, "--backend", "model", "--gpu", gpu, "--json")
        predicted = strict_json(self.succeed(*words))["results"]
        self.assertEqual([one["parameters"] for one in predicted], [one["parameters"] for one in measured])
        pairs = list(zip(predicted, measured))
        return (sorted(one["headline"]["predicted"] / other["headline"]["measured"] for one, other in pairs),
                sorted(one["predicted_seconds"] / other["time_seconds"]["median"] for one, other in pairs))

    def test_predictions_of_today_are_close_to_what_was_measured(self):
        for ratios in self.ratios(REFERENCE, "h100", tile_patterns.suite_of(1, 200)):
            self.assertGreater(ratios[0], 0.97)
            self.assertLess(ratios[-1], 1.02)

    def test_copies_take_what_is_predicted_but_for_one(self):
        copies = tile_patterns.suite_of(1, 100, tile_patterns.copy)
        for ratios in self.ratios(COPIES, "h200", copies):
            self.assertGreater(ratios[0], 0.8)  # a wavefront over 32 lines of the tile (docs/patterns.md)
            self.assertGreater(ratios[1], 0.95)
            self.assertLess(ratios[-1], 1.03)


class CommandLine(ProgramTest):
    def wavefronts(self, *words):
        report = strict_json(self.succeed("probe", "--space", "shared", *words, *MODEL, "--json"))
        return [result["access"][0]["wavefronts_per_request"]["predicted"] for result in report["results"]]

    def test_one_command_compares_swizzles_for_rows_and_columns(self):
        words = ("--pattern", "row * pitch + column, column * pitch + row", "--rows", "64", "--columns", "64",
                 "--word-bytes", "2", "--swizzle", "none,3,3,3,5,1,5", "--op", "read,write")
        self.assertEqual(self.wavefronts(*words), [1, 32, 1, 4, 1, 1] * 2)
        text = self.succeed("probe", "--space", "shared", *words, *MODEL)
        self.assertIn("Without bank conflicts in all these patterns: swizzle 5,1,5.", text)

    def test_one_conclusion_for_loads_by_rows_and_stores_by_columns(self):
        words = ("--pattern", "read: row * pitch + column, write: column * pitch + row", "--op", "own", "--rows", "64",
                 "--columns", "64", "--word-bytes", "2", "--swizzle", "none,3,3,3,5,1,5", *MODEL)
        report = strict_json(self.succeed("probe", *words, "--json"))
        self.assertEqual([result["access"][0]["op"] for result in report["results"]], ["load", "store"] * 3)
        self.assertEqual([conclusion["facts"][0]["values"] for conclusion in report["conclusions"]],
                         [{"swizzles": ["5,1,5"]}])
        self.assertIn("pass --op own", self.fail_with(2, "probe", "--space", "shared", *words[:2], *MODEL))
        self.assertIn("names no operation", self.fail_with(2, "probe", "--pattern", "i", "--op", "own", *MODEL))

    def test_an_explanation_names_the_padding(self):
        text = self.succeed("probe", "--pattern", "column * pitch + row", "--rows", "32", *MODEL, "--why", "--json")
        self.assertIn("pad the rows by 1 element (1 wavefront)", strict_json(text)["results"][0]["why"])

    def test_a_report_has_the_banks_of_each_tile(self):
        words = ("--pattern", "column * pitch + row", "--rows", "32", "--swizzle", "none,5,0,5", *MODEL)
        first, second = (result["bank_grid"] for result in strict_json(self.succeed("probe", *words, "--json"))["results"])
        digits = "0123456789abcdefghijklmnopqrstuv"
        self.assertEqual(first["banks"], [digits] * 32)
        self.assertEqual([lane["wavefront"] for lane in first["lanes"]], list(range(32)))
        self.assertEqual([row[0] for row in second["banks"]], list(digits))
        self.assertEqual({lane["wavefront"] for lane in second["lanes"]}, {0})

    def test_a_picture_of_the_banks(self):
        words = ("--pattern", "column * pitch + row", "--rows", "64", "--columns", "64", "--word-bytes", "2", *MODEL)
        report = self.directory / "tile.json"
        plain = self.succeed("probe", *words, "--picture", "--output", report, "--output", "-",
                             env=environment(COLUMNS="80"))
        line = "31 0123456789abcdefghijklmnopqrstuv   v" + 31 * "."
        self.assertIn(f"\n{line}\n", plain)
        self.assertIn("Shown: rows 0 to 31 of 64", plain)
        self.assertLessEqual(max(map(len, plain.splitlines())), 80)
        self.assertNotIn(line, self.succeed("show", report))
        self.assertIn(line, self.succeed("show", report, "--picture", env=environment(COLUMNS="80")))
        coloured = self.succeed("show", report, "--picture", "--color", "always")
        self.assertIn("\n 1 \x1b[30;42m0\x1b[0m\x1b[2m123", coloured)
        other = self.succeed("probe", "--offset", "0", "--picture", *MODEL)
        self.assertIn("No case here has a picture", other)

    def test_words_are_refused_in_one_line(self):
        for words, line in ((("--pattern", "i", "--space", "shared", "--buffer", "1MiB"), "--buffer is not an axis of "),
                            (("--pattern", "i + 1", "--rows", "8"), "--pattern: 'i + 1' is 256 for access i = 255, "),
                            (("--pattern", "i", "--swizzle", "3,0"), "--swizzle: '3,0' is neither none nor "),
                            (("--pattern", "i", "--op", "ldmatrix", "--space", "shared"), "--pattern: 'i' is 1 for "),
                            (("--pattern", "row", "--space", "global"), "--pattern: column 1 of 'row': 'row' is none ")):
            with self.subTest(words):
                self.assertTrue(self.fail_with(2, "probe", *words, *MODEL).startswith(line))

    def test_a_misspelt_space_is_told_all_spaces(self):
        for words in (("--pattern", "i"), ("--indices", "0,1")):
            line = self.fail_with(2, "probe", *words, "--space", "shard", *MODEL)
            self.assertEqual(line, "--space: 'shard' is not one of global, shared; did you mean 'shared'?")

    def test_a_chip_without_the_instruction_skips_the_case(self):
        done = run("probe", "--pattern", "i * 4", "--op", "read,stmatrix", "--space", "shared", "--backend", "model",
                   "--gpu", "a100-80gb", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        report = strict_json(done.stdout)
        self.assertEqual([result["status"] for result in report["results"]], ["ok", "skipped"])
        self.assertIn("stmatrix", report["results"][1]["reason"])


if __name__ == "__main__":
    unittest.main()
