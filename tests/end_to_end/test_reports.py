"""Reports of the model: the JSON contract, every format, and every combination of axes."""

import csv
import io
import re
import unittest

from harness import MODEL, ProgramTest, run, strict_json

NUMBER = (int, float)
NONE = type(None)


class Contract(ProgramTest):
    """The names and types of the JSON report that scripts rely on."""

    def has(self, value, **types):
        for name, expected in types.items():
            self.assertIn(name, value)
            self.assertIsInstance(value[name], expected, name)
            if expected in (int, NUMBER):
                self.assertNotIsInstance(value[name], bool, name)

    def check_report(self, report):
        self.has(report, schema_version=int, tool=dict, command=list, started_at=str, backend=str, host=dict,
                 host_placement=(dict, NONE), device=(dict, NONE), results=list)
        self.assertEqual(report["schema_version"], 1)
        self.assertIn(report["backend"], ("cuda", "model"))
        self.assertRegex(report["started_at"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z")
        self.has(report["tool"], name=str, version=str, git_commit=str, compiler=str, cuda_compiler=str, build_type=(str, NONE))
        self.assertEqual(report["tool"]["name"], "gpumem")
        self.has(report["host"], name=(str, NONE), os=(str, NONE), cpu=(str, NONE), memory_bytes=(int, NONE))
        if report["host_placement"] is not None:
            self.has(report["host_placement"], numa_node=(int, NONE), how=str)
        if report["device"] is not None:
            self.check_device(report["device"])
        for result in report["results"]:
            self.check_result(result)

    def check_device(self, device):
        self.has(device, name=str, uuid=(str, NONE), pci_bus_id=(str, NONE), compute_capability=str, multiprocessors=int,
                 l2_bytes=int, memory_bytes=int, memory_bus_bits=int, memory_clock_hz=int, sm_clock_hz=int,
                 theoretical_bandwidth_gb_per_s=NUMBER, ecc=(bool, NONE), mig=(bool, NONE), pcie=dict,
                 copy_engines=int, integrated=bool, maps_host_memory=bool, numa_node=(int, NONE), driver_version=(str, NONE), runtime_version=(str, NONE))
        self.has(device["pcie"], generation=(int, NONE), width=(int, NONE))

    def check_result(self, result):
        self.has(result, probe=str, parameters=dict, status=str, reason=(str, NONE), verified=(bool, NONE),
                 useful_bytes=dict, time_seconds=(dict, NONE), bandwidth_gb_per_s=dict,
                 fraction_of_peak=(int, float, NONE), access=list, bottleneck=(dict, NONE), counters=(dict, NONE),
                 metrics=dict, flags=list, swept=str, compared=(str, NONE), baseline=(int, str), timeline=(list, NONE))
        for span in result["timeline"] or []:
            self.has(span, stage=str, stream=int, start_s=NUMBER, end_s=NUMBER)
        self.assertIn(result["status"], ("ok", "skipped", "failed"))
        self.assertEqual(result["reason"] is None, result["status"] == "ok")
        self.has(result["useful_bytes"], read=int, written=int)
        self.has(result["bandwidth_gb_per_s"], measured=(int, float, NONE), predicted=(int, float, NONE))
        for value in result["parameters"].values():
            self.assertIsInstance(value, (int, str))
        for site in result["access"]:
            self.has(site, site=str, space=str, op=str, word_bytes=int, sectors_per_request=dict,
                     wavefronts_per_request=dict)
            self.assertIn(site["op"], ("load", "store", "atomic"))
            for quantity in ("sectors_per_request", "wavefronts_per_request"):
                self.has(site[quantity], predicted=(int, float, NONE), counted=(int, float, NONE))
        if result["bottleneck"] is not None:
            self.has(result["bottleneck"], predicted=str, counted=(str, NONE))
        for value in result["metrics"].values():
            self.assertIsInstance(value, (int, float, NONE))

    def test_prediction(self):
        report = self.predict()
        self.check_report(report)
        self.assertEqual(report["backend"], "model")
        self.assertEqual({result["probe"] for result in report["results"]} >= {"coalesced", "offset", "stride", "bank"}, True)
        for result in report["results"]:
            self.assertEqual(result["status"], "ok")
            self.assertIsNone(result["verified"])
            self.assertIsNone(result["time_seconds"])
            self.assertIsNone(result["bandwidth_gb_per_s"]["measured"])
            if result["predicted_seconds"] is None:  # the model's stages do not reach what it does
                chase = result["headline"]["quantity"] == "latency_cycles"  # of which a step is predicted
                unknown = (result["no_prediction"] or "").startswith("profile ")  # the rates that it takes
                self.assertEqual(result["headline"]["predicted"] is not None, chase and not unknown)
                self.assertIsNone(result["bottleneck"])
                self.assertIsNone(result["bandwidth_gb_per_s"]["predicted"])
                continue
            self.assertGreater(result["headline"]["predicted"], 0)
            if result["headline"]["peak"] is None:
                self.assertIsNone(result["fraction_of_peak"])  # nobody says what the level could do
            elif result["fraction_of_peak"] is None:  # data that crossed the link once and was used several times
                self.assertGreater(result["bandwidth_gb_per_s"]["predicted"], result["peak_gb_per_s"])
            else:
                self.assertGreater(result["fraction_of_peak"], 0)

    def test_command_is_argv(self):
        command = self.predict("--offset", "1,2")["command"]
        self.assertEqual(command[1:], ["probe", "--offset", "1,2", *MODEL, "--format", "json"])

    def test_dry_run(self):
        for backend, gpu in (("cuda", []), ("auto", []), ("model", ["--gpu", "h200"])):
            with self.subTest(backend):
                text = self.succeed("probe", "--offset", "0..4", "--dry-run", "--format", "json", "--backend", backend, *gpu)
                report = strict_json(text)
                self.check_report(report)
                self.assertEqual(report["backend"], "model" if backend == "model" else "cuda")
                self.assertIsNone(report["device"])
                self.assertEqual(len(report["results"]), 5)
                for result in report["results"]:
                    self.assertEqual((result["status"], result["reason"]), ("skipped", "dry run"))
                    self.assertEqual(result["parameters"]["elements_per_thread"], "auto")

    def test_another_gpu(self):
        text = self.succeed("probe", "--offset", "0,1", "--backend", "model", "--gpu", "v100", "--format", "json")
        report = strict_json(text)
        self.check_report(report)
        self.assertIn("V100", report["device"]["name"])

    def test_a_case_that_cannot_run_is_reported_and_the_others_run(self):
        done = run("probe", "--stride", "1,65536", "--buffer", "4GiB", *MODEL, "--format", "json")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"\Agpumem: 1 of 2 cases failed; [^\n]*needs 512 TiB, the GPU has 139.8 GiB[^\n]*\n\Z")
        report = strict_json(done.stdout)
        self.check_report(report)
        self.assertEqual([result["status"] for result in report["results"]], ["ok", "failed"])
        self.assertIn("512 TiB", report["results"][1]["reason"])


class Axes(ProgramTest):
    def parameters(self, *arguments):
        return [result["parameters"] for result in self.predict(*arguments)["results"]]

    def test_first_axis_varies_fastest(self):
        values = [(one["op"], one["word_bytes"], one["offset_elements"])
                  for one in self.parameters("--offset", "0..2", "--word-bytes", "4,16", "--op", "write,read")]
        self.assertEqual(values, [(op, word, offset) for op in ("write", "read") for word in (4, 16) for offset in range(3)])

    def test_ranges(self):
        for text, expected in {
            "0..32:8": [0, 8, 16, 24, 32],
            "1..1024*2": [2**n for n in range(11)],
            "1,2,5,8..10": [1, 2, 5, 8, 9, 10],
            "1KiB": [1024],
            "3,0..4": [3, 0, 1, 2, 4],
        }.items():
            with self.subTest(text):
                self.assertEqual([one["offset_elements"] for one in self.parameters(f"--offset={text}")], expected)

    def test_repeated_flags_are_merged(self):
        values = [one["offset_elements"] for one in self.parameters("--offset", "4", "--offset=0..1")]
        self.assertEqual(values, [4, 0, 1])

    def test_given_values_are_kept_and_the_rest_is_decided(self):
        for one in self.parameters("--stride", "1..3", "--elements-per-thread", "1", "--buffer", "64MiB"):
            self.assertEqual(one["elements_per_thread"], 1)
            self.assertEqual(one["buffer_bytes"], 64 * 2**20)
            self.assertIsInstance(one["block_threads"], int)

    def test_what_auto_chose_is_held_for_a_sweep(self):
        shapes = {(one["elements_per_thread"], one["block_threads"], one["buffer_bytes"])
                  for one in self.parameters("--offset", "0..8")}
        self.assertEqual(len(shapes), 1)
        self.assertTrue(all(isinstance(value, int) for value in shapes.pop()))

    def test_probes_and_axes_together(self):
        report = self.predict("--offset", "0,1", "--bank-stride", "1,2", "--word-bytes", "8")
        self.assertEqual([result["probe"] for result in report["results"]], ["bank", "bank", "offset", "offset"])
        self.assertEqual({result["parameters"]["word_bytes"] for result in report["results"]}, {8})

    def test_an_axis_of_some_probes_restricts_the_quick_set(self):
        probes = {result["probe"] for result in self.predict("--op", "read")["results"]}
        self.assertEqual(probes, {"bank", "blocked", "cluster", "coalesced", "layout", "offset", "pitch", "stride", "tile",
                                  "zero-copy"})

    def test_all_combinations_of_a_probe(self):
        results = self.predict("coalesced", "--op", "read,write,copy", "--word-bytes", "4,8,16", "--elements-per-thread",
                               "1,2,4,8", "--block-threads", "32,1024", "--buffer", "1MiB,256MiB")["results"]
        self.assertEqual(len(results), 4 * 3 * 3 * 4 * 2 * 2)
        self.assertEqual(len({str(result["parameters"]) for result in results}), len(results))


class Formats(ProgramTest):
    def test_table(self):
        text = self.succeed("probe", "--offset", "0..3", *MODEL)
        self.assertIn("PREDICTED", text.upper())
        self.assertNotIn("\x1b", text)
        self.assertEqual(self.succeed("probe", "--offset", "0..3", *MODEL, "--format", "table"), text)

    def test_csv(self):
        columns = set()
        for arguments in (["--offset", "0..3"], ["--bank-stride", "0..3"], []):
            rows = list(csv.reader(io.StringIO(self.succeed("probe", *arguments, *MODEL, "--format", "csv", "--columns", "all"))))
            self.assertGreater(len(rows), 4)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            columns.add(tuple(rows[0]))
            some = ("parameters.", "metrics.", "metrics_predicted.", "counters.")
            held = [name for name, *cells in zip(*rows) if any(cells) or not name.startswith(some)]
            slim = list(csv.reader(io.StringIO(self.succeed("probe", *arguments, *MODEL, "--format", "csv"))))
            self.assertEqual(slim[0], held)
            self.assertEqual({len(row) for row in slim}, {len(held)})
        self.assertEqual(len(columns), 1)

    def test_markdown(self):
        text = self.succeed("probe", "--offset", "0..3", *MODEL, "--format", "markdown")
        self.assertRegex(text, re.compile(r"^\|.*\|$", re.MULTILINE))


if __name__ == "__main__":
    unittest.main()
