"""README.md and the pages under docs/ say what is so: their commands are taken, what they show is printed, their blocks
run, their links lead somewhere, and their tables list what there is, no more and no less."""

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import probe_tables
from documents import (CONTRIBUTING, DOCS, EXPECTED, FOR_DEVELOPERS, PAGES, PORTRAIT, README, ROOT, Sandbox, anchors, blocks,
                       command_lines, differences, execute, expand, expected, links, portrait, prose, quoted_commands,
                       sections, spans, table)
from harness import MODEL, ProgramTest, run, strict_json

FOLDERS = tuple(sorted(ROOT.glob("*/README.md")))
LINKING = (*PAGES, *FOR_DEVELOPERS, *FOLDERS, CONTRIBUTING, *(ROOT / f"{name}.md" for name in ("CHANGELOG", "SECURITY")))
PROBES = DOCS / "probes.md"
METHOD = DOCS / "method.md"
GLOSSARY = DOCS / "glossary.md"
TO_BE_WRITTEN = ("probes/global/runs.cu", "probes/shared/tile_rows.cu")  # by whoever follows CONTRIBUTING.md
MOST_BYTES_TO_READ = 9 * 1024
MOST_BYTES_TO_CONTRIBUTE = 6 * 1024
LANGUAGES = {"", "json", "python"}
WHOLE = ("results", "devices")  # members of a report whose own are described elsewhere


def schema(name):
    return strict_json((ROOT / "report" / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))


def each_of(pages):
    """Runs a test with each of the pages."""
    def decorate(test):
        @functools.wraps(test)
        def test_all(self):
            for page in pages:
                with self.subTest(str(page.relative_to(ROOT))):
                    test(self, page)
        return test_all
    return decorate


class PageTest(ProgramTest):
    def sandbox(self, page):
        return Sandbox(tempfile.mkdtemp(dir=self.directory), page)

    def commands(self):
        return re.findall(r"^  ([a-z]+) ", self.succeed("--help"), re.MULTILINE)


class Pages(PageTest):
    @each_of(LINKING)
    def test_links_lead_somewhere(self, page):
        for link in links(prose(page)):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            self.assertTrue(target.exists(), f"no {link}")
            if anchor:
                self.assertIn(anchor, anchors(target), link)

    @each_of(LINKING)
    def test_paths_exist(self, page):
        """Paths in backticks exist, from the repository's root or beside the page."""
        named = [span for span in spans(prose(page)) if re.fullmatch(r"[\w.{},*-]+/[\w.{},*/-]*", span)]
        for path in (path for span in named for path in expand(span)):
            folder = path.split("/")[0]
            roots = [root for root in (ROOT, page.parent) if folder != "build" and (root / folder).is_dir()]
            if roots and path not in TO_BE_WRITTEN:
                self.assertTrue(any(any(root.glob(path.rstrip("/"))) for root in roots), f"no {path}")

    @each_of(PAGES)
    def test_every_block_is_of_a_tested_kind(self, page):
        """test_ci_docs.py runs what ci.md has beside these."""
        more = {"bash", "yaml"} if page.name == "ci.md" else set()
        self.assertLessEqual({block.language for block in blocks(page)}, LANGUAGES | more)

    @each_of(LINKING)
    def test_scripts_can_be_run(self, page):
        for block in blocks(page, ""):
            for script in re.findall(r"^((?:scripts|tests|report)/\S+)", block.text, re.MULTILINE):
                self.assertTrue(os.access(ROOT / script, os.X_OK), f"{block.place}: cannot run {script}")


