"""Index arrays of elements in shared memory: files as people have them, standard input, notation, and refusals."""

import json
import struct
import unittest

from harness import ProgramTest, run, strict_json

MODEL = ("--backend", "model", "--gpu", "h100")
COLUMNS = [i % 32 * 32 + i // 32 for i in range(1024)]


def npy(values):
    """The bytes of numpy.save(), version 1.0, of 64-bit integers."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}q", *values)


class Tiles(ProgramTest):
    def file(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def text(self, name, values):
        return self.file(name, "".join(f"{value}\n" for value in values))

    def results(self, *words, **options):
        return strict_json(self.succeed("probe", "--space", "shared", *words, *MODEL, "--json", **options))["results"]

    def wavefronts(self, *words, **options):
        return [one["access"][0]["wavefronts_per_request"]["predicted"] for one in self.results(*words, **options)]


class Lists(Tiles):
    def test_every_form_gives_what_the_expression_gives(self):
        swizzles = ("--swizzle", "none,3,0,5,5,0,5", "--op", "read,write")
        expected = self.wavefronts("--pattern", "i % 32 * 32 + i / 32", *swizzles)
        self.assertEqual(expected, [32, 4, 1] * 2)
        text = "".join(f"{value}\n" for value in COLUMNS)
        for path in (self.file("a.npy", npy(COLUMNS)), self.file("a.txt", text),
                     self.file("a.u32", struct.pack("<1024I", *COLUMNS))):
            with self.subTest(path):
                self.assertEqual(self.wavefronts("--indices", path, *swizzles), expected)
        self.assertEqual(self.wavefronts("--indices", "-", *swizzles, input=text), expected)
        self.assertEqual(self.wavefronts("--indices", "UNIFORM:32:32:1", *swizzles), expected)

    def test_one_table_compares_swizzles(self):
        text = self.succeed("probe", "--indices", self.text("a.txt", COLUMNS), "--space", "shared", "--swizzle",
                            "none,3,0,5,5,0,5", *MODEL)
        self.assertIn("Without bank conflicts: swizzle 5,0,5.", text)

    def test_an_explanation_names_a_swizzle_and_the_report_a_picture(self):
        path = self.text("a.txt", COLUMNS)
        result = self.results("--indices", path, "--why")[0]
        self.assertIn("apply Swizzle<5,0,5> (1 wavefront)", result["why"])
        self.assertNotIn("pad the rows", result["why"])
        self.assertEqual(result["bank_grid"]["wavefronts"], 32)
        self.assertEqual(result["parameters"]["op"], "read")

    def test_a_report_is_explained_without_its_file(self):
        path, report = self.text("a.txt", COLUMNS), str(self.directory / "r.json")
        self.succeed("probe", "--indices", path, "--space", "shared", "--swizzle", "none,5,0,5", *MODEL, "--output", report)
        self.file("a.txt", "no indices")
        cases, together = self.succeed("explain", report).split("Several cases together")
        self.assertNotIn("Swizzle<", cases)
        self.assertIn("apply Swizzle<5,0,5>", together)  # as the report says

    def test_matrices_take_rows_of_sixteen_bytes(self):
        path = self.text("rows.txt", [i % 32 * 64 for i in range(64)])
        words = ("--indices", path, "--word-bytes", "2", "--op", "ldmatrix")
        self.assertEqual(self.wavefronts(*words, "--swizzle", "none,3,3,3"), [32, 4])

    def test_configurations_of_spatter_have_their_own_operation(self):
        path = self.file("a.json", json.dumps([{"kernel": "Gather", "pattern": "UNIFORM:32:1", "count": 8},
                                               {"kernel": "Scatter", "pattern": "UNIFORM:32:2", "count": 8}]))
        results = self.results("--indices", path)
        self.assertEqual([one["parameters"]["op"] for one in results], ["read", "write"])
        self.assertEqual([one["access"][0]["wavefronts_per_request"]["predicted"] for one in results], [1, 2])


class Refusals(Tiles):
    def test_in_one_line_each(self):
        far = self.text("far.txt", [0, 1, 2, 70000])
        long = self.file("long.u32", bytes(4 * ((1 << 20) + 1)))
        odd = self.text("odd.txt", [0, 8, 16])
        for words, line in (
                (("--indices", far), f"--indices: '{far}': index 3, counted from 0, is 70000, beyond the 58112 elements"),
                (("--indices", long), f"--indices: '{long}' has 1048577 indices, and a block makes at most 1048576 "),
                (("--indices", odd, "--op", "ldmatrix"), f"--indices: '{odd}' has 3 indices, and --op ldmatrix takes 32"),
                (("--indices", "0,1", "--op", "own"), "--op: 'own' is not one of read, write, "),
                (("--indices", "0,1", "--op", "stmatrix"), "--indices: '0,1': index 1, counted from 0, is 1, at byte 4, "),
                (("--indices", str(self.directory / "none.npy")), "--indices: cannot read "),
                (("--indices", self.file("b.txt", "1 x 3")), "--indices: "),
                (("--indices", "0,1", "--pad", "1"), "--pad is not an axis of shared-indices, but of: shared-pattern"),
                (("--indices", "0,1", "--delta", "4"), "--delta is not an axis of shared-indices, but of: indices"),
                (("--indices", "0,1", "--swizzle", "3,0"), "--swizzle: '3,0' is neither none nor ")):
            with self.subTest(words):
                refused = self.fail_with(2, "probe", *words, "--space", "shared", *MODEL)
                self.assertTrue(refused.startswith(line), refused)

    def test_a_configuration_of_two_lists_is_skipped(self):
        path = self.file("a.json", json.dumps([{"pattern": [0, 1], "count": 16},
                                               {"kernel": "GS", "pattern-gather": [0, 1], "pattern-scatter": [0, 2],
                                                "count": 16}]))
        done = run("probe", "--indices", path, "--space", "shared", *MODEL, "--json")
        self.assertEqual(done.returncode, 2)
        results = {one["status"]: one for one in strict_json(done.stdout)["results"]}
        self.assertIn("pass --op read or --op write", results["skipped"]["reason"])
        self.assertEqual(self.wavefronts("--indices", path, "--op", "read"), [4, 4])


if __name__ == "__main__":
    unittest.main()
