"""Pages where nobody scrolls and points: on paper, in a capture of the whole page, on a narrow screen. Every plot is there
and whole, to the last word of its axes."""

import base64
import shutil
import subprocess
import unittest

from harness import run
from plots import GOLDEN, H200, ROOT, matrix_report
from test_plot_page import BrowserTest

H100 = ROOT / "configs" / "reference" / "h100"
# Texts of plots of which a part is not seen: [panel, text].
CUT = """return [...document.querySelectorAll('.plot')].flatMap((plot) => {
    const box = plot.getBoundingClientRect();
    return [...plot.querySelectorAll('svg text')].filter((text) => {
      const { left, right, top, bottom, width } = text.getBoundingClientRect();
      return width > 0 && (left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1);
    }).map((text) => [plot.id, text.textContent]); })"""
# [width that a plot was drawn for, width that it has]
WIDTHS = """return [...document.querySelectorAll('.plot')].map((plot) =>
    [plot._fullLayout ? plot._fullLayout.width : 0, plot.clientWidth])"""


class PaperTest(BrowserTest):
    def load(self, page):
        """As a reader opens it, and does nothing."""
        from selenium.webdriver.support.ui import WebDriverWait
        self.browser.get(page.as_uri())
        WebDriverWait(self.browser, 60).until(lambda _: all(drawn for drawn, _ in self.run_in_page(WIDTHS)),
                                              "a plot is not drawn")

    def compared(self):
        """The page of a comparison, as the program writes it."""
        page = self.directory / "compared.html"
        done = run("compare", *(str(folder / "stride.json") for folder in (H100, H200)), "--quiet", "-o", str(page))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return page

    def pages(self):
        yield self.compared()
        for report in (H200 / "matmul.json", H100 / "peer.json", H200 / "programs" / "kernels.json"):
            yield self.plot(f"{report.stem}.html", report)

    def on_screen(self, width, height):
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def on_paper(self):
        """The layout of paper, as the browser has it after it has told the page."""
        self.run_in_page("window.dispatchEvent(new Event('beforeprint'))")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})

    def off_paper(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.run_in_page("window.dispatchEvent(new Event('afterprint'))")


class Paper(PaperTest):
    def test_every_plot_is_as_wide_as_its_place(self):
        for page in self.pages():
            with self.subTest(page.name):
                self.load(page)
                before = self.run_in_page(WIDTHS)
                self.addCleanup(self.off_paper)
                self.on_paper()
                widths = self.run_in_page(WIDTHS)
                self.assertEqual([drawn for drawn, _ in widths], [there for _, there in widths])
                self.assertEqual(self.run_in_page(CUT), [])
                self.off_paper()
                self.assertEqual(self.run_in_page(WIDTHS), before)

    @unittest.skipIf(shutil.which("pdftotext") is None, "pdftotext is not installed; 'apt-get install poppler-utils' does that")
    def test_a_printed_page_has_the_end_of_every_axis(self):
        for page in self.pages():
            with self.subTest(page.name):
                self.load(page)
                wanted = self.run_in_page("""return [...document.querySelectorAll('.plot')].map((plot) =>
                    [...plot.querySelectorAll('.xtick text')].at(-1).textContent)""")
                pdf = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
                text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout
                words = text.decode().split()
                for label in set(wanted):
                    parts = label.split()  # of '1 GiB' both
                    for part in parts:
                        self.assertGreaterEqual(words.count(part), wanted.count(label), f"the end of an axis, {label}, is cut")

    def test_a_plot_follows_the_room_it_has(self):
        from selenium.webdriver.support.ui import WebDriverWait
        self.load(self.plot("page.html", H200 / "offset.json"))
        (whole, _), *_ = self.run_in_page(WIDTHS)
        for width in ("400px", ""):
            self.run_in_page("document.body.style.width = arguments[0]", width)
            WebDriverWait(self.browser, 5).until(
                lambda _: all(drawn == there for drawn, there in self.run_in_page(WIDTHS)), "a plot stays as it was")
        self.assertEqual(self.run_in_page(WIDTHS)[0][0], whole)


class Capture(PaperTest):
    def test_plots_below_the_first_screen_are_drawn(self):
        self.on_screen(1300, 400)
        self.load(self.plot("page.html", *(H200 / f"{name}.json" for name in ("offset", "stride", "bank", "matmul", "tile"))))
        self.assertEqual(self.run_in_page("return window.scrollY"), 0)


class Narrow(PaperTest):
    def test_no_text_is_cut(self):
        self.on_screen(360, 740)
        for page in (*self.pages(), self.plot("time.html", GOLDEN / "program_in_time.json"),
                     self.plot("places.html", self.shown(H200 / "working-set.json"), H200 / "blocked.json", H200 / "texture.json"),
                     self.plot("roofs.html", H200 / "roofline.json"), self.plot("pairs.html", self.kept(matrix_report(), "pairs"))):
            with self.subTest(page.name):
                self.load(page)
                self.assertEqual(self.run_in_page(CUT), [])
                self.assertLessEqual(self.run_in_page("return document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    unittest.main()
