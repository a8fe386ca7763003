"""gpumem portrait: the page and the table, of predictions and of saved reports."""

import json
import re
import unittest

from harness import MODEL, ProgramTest, run
from plots import GOLDEN, H200
from test_plot_page import browser

REPORT = str(H200 / "portrait.json")


class Portrait(ProgramTest):
    def page(self, *arguments):
        path = self.directory / "portrait.html"
        self.succeed("portrait", *arguments, "--quiet", "-o", str(path))
        self.assertLess(path.stat().st_size, 5_000_000)
        return path.read_text(encoding="utf-8")

    def test_of_predictions(self):
        page = self.page(*MODEL, "-o", str(self.directory / "report.json"))
        report = json.loads((self.directory / "report.json").read_text())
        self.assertEqual((report["backend"], report["suite"]), ("model", "portrait"))
        drawings = page.count('class="curve') and len(re.findall(r"<figure>", page))
        self.assertEqual(drawings, 6)
        # On every figure, beside the levels, and above them all.
        self.assertEqual(page.count("PREDICTED"), drawings + 2)
        self.assertNotIn(" measured", page.partition("</style>")[2].replace("Nothing was measured", ""))
        self.assertIn("Not as expected", self.page(self.changed_report("fail")))

    def changed_report(self, verdict):
        report = json.loads((H200 / "portrait.json").read_text())
        report["checks"][2]["verdict"] = verdict
        path = self.directory / "changed.json"
        path.write_text(json.dumps(report))
        return str(path)

    def test_it_needs_nothing_else(self):
        page = self.page(REPORT)
        self.assertEqual(re.findall(r"<script|https?://|src=|href=|url\(|@import", page), [])
        self.assertEqual(len(re.findall(r"<title>", page)), 1 + page.count("<circle"))
        cases = [case for case in json.loads((H200 / "portrait.json").read_text())["results"]
                 if case["probe"] == "stride" and case["parameters"]["op"] == "write"]
        told = [f"write, stride {case['parameters']['stride_elements']}" for case in cases]
        self.assertEqual([words for words in told if words not in page], [])

    def test_of_several(self):
        done = run("portrait", "--backend", "model", "--gpu", "v100", "-o", str(self.directory / "v100.json"), "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 115 cases skipped", done.stderr)  # a V100 has no clusters
        page = self.page(REPORT, str(self.directory / "v100.json"))
        self.assertIn("<h1>NVIDIA H200 and Tesla V100-SXM2-16GB</h1>", page)
        self.assertIn("dashed: PREDICTED", page)
        page = self.page(REPORT, REPORT)
        self.assertEqual(page.count("<h1>"), 1)

    def test_the_table_is_short(self):
        for width in ("80", "200"):
            done = run("portrait", REPORT, env={"COLUMNS": width, "PATH": "/usr/bin"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(done.stdout.count("\n"), 40)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), int(width))
        self.assertIn("L1 cache", done.stdout)
        self.assertIn("bank conflicts", done.stdout)

    def test_the_page_on_stdout(self):
        self.assertTrue(self.succeed("portrait", REPORT, "--format", "html").startswith("<!doctype html>"))
        self.assertEqual(json.loads(self.succeed("portrait", REPORT, "--format", "json"))["suite"], "portrait")

    def test_errors(self):
        nothing = str(GOLDEN / "overlap.json")
        self.assertEqual(self.fail_with(2, "portrait", nothing),
                         f"'{nothing}' has none of the cases that a portrait shows; make a report that has them: gpumem portrait -o FILE.json")
        self.assertIn("cannot read", self.fail_with(2, "portrait", "none.json"))
        self.assertIn("one JSON document holds one report", self.fail_with(2, "portrait", REPORT, REPORT, "--format", "json"))
        self.assertIn("portrait.csv", self.fail_with(2, "portrait", REPORT, "-o", str(self.directory / "portrait.csv")))
        self.assertIn("predict instead run: ", self.fail_with(3, "portrait", "--gpu", "h200"))
        self.assertIn("--gpu says how to measure or predict", self.fail_with(2, "portrait", REPORT, *MODEL))
        self.assertIn("--dry-run says", self.fail_with(2, "portrait", REPORT, "--dry-run"))
        self.assertEqual(run("portrait").returncode, 3)


class InABrowser(ProgramTest):
    def test_on_a_phone_and_in_the_dark(self):
        page = self.directory / "portrait.html"
        self.succeed("portrait", REPORT, REPORT, "--quiet", "-o", str(page))
        seen = browser()
        self.addCleanup(seen.quit)
        seen.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                             {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
        seen.execute_cdp_cmd("Emulation.setEmulatedMedia",
                             {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        seen.get(page.as_uri())
        self.assertLessEqual(seen.execute_script("return document.documentElement.scrollWidth"), 360)
        self.assertEqual(seen.execute_script("return getComputedStyle(document.body).backgroundColor"),
                         "rgb(22, 22, 26)")
        self.assertEqual(seen.get_log("browser"), [])


if __name__ == "__main__":
    unittest.main()
