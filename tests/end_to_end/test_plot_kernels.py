"""Figures of programs that 'gpumem run' watched: which kernels are where, and what they could save."""

import json
import unittest
from types import SimpleNamespace

from plots import GOLDEN, H200, DrawnTexts, PlotTest, needs_matplotlib
from plotting import kernels, reports

MIB, PEAK = 1 << 20, 4800
REASON = "Stores: lanes 8 elements apart, 32 sectors where 4 would do (app.cu:9); write them in turn"


def kernel(name, gpu_s=0.01, saved_s=0, used=512 * MIB, moved=1, seconds=0.001, grid="4096", **changes):
    """A kernel as 'gpumem run' reports it: of 0.1 s on the GPU, with a launch that takes `seconds`."""
    rate = used / seconds / 1e9
    one = {"probe": "kernel", "parameters": {"kernel": name, "grid": grid, "block_threads": 256, "device": 0},
           "swept": "kernel", "status": "ok", "access": [], "flags": [], "predicted_seconds": seconds,
           "headline": {"quantity": "bandwidth_gb_per_s", "better": "more", "measured": rate if gpu_s else None,
                        "predicted": rate, "peak": PEAK},
           "bandwidth_gb_per_s": {"measured": rate if gpu_s else None, "predicted": rate},
           "useful_bytes": {"read": used, "written": 0},
           "metrics": {"gpu_time_seconds": gpu_s, "gpu_time_share": gpu_s and 10 * gpu_s,
                       "launches": 10 if gpu_s else 1, "bytes_moved_per_byte_used": moved},
           "metrics_predicted": {"could_save_seconds": saved_s},
           "why": f"By the model 1.00 ms of 9.00 ms could be saved. {REASON}. And 5 sites more."}
    return {**one, **changes}


def unseen(name):
    return kernel(name, status="skipped", reason="launched by a CUDA graph", useful_bytes={"read": 0, "written": 0},
                  metrics_predicted={})


class KernelsTest(PlotTest):
    def written(self, *kernels, name="app", bin_seconds=None, **program):
        """The path of a report of a program with these kernels."""
        path = self.directory / f"{name}.json"
        report = {"schema_version": 1, "backend": "cuda", "results": kernels,
                  "program": {"command": ["./app", "--fast"], "launches_seen": 10 * len(kernels),
                              "bin_seconds": bin_seconds} | program,
                  "device": {"name": "Some GPU", "theoretical_bandwidth_gb_per_s": PEAK, "l2_bytes": 64 * MIB}}
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def only(self, figure, *kernels):
        panel, = self.panels(self.written(*kernels), figure=figure)
        return panel

    def points(self, panel):
        """{label of the series: {title: point}}."""
        return {series["label"]: {point["title"]: point for point in series["points"]} for series in panel["series"]}


class ManySites(unittest.TestCase):
    def test_costs_are_looked_at_once(self):
        """Costs are looked at once for a kernel with many sites, not once for each site."""
        looked = []

        class Counted(list):
            def __iter__(self):
                looked.append(len(self))
                return super().__iter__()

        sites = [{"site": f"app.cu:{i}", "space": "global", "op": "load", "word_bytes": 4,
                  "sectors_per_request": {"predicted": float(i), "counted": None}} for i in range(500)]
        report = reports.typed(reports.REPORT, {"results": [kernel("wide", access=sites)]}, "")
        case, = report.results
        case.access = Counted(case.access)
        reports.read_case(case, "/results/0")
        self.assertEqual(case.readings["sectors_per_request"].predicted, 499)
        self.assertLess(len(looked), 20)

    def test_launches_of_many_kernels(self):
        def cases(*launches):
            return [SimpleNamespace(parameters={"kernel": name, "grid": grid, "block_threads": 64, "device": device})
                    for name, grid, device in launches]

        self.assertEqual(kernels.launches_words(cases(("a", "1", 0), ("b", "1", 0), ("a", "2", 0), ("c", "1", 0), ("c", "1", 1))),
                         [" <<<1, 64>>>", "", " <<<2, 64>>>", " on GPU 0", " on GPU 1"])


