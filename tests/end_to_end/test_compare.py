"""`gpumem compare`: saved reports held against each other, and the gate made of it."""

import copy
import csv
import io
import json
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest, environment, run, strict_json

REFERENCES = Path(__file__).parents[2] / "configs" / "reference" / "h200"
OFFSET = REFERENCES / "offset.json"


def slowed(report, factor, chosen=lambda result: True):
    """The report as if the chosen cases had run at `factor` of their speed."""
    slow = copy.deepcopy(report)
    for result in filter(chosen, slow["results"]):
        for member in ("median", "ci95_low", "ci95_high", "min", "p05", "p95"):
            result["time_seconds"][member] /= factor
        result["time_seconds"]["samples"] = [sample / factor for sample in result["time_seconds"]["samples"]]
        result["bandwidth_gb_per_s"]["measured"] *= factor
    return slow


def is_case(**parameters):
    return lambda result: parameters.items() <= result["parameters"].items()


class CompareTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.report = json.loads(OFFSET.read_text())

    def save(self, name, report):
        path = self.directory / name
        path.write_text(report if isinstance(report, str) else json.dumps(report))
        return str(path)

    def compare(self, *reports, options=()):
        """The comparison as JSON; the first report is OLD."""
        paths = [self.save(f"{i}.json", report) for i, report in enumerate(reports)]
        return strict_json(self.succeed("compare", *paths, "--format", "json", *options))


