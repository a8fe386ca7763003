"""Pages and figures of a comparison show each case's change with its interval, against the noise."""

import json
import unittest

from plots import H200, ROOT, DrawnTexts, PlotTest, needs_matplotlib
from test_compare import is_case, slowed

H100 = ROOT / "configs" / "reference" / "h100"
BEFORE, ORDER = (H100 / "programs" / f"three_faults_{name}.json" for name in ("before", "order"))
SPEED = "speed_ratio"


class ChangesTest(PlotTest):
    def compared(self, *reports, options=()):
        """The blocks of a page of a comparison; the first report is the old one."""
        page = self.directory / "change.html"
        self.succeed("compare", *map(str, reports), *options, "--quiet", "-o", str(page))
        return self.data(page)["blocks"]

    def changed_offsets(self):
        """Offsets and the same, of which one case became slower and one faster."""
        report = json.loads((H200 / "offset.json").read_text(encoding="utf-8"))
        new = slowed(report, 0.9, is_case(offset_elements=3, op="read"))
        return H200 / "offset.json", self.kept(slowed(new, 1.25, is_case(offset_elements=5, op="copy")), "new")


class Tables(ChangesTest):
    def test_each_case_has_its_ratio_over_the_axis_of_its_table(self):
        bars, change, curves = self.compared(*self.changed_offsets())
        panel, = change["panels"]
        self.assertEqual((panel["band"], [quantity["name"] for quantity in panel["quantities"]]), ([0.99, 1.01], [SPEED]))
        self.assertEqual([series["label"] for series in panel["series"]], ["read", "write", "copy"])
        points = {(series["label"], point["x"]): point for series in panel["series"] for point in series["points"]}
        self.assertEqual(len(points), 99)
        speed = points["read", 3]["readings"][SPEED]
        self.assertAlmostEqual(speed["measured"], 0.9, places=9)
        self.assertLess(speed["ci95_low"], 0.9)
        self.assertGreater(speed["ci95_high"], 0.9)
        self.assertEqual({place for place, point in points.items() if point.get("beyond")}, {("read", 3), ("copy", 5)})
        self.assertEqual(change["notes"], ["1 slower, 1 faster, 97 same"])
        self.assertEqual((bars["panels"][0]["title"], curves["panels"][0]["name"]), ("What changed", "offset.op-read"))

    def test_the_axis_has_room_for_all_intervals(self):
        _, change, _ = self.compared(*self.changed_offsets())
        panel, = change["panels"]
        quantity, = panel["quantities"]
        found = [point["readings"][SPEED] for series in panel["series"] for point in series["points"]]
        self.assertLess(quantity["low"], min(speed["ci95_low"] for speed in found))
        self.assertGreater(quantity["high"], max(speed["ci95_high"] for speed in found))

    def test_the_band_is_the_tolerance(self):
        _, change, _ = self.compared(*self.changed_offsets(), options=("--tolerance", "15%"))
        panel, = change["panels"]
        self.assertEqual(panel["band"], [0.85, 1.15])
        beyond = [point["x"] for series in panel["series"] for point in series["points"] if point.get("beyond")]
        self.assertEqual(beyond, [5])

    def test_a_wide_band_leaves_room_for_the_changes(self):
        *_, change, _ = self.compared(*self.changed_offsets(), options=("--tolerance", "99%"))
        panel, = change["panels"]
        self.assertEqual(panel["band"], [1 - 0.99, 1.99])
        self.assertGreater(panel["quantities"][0]["low"], 0.4)
        self.assertEqual(change["notes"], ["99 same"])

    def test_tables_with_the_largest_changes_come_first(self):
        def slow_down(report):
            for result in report["results"]:
                factor = {"coalesced": 0.8, "stride": 0.95}.get(result["probe"], 1)
                for member in ("measured", "ci95_low", "ci95_high"):
                    result["headline"][member] *= factor

        blocks = self.compared(H200 / "smoke.json", self.changed(H200 / "smoke.json", slow_down))
        changes = [block["about"].split(" ")[2] for block in blocks if block["about"].startswith("Change of")]
        self.assertEqual(changes[:2], ["coalesced", "stride"])
        self.assertIn("bank", changes[2:])

    def test_predictions_are_compared_as_predictions(self):
        paths = [self.directory / f"{gpu}.json" for gpu in ("h200", "h100")]
        for path in paths:
            self.succeed("probe", "--stride", "1..4", "--op", "read", "--backend", "model", "--gpu", path.stem, "--quiet",
                         "-o", str(path))
        change, _ = self.compared(*paths)
        points = change["panels"][0]["series"][0]["points"]
        self.assertEqual([list(point["readings"][SPEED]) for point in points], [["predicted"]] * 4)
        self.assertTrue(all(point["beyond"] for point in points))

    def test_a_case_that_failed_is_counted(self):
        report = json.loads((H200 / "offset.json").read_text(encoding="utf-8"))
        report["results"][1].update(status="failed", reason="for this test")
        change, _ = self.compared(H200 / "offset.json", self.kept(report, "new"))
        self.assertIn("1 failed of 99 cases", change["panels"][0]["subtitle"])

    def test_several_new_reports_have_a_colour_each(self):
        old, new = self.changed_offsets()
        _, change, _ = self.compared(old, new, H100 / "offset.json")
        colours = {series["label"].partition(":")[0]: series["colour"] for panel in change["panels"]
                   for series in panel["series"]}
        self.assertEqual(len(colours), 2)
        self.assertEqual(len(set(colours.values())), 2)

    def test_nothing_in_common_leaves_the_curves(self):
        blocks = self.compared(H200 / "offset.json", H100 / "stride.json")
        self.assertEqual([block["about"].split(" ")[0] for block in blocks], ["offset", "stride"])


