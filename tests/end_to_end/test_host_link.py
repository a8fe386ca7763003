"""The probes of the host link, as a user selects them: flags that stand alone, alternatives in one table, and what a
GPU cannot do. By the model, which needs neither a GPU nor much time."""

import csv
import io
import json
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest, run, strict_json

LINK_PROBES = {"transfer", "batching", "zero-copy", "overlap"}


class Selection(ProgramTest):
    def parameters(self, *arguments):
        return [(result["probe"], result["parameters"]) for result in self.predict(*arguments)["results"]]

    def probes(self, *arguments):
        return {probe for probe, _ in self.parameters(*arguments)}

    def test_the_flag_of_the_alternatives_may_stand_alone_anywhere(self):
        alone = self.parameters("zero-copy")
        self.assertEqual(self.parameters("--zero-copy", "mapped,copied"), alone)
        text = self.succeed("probe", *MODEL, "--format", "json", "--zero-copy")  # last on the line
        self.assertEqual([(one["probe"], one["parameters"]) for one in strict_json(text)["results"]], alone)
        text = self.succeed("probe", "--zero-copy", "--format", "json", *MODEL)
        self.assertEqual([(one["probe"], one["parameters"]) for one in strict_json(text)["results"]], alone)
        reads = self.parameters("--zero-copy", "--op", "read")
        self.assertEqual(reads, [one for one in alone if one[1]["op"] == "read"])

    def test_the_flag_takes_values_in_both_spellings(self):
        mapped = self.parameters("--zero-copy", "mapped", "--op", "read")
        self.assertEqual({one["placement"] for _, one in mapped}, {"mapped"})
        self.assertEqual(self.parameters("--zero-copy=mapped", "--op", "read"), mapped)

    def test_each_flag_selects_its_probe(self):
        for flags, probe in {
            ("--transfer",): "transfer",
            ("--size", "1MiB"): "transfer",
            ("--transfer", "pinned,pageable"): "transfer",
            ("--batching",): "batching",
            ("--copies", "1,16"): "batching",
            ("--zero-copy",): "zero-copy",
            ("--passes", "2"): "zero-copy",
            ("--overlap",): "overlap",
            ("--streams", "4"): "overlap",
            ("--direction", "both"): "transfer",  # batching has the axis too, but goes one way at a time
        }.items():
            with self.subTest(flags):
                self.assertEqual(self.probes(*flags), {probe})

    def test_a_probe_that_has_all_of_the_axes_runs_alone(self):
        self.assertEqual(self.probes("--zero-copy", "--offset", "0..2"), {"zero-copy"})
        self.assertEqual(self.probes("--overlap", "--size", "64MiB"), {"overlap"})
        self.assertEqual(self.probes("--batching", "--size", "1MiB"), {"batching"})
        self.assertEqual(self.probes("--offset", "0..2", "--stride", "1,2"), {"offset", "stride"})
        self.assertEqual(self.probes("--offset", "0..2"), {"offset"})

    def test_alternatives_follow_each_other_within_a_table(self):
        values = [(one["direction"], one["host_memory"], one["size_bytes"])
                  for _, one in self.parameters("--transfer", "pinned,pageable", "--size", "4KiB,1MiB", "--direction",
                                                "to-device,both")]
        self.assertEqual(values, [(direction, memory, size) for direction in ("to-device", "both")
                                  for memory in ("pinned", "pageable") for size in (4096, 2**20)])

    def test_the_quick_set_has_all_of_them(self):
        report = self.predict()
        self.assertLessEqual(LINK_PROBES, {result["probe"] for result in report["results"]})
        self.assertEqual({result["status"] for result in report["results"]}, {"ok"})


