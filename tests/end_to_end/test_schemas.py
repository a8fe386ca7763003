"""The JSON Schemas in report/schema take every file we ship and every report we write, and refuse what is wrong."""

import copy
import json
import re
import unittest

from harness import MODEL, cheaper, run, strict_json
from schemas import ROOT, SCHEMAS, SchemaTest, jsonschema


class Schemas(SchemaTest):
    name = "suite"  # any

    def test_schemas_are_schemas(self):
        for file in SCHEMAS.glob("*.json"):
            with self.subTest(file=file.name):
                jsonschema.Draft202012Validator.check_schema(strict_json(file.read_text()))


class Profiles(SchemaTest):
    name = "profile"

    def test_shipped_profiles(self):
        self.assert_all_valid((ROOT / "configs" / "gpus").glob("*.json"))

    def test_rates_are_those_of_the_profile_that_has_all(self):
        """But for those that a profile leaves out until somebody has measured them."""
        measured_only = re.findall(r'measured_only\("(\w+)"', (ROOT / "engine/model/rate_fields.cpp").read_text())
        self.assertIn("l2_queue_cycles", measured_only)
        h200 = list(strict_json((ROOT / "configs" / "gpus" / "h200.json").read_text())["rates"])
        known = list(self.schema["properties"]["rates"]["properties"])
        self.assertEqual([name for name in known if name in h200 or name not in measured_only], h200)

    def test_a_profile_needs_no_rate(self):
        profile = strict_json((ROOT / "configs" / "gpus" / "v100.json").read_text())
        file = self.directory / "profile.json"
        for rates in ({"rates": {}}, {}):
            file.write_text(json.dumps({name: value for name, value in profile.items() if name != "rates"} | rates))
            self.assert_valid(strict_json(file.read_text()), file)
            report = self.succeed("probe", "--offset", "0", "--backend", "model", "--gpu", str(file), "--format", "json")
            self.assertEqual(json.loads(report)["profile_source"], "file")
            self.assertIn("predicted_from_attributes", json.loads(report)["results"][0]["flags"])

    def test_schema_and_program_refuse_the_same_profiles(self):
        good = strict_json((ROOT / "configs" / "gpus" / "v100.json").read_text())

        def changed(change):
            profile = copy.deepcopy(good)
            change(profile)
            return profile

        bad = {
            "unknown member": changed(lambda p: p.update(gpu="x")),
            "unknown attribute": changed(lambda p: p["device"].update(l3_bytes=1)),
            "missing attribute": changed(lambda p: p["device"].pop("l2_bytes")),
            "attribute of the wrong type": changed(lambda p: p["device"].update(l2_bytes="1")),
            "negative attribute": changed(lambda p: p["device"].update(l2_bytes=-1)),
            "unknown rate": changed(lambda p: p["rates"].update(warp_speed={"value": 1, "how": "x"})),
            "no device": changed(lambda p: p.pop("device")),
            "rate without how": changed(lambda p: p["rates"]["dram_read_bytes_per_s"].pop("how")),
            "rate of 0": changed(lambda p: p["rates"]["dram_read_bytes_per_s"].update(value=0)),
            "share above 1": changed(lambda p: p["rates"].update(l2_written_share={"value": 1.1, "how": "x"})),
            "exponent near 0": changed(lambda p: p["rates"].update(overlap_exponent={"value": 0.05, "how": "x"})),
            "instruction without end": changed(lambda p: p["rates"].update(integer_sum_cycles={"value": 1e9, "how": "x"})),
            "other version": changed(lambda p: p.update(schema_version=2)),
            "half a link": changed(lambda p: p["device"]["pcie"].pop("width")),
        }
        self.refuse(bad)

    def test_schema_and_program_refuse_the_same_nodes(self):
        good = strict_json((ROOT / "configs" / "gpus" / "h200x8.json").read_text())

        def changed(change):
            profile = copy.deepcopy(good)
            change(profile["node"])
            return profile

        def figure(value, *members):
            def change(node):
                for member in members[:-1]:
                    node = node[member]
                node[members[-1]]["value"] = value
            return changed(change)

        bad = {
            "no node": {**good, "node": None},
            "a GPU without a node": {name: value for name, value in good.items() if name != "node"},
            "rates beside the name of a profile": {**good, "rates": {}},
            "unknown member": changed(lambda node: node.update(cpus=2)),
            "no number of GPUs": changed(lambda node: node.pop("gpus")),
            "a bare number": changed(lambda node: node.update(gpus=8)),
            "a figure without how": changed(lambda node: node["gpus"].pop("how")),
            "no GPU": figure(0, "gpus"),
            "too many GPUs": figure(257, "gpus"),
            "no link": figure(0, "nvlink", "links"),
            "half a link": changed(lambda node: node["nvlink"].pop("version")),
            "links of no speed": figure(0, "nvlink", "bytes_per_s"),
            "a switch of the wrong type": figure("yes", "nvlink", "switch"),
            "groups that are none": figure([0, 1], "nvlink", "groups"),
            "another path": figure("nvlink", "pcie_path"),
        }
        self.refuse(bad)

    def refuse(self, profiles):
        for what, profile in profiles.items():
            with self.subTest(what):
                self.assert_invalid(profile, what)
                file = self.directory / "profile.json"
                file.write_text(json.dumps(profile))
                arguments = ("probe", "--offset", "0", "--backend", "model", "--gpu", str(file), "--quiet")
                self.assertIn("profile.json: /", self.fail_with(2, *arguments))


