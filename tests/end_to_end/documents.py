#!/usr/bin/env python3
"""README.md and the pages under docs/, taken apart, and a place to run their commands in.

    tests/end_to_end/documents.py      rewrites what they show under '$ gpumem ...' where the program prints something else,
                                    docs/expected.md, the page of docs/portrait/, the tables of probes and
                                    the probes' part of the Python package
"""

import contextlib
import difflib
import functools
import gzip
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import harness
import predicted_anew
import probe_tables
import quote

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
FOR_DEVELOPERS = tuple(sorted((DOCS / "dev").glob("*.md")))
PAGES = (README, *sorted(set(DOCS.rglob("*.md")) - set(FOR_DEVELOPERS)), ROOT / "configs" / "reference" / "README.md")
LEFT_OUT = "[...]"
# In the environment: commands that measure print what a reference report holds, predicted anew in this folder.
REFERENCES = "GPUMEM_REFERENCES"
PROFILE = "GPUMEM_PROFILE"  # in the environment: what commands that would measure predict from, if not from the H200's
WATCHED = Path(os.environ.get("GPUMEM_WATCHED", "build/release/tests/gpumem_watched")).resolve()
STAND_IN = Path(__file__).with_name("stand_in.py")
PORTRAIT = DOCS / "portrait" / "h200.html"
EXPECTED = DOCS / "expected.md"
PLACEHOLDERS = {"REPORT": "report.json", "OLD": "old.json", "NEW": "new.json", "SUITE": "smoke", "FILE": "file.json"}


class Block(NamedTuple):
    """A fenced block: its lines start at `first` of the page's lines."""
    page: Path
    first: int
    language: str
    lines: list

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.first + 1}"


class Shown(NamedTuple):
    """A command of a session and what is shown under it, which starts at `first` of the page's lines."""
    place: str
    command: str
    first: int
    lines: list


def lines_of(page):
    return page.read_text(encoding="utf-8").splitlines()


def blocks(page, language=None):
    found, opened = [], None
    lines = lines_of(page)
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if opened is not None:
                name = lines[opened].removeprefix("```").strip()
                found.append(Block(page, opened + 1, name, lines[opened + 1:number]))
            opened = number if opened is None else None
    assert opened is None, f"{page}: a block has no end"
    return [block for block in found if language in (None, block.language)]


def prose(page):
    """A page without its blocks."""
    lines = lines_of(page)
    for block in blocks(page):
        for number in range(block.first - 1, block.first + len(block.lines) + 1):
            lines[number] = ""
    return "\n".join(lines)


