"""The interactive page of figures, in a real browser."""

import importlib.util
import json
import os
import shutil
import unittest

from plots import GOLDEN, H200, HOSTILE, PlotTest
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

    def open(self, *arguments):
        self.browser.get(self.plot("page.html", *arguments).as_uri())
        return self

    def tearDown(self):
        """Whatever a test does, the page must neither complain nor fetch anything."""
        self.assertEqual(self.browser.get_log("browser"), [])
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        self.assertTrue(urls)
        self.assertEqual([url for url in urls if not url.startswith(("file:", "data:"))], [])
        self.assertEqual(len([url for url in urls if url.startswith("file:")]), 1, urls)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def cases(self, series):
        return self.all(f'[id="{series}"] .case')

    def hover(self, element):
        from selenium.webdriver.common.action_chains import ActionChains
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.browser).move_to_element(element).perform()

    def tooltip(self):
        """The rows of the visible tooltip: {quantity: [predicted, counted, measured]}."""
        tooltip, = self.all("#tooltip")
        self.assertTrue(tooltip.is_displayed())
        self.assertEqual([cell.text for cell in self.all("#tooltip th")], ["", "predicted", "counted", "measured"])
        rows = [row.find_elements("css selector", "td") for row in self.all("#tooltip tbody tr")]
        return {cells[0].text: [cell.text for cell in cells[1:]] for cells in rows}

    def choose(self, label, value):
        from selenium.webdriver.support.ui import Select
        found = [one for one in self.all(".controls label") if one.text.split("\n")[0].strip().startswith(label)]
        Select(found[0].find_element("css selector", "select")).select_by_value(value)


class Page(BrowserTest):
    def test_all_references_load(self):
        sweeps = [path for path in sorted(H200.glob("*.json")) if not json.loads(path.read_text()).get("suite")]
        self.open(*sweeps)
        self.assertEqual(len(self.all("svg.plot")), 60)
        self.assertEqual(len(self.cases("stride.read.measured")), 32)
        self.assertEqual(len(self.all('[id="coalesced.read.measured"] rect')), 4)

    def test_hovering_shows_the_three_readings(self):
        results = json.loads((H200 / "stride.json").read_text(encoding="utf-8"))["results"]
        case = next(result for result in results if result["parameters"]["stride_elements"] == 8
                    and result["parameters"]["op"] == "write")
        self.open(self.shown(H200 / "stride.json"))
        self.assertFalse(self.all("#tooltip")[0].is_displayed())
        self.hover(next(one for one in self.cases("stride.write.measured") if one.get_attribute("data-x") == "8"))
        self.assertEqual(self.all("#tooltip h3")[0].text, "write, stride 8 elements")
        rows = self.tooltip()
        predicted, counted, measured = rows["bandwidth, GB/s"]
        bandwidth = case["bandwidth_gb_per_s"]
        self.assertAlmostEqual(float(predicted), bandwidth["predicted"], delta=0.06)
        self.assertEqual(counted, "–")
        self.assertAlmostEqual(float(measured.split(" ± ")[0]), bandwidth["measured"], delta=0.06)
        self.assertEqual(rows["sectors per request of target"], ["32", "32", "–"])
        self.assertIn("Limited by ", self.all("#tooltip")[0].text)

    def test_any_quantity(self):
        self.open(self.foreign())
        self.assertLessEqual({"latency, cycles", "floor 28 cycles", "detected capacity 256 KiB measured", "GFLOP/s"},
                             {text.text for text in self.all("svg.plot text")})
        self.assertEqual([note.text for note in self.all(".note")],
                         ["Keep it below 256 KiB. detected capacity 256 KiB measured"])
        self.assertEqual(len(self.cases("ladder.ladder.measured")), 8)
        self.hover(self.cases("matmul.matmul.measured")[0])
        self.assertEqual(self.tooltip()["GFLOP/s"], ["3300", "\u2013", "3000"])

    def test_flags_are_shown(self):
        self.open(GOLDEN / "measured_copy.json")
        self.assertEqual(len(self.all(".flagged")), 1)
        self.hover(next(one for one in self.cases("offset.copy.measured") if one.get_attribute("data-x") == "9"))
        self.assertIn("flags: throttled, contended", self.all("#tooltip")[0].text)

    def test_keys_walk_through_the_cases(self):
        self.open(H200 / "coalesced.json")
        plot, = self.all("svg.plot")
        plot.send_keys("\ue014")  # the right arrow
        self.assertEqual(self.all("#tooltip h3")[0].text, "read, aligned")
        plot.send_keys("\ue00c")  # Escape
        self.assertFalse(self.all("#tooltip")[0].is_displayed())

    def test_the_legend_hides_curves(self):
        self.open(H200 / "offset.json")
        read = next(one for one in self.all(".legend button") if one.text == "read")
        self.assertEqual(read.get_attribute("aria-pressed"), "true")
        read.click()
        self.assertEqual(read.get_attribute("aria-pressed"), "false")
        self.assertEqual(self.cases("offset.read.measured") + self.cases("offset.read.predicted"), [])
        self.assertEqual(len(self.cases("offset.write.measured")), 33)
        read.click()
        self.assertEqual(len(self.cases("offset.read.measured")), 33)

    def test_readings_can_be_left_out(self):
        self.open(H200 / "offset.json")
        self.all("#readings input[name=predicted]")[0].click()
        self.assertEqual(self.cases("offset.read.predicted"), [])
        self.assertEqual(len(self.cases("offset.read.measured")), 33)

    def test_axes_can_be_chosen(self):
        self.open(H200 / "stride.json")

        def height():
            return float(self.cases("stride.read.measured")[-1].get_attribute("cy"))

        def labels():
            return {text.text for text in self.all("svg.plot text")}

        logarithmic = height()
        self.choose("y scale", "linear")
        linear = height()
        self.assertGreater(linear, logarithmic + 10)  # lower on the page
        self.choose("y", "fraction_of_peak")
        self.assertIn("fraction of peak", labels())
        self.assertLess(height(), linear)  # back on its own, logarithmic scale
        before = float(self.cases("stride.read.measured")[1].get_attribute("cx"))
        self.choose("x scale", "log")
        self.assertGreater(float(self.cases("stride.read.measured")[1].get_attribute("cx")), before + 50)

    def test_zoom(self):
        from selenium.webdriver.common.action_chains import ActionChains
        self.open(H200 / "offset.json")
        plot, = self.all("svg.plot")
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)

        def places():
            return [float(case.get_attribute("cx")) for case in self.cases("offset.read.measured")]

        whole = places()
        ActionChains(self.browser).move_to_element(plot).click_and_hold().move_by_offset(120, -90).release().perform()
        zoomed = places()
        self.assertGreater(zoomed[1] - zoomed[0], 2 * (whole[1] - whole[0]))
        reset = next(button for button in self.all(".controls button") if button.text == "see all")
        reset.click()
        self.assertEqual(places(), whole)

    def test_hostile_texts(self):
        def poison(data):
            data["device"]["name"] = HOSTILE
            for result in data["results"]:
                result.update(flags=[HOSTILE], why=HOSTILE)

        self.open(self.changed(H200 / "coalesced.json", poison))
        shown = HOSTILE.replace("\u0007", "\ufffd")
        self.assertEqual(self.all("h1")[0].text, shown)
        self.hover(self.cases("coalesced.read.measured")[0])
        self.assertIn(shown, self.all("#tooltip")[0].text)
        self.assertEqual(len(self.all("script")), 2)