class Expected(SchemaTest):
    name = "expected"

    def test_what_is_written(self):
        for arguments in (("h200",), ("h200x8",), ("v100",), ("h200", "l40s"), ("--all",)):
            self.assert_valid(strict_json(self.succeed("expect", *arguments, "--format", "json")), arguments)

    def test_what_is_wrong(self):
        good = strict_json(self.succeed("expect", "h200", "--format", "json"))
        for change in ({"schema_version": 2}, {"expected": None}, {"profile": 1},
                       {"expected": [{**good["expected"][0], "unit": "furlongs"}]},
                       {"expected": [{**good["expected"][0], "value": 0}]}, {"label": 1},
                       {"expected": [{**good["expected"][0], "rate": None}]},
                       {"expected": [{name: value for name, value in good["expected"][0].items() if name != "low"}]}):
            self.assert_invalid({**good, **change}, change)


class Ported(SchemaTest):
    name = "ported"

    def written(self):
        report = ROOT / "configs" / "reference" / "h100" / "ported" / "operations_torch.json"
        return strict_json(self.succeed("port", str(report), "--gpu", "b200,t4", "--format", "json"))

    def test_what_is_written(self):
        self.assert_valid(self.written(), "port")

    def test_what_is_wrong(self):
        good = self.written()
        gpu = good["gpus"][0]
        kernel = gpu["kernels"][0]
        for change in ({"schema_version": 2}, {"gpus": []}, {"gpus": [{**gpu, "there": None}]},
                       {"gpus": [{**gpu, "kernels": [{**kernel, "notes": ["furlongs"]}]}]},
                       {"gpus": [{**gpu, "kernels": [{**kernel, "place_here": 0}]}]}):
            self.assert_invalid({**good, **change}, change)


