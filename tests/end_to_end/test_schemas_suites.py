"""The JSON Schema of suites takes every suite we ship, and refuses what the program refuses."""

import json
import unittest

from harness import run
from schemas import ROOT, SchemaTest

# Members of an otherwise valid suite, and what is wrong with them.
BAD_SUITES = {
    "unknown member": {"probe": []},
    "other version": {"schema_version": 2},
    "version as text": {"schema_version": "1"},
    "empty name": {"name": ""},
    "purpose of the wrong type": {"purpose": 7},
    "no probes": {"probes": []},
    "probes of the wrong type": {"probes": {}},
    "probe without a name": {"probes": [{"axes": {}}]},
    "unknown member of a probe": {"probes": [{"probe": "bank", "axis": {}}]},
    "parameter for a flag": {"probes": [{"probe": "offset", "axes": {"offset_elements": 0}}]},
    "flag with dashes": {"probes": [{"probe": "offset", "axes": {"--offset": 0}}]},
    "axis without a value": {"probes": [{"probe": "offset", "axes": {"offset": ""}}]},
    "axis of no values": {"probes": [{"probe": "offset", "axes": {"offset": []}}]},
    "axis of a fraction": {"probes": [{"probe": "offset", "axes": {"offset": 0.5}}]},
    "axis of a negative number": {"probes": [{"probe": "offset", "axes": {"offset": -1}}]},
    "axis of true": {"probes": [{"probe": "offset", "axes": {"offset": True}}]},
    "axis of null": {"probes": [{"probe": "offset", "axes": {"offset": None}}]},
    "axis of nested arrays": {"probes": [{"probe": "offset", "axes": {"offset": [[0]]}}]},
    "entry with options of the suite": {"probes": [{"probe": "bank", "options": {"counters": True}}]},
    "unknown option": {"options": {"ci": "2%"}},
    "width as a number": {"options": {"ci_width": 0.02}},
    "width that is no share": {"options": {"ci_width": "wide"}},
    "budget without a unit": {"options": {"time_budget": "2"}},
    "budget of the wrong type": {"options": {"time_budget": 2}},
    "unknown node": {"options": {"numa": "far"}},
    "counters of the wrong type": {"options": {"counters": "yes"}},
    "expectations of the wrong type": {"expectations": {}},
    "null for nothing": {"options": None},
}
CASES = {"probe": "bank", "bank-stride": 1}
BAD_EXPECTATIONS = {
    "unknown member": {"cases": CASES, "at_leats": 1, "at_most": 2},
    "nothing to be about": {"at_least": 1},
    "no bound": {"cases": CASES},
    "bound of the wrong type": {"cases": CASES, "at_least": "1"},
    "equals without tolerance": {"cases": CASES, "equals": 1},
    "tolerance without equals": {"cases": CASES, "at_least": 1, "tolerance": "5%"},
    "equals and a bound": {"cases": CASES, "equals": 1, "tolerance": "5%", "at_least": 1},
    "tolerance as a number": {"cases": CASES, "equals": 1, "tolerance": 0.05},
    "cases without a probe": {"cases": {"bank-stride": 1}, "at_least": 1},
    "cases and a device": {"cases": CASES, "device": "pcie_width", "at_least": 1},
    "unknown device quantity": {"device": "pcie_with", "at_least": 1},
    "device without a bound": {"device": "pcie_width"},
    "device and a reference": {"device": "pcie_width", "at_least": 1, "relative_to": {}},
    "unknown flag": {"no_flags": ["throtled"]},
    "no flag": {"no_flags": []},
    "flag twice": {"no_flags": ["throttled", "throttled"]},
    "flags and a bound": {"no_flags": ["throttled"], "at_least": 1},
    "required of the wrong type": {"cases": CASES, "at_least": 1, "required": "yes"},
    "empty GPU": {"cases": CASES, "at_least": 1, "gpu": ""},
    "condition without a bound": {"cases": CASES, "where": {"quantity": "time_seconds"}, "at_least": 1},
    "condition without a quantity": {"cases": CASES, "where": {"at_least": 1}, "at_least": 1},
    "condition of a device": {"device": "pcie_width", "where": {"quantity": "x", "at_least": 1}, "at_least": 1},
    "because of the wrong type": {"cases": CASES, "at_least": 1, "because": 1},
}


class Suites(SchemaTest):
    name = "suite"

    def suite(self, **members):
        good = {"schema_version": 1, "name": "n", "purpose": "p", "probes": [{"probe": "bank"}],
                "expectations": [{"name": "e", "cases": CASES, "at_least": 1}]}
        return good | members

    def run_suite(self, suite):
        """A dry run of a suite."""
        file = self.directory / "suite.json"
        file.write_text(json.dumps(suite))
        return run("probe", "--config", str(file), "--dry-run", "--quiet")

    def test_shipped_suites(self):
        self.assert_all_valid((ROOT / "configs").glob("*.json"))

    def test_schema_and_program_take_what_the_bad_ones_differ_from(self):
        self.assert_valid(self.suite(), "the plain suite")
        self.assertEqual(self.run_suite(self.suite()).returncode, 0)
        rich = self.suite(
            options={"ci_width": "2 %", "time_budget": "1.5min", "numa": 0, "counters": "require"},
            probes=[{"probe": "bank", "axes": {"bank-stride": [0, "1..2"], "word-bytes": 4},
                     "options": {"ci_width": "0.01"}}],
            expectations=[{"name": "a", "cases": CASES, "where": {"quantity": "time_seconds", "at_least": 0}, "relative_to": {"bank-stride": 2}, "equals": -1,
                           "tolerance": "1%"},
                          {"name": "b", "device": "l2_bytes", "at_most": 1e12, "gpu": "X", "required": True},
                          {"name": "c", "no_flags": ["throttled"], "cases": {"probe": "bank"}, "because": ""}])
        self.assert_valid(rich, "a suite with everything")
        done = self.run_suite(rich)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_schema_and_program_refuse_the_same_suites(self):
        bad = {what: self.suite(**members) for what, members in BAD_SUITES.items()}
        for what, members in BAD_EXPECTATIONS.items():
            bad["expectation: " + what] = self.suite(expectations=[{"name": "e"} | members])
        for missing in ("schema_version", "name", "purpose", "probes"):
            bad["without " + missing] = {k: v for k, v in self.suite().items() if k != missing}
        of_kernels = bad["without probes"] | {"expectations": [{"name": "e", "cases": {"probe": "kernel"}, "at_least": 1}]}
        self.assert_valid(of_kernels, "a suite of kernels")
        self.assertRegex(self.run_suite(of_kernels).stderr, "has no probes to run")
        bad["options of kernels"] = of_kernels | {"options": {}}
        bad["nothing of kernels"] = of_kernels | {"expectations": []}
        for what, suite in bad.items():
            with self.subTest(what):
                self.assert_invalid(suite, what)
                done = self.run_suite(suite)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, r"\Agpumem: [^\n]*suite\.json: /[^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