class Roofline(KernelsTest):
    def test_kernels_lie_at_their_bytes_and_bandwidth(self):
        panel = self.only("roofline", kernel("naive(int)", saved_s=0.005, moved=4.5), kernel("copy", used=256 * MIB))
        self.assertEqual(panel["title"], "Roofline of memory, kernels of ./app --fast")
        self.assertEqual([quantity["name"] for quantity in panel["quantities"]],
                         ["bandwidth_gb_per_s", "fraction_of_peak"])
        points = self.points(panel)
        self.assertEqual({label: list(found) for label, found in points.items()},
                         {"could save time": ["naive"], "others": ["copy"]})
        naive, copy = points["could save time"]["naive"], points["others"]["copy"]
        self.assertEqual((naive["x"], copy["x"]), (512 * MIB, 256 * MIB))
        rate = 512 * MIB / 1e6
        self.assertEqual(naive["readings"]["bandwidth_gb_per_s"], {"measured": rate})
        self.assertEqual((naive["share"], naive["label"]), (0.1, "naive"))
        self.assertAlmostEqual(naive["reach"]["bandwidth_gb_per_s"], 4.5 * rate)
        self.assertAlmostEqual(naive["reach"]["fraction_of_peak"], 4.5 * rate / PEAK)
        self.assertNotIn("reach", copy)

    def test_the_roof_and_l2(self):
        panel = self.only("roofline", kernel("small", used=16 * MIB), kernel("large"))
        roof, share, l2 = panel["guides"]
        self.assertEqual(roof["label"], "theoretical bandwidth 4800 GB/s")
        self.assertEqual({y for _, y in roof["points"]}, {PEAK})
        self.assertEqual({y for _, y in share["points"]}, {1})
        self.assertLess(roof["points"][0][0], 16 * MIB)
        self.assertGreater(roof["points"][-1][0], 512 * MIB)
        self.assertEqual(l2, {"label": "L2 holds 64 MiB", "x": 64 * MIB})
        self.assertEqual(len(self.only("roofline", kernel("large"))["guides"]), 2)  # L2 is far from it

    def test_what_is_left_out_is_said(self):
        panel = self.only("roofline", kernel("large"), kernel("tiny", gpu_s=1e-6), kernel("wasteful", 1e-6, 5e-7),
                          kernel("empty", used=0), unseen("graph"))
        self.assertEqual(self.points(panel).keys(), {"could save time", "others"})
        self.assertEqual([list(found) for found in self.points(panel).values()], [["wasteful"], ["large"]])
        self.assertEqual(panel["subtitle"], "2 kernels; left out: 2 not seen access by access, or without bytes; "
                                            "left out: 1 with less than 0.2 % of the time each")

    def test_a_kernel_launched_once_is_predicted(self):
        """It counts by the time that was predicted, and lies where that says."""
        panel = self.only("roofline", kernel("timed"), kernel("once", gpu_s=None), kernel("blink", None, seconds=1e-6))
        points = self.points(panel)["others"]
        self.assertEqual(list(points), ["timed", "once"])
        self.assertEqual(points["once"]["readings"]["bandwidth_gb_per_s"], {"predicted": 512 * MIB / 1e6})
        self.assertEqual(points["once"]["share"], 0)

    def test_nothing_worth_saving_is_said(self):
        panel, = self.panels(self.written(kernel("a"), kernel("b", saved_s=0.0001)))  # 1 % of its time
        self.assertEqual(panel["subtitle"], "2 kernels; no accesses are known that waste time worth saving")
        self.assertEqual(list(self.points(panel)), ["others"])

    def test_names_have_room(self):
        """Only a few of forty kernels at one place can be named; the ones that could save most come first."""
        same = [kernel(f"kernel_{i}", seconds=0.001 + i * 1e-6, saved_s=0.005 if i > 36 else 0) for i in range(40)]
        points = self.points(self.only("roofline", *same))
        named = {label: [title for title, point in found.items() if "label" in point]
                 for label, found in points.items()}
        self.assertTrue(named["could save time"])
        self.assertLessEqual(sum(map(len, named.values())), 6)

    def test_names_are_short_and_differ(self):
        names = ("void at::native::fill<4, float>(int, float*)", "void at::native::(anonymous namespace)::plain(int)",
                 "void apply<at::Functor<at::native::SumOp<float> >, at::array<char*, 2> >(int)",
                 "void apply<at::Functor<at::native::MaxOp<float> >, at::array<char*, 2> >(int)",
                 "overloaded_with_a_name_of_more_than_thirty_two(int)",
                 "overloaded_with_a_name_of_more_than_thirty_two(float)", "k<(a->b)>() const [clone .1]")
        points = self.points(self.only("roofline", *map(kernel, names)))["others"]
        self.assertEqual(list(points), ["at::native::fill<4, float>", "at::native::plain", "apply<…SumOp…>",
                                        "apply<…MaxOp…>", "overloaded_with_a_name_of_more_…",
                                        "overloaded_with_a_name_of_mo… #2", "k<(a->b)>"])

    def test_launches_of_one_kernel_are_told_apart(self):
        points = self.points(self.only("roofline", kernel("a"), kernel("a", grid="8x8"), kernel("b")))["others"]
        self.assertEqual(list(points), ["a <<<4096, 256>>>", "a <<<8x8, 256>>>", "b"])

    def test_other_reports_keep_their_rooflines(self):
        panel, = self.panels(H200 / "stride.json", figure="roofline")
        self.assertEqual(panel["title"], "Roofline of device memory")


