"""An error says what to do instead: the corrected command, in the user's own words."""

import json
import unittest

from harness import MODEL, ProgramTest, run


class Cures(ProgramTest):
    def cures(self, arguments, *parts):
        with self.subTest(arguments):
            line = self.fail_with(2, *arguments)
            for part in parts:
                self.assertIn(part, line)
            return line

    def succeeds_too(self, *arguments):
        with self.subTest(arguments):
            self.succeed(*arguments)


class Values(Cures):
    def test_a_sweep_that_is_too_large_is_thinned_in_its_own_words(self):
        for flag, text, better in (("--size", "4KiB..1GiB", "4KiB..1GiB*4"), ("--size", "4kib..1gib", "4kib..1gib*4"),
                                   ("--size", "0..1GiB", "0..1GiB:128KiB"), ("--size", "4KiB..1GiB:4KiB", "4KiB..1GiB:128KiB"),
                                   ("--offset", "0..1000000", "0..1000000:200"),
                                   ("--offset", "0..1000000:3", "0..1000000:150"),
                                   ("--offset", "1..1000000", "1..1000000:100 or 1..1000000*2"),
                                   ("--offset", "0..32*2", "1..32*2"), ("--size", "4KiB..", "4KiB..4MiB*4"),
                                   ("--offset", "40..", "40..80")):
            self.cures(("probe", flag, text, *MODEL), better)
        self.cures(("probe", "--offset", "0..9999", "--op", "read,write,copy", "--word-bytes", "4,8,16",
                    "--block-threads", "32..64:32", *MODEL), "100000 cases", "--offset 0..9999:2")
        self.succeeds_too("probe", "--transfer", "pinned", "--size", "4KiB..1GiB*4", *MODEL)

    def test_a_percentage_keeps_its_number(self):
        for option, text, better in (("--ci-width", "5", "write 5%"), ("--ci-width", "0.5", "write 0.5%, or 50% if"),
                                     ("--ci-width", "-2%", "write it as 2%"), ("--ci-width", "0,5%", "write 0.5%"),
                                     ("--ci-width", "3 percent", "write 3%"), ("--ci-width", "2pct", "write 2%"),
                                     ("--ci-width", "none", "write it as 0.5%"), ("--ci-width", "0", "write it as 0.5%")):
            self.cures(("probe", "--offset", "0", *MODEL, f"{option}={text}"), f"{option}: '{text}'", better)
        for option, text, better in (("--fail-on-regression", "3", "write 3%"), ("--tolerance", "2", "write 2%"),
                                     ("--tolerance", "150", "write it as 0.5%")):
            self.cures(("compare", "a.json", "b.json", option, text), f"{option}: '{text}'", better)
        self.cures(("run", "--max-overhead", "20", "--", "true"), "write 20%")


class OptionsOfOthers(Cures):
    def test_options_of_other_commands(self):
        for arguments, better in (
                (("explain", "x.json", "--out=x.md"), "--output x.md"),
                (("list", "-ox.json"), "gpumem list --json > x.json"),
                (("list", "--format", "json"), "gpumem list --json"),
                (("devices", "--format", "csv"), "gpumem devices --json"),
                (("devices", "--gpu", "a100"), "gpumem expect a100"),
                (("check", "smoke", "--why"), "drop it"),
                (("explain", "x.json", "--why"), "drop it"),
                (("compare", "a.json", "b.json", "--why"), "gpumem explain"),
                (("compare", "a.json", "b.json", "--threshold", "3%"), "--tolerance 3%"),
                (("compare", "a.json", "b.json", "--junit", "x.xml"), "gpumem check SUITE --junit x.xml"),
                (("check", "smoke", "--fail-on-regression", "3%"), "gpumem compare OLD NEW --fail-on-regression 3%"),
                (("check", "smoke", "--tolerance", "3%"), "gpumem compare OLD NEW --tolerance 3%"),
                (("check", "smoke", "--offset", "0..4"), "gpumem probe --offset 0..4"),
                (("show", "x.json", "--offset", "1"), "offset=1"),
                (("compare", "a.json", "b.json", "--kernel", "gemm"), "kernel=gemm"),
                (("show", "x.json", "--gpu", "h200"), "gpumem probe ... --gpu"),
                (("show", "x.json", "--fleet"), "gpumem compare --fleet"),
                (("portrait", "--stride", "2"), "gpumem probe --stride 2"),
                (("probe", "--model", "h200"), "--backend model --gpu h200"),
                (("check", "smoke", "--model", "v100"), "--backend model --gpu v100"),
                (("expect", "--gpu", "h200"), "gpumem expect h200"),
                (("probe", "--offset", "0", "--iterations", "10"), "--ci-width"),
                (("probe", "--all"), "gpumem probe"),
                (("calibrate", "--gpu", "h200"), "--device"),
                (("calibrate", "--format", "json"), "-o mine.json"),
                (("run", "--backend", "model", "--", "true"), "gpumem probe --pattern")):
            self.cures(arguments, "unknown option '-", better)

    def test_every_option_of_one_command_leads_somewhere_from_every_other(self):
        commands = ("probe", "run", "portrait", "expect", "check", "explain", "compare", "show", "calibrate", "list", "devices")
        options = {command: set(self.succeed("--complete", command, "--").split("\n")) for command in commands}
        options = {command: {line.split("\t")[0].split("=")[0] for line in lines if line.startswith("--")} for command, lines in options.items()}
        self.assertGreater(len(options["probe"]), 40)
        for command in commands:
            for option in sorted(set().union(*options.values()) - options[command] - {"--help", "--json"}):
                if command == "show" and option in ("--junit", "--openmetrics"):
                    continue  # the same as --format junit
                with self.subTest(command, option=option):
                    line = self.fail_with(2, command, option)
                    self.assertIn(f"unknown option '{option}'; ", line)
                    self.assertNotIn("; see: gpumem", line)

    def test_formats_of_other_options(self):
        for arguments, better in ((("show", "x.json", "--format", "html"), "-o show.html"),
                                  (("probe", "--offset", "0", "--format=svg"), "-o probe.svg"),
                                  (("check", "smoke", "--format", "junit"), "--junit FILE"),
                                  (("check", "smoke", "--format", "openmetrics"), "--openmetrics FILE"),
                                  (("check", "smoke", "--format", "csv"), "-o check.csv"),
                                  (("compare", "a.json", "b.json", "--format", "junit"), "gpumem check SUITE --junit FILE"),
                                  (("explain", "x.json", "--format", "csv"), "gpumem show REPORT --format csv"),
                                  (("expect", "--all", "--format", "pdf"), "-o expect.html")):
            self.cures(arguments, "--format: ", better)