class Formats(ProgramTest):
    COMMANDS = (("--zero-copy",), ("--transfer", "pinned,pageable"), ("--batching",), ("--overlap",))

    def test_json(self):
        for arguments in self.COMMANDS:
            with self.subTest(arguments):
                report = self.predict(*arguments)
                self.assertIsNone(report["host_placement"])  # nothing was placed
                self.assertGreater(len(report["results"]), 3)
                for result in report["results"]:
                    self.assertEqual(result["status"], "ok")
                    self.assertIn(result["compared"], result["parameters"])
                    self.assertGreater(result["bandwidth_gb_per_s"]["predicted"], 0)
                    self.check_spans(result["timeline"])
                    for site in result["access"]:
                        self.assertGreater(site["sectors_per_request"]["predicted"], 0)
                    fraction = result["fraction_of_peak"]
                    self.assertTrue(fraction is None or 0 < fraction <= 1, result)

    def check_spans(self, timeline):
        for span in timeline or []:
            self.assertGreaterEqual(span["start_s"], 0)
            self.assertGreaterEqual(span["end_s"], span["start_s"])

    def test_csv(self):
        for arguments in self.COMMANDS:
            with self.subTest(arguments):
                rows = list(csv.reader(io.StringIO(self.succeed("probe", *arguments, *MODEL, "--format", "csv"))))
                self.assertEqual(len(rows) - 1, len(self.predict(*arguments)["results"]))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_tables_show_the_alternatives_together(self):
        arguments = ("--transfer", "pinned,pageable", "--direction", "to-host", "--size", "4KiB,1MiB", *MODEL)
        for name in ("table", "markdown"):
            with self.subTest(name):
                text = self.succeed("probe", *arguments, "--format", name)
                self.assertEqual(sum("direction to-host" in line for line in text.splitlines()), 1, text)
                for cell in ("pinned", "pageable", "4 KiB", "1 MiB"):
                    self.assertIn(cell, text)

    def test_dry_run(self):
        report = strict_json(self.succeed("probe", "--zero-copy", "--dry-run", "--format", "json"))
        self.assertEqual({result["reason"] for result in report["results"]}, {"dry run"})
        self.assertEqual({result["parameters"]["placement"] for result in report["results"]}, {"mapped", "copied"})


class Errors(ProgramTest):
    def test_bad_values(self):
        for arguments, line in {
            ("--zero-copy", "maped"): "--zero-copy: 'maped' is not one of mapped, copied; did you mean 'mapped'?",
            ("--zero-copy="): "--zero-copy needs a value after the '='",
            ("--zero-copy", ""): "--zero-copy needs a value",
            ("--passes", "--zero-copy"): "--passes needs a value before the option '--zero-copy'",
            ("--transfer", "--size"): "--size needs a value before the option '--backend'",
            ("--transfer", "--size", "0"): "--size: 0 is below the minimum of 4",
            ("--transfer", "--size", "2TiB"): "--size: 2 TiB is above the maximum of 1 TiB (in '2TiB')",
            ("--copies", "3"): "--copies 3 does not divide --size 16777216 into pieces of whole 4-byte words; use --size "
                               "16777212",
            ("--direction", "bot"): "--direction: 'bot' is not one of to-device, to-host, both; did you mean 'both'?",
            ("--transfer", "--size", "6"): "--size 6 is not a multiple of the word size of 4 bytes; use 4",
            ("--zero-copy", "--word-bytes", "16", "--buffer", "40"):
                "--buffer 40 is not a multiple of the word size of 16 bytes; use 32",
            ("--zero-copy", "offset"):
                "--zero-copy: 'offset' is a probe and not one of mapped, copied; did you mean: gpumem probe zero-copy "
                "offset, or for that axis of zero-copy: --zero-copy --offset",
            ("--transfer", "transfer"):
                "--transfer: 'transfer' is a probe and not one of pageable, pinned, registered, write-combined; did you "
                "mean: gpumem probe transfer",
        }.items():
            with self.subTest(arguments):
                arguments = (arguments,) if isinstance(arguments, str) else arguments
                self.assertEqual(self.fail_with(2, "probe", *arguments, *MODEL), line)

    def test_last_on_the_line(self):
        self.assertEqual(self.fail_with(2, "probe", *MODEL, "--passes"), "--passes needs a value")
        self.assertEqual(self.fail_with(2, "probe", *MODEL, "--transfer", "--size"), "--size needs a value")

    def test_smallest_sizes_pass(self):
        self.predict("--transfer", "--size", "4")
        self.predict("--zero-copy", "--buffer", "4")

    def test_numa(self):
        for place in ("gpu", "off", "0", "7"):
            self.assertEqual(len(self.predict("--transfer", "pinned", "--size", "4KiB", "--direction", "to-host", "--numa",
                                              place)["results"]), 1)
        for bad in ("far", "-1", "0,1", "1KiB"):
            line = self.fail_with(2, "probe", "--transfer", "--numa", bad, *MODEL)
            self.assertTrue(line.startswith("--numa: "), line)
            self.assertIn(bad, line)

    def test_what_is_too_large_names_the_flag_to_make_smaller(self):
        for arguments, flag in ((("--zero-copy", "copied", "--buffer", "512GiB"), "--buffer"),
                                (("--transfer", "pinned", "--size", "512GiB"), "--size")):
            done = run("probe", *arguments, *MODEL, "--format", "json")
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stderr, rf"out of memory: needs [^\n]*iB, the GPU has 139.8 GiB; pass a smaller {flag}\n\Z")


