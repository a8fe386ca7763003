"""Figures of reports: the curves and quantities that are drawn, as the page holds them."""

import gzip
import json
import lzma
import re
import shutil
import unittest

from plots import GOLDEN, H200, HOSTILE, PlotTest, foreign_report, load, matrix_report
from plotting import reports
from plotting.errors import UserError


class Figures(PlotTest):
    def test_readings_are_those_of_the_report(self):
        results = json.loads((H200 / "stride.json").read_text(encoding="utf-8"))["results"]
        panel, = self.panels(H200 / "stride.json")
        self.assertEqual([series["name"] for series in panel["series"]], ["stride.read", "stride.write", "stride.copy"])
        drawn = {(series["label"], point["x"]): point["readings"]["bandwidth_gb_per_s"]
                 for series in panel["series"] for point in series["points"]}
        self.assertEqual(len(drawn), len(results))
        for result in results:
            reading = drawn[result["parameters"]["op"], result["parameters"]["stride_elements"]]
            time = result["time_seconds"]
            self.assertEqual(reading["measured"], result["bandwidth_gb_per_s"]["measured"])
            self.assertEqual(reading["predicted"], result["bandwidth_gb_per_s"]["predicted"])
            self.assertAlmostEqual(reading["ci95_low"], reading["measured"] * time["median"] / time["ci95_high"])
            self.assertAlmostEqual(reading["ci95_high"], reading["measured"] * time["median"] / time["ci95_low"])

    def test_bank_conflicts_are_about_cycles(self):
        panel, = self.panels(self.shown(H200 / "bank.json"))
        self.assertEqual([series["label"] for series in panel["series"]],
                         ["4-byte words", "8-byte words", "16-byte words"])
        self.assertEqual(panel["quantities"][0], {"name": "cycles_per_request", "label": "cycles per request",
                                                  "log": True})
        readings = next(point for point in panel["series"][0]["points"] if point["x"] == 32)["readings"]
        self.assertAlmostEqual(readings["cycles_per_request"]["measured"], 32, delta=0.5)
        self.assertEqual(readings["wavefronts_per_request"], {"predicted": 32, "counted": 32})

    def test_older_reports_are_about_bandwidth_and_spelled_as_they_are(self):
        panel, = self.panels(H200 / "stride.json")
        self.assertEqual(panel["quantities"][0]["label"], "bandwidth, GB/s")
        self.assertEqual(panel["x"]["label"], "stride elements")

    def test_a_newer_report_says_the_names_for_an_older_one(self):
        for panel in self.panels(H200 / "offset.json", self.report("new.json", "--offset", "0..4")):
            self.assertEqual(panel["x"]["label"], "offset, elements")

    def test_any_quantity_is_drawn(self):
        ladder, matmul = self.panels(self.foreign())
        self.assertEqual(ladder["title"], "ladder \u2013 dependent loads: how far away is the data")
        self.assertEqual([quantity["label"] for quantity in ladder["quantities"]],
                         ["latency, cycles", "fraction of peak"])
        self.assertTrue(ladder["quantities"][0]["log"])
        self.assertEqual((ladder["x"]["label"], ladder["x"]["names"][0]), ("working set", [1 << 14, "16 KiB"]))
        first = ladder["series"][0]["points"][0]
        self.assertEqual(first["readings"]["latency_cycles"], {"measured": 30, "ci95_low": 29, "ci95_high": 32})
        share = first["readings"]["fraction_of_peak"]
        self.assertAlmostEqual(share["measured"], 28 / 30)
        self.assertLess(share["ci95_low"], share["ci95_high"])
        self.assertEqual(first["title"], "ladder, working set 16 KiB")
        self.assertIn("limit: the arithmetic (predicted)", first["notes"])
        self.assertEqual([quantity["label"] for quantity in matmul["quantities"]], ["GFLOP/s", "fraction of peak"])
        self.assertFalse(matmul["quantities"][0]["log"])
        self.assertEqual([point["readings"]["gflop_per_s"] for point in matmul["series"][0]["points"]],
                         [{"measured": 3000 * tile, "predicted": 3300 * tile} for tile in (1, 2, 4, 8)])
        self.assertEqual([guide["label"] for guide in matmul["guides"]], ["peak 60000 GFLOP/s", "peak"])

    def test_what_several_cases_show_together(self):
        ladder, _ = self.panels(self.foreign())
        detected = "detected capacity 256 KiB measured"
        self.assertEqual(self.notes(self.foreign()), [["Keep it below 256 KiB.", detected], []])
        self.assertEqual(ladder["guides"][0], {"label": "floor 28 cycles", "quantity": "latency_cycles", "level": 28})
        self.assertEqual(ladder["guides"][-1], {"label": detected, "x": 262144})

    def test_only_places_on_the_axis_are_drawn(self):
        def more(report):
            report["conclusions"][0]["quantities"].update({
                "capacity_low_bytes": {"measured": 250000, "predicted": None},
                "line_bytes": {"measured": 128, "predicted": None}})
            report["quantities"].update({name: {"title": name, "unit": "bytes", "better": "neither"}
                                         for name in ("capacity_low_bytes", "line_bytes")})

        ladder, _ = self.panels(self.changed(self.foreign(), more))
        self.assertIn("line_bytes 128 B measured", self.notes(self.directory / "changed.json")[0][1])
        self.assertEqual([guide["x"] for guide in ladder["guides"] if "x" in guide], [262144])

    def test_a_probe_may_be_drawn_over_what_it_measured(self):
        def over(cases, moved):
            for case, gb_per_s in zip(cases, moved):
                case.update(drawn_over="bandwidth_gb_per_s")
                case["bandwidth_gb_per_s"].update(gb_per_s)

        def ladder(moved):
            report = foreign_report()
            over(report["results"], moved)
            return self.panels(self.kept(report, "over"))[0]

        measured = [{"measured": 0}, *({"measured": 100 * i, "predicted": 1} for i in range(1, 7)), {"predicted": 900}]
        panel = ladder(measured)
        self.assertEqual((panel["x"]["label"], panel["x"]["scale"]), ("bandwidth, GB/s", "linear"))
        self.assertEqual([point["x"] for point in panel["series"][0]["points"]], [0, 100, 200, 300, 400, 500, 600, 900])
        self.assertEqual(panel["series"][0]["points"][0]["title"], "ladder, working set 16 KiB")
        self.assertEqual(ladder(measured[:-1])["x"]["label"], "working set")  # of one case it is not known

    def test_a_case_without_the_swept_parameter_has_no_place(self):
        report = foreign_report()
        for case in report["results"]:
            case["drawn_over"] = "bandwidth_gb_per_s"
            case["bandwidth_gb_per_s"]["measured"] = 100
        report["results"][0]["parameters"] = {"another": 1}
        ladder = self.panels(self.kept(report, "lacking"))[0]
        self.assertEqual(len(ladder["series"][0]["points"]), 7)  # of eight

    def test_what_is_nearly_in_powers_has_a_logarithmic_axis(self):
        panel, = self.panels(H200 / "working-set.json")
        self.assertEqual(panel["x"]["scale"], "log2")
        ticks = [text for _, text in panel["x"]["ticks"]]
        self.assertEqual((ticks[0], ticks[5], ticks[-1], len(ticks)), ("8 KiB", "8 MiB", "32 GiB", 12))
        for name, scale in (("blocked", "log2"), ("stride", "linear"), ("bank", "linear"), ("constant", "linear")):
            self.assertEqual(self.panels(H200 / f"{name}.json")[0]["x"]["scale"], scale, name)

    def test_a_matrix(self):
        panels = self.panels(self.kept(matrix_report(("copy", "load")), "pairs"))
        self.assertEqual([panel["title"] for panel in panels], ["pairs, copy", "pairs, load"])
        for panel in panels:
            self.assertTrue(panel["matrix"])
            self.assertEqual((panel["x"]["scale"], panel["x"]["names"]), ("category", [[0, "0"], [1, "1"], [2, "2"]]))
            self.assertEqual([series["label"] for series in panel["series"]], ["source 0", "source 1", "source 2"])
            self.assertEqual([[point["x"] for point in series["points"]] for series in panel["series"]],
                             [[1, 2], [0, 2], [0, 1]])

    def test_a_pair_that_went_wrong_is_in_the_matrix_without_a_reading(self):
        report = matrix_report()
        report["results"][0]["status"] = "failed"
        report["results"][3]["verified"] = False
        panel, = self.panels(self.kept(report, "pairs"))
        points = [point for series in panel["series"] for point in series["points"]]
        self.assertEqual([i for i, point in enumerate(points) if "readings" not in point], [0, 3])
        self.assertIn("moved wrong data", points[3]["notes"])
        self.assertEqual(panel["subtitle"], "1 failed, 1 with wrong data of 6 cases; copy")

    def test_only_pairs_are_a_matrix(self):
        report = matrix_report()
        for case in report["results"]:
            case["parameters"]["source"] += 1  # so that one is a thing with itself
        panel, = self.panels(self.kept(report, "pairs"))
        self.assertFalse(panel["matrix"])

    def test_copies_over_the_link(self):
        panels = self.panels(H200 / "transfer.json")
        self.assertEqual([panel["title"] for panel in panels],
                         ["transfer, to-device", "transfer, to-host", "transfer, both"])
        for panel in panels:
            self.assertEqual({series["label"] for series in panel["series"]},
                             {"pageable", "pinned", "registered", "write-combined"})
            self.assertEqual(panel["x"]["scale"], "log2")
        self.assertEqual([panel["guides"][0]["label"] for panel in panels],
                         ["PCIe gen5 x16: 63.02 GB/s"] * 2 + ["PCIe gen5 x16 both ways: 126 GB/s"])

    def test_every_reference_has_panels(self):
        others = {*H200.glob("programs/*"), H200 / "tile-copies.json"}  # test_plot_kernels.py; drawn cases have no sweep
        for path in sorted(set(H200.rglob("*.json")) - others):
            with self.subTest(path.name):
                results = json.loads(path.read_text(encoding="utf-8"))["results"]
                panels = self.panels(path)
                points = [point for panel in panels for series in panel["series"] for point in series["points"]
                          if "readings" in point]
                self.assertEqual(len(points), sum(result.get("status", "ok") == "ok" for result in results))
                self.assertEqual(len({series["name"] for panel in panels for series in panel["series"]}),
                                 sum(len(panel["series"]) for panel in panels))
                self.assertLessEqual(max(len(panel["series"]) for panel in panels), 6)

    def test_a_zero_that_follows_another_axis_is_not_said(self):
        panels = self.panels(self.report("m.json", "matmul", "--product", "64,128", "--matmul", "row,column",
                                         "--type", "float"))
        self.assertIn("column", json.dumps(panels))
        self.assertNotIn("product m", json.dumps(panels))
        self.assertNotIn("product k", json.dumps(panels))

    def test_packed_reports_are_read(self):
        source = H200 / "stride.json"
        path = self.directory / "packed"
        path.write_bytes(gzip.compress(source.read_bytes()))
        self.assertEqual(len(reports.read(str(path)).results), len(reports.read(str(source)).results))
        for content, wrong in ((path.read_bytes()[:-9], "is compressed, and damaged or truncated"),
                               (lzma.compress(source.read_bytes()), "unpack it with unxz")):
            path.write_bytes(content)
            with self.assertRaisesRegex(UserError, wrong):
                reports.read(str(path))

    def test_several_gpus(self):
        report = self.report("v.json", "--offset", "0..4", "--op", "read,write")
        other = self.changed(report, lambda data: data["device"].update(name="Other GPU"))
        panels = self.panels(report, other)
        self.assertEqual([panel["title"] for panel in panels], ["offset, read", "offset, write"])
        for panel in panels:  # a colour each, and one scale
            self.assertEqual([(series["label"], series["colour"]) for series in panel["series"]],
                             [("NVIDIA H200", 0), ("Other GPU", 1)])
        ends = {(quantity["low"], quantity["high"]) for panel in panels for quantity in panel["quantities"][:1]}
        self.assertEqual(len(ends), 1)

    def test_more_than_a_dozen_panels_are_too_many_for_several_reports(self):
        report = H200 / "layout.json"
        other = self.changed(report, lambda data: data["device"].update(name="Other GPU"))
        self.assertEqual(len(self.panels(report, other)), 8)
        texture = self.changed(H200 / "matmul.json", lambda data: data["device"].update(name="Other GPU"))
        labels = {series["label"] for panel in self.panels(H200 / "matmul.json", texture) for series in panel["series"]}
        self.assertLessEqual({"NVIDIA H200: float", "Other GPU: double"}, labels)

    def test_panels_that_are_to_be_compared_have_one_scale(self):
        panels = self.panels(self.shown(H200 / "matmul.json"))
        self.assertGreater(len(panels), 4)
        first, *others = [(panel["x"]["low"], panel["x"]["high"], panel["quantities"][0]["low"],
                           panel["quantities"][0]["high"]) for panel in panels]
        self.assertEqual(others, [first] * len(others))
        measured = [point["readings"]["gflop_per_s"]["measured"] for panel in panels for series in panel["series"]
                    for point in series["points"]]
        self.assertLessEqual((first[2], first[3] * -1), (min(measured), max(measured) * -1))
        axes = {axes for axes in self.limits_of_drawn(self.shown(H200 / "matmul.json"))}
        self.assertEqual(len(axes), 1)

    def limits_of_drawn(self, report):
        """The limits of the axes of every panel as matplotlib draws it."""
        from plotting import drawing, figures
        canvas = drawing.drawn(figures.build(load(report)))
        return [(axes.get_xlim(), axes.get_ylim()) for axes in canvas.axes if axes.axison]

    def test_gpus_side_by_side_share_a_panel(self):
        def on_each_gpu(report):
            report["words"]["parameters"]["device"] = {"title": "GPU", "unit": "", "one": "GPU 1", "several": "GPU {}"}
            report["results"] = [{**case, "across": "device", "parameters": {**case["parameters"], "op": op, "device": gpu}}
                                 for gpu in range(8) for op in ("read", "write") for case in report["results"]]
        panels = self.panels(self.changed(self.report("one.json", "--offset", "0..3", "--op", "read"), on_each_gpu))
        self.assertEqual([panel["title"] for panel in panels], ["offset, read", "offset, write"])
        for panel in panels:
            self.assertEqual([series["label"] for series in panel["series"]], [f"GPU {gpu}" for gpu in range(8)])

    def test_what_may_be_so_or_not_is_named(self):
        panels = self.panels(self.report("p.json", "peer", "--source", "0", "--target", "1,2", "--direction", "one-way",
                                         "--via", "staged", "--at-once", "no,yes"))
        self.assertEqual([series["label"] for panel in panels for series in panel["series"]], ["peer", "at once"])

    def test_a_panel_of_one_gpu_among_several_names_it(self):
        report = self.report("v.json", "--offset", "0..4")
        other = self.changed(self.report("w.json", "--stride", "1..4"),
                             lambda data: data["device"].update(name="Other GPU"))
        self.assertEqual([panel["subtitle"].split("; ")[0] for panel in self.panels(report, other)],
                         ["NVIDIA H200", "Other GPU"])

    def test_one_gpu_in_several_reports(self):
        report = self.report("before.json", "--offset", "0..4")
        shutil.copy(report, self.directory / "after.json")
        panel, = self.panels(report, self.directory / "after.json")
        self.assertEqual([series["label"] for series in panel["series"]], ["before", "after"])
        other = self.changed(report, lambda data: data["host"].update(name="elsewhere"))
        labels = [series["label"] for series in self.panels(report, other)[0]["series"]]
        self.assertEqual(labels[1], "elsewhere")

    def test_a_report_is_named_once_for_all_panels(self):
        part = self.changed(H200 / "offset.json", lambda data: data.update(
            results=[result for result in data["results"] if result["parameters"]["op"] != "copy"]))
        again = shutil.copy(H200 / "offset.json", self.directory / "again.json")
        panels = self.panels(H200 / "offset.json", part, again)
        self.assertEqual([panel["title"] for panel in panels], ["offset, read", "offset, write", "offset, copy"])
        self.assertEqual([[series["label"] for series in panel["series"]] for panel in panels],
                         [["offset", "changed", "again"], ["offset", "changed", "again"], ["offset", "again"]])

    def test_failed_cases_leave_a_gap(self):
        panel, = self.panels(GOLDEN / "measured_copy.json")
        self.assertIn("1 failed of 6 cases", panel["subtitle"])
        points = {point["x"]: point for point in panel["series"][0]["points"]}
        self.assertNotIn("readings", points[5])
        self.assertTrue(points[5]["notes"][1].startswith("failed ("))
        self.assertIn("throttled", points[9]["flags"])

    def test_no_line_goes_over_what_was_left_out(self):
        def apart(*arguments):
            panel, = self.panels(self.report("r.json", *arguments))
            return [point.get("apart", False) for point in panel["series"][0]["points"]]

        self.assertEqual(apart("--offset", "0..2,8,16,17", "--op", "read"), [False, False, False, True, True, True])
        self.assertEqual(apart("--stride", "1..8*2", "--op", "read"), [False, True, True, True])  # and no lone line from 1 to 2
        self.assertEqual(apart("--offset", "0,1,8,9", "--op", "read"), [False, False, True, False])
        self.assertEqual(apart("transfer", "--transfer", "pinned", "--direction", "to-host", "--size", "1MiB..16MiB*4"),
                         [False] * 3)  # what lies between sizes is between

    def test_launch_shapes_are_curves_of_their_own(self):
        panel, = [one for one in self.panels(H200 / "best-practices.json") if one["name"].startswith("offset")]
        self.assertEqual([len(series["points"]) for series in panel["series"]], [33, 33])

    def test_an_unknown_probe_of_one_metric(self):
        def rename(data):
            for i, result in enumerate(data["results"]):
                result.update(probe="ladder", parameters={"working_set_bytes": 1024 << i}, access=[], time_seconds=None,
                              metrics={"latency_cycles": 30 + i},
                              bandwidth_gb_per_s={"measured": None, "predicted": None})
                for newer in ("headline", "predicted_seconds", "metrics_predicted", "swept", "compared", "baseline",
                              "chosen_by_auto"):
                    result.pop(newer, None)

        panel, = self.panels(self.changed(self.report("r.json", "--offset", "0..4"), rename))
        self.assertEqual([quantity["label"] for quantity in panel["quantities"]], ["latency cycles"])
        self.assertEqual(panel["x"]["label"], "working set")
        self.assertEqual([text for _, text in panel["x"]["names"]], ["1 KiB", "2 KiB", "4 KiB", "8 KiB", "16 KiB"])
        self.assertEqual([point["readings"]["latency_cycles"]["predicted"]
                          for point in panel["series"][0]["points"]], [30, 31, 32, 33, 34])

    def test_roofline(self):
        panel, = self.panels(H200 / "stride.json", figure="roofline")
        self.assertIn("counted", panel["x"]["label"])
        write = next(series for series in panel["series"] if series["label"] == "write")
        point = next(point for point in write["points"] if point["notes"][0].startswith("stride elements 8,"))
        self.assertAlmostEqual(point["x"], 1 / 16, delta=0.001)  # each sector is read and written for an eighth of it
        for x, y in panel["guides"][0]["points"]:
            self.assertAlmostEqual(y / x, 4814.304, places=3)
        for series in panel["series"]:
            for point in series["points"]:
                self.assertLess(point["readings"]["bandwidth_gb_per_s"]["measured"], point["x"] * 4814.304)
        panel, = self.panels(H200 / "offset.json", figure="roofline")  # has no counters
        self.assertIn("predicted", panel["x"]["label"])
        self.assertEqual({point["x"] for series in panel["series"] for point in series["points"]}, {1.0, 0.8})

    def test_choosing(self):
        page = self.plot_by_program("page.html", H200 / "transfer.json", H200 / "offset.json", "direction=to-host",
                                    "size=1MiB,1GiB", "--figure", "transfer", "--y", "time", "--scale", "log")
        (panel,), = (block["panels"] for block in self.data(page)["blocks"])
        self.assertTrue(panel["quantities"][0]["log"])
        self.assertEqual(panel["quantities"][0]["name"], "time_seconds")
        self.assertEqual(panel["quantities"][0]["label"], "time, us")
        self.assertEqual([text for _, text in panel["x"]["names"]], ["1 MiB", "1 GiB"])

    def test_texts_of_a_report_stay_texts(self):
        def poison(data):
            data["device"]["name"] = HOSTILE
            for result in data["results"]:
                result.update(flags=[HOSTILE], why=HOSTILE)
                result["parameters"]["op"] = HOSTILE

        page = self.plot("page.html", self.changed(self.report("r.json", "--offset", "0..4"), poison))
        text = page.read_text(encoding="utf-8")
        self.assertEqual(len(re.findall("<script", text)), 3)
        self.assertEqual(len(re.findall("</script", text)), 3)
        self.assertNotIn("<!--", text)
        point = self.data(page)["blocks"][0]["panels"][0]["series"][0]["points"][0]
        self.assertEqual(point["why"], HOSTILE.replace("\u0007", "\ufffd"))


if __name__ == "__main__":
    unittest.main()
