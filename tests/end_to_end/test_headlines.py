"""Probes that exist only here (tests/end_to_end/headlines) and are about no bandwidth, through the whole program: `chase`
samples a latency in cycles, without bytes or a prediction; `multiply` has GFLOP/s from its time, with both; from the
table of `capacity` follows how much a memory holds."""

import csv
import io
import json
import os
import re
import unittest
from pathlib import Path

from harness import environment, run, strict_json
from plots import PlotTest
from schemas import SCHEMAS, complaints, jsonschema
from test_plot_page import BrowserTest

WITH_HEADLINES = os.environ.get("GPUMEM_WITH_HEADLINES")
HEADLINES = {"chase": "latency_cycles", "multiply": "gflop_per_s", "capacity": "span_latency_cycles"}
SUITE = {"schema_version": 1, "name": "own", "purpose": "of other headlines",
         "probes": [{"probe": name} for name in HEADLINES],
         "expectations": [
             {"name": "loads are near", "cases": {"probe": "chase", "step": 1}, "at_most": 40},
             {"name": "twice the step, twice the cycles", "cases": {"probe": "chase", "step": 2},
              "relative_to": {"step": 1}, "at_least": 1.9, "at_most": 2.1},
             {"name": "it multiplies", "cases": {"probe": "multiply"}, "quantity": "gflop_per_s", "at_least": 1}]}


