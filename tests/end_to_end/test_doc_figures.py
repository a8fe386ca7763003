"""Figures of README.md and the pages under docs/ that no block shows: what prose says beside an output, what an output
hides, how many there are of something, how long something takes."""

import functools
import re
import tempfile
import unittest

from documents import (DOCS, LEFT_OUT, PAGES, README, ROOT, Sandbox, blocks, is_session, lines_of, session, table, sections)
from test_docs import PageTest, each_of

UNITS = r"%|x(?! ?\d)|GB/s|TB/s|us\b|ms\b|cycles|GFLOP/s"
# A number with a unit or a decimal point: a result, rather than a count or a name.
FIGURE = re.compile(rf"(?<![\w./^-])(\d+(?:\.\d+)?)(?= ?(?:{UNITS}))|(?<![\w./^-])(\d+\.\d+)(?![\w.])")
QUOTE = re.compile(r"<!--=.*?<!--/-->", re.DOTALL)
# Texts that FIGURE takes for figures, although no output could show them.
OTHERWISE = (QUOTE, re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"`[^`]*`"), re.compile(r"\]\([^)]*\)"),
             re.compile(r"^\|.*$", re.MULTILINE), re.compile(r"compute capability [\d., and]+"), re.compile(r"[Ss]ection [\d.]+"))
# Sections whose figures are rules of the program, or cited with their source.
RULES = {("hierarchy.md", "latency")}
# By page: figures that no output on it has, and no quote yet. They were measured, but nothing tells when they change.
ELSEWHERE = {"cache.md": {"9.1"}, "global.md": {"274", "4465"}, "hierarchy.md": {"470"}, "host.md": {"88", "2.4", "3.6", "2.3", "1.2"},
             "kernels.md": {"0.044715", "0.299", "0.587", "0.114", "18", "3", "27", "1.6", "2.3"},
             "patterns.md": {"1.000", "1.018"}}
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
         "fourteen", "fifteen", "sixteen")
OPS = {"read": "Reads", "write": "Writes", "copy": "Copies"}


def parts_of(page):
    """[heading, its prose, its sessions] of each part of a page that shows what a command prints."""
    lines = lines_of(page)
    inside = {n for block in blocks(page) for n in range(block.first - 1, block.first + len(block.lines) + 1)}
    starts = [n for n, line in enumerate(lines) if line.startswith("#") and n not in inside]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        shown = [one for block in blocks(page) if start < block.first < end and is_session(block)
                 for one in session(block) if any(one.lines)]
        if shown:
            prose = "\n".join("" if n in inside else lines[n] for n in range(start + 1, end))
            yield lines[start].strip("# "), prose, shown


def figures_of(prose):
    for other in OTHERWISE:
        prose = other.sub("", prose)
    return [(found[1] or found[2], " ".join(prose[max(0, found.start() - 40):found.end() + 15].split()))
            for found in FIGURE.finditer(prose)]


@functools.cache
def outputs_of(page):
    """{place of a session's command: what it prints}, run once for all tests."""
    with tempfile.TemporaryDirectory() as directory:
        sandbox = Sandbox(directory, page)
        return {one.place: sandbox.run(one.command, references=True).stdout for _, _, shown in parts_of(page) for one in shown}


class Beside(PageTest):
    @each_of([page for page in PAGES if page.name != "prediction.md"])
    def test_figures_are_those_of_the_output_or_quoted(self, page):
        """Prose beside an output says what that prints, in full if the page shows but a part; what it takes from a report
        is quoted (report/quote.py)."""
        for heading, prose, shown in parts_of(page):
            figures = [] if (page.name, heading) in RULES else figures_of(prose)
            if not figures:
                continue
            printed = " ".join(outputs_of(page)[one.place] for one in shown)
            known = set(re.findall(r"\d+(?:\.\d+)?", printed)) | ELSEWHERE.get(page.name, set())
            with self.subTest(heading):
                self.assertEqual([where for figure, where in figures if figure not in known], [])

    @each_of(PAGES)
    def test_no_conclusion_is_hidden_of_what_the_prose_speaks_of(self, page):
        for heading, prose, shown in parts_of(page):
            for one in shown:
                if LEFT_OUT not in one.lines:
                    continue
                printed = outputs_of(page)[one.place].splitlines()
                for subject in OPS.values():
                    begins = re.compile(rf"{subject}\b.* (?:reach|fall|take)\b")
                    with self.subTest(f"{heading}: {subject}"):
                        if re.search(rf"\b{subject}\b", prose, re.IGNORECASE) and any(map(begins.match, printed)):
                            self.assertTrue(any(map(begins.match, one.lines)), f"{one.place} leaves out what it says of {subject}")

    @each_of(PAGES)
    def test_what_is_left_out_of_a_table_is_like_what_is_shown(self, page):
        """A row that is left out has a row that is shown whose number in the first column of results is within 5 %, or lies
        between those of the rows that are shown before and after it."""
        for _, _, shown in parts_of(page):
            for one in shown:
                if LEFT_OUT in one.lines:
                    printed = [line.rstrip() for line in outputs_of(page)[one.place].splitlines()]
                    with self.subTest(one.place):
                        self.assertEqual(unlike(one.lines, printed), [])


