"""Figures of reports as matplotlib draws them: their texts, marks and bytes."""

import unittest
import xml.etree.ElementTree as ElementTree

from plots import GOLDEN, H200, HOSTILE, SVG, DrawnTexts, PlotTest, needs_matplotlib


@needs_matplotlib
class Drawings(DrawnTexts, PlotTest):
    def test_curves(self):
        path = self.plot("offset.svg", self.shown(H200 / "offset.json"))
        self.assertLessEqual({"NVIDIA H200", "offset, elements", "bandwidth, GB/s", "read", "write", "copy",
                              "measured (95 % interval)", "predicted", "theoretical bandwidth 4814 GB/s"},
                             self.texts(path))
        self.assertLessEqual({f"offset.{op}.{reading}" for op in ("read", "write", "copy")
                              for reading in ("measured", "predicted", "interval")}, self.ids(path))

    def test_lines_break_off(self):
        path = self.plot("offset.svg", self.report("r.json", "--offset", "0..2,8,16,17", "--op", "read"))
        curve, = [group for group in ElementTree.parse(path).getroot().iter(SVG + "g")
                  if group.get("id") == "offset.offset.predicted" or group.get("id") == "offset.read.predicted"]
        line = next(part for part in curve.iter(SVG + "path") if "stroke-dasharray" in part.get("style", ""))
        self.assertEqual(line.get("d").count("L"), 2)  # from 0 to 1 and 2
        self.assertEqual(len(list(curve.iter(SVG + "use"))), 6)

    def test_many_references_at_once(self):
        """Legends stand under each other: those of the curves have several lines here, that of the readings follows."""
        probes = ("bank", "batching", "coalesced", "latency", "matmul", "overlap", "portrait", "smoke", "transfer",
                  "zero-copy")
        path = self.plot("all.svg", *(self.shown(H200 / f"{probe}.json") for probe in probes))
        texts = self.texts(path)
        self.assertLessEqual({"transfer, pinned, to-device", "cycles per request", "streams", "copies", "passes",
                              "shown_smoke"}, texts)
        self.assertTrue(any(text.startswith("coalesced \u2013 the order of a warp's lanes") for text in texts))
        found = list(self.legend_heights(path))
        self.assertTrue(found)
        for legends in found:
            self.assertEqual(len(legends), 2)
            self.assertLess(max(legends[0]), min(legends[1]))

    def test_banks_of_a_tile(self):
        report = self.report("tile.json", "--pattern", "column * pitch + row", "--rows", "64", "--columns", "64",
                             "--word-bytes", "2", "--swizzle", "none,3,3,3")
        path = self.plot("tile.svg", report)
        texts = self.texts(path)
        self.assertLessEqual({"Banks of the tile, and the wavefronts of its slowest request", "bank", "row", "none", "3,3,3"},
                             texts)
        self.assertLessEqual({str(wavefront) for wavefront in range(32)}, texts)
        images = {image.get("id") for image in ElementTree.parse(path).getroot().iter(SVG + "image")
                  if not image.get("id").startswith("image")}  # as that of a scale is
        self.assertEqual(images, {f"shared-pattern.banks.{swizzle}.{part}" for swizzle in ("none", "3-3-3")
                                  for part in ("banks", "request")})

    def test_any_quantity(self):
        path = self.plot("foreign.svg", self.foreign())
        self.assertLessEqual({"latency, cycles", "working set", "floor 28 cycles", "GFLOP/s", "peak 60000 GFLOP/s",
                              "detected capacity 256 KiB measured"}, self.texts(path))
        self.assertLessEqual({"ladder.ladder.interval", "ladder.limit.2", "matmul.matmul.predicted"}, self.ids(path))

    def test_bars_need_no_colours(self):
        """The three operations need two hatches. With several reports, the operations have panels of their own."""
        for reports, hatches in ((["coalesced"], 2), (["coalesced", "smoke"], 0)):
            path = self.plot("bars.svg", *(H200 / f"{name}.json" for name in reports), figure="coalesced")
            patterns = list(ElementTree.parse(path).getroot().iter(SVG + "pattern"))
            self.assertEqual(len(patterns), hatches, reports)

    def legend_heights(self, path):
        """For each axes with legends, the heights of the texts of each legend, from the top."""
        for axes in ElementTree.parse(path).getroot().iter(SVG + "g"):
            if not (axes.get("id") or "").startswith("axes_"):
                continue
            legends = [one for one in axes if (one.get("id") or "").startswith("legend_")]
            if legends:
                yield sorted([float(text.get("y")) for text in one.iter(SVG + "text")] for one in legends)

    def test_two_tables_stand_side_by_side(self):
        path = self.plot("two.svg", H200 / "overlap.json", H200 / "batching.json")
        self.assertLessEqual({"streams", "copies", "staged", "packed"}, self.texts(path))
        root = ElementTree.parse(path).getroot()
        width, height = (float(root.get(name).rstrip("pt")) for name in ("width", "height"))
        self.assertGreater(width, 2 * height)

    def test_predictions_say_so(self):
        path = self.plot("model.svg", self.report("r.json", "offset", "stride"))
        texts = self.texts(path)
        self.assertIn("NVIDIA H200: predictions", texts)
        self.assertTrue(any(text.startswith("nothing measured: by gpumem's model, profile h200") for text in texts))
        self.assertFalse([name for name in self.ids(path) if name and name.endswith(".measured")])
        self.assertIn("stride.copy.predicted", self.ids(path))

    def test_flagged_cases_are_marked(self):
        path = self.plot("flags.svg", GOLDEN / "measured_copy.json")
        self.assertIn("offset.copy.flagged", self.ids(path))
        self.assertIn("flagged: contended, throttled", self.texts(path))

    def test_roofline(self):
        path = self.plot("roofline.svg", H200 / "stride.json", figure="roofline")
        self.assertIn("roof: 4814 GB/s x useful bytes per byte moved", self.texts(path))
        self.assertIn("roofline.write.measured", self.ids(path))

    def test_the_same_figure_makes_the_same_bytes(self):
        first = self.plot("a.svg", self.shown(H200 / "bank.json"))
        second = self.plot_by_program("b.svg", H200 / "bank.json")
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertNotIn("dc:date", first.read_text(encoding="utf-8"))

    def test_other_formats(self):
        self.assertEqual(self.plot_by_program("a.png", H200 / "coalesced.json").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(self.plot("a.PDF", H200 / "coalesced.json").read_bytes()[:5], b"%PDF-")

    def test_texts_of_a_report_are_no_formulas(self):
        path = self.plot("a.svg", self.changed(H200 / "coalesced.json",
                                               lambda data: data["device"].update(name=HOSTILE)))
        self.assertTrue(any("$\\frac{" in text for text in self.texts(path)))


if __name__ == "__main__":
    unittest.main()
