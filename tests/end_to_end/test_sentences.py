"""scripts/check-sentences finds sentences that begin badly, in every kind of file that it reads."""

import subprocess
import unittest

from documents import ROOT
from harness import ProgramTest

FILES = {"source.cpp": "/// Returns it. {}\nint it();\nint a;  ///< {}\n", "script.py": '"""It runs.\n\n{}\n"""\n\n# {}\n',
         "rules.cmake": "# Options.\n# {}\n\n# {}\n", "page.md": "# {0}\n\n```\n{0}\n```\n\nA line. {0}\n\n- {0}\n"}


class Sentences(ProgramTest):
    def found_in(self, sentence):
        """The lines at which the sentence is found in files that have it, by the file's name."""
        found = {}
        for name, text in FILES.items():
            path = self.directory / name
            path.write_text(text.format(sentence, sentence), encoding="utf-8")
            done = subprocess.run([ROOT / "scripts/check-sentences", path], capture_output=True, text=True, check=False)
            found[name] = [int(line.split(":")[1]) for line in done.stdout.splitlines()[:-1]]
            self.assertEqual(done.returncode, 1 if found[name] else 0, done.stderr)
        return found

    def test_bad_ones_are_found(self):
        self.assertEqual(self.found_in("What is not known is absent."),
                         {"source.cpp": [1, 3], "script.py": [3, 6], "rules.cmake": [2, 4], "page.md": [7, 9]})

    def test_good_ones_and_questions_are_not(self):
        for sentence in ("Unknown values are absent.", "What is absent?"):
            self.assertEqual([lines for lines in self.found_in(sentence).values() if lines], [], sentence)


if __name__ == "__main__":
    unittest.main()
