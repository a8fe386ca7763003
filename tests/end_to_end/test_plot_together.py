"""Figures of several panels or reports: they share scales and limits, and are readable together."""

import importlib.util
import json
import re
import unittest

from plots import H200, ROOT, PlotTest, foreign_report, load, matrix_report


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
