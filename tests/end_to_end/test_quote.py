"""Pages that quote a report: those of the repository say what their reports do, and what the quotes come to."""

import json
import subprocess
import sys
import unittest

from documents import PAGES, ROOT, quotes_of
from harness import ProgramTest

SCRIPT = ROOT / "report" / "quote.py"


class QuoteTest(ProgramTest):
    def run_script(self, page, *arguments):
        output = self.directory / "output.md"
        done = subprocess.run([sys.executable, SCRIPT, str(page), *map(str, arguments), "-o", str(output)],
                              capture_output=True, text=True, timeout=60, check=False)
        return done, output

    def renewed(self, page, *arguments):
        done, output = self.run_script(page, *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return output.read_text(encoding="utf-8")


class Pages(QuoteTest):
    def test_they_say_what_their_reports_do(self):
        quoting = [page for page in PAGES if "<!--= " in page.read_text(encoding="utf-8")]
        self.assertNotEqual(quoting, [])
        for page in quoting:
            with self.subTest(page.name):
                text = page.read_text(encoding="utf-8")
                self.assertEqual(text, quotes_of(page), "tests/end_to_end/documents.py writes it anew")
                self.assertNotIn("–<!--/-->", text, "something that its report lacks")


class Quotes(QuoteTest):
    def setUp(self):
        super().setUp()
        report = self.predict("--offset", "0,1")
        for result, rate in zip(report["results"], (4000.4, 3000.3)):
            result["headline"]["measured"] = rate
            result["bandwidth_gb_per_s"]["measured"] = rate
            result["time_seconds"] = {"median": rate * 1e-6}
            result["counters"] = {"achieved_occupancy": 0.7, "l2_read_sectors": 12, "l2_read_requests": 8,
                                  "load_throughput_gb_per_s": 12345.6}
        report["quantities"]["l2_read_sectors"] = {"unit": "sectors"}
        self.report = report
        self.path = self.directory / "report.json"

    def quote(self, asked):
        self.path.write_text(json.dumps(self.report), encoding="utf-8")
        page = self.directory / "page.md"
        page.write_text(f"<!--report report.json-->\nIt is <!--= {asked} -->old<!--/-->.\n", encoding="utf-8")
        return page

    def says(self, asked):
        text = self.renewed(self.quote(asked))
        before, after = f"<!--report report.json-->\nIt is <!--= {asked} -->", "<!--/-->.\n"
        self.assertTrue(text.startswith(before) and text.endswith(after), text)
        return text.removeprefix(before).removesuffix(after)

    def refused(self, asked):
        page = self.quote(asked)
        done, output = self.run_script(page)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertFalse(output.exists())
        self.assertRegex(done.stderr, r"\Aquote\.py: [^\n]+\n\Z")
        return done.stderr.strip().replace(f"{self.directory}/", "")

    def test_a_figure_has_three_digits_and_a_unit_to_read_it_in(self):
        self.assertEqual(self.says("offset offset_elements=1 bandwidth_gb_per_s"), "3000 GB/s")
        self.assertEqual(self.says("offset offset_elements=1 time_seconds"), "3.00 ms")
        self.assertEqual(self.says("offset offset_elements=1 achieved_occupancy"), "70.0 %")
        self.assertEqual(self.says("offset offset_elements=1 load_throughput_gb_per_s"), "12.3 TB/s")
        self.assertEqual(self.says("offset offset_elements=1 l2_read_sectors"), "12 sectors")

    def test_ratios(self):
        self.assertEqual(self.says("offset offset_elements=1 bandwidth_gb_per_s / offset_elements=0"), "0.750")
        self.assertEqual(self.says("offset offset_elements=1 l2_read_sectors / l2_read_requests"), "1.50")

    def test_several_cases(self):
        self.assertEqual(self.says("offset bandwidth_gb_per_s least"), "3000 GB/s")
        self.assertEqual(self.says("offset offset_elements=0,1 bandwidth_gb_per_s most"), "4000 GB/s")
        self.assertEqual(self.says("offset bandwidth_gb_per_s median"), "3500 GB/s")
        self.assertEqual(self.says("offset bandwidth_gb_per_s / offset_elements=0 least"), "0.750")

    def test_how_far_predictions_are_off(self):
        for result, rate in zip(self.report["results"], (4400.44, 2400.24)):
            result["headline"]["predicted"] = result["bandwidth_gb_per_s"]["predicted"] = rate
        self.assertEqual(self.says("offset offset_elements=0 bandwidth_gb_per_s error"), "10.0 %")
        self.assertEqual(self.says("offset bandwidth_gb_per_s error most"), "20.0 %")
        self.assertEqual(self.says("offset bandwidth_gb_per_s error median"), "15.0 %")

    def test_a_page_of_two_reports(self):
        page = self.quote("offset offset_elements=1 bandwidth_gb_per_s")
        other = json.loads(json.dumps(self.report))
        other["results"][1]["headline"]["measured"] = other["results"][1]["bandwidth_gb_per_s"]["measured"] = 1234
        (self.directory / "other.json").write_text(json.dumps(other), encoding="utf-8")
        text = page.read_text(encoding="utf-8")
        page.write_text(text + text.replace("report.json", "other.json"), encoding="utf-8")
        self.assertEqual([part.split("<!--/-->")[0] for part in self.renewed(page).split("bandwidth_gb_per_s -->")[1:]],
                         ["3000 GB/s", "1234 GB/s"])

    def test_the_device(self):
        self.assertEqual(self.says("device name"), "NVIDIA H200")
        self.assertEqual(self.says("device multiprocessors"), "132")
        self.assertEqual(self.says("device l2_bytes"), "62.9 MB")

    def test_auto_is_what_auto_chose(self):
        self.assertIn("0 cases", self.refused("offset offset_elements=0 elements_per_thread=4 bandwidth_gb_per_s"))
        self.assertEqual(self.says("offset offset_elements=0 elements_per_thread=auto bandwidth_gb_per_s"), "4000 GB/s")

    def test_what_a_report_lacks_is_a_dash(self):
        self.report["results"][1]["counters"] = None
        self.assertEqual(self.says("offset offset_elements=1 l2_read_sectors"), "–")
        self.assertEqual(self.says("offset offset_elements=0 l2_read_sectors / offset_elements=1"), "–")

    def test_a_skipped_case_says_why(self):
        self.report["results"][1] |= {"status": "skipped", "reason": "needs more"}
        self.assertEqual(self.says("offset offset_elements=1 time_seconds"), "skipped: needs more")

    def test_errors_name_the_place(self):
        self.assertEqual(self.refused("offset bandwidth_gb_per_s"),
                         "quote.py: page.md:2: 2 cases of report.json are 'offset', and a quote is of one, or of their"
                         " least, most, median")
        self.assertEqual(self.refused("offset offset_elements=1"),
                         "quote.py: page.md:2: 'offset offset_elements=1' is not a probe, values of its parameters and"
                         " one quantity")
        self.assertEqual(self.refused("device colour"),
                         "quote.py: page.md:2: report.json does not say the device's 'colour'")

    def test_a_page_that_names_no_report(self):
        page = self.directory / "plain.md"
        page.write_text("Nothing.\n", encoding="utf-8")
        done, _ = self.run_script(page)
        self.assertEqual(done.returncode, 2)
        self.assertIn("names no report; give one with --report", done.stderr)


if __name__ == "__main__":
    unittest.main()