def number_of(row):
    """The number that follows the varied one at the beginning of a row; None if there is none."""
    found = re.match(r" *\d+ +(\d+(?:\.\d+)?) ", row)
    return float(found[1]) if found else None


def unlike(shown, printed):
    """The rows of a table of which some are shown that are left out, and differ from those that are shown."""
    found, at = [], [printed.index(line) for line in shown if line in printed and number_of(line) is not None]
    for before, after in zip(at, at[1:]):
        hidden = printed[before + 1:after]
        if any(number_of(row) is None for row in hidden):
            continue  # of another table
        ends = sorted(number_of(printed[end]) for end in (before, after))
        values = [number_of(printed[place]) for place in at]
        found += [row for row in hidden if not 0.95 * ends[0] <= number_of(row) <= 1.05 * ends[1]
                  and not any(abs(number_of(row) / value - 1) <= 0.05 for value in values)]
    return found


class Counts(PageTest):
    def test_profiles(self):
        """The profiles that are named and those that are counted are all that there are."""
        text = (DOCS / "commands.md").read_text(encoding="utf-8")
        profiles = {path.stem for path in (ROOT / "configs" / "gpus").glob("*.json")}
        said = re.search(r"The \[profile\]\(\S+\) is (.*?), or one that", text, re.DOTALL)[1]
        named = set(re.findall(r"`([\w-]+)`", said))
        self.assertLessEqual(named, profiles)
        counted = re.search(r"one of\s+(\w+) from \[published", said)[1]
        self.assertEqual(counted, WORDS[len(profiles - named)])
        published = (DOCS / "published.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"figures of (\w+) shipped profiles", published)[1], counted)
        measured = {"h200", "h100", "h200x8"}
        for page, said in ((README, r"(\w+) other GPUs are\s+\[predicted\]"), (DOCS / "install.md", r"(\w+) others are \[predicted\]")):
            self.assertEqual(re.search(said, page.read_text(encoding="utf-8"))[1], WORDS[len(profiles - measured)])

    def test_accuracy(self):
        """README.md says of predictions what the method's table says."""
        said = re.search(r"(\d+) cases that nothing was fitted to are off by ([\d.]+ %) in the median and by at most "
                         r"([\d.]+ %)\s+in 95 %", " ".join(README.read_text(encoding="utf-8").split()))
        rows = table(sections(DOCS / "method.md")["Accuracy"])
        self.assertIn([f"{said[1]} others", said[2], said[3]], [row[:3] for row in rows])

    def test_suites_take_as_long_in_help_as_on_their_page(self):
        rows = table(sections(DOCS / "suites.md")["Shipped suites"])
        seconds = next(float(row[3].removesuffix(" s")) for row in rows if row[0] == "`default`")
        said = re.search(r"--config default .* a GPU in (.*)", self.succeed("probe", "--help"))[1]
        about = {"about half a minute": 30, "about a minute": 60, "some seconds": 5}
        self.assertLess(abs(seconds / about[said] - 1), 0.25, f"{seconds} s are not {said}")

    def test_readers_can_see_the_same(self):
        """README.md says which report its first output is, and that the predictions in it are today's."""
        (first, *_), text = [one for _, _, shown in parts_of(README) for one in shown], README.read_text(encoding="utf-8")
        report = re.search(r"`gpumem show (\S+\.json)` has what was predicted on the day", text)[1]
        rows = [line.split()[:5] for line in first.lines if number_of(line) is not None]
        printed = [line.split()[:5] for line in self.succeed("show", str(ROOT / report)).splitlines()]
        self.assertGreater(len(rows), 2)
        for row in rows:
            self.assertIn(row, printed)


if __name__ == "__main__":
    unittest.main()
