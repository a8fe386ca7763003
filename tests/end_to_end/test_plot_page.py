"""The interactive page of figures, in a real browser."""

import importlib.util
import json
import os
import shutil
import unittest

from plots import GOLDEN, H200, HOSTILE, ROOT, PlotTest, matrix_report
from test_plot_kernels import MIB, REASON, KernelsTest, kernel
from test_plot_roofline import RooflineTest, matmul, sweep


def browser():
    """A headless Chromium, or a SkipTest that says what is missing."""
    if importlib.util.find_spec("selenium") is None:
        raise unittest.SkipTest("selenium is not installed; 'python3 -m pip install selenium' does that")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if not program or not driver:
        raise unittest.SkipTest("no Chromium with a chromedriver; 'apt-get install chromium chromium-driver' has them")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,1000",
                     *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


class BrowserTest(PlotTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser()
        cls.addClassCleanup(cls.browser.quit)

    def open(self, *reports, **choices):
        """A page with all of its panels drawn, which else are when they are about to be seen."""
        self.visit(self.plot("page.html", *reports, **choices))
        return self

    def visit(self, page):
        self.browser.get(page.as_uri())
        self.run_in_page("for (const name of ['beforeprint', 'afterprint']) window.dispatchEvent(new Event(name))")

    def tearDown(self):
        """Whatever a test does, the page must neither complain nor fetch anything."""
        self.assertEqual(self.browser.get_log("browser"), [])
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        self.assertTrue(urls)
        self.assertEqual([url for url in urls if not url.startswith(("file:", "data:"))], [])
        self.assertEqual([url for url in urls if url.startswith("file:") and not url.endswith(".html")], [])

    def run_in_page(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def plot_of(self, panel):
        return self.all(f'[id="{panel}"]')[0]

    def traces(self, panel):
        """{series and reading: trace} of what is drawn of a panel."""
        found = self.run_in_page("""return document.getElementById(arguments[0]).data.map((trace, i) => ({
            name: trace.uid ?? trace.meta?.part ?? String(i), type: trace.type, x: trace.x, y: trace.y, z: trace.z,
            text: trace.text, size: trace.marker?.size, visible: trace.visible, dash: trace.line?.dash, base: trace.base,
            mode: trace.mode, interval: trace.error_y?.array }))""", panel)
        return {trace["name"]: trace for trace in found}

    def texts(self, panel):
        return {text.text for text in self.plot_of(panel).find_elements("css selector", "text")}

    def hover(self, panel, series, number):
        """The lines that are shown with the pointer over a case."""
        from selenium.webdriver.common.action_chains import ActionChains
        plot = self.plot_of(panel)
        self.run_in_page("arguments[0].scrollIntoView({block: 'center'})", plot)
        x, y = self.run_in_page("""const [plot, uid, i] = arguments, { xaxis, yaxis } = plot._fullLayout;
            const { x, y, type } = plot.data.find((trace) => trace.uid === uid), box = plot.getBoundingClientRect();
            const along = type === "bar" ? .5 : 1;
            return [xaxis._offset + xaxis.l2p(xaxis.d2l(x[i])) - box.width / 2,
                    yaxis._offset + (along * yaxis.l2p(yaxis.d2l(y[i])) + (1 - along) * yaxis._length) - box.height / 2]
            """, plot, series, number)
        ActionChains(self.browser).move_to_element_with_offset(plot, round(x), round(y)).perform()
        return self.told(panel)

    def told(self, panel, first=None):
        """The lines that are shown, once they are: with `first`, those that begin with it."""
        from selenium.webdriver.support.ui import WebDriverWait
        def lines(_):
            found = self.run_in_page("""const box = document.getElementById(arguments[0]).parentElement.querySelector('.case');
                const row = ([name, ...cells]) => name.textContent + ': ' + ['measured', 'predicted', 'counted']
                  .map((reading, i) => cells[i].textContent && `${cells[i].textContent} ${reading}`).filter(Boolean).join(', ');
                return [...box.children].flatMap((part) => part.tagName === 'TABLE'
                  ? [...part.rows].slice(1).map((of) => row([...of.cells])) : [part.textContent])""", panel)
            return found and first in (None, found[0]) and found

        return WebDriverWait(self.browser, 5).until(lines, f"{first or 'no case'} is not shown")

    def choose(self, panel, label, value):
        from selenium.webdriver.support.ui import Select
        figure = self.plot_of(panel).find_element("xpath", "ancestor::section")
        found = [one for one in figure.find_elements("css selector", ".controls label")
                 if one.text.split("\n")[0].strip().startswith(label)]
        Select(found[0].find_element("css selector", "select")).select_by_value(value)

    def axis(self, panel, name, member):
        return self.run_in_page("return document.getElementById(arguments[0])._fullLayout[arguments[1]][arguments[2]]",
                                panel, name, member)


class Page(BrowserTest):
    def test_all_references_load(self):
        sweeps = [path for path in sorted(H200.glob("*.json")) if not json.loads(path.read_text()).get("suite")]
        self.open(*sweeps)
        plots = self.all(".plot .main-svg:first-of-type")
        self.assertGreaterEqual(len(plots), 60)
        self.assertEqual(len(self.traces("stride")["stride.read.measured"]["x"]), 32)
        self.assertEqual(self.traces("coalesced")["coalesced.read.measured"]["type"], "bar")
        self.choose("coalesced", "as", "heat")
        self.assertEqual([trace["type"] for trace in self.traces("coalesced").values()], ["heatmap"])

    def test_banks_of_a_tile(self):
        self.open(self.report("tile.json", "--pattern", "column * pitch + row", "--rows", "64", "--columns", "64",
                              "--word-bytes", "2", "--swizzle", "none,3,3,3"))
        banks, request = self.traces("shared-pattern.banks.none").values()
        self.assertEqual(banks["z"], [list(range(32))] * 64)  # a cell for two halves
        self.assertEqual(request["z"][16], [0] + [None] * 31)
        self.assertEqual([row[0] for row in request["text"]], [*range(32), *[""] * 32])
        swizzled = self.traces("shared-pattern.banks.3-3-3")["1"]
        self.assertEqual([row[0] for row in swizzled["text"]][:32], [lane // 8 for lane in range(32)])

    def test_hovering_shows_the_three_readings(self):
        results = json.loads((H200 / "stride.json").read_text(encoding="utf-8"))["results"]
        case = next(result for result in results if result["parameters"]["stride_elements"] == 8
                    and result["parameters"]["op"] == "write")
        self.open(self.shown(H200 / "stride.json"))
        lines = self.hover("stride", "stride.write.measured", 7)
        self.assertEqual(lines[0], "write, stride 8 elements")
        bandwidth = next(line for line in lines if line.startswith("bandwidth, GB/s: "))
        measured, _, predicted = bandwidth.removeprefix("bandwidth, GB/s: ").partition(" measured, ")
        self.assertAlmostEqual(float(measured.split(" ± ")[0]), case["bandwidth_gb_per_s"]["measured"], delta=0.06)
        self.assertAlmostEqual(float(predicted.split()[0]), case["bandwidth_gb_per_s"]["predicted"], delta=0.06)
        self.assertIn("sectors per request of target: 32 predicted, 32 counted", lines)
        self.assertTrue(any(line.startswith("Limited by ") for line in lines), lines)

    def test_lines_break_off(self):
        report = json.loads(self.report("r.json", "--offset", "0..3,8", "--op", "read").read_text(encoding="utf-8"))
        report["results"][1] |= {"status": "failed", "reason": "for this test"}
        self.open(self.kept(report, "broken"))
        trace, = [trace for name, trace in self.traces("offset").items() if name.endswith(".predicted")]
        self.assertEqual(trace["x"], [0, None, 2, 3, None, 8])
        self.assertEqual([y is None for y in trace["y"]], [False, True, False, False, True, False])

    def test_any_quantity(self):
        self.open(self.foreign())
        self.assertLessEqual({"latency, cycles", "floor 28 cycles", "detected capacity 256 KiB measured"},
                             self.texts("ladder"))
        self.assertIn("GFLOP/s", self.texts("matmul"))
        self.assertEqual([note.text for note in self.all(".notes li")],
                         ["Keep it below 256 KiB.", "detected capacity 256 KiB measured"])
        self.assertEqual(len(self.traces("ladder")["ladder.ladder.measured"]["x"]), 8)
        self.assertIn("GFLOP/s: 3000 measured, 3300 predicted", self.hover("matmul", "matmul.matmul.measured", 0))

    def test_flags_are_shown(self):
        self.open(GOLDEN / "measured_copy.json")
        flagged = self.traces("offset")["flagged"]["x"]
        self.assertEqual(flagged, [9])
        places = self.traces("offset")["offset.copy.measured"]["x"]
        self.assertIn("flags: throttled, contended", self.hover("offset", "offset.copy.measured", places.index(9)))

    def test_keys_walk_through_the_cases(self):
        self.open(H200 / "offset.json")
        plot = self.plot_of("offset")
        plot.send_keys("\ue014")  # the right arrow
        self.told("offset", "read, offset elements 0")
        plot.send_keys("\ue014")
        self.told("offset", "read, offset elements 1")
        plot.send_keys("\ue00c")  # Escape
        self.assertFalse(self.all(".hovertext"))

    def test_the_legend_hides_curves(self):
        self.open(H200 / "offset.json")
        read = self.all(".legend button")[0]
        self.assertEqual(read.text, "read")
        read.click()
        self.assertEqual(read.get_attribute("aria-pressed"), "false")
        self.assertFalse([name for name in self.traces("offset") if name.startswith("offset.read")])
        # And it stays so, whatever else is chosen.
        self.all("#readings input[name=predicted]")[0].click()
        self.assertEqual(set(self.traces("offset")) - {"guide", "flagged"}, {
            "offset.write.measured", "offset.write.counted", "offset.copy.measured", "offset.copy.counted"}
            & set(self.traces("offset")))
        self.assertEqual(len(self.traces("offset")["offset.write.measured"]["x"]), 33)

    def test_axes_can_be_chosen(self):
        self.open(H200 / "stride.json")
        self.assertEqual(self.axis("stride", "yaxis", "type"), "log")
        self.choose("stride", "y scale", "linear")
        self.assertEqual(self.axis("stride", "yaxis", "type"), "linear")
        self.choose("stride", "y", "fraction_of_peak")
        self.assertIn("fraction of peak", self.texts("stride"))
        self.assertLess(max(self.traces("stride")["stride.read.measured"]["y"]), 1)
        self.choose("stride", "x scale", "log")
        self.assertEqual(self.axis("stride", "xaxis", "type"), "log")

    def test_zoom(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.support.ui import WebDriverWait
        self.open(H200 / "offset.json")
        plot = self.plot_of("offset").find_element("css selector", ".nsewdrag")
        self.run_in_page("arguments[0].scrollIntoView({block: 'center'})", plot)
        whole = self.axis("offset", "xaxis", "range")
        drag = ActionChains(self.browser).move_to_element(plot).click_and_hold()
        drag.move_by_offset(60, -40).move_by_offset(60, -50).release().perform()
        seen = WebDriverWait(self.browser, 5).until(lambda _: (self.axis("offset", "xaxis", "range") != whole
                                                               and self.axis("offset", "xaxis", "range")))
        self.assertLess(seen[1] - seen[0], (whole[1] - whole[0]) / 2)
        ActionChains(self.browser).double_click(plot).perform()
        WebDriverWait(self.browser, 5).until(lambda _: self.axis("offset", "xaxis", "range") == whole)

    def test_hostile_texts(self):
        def poison(data):
            data["device"]["name"] = HOSTILE
            for result in data["results"]:
                result.update(flags=[HOSTILE], why=HOSTILE)

        self.open(self.changed(H200 / "offset.json", poison))
        shown = HOSTILE.replace("\u0007", "\ufffd")
        self.assertEqual(self.all("h1")[0].text, shown)
        told = "".join(self.hover("offset", "offset.read.measured", 0))
        self.assertIn(shown.replace(" ", ""), told.replace(" ", ""))
        self.assertEqual(len(self.all("script")), 3)

    def test_in_the_dark(self):
        def ink():
            return self.run_in_page("return document.getElementById('offset')._fullLayout.font.color")

        self.open(H200 / "offset.json")
        light = ink()
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertNotEqual(self.run_in_page("return getComputedStyle(document.body).backgroundColor"),
                            "rgb(255, 255, 255)")
        from selenium.webdriver.support.ui import WebDriverWait
        WebDriverWait(self.browser, 5).until(lambda _: ink() != light, "the plot is as it was in the light")

    def test_on_a_phone(self):
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
        self.open(H200 / "offset.json", H200 / "texture.json", H200 / "programs" / "kernels.json")
        self.assertLessEqual(self.run_in_page("return document.documentElement.scrollWidth"), 360)

    def test_two_reports_stand_side_by_side(self):
        page = self.directory / "two.html"
        self.succeed("show", *(str(ROOT / "configs" / "reference" / gpu / "stride.json") for gpu in ("h200", "h100")),
                     "-o", str(page))
        self.browser.get(page.as_uri())
        left, right = (self.plot_of(name).rect for name in ("stride", "stride.2"))
        self.assertEqual((left["y"], left["width"]), (right["y"], right["width"]))
        self.assertGreaterEqual(right["x"], left["x"] + left["width"])
        own = [self.axis(name, "yaxis", "range") for name in ("stride", "stride.2")]
        self.assertNotEqual(*own)
        self.choose("stride", "y axes", "shared")
        shared = [self.axis(name, "yaxis", "range") for name in ("stride", "stride.2")]
        self.assertEqual(*shared)
        self.assertLess(10 ** shared[0][0], 80)  # the H100's least
        self.assertGreater(10 ** shared[0][1], 4800)  # the H200's limit

    def test_changes(self):
        """Bars begin at the speed before, and have intervals; in a table, a ring marks what is beyond the noise."""
        page = self.directory / "change.html"
        self.succeed("compare", *(str(ROOT / "configs" / "reference" / gpu / "smoke.json") for gpu in ("h200", "h100")),
                     "--quiet", "-o", str(page))
        self.visit(page)
        bars = self.traces("change")
        self.assertEqual({trace["base"] for trace in bars.values()}, {1})
        slowest = bars["change.slower"]
        self.assertLess(slowest["x"][0], -0.3)
        self.assertEqual(self.axis("change", "yaxis", "range"), [19.5, -0.5])
        self.assertIn("stride: read, stride 8 elements", {text.partition("589.6")[0] for text in self.texts("change")})
        stride = self.traces("change.stride")
        self.assertEqual(len(stride["beyond"]["x"]), 4)
        self.assertEqual(self.axis("change.stride", "shapes", "length"), 2)  # the band and its middle
        self.assertIn("589.6 GB/s \u2192 397 GB/s: slower.", self.hover("change.stride", "change.stride.read.measured", 4))

    def test_a_matrix(self):
        self.open(self.kept(matrix_report(), "pairs"))
        cells = self.traces("pairs")["0"]
        self.assertEqual((cells["type"], cells["z"]), ("heatmap", [[None, 10, 20], [100, None, 120], [200, 210, None]]))
        self.assertLessEqual({"source 2", "2", "210", "target"}, self.texts("pairs"))
        self.plot_of("pairs").send_keys("\ue014")  # the right arrow, to the first cell that there is
        self.told("pairs", "source 0, target 1")
        self.choose("pairs", "as", "bars")
        self.assertEqual({trace["type"] for trace in self.traces("pairs").values()}, {"bar"})

    def test_a_pair_that_failed_is_a_cross(self):
        report = matrix_report()
        report["results"][1].update(status="failed", reason="the link broke")
        self.open(self.kept(report, "pairs"))
        crosses = self.run_in_page("return document.getElementById('pairs').layout.annotations")
        self.assertEqual([(cross["x"], cross["y"], cross["text"]) for cross in crosses], [("2", "source 0", "\u00d7")])
        self.assertIn("the link broke", crosses[0]["hovertext"])

    def test_places_have_words_beside_each_other(self):
        self.open(self.shown(H200 / "working-set.json"))
        heights = self.run_in_page("""return [...document.querySelectorAll('[id="working-set"] text')]
            .filter(({ textContent }) => / capacity /.test(textContent)).map((text) => text.getBoundingClientRect().y)""")
        self.assertEqual(len(heights), 3)
        self.assertGreater(min(after - before for before, after in zip(sorted(heights), sorted(heights)[1:])), 10)

    def test_heat_maps_and_time_lines(self):
        self.open(H200 / "texture.json", H200 / "overlap.json")
        cells = self.traces("texture")["0"]
        results = json.loads((H200 / "texture.json").read_text(encoding="utf-8"))["results"]
        case = next(result for result in results if {"column", "surface"} <= {*map(str, result["parameters"].values())})
        row = self.run_in_page("return document.getElementById('texture').data[0].y").index("surface")
        self.assertAlmostEqual(cells["z"][row][cells["x"].index("column")], case["bandwidth_gb_per_s"]["measured"])
        lines = [plot.get_attribute("id") for plot in self.all(".plot") if plot.get_attribute("id").startswith("timeline")]
        self.assertEqual(len(lines), 2)
        spans = sum(len(trace["base"]) for trace in self.traces(lines[0]).values())
        overlap = json.loads((H200 / "overlap.json").read_text(encoding="utf-8"))["results"][0]
        self.assertEqual(spans, len(overlap["timeline"]))


class Roofline(BrowserTest, RooflineTest):
    def test_labels_and_line(self):
        self.open(self.written("all", sweep("float") + matmul()), figure="roofline")
        line = "4000 GB/s, 60000 GFLOP/s measured"
        self.assertLessEqual({line, "tile-16 4096", "flops per useful byte"}, self.texts("roofline.float"))
        products = self.traces("roofline.float")["roofline.float.matmul-tile-16.measured"]
        self.assertEqual((len(products["x"]), products["text"][-1]), (3, "tile-16 4096"))
        self.choose("roofline.float", "y", "fraction_of_peak")
        self.assertNotIn(line, self.texts("roofline.float"))
        self.assertIn("tile-16 4096", self.texts("roofline.float"))


class Kernels(BrowserTest, KernelsTest):
    def test_roofline(self):
        self.open(self.written(kernel("naive", 0.04, 0.03, moved=4), kernel("copy", used=16 * MIB)))
        self.assertLessEqual({"theoretical bandwidth 4800 GB/s", "L2 holds 64 MiB", "naive",
                              "bytes that a launch uses"}, self.texts("kernel-roofline"))
        traces = self.traces("kernel-roofline")
        naive, copy = (traces[f"kernel-roofline.{name}.measured"] for name in ("saving", "other"))
        self.assertAlmostEqual((naive["size"][0] / copy["size"][0]) ** 2, 4, delta=0.1)  # of the GPU time
        reach = traces["reach"]["y"]
        self.assertAlmostEqual(reach[1] / reach[0], 4)
        self.assertTrue(self.hover("kernel-roofline", "kernel-roofline.other.measured", 0)[1]
                        .startswith("bandwidth, GB/s: 16.78 measured"))

    def test_savings(self):
        self.open(self.written(kernel("little", 0.02, 0.004), kernel("most", 0.01, 0.008)), figure="savings")
        first, second = self.all(".reasons li")
        self.assertEqual(first.text, f"most {REASON}")
        self.assertTrue(second.text.startswith("little "))
        traces = self.traces("savings")
        self.assertEqual((traces["savings.taken"]["x"], traces["savings.saved"]["x"]), ([10, 20], [8, 4]))
        self.assertEqual(traces["savings.saved"]["y"], [0, 1])  # the first one on top

    def test_when_they_ran(self):
        self.open(self.written(kernel("first", ran_seconds=[0.25, 0.5]), kernel("second", ran_seconds=[0.5, 0]), bin_seconds=1),
                  figure="timeline")
        traces = self.traces("timeline")
        self.assertEqual({name: trace["y"] for name, trace in traces.items() if name != "guide"},
                         {"timeline._0": [25, 50], "timeline._1": [50]})
        self.assertIn("all of the time", self.texts("timeline"))
        self.assertEqual(self.run_in_page("return document.getElementById('timeline')._fullLayout.barmode"), "stack")
        self.assertEqual(self.hover("timeline", "timeline._0", 0)[:2], ["first, 0 to 1 s", "of the time, %: 25 measured"])


if __name__ == "__main__":
    unittest.main()