class Savings(KernelsTest):
    def test_bars_are_those_of_the_report(self):
        panel = self.only("savings", kernel("little", 0.02, 0.001), kernel("most", 0.01, 0.008), kernel("none"),
                          kernel("once", None, 0.002))
        self.assertEqual([name for _, name in panel["x"]["names"]], ["most", "once", "little"])
        self.assertEqual(panel["quantities"][0]["label"], "GPU time, ms")
        points = self.points(panel)
        readings = {label: {title: point["readings"]["gpu_time_seconds"] for title, point in found.items()}
                    for label, found in points.items()}
        self.assertEqual(readings, {"GPU time": {"most": {"measured": 10}, "little": {"measured": 20}},
                                    "could save, by the model": {"most": {"predicted": 8}, "once": {"predicted": 2},
                                                                 "little": {"predicted": 1}}})
        self.assertEqual(points["could save, by the model"]["most"]["label"], REASON)

    def test_at_most_ten(self):
        panel = self.only("savings", *(kernel(f"k{i}", 0.02, 0.001 * (i + 1)) for i in range(12)))
        self.assertEqual([name for _, name in panel["x"]["names"]], [f"k{i}" for i in range(11, 1, -1)])
        self.assertEqual(panel["subtitle"], "2 more could save less")

    def test_units_follow_the_longest_time(self):
        for seconds, unit in ((2, "s"), (0.2, "ms"), (2e-5, "us"), (2e-8, "ns")):
            panel = self.only("savings", kernel("a", seconds, seconds / 2))
            self.assertEqual(panel["quantities"][0]["label"], f"GPU time, {unit}")

    def test_a_program_has_all_figures(self):
        panels = self.panels(GOLDEN / "program_in_time.json")
        self.assertEqual([panel["title"] for panel in panels], ["Roofline of memory, kernels of python3 train.py",
                                                                "Possible savings in kernels of python3 train.py",
                                                                "When kernels of python3 train.py ran"])
        self.assertEqual([name for _, name in panels[1]["x"]["names"]], ["elementwise_kernel", "tile<0>"])

    def test_several_programs_have_figures_each(self):
        panels = self.panels(self.written(kernel("a", saved_s=0.005), name="before"),
                             self.written(kernel("a"), name="after"), H200 / "coalesced.json")
        self.assertEqual([panel["name"] for panel in panels],
                         ["kernel-roofline", "savings", "kernel-roofline.2", "coalesced"])


