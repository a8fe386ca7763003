"""Patterns drawn at random: they stay within their arrays, the same seed draws the same, and a suite of them is one."""

import collections
import json
import random
import subprocess
import sys
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, run, strict_json

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "benchmark" / "patterns.py"
sys.path.insert(0, str(SCRIPT.parent))

import index_expressions as expressions  # noqa: E402
import pattern_kinds  # noqa: E402
import patterns  # noqa: E402

PLACE = {"i": 37, "n": 1000, "lane": 5, "warp": 1, "thread": 37, "block": 0}


class Expressions(unittest.TestCase):
    def test_values(self):
        for text, value in {
                "1 + 2 * 3": 7, "(1 + 2) * 3": 9, "10 - 4 - 3": 3, "i / 32 * 32 + i % 32": 37, "1 << 2 + 1": 8,
                "6 & 3 == 3": 0, "(6 & 3) == 2": 1, "1 | 2 ^ 3 & 1": 3, "-7 / 2": -3, "-7 % 2": -1, "7 / -2": -3,
                "i / 0": 0, "i % 0": 0, "-8 >> 1": -4, "-1 >> 99": -1, "1 << 64": 0, "1 << -1": 0, "~i": -38,
                "!i + !0": 1, "i > 30 && lane < 5 || warp": 1, "i ? n : 0 ? 1 : 2": 1000, "0 ? 1 : 0 ? 2 : 3": 3,
                "min(i, n) + max(lane, thread)": 74, "0xFFFFFFFFFFFFFFFF": -1, "0x7FFFFFFFFFFFFFFF + 1": -2 ** 63,
                "i * 0x9E3779B97F4A7C15 >> 20 & 0xFF": (37 * 0x9E3779B97F4A7C15 % 2 ** 64 >> 20) & 0xFF}.items():
            with self.subTest(text):
                self.assertEqual(expressions.value(expressions.parse(text), PLACE), value)

    def test_what_is_no_expression(self):
        for text in ("", "i +", "(i", "i)", "i i", "i $ 2", "j", "min(i)"):
            with self.subTest(text), self.assertRaises(expressions.BadExpression):
                expressions.parse(text)

    def test_bounds_hold_what_occurs(self):
        """The bounds of random expressions hold at every access."""
        draw = random.Random(7)

        def made(depth):
            if depth == 0 or draw.random() < 0.1:
                return draw.choice(["i", "i", "n", "lane", str(draw.randint(0, 40)), str(draw.getrandbits(62))])
            parts = [made(depth - 1) for _ in range(3)]
            return draw.choice([*(f"({parts[0]} {sign} {parts[1]})" for signs in expressions.LEVELS for sign in signs),
                                *(f"{sign}{parts[0]}" for sign in ("~", "!", "- ")),
                                f"({parts[0]} ? {parts[1]} : {parts[2]})", f"min({parts[0]}, {parts[1]})",
                                f"max({parts[0]}, {parts[1]})"])

        for _ in range(500):
            text, count = made(draw.randint(1, 4)), draw.randint(1, 70)
            tree = expressions.parse(text)
            low, high = expressions.bounds(tree, patterns.variables_of(count))
            for i in range(count):
                place = {"i": i, "n": count, "lane": i % 32, "warp": 0, "thread": i, "block": 0}
                self.assertTrue(low <= expressions.value(tree, place) <= high, (text, place, low, high))


class Patterns(unittest.TestCase):
    def test_elements_stay_within_the_array(self):
        for name, ones in patterns.patterns_of(1, 8).items():
            for pattern in ones:
                with self.subTest(kind=name, pattern=pattern.text):
                    pattern.check()
                    self.assertNotIn(",", pattern.text + (pattern.active or ""))
                    for word in pattern.kind.words:
                        self.assertLess(pattern.largest_element(word) * word, pattern.kind.largest_bytes)

    def test_what_leaves_the_array_is_refused(self):
        one = pattern_kinds.KINDS["affine-two"]
        for text, active in (("i - 1", None), ("i * 100000", None), ("i * 0x9E3779B97F4A7C15", None), ("i", "i < 0"),
                             (" + ".join(["i"] * 300), None)):
            with self.subTest(text), self.assertRaises(patterns.Refused):
                patterns.Pattern(one, text, active, 256 * pattern_kinds.MIB).check()
        patterns.Pattern(one, "i", "i > 0", 256 * pattern_kinds.MIB).check()

    def test_few_kinds_need_much_memory(self):
        large = [one.name for one in pattern_kinds.KINDS.values() if one.largest_bytes > 8 * pattern_kinds.GIB]
        self.assertEqual(large, ["random-window"])
        self.assertLessEqual(pattern_kinds.KINDS["random-window"].largest_bytes, 32 * pattern_kinds.GIB)

    def test_halves_share_no_kind_and_no_pattern(self):
        halves = {half: [one for one in pattern_kinds.KINDS.values() if one.half == half]
                  for half in (pattern_kinds.FIT, pattern_kinds.HELD_OUT)}
        self.assertEqual(sum(map(len, halves.values())), len(pattern_kinds.KINDS))
        self.assertEqual(len(halves[pattern_kinds.FIT]), len(halves[pattern_kinds.HELD_OUT]))
        owners = collections.defaultdict(set)
        for name, ones in patterns.patterns_of(4, 12).items():
            self.assertEqual(len(ones), 12)
            for pattern in ones:
                owners[pattern.key()].add(name)
        self.assertEqual([key for key, names in owners.items() if len(names) > 1], [])
        self.assertEqual(len(owners), 12 * len(pattern_kinds.KINDS))


