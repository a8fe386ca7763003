"""The edits of the programs that are mended by their advice."""

import unittest

import mend


class Edits(unittest.TestCase):
    def test_an_edit_takes_the_place_of_the_line_above(self):
        source = "one\n  two\n  // cure pad_rows: zwei\n  // cure pad_rows: drei\n  // cure sort_indices: 2\nfour\n"
        self.assertEqual(mend.cures_of(source), ["pad_rows", "sort_indices"])
        self.assertEqual(mend.mended(source, "pad_rows"), "one\n  zwei\n  drei\nfour\n")
        self.assertEqual(mend.mended(source, "sort_indices"), "one\n  2\nfour\n")
        self.assertEqual(mend.mended(source, "another"), "one\n  two\nfour\n")

    def test_every_program_has_one(self):
        programs = [*mend.FOLDER.glob("*.cu"), *mend.FOLDER.glob("*.py")]
        self.assertGreaterEqual(len(programs), 12)
        for program in programs:
            source = program.read_text(encoding="utf-8")
            unmended = mend.mended(source, "")
            self.assertTrue(mend.cures_of(source), program.name)
            for cure in mend.cures_of(source):
                with self.subTest(program.name, cure=cure):
                    self.assertNotEqual(mend.mended(source, cure), unmended)
                    if program.suffix == ".py":
                        compile(mend.mended(source, cure), program.name, "exec")


if __name__ == "__main__":
    unittest.main()