class Roofline(BrowserTest, RooflineTest):
    def test_labels_and_line(self):
        self.open(self.written("all", sweep("float") + matmul()), "--figure", "roofline")
        line = "4000 GB/s, 60000 GFLOP/s measured"

        def texts():
            return {text.text for text in self.all("svg.plot text")}

        self.assertLessEqual({line, "tile-16 4096", "flops per useful byte"}, texts())
        self.assertEqual(len(self.cases("roofline.float.matmul-tile-16.measured")), 3)
        label, = self.all(".case-label")
        point = self.cases("roofline.float.matmul-tile-16.measured")[-1]
        apart = abs(label.rect["y"] + label.rect["height"] / 2 - point.rect["y"] - point.rect["height"] / 2)
        self.assertLess(apart, 30)
        self.choose("y", "fraction_of_peak")
        self.assertNotIn(line, texts())
        self.assertIn("tile-16 4096", texts())


class Kernels(BrowserTest, KernelsTest):
    def test_roofline(self):
        self.open(self.written(kernel("naive", 0.04, 0.03, moved=4), kernel("copy", used=16 * MIB)))
        self.assertLessEqual({"theoretical bandwidth 4800 GB/s", "L2 holds 64 MiB", "naive",
                              "bytes that a launch uses"}, {text.text for text in self.all("svg.plot text")})
        naive, = self.cases("kernel-roofline.saving.measured")
        copy, = self.cases("kernel-roofline.other.measured")
        width, diameter = naive.rect["width"], copy.rect["width"]
        self.assertAlmostEqual(width * width / (3.1416 * diameter * diameter / 4), 4, delta=0.5)  # of the GPU time
        line, = self.all(".reach")
        self.assertLess(line.rect["y"], naive.rect["y"] - 50)
        self.hover(copy)
        self.assertEqual(self.tooltip()["bandwidth, GB/s"][2], "16.78")

    def test_savings(self):
        self.open(self.written(kernel("little", 0.02, 0.004), kernel("most", 0.01, 0.008)), "--figure", "savings")
        first, second = self.all(".bars li")
        self.assertEqual(first.text.split("\n"), ["most 8 of 10", REASON])
        self.assertTrue(second.text.startswith("little 4 of 20"))
        widths = [self.all(f'[id="savings.{name}"]')[0].rect["width"] for name in ("taken.2", "taken.1", "saved.1")]
        self.assertAlmostEqual(widths[1] / widths[0], 0.5, delta=0.01)
        self.assertAlmostEqual(widths[2] / widths[0], 0.4, delta=0.01)
        self.hover(self.all('[id="savings.saved.1"]')[0])
        self.assertEqual(self.all("#tooltip h3")[0].text, "most")
        next(one for one in self.all(".legend button") if one.text == "GPU time").click()
        self.assertEqual(len(self.all(".bars .case")), 2)


if __name__ == "__main__":
    unittest.main()