class Reports(SchemaTest):
    name = "report"

    def test_reference_reports(self):
        self.assert_all_valid((ROOT / "configs" / "reference").rglob("*.json"))

    def test_golden_reports(self):
        self.assert_all_valid((ROOT / "tests" / "report" / "golden").glob("*.json"))

    def test_every_probe(self):
        for probe in json.loads(self.succeed("list", "--json")):
            with self.subTest(probe["name"]):
                self.assert_valid(self.predict(probe["name"], *cheaper([probe["name"]])), probe["name"])

    def test_what_was_not_run(self):
        self.assert_valid(strict_json(self.succeed("probe", "--dry-run", "--format", "json")), "dry run")

    def test_a_failed_case(self):
        done = run("probe", "--offset", "0,1", "--buffer", "900GiB", *MODEL, "--format", "json", "--quiet")
        self.assertEqual(done.returncode, 4, done.stderr)
        report = strict_json(done.stdout)
        self.assertEqual(report["results"][0]["status"], "failed")
        self.assert_valid(report, "a failed case")

    def test_a_check(self):
        file = self.directory / "check.json"
        done = run("check", "smoke", *MODEL, "--quiet", "--output", str(file))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = strict_json(file.read_text())
        self.assertEqual(report["suite"], "smoke")
        self.assertGreater(len(report["checks"]), 10)
        self.assert_valid(report, "a check")

    def test_wrong_reports_are_refused(self):
        good = self.predict("--offset", "0")

        def changed(change):
            report = copy.deepcopy(good)
            change(report)
            return report

        result = good["results"][0]
        self.assertTrue(result["access"])
        for what, bad in {
            "no results": changed(lambda r: r.pop("results")),
            "another backend": changed(lambda r: r.update(backend="guess")),
            "a local time": changed(lambda r: r.update(started_at="2026-11-20 21:00:00")),
            "device of the wrong type": changed(lambda r: r.update(device="H200")),
            "number as text": changed(lambda r: r["device"].update(memory_bytes="1")),
            "no parameters": changed(lambda r: r["results"][0].pop("parameters")),
            "unknown status": changed(lambda r: r["results"][0].update(status="fine")),
            "flag that is no text": changed(lambda r: r["results"][0].update(flags=[1])),
            "headline without a quantity": changed(lambda r: r["results"][0]["headline"].pop("quantity")),
            "headline better for nothing": changed(lambda r: r["results"][0]["headline"].update(better="most")),
            "negative flops": changed(lambda r: r["results"][0].update(useful_flops=-1)),
            "bandwidth as a number": changed(lambda r: r["results"][0].update(bandwidth_gb_per_s=1)),
            "share as text": changed(lambda r: r["results"][0].update(fraction_of_peak="90 %")),
            "negative bytes": changed(lambda r: r["results"][0]["useful_bytes"].update(read=-1)),
            "site without op": changed(lambda r: r["results"][0]["access"][0].pop("op")),
            "cost as a number": changed(lambda r: r["results"][0]["access"][0].update(lines_per_request=1)),
            "metric as text": changed(lambda r: r["results"][0]["metrics"].update(x_us="1")),
            "quantity without a unit": changed(lambda r: r["quantities"]["bandwidth_gb_per_s"].pop("unit")),
            "devices that are names": changed(lambda r: r.update(devices=["H200"])),
            "conclusion from no cases": changed(lambda r: r.update(conclusions=[{"probe": "offset"}])),
            "program of nothing": changed(lambda r: r.update(program={})),
            "unknown verdict": changed(lambda r: r.update(checks=[{"name": "e", "verdict": "maybe"}])),
        }.items():
            with self.subTest(what):
                self.assert_invalid(bad, what)
        with self.assertRaises(ValueError):  # JSON has no NaN, and a schema could not refuse it
            strict_json('{"fraction_of_peak": NaN}')

    def test_more_members_may_be_added(self):
        report = self.predict("--offset", "0")
        report["node"] = 7
        result = report["results"][0]
        result["colour"] = "red"
        result["flags"].append("predicted_by_hand")
        site = {"predicted": 1, "counted": None}
        result["access"].append({"site": "sum", "space": "cluster", "op": "atomic", "word_bytes": 4,
                                 "sectors_per_request": site, "wavefronts_per_request": site,
                                 "lines_per_request": site})
        report["program"] = {"command": ["train", "--fast"], "exit_code": 0, "processes": 1, "kernels_seen": 2,
                             "launches_seen": 9, "launches_counted": 8, "skipped": {"a cooperative launch": 1}}
        self.assert_valid(report, "a later version")


if __name__ == "__main__":
    unittest.main()
