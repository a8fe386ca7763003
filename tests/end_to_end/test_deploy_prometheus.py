"""configs/deploy/prometheus and configs/deploy/grafana: the alerts and the dashboard, on the gauges that the program
writes of reports that were measured."""

import json
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

import documents
import harness

DEPLOY = documents.ROOT / "configs" / "deploy"
RULES = DEPLOY / "prometheus" / "gpumem.rules.yml"
DASHBOARD = DEPLOY / "grafana" / "gpumem.json"
SERVICE = DEPLOY / "prometheus" / "gpumem-check.service"
REPORTS = [documents.ROOT / "configs" / "reference" / "h100" / f"{suite}.json" for suite in ("smoke", "portrait")]

has_promtool = unittest.skipIf(shutil.which("promtool") is None, "promtool is not installed (Debian: prometheus)")


def call(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False, **options)


def panels():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


def queries():
    """The dashboard's expressions, as Grafana sends them for all machines, by the titles of their panels."""
    return [(panel["title"], target["expr"].replace("$instance", ".*")) for panel in panels() for target in panel["targets"]]


def alerts():
    """The expressions of the alerts, by their names."""
    found = re.findall(r"- alert: (\w+)\n +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", RULES.read_text(encoding="utf-8"))
    return [(name, block or line) for name, block, line in found]