class Bars(ChangesTest):
    def test_the_largest_changes_come_first(self):
        """So that a report of hundreds of cases is readable: twenty of them, whichever way they went."""
        bars, *_ = self.compared(H200 / "smoke.json", H100 / "smoke.json")
        panel, = bars["panels"]
        self.assertTrue(panel["title"].startswith("The 20 largest of "), panel["title"])
        self.assertEqual((len(panel["x"]["names"]), panel["base"]), (20, 1))
        ratios = dict(sorted((point["x"], point["readings"][SPEED]["measured"]) for series in panel["series"]
                             for point in series["points"]))
        sizes = [max(ratio, 1 / ratio) for ratio in ratios.values()]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual({series["label"] for series in panel["series"]}, {"slower", "faster"})

    def test_few_cases_need_none(self):
        bars = [block for block in self.compared(H200 / "coalesced.json", H100 / "coalesced.json") if
                block["panels"][0].get("base")]
        self.assertEqual(bars, [])

    def test_a_program_has_bars_of_its_kernels(self):
        """The one that changed the GPU time most is the first; both programs follow side by side."""
        bars, roofline, _ = self.compared(BEFORE, ORDER)
        panel, = bars["panels"]
        self.assertEqual(panel["x"]["names"][0][1], "index_elementwise_kernel\n569.6 us \u2192 169 us")
        faster, = [series for series in panel["series"] if series["label"] == "faster"]
        self.assertAlmostEqual(faster["points"][0]["readings"][SPEED]["measured"], 3.37, delta=0.01)
        self.assertEqual(len(panel["x"]["names"]), 6)
        self.assertEqual(roofline["columns"], 2)


class Drawn(DrawnTexts, ChangesTest):
    @needs_matplotlib
    def test_a_figure_shows_it_too(self):
        path = self.directory / "change.svg"
        self.succeed("compare", *map(str, self.changed_offsets()), "--quiet", "-o", str(path))
        self.assertLessEqual({"What changed", "slower", "faster", "all of its interval beyond the noise"}, self.texts(path))
        self.assertLessEqual({"change.band", "change.offset.band", "change.slower.1", "change.faster.1"}, self.ids(path))

    @needs_matplotlib
    def test_so_of_programs(self):
        path = self.directory / "change.svg"
        self.succeed("compare", str(BEFORE), str(ORDER), "--quiet", "-o", str(path))
        self.assertLessEqual({"Change of kernels: the speed of a launch", "3.37"}, self.texts(path))

    @needs_matplotlib
    def test_counts_and_fleets_say_what_they_have(self):
        """Their pages have tables, and no figure."""
        for options in (("--counts",), ("--fleet",)):
            with self.subTest(options):
                said = self.fail_with(2, "compare", *options, str(BEFORE), str(ORDER), "--quiet",
                                      "-o", str(self.directory / "change.svg"))
                self.assertIn("there is no figure of this, but a page: name a .html", said)


if __name__ == "__main__":
    unittest.main()