def spans(text):
    """The parts of a Markdown text in backticks."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]


def links(text):
    return re.findall(r"!?\[[^\]]*\]\(([^)\s]+)\)", text)


def sections(page):
    """The text under each heading of a page, blocks left out."""
    parts = re.split(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def anchors(page):
    """The anchors of a page: those of its headings, and the places that it names."""
    headings = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in sections(page)}
    return headings | set(re.findall(r'<a id="([^"]+)"></a>', prose(page)))


def table(text):
    """The rows of the tables in a text, each a list of cells, without headings."""
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in row] for row in rows]
    rules = [number for number, row in enumerate(rows) if all(re.fullmatch(":?-+:?", cell) for cell in row)]
    headings = {number - 1 for number in rules} | set(rules)
    return [row for number, row in enumerate(rows) if number not in headings]


def expand(text):
    """a{b,c}d as abd and acd, as a shell would have it."""
    parts = [part.strip("{}").split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", text)]
    return ["".join(chosen) for chosen in itertools.product(*parts)]


def command_lines(block):
    """The commands of a block without language, without what explains them two spaces away."""
    lines = re.sub(r"\\\n\s*", "", block.text).splitlines()
    if is_session(block):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    lines = [re.split(r"\s{2,}", line.strip())[0] for line in lines]
    return [line for line in lines if re.match(r"(\S+/)?gpumem |report/\w+\.py ", line)]


def is_session(block):
    return block.language == "" and bool(block.lines) and block.lines[0].startswith("$ ")


def session(block):
    """The commands of a session and what is shown under each; nothing, if what it prints is left out."""
    starts = [number for number, line in enumerate(block.lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(block.lines)]):
        command, number = block.lines[start].removeprefix("$ "), start + 1
        while command.endswith("\\"):
            command, number = command[:-1] + block.lines[number].strip(), number + 1
        first = block.first + number
        yield Shown(f"{block.page.relative_to(ROOT)}:{first + 1}", command, first, block.lines[number:end])


def quoted_commands(page):
    """The commands in backticks, in the form that can be run: placeholders filled in, each of several alternatives."""
    for span in spans(prose(page)):
        if not re.match(r"(source <\()?(\S+/)?gpumem \w", span):
            continue
        words = re.sub(r" \| .*", "", span).replace("...", "").split()
        words = [PLACEHOLDERS.get(word, word) for word in words]
        if len(words) == 2 and words[0] == "gpumem":
            words.append("--help")  # speaks of the command
        choices = [word.split("|") if re.fullmatch(r"[\w-]+(\|[\w-]+)+", word) else [word] for word in words]
        yield from (" ".join(chosen) for chosen in itertools.product(*choices))


@contextlib.contextmanager
def working_in(directory):
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def execute(block, directory):
    """Runs a block of Python in a directory with a report, and returns its variables. Without matplotlib it does not
    plot."""
    plotting = importlib.util.find_spec("matplotlib") is not None
    if plotting:
        import matplotlib
        matplotlib.use("Agg")
    lines = [line for line in block.lines if plotting or ".plot" not in line]
    names = {}
    with working_in(directory), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # open() in one line is right for a snippet
        exec(compile("\n".join(lines), block.place, "exec"), names)
    return names


@functools.cache
def smoke_reports():
    """A report in each format, made once for all pages."""
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory) / name for name in ("report.json", "report.csv")]
        done = harness.run("check", "smoke", *harness.MODEL, "--quiet", *(w for file in files for w in ("--output", str(file))))
        assert files[0].exists(), done.stderr
        return {file.name: file.read_text(encoding="utf-8") for file in files}


class Sandbox:
    """A directory in which the commands of a page run: the files they speak of, and tools that need neither a GPU nor a
    cluster."""

    def __init__(self, directory, page):
        self.directory = Path(directory)
        self.tools = self.directory / "bin"
        self.tools.mkdir()
        self.add_tool("gpumem", f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" "$@"\n')
        (self.directory / "build").mkdir()
        (self.directory / "build" / "release").symlink_to(self.tools)
        (self.directory / "docs" / "plots").mkdir(parents=True)
        (self.directory / "docs" / page.name).symlink_to(page)
        for name in ("configs", "report"):
            (self.directory / name).symlink_to(ROOT / name)
        self.add_reports()
        self.add_indices()
        self.add_programs()
        for number, block in enumerate(blocks(page, "json")):
            name = json.loads(block.text).get("name", f"block{number}")
            (self.directory / f"{name}.json").write_text(block.text, encoding="utf-8")

    def add_tool(self, name, text):
        path = self.tools / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def add_reports(self):
        """Adds the files that pages call reports."""
        report = self.directory / "report.json"
        for name, text in smoke_reports().items():
            (self.directory / name).write_text(text, encoding="utf-8")
        (self.directory / "reports").mkdir()
        for name in ("old", "new", "baseline", "reports/one", "reports/two"):
            shutil.copy(report, self.directory / f"{name}.json")

    def add_indices(self):
        """Adds the files that pages call files of indices."""
        indices = [i * 7 % 1000 for i in range(1000)]
        numbers = "\n".join(map(str, indices))
        (self.directory / "neighbours.txt").write_text(numbers, encoding="utf-8")
        (self.directory / "neighbours.txt.gz").write_bytes(gzip.compress(numbers.encode()))
        (self.directory / "edges.csv").write_text("\n".join(["source,target", *(f"0,{i}" for i in indices)]), encoding="utf-8")
        matrix = ["%%MatrixMarket matrix coordinate pattern general", "1 1000 1000", *(f"1 {i + 1}" for i in indices)]
        (self.directory / "matrix.mtx.gz").write_bytes(gzip.compress("\n".join(matrix).encode()))
        tile = [i % 32 * 32 + i // 32 for i in range(1024)]
        header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(tile)},), }}".ljust(117) + "\n"
        values = b"".join(i.to_bytes(4, "little") for i in tile)
        begin = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
        (self.directory / "tile.npy").write_bytes(begin + header.encode() + values)
        (self.directory / "tile.txt.gz").write_bytes(gzip.compress("\n".join(map(str, tile)).encode()))
        (self.directory / "rows.txt").write_text("\n".join(str(i % 32 * 64) for i in range(64)), encoding="utf-8")
        for name in ("from", "to"):
            (self.directory / f"{name}.u32").write_bytes(b"".join(i.to_bytes(4, "little") for i in indices))
        runs = [{"kernel": kernel, "pattern": "UNIFORM:8:4:NR", "count": 64} for kernel in ("Gather", "Scatter")]
        (self.directory / "spatter.json").write_text(json.dumps(runs), encoding="utf-8")

    def add_programs(self):
        """Adds the files that pages call the reader's programs. They leave behind the data that `gpumem run` would have
        seen."""
        app = self.directory / "app"
        app.write_text(f'#!/bin/sh\n[ -z "$GPUMEM_RUN_FOLDER" ] || exec "{WATCHED}" kernels\n', encoding="utf-8")
        app.chmod(0o755)
        shutil.copy(ROOT / "tests" / "report" / "golden" / "program_in_time.json", self.directory / "app.json")
        for name in ("train.py", "three_faults.py"):
            (self.directory / name).write_text('import os\nos.execv("./app", ["./app"])\n', encoding="utf-8")

    def run(self, script, *, references=False, **variables):
        variables |= {"PATH": f"{self.tools}:{os.environ['PATH']}", "GPUMEM": str(Path(harness.PROGRAM).resolve())}
        if references:
            variables[REFERENCES] = str(self.directory / "predicted")
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.directory, capture_output=True,
                              text=True, timeout=300, check=False, env=harness.environment(**variables))


def renewed(shown, printed):
    """`shown` as it should be, given what is printed: itself, unless its parts between '[...]' are not printed in this
    order. A part that is not printed gives way to as many lines that are most like it."""
    if printed and not printed[-1]:
        printed = printed[:-1]
    while shown and not shown[-1]:
        shown = shown[:-1]
    if LEFT_OUT not in shown:
        return list(printed)
    parts = [[]]
    for line in shown:
        if line == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    new, position = [], 0
    for number, part in enumerate(parts):
        count = len(part)
        starts = range(position, len(printed) - count + 1)
        if number == 0 and count:
            starts = [0]
        elif number == len(parts) - 1 and count:
            starts = [len(printed) - count]
        start = next((one for one in starts if printed[one:one + count] == part), None)
        if start is None:
            start = max(starts, key=lambda one: sum(difflib.SequenceMatcher(None, a, b).ratio()
                                                    for a, b in zip(part, printed[one:one + count])), default=position)
        new += [LEFT_OUT] * (number > 0) + printed[start:start + count]
        position = start + count
    return new


def differences(page, sandbox):
    """The outputs of a page that the program does not print: (shown, what it should be), in the order of the page."""
    for block in blocks(page):
        for shown in session(block) if is_session(block) else ():
            done = sandbox.run(shown.command, references=True)
            if done.returncode != 0:
                raise AssertionError(f"{shown.place}: '{shown.command}' fails: {done.stderr}")
            if not any(shown.lines):
                continue
            printed = [line.rstrip() for line in done.stdout.splitlines()]
            new = renewed(shown.lines, printed)
            new += [""] * (len(shown.lines) - len("\n".join(shown.lines).rstrip().split("\n")))
            if new != shown.lines:
                yield shown, new


def portrait():
    """The page that docs/portrait.md links to, as the program writes it today."""
    with tempfile.TemporaryDirectory() as directory:
        report = predicted_anew.beside_measured(ROOT / "configs/reference/h200/portrait.json", directory)
        target = Path(directory) / PORTRAIT.name
        done = harness.run("portrait", report, "--quiet", "-o", str(target))
        assert done.returncode == 0, done.stderr
        return target.read_text(encoding="utf-8")


def expected():
    """docs/expected.md, as the program writes it today."""
    done = harness.run("expect", "--all", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    return done.stdout


def quotes_of(page):
    """The text of a page with what its reports say beside what this program predicts of their cases."""
    with tempfile.TemporaryDirectory() as directory:
        return quote.renewed(page, beside=lambda report: predicted_anew.beside_measured(report.resolve(), directory))


def update():
    quoting = [page for page in PAGES if "<!--= " in page.read_text(encoding="utf-8")]
    for path, text in {EXPECTED: expected(), PORTRAIT: portrait(), **probe_tables.files(),
                       **{page: quotes_of(page) for page in quoting}}.items():
        if text != path.read_text(encoding="utf-8"):
            print(path.relative_to(ROOT))
            path.write_text(text, encoding="utf-8")
    for page in PAGES:
        with tempfile.TemporaryDirectory() as directory:
            found = list(differences(page, Sandbox(directory, page)))
        lines = lines_of(page)
        for shown, new in reversed(found):
            print(f"{shown.place}: {shown.command}")
            lines[shown.first:shown.first + len(shown.lines)] = new
        if found:
            page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    update()
