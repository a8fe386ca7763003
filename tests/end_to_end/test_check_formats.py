"""`gpumem check`: files and lines that other people's libraries read."""

import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

from checked_suite import NASTY, CheckTest

sys.path.append(str(Path(__file__).parents[2] / "build/tools"))  # where scripts/install-dependencies puts them
try:
    import junitparser
except ImportError:
    junitparser = None
try:
    import prometheus_client.openmetrics.parser as openmetrics
    import prometheus_client.parser as prometheus
except ImportError:
    openmetrics = prometheus = None


class Formats(CheckTest):
    def test_github(self):
        lines = self.check(self.write(), "--format", "github").stdout.splitlines()
        commands = [line for line in lines if line.startswith("::")]
        self.assertEqual([line.split(" ")[0] for line in commands], ["::notice", "::error", "::notice"])
        title, message = commands[1].removeprefix("::error title=").split("::", 1)
        self.assertNotIn(",", title)
        self.assertNotIn(":", title)
        self.assertIn("%25 %3A %2C", title)
        self.assertIn("< 0.95; offset", message)
        self.assertTrue(any(line.startswith("FAIL  nasty") for line in lines))

    def test_no_control_character_reaches_a_terminal(self):
        steering = "n\x1b[31mred\x1b[0m\x1b]0;pwn\x07"
        expectation = {"name": steering, "because": steering, "cases": {"probe": "offset", "offset": 1},
                       "relative_to": {"offset": 0}, "at_least": 5}
        for name in ("table", "github", "markdown"):
            done = self.check(self.write(name=steering, expectations=[expectation]), "--format", name)
            self.assertEqual(done.returncode, 1)
            self.assertNotRegex(done.stdout + done.stderr, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_markdown(self):
        text = self.check(self.write(), "--format", "markdown").stdout
        self.assertIn("| FAIL | nasty", text)
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        self.assertEqual({line.replace("\\|", "").count("|") for line in rows}, {5})

    def junit(self, *arguments):
        self.check(*arguments, "--junit", self.path("r.xml"))
        xml.etree.ElementTree.parse(self.path("r.xml"))
        if junitparser is None:
            self.skipTest("junitparser is not installed")
        return list(junitparser.JUnitXml.fromfile(self.path("r.xml")))

    def test_junit(self):
        own, = self.junit(self.write())
        self.assertEqual((own.name, own.tests, own.failures, own.skipped, own.errors), ("own", 5, 1, 2, 0))
        cases = {case.name: case for case in own}
        self.assertEqual(cases[NASTY].classname, "gpumem.own")
        result, = cases[NASTY].result
        self.assertIsInstance(result, junitparser.Failure)
        self.assertIn("< 0.95; offset", result.message)
        self.assertIsInstance(cases["memory reads"].result[0], junitparser.Skipped)
        self.assertFalse([entry for entry in cases["every case ran"].result
                          if isinstance(entry, (junitparser.Failure, junitparser.Skipped))])
        self.assertEqual({entry.name: entry.value for entry in own.properties()}["gpu"], "NVIDIA H200")

    def test_junit_of_several_suites(self):
        names = [one.name for one in self.junit(self.write(), self.write("other.json", name="other"))]
        self.assertEqual(names, ["own", "other"])

    @unittest.skipIf(openmetrics is None, "prometheus_client is not installed")
    def test_openmetrics(self):
        self.check(self.write(), "--openmetrics", self.path("r.prom"))
        text = (self.directory / "r.prom").read_text()
        self.assertTrue(text.endswith("# EOF\n"))
        for parser in (openmetrics, prometheus):
            families = {family.name: family for family in parser.text_string_to_metric_families(text)}
            self.assertEqual({family.type for family in families.values()}, {"gauge"})
            bandwidths = families["gpumem_bandwidth_bytes_per_second"].samples
            self.assertEqual(len(bandwidths), 4)
            self.assertEqual(bandwidths[0].labels["probe"], "offset")
            self.assertEqual(bandwidths[0].labels["reading"], "predicted")
            self.assertGreater(bandwidths[0].value, 1e12)
            passed = {sample.labels["check"]: sample.value for sample in families["gpumem_check_passed"].samples}
            self.assertEqual(passed[NASTY], 0)
            self.assertEqual(passed["every case ran"], 1)
            self.assertNotIn("memory reads", passed)
            skipped = {sample.labels["check"]: sample.value for sample in families["gpumem_check_skipped"].samples}
            self.assertEqual(skipped["memory reads"], 1)
            self.assertGreater(families["gpumem_last_run_timestamp_seconds"].samples[0].value, 1.7e9)


if __name__ == "__main__":
    unittest.main()