class Times(KernelsTest):
    def times(self, *kernels, bin_seconds=0.5, **program):
        panel, = self.panels(self.written(*kernels, bin_seconds=bin_seconds, **program), figure="timeline")
        return panel

    def shares(self, panel):
        return {series["label"]: {point["x"]: point["readings"]["share_of_time"]["measured"] for point in series["points"]}
                for series in panel["series"]}

    def test_bars_are_those_of_the_report(self):
        panel = self.times(kernel("short", ran_seconds=[0.05, 0, 0, 0.1]), kernel("long", ran_seconds=[0, 0.5, 0.25, 0]),
                           kernel("once"))
        self.assertEqual(self.shares(panel), {"long": {0.75: 100, 1.25: 50}, "short": {0.25: 10, 1.75: 20}})
        self.assertEqual((panel["stacked"], panel["x"]["label"]), (0.5, "time since the first launch, s"))
        self.assertEqual([text for _, text in panel["x"]["ticks"]], ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2", "1.4",
                                                                     "1.6", "1.8", "2"])
        self.assertEqual(panel["subtitle"], "1 kernel without times is left out.")
        self.assertEqual(panel["series"][0]["points"][0]["title"], "long, 0.5 to 1 s")

    def test_small_ones_share_a_colour(self):
        panel = self.times(*(kernel(f"k{i}", ran_seconds=[0.01 * (i + 1), 0]) for i in range(10)), bin_seconds=1)
        shares = self.shares(panel)
        self.assertEqual(list(shares), [f"k{i}" for i in range(9, 2, -1)] + ["3 others"])
        self.assertAlmostEqual(shares["3 others"][0.5], 100 * 0.06)

    def test_several_gpus(self):
        other = kernel("b", ran_seconds=[0.5])
        other["parameters"]["device"] = 1
        panel = self.times(kernel("a", ran_seconds=[0.5]), other)
        self.assertEqual(panel["quantities"][0]["label"], "share of the time of 2 GPUs, %")
        self.assertEqual({share for found in self.shares(panel).values() for share in found.values()}, {50})

    def test_units_follow_the_run(self):
        for bin_seconds, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
            panel = self.times(kernel("a", ran_seconds=[0, bin_seconds]), bin_seconds=bin_seconds)
            self.assertEqual((panel["x"]["label"], panel["stacked"]), (f"time since the first launch, {unit}", 1))

    def test_looking_closely_is_cut_out(self):
        """The first bins in which nothing ran are cut out; a bin in which something ran never is."""
        ran = [0, 0.1, 0, 0, 0, 0.5, 0, 0.25]
        for sampling, kept, without in ((None, 8, ""), (0.4, 8, ""), (1.6, 5, " without 1.5 s of sampling"),
                                        (100, 3, " without 2.5 s of sampling")):
            panel = self.times(kernel("a", ran_seconds=ran), sampling_seconds=sampling)
            self.assertEqual(panel["x"]["label"], f"time since the first launch{without}, s")
            self.assertEqual(panel["x"]["names"][-1][0], kept * 0.5)
            self.assertEqual(list(self.shares(panel)["a"].values()), [20, 100, 50])
        self.assertEqual(self.shares(panel)["a"], {0.25: 20, 0.75: 100, 1.25: 50})

    def test_no_bar_is_more_than_all_of_the_time(self):
        panel = self.times(kernel("a", ran_seconds=[0.3, 0.4]), kernel("b", ran_seconds=[0.2, 0.35]))
        self.assertEqual(self.shares(panel)["a"][0.25] + self.shares(panel)["b"][0.25], 100)
        self.assertAlmostEqual(self.shares(panel)["a"][0.75], 100 * 0.4 / 0.75)
        self.assertAlmostEqual(self.shares(panel)["a"][0.75] + self.shares(panel)["b"][0.75], 100)
        self.assertEqual(panel["subtitle"], "In 1 bar overlapping kernels add up to 150 %; drawn as 100 %.")

    def test_of_a_measured_program(self):
        panel = self.panels(H200 / "programs" / "kernels.json", figure="timeline")[0]
        bars = {}
        for found in self.shares(panel).values():
            for place, share in found.items():
                bars[place] = bars.get(place, 0) + share
        self.assertLessEqual(max(bars.values()), 100 + 1e-9)
        ends = panel["x"]["names"][-1][0]
        self.assertGreater(len(bars) * panel["stacked"] / ends, 0.9)  # of the axis, that something ran in

    def test_what_the_program_writes(self):
        panel = self.panels(GOLDEN / "program_in_time.json")[-1]
        self.assertEqual(panel["title"], "When kernels of python3 train.py ran")
        self.assertEqual(self.shares(panel)["elementwise_kernel"], {8: 50, 40: 18.75})

    def test_of_kernels_that_nobody_looked_at(self):
        panel, = self.panels(self.written({**unseen("a"), "ran_seconds": [1]}, bin_seconds=2))
        self.assertEqual(self.shares(panel), {"a": {1: 50}})

    def test_nothing_is_known(self):
        for kernels in ((kernel("a"),), (kernel("a", ran_seconds=[0, 0]),)):
            self.assertIn("of no kernel it is known when it ran", self.refused(self.written(*kernels, bin_seconds=1),
                                                                               figure="timeline"))
        for bin_seconds in (None, 0, -1):
            self.assertEqual(len(self.panels(self.written(kernel("a", ran_seconds=[1]), bin_seconds=bin_seconds))), 1)