class Commands(PageTest):
    def take(self, sandbox, command, place):
        if "report/prediction.py" in command:
            return  # test_prediction.py runs it
        if "fleet.json" in command:
            return  # test_learn.py makes the reports that it is learned from
        if "--against" in command:
            return  # test_check_against.py runs it, with saved reports
        command = re.sub(r"\.(svg|png)\b", ".html", command)  # which needs no matplotlib, and takes a tenth of the time
        done = sandbox.run(command)
        accepted = (0, 1, 3) if command in ("gpumem devices", "gpumem expect") else (0, 1)  # of this machine
        self.assertIn(done.returncode, accepted, f"{place}: {command}\n{done.stderr}")

    @each_of(PAGES)
    def test_they_are_taken(self, page):
        sandbox = self.sandbox(page)
        for block in blocks(page, ""):
            for command in command_lines(block):
                self.take(sandbox, command, block.place)
        for command in quoted_commands(page):
            self.take(sandbox, command, page.name)

    @each_of(PAGES)
    def test_they_print_what_is_shown(self, page):
        for shown, new in differences(page, self.sandbox(page)):
            with self.subTest(shown.place):
                self.fail(f"{shown.place}: '{shown.command}' prints something else now. tests/end_to_end/documents.py "
                          "puts this there:\n" + "\n".join(new))

    def test_what_gpus_should_reach_is_what_the_program_writes(self):
        self.assertEqual(EXPECTED.read_text(encoding="utf-8"), expected(), "tests/end_to_end/documents.py writes it anew")

    def test_the_portrait_is_what_the_program_writes(self):
        self.assertEqual(PORTRAIT.read_text(encoding="utf-8"), portrait(), "tests/end_to_end/documents.py writes it anew")

    @each_of(PAGES)
    def test_options_exist(self, page):
        """Options in backticks are gpumem's, or those of the scripts that read its reports."""
        for span in spans(prose(page)):
            if span.startswith("--"):
                self.assertIn(re.match(r"[a-z-]+", span)[0], self.options)

    @functools.cached_property
    def options(self):
        helps = [self.succeed(command, "--help") for command in self.commands()]
        helps += [self.succeed("probe", probe["name"], "--help") for probe in json.loads(self.succeed("list", "--json"))]
        for script in ("prediction.py", "quote.py"):
            helps.append(subprocess.check_output([sys.executable, ROOT / "report" / script, "--help"], text=True))
        return set(re.findall(r"--[a-z][a-z-]*", "".join(helps)))


class Blocks(PageTest):
    @each_of(PAGES)
    def test_json_is_json(self, page):
        for block in blocks(page, "json"):
            strict_json(block.text)

    def test_suites_are_suites(self):
        suites = [block for page in PAGES for block in blocks(page, "json") if "probes" in json.loads(block.text)]
        self.assertNotEqual(suites, [])
        for suite in suites:
            with self.subTest(suite.place):
                file = self.directory / "suite.json"
                file.write_text(suite.text, encoding="utf-8")
                self.succeed("check", str(file), "--dry-run")
                done = run("check", str(file), *MODEL)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("PASS", done.stdout)

    def test_suites_of_kernels_are_suites(self):
        suites = [block for page in PAGES for block in blocks(page, "json")
                  if {"expectations"} == {"probes", "expectations"} & set(json.loads(block.text))]
        self.assertNotEqual(suites, [])
        for suite in suites:
            with self.subTest(suite.place):
                file = self.directory / "suite.json"
                file.write_text(suite.text, encoding="utf-8")
                self.assertIn("has no probes to run", self.fail_with(2, "check", str(file)))

    @unittest.skipIf(importlib.util.find_spec("pandas") is None,
                     "pandas is not installed; 'python3 -m pip install pandas' does that")
    @each_of(PAGES)
    def test_python_runs(self, page):
        if page.name == "python.md":
            return  # test_python.py runs it, with the package installed
        sandbox = self.sandbox(page)
        for block in blocks(page, "python"):
            execute(block, sandbox.directory)


