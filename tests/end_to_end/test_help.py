"""The program's help, version and lists, without a GPU."""

import json
import re
import shlex
import unittest

from harness import MODEL, ProgramTest, environment, model, run, strict_json


class Help(ProgramTest):
    def setUp(self):
        super().setUp()
        self.commands = re.findall(r"^  ([a-z]+) ", self.succeed("--help"), re.MULTILINE)

    def test_commands(self):
        for command in ("probe", "check", "explain", "compare", "show", "calibrate", "list", "devices", "completion"):
            self.assertIn(command, self.commands)
        for command in self.commands:
            self.assertIn(f"Usage: gpumem {command}", self.succeed(command, "--help"))

    def test_fits_80_columns(self):
        for command in ([], *([name] for name in self.commands)):
            for line in self.succeed(*command, "--help").splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_is_as_wide_as_the_terminal(self):
        for columns in (60, 80, 132, 200):
            for command in ([], ["probe"], ["probe", "offset"], ["check"]):
                with self.subTest(columns=columns, command=command):
                    text = self.succeed(*command, "--help", env=environment(COLUMNS=str(columns)))
                    prose = text.partition("\nExample")[0].splitlines()  # which are copied whole
                    self.assertLessEqual(max(map(len, prose)), columns)
                    if columns <= 132 and command:
                        self.assertGreater(max(map(len, prose)), columns - 12)
        self.assertEqual(self.succeed("probe", "--help"), self.succeed("probe", "--help", env=environment(COLUMNS="80")))

    def test_of_the_program_fits_a_screen(self):
        text = self.succeed("--help")
        self.assertLessEqual(text.count("\n"), 30)
        self.assertEqual(len(self.commands), text.partition("\nCommands:\n")[2].partition("\n\n")[0].count("\n") + 1)

    def test_a_command_has_help_in_three_ways(self):
        for command in self.commands:
            text = self.succeed(command, "--help")
            self.assertEqual(self.succeed("help", command), text)
            self.assertEqual(self.succeed(command, "-h"), text)
        self.assertEqual(self.succeed("help"), self.succeed("--help"))
        self.assertIn("did you mean 'probe'?", self.fail_with(2, "help", "porbe"))

    def test_every_option_has_an_example(self):
        """In its own text or at the end of the help."""
        for command in self.commands:
            text, _, examples = self.succeed(command, "--help").partition("\nExample")
            for entry in re.findall(r"^  (?:-\w,)?--[a-z-]+.*?(?=^  -|^\S|\Z|^$)", text, re.MULTILINE | re.DOTALL):
                long_name = re.search(r"--[a-z-]+", entry)[0]
                short_name = re.match(r"  (-\w),", entry)
                used = re.search(rf"({long_name}{'|' + short_name[1] if short_name else ''})\b", examples)
                if long_name != "--help":
                    self.assertTrue("e.g." in entry or used, f"gpumem {command} {long_name} has no example")

    def test_version(self):
        text = self.succeed("--version")
        self.assertRegex(text, r"\Agpumem \d+\.\d+\.\d+ \(commit [0-9a-z-]+, CUDA \d+\.\d+ for sm_\d+(, sm_\d+)*, "
                               r"built by \S+ [\d.]+(, \w+)?\)\n\Z")
        self.assertEqual(self.succeed("-V"), text)