class Words(Cures):
    def test_words_of_another_kind(self):
        for arguments, better in (
                (("list", "devices"), ("gpumem devices",)),
                (("list", "smoke"), ("gpumem check smoke",)), (("list", "check"), ("gpumem check",)),
                (("probe", "smoke"), ("gpumem check smoke",)), (("probe", "all"), ("gpumem probe",)),
                (("probe", "shared"), ("gpumem probe async-copy bank cluster multicast tile",)),
                (("list", "host"), ("batching overlap transfer zero-copy",)),
                (("probe", "h200"), ("gpumem expect h200",)), (("probe", "explain"), ("gpumem explain",)),
                (("probe", "a.json"), ("gpumem show a.json",)), (("probe", "i * 3"), ("--pattern 'i * 3'",)),
                (("probe", "wavefront"), ("gpumem help wavefront",)), (("smoke",), ("gpumem check smoke",)),
                (("shared",), ("bank",)), (("h100",), ("gpumem expect h100",)), (("sector",), ("gpumem help sector",)),
                (("check", "offset"), ("gpumem probe offset",)), (("check", "h200"), ("gpumem expect h200",)),
                (("check", "all"), ("gpumem check full",)), (("expect", "smoke"), ("gpumem check smoke",)),
                (("expect", "all"), ("gpumem expect --all",)), (("expect", "h100,h200"), ("gpumem expect h100 h200",)),
                (("expect", "h200", "smoke"), ("gpumem check smoke",)), (("help", "smoke"), ("gpumem check smoke",))):
            self.cures(arguments, *better)

    def test_a_term_is_explained(self):
        for term in (("sector",), ("sectors",), ("Sector",)):
            self.assertTrue(self.succeed("help", *term).startswith("sector: 32 aligned bytes"))
        self.assertTrue(self.succeed("help", "bank", "conflict").startswith("bank conflict: "))
        self.assertNotIn("](", self.succeed("help", "suite"))
        self.assertIn("Usage: gpumem probe latency", self.succeed("help", "latency"))

    def test_flags_that_select_probes_with_nothing_in_common(self):
        line = self.cures(("probe", "--offset", "0", "--space", "shared", *MODEL),
                          "--offset selects the probe 'offset'", "--space selects the probe 'constant'")
        self.assertIn("gpumem probe constant offset", line)
        self.cures(("probe", "--offset", "0", "--path", "global", *MODEL), "--offset selects", "--path selects")
        both = json.loads(self.succeed("probe", "constant", "pattern", "--pattern", "i * 2", "--space", "shared",
                                       "--warp-addresses", "1", *MODEL, "--json"))
        self.assertEqual({result["probe"] for result in both["results"]}, {"constant", "shared-pattern"})

    def test_several_gpus_are_predicted_by_a_profile_of_several(self):
        done = run("probe", "peer", *MODEL)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--gpu h200x8", done.stderr)

    def test_runs_without_readings_are_told_what_shows_them(self):
        said = " ".join(self.succeed("probe", "--run", "1,2,3", *MODEL).split())
        self.assertIn("--op read", said)
        self.assertNotIn("--run 1 and longer", said)


class Directories(Cures):
    def test_a_directory_in_place_of_a_report(self):
        folder = str(self.directory)
        for arguments in (("show", folder), ("show", folder + "/"), ("compare", folder, folder + "/x.json"),
                          ("portrait", folder), ("check", folder), ("check", "smoke", folder)):
            self.cures(arguments, "Is a directory", f"{folder}/*.json", f"gpumem compare --fleet {folder}")
        self.cures(("explain", folder), f"gpumem explain {folder}/FILE.json")
        self.cures(("calibrate", "--from", folder), f"gpumem calibrate --from {folder}/FILE.json")

    def test_a_directory_in_place_of_another_file(self):
        folder = str(self.directory)
        for arguments in (("probe", "--offset", "0", "--backend", "model", "--gpu", folder + "/"),
                          ("probe", "--config", folder + "/"), ("probe", "--indices", folder, *MODEL)):
            self.cures(arguments, "name a file in it")


if __name__ == "__main__":
    unittest.main()
