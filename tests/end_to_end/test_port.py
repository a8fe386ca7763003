"""gpumem port: the kernels of a recorded program on GPUs that nobody here has."""

import csv
import io
import json
import unittest
from pathlib import Path

from harness import WATCHED, ProgramTest, environment, has_library, has_watched, run, strict_json

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "configs" / "reference" / "h100" / "ported" / "operations_torch.json"
PROBES = ROOT / "configs" / "reference" / "h200" / "bank.json"


class Port(ProgramTest):
    def ported(self, gpus, report=REPORT):
        return strict_json(self.succeed("port", str(report), "--gpu", gpus, "--format", "json"))

    @staticmethod
    def watch(*options):
        """Runs a program that leaves what the library would have left on an H200."""
        # Any file will do for the sanitizer's library: nobody loads it.
        return run("run", *options, "--", WATCHED, "kernels", env=environment(GPUMEM_SANITIZER=str(Path(WATCHED).resolve())))

    def saved(self, report, name="changed.json"):
        path = self.directory / name
        path.write_text(json.dumps(report))
        return path

    def refused(self, *arguments):
        return self.fail_with(2, "port", *map(str, arguments))

    @has_library
    @has_watched
    def test_its_own_gpu_is_what_the_run_predicted(self):
        path = self.directory / "app.json"
        done = self.watch("--quiet", "--output", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(path.read_text())
        (gpu,) = self.ported("h200", path)["gpus"]
        self.assertFalse(gpu["other_machine_code"])
        self.assertEqual(len(gpu["kernels"]), 2)
        for kernel in gpu["kernels"]:
            predicted, launch = report["results"][kernel["result"]]["predicted_seconds"], kernel["launch"]
            self.assertEqual(launch["predicted_here_seconds"], predicted)
            self.assertLess(abs(launch["predicted_there_seconds"] / predicted - 1), 1e-3, kernel["kernel"])
            self.assertEqual(kernel["limit_here"], kernel["limit_there"])
            self.assertLess(abs(kernel["there"]["seconds"] / kernel["here"]["seconds"] - 1), 1e-3)

    @has_library
    @has_watched
    def test_run_shows_another_gpu_below_its_own_table(self):
        done = self.watch("--gpu", "b200")
        self.assertEqual(done.returncode, 0, done.stderr)
        own, _, there = done.stderr.partition("on NVIDIA B200, by profile 'b200'")
        self.assertIn("from profile 'h200'", own)
        self.assertIn("In all 2 kernels", there)
        done = self.watch("--gpu", "h200")
        self.assertNotIn("on NVIDIA H200, by profile", done.stderr)

    def test_sums_and_places_are_those_of_the_kernels(self):
        for gpu in self.ported("b200,l40s,h200")["gpus"]:
            known = [kernel for kernel in gpu["kernels"] if kernel["there"]["seconds"] is not None]
            for member in ("seconds", "low", "high"):
                self.assertAlmostEqual(gpu["there"][member], sum(kernel["there"][member] for kernel in known))
            self.assertAlmostEqual(gpu["here"]["seconds"], sum(kernel["here"]["seconds"] for kernel in known))
            for place, where in (("place_here", "here"), ("place_there", "there")):
                by_place = sorted(known, key=lambda kernel: kernel[place])
                self.assertEqual([kernel[place] for kernel in by_place], list(range(1, len(known) + 1)))
                seconds = [kernel[where]["seconds"] for kernel in by_place]
                self.assertEqual(seconds, sorted(seconds, reverse=True))

    def test_the_residue_follows_the_rule(self):
        for gpu in self.ported("b200,l40s,a100-80gb")["gpus"]:
            for kernel in gpu["kernels"]:
                launch = kernel["launch"]
                if kernel["there"]["seconds"] is None:
                    continue
                power = 1 if kernel["limit_here"] == kernel["limit_there"] else 0.5
                residue = (launch["here_seconds"] / launch["predicted_here_seconds"]) ** power
                self.assertAlmostEqual(launch["there_seconds"] / (launch["predicted_there_seconds"] * residue), 1)
                self.assertLess(kernel["there"]["low"], kernel["there"]["seconds"])
                self.assertGreater(kernel["there"]["high"], kernel["there"]["seconds"])

    def test_a_faster_memory_makes_copies_faster(self):
        def seconds(gpu):
            return self.ported(gpu)["gpus"][0]["there"]["seconds"]

        self.assertLess(seconds("b200"), seconds("h100"))
        self.assertLess(seconds("h100"), seconds("a100-80gb"))
        self.assertLess(seconds("a100-80gb"), seconds("t4"))

    def test_tables_are_no_wider_than_the_terminal(self):
        for width in (80, 200):
            text = self.succeed("port", str(REPORT), "--gpu", "b200,l40s", env=environment(COLUMNS=str(width)))
            self.assertLessEqual(max(map(len, text.splitlines())), width)
            self.assertIn("NVIDIA B200", text)
            self.assertIn("In all ", text)

    def test_csv_has_a_row_for_each_gpu_and_kernel(self):
        rows = list(csv.DictReader(io.StringIO(self.succeed("port", str(REPORT), "--gpu", "b200,l40s", "--format", "csv"))))
        gpus = self.ported("b200,l40s")["gpus"]
        self.assertEqual(len(rows), sum(len(gpu["kernels"]) for gpu in gpus))
        self.assertEqual({row["gpu"] for row in rows}, {"NVIDIA B200", "NVIDIA L40S"})

    def test_a_page_has_the_numbers(self):
        page = self.directory / "ported.html"
        self.succeed("port", str(REPORT), "--gpu", "b200", "-o", str(page))
        self.assertIn("Here and on NVIDIA B200", page.read_text())

    def test_older_reports_are_refused(self):
        report = json.loads(REPORT.read_text())
        for result in report["results"]:
            result.pop("work", None)
        self.assertIn("record it again", self.refused(self.saved(report), "--gpu", "b200"))
        for result in report["results"]:
            result["predicted_seconds"] = None
        self.assertIn("without --counters", self.refused(self.saved(report), "--gpu", "b200"))

    def test_wrong_input_is_one_line(self):
        self.assertIn("is a report of probes; gpumem show or gpumem expect is for it", self.refused(PROBES, "--gpu", "b200"))
        self.assertIn("b200, gh200", self.refused(REPORT))
        self.assertIn("port needs a report", self.refused("--gpu", "b200"))
        self.assertIn("no GPU profile 'b300'", self.refused(REPORT, "--gpu", "b300"))
        self.assertIn("are the same profile", self.refused(REPORT, "--gpu", "b200,B200"))
        self.assertIn("empty name", self.refused(REPORT, "--gpu", "b200,"))
        self.assertIn("Is a directory", self.refused(self.directory, "--gpu", "b200"))
        cut = self.directory / "cut.json"
        cut.write_text(REPORT.read_text()[:5000])
        self.assertIn("cut.json", self.refused(cut, "--gpu", "b200"))
        report = json.loads(REPORT.read_text())
        work = next(result["work"] for result in report["results"] if result.get("work"))
        work["sites"][0][0] = "nowhere"
        self.assertIn("/work/sites/0", self.refused(self.saved(report), "--gpu", "b200"))

    def test_a_report_with_work_is_shown_and_read_back(self):
        once = self.succeed("show", str(REPORT), "--format", "json")
        self.assertEqual(self.succeed("show", "-", "--format", "json", input=once), once)
        old, new = json.loads(REPORT.read_text()), strict_json(once)
        self.assertEqual([result.get("work") for result in old["results"]],
                         [result.get("work") for result in new["results"]])


if __name__ == "__main__":
    unittest.main()