class Prometheus(harness.ProgramTest):
    def gauges(self):
        """Returns the gauges of the reports, as Prometheus would have them: lines of `name{labels} value`."""
        lines = []
        for report in REPORTS:
            target = self.directory / f"{report.stem}.prom"
            self.succeed("check", report, "--quiet", "--openmetrics", target)
            lines += [line for line in target.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        return lines

    def promtool(self, *words):
        done = call("promtool", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    @has_promtool
    def test_alerts_fire_when_they_should(self):
        self.assertIn(f"SUCCESS: {len(alerts())} rules found", self.promtool("check", "rules", RULES))
        unit_tests = Path(__file__).with_name("gpumem_rules_test.yml")
        self.promtool("test", "rules", unit_tests)
        fired = re.findall(r"alertname: (\w+)\n +eval_time: \S+\n +exp_alerts:\n", unit_tests.read_text(encoding="utf-8"))
        self.assertEqual({*fired}, {name for name, _ in alerts()})

    @has_promtool
    def test_unit_tests_can_fail(self):
        """An alert with another bound is not the one that is tested."""
        for name, text in (("rules.yml", RULES.read_text(encoding="utf-8").replace("0.97 *", "0.9 *")),
                           ("test.yml", Path(__file__).with_name("gpumem_rules_test.yml").read_text(encoding="utf-8")
                            .replace("../../configs/deploy/prometheus/gpumem.rules.yml", "rules.yml"))):
            (self.directory / name).write_text(text, encoding="utf-8")
        self.assertNotEqual(call("promtool", "test", "rules", self.directory / "test.yml").returncode, 0)

    def test_names_are_those_of_gauges(self):
        names = {re.match(r"\w+", line)[0] for line in self.gauges()}
        for where, expression in (*alerts(), *queries()):
            used = {*re.findall(r"\bgpumem_\w+", expression)}
            self.assertTrue(used and used <= names, f"{where}: {used - names}")

    @has_promtool
    def test_expressions_have_data(self):
        """Every expression of the dashboard can be read, and everything that is selected is there."""
        rules = [{"record": f"panel:query{number}", "expr": query} for number, (_, query) in enumerate(queries())]
        file = self.directory / "queries.yml"
        file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
        self.promtool("check", "rules", file)
        selectors = {selector for _, expression in (*alerts(), *queries())
                     for selector in re.findall(r"\bgpumem_\w+(?:\{[^}]*\})?", expression)}
        self.assertGreater(len(selectors), 10)
        failing = 'gpumem_check_passed{suite="made up"} 0'  # nothing fails in the reports
        series = [{"series": line.rpartition(" ")[0].replace("{", '{instance="node5",', 1), "values": line.rpartition(" ")[2]}
                  for line in (*self.gauges(), failing)]
        asked = [{"expr": f"count({expression}) > bool 0", "eval_time": "0m", "exp_samples": [{"labels": "{}", "value": 1}]}
                 for expression in (*selectors, *(query for _, query in queries()))]
        self.promtool("test", "rules", self.unit_tests(series, asked))
        asked[0]["expr"] = 'count(gpumem_bandwidth_bytes_per_second{probe="none"}) > bool 0'
        self.assertNotEqual(call("promtool", "test", "rules", self.unit_tests(series, asked)).returncode, 0)

    def unit_tests(self, series, asked):
        file = self.directory / "tests.yml"
        tests = [{"interval": "1m", "input_series": series, "promql_expr_test": asked}]
        file.write_text(json.dumps({"tests": tests}), encoding="utf-8")
        return file


def lost(written, kept, place=""):
    """The places of a document that another one lacks or has otherwise."""
    if isinstance(written, dict) and isinstance(kept, dict):
        return [one for name, value in written.items() for one in lost(value, kept.get(name), f"{place}.{name}")]
    if isinstance(written, list) and isinstance(kept, list) and len(written) == len(kept):
        return [one for number, (a, b) in enumerate(zip(written, kept)) for one in lost(a, b, f"{place}[{number}]")]
    return [] if written == kept else [place]


class Grafana(unittest.TestCase):
    def loaded(self, dashboard):
        """The dashboard as Grafana's types keep it."""
        try:
            # pylint: disable=import-outside-toplevel
            from grafana_foundation_sdk.cog import encoder, plugins
            from grafana_foundation_sdk.models.dashboard import Dashboard
        except ImportError:
            self.skipTest("grafana-foundation-sdk is not installed")
        plugins.register_default_plugins()
        return json.loads(encoder.JSONEncoder().encode(Dashboard.from_json(dashboard)))

    def test_grafana_loses_nothing_of_it(self):
        dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        self.assertEqual(lost(dashboard, self.loaded(dashboard)), [])
        dashboard["panels"][0]["colour"] = dashboard["panels"][0]["targets"][0]["expression"] = "x"
        self.assertEqual(lost(dashboard, self.loaded(dashboard)), [".panels[0].targets[0].expression", ".panels[0].colour"])

    def test_panels_stand_side_by_side(self):
        taken = set()
        for panel in panels():
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(taken & cells, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            taken |= cells
        self.assertEqual(len({panel["id"] for panel in panels()}), len(panels()))


class Units(harness.ProgramTest):
    def command(self):
        return shlex.split(re.search(r"^ExecStart=(.*)$", SERVICE.read_text(encoding="utf-8"), re.MULTILINE)[1])

    def test_the_service_writes_the_gauges(self):
        program, *words = self.command()
        self.assertEqual((program, words[-2]), ("/usr/bin/gpumem", "--openmetrics"))
        words[-1] = str(self.directory / "gpumem.prom")
        at = words.index("--device")
        self.succeed(*words[:at], *words[at + 2:], *harness.MODEL)  # a prediction takes no --device
        self.assertIn("\ngpumem_suite_passed{", Path(words[-1]).read_text(encoding="utf-8"))

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "there is no systemd here")
    def test_systemd_takes_the_units(self):
        for unit in (SERVICE, SERVICE.with_suffix(".timer")):
            text = unit.read_text(encoding="utf-8").replace(self.command()[0], str(Path(harness.PROGRAM).resolve()))
            (self.directory / unit.name).write_text(text, encoding="utf-8")
        units = [self.directory / SERVICE.with_suffix(suffix).name for suffix in (".timer", ".service")]
        done = call("systemd-analyze", "verify", *units)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with units[1].open("a", encoding="utf-8") as unit:
            unit.write("ExecStrat=/bin/true\n")
        self.assertIn("ExecStrat", call("systemd-analyze", "verify", *units).stderr)


if __name__ == "__main__":
    unittest.main()