@unittest.skipUnless(WITH_HEADLINES, "the program with other headlines was not built")
class Headlines(PlotTest):
    def call(self, *arguments, pace="1", code=0, **options):
        done = run(*map(str, arguments), program=WITH_HEADLINES, env=environment(GPUMEM_TEST_PACE=pace, **options))
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def report(self, name="run.json", pace="1"):
        path = self.directory / name
        self.call("probe", *HEADLINES, "--quiet", "--output", path, pace=pace)
        return path

    def cases(self, report, probe):
        return [case for case in report["results"] if case["probe"] == probe]

    def test_json_has_the_headline_with_its_interval_and_nothing_that_is_not_there(self):
        report = strict_json(self.report().read_text())
        if jsonschema:
            self.assertEqual(complaints(strict_json((SCHEMAS / "report.schema.json").read_text()), report), [])
        for probe, quantity in HEADLINES.items():
            self.assertIn(quantity, report["quantities"])
            self.assertTrue(report["words"]["probes"][probe]["purpose"])
            for case in self.cases(report, probe):
                headline = case["headline"]
                self.assertEqual(headline["quantity"], quantity)
                self.assertLessEqual(headline["ci95_low"], headline["measured"])
                self.assertLessEqual(headline["measured"], headline["ci95_high"])
                self.assertEqual(headline["measured"], case["metrics"][quantity])
        chase, multiply = self.cases(report, "chase")[0], self.cases(report, "multiply")[0]
        self.assertEqual(len(chase["headline"]["samples"]), 15)
        self.assertIsNone(chase["headline"]["predicted"])
        self.assertIsNone(chase["predicted_seconds"])
        self.assertEqual(chase["bandwidth_gb_per_s"], {"measured": None, "predicted": None})
        self.assertIsNone(multiply["headline"]["samples"])
        self.assertAlmostEqual(multiply["headline"]["measured"],
                               multiply["useful_flops"] / multiply["time_seconds"]["median"] / 1e9)
        self.assertAlmostEqual(multiply["headline"]["predicted"],
                               multiply["useful_flops"] / multiply["predicted_seconds"] / 1e9)
        self.assertEqual(multiply["headline"]["peak"], 20000)
        self.assertAlmostEqual(multiply["fraction_of_peak"], multiply["headline"]["measured"] / 20000)
        self.assertEqual([(one["probe"], one["quantities"]) for one in report["conclusions"]],
                         [("capacity", {"near_capacity_bytes": {"measured": 262144, "predicted": None}})])

    def test_better_is_better_whichever_way_that_is(self):
        report = strict_json(self.report().read_text())
        relative = [case["relative_to_baseline"]["measured"] for case in self.cases(report, "chase")]
        self.assertEqual([round(value, 3) for value in relative], [1, 0.5, 0.25])
        self.assertEqual({case["parameters"]["chains"] for case in self.cases(report, "chase")}, {1},
                         "auto takes the shape of the lowest latency")
        self.assertGreater(self.cases(report, "multiply")[1]["relative_to_baseline"]["measured"], 1)

    def test_tables_show_the_headline_and_what_the_table_concludes(self):
        path = self.report()
        for width in ("80", "200"):
            text = self.call("show", path, COLUMNS=width).stdout
            for expected in ("latency", "GFLOP/s", "Near capacity: 256 KiB."):
                self.assertIn(expected, " ".join(text.split()))
            self.assertNotIn("GB/s", text.replace("4814 GB/s theoretical", ""))
            self.assertTrue(all(len(line) <= int(width) for line in text.splitlines()))
        self.assertIn("| 1 | 32.0 |", self.call("show", path, "--format", "markdown").stdout)
        self.assertEqual(strict_json(self.call("show", path, "--format", "json").stdout), strict_json(path.read_text()))

    def test_csv_has_a_column_of_each(self):
        rows = list(csv.DictReader(io.StringIO(self.call("show", self.report(), "--format", "csv").stdout)))
        for row in rows:
            self.assertEqual(row["headline.quantity"], HEADLINES[row["probe"]])
            self.assertEqual(row["headline.measured"], row["metrics." + HEADLINES[row["probe"]]])
            self.assertEqual(row["metrics.near_capacity_bytes"], "262144.0" if row["probe"] == "capacity" else "")

    def test_explain_list_and_completion_know_them(self):
        text = self.call("explain", self.report(), "step=2").stdout
        self.assertRegex(text, r"Measured 64\.0 cycles")
        self.assertIn("latency_cycles", self.call("list", "chase").stdout)
        self.assertIn("chase", self.call("list").stdout)

    def test_compare_says_slower_of_what_takes_longer(self):
        old, new = self.report("old.json"), self.report("new.json", pace="1.1")
        comparison = strict_json(self.call("compare", old, new, "--format", "json").stdout)
        verdicts = {new["verdict"] for case in comparison["cases"] for new in case["new"]}
        self.assertEqual(verdicts, {"slower"})
        done = self.call("compare", old, new, "--fail-on-regression", "5%", code=1)
        self.assertIn("slower by more than 5 %", done.stderr)
        again = self.report("again.json")
        self.assertIn("11 same", self.call("compare", old, again).stdout)
        one = self.call("compare", old, new, "step=1").stdout
        self.assertIn("chase", one)
        self.assertNotIn("multiply", one)

    def test_a_fleet_finds_the_machine_that_lags(self):
        folder = self.directory / "fleet"
        folder.mkdir()
        for machine in range(7):
            report = json.loads(self.report(pace="1.2" if machine == 4 else str(1 + 1e-4 * machine)).read_text())
            report["host"]["name"] = f"node{machine}"
            report["device"]["uuid"] = f"GPU-{machine}"
            (folder / f"node{machine}.json").write_text(json.dumps(report))
        fleet = strict_json(self.call("compare", "--fleet", folder, "--format", "json").stdout)
        self.assertEqual([Path(one["file"]).stem for one in fleet["machines"] if one["stands_out"]], ["node4"])
        text = self.call("compare", "--fleet", folder, COLUMNS="120").stdout
        for quantity in ("cycles", "GFLOP/s"):
            self.assertIn(quantity, text)

    def test_checks_hold_the_headline_unless_told_otherwise(self):
        suite = self.directory / "suite.json"
        suite.write_text(json.dumps(SUITE))
        files = [self.directory / name for name in ("checked.json", "junit.xml", "gauges.prom")]
        text = self.call("check", suite, "--output", files[0], "--junit", files[1], "--openmetrics", files[2]).stdout
        self.assertIn("5 passed, 0 failed, 0 skipped", text)
        gauges = files[2].read_text()
        self.assertRegex(gauges, r'gpumem_headline\{[^}]*probe="chase"[^}]*quantity="latency_cycles"[^}]*\} 32\.')
        self.assertRegex(gauges, r'gpumem_conclusion\{[^}]*quantity="near_capacity_bytes"[^}]*\} 262144')
        self.assertIn("twice the step", files[1].read_text())
        text = self.call("check", suite, pace="1.5", code=1).stdout
        self.assertRegex(text, r"48\.\d cycles")

    def test_plots_draw_them(self):
        report = self.report()
        drawn = re.sub(r"\s+", " ", self.plot("run.svg", report).read_text())
        for expected in ("latency", "GFLOP/s", "dependent loads: the latency of each"):
            self.assertIn(expected, drawn)
        self.assertTrue(self.plot("run.png", report).read_bytes().startswith(b"\x89PNG"))


@unittest.skipUnless(WITH_HEADLINES, "the program with other headlines was not built")
class HeadlinesOnThePage(BrowserTest):
    def test_the_page_draws_them(self):
        report = self.directory / "run.json"
        run("probe", *HEADLINES, "--quiet", "--output", str(report), program=WITH_HEADLINES)
        self.open(report)
        text = self.browser.find_element("css selector", "body").text
        for expected in ("latency", "GFLOP/s", "256 KiB"):
            self.assertIn(expected, text)


if __name__ == "__main__":
    unittest.main()
