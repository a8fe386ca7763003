"""Each committed report of a program, in Markdown: it fits 1,500 tokens, and says what to do about the first kernel."""

import json
import re
import unittest
from pathlib import Path

from harness import ProgramTest

ROOT = Path(__file__).parents[2]
MOST_TOKENS = 1500
# The estimate of report/text/tokens.hpp: runs of bytes, and how many of each a token has at most. A blank or a mark
# before a word, and a blank before marks, are part of what follows.
MARK = r"[!-/:-@\[-`{-~]"
RUN = re.compile(rf"(?:[ \t]|{MARK})(?=[A-Za-z])|[ \t](?={MARK})|([a-z]{{17,}})|([a-z]+)|([A-Z]+)|([0-9]+)|({MARK}+)|"
                 r"([ \t]+)|([\r\n]+)|([\x80-\xff]+)")
LONGEST = (2, 5, 2, 3, 2, 1000, 1000, 1)


def tokens(text):
    runs = RUN.finditer(text.encode().decode("latin-1"))
    return sum(-(-len(run[0]) // LONGEST[run.lastindex - 1]) for run in runs if run.lastindex)


def programs():
    """Reports of programs, wherever they lie."""
    for folder in ("configs", "tests"):
        for path in sorted((ROOT / folder).rglob("*.json")):
            if path.stat().st_size < 10_000_000 and b'"launches_seen"' in (content := path.read_bytes()):
                report = json.loads(content)
                if isinstance(report, dict) and report.get("program"):
                    yield path, report


def plain(text):
    """Markdown without its escapes."""
    return re.sub(r"\\([\\|*`\[\]<>])", r"\1", text)


class Pages(ProgramTest):
    def page(self, path):
        return self.succeed("show", str(path), "--format", "markdown")

    def test_the_estimate_is_no_lower_than_tokenizers_count(self):
        # Counted by cl100k_base, which is no lower than o200k_base here.
        for text, counted in (
                ("Stores: lanes 8192 elements (32 KiB) apart, 32 sectors where 4 would do (app.cu:14)", 29),
                ("| `lqsort_kernel<unsigned int> <<<532, 128>>>` | 5.2 | 1 | 1 | 1.3 | - | like row 1 |", 40),
                ("訓練.py:42 in forward", 10)):
            self.assertLessEqual(counted, tokens(text), text)

    def test_pages_are_short_and_keep_the_first_change(self):
        seen = shortened = 0
        for path, report in programs():
            with self.subTest(path.relative_to(ROOT)):
                page = self.page(path)
                self.assertLessEqual(tokens(page), MOST_TOKENS)
                self.assertLessEqual(page.count("\n"), 60)
                seen += 1
                shortened += "\nLeft out to fit 1,500 tokens: " in page
                for first in report.get("advice", [])[:1]:
                    text = plain(page)
                    self.assertIn(first["command"], page)
                    self.assertIn(first["text"][1:], text)  # the first letter is a capital
                    self.assertIn(first["site"]["site"] if first["site"] else "1. ", text)
        self.assertGreater(seen, 60)
        self.assertGreater(shortened, 5)

    def test_what_is_left_out_is_said(self):
        page = self.page(ROOT / "configs/reference/h100/corpus/operations_torch.json")
        line = next(line for line in page.splitlines() if line.startswith("Left out"))
        self.assertIn(" changes, ", line)
        self.assertIn("`gpumem show FILE.json`", line)


if __name__ == "__main__":
    unittest.main()
