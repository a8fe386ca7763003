"""`gpumem show`: saved reports again, in every format, and also those of older versions."""

import csv
import io
import json
import re
import subprocess
import unittest
from pathlib import Path
from xml.etree import ElementTree

from harness import MODEL, PROGRAM, ProgramTest, environment, strict_json

CONFIGS = Path(__file__).parents[2] / "configs"
OTHER = CONFIGS / "reference" / "h200" / "stride.json"
OFFSET = CONFIGS / "reference" / "h200" / "offset.json"
KERNELS = CONFIGS / "reference" / "h200" / "programs" / "kernels.json"
IN_TIME = Path(__file__).parents[1] / "report" / "golden" / "program_in_time.json"


class ShowTest(ProgramTest):
    def saved(self, *arguments, name="run.json"):
        path = self.directory / name
        self.succeed("probe", *arguments, *MODEL, "--quiet", "--output", str(path))
        return str(path)


class OneReport(ShowTest):
    def test_every_format_is_what_the_run_itself_wrote(self):
        outputs = {name: self.directory / f"run.{extension}"
                   for name, extension in (("table", "txt"), ("json", "json"), ("csv", "csv"), ("markdown", "md"))}
        options = [option for path in outputs.values() for option in ("--output", str(path))]
        self.succeed("probe", "--offset", "0..8", "--bank-stride", "0..4", *MODEL, "--why", "--quiet", *options)
        for name, path in outputs.items():
            shown = self.succeed("show", str(outputs["json"]), "--format", name, "--why", env=environment(COLUMNS="80"))
            self.assertEqual(shown, path.read_text(), name)

    def test_what_an_older_version_did_not_write_is_made_anew(self):
        report = json.loads(OFFSET.read_text())
        report.pop("findings", None)
        for result in report["results"]:
            for member in ("why", "stages", "timeline", "compared"):
                result.pop(member, None)
        shown = strict_json(self.succeed("show", "-", "--format", "json", input=json.dumps(report)))
        self.assertTrue(shown["findings"])
        self.assertTrue(any(result["why"] for result in shown["results"]))

    def test_what_a_report_says_is_not_said_again(self):
        report = json.loads(OFFSET.read_text())
        report["findings"] = ["As it was found then."]
        report["conclusions"] = [{"probe": "offset", "cases": [0], "advice": "As it was found then.", "quantities": {},
                                  "facts": [{"kind": "fastest", "cases": [0], "text": "As it was found then.",
                                             "values": {}, "predicted": {}, "units": {}}]}]
        report["results"][0]["why"] = "As it was explained then."
        shown = strict_json(self.succeed("show", "-", "--format", "json", input=json.dumps(report)))
        self.assertEqual(shown["findings"], report["findings"])
        self.assertEqual(shown["results"][0]["why"], "As it was explained then.")

    def test_chosen_cases(self):
        path = self.saved("--offset", "0..8", "--op", "read,write")
        whole = json.loads(Path(path).read_text())

        def shown(*words):
            report = strict_json(self.succeed("show", path, *words, "--format", "json"))
            return [(case["parameters"]["offset_elements"], case["parameters"]["op"]) for case in report["results"]]

        self.assertEqual(shown("offset=1"), [(1, "read"), (1, "write")])
        self.assertEqual(shown("offset=1..2", "op=write"), [(1, "write"), (2, "write")])
        self.assertEqual(shown("3,0"), [(0, "read"), (3, "read")])
        report = strict_json(self.succeed("show", path, "offset=1", "op=write", "--format", "json"))
        self.assertEqual(report["results"], [case for case in whole["results"] if case["parameters"]["offset_elements"] == 1
                                             and case["parameters"]["op"] == "write"])
        self.assertEqual(report["findings"], ["Predicted: Writes reach 3372 GB/s (70 % of peak) at offset 1."])
        copies = self.saved("--transfer", "pinned,pageable", "--size", "1MiB..64MiB*4", name="copies.json")
        back = strict_json(self.succeed("show", copies, "direction=to-host", "--format", "json"))
        self.assertEqual(len(back["results"]), 8)
        named = [index for conclusion in back["conclusions"] for index in conclusion["cases"]]
        self.assertGreaterEqual(max(named), 4)  # of 24 that there were
        self.assertLess(max(named), 8)
        self.assertNotIn("offset 8", self.succeed("show", path, "offset=0..2"))
        again = self.directory / "again.json"
        self.succeed("show", path, "offset=1", "--output", str(again))
        self.assertEqual(self.succeed("show", str(again)), self.succeed("show", path, "offset=1"))

    def test_chosen_cases_of_several_reports(self):
        first, second = self.saved("--offset", "0..8", name="a.json"), self.saved("--stride", "1..4", name="b.json")
        rows = list(csv.DictReader(io.StringIO(self.succeed("show", first, second, "stride=2", "--format", "csv"))))
        self.assertEqual([(row["report"], row["probe"]) for row in rows], [(second, "stride")])
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.succeed("show", first, second, "op=copy", "--format", "csv"))))),
                         9 + 4)

    def test_cases_that_are_not_there(self):
        path = self.saved("--offset", "0..8")
        for word, line in (("offset=99", "no case has 'offset=99'; there are: 0..8"), ("99", "there is no case 99; there are 9 cases, 0 to 8"),
                           ("ofset=1", "no case has a parameter 'ofset'; did you mean 'offset'?")):
            self.assertEqual(self.fail_with(2, "show", path, word), line)
        self.assertIn("show needs a report", self.fail_with(2, "show", "offset=1"))

    def test_advice_of_chosen_kernels(self):
        report = strict_json(self.succeed("show", str(KERNELS), "kernel=transpose", "--format", "json"))
        self.assertTrue(report["advice"])
        for entry in report["advice"]:
            self.assertIn("transpose", entry["kernel"])
            self.assertEqual(report["results"][entry["result"]]["parameters"]["kernel"], entry["kernel"])
        self.assertLess(len(report["advice"]), len(json.loads(KERNELS.read_text())["results"]))

    def test_order_and_columns(self):
        path = self.saved("--offset", "0..8", "--op", "read,write")
        rows = list(csv.DictReader(io.StringIO(self.succeed("show", path, "--sort", "bandwidth:up", "--top", "3", "--format", "csv"))))
        speeds = [float(row["bandwidth_gb_per_s.predicted"]) for row in rows]
        self.assertEqual(len(speeds), 3)
        self.assertEqual(speeds, sorted(speeds))
        every = [case["bandwidth_gb_per_s"]["predicted"] for case in json.loads(Path(path).read_text())["results"]]
        self.assertEqual(speeds[0], min(every))
        table = self.succeed("show", path, "--sort", "bandwidth", "--top", "2", "--columns", "op,offset,bandwidth").splitlines()
        self.assertEqual(len(table), len(self.succeed("show", path, "--columns", "op,offset,bandwidth").splitlines()) - 16)
        self.assertEqual([line.split()[0] for line in table[-2:]], ["write", "write"])
        for words, line in ((("--sort", "bandwith"), "no column 'bandwith'"), (("--sort", "op:side"), "'side' is neither up nor down"),
                            (("--top", "few"), "'few' is no number of cases"), (("--columns", "op,,x"), "has an empty name"),
                            (("--columns", "op", "--format", "json"), "json has no columns")):
            self.assertIn(line, self.fail_with(2, "show", path, *words))

    def test_a_file_instead_of_stdout(self):
        file = self.directory / "run.csv"
        self.assertEqual(self.succeed("show", str(OFFSET), "--output", str(file)), "")
        self.assertEqual(file.read_text(), self.succeed("show", str(OFFSET), "--format", "csv"))
        printed = self.succeed("show", str(OFFSET), "--output", str(file), "--output", "-", "--format", "json")
        strict_json(printed)

    def test_checks_are_shown_as_tests(self):
        report = json.loads(OFFSET.read_text())
        report["checks"] = [{"name": "reads reach the memory", "verdict": "fail", "reason": "too slow",
                             "quantity": None, "measured": 0.5, "at_least": 0.8, "at_most": None,
                             "required": False, "attempts": 1, "cases": [0]}]
        file = self.directory / "run.xml"
        self.succeed("show", "-", "--output", str(file), input=json.dumps(report))
        suites = ElementTree.parse(file).getroot()
        self.assertEqual([case.get("name") for case in suites.iter("testcase")], ["reads reach the memory"])
        self.assertEqual(len(list(suites.iter("failure"))), 1)
        self.assertIn("has no checks", self.fail_with(2, "show", str(OFFSET), "--format", "junit"))

    def test_openmetrics_has_every_bandwidth(self):
        text = self.succeed("show", str(OFFSET), "--format", "openmetrics")
        results = json.loads(OFFSET.read_text())["results"]
        self.assertEqual(text.count("\ngpumem_bandwidth_bytes_per_second{"), len(results))
        self.assertTrue(text.endswith("# EOF\n"))

    def test_a_dry_run_stays_a_plan(self):
        path = self.directory / "plan.json"
        table = self.succeed("probe", "--offset", "0..8", "--dry-run", "--output", str(path), "--output", "-")
        self.assertEqual(self.succeed("show", str(path)), table)

    def test_a_reader_that_leaves_is_no_crash(self):
        with subprocess.Popen([PROGRAM, "show", str(OFFSET), "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment()) as program:
            program.stdout.close()
            stderr = program.stderr.read()
        self.assertIn(program.returncode, (2, -13))
        self.assertLessEqual(stderr.count(b"\n"), 1)


class SeveralReports(ShowTest):
    def test_tables_follow_one_another(self):
        paths = [self.saved("--offset", "0..2", name="a.json"), self.saved("--stride", "1,2", name="b.json")]
        table = self.succeed("show", *paths)
        self.assertLess(table.index(f"== {paths[0]} =="), table.index(f"== {paths[1]} =="))
        self.assertIn(f"# {paths[1]}", self.succeed("show", *paths, "--format", "markdown"))

    def test_csv_is_one_table(self):
        paths = [self.saved("--offset", "0..2", "--op", "read", name="a.json"),
                 self.saved("--transfer", "pinned", "--size", "1MiB", name="b.json")]
        rows = list(csv.reader(io.StringIO(self.succeed("show", *paths, "--format", "csv"))))
        self.assertEqual(rows[0][:2], ["report", "probe"])
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        cases = [strict_json(Path(path).read_text())["results"] for path in paths]
        self.assertEqual([row[0] for row in rows[1:]], [paths[0]] * len(cases[0]) + [paths[1]] * len(cases[1]))

    def test_json_holds_one(self):
        self.assertIn("one report", self.fail_with(2, "show", str(OFFSET), str(OTHER), "--format", "json"))


class Programs(ShowTest):
    """Reports of `gpumem run`."""

    def reports(self):
        found = [*CONFIGS.glob("reference/*/programs/*.json"), *CONFIGS.glob("reference/*/corpus/*.json")]
        self.assertGreater(len(found), 20)
        return map(str, found)

    def hostile(self):
        """A report whose names are hard to quote."""
        report = json.loads(KERNELS.read_text())
        report["program"]["command"] = ["./my app", "it's", "$(touch /tmp/owned)", "`x`", "a|b;c&d", "--x=\"y\"", "*", "line\nbreak"]
        names = ["odd'name|`x`(int)", "void tile<(anonymous namespace)::Half{1}>(float*)", "a.b*c+d?(int)", "$HOME^x[1](int)"]
        for result, name in zip(report["results"], names):
            result["parameters"]["kernel"] = name
        return report, names

    def test_advice_is_what_the_table_shows(self):
        for path in self.reports():
            with self.subTest(path):
                report = strict_json(self.succeed("show", path, "--format", "json"))
                table = "".join(self.succeed("show", path, env=environment(COLUMNS="80")).split())
                savings = [entry["saves_seconds"] for entry in report["advice"]]
                self.assertEqual(savings, sorted(savings, reverse=True))
                for entry in report["advice"][:10]:
                    self.assertIn("".join(entry["text"].split()), table)
                for entry in report["advice"]:
                    self.assertEqual(entry["kernel"], report["results"][entry["result"]]["parameters"]["kernel"])

    def test_advice_that_a_report_has_is_kept(self):
        report = strict_json(self.succeed("show", str(KERNELS), "--format", "json"))
        report["advice"] = [report["advice"][1] | {"text": "as it was advised then"}]
        text = json.dumps(report)
        self.assertEqual(strict_json(self.succeed("show", "-", "--format", "json", input=text))["advice"], report["advice"])
        table = self.succeed("show", "-", input=text)
        self.assertIn("as it was advised then", table)
        self.assertIn("1. `histogram`", self.succeed("show", "-", "--format", "markdown", input=text))

    def test_reports_of_probes_have_none(self):
        self.assertNotIn("advice", strict_json(self.succeed("show", str(OFFSET), "--format", "json")))

    def test_the_command_of_an_advice_is_one_that_a_shell_takes_apart(self):
        report, names = self.hostile()
        shown = strict_json(self.succeed("show", "-", "--format", "json", input=json.dumps(report)))
        self.assertGreater(len(shown["advice"]), 3)
        for entry in shown["advice"]:
            shell = subprocess.run(["bash", "-c", "gpumem() { printf '%s\\0' \"$@\"; }; " + entry["command"]], text=True,
                                   stdout=subprocess.PIPE, check=True, env=environment())
            words = shell.stdout.split("\0")[:-1]
            self.assertEqual(words[words.index("--") + 1:], report["program"]["command"])
            self.assertEqual(words[:2] + words[3:6], ["run", "--kernel", "--output", "after.json", "--"])
            matches = [name for name in {result["parameters"]["kernel"] for result in report["results"]}
                       if subprocess.run(["grep", "-Eq", words[2]], input=name, text=True).returncode == 0]
            self.assertEqual(matches, [entry["kernel"]])
        self.assertLessEqual(set(names[:1]), {entry["kernel"] for entry in shown["advice"]})

    def test_markdown_is_a_comment_of_60_lines(self):
        for path in self.reports():
            with self.subTest(path):
                text = self.succeed("show", path, "--format", "markdown")
                self.assertLessEqual(text.count("\n"), 60)
                self.assertIn("### Kernels by GPU time", text)
                self.assertIn("### Coverage", text)
        report, _ = self.hostile()
        text = self.succeed("show", "-", "--format", "markdown", input=json.dumps(report))
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}), 1, rows)

    def check_trace(self, trace):
        """Checks what viewers take for granted: threads have numbers and names, and their spans only overlap if one
        lies within the other."""
        threads = {}
        named = set()
        for event in trace["traceEvents"]:
            place = event["pid"], event["tid"]
            if event["ph"] == "M":
                named.add(place)
                continue
            self.assertIn(event["ph"], "Xi")
            self.assertIn(place, named)
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                begin = round(event["ts"] * 1000)
                threads.setdefault(place, []).append((begin, begin + round(event["dur"] * 1000)))
        for spans in threads.values():
            ends = []
            for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
                while ends and ends[-1] <= begin:
                    ends.pop()
                self.assertTrue(not ends or end <= ends[-1], (begin, end))
                ends.append(end)
        return sum(map(len, threads.values()))

    def test_a_trace_of_single_launches(self):
        report = strict_json(IN_TIME.read_text())
        trace = strict_json(self.succeed("show", str(IN_TIME), "--format", "trace"))
        timeline = report["program"]["timeline"]
        spans = sum(len(timeline[name]) for name in ("launches", "samples", "ranges"))
        self.assertEqual(self.check_trace(trace), spans + sum(graph["seconds"] is not None for graph in timeline["graphs"]))

    def test_a_trace_of_bins(self):
        trace = strict_json(self.succeed("show", str(KERNELS), "--format", "trace"))
        results = json.loads(KERNELS.read_text())["results"]
        bins = sum(seconds > 0 for result in results for seconds in result.get("ran_seconds", []))
        self.assertGreater(bins, 20)
        self.assertEqual(self.check_trace(trace), bins)

    def test_a_trace_of_several_reports_has_processes_of_each(self):
        paths = [str(KERNELS), str(IN_TIME)]
        trace = strict_json(self.succeed("show", *paths, "--format", "trace"))
        self.check_trace(trace)
        names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
        for path in paths:
            self.assertTrue(any(name.startswith(path + ": ") for name in names), names)

    def test_where_a_trace_goes(self):
        trace = self.succeed("show", str(KERNELS), "--format", "trace")
        for name, options in (("a.trace", ()), ("a.json", ("--format", "trace")), ("b", ("--format", "trace"))):
            file = self.directory / name
            self.assertEqual(self.succeed("show", str(KERNELS), "--output", str(file), *options), "")
            self.assertEqual(file.read_text(), trace)
        file = self.directory / "report.json"
        self.succeed("show", str(KERNELS), "--output", str(file))
        self.assertIn("results", strict_json(file.read_text()))

    def test_what_is_no_trace_is_refused_before_anything_is_written(self):
        file = self.directory / "a.trace"
        report = json.loads(KERNELS.read_text())
        for result in report["results"]:
            result.pop("ran_seconds", None)
        untimed = self.directory / "untimed.json"
        untimed.write_text(json.dumps(report))
        for paths, expected in (((OFFSET,), "has cases of probes; a trace is of a program"),
                                ((KERNELS, OFFSET), "offset.json' has cases of probes"),
                                ((untimed,), "does not say when kernels ran; run the program again")):
            self.assertIn(expected, self.fail_with(2, "show", *map(str, paths), "--output", str(file)))
            self.assertFalse(file.exists())


class Mistakes(ShowTest):
    def test_each_has_one_line(self):
        suite = self.directory / "suite.json"
        suite.write_text('{"schema_version": 1, "name": "mine", "probes": []}')
        truncated = self.directory / "truncated.json"
        truncated.write_text(OFFSET.read_text()[:7000])
        mistakes = (
            ((), "show needs a report"),
            (("missing.json",), "cannot read 'missing.json': No such file"),
            ((str(self.directory),), "Is a directory"),
            ((str(suite),), "suite"),
            ((str(CONFIGS / "gpus" / "h200.json"),), "profile"),
            ((str(truncated),), "truncated.json: "),
            (("-",), "standard input: "),
            (("-", "-"), "holds only one report"),
            ((str(OFFSET), "--format", "tabel"), "did you mean 'table'"),
            ((str(OFFSET), "--output", "out.xyz"), "names no format"),
            ((str(OFFSET), "--colour"), "unknown option '--colour'"),
        )
        for arguments, expected in mistakes:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.fail_with(2, "show", *arguments, input=""))


if __name__ == "__main__":
    unittest.main()
