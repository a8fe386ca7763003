"""The roofline of reports with flops: which cases are where, under which line."""

import json
import unittest

from plots import H200, DrawnTexts, PlotTest, foreign_case, needs_matplotlib

BYTES, BANDWIDTH, PEAK = 1 << 30, 4000e9, {"float": 60e12, "double": 30e12}


def case(probe, parameters, flops, seconds, moved=None, useful=BYTES, theoretical=66000):
    """A case of `flops` on `useful` bytes, with `moved` bytes counted by the hardware."""
    rate = flops / seconds / 1e9
    one = foreign_case(probe, parameters, "gflop_per_s", "more", measured=rate, ci95_low=0.99 * rate,
                       ci95_high=1.01 * rate, predicted=2 * rate, peak=min(theoretical, 4800 * flops / useful))
    one.update(useful_bytes={"read": useful, "written": 0}, useful_flops=flops, predicted_seconds=seconds / 2,
               time_seconds={"median": seconds, "ci95_low": seconds / 1.01, "ci95_high": seconds / 0.99, "count": 15})
    if moved:
        one["counters"] = {"dram_read_bytes": moved, "dram_write_bytes": 0}
    return one


def sweep(kind, most=512, **changes):
    """More and more flops on the same bytes: as fast as memory or arithmetic allow."""
    steps = [1 << i for i in range(10) if 1 << i <= most]
    flops = [2 * step * BYTES // (8 if kind == "double" else 4) for step in steps]
    return [case("roofline", {"fma_per_word": step, "type": kind}, of_case,
                 max(BYTES / BANDWIDTH, of_case / PEAK[kind]), **changes) for step, of_case in zip(steps, flops)]


def matmul(kind="float", how="tile-16", sizes=(128, 1024, 4096), rate=8e12, **changes):
    return [case("matmul", {"product_n": size, "matmul": how, "type": kind}, 2 * size**3, 2 * size**3 / rate,
                 useful=12 * size**2, **changes) for size in sizes]


class RooflineTest(PlotTest):
    def written(self, name, cases, gpu="Some GPU"):
        """The path of a report of the cases."""
        path = self.directory / f"{name}.json"
        report = {"schema_version": 1, "backend": "cuda", "results": cases,
                  "device": {"name": gpu, "theoretical_bandwidth_gb_per_s": 4800}}
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def roofline(self, *reports):
        return self.panels(*reports, figure="roofline")


class Roofline(RooflineTest):
    def test_the_sweep_is_the_line(self):
        panels = self.roofline(self.written("sweep", sweep("float") + sweep("double")))
        self.assertEqual([panel["title"] for panel in panels], ["Roofline, float", "Roofline, double"])
        for panel, peak in zip(panels, (60000, 30000)):
            guide, = panel["guides"]
            self.assertEqual(guide["label"], f"4000 GB/s, {peak} GFLOP/s measured")
            for x, y in guide["points"]:
                self.assertAlmostEqual(y, min(4000 * x, peak), places=6)
            series, = panel["series"]
            self.assertFalse(series["thin"])
            self.assertEqual(len(series["points"]), 10)
            for point in series["points"]:
                reading = point["readings"]["gflop_per_s"]
                self.assertAlmostEqual(reading["measured"], min(4000 * point["x"], peak))
                self.assertAlmostEqual(reading["predicted"], 2 * reading["measured"])
                self.assertAlmostEqual(reading["ci95_low"], 0.99 * reading["measured"])

    def test_other_cases_lie_under_it(self):
        reports = [self.written("sweep", sweep("float")),
                   self.written("matmul", matmul() + matmul(how="outputs-64", rate=4e13)),
                   self.written("plain", [foreign_case("ladder", {"steps": 1}, "latency_cycles", "less", measured=30)])]
        panel, = self.roofline(*reports)
        self.assertEqual([series["label"] for series in panel["series"]],
                         ["roofline", "matmul tile-16", "matmul outputs-64"])
        self.assertEqual(panel["subtitle"], "16 cases; left out: 1 without flops or a time")
        tiles = panel["series"][1]
        self.assertTrue(tiles["thin"])
        self.assertEqual([round(point["x"], 6) for point in tiles["points"]],
                         [round(size / 6, 6) for size in (128, 1024, 4096)])
        for point in tiles["points"]:
            self.assertAlmostEqual(point["readings"]["gflop_per_s"]["measured"], 8000)
            self.assertNotIn("predicted", point["readings"]["gflop_per_s"])
        self.assertEqual([point.get("label") for point in tiles["points"]], [None, None, "tile-16 4096"])
        looks = {(series["colour"], series["marker"]) for series in panel["series"]}
        self.assertEqual(len(looks), 3)
        self.assertEqual(panel["guides"][0]["label"], "4000 GB/s, 60000 GFLOP/s measured")

    def test_counted_bytes_come_first(self):
        panel, = self.roofline(self.written("both", matmul(moved=1 << 20) + matmul(how="cublas")))
        counted, useful = panel["series"]
        self.assertEqual([series["label"] for series in panel["series"]],
                         ["matmul tile-16", "matmul cublas (useful bytes)"])
        self.assertEqual(panel["x"]["label"], "flops per byte of device memory (counted unless said otherwise)")
        self.assertEqual([point["x"] for point in counted["points"]],
                         [2 * size**3 / 2**20 for size in (128, 1024, 4096)])
        self.assertEqual(useful["points"][0]["x"], 128 / 6)
        self.assertEqual(counted["points"][0]["rows"][0],
                         ["flops per byte of device memory (counted)", "", "4", ""])
        self.assertEqual(useful["points"][0]["rows"][0], ["flops per useful byte", "21.33", "", ""])
        for cases, words in ((matmul(), "flops per useful byte"),
                             (matmul(moved=1 << 20), "flops per byte of device memory (counted)")):
            self.assertEqual(self.roofline(self.written("one", cases))[0]["x"]["label"], words)

    def test_without_both_sides_of_the_ridge_the_line_is_theoretical(self):
        for cases, words in ((sweep("float", most=4), "4800 GB/s theoretical"),
                             (sweep("float", most=4) + matmul(), "4800 GB/s, 66000 GFLOP/s theoretical"),
                             (matmul(sizes=(8, 16)), "4800 GB/s theoretical")):  # memory limits these
            panel, = self.roofline(self.written("part", cases))
            self.assertEqual([guide["label"] for guide in panel["guides"]], [words])

    def test_cases_about_bandwidth(self):
        """They are there if it is that of device memory, whose useful bytes are those that a roofline means."""
        cases = matmul(sizes=(1024,))
        for name, peak in (("stream", 4800), ("hierarchy", 400000)):
            one = case(name, {"op": "triad"}, BYTES // 4, BYTES / 4e12)
            one["headline"] = {"quantity": "bandwidth_gb_per_s", "better": "more", "measured": 4000, "peak": peak}
            one["bandwidth_gb_per_s"] = {"measured": 4000}
            cases.append(one)
        panel, = self.roofline(self.written("mixed", cases))
        self.assertEqual([series["label"] for series in panel["series"]], ["matmul tile-16", "stream"])
        point, = panel["series"][1]["points"]
        self.assertEqual(point["x"], 0.25)
        self.assertEqual(point["rows"][1], ["GFLOP/s", "2000", "", "1000 ± 1 %"])

    def test_several_gpus_have_a_line_each(self):
        panel, = self.roofline(self.written("one", sweep("float")), self.written("two", sweep("float"), "Other GPU"))
        self.assertEqual([series["label"] for series in panel["series"]], ["Some GPU: roofline", "Other GPU: roofline"])
        self.assertEqual([guide["label"].split(":")[0] for guide in panel["guides"]], ["Some GPU", "Other GPU"])
        self.assertNotEqual(panel["series"][0]["colour"], panel["series"][1]["colour"])

    def test_the_table_of_the_sweep_is_the_roofline(self):
        panels = self.panels(self.written("sweep", sweep("float")), self.written("matmul", matmul()),
                             H200 / "coalesced.json")
        self.assertEqual([panel["name"].split(".")[0] for panel in panels], ["roofline", "matmul", "coalesced"])
        self.assertEqual([series["label"] for series in panels[0]["series"]], ["roofline", "matmul tile-16"])
        self.assertEqual(panels[0]["subtitle"], "13 cases")

    def test_without_flops_it_is_that_of_memory(self):
        panel, = self.roofline(self.report("model.json", "--stride", "1..4"))
        self.assertEqual(panel["title"], "Roofline of device memory")

    def test_absurd_numbers_have_no_place(self):
        absurd = [case("matmul", {"product_n": 8, "matmul": name}, 1, 1) for name in "abcd"]
        absurd[0].update(useful_flops=-1)
        absurd[1]["time_seconds"].update(median=-1)
        absurd[1].update(predicted_seconds=0)
        absurd[2].update(useful_bytes={"read": -1})
        absurd[3].update(useful_flops=1e30, useful_bytes={"read": 1e-300})
        panel, = self.roofline(self.written("absurd", absurd + matmul()))
        self.assertEqual([series["label"] for series in panel["series"]], ["matmul tile-16"])


@needs_matplotlib
class Drawings(DrawnTexts, RooflineTest):
    def test_labels_and_line(self):
        cases = sweep("float") + matmul() + matmul(how="outputs-64", rate=4e13)
        path = self.plot("roofline.svg", self.written("all", cases), figure="roofline")
        self.assertLessEqual({"Roofline, float", "4000 GB/s, 60000 GFLOP/s measured", "tile-16 4096", "outputs-64 4096",
                              "matmul tile-16", "flops per useful byte", "GFLOP/s"}, self.texts(path))
        self.assertLessEqual({"roofline.float.limit.1", "roofline.float.matmul-tile-16.measured"}, self.ids(path))

    def test_labels_without_room_are_left_out(self):
        alike = [one for i in range(12) for one in matmul(how=f"variant-{i}", sizes=(4096,), rate=8e12 + i)]
        texts = self.texts(self.plot("roofline.svg", self.written("alike", alike), figure="roofline"))
        labels = {f"variant-{i} 4096" for i in range(12)} & texts
        self.assertTrue(1 <= len(labels) <= 4, labels)

    def test_another_quantity(self):
        report = self.written("all", sweep("float") + matmul())
        path = self.plot("peak.svg", report, figure="roofline", y="peak")
        self.assertIn("fraction of peak", self.texts(path))
        self.assertNotIn("4000 GB/s, 60000 GFLOP/s measured", self.texts(path))


if __name__ == "__main__":
    unittest.main()