class ProbeHelp(ProgramTest):
    def setUp(self):
        super().setUp()
        self.probes = json.loads(self.succeed("list", "--json"))

    def test_a_line_for_each_probe(self):
        text = self.succeed("probe", "--help")
        for probe in self.probes:
            self.assertRegex(text, rf"(?m)^    {probe['name']} +{re.escape(probe['purpose'])}$")
        self.assertNotIn("VALUES", text)
        self.assertIn("--backend", text)

    def test_of_one_has_its_own_axes(self):
        for probe in self.probes:
            with self.subTest(probe["name"]):
                text = self.succeed("probe", probe["name"], "--help")
                self.assertEqual(self.succeed("help", probe["name"]), text)
                self.assertEqual(text.splitlines()[0].lower(), probe["purpose"].lower())
                self.assertEqual(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE), [axis["flag"] for axis in probe["axes"]])
                words = " ".join(text.split())
                for axis in probe["axes"]:
                    value = "[VALUES]" if axis["value_optional"] else "VALUES"
                    self.assertIn(f"{axis['flag']} {value} {axis['purpose'][0].upper()}{axis['purpose'][1:]} (", words)
                    self.assertIn(f"default {axis['default']})", words.replace(", ", ",").replace(",", ", ")
                                  if ", " in axis["default"] else re.sub(r"(?<=,) ", "", words))

    def test_of_one_fits_a_screen(self):
        for probe in self.probes:
            with self.subTest(probe["name"]):
                lines = self.succeed("probe", probe["name"], "--help").splitlines()
                self.assertLessEqual(len(lines), 14 + 4 * len(probe["axes"]))
                self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLessEqual(self.succeed("probe", "offset", "--help").count("\n"), 30)

    def test_shared_axes_are_explained_in_the_words_of_the_probe(self):
        for named in (("offset",), ("--offset", "0..32")):
            text = self.succeed("probe", *named, "--help")
            self.assertIn("misaligned", text)
            self.assertNotIn("conflicts cost loads and stores alike", text)
        self.assertIn("conflicts cost", self.succeed("probe", "bank", "--help"))

    def test_examples_run(self):
        for probe in self.probes:
            text = self.succeed("probe", probe["name"], "--help")
            examples = re.findall(r"^  gpumem (.*?)(?:  .*)?$", text.partition("\nExamples:\n")[2], re.MULTILINE)
            self.assertEqual(len(examples), 2, text)
            for example in examples:
                with self.subTest(example):
                    words = shlex.split(example)
                    words += () if "--backend" in words else model(words)
                    shown = strict_json(self.succeed(*words, "--dry-run", "--format", "json"))
                    self.assertEqual({result["probe"] for result in shown["results"]}, {probe["name"]})

    def test_of_no_probe(self):
        self.assertEqual(self.fail_with(2, "probe", "ofset", "--help"), "unknown probe 'ofset'; did you mean 'offset'?")
        self.assertEqual(self.fail_with(2, "help", "ofset"), "unknown command 'ofset'; did you mean: gpumem probe offset")


class List(ProgramTest):
    def test_text(self):
        """A line for each probe, under its family."""
        lines = self.succeed("list").splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLessEqual(len(lines), 55)
        listed = {}
        for line in lines[:lines.index("")]:
            if line.startswith("  "):
                name, purpose = line.split(maxsplit=1)
                listed[family].append((name, purpose))
            else:
                family = line
                self.assertNotIn(family, listed)
                listed[family] = []
        expected = {}
        for probe in json.loads(self.succeed("list", "--json")):
            expected.setdefault(probe["family"], []).append((probe["name"], probe["purpose"]))
        self.assertEqual(listed, expected)

    def test_one_probe(self):
        text = self.succeed("list", "offset")
        for part in ("--offset", "offset_elements", "default", "bandwidth_gb_per_s"):
            self.assertIn(part, text)
        self.assertNotIn("--bank-stride", text)
        for columns in (80, 200):
            lines = self.succeed("list", "offset", env=environment(COLUMNS=str(columns))).splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
        self.assertEqual([probe["name"] for probe in json.loads(self.succeed("list", "offset", "--json"))], ["offset"])

    def test_json(self):
        probes = {probe["name"]: probe for probe in json.loads(self.succeed("list", "--json"))}
        self.assertLessEqual({"coalesced", "offset", "stride", "bank"}, probes.keys())
        flags = {axis["flag"]: axis for axis in probes["offset"]["axes"]}
        self.assertEqual(flags["--offset"]["parameter"], "offset_elements")
        self.assertEqual(flags["--offset"]["unit"], "elements")
        self.assertEqual(flags["--op"]["names"], ["read", "write", "copy"])
        self.assertEqual(flags["--word-bytes"]["numbers"], [1, 2, 4, 8, 16, 32])
        self.assertTrue(flags["--elements-per-thread"]["takes_auto"])
        self.assertEqual(probes["offset"]["swept"], "offset_elements")
        self.assertEqual(probes["offset"]["baseline"], 0)


class Start(ProgramTest):
    def test_loads_nothing_of_a_gpu(self):
        """Loading a driver would make users wait who only want to read or to predict."""
        for arguments in (("--help",), ("list",), ("probe", "--offset", "0..32", *MODEL)):
            with self.subTest(arguments):
                done = run(*arguments, env=environment(LD_DEBUG="libs"))
                looked_for = re.findall(r"find library=(\S+)", done.stderr)
                self.assertIn("libc.so.6", looked_for)
                self.assertEqual([name for name in looked_for if re.search("cuda|cupti|nvidia|nvrtc", name)], [])


if __name__ == "__main__":
    unittest.main()