class Refusals(KernelsTest):
    def test_nothing_to_plot(self):
        self.assertIn("the program launched no kernel", self.refused(self.written()))
        for figure in (None, "roofline"):
            self.assertIn("of no kernel an access was seen", self.refused(self.written(kernel("a", used=0)), figure=figure))

    def test_nothing_to_save(self):
        self.assertIn("nothing to save in", self.refused(self.written(kernel("a")), figure="savings"))

    def test_choices(self):
        self.assertIn("--figure takes kernel, savings, timeline or roofline",
                      self.refused(self.written(kernel("a")), figure="stride"))
        self.assertIn("--figure takes stride or roofline", self.refused(H200 / "stride.json", figure="savings"))


@needs_matplotlib
class Drawings(DrawnTexts, KernelsTest):
    def test_marks_and_texts(self):
        report = self.written(kernel("naive", 0.01, 0.008, moved=4.5), kernel("copy", used=16 * MIB))
        path = self.plot("app.svg", report)
        self.assertLessEqual({"naive", "copy", "could save time", "others", "area: share of the GPU time",
                              "line up: to the bytes moved", "L2 holds 64 MiB", "bytes that a launch uses",
                              "bandwidth, GB/s", "GPU time, ms", "8 of 10", "could save, by the model"},
                             self.texts(path))
        self.assertTrue(any(text.startswith("Stores: lanes 8 elements apart, 32 sectors") for text in self.texts(path)))
        self.assertLessEqual({"kernel-roofline.saving.measured", "kernel-roofline.saving.reach",
                              "kernel-roofline.other.measured", "kernel-roofline.limit.1", "savings.taken.1",
                              "savings.saved.1"}, self.ids(path))
        self.assertNotIn("kernel-roofline.other.reach", self.ids(path))

    def test_a_time_line(self):
        path = self.plot("times.svg", self.written(kernel("first", ran_seconds=[0.4, 0]), kernel("second", ran_seconds=[0, 1]),
                                                   bin_seconds=1), figure="timeline")
        self.assertLessEqual({"first", "second", "share of the time, %", "all of the time"}, self.texts(path))
        self.assertLessEqual({"timeline.0.1", "timeline.1.1"}, self.ids(path))

    def test_another_quantity(self):
        path = self.plot("peak.svg", self.written(kernel("a", moved=2)), figure="roofline", y="peak")
        self.assertIn("fraction of peak", self.texts(path))
        self.assertIn("kernel-roofline.other.reach", self.ids(path))

    def test_beside_other_figures(self):
        path = self.plot("all.svg", self.written(kernel("a", saved_s=0.005)), H200 / "coalesced.json")
        self.assertLessEqual({"bandwidth, GB/s", "GPU time, ms", "read"}, self.texts(path))


if __name__ == "__main__":
    unittest.main()
