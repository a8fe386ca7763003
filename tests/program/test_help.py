"""What the program says about itself: help, version and lists; without a GPU."""

import json
import re
import unittest

from harness import MODEL, ProgramTest, environment, run


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
        for command in ([], *([one] for one in self.commands)):
            for line in self.succeed(*command, "--help").splitlines():
                self.assertLessEqual(len(line), 80, line)

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

    def test_every_axis_is_an_option(self):
        text = self.succeed("probe", "--help")
        for probe in json.loads(self.succeed("list", "--json")):
            for axis in probe["axes"]:
                self.assertIn(axis["flag"] + (" [VALUES]" if axis["value_optional"] else " VALUES"), text)

    def test_version(self):
        self.assertRegex(self.succeed("--version"),
                         r"\Agpumem \d+\.\d+\.\d+ \(commit [0-9a-z-]+, CUDA \d+\.\d+, built by \S+ [\d.]+(, \w+)?\)\n\Z")


class List(ProgramTest):
    def test_text(self):
        text = self.succeed("list", env={"COLUMNS": "80"})
        for name in ("coalesced", "offset", "stride", "bank", "--bank-stride", "offset_elements", "default"):
            self.assertIn(name, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_one_probe(self):
        text = self.succeed("list", "offset")
        self.assertIn("--offset", text)
        self.assertNotIn("--bank-stride", text)
        self.assertEqual([probe["name"] for probe in json.loads(self.succeed("list", "offset", "--json"))], ["offset"])

    def test_json(self):
        probes = {probe["name"]: probe for probe in json.loads(self.succeed("list", "--json"))}
        self.assertLessEqual({"coalesced", "offset", "stride", "bank"}, probes.keys())
        flags = {axis["flag"]: axis for axis in probes["offset"]["axes"]}
        self.assertEqual(flags["--offset"]["parameter"], "offset_elements")
        self.assertEqual(flags["--offset"]["unit"], "elements")
        self.assertEqual(flags["--op"]["names"], ["read", "write", "copy"])
        self.assertEqual(flags["--word-bytes"]["numbers"], [4, 8, 16])
        self.assertTrue(flags["--elements-per-thread"]["takes_auto"])
        self.assertEqual(probes["offset"]["swept"], "offset_elements")
        self.assertEqual(probes["offset"]["baseline"], 0)


class Start(ProgramTest):
    def test_loads_nothing_of_a_gpu(self):
        """What a driver takes to load is what a user would wait for who only wants to read or to predict."""
        for arguments in (("--help",), ("list",), ("probe", "--offset", "0..32", *MODEL)):
            with self.subTest(arguments):
                done = run(*arguments, env=environment(LD_DEBUG="libs"))
                looked_for = re.findall(r"find library=(\S+)", done.stderr)
                self.assertIn("libc.so.6", looked_for)
                self.assertEqual([name for name in looked_for if re.search("cuda|cupti|nvidia|nvrtc", name)], [])


if __name__ == "__main__":
    unittest.main()
