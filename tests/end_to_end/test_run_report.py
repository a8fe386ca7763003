"""The report of gpumem run without a GPU: what the library would have left is shown, compared and checked."""

import json
import unittest
from pathlib import Path

from harness import WATCHED, environment, has_library, has_watched, run, strict_json
from watching import RunTest


@has_library
@has_watched
class Report(RunTest):
    """The report of a command that leaves the data that the library would."""

    def setUp(self):
        super().setUp()
        self.variables |= {"GPUMEM_SANITIZER": str(Path(WATCHED).resolve())}  # any file: nobody loads it

    def test_table_goes_to_stderr(self):
        done = self.watch(WATCHED, "kernels", "7")
        self.assertEqual((done.returncode, done.stdout), (7, b""))
        self.assertIn("transpose", done.stderr.decode())

    def test_files_and_formats(self):
        report, table = self.directory / "report.json", self.directory / "report.md"
        done = self.watch(WATCHED, "kernels", options=("--quiet", "--output", report, "--output", table))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        program, results = (strict_json(report.read_text())[member] for member in ("program", "results"))
        self.assertEqual((program["command"], program["exit_code"]), ([WATCHED, "kernels"], 0))
        self.assertEqual([one["parameters"]["kernel"] for one in results][0], "transpose(float*, float const*)")
        self.assertIn("transpose", table.read_text())
        shown = self.watch(WATCHED, "kernels", options=("--format", "json"))
        self.assertEqual([one["parameters"] for one in strict_json(shown.stderr.decode())["results"]],
                         [one["parameters"] for one in results])
        self.assertIn("transpose", self.succeed("show", str(report)))

    def test_processes_are_one_report(self):
        report = self.directory / "report.json"
        self.watch("sh", "-c", f'"{WATCHED}" kernels & "{WATCHED}" kernels; wait', options=("--output", report))
        merged = strict_json(report.read_text())
        self.assertEqual((merged["program"]["processes"], merged["program"]["launches_seen"]), (2, 60))
        self.assertEqual(len(merged["results"]), 2)

    def test_died_in_the_middle(self):
        report = self.directory / "report.json"
        done = self.watch("sh", "-c", f'"{WATCHED}" cut; kill -KILL $$', options=("--output", report))
        self.assertEqual(done.returncode, 137)
        self.assertEqual(strict_json(report.read_text())["program"]["exit_code"], 137)
        self.assertIn("transpose", done.stderr.decode())

    def test_cannot_be_watched(self):
        report = self.directory / "report.json"
        line = self.refused("--output", str(report), "--", WATCHED, "fatal", "1", code=3)
        self.assertIn("its own exit code was 1", line)
        self.assertIn("another tool has it", line)
        self.assertEqual(strict_json(report.read_text())["results"], [])

    def test_no_sanitizer(self):
        if Path("/usr/local/cuda/compute-sanitizer").exists():
            self.skipTest("there is one")
        bare = {"TMPDIR": str(self.temporary), "PATH": "/nowhere"}
        line = self.refused("--", str(Path(WATCHED).resolve()), "fatal", code=3, env=bare)
        self.assertIn("pip install nvidia-cuda-sanitizer-api", line)

    def test_another_library_was_to_be_injected(self):
        report = self.directory / "report.json"
        self.watch(WATCHED, "kernels", options=("--output", report), env=self.variables | {"CUDA_INJECTION64_PATH": "/theirs.so"})
        notes = strict_json(report.read_text())["program"]["notes"]
        self.assertEqual(len(notes), 1)
        self.assertIn("CUDA_INJECTION64_PATH names /theirs.so, which was not loaded", notes[0])

    def test_another_library_was_to_see_ranges(self):
        report = self.directory / "report.json"
        done = self.watch("sh", "-c", f'"{WATCHED}" kernels; echo $NVTX_INJECTION64_PATH', options=("--output", report),
                          env=self.variables | {"NVTX_INJECTION64_PATH": "/theirs.so"})
        self.assertEqual(done.stdout, b"/theirs.so\n")
        (note,) = strict_json(report.read_text())["program"]["notes"]
        self.assertIn("NVTX_INJECTION64_PATH is /theirs.so and was kept", note)

    def test_ranges_are_a_column_where_there_are_any(self):
        report = self.directory / "report.json"
        for what, ranges in (("ranges", ["step, ...", None]), ("kernels", [None, None])):
            done = self.watch(WATCHED, what, options=("--output", report))
            results = strict_json(report.read_text())["results"]
            self.assertEqual([one.get("range") for one in results], ranges)
            self.assertEqual("step, ..." in done.stderr.decode(), what == "ranges")

    def test_the_time_of_a_repeat_stands_for_that_of_a_launch_that_is_alone(self):
        report = self.directory / "once.json"
        done = self.watch(WATCHED, "once", options=("--output", report))
        self.assertIn("the time is that of a repeat", " ".join(done.stderr.decode().split()))
        document = strict_json(report.read_text())
        self.assertIn("time_of_repeat", document["watched_flags"])
        alone, copy = sorted(document["results"], key=lambda one: one["metrics"]["launches"])
        self.assertIn("time_of_repeat", alone["flags"])
        self.assertEqual(alone["metrics"]["launches"], 1)
        self.assertAlmostEqual(alone["metrics"]["gpu_time_seconds"], 900e-6)
        self.assertEqual(alone["time_seconds"]["count"], 1)
        self.assertAlmostEqual(alone["time_seconds"]["median"], 900e-6)
        self.assertIsNone(alone["metrics_predicted"].get("gpu_time_seconds"))
        self.assertNotIn("time_of_repeat", copy["flags"])  # real launches are better
        self.assertAlmostEqual(copy["time_seconds"]["median"], 100e-6)
        self.assertAlmostEqual(document["program"]["gpu_seconds"], 900e-6 + 20 * 100e-6)

    def test_graphs_that_nobody_saw(self):
        """Their time is in no sum, and no share is of it."""
        report = self.directory / "report.json"
        words = " ".join(self.watch(WATCHED, "graphs", options=("--output", report)).stderr.decode().split())
        self.assertIn("12 launches of CUDA graphs were not seen, and their kernels are in no sum; add --counters", words)
        self.assertIn("1 kernel is fine: 17 % of the GPU time that is known.", words)
        program = strict_json(report.read_text())["program"]
        self.assertAlmostEqual(program["gpu_seconds"], 12e-3)
        self.assertIn(12, program["skipped"].values())
        self.assertIn("of the GPU time that is known", " ".join(self.succeed("show", str(report)).split()))

    def test_counters_instead_of_sites(self):
        report = self.directory / "report.json"
        done = self.watch(WATCHED, "kernels", options=("--counters", "--output", report), env=self.with_cupti())
        self.assertIn("30 launches of", done.stderr.decode())
        self.assertIn("6 launches counted", done.stderr.decode())
        self.assertIn("not counted: counting takes more launches than it had; add --replay", " ".join(done.stderr.decode().split()))
        transpose, copy = strict_json(report.read_text())["results"]
        self.assertEqual((transpose["counters"]["global_load_sectors"], transpose["access"]), (32 << 20, []))
        self.assertEqual((copy["status"], copy["counters"]), ("skipped", None))

    def test_sites_and_counters_are_two_runs(self):
        report, apart, counted = (self.directory / name for name in ("both.json", "sites.json", "counters.json"))
        done = self.watch("sh", "-c", f'echo ran; "{WATCHED}" kernels', options=("--counters", "--sites", "--output", report),
                          env=self.with_cupti())
        self.assertEqual(done.stdout, b"ran\nran\n")
        self.assertIn("the command runs once more, to be counted", done.stderr.decode())
        both = strict_json(report.read_text())
        self.assertEqual(both["program"]["engines"], ["sites", "counters"])
        (load,) = both["results"][0]["access"]
        self.assertEqual(load["sectors_per_request"], {"predicted": 32, "counted": 32, "least": 4})
        # The same from reports of two runs, in whichever order.
        self.watch(WATCHED, "kernels", options=("--output", apart))
        self.watch(WATCHED, "kernels", options=("--counters", "--output", counted), env=self.with_cupti())
        texts = {run("explain", str(one), str(other)).stdout for one, other in ((apart, counted), (counted, apart))}
        self.assertEqual(len(texts), 1)
        self.assertIn("sectors per load", texts.pop())
        self.assertIn("gpumem compare", self.fail_with(2, "explain", str(apart), str(apart)))

    def test_a_command_that_fails_is_not_run_again(self):
        done = self.watch("sh", "-c", f'echo ran; "{WATCHED}" kernels 3', options=("--counters", "--sites"), env=self.with_cupti())
        self.assertEqual((done.returncode, done.stdout), (3, b"ran\n"))
        self.assertIn("not run again", done.stderr.decode())

    def test_no_cupti(self):
        if any(list(Path("/usr/local").glob(f"cuda*/{place}/libcupti.so.*")) for place in ("extras/CUPTI/lib64", "lib64")):
            self.skipTest("there is one")
        bare = {"TMPDIR": str(self.temporary), "PATH": "/nowhere"}
        line = self.refused("--counters", "--", str(Path(WATCHED).resolve()), "fatal", code=3, env=bare)
        self.assertIn("pip install nvidia-cuda-cupti", line)

    def test_replay_is_of_counters(self):
        self.assertIn("--counters", self.refused("--replay", "--", "true"))
        self.assertIn("--counters", self.refused("--sites", "--replay", "--", "true"))
    def test_kernels_are_held_to_expectations(self):
        report, suite = self.directory / "report.json", self.directory / "suite.json"
        self.watch(WATCHED, "kernels", options=("--output", report))
        text = self.succeed("check", str(report), "--verbose")
        self.assertIn("PASS  the program ended well", text)

        def check(quantity, kernel, **bounds):
            one = {"name": "e", "cases": {"probe": "kernel", "kernel": kernel}, "quantity": quantity} | bounds
            suite.write_text(json.dumps({"schema_version": 1, "name": "own", "purpose": "p", "expectations": [one]}))
            done = run("check", str(suite), str(report), env=environment(COLUMNS="200"))
            return done.returncode, done.stdout

        code, text = check("bytes_moved_per_byte_used", "transpose|copy", at_most=1.2)
        self.assertEqual(code, 1)
        self.assertIn("8.00 > 1.2  transpose: 8 bytes moved per byte used", text)
        self.assertEqual(check("bytes_moved_per_byte_used", "^copy", at_most=1.2)[0], 0)
        self.assertEqual(check("bytes_moved_per_byte_used", "^copy", at_most=1.2, where={"quantity": "launches", "at_least": 21})[0], 1)
        self.assertEqual(check("gpu_time_share", "transpose", at_least=0.8)[0], 0)
        self.watch(WATCHED, "kernels", "1", options=("--output", report))
        self.assertRegex(run("check", str(report)).stdout, "FAIL +the program ended well +exit code 1\n")
        self.assertEqual(check("gpu_time_share", "transpose", at_least=0.8)[0], 1)

    def test_two_runs_are_compared(self):
        before, after = self.directory / "before.json", self.directory / "after.json"
        self.watch(WATCHED, "kernels", options=("--output", before))
        report = strict_json(before.read_text())
        self.assertEqual([one["first_launch"] for one in report["results"]], [0, 1])
        report["results"][0]["parameters"]["kernel"] = "transpose_tile(float*, float const*)"
        for member in ("median", "ci95_low", "ci95_high"):
            if report["results"][0]["time_seconds"][member]:
                report["results"][0]["time_seconds"][member] /= 2
        after.write_text(json.dumps(report))
        text = self.succeed("compare", str(before), str(after), env=environment(COLUMNS="120"))
        self.assertIn("matched by place: transpose -> transpose_tile", text)
        self.assertIn("GPU time of the program: ", text)
        self.assertRegex(text, r"transpose +1000 +500 +\+100\.0 ")
        self.assertEqual(self.succeed("compare", str(before), str(after), "kernel=^copy").count("matched by place"), 0)
        probes = self.directory / "probes.json"
        run("probe", "--offset", "0", "--backend", "model", "--output", str(probes))
        self.assertIn("is of a program", self.fail_with(2, "compare", str(before), str(probes)))

    def test_raw_files_can_be_kept_and_shown_again(self):
        kept = self.directory / "new" / "kept"
        first, again = self.directory / "first.json", self.directory / "again.json"
        self.watch(WATCHED, "kernels", options=("--output", first), env=self.variables | {"GPUMEM_RUN_KEEP": str(kept)})
        self.assertTrue(list(kept.glob("*.events")))
        done = self.watch("sh", "-c", "exit 3", options=("--output", again), env=self.variables | {"GPUMEM_RUN_RAW": str(kept)})
        self.assertEqual(done.returncode, 3)
        self.assertEqual(*(strict_json(report.read_text())["results"] for report in (first, again)))
        self.assertIn("another run", self.refused("--", "true", env=self.variables | {"GPUMEM_RUN_KEEP": str(kept)}))


if __name__ == "__main__":
    unittest.main()
