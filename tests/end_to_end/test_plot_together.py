"""Figures of several panels or reports: they share scales and limits, and are readable together."""

import importlib.util
import json
import re
import unittest

from plots import H200, ROOT, PlotTest, foreign_report, load, matrix_report

H100 = ROOT / "configs" / "reference" / "h100"


class Together(PlotTest):
    """Panels beside each other have one scale and one limit, and are readable."""

    def colour_scales(self, *methods):
        report = matrix_report(methods)
        for i, result in enumerate(report["results"]):
            result["headline"]["measured"] += 500 * (i >= 6)
        return {(quantity["low"], quantity["high"]) for panel in self.panels(self.kept(report, "pairs"))
                for quantity in panel["quantities"] if quantity["name"] == "latency_cycles"}

    def test_maps_of_a_figure_have_one_scale_of_colours(self):
        self.assertEqual(self.colour_scales("copy", "read"), {(10, 710)})

    def test_drawn_maps_too(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed")
        from plotting import drawing, figures
        report = matrix_report(("copy", "read"))
        for i, result in enumerate(report["results"]):
            result["headline"]["measured"] += 500 * (i >= 6)
        canvas = drawing.drawn(figures.build(load(self.kept(report, "pairs"))))
        images = [image for axes in canvas.axes for image in axes.get_images()]
        self.assertEqual([image.get_clim() for image in images], [(10, 710)] * 2)

    def test_a_limit_of_all_gpus_is_nobodys(self):
        first = matrix_report()
        for result in first["results"]:
            result["headline"]["peak"] = 400
        second = json.loads(json.dumps(first))
        second["device"]["name"] = "Other GPU"
        second["results"][0]["headline"]["peak"] = 300
        panel, *_ = self.panels(self.kept(first, "first"), self.kept(second, "second"))
        labels = {guide["label"] for guide in panel["guides"]}
        self.assertEqual(labels, {"floor 400 cycles", "Other GPU: floor 300 cycles", "peak"})

    def test_bars_that_span_decades_are_logarithmic(self):
        def is_log(most):
            report = foreign_report()
            cases = [case for case in report["results"] if case["probe"] == "matmul"]
            for case, value in zip(cases, (1, 2, 3, most)):
                case["parameters"] = {"level": f"level {value}"}
                case["headline"].update(measured=value, predicted=value)
            report.update(results=cases, conclusions=[])
            for case in cases:
                case["swept"] = "level"
            (panel,) = self.panels(self.kept(report, "bars"))
            return panel["quantities"][0]["log"]

        self.assertFalse(is_log(20))
        self.assertTrue(is_log(2000))

    def blocks_of(self, *reports):
        page = self.directory / "page.html"
        self.succeed("show", *map(str, reports), "-o", str(page))
        return self.data(page)["blocks"]

    def test_two_reports_stand_side_by_side(self):
        """With the limits and scales of their own, and curves that look the same."""
        block, = self.blocks_of(H200 / "stride.json", H100 / "stride.json")
        left, right = block["panels"]
        self.assertEqual((block["columns"], left["place"], right["place"]), (2, [0, 0], [0, 1]))
        self.assertEqual((left["title"], right["title"]), ("NVIDIA H200", "NVIDIA H100 80GB HBM3"))
        for panel, limit in ((left, "4814 GB/s"), (right, "3352 GB/s")):
            labels = [guide["label"] for guide in panel["guides"] if guide["quantity"] == "bandwidth_gb_per_s"]
            self.assertEqual(labels, [f"theoretical bandwidth {limit}"])
            shared = panel["quantities"][0]["together"]
            self.assertLess(shared[0], 80)  # the H100's least
            self.assertGreater(shared[1], 4800)  # the H200's limit
        self.assertEqual((left["x"]["low"], left["x"]["high"]), (right["x"]["low"], right["x"]["high"]))
        self.assertEqual(*([(one["label"], one["colour"]) for one in panel["series"]] for panel in (left, right)))

    def test_columns_are_of_reports_that_have_the_table(self):
        """A table of one report alone stands as it does without others; its panels say whose they are."""
        stride, offset = self.blocks_of(H200 / "stride.json", H100 / "stride.json", H200 / "offset.json")
        self.assertEqual([panel["place"] for panel in stride["panels"]], [[0, 0], [0, 1]])
        self.assertNotIn("columns", offset)
        self.assertIn("NVIDIA H200, offset: ", offset["panels"][0]["title"])

    def test_curves_look_the_same_where_a_report_lacks_some(self):
        """The panels too are those of both reports."""
        few = self.report("few.json", "--stride", "1..4", "--op", "write")
        block, = self.blocks_of(H200 / "stride.json", few)
        colours = [{one["label"]: one["colour"] for one in panel["series"]} for panel in block["panels"]]
        self.assertEqual(colours[1], {"write": colours[0]["write"]})

    def test_more_than_four_reports_share_panels(self):
        reports = [self.report(f"r{i}.json", "--stride", "1..4", "--op", "read") for i in range(5)]
        block, = self.blocks_of(*reports)
        self.assertNotIn("columns", block)
        self.assertEqual(len(block["panels"][0]["series"]), 5)

    def test_choices_hold_for_all_columns(self):
        stride = [gpu / "stride.json" for gpu in (H200, H100)]
        block, = self.blocks_of(*stride, H200 / "offset.json", "--figure", "stride", "--y", "peak", "--scale", "linear")
        self.assertEqual(block["columns"], 2)
        for panel in block["panels"]:
            self.assertEqual((panel["quantities"][0]["name"], panel["quantities"][0]["log"]), ("fraction_of_peak", False))

    def test_a_choice_that_no_report_has_is_refused(self):
        said = self.fail_with(2, "show", str(H200 / "stride.json"), str(H100 / "stride.json"), "--figure", "ladder",
                              "-o", str(self.directory / "page.html"))
        self.assertIn("no cases of 'ladder'", said)

    def test_programs_stand_side_by_side(self):
        blocks = self.blocks_of(H200 / "programs" / "kernels.json", H100 / "programs" / "three_faults_before.json")
        self.assertEqual([block.get("columns") for block in blocks], [2, 2, None])
        self.assertEqual(len({panel["name"] for block in blocks for panel in block["panels"]}), 5)

    def test_several_reports_are_all_described(self):
        page = self.directory / "page.html"
        self.succeed("show", *(str(ROOT / "configs" / "reference" / gpu / "stride.json") for gpu in ("h200", "h100")),
                     "-o", str(page))
        lead = re.search(r'<div class="lead">(.*?)</div>', page.read_text(encoding="utf-8"), re.DOTALL)[1]
        for words in ("NVIDIA H200, 4814 GB/s theoretical bandwidth", "NVIDIA H100 80GB HBM3, 3352 GB/s theoretical bandwidth"):
            self.assertIn(words, lead)

    def test_links_are_none_of_markdown(self):
        from plotting.markdown import from_markdown
        self.assertEqual(from_markdown("A [word](glossary.md#word) and [a **page**](https://example.org/x), [1] `[c](d)`."),
                         '<p>A word and <a href="https://example.org/x" rel="noreferrer">a <b>page</b></a>, [1]'
                         " <code>[c](d)</code>.</p>")
        self.succeed("expect", "--all", "-o", str(self.directory / "page.html"))
        self.assertNotRegex((self.directory / "page.html").read_text(encoding="utf-8"), r"\]\([\w-]+\.md")

    def test_facts_are_not_said_twice(self):
        (notes,) = self.notes(self.shown(H200 / "working-set.json"))
        self.assertTrue(notes[0].startswith("L1 holds 240 KiB"), notes)
        self.assertEqual([note for note in notes if "capacity low" in note], [])


if __name__ == "__main__":
    unittest.main()