class Lists(PageTest):
    def test_readme_is_short(self):
        self.assertLessEqual(len(README.read_bytes()), MOST_BYTES_TO_READ)

    def test_contributing_is_short(self):
        self.assertLessEqual(len(CONTRIBUTING.read_bytes()), MOST_BYTES_TO_CONTRIBUTE)

    def test_contributing_names_every_folder(self):
        """Every folder with a README.md, and docs/."""
        named = [spans(row[0])[0] for row in table(sections(CONTRIBUTING)["Folders"])]
        self.assertEqual(set(named), {f"{page.parent.name}/" for page in FOLDERS} | {"docs/"})

    def test_contributing_links_to_every_page_for_developers(self):
        linked = {(ROOT / link.partition("#")[0]).resolve() for link in links(prose(CONTRIBUTING))}
        self.assertEqual(set(FOR_DEVELOPERS) - linked, set())

    def test_every_command_has_a_line(self):
        commands = " ".join(command for block in blocks(DOCS / "commands.md", "") for command in command_lines(block))
        self.assertEqual(set(re.findall(r"gpumem ([a-z]+)", commands)), set(self.commands()))

    def test_every_page_is_linked(self):
        """From README.md, or from docs/probes.md and docs/method.md, which have pages of their own."""
        linked = {(page.parent / link.partition("#")[0]).resolve() for page in (README, PROBES, METHOD)
                  for link in links(prose(page))}
        self.assertEqual(set(PAGES) - {README} - linked, set())

    def test_probes(self):
        """Each has a row that leads to its place, and on that page a row with its axes and their defaults; what many of
        them take stands in a table of its own."""
        for page, text in probe_tables.files().items():
            with self.subTest(page.name):
                self.assertEqual(page.read_text(encoding="utf-8").splitlines(), text.splitlines(),
                                 "tests/end_to_end/documents.py writes it anew")

    def test_glossary(self):
        """Terms in alphabetical order, each with a place of its own, to which pages link."""
        terms = [(re.fullmatch(r'<a id="([\w-]+)"></a>(.*)', name), meaning) for name, meaning in table(prose(GLOSSARY))]
        names = [term[2] for term, _ in terms]
        self.assertEqual(names, sorted(names, key=str.lower))
        self.assertEqual(len({term[1] for term, _ in terms}), len(terms))
        for page in set(PAGES) - {GLOSSARY}:
            if not page.is_relative_to(DOCS) or page.name == "prediction.md":
                continue  # a script writes that one
            with self.subTest(str(page.relative_to(ROOT))):
                self.assertTrue(any("glossary.md#" in link for link in links(prose(page))), "explains no term")

    def test_suites(self):
        """Each has a row with the number of its cases."""
        rows = table(sections(DOCS / "suites.md")["Shipped suites"])
        listed = {spans(row[0])[0]: int(row[1]) for row in rows}
        self.assertEqual(set(listed), {path.stem for path in (ROOT / "configs").glob("*.json")})
        self.assertEqual(listed.pop("kernels"), 0)
        for suite, cases in listed.items():
            shown = self.succeed("probe", "--config", suite, "--dry-run", "--format", "csv")
            self.assertEqual(cases, shown.count("\n") - 1, suite)

    def test_members_of_an_expectation(self):
        rows = table(sections(DOCS / "suites.md")["One of your own"])
        self.assertEqual({span for row in rows for span in spans(row[0])},
                         set(schema("suite")["$defs"]["expectation"]["properties"]))

    def test_flags(self):
        (declared,) = (ROOT / "report").rglob("flags.hpp")
        flags = re.findall(r'^ +"(\w+)"', declared.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual([spans(row[0])[0] for row in table(prose(DOCS / "flags.md"))], flags)

    def test_members_of_a_report(self):
        """The page has the members of the schema, named as pandas names them."""
        whole = schema("report")

        def resolved(part):
            part = part["anyOf"][0] if "anyOf" in part else part  # the other is null
            part = whole["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
            return resolved(part["items"]) if "items" in part else part

        def members(part, prefix=""):
            record = {} if prefix in WHOLE else resolved(part)
            below = dict(record.get("properties", {}))
            for pattern in record.get("patternProperties", {}).values():  # of which some are always there
                below |= {name: pattern for name in record["required"] if name not in below}
            if not below:
                return {prefix} if prefix else set()
            start = f"{prefix}." if prefix else ""
            return set().union(*(members(value, start + name) for name, value in below.items()))

        text = sections(DOCS / "report.md")
        for title, expected in (("The report", members(whole)), ("A case", members(whole["$defs"]["result"]))):
            with self.subTest(title):
                listed = [path for row in table(text[title]) for span in spans(row[0]) for path in expand(span)]
                self.assertEqual(len(listed), len(set(listed)))
                self.assertEqual(set(listed) ^ expected, set())


if __name__ == "__main__":
    unittest.main()