class Suites(ProgramTest):
    def suite(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, check=True).stdout

    def test_a_seed_draws_the_same(self):
        arguments = ("--count", 2, "--half", "held-out", "--seed")
        self.assertEqual(self.suite(*arguments, 5), self.suite(*arguments, 5))
        self.assertNotEqual(self.suite(*arguments, 5), self.suite(*arguments, 6))

    def test_halves_make_the_whole(self):
        whole, *halves = (patterns.suite_of(1, 3, half, 100)["probes"] for half in ("all", "fit", "held-out"))
        self.assertEqual(whole, halves[0] + halves[1])

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_schema(self):
        schema = strict_json((ROOT / "report" / "schema" / "suite.schema.json").read_text(encoding="utf-8"))
        for half in ("fit", "held-out", "all"):
            suite = strict_json(self.suite("--half", half))
            jsonschema.Draft202012Validator(schema).validate(suite)

    def test_cases(self):
        for half in ("fit", "held-out"):
            suite = json.loads(self.suite("--half", half))
            drawn = collections.Counter()
            for entry in suite["probes"]:
                for op in entry["axes"]["op"]:
                    drawn[op, entry["axes"]["word-bytes"]] += 1
            self.assertLessEqual(sum(drawn.values()), 250)
            self.assertGreater(sum(drawn.values()), 200)
            for op in pattern_kinds.OPS:
                for word in pattern_kinds.WORDS:
                    self.assertGreater(drawn[op, word], 30, (half, op, word))
            each = collections.Counter(json.dumps(entry["axes"]["pattern"] + entry["axes"].get("active", []))
                                       for entry in suite["probes"])
            self.assertLessEqual(max(each.values()), len(pattern_kinds.WORDS) + 1)
            self.assertEqual(len(each), 8 * 12)

    def test_expectations_tell_the_kinds(self):
        """Each selects the cases of one kind and no others, and every case is selected."""
        suite = patterns.suite_of(4, 12, "all", 500)
        kinds = patterns.kinds_of(suite["name"])
        for entry in suite["probes"]:
            text, active = entry["axes"]["pattern"][0], entry["axes"].get("active", [None])[0]
            selecting = [one["name"] for one in suite["expectations"] if text in one["cases"]["pattern"]
                         and ("active" not in one["cases"] or active in one["cases"]["active"])]
            kind = kinds[text, active]
            self.assertEqual(selecting, [f"patterns of kind {kind} ({pattern_kinds.KINDS[kind].half})"], text)

    def test_kinds_of_a_suite_and_of_a_report(self):
        suite, report = self.directory / "suite.json", self.directory / "report.json"
        suite.write_text(self.suite("--half", "fit", "--count", 2), encoding="utf-8")
        name = json.loads(suite.read_text(encoding="utf-8"))["name"]
        report.write_text(json.dumps({"suite": name, "results": []}), encoding="utf-8")
        told = [json.loads(self.suite("--kinds", file)) for file in (suite, report)]
        self.assertEqual(told[0], told[1])
        self.assertEqual(len(told[0]), 2 * 12)
        self.assertEqual({one["half"] for one in told[0]}, {"fit"})

    def test_the_program_takes_them(self):
        listed = json.loads(self.succeed("list", "--json"))
        if "pattern" not in {probe["name"] for probe in listed}:
            self.skipTest(f"{PROGRAM} has no probe 'pattern'")
        for half in ("fit", "held-out"):
            file = self.directory / f"{half}.json"
            file.write_text(self.suite("--half", half), encoding="utf-8")
            done = run("check", str(file), "--dry-run")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