class WithoutMapping(ProgramTest):
    """A GPU whose kernels cannot address host memory."""

    def setUp(self):
        super().setUp()
        profile = json.loads((Path(__file__).parents[2] / "configs/gpus/h200.json").read_text())
        profile["device"]["maps_host_memory"] = False
        self.profile = self.directory / "unable.json"
        self.profile.write_text(json.dumps(profile))
        if "/device/maps_host_memory: there is no such member" in self.probe("bank").stderr:
            self.skipTest("a profile cannot say that")

    def probe(self, *arguments):
        return run("probe", *arguments, "--backend", "model", "--gpu", str(self.profile), "--format", "json")

    def test_the_cases_it_cannot_run_are_skipped_and_said(self):
        done = self.probe("--zero-copy", "--op", "read", "--offset", "0", "--stride", "1", "--passes", "1,2")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"\Agpumem: 2 of 4 cases skipped; the first, zero-copy passes=1 placement=mapped: "
                                      r"[^\n]*host memory\n\Z")
        for result in strict_json(done.stdout)["results"]:
            mapped = result["parameters"]["placement"] == "mapped"
            self.assertEqual(result["status"], "skipped" if mapped else "ok")
            self.assertEqual(result["reason"] is None, not mapped)
            self.assertEqual(result["bandwidth_gb_per_s"]["predicted"] is None, mapped)

    def test_the_others_do_not_care(self):
        for flag in ("--transfer", "--batching", "--overlap"):
            self.assertEqual(self.probe(flag).returncode, 0)

    def test_a_failure_counts_more_than_a_skip(self):
        done = self.probe("--zero-copy", "--op", "read", "--offset", "0", "--stride", "1", "--passes", "1", "--buffer",
                          "64MiB,512GiB")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\Agpumem: \d of 4 cases failed; [^\n]+\ngpumem: \d of 4 cases skipped; [^\n]+\n\Z")


class Words(ProgramTest):
    def test_help(self):
        text = self.succeed("probe", "--help")
        for line in ("gpumem probe --transfer pinned,pageable", "gpumem probe --zero-copy", "--numa gpu|off|N"):
            self.assertIn(line, text)
        for probe in ("transfer", "zero-copy"):
            self.assertIn(f"--{probe} [VALUES]", self.succeed("probe", probe, "--help"))

    def test_list(self):
        probes = {probe["name"]: probe for probe in json.loads(self.succeed("list", "--json"))}
        self.assertLessEqual(LINK_PROBES, probes.keys())
        for name, compared, baseline in (("transfer", "host_memory", "pageable"), ("batching", "batching", "separate"),
                                         ("zero-copy", "placement", "mapped"), ("overlap", "overlap", "pageable"),
                                         ("offset", None, 0)):
            with self.subTest(name):
                self.assertEqual(probes[name]["compared"], compared)
                self.assertEqual(probes[name]["baseline"], baseline)
                self.assertEqual(probes[name]["baseline_of"], compared or probes[name]["swept"])
                optional = [axis["parameter"] for axis in probes[name]["axes"] if axis["value_optional"]]
                self.assertEqual(optional, [compared] if compared else [])
        text = self.succeed("list", "transfer")
        self.assertIn("compared in one table", " ".join(text.split()))
        self.assertIn("baseline pageable", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