class Verdicts(CompareTest):
    def test_a_copy_is_the_same(self):
        compared = self.compare(self.report, self.report)
        self.assertEqual(compared["differences"], [])
        self.assertEqual({case["new"][0]["verdict"] for case in compared["cases"]}, {"same"})
        self.assertEqual(compared["summary"][0]["same"], len(self.report["results"]))

    def test_only_what_changed_is_slower_or_faster(self):
        new = slowed(self.report, 0.9, is_case(offset_elements=3))
        new = slowed(new, 1.2, is_case(offset_elements=5))
        compared = self.compare(self.report, new)
        for case in compared["cases"]:
            offset = case["parameters"]["offset_elements"]
            self.assertEqual(case["new"][0]["verdict"], {3: "slower", 5: "faster"}.get(offset, "same"), offset)
            ratio = case["new"][0]["speed_ratio"]
            self.assertLessEqual(ratio["ci95_low"], ratio["value"])
            self.assertGreaterEqual(ratio["ci95_high"], ratio["value"])
            self.assertAlmostEqual(ratio["value"], {3: 0.9, 5: 1.2}.get(offset, 1))

    def test_the_tolerance_decides_what_is_the_same(self):
        new = slowed(self.report, 0.97)
        for tolerance, verdict in (("1%", "slower"), ("5%", "same")):
            compared = self.compare(self.report, new, options=("--tolerance", tolerance))
            self.assertEqual({case["new"][0]["verdict"] for case in compared["cases"]}, {verdict})

    def test_shapes_that_auto_decided_differently_are_named(self):
        new = copy.deepcopy(self.report)
        for result in new["results"]:
            result["parameters"]["buffer_bytes"] //= 2
        compared = self.compare(self.report, new)
        self.assertEqual([difference["member"] for difference in compared["differences"]],
                         ["results.parameters.buffer_bytes"])
        self.assertEqual(compared["differences"][0]["cases"], len(new["results"]))
        self.assertEqual({case["new"][0]["verdict"] for case in compared["cases"]}, {"same"})

    def test_more_reports_are_each_compared_with_the_first(self):
        compared = self.compare(self.report, slowed(self.report, 0.5), self.report)
        self.assertEqual([one["slower"] for one in compared["summary"]], [len(self.report["results"]), 0])
        self.assertEqual(len(compared["new"]), 2)

    def test_the_differences_of_the_runs_are_named(self):
        new = copy.deepcopy(self.report)
        new["device"]["driver_version"] = "999.1"
        new["device"]["pcie"]["width"] = 8
        new["device"]["ecc"] = False
        new["tool"]["build_type"] = "Debug"
        new["host"]["name"] = "another"
        compared = self.compare(self.report, new)
        members = {one["member"]: (one["new"], one["minor"]) for one in compared["differences"]}
        self.assertEqual(members, {"device.driver_version": ("999.1", False), "device.pcie.width": ("8", False),
                                   "device.ecc": ("off", False), "tool.build_type": ("Debug", False),
                                   "host.name": ("another", True)})

    def test_reports_without_common_cases_are_said_to_have_none(self):
        done = run("compare", str(OFFSET), str(REFERENCES / "bank.json"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("have no case in common that ran in both", done.stderr)
        self.assertIn("Nothing could be compared", done.stdout)

    def test_predictions_are_said_to_be_some(self):
        old, new = self.directory / "old.json", self.directory / "new.json"
        self.succeed("probe", "--offset", "0..8", *MODEL, "--quiet", "--output", str(old))
        self.succeed("probe", "--offset", "0..8", "--backend", "model", "--gpu", "v100", "--quiet",
                     "--output", str(new))
        table = self.succeed("compare", str(old), str(new))
        self.assertTrue(table.startswith("PREDICTED by the model"), table)
        self.assertIn("GPU NVIDIA H200 -> ", table)
        self.assertTrue(self.succeed("compare", str(OFFSET), str(new)).startswith("MEASURED against PREDICTED"))


class Gate(CompareTest):
    def gate(self, new, *options, share="3%"):
        old, new = self.save("old.json", self.report), self.save("new.json", new)
        return run("compare", old, new, "--fail-on-regression", share, *options)

    def test_a_slowdown_fails_with_one_line(self):
        done = self.gate(slowed(self.report, 0.95, is_case(offset_elements=3)))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Agpumem: \S+new\.json: \d+ cases? slower by more than 3 % "
                                      r"\(worst: offset 3.*: -5\.0 %\)\n\Z")
        self.assertIn("slower", done.stdout)

    def test_what_is_faster_or_within_the_share_passes(self):
        for factor in (1, 1.5, 0.975):
            done = self.gate(slowed(self.report, factor))
            self.assertEqual((done.returncode, done.stderr), (0, ""), factor)

    def test_a_smaller_share_than_the_default_tolerance_counts(self):
        self.assertEqual(self.gate(slowed(self.report, 0.993), share="0.1%").returncode, 1)

    def test_cases_that_cannot_be_told_are_counted_and_do_not_fail(self):
        wide = slowed(self.report, 0.96)
        for result in wide["results"]:
            result["time_seconds"]["ci95_low"] *= 0.9
            result["time_seconds"]["ci95_high"] *= 1.1
        done = self.gate(wide)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{len(wide['results'])} cases may be slower by more than 3 %; to decide it, measure", done.stderr)
        self.assertEqual(self.gate(wide, "--quiet").stderr, "")

    def test_a_case_that_fails_now_fails(self):
        new = copy.deepcopy(self.report)
        new["results"][4] |= {"status": "failed", "reason": "the GPU fell off the bus", "verified": None,
                              "time_seconds": None, "bandwidth_gb_per_s": {"measured": None, "predicted": 4000}}
        done = self.gate(new)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 case failed (first: offset 4, read: the GPU fell off the bus)", done.stderr)
        new["results"][4] |= {"status": "ok", "reason": None, "verified": False}
        self.assertIn("1 case moved wrong data", self.gate(new).stderr)

    def test_nothing_to_compare_fails(self):
        done = self.gate(self.report | {"results": []})
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing could be compared", done.stderr)

    def test_a_prediction_is_no_gate_for_a_measurement(self):
        predicted = self.save("predicted.json", self.report | {"backend": "model"})
        line = self.fail_with(2, "compare", str(OFFSET), predicted, "--fail-on-regression", "3%")
        self.assertIn("was predicted and", line)


class Formats(CompareTest):
    def test_a_file_and_stdout_hold_the_same(self):
        new = self.save("new.json", slowed(self.report, 0.9, is_case(offset_elements=3)))
        for extension, name in ((".json", "json"), (".csv", "csv"), (".md", "markdown")):
            file = self.directory / ("out" + extension)
            printed = self.succeed("compare", str(OFFSET), new, "--format", name, "--output", str(file))
            self.assertEqual(file.read_text(), printed)
        quiet = self.succeed("compare", str(OFFSET), new, "--quiet", "--output", str(self.directory / "out.txt"))
        self.assertEqual(quiet, "")

    def test_csv_has_a_row_per_case_and_report(self):
        new = self.save("new.json", slowed(self.report, 0.5))
        more = self.save("more.json", self.report)
        rows = list(csv.DictReader(io.StringIO(self.succeed("compare", str(OFFSET), new, more, "--format", "csv"))))
        self.assertEqual(len(rows), 2 * len(self.report["results"]))
        self.assertEqual({row["verdict"] for row in rows if row["new_report"] == new}, {"slower"})
        for row in rows:
            self.assertAlmostEqual(float(row["speed_ratio.value"]), 0.5 if row["new_report"] == new else 1)

    def test_no_line_is_wider_than_the_terminal(self):
        new = self.save("new.json", slowed(self.report, 0.9, is_case(offset_elements=3)))
        for width in (80, 200):
            table = self.succeed("compare", str(OFFSET), new, env=environment(COLUMNS=str(width)))
            widest = max(len(line) for line in table.splitlines() if str(self.directory) not in line)
            self.assertLessEqual(widest, width)
            self.assertIn("slower", table)

    def test_changed_shows_only_what_changed(self):
        new = self.save("new.json", slowed(self.report, 0.9, is_case(offset_elements=3)))
        table = self.succeed("compare", str(OFFSET), new, "--changed")
        self.assertNotRegex(table, r"same\n")
        self.assertIn("offset 3 elements", table)
        self.assertEqual(len([line for line in table.splitlines() if line.endswith("slower")]), 3)

    def test_words_choose_cases(self):
        new = self.save("new.json", slowed(self.report, 0.9, is_case(offset_elements=3)))

        def chosen(*words):
            compared = strict_json(self.succeed("compare", str(OFFSET), *words, new, "--format", "json"))
            return [tuple(case["parameters"][name] for name in ("offset_elements", "op")) for case in compared["cases"]]

        self.assertEqual(chosen("offset=3"), [(3, "read"), (3, "write"), (3, "copy")])
        self.assertEqual(chosen("offset=2..3", "op=copy"), [(2, "copy"), (3, "copy")])
        self.assertEqual(chosen("1,3"), [(1, "read"), (3, "read")])
        self.assertEqual(len(chosen("block_threads=auto")), len(self.report["results"]))
        self.assertEqual(run("compare", str(OFFSET), new, "offset=1", "--fail-on-regression", "3%").returncode, 0)
        for word, complaint in (("offset=77", "no case has 'offset=77'; there are: 0..32"), ("offst=1", "did you mean 'offset'?"),
                                ("99", "there is no case 99"), ("op=move", "op: 'move' is not one of")):
            self.assertIn(complaint, self.fail_with(2, "compare", str(OFFSET), new, word))

    def test_a_file_is_a_report_whatever_its_name(self):
        for name in ("3", "offset=1"):
            path = self.save(name, self.report)
            done = run("compare", str(OFFSET), name, cwd=Path(path).parent)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_standard_input_is_a_report(self):
        self.assertIn("standard input", self.succeed("compare", str(OFFSET), "-", input=json.dumps(self.report)))


class Mistakes(CompareTest):
    def test_each_has_one_line(self):
        suite = self.save("suite.json", {"schema_version": 1, "name": "mine", "probes": []})
        profile = str(REFERENCES.parents[1] / "gpus" / "h200.json")
        truncated = self.save("truncated.json", OFFSET.read_text()[:5000])
        mistakes = (
            ((), "needs two reports"),
            ((str(OFFSET),), "needs a second report"),
            ((str(OFFSET), "missing.json"), "cannot read 'missing.json': No such file"),
            ((str(OFFSET), str(self.directory)), "Is a directory"),
            ((str(OFFSET), truncated), "truncated.json: "),
            ((str(OFFSET), suite), "suite"),
            ((str(OFFSET), profile), "profile"),
            ((str(OFFSET), str(OFFSET)), "is given twice"),
            ((str(OFFSET), str(REFERENCES / ".." / "h200" / "offset.json")), "also as"),
            (("-", "-"), "standard input ('-') holds only one report"),
            ((str(OFFSET), suite, "--tolerence", "1%"), "did you mean '--tolerance'"),
            ((str(OFFSET), suite, "--tolerance", "5"), "write 5%"),
            ((str(OFFSET), suite, "--fail-on-regression", "three"), "is not a share"),
            ((str(OFFSET), suite, "--fail-on-regression", "1%", "--tolerance", "2%"), "is less than --tolerance"),
            ((str(OFFSET), suite, "--format", "xml"), "is not one of"),
            ((str(OFFSET), suite, "--output", "out.xyz"), "names no format"),
        )
        for arguments, expected in mistakes:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.fail_with(2, "compare", *arguments, input=""))


if __name__ == "__main__":
    unittest.main()
