"""Makes figures of reports the way a user does, for the tests of what they show."""

import importlib.util
import json
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from harness import ProgramTest, model

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))
from plotting import command, figures, page, reports  # noqa: E402
from plotting.errors import UserError  # noqa: E402

H200 = ROOT / "configs" / "reference" / "h200"
GOLDEN = ROOT / "tests" / "report" / "golden"
HOSTILE = "</script><script>alert(\"'1'\")</script><!-- $\\frac{ & \u0007"
SVG = "{http://www.w3.org/2000/svg}"

needs_matplotlib = unittest.skipIf(importlib.util.find_spec("matplotlib") is None,
                                   "matplotlib is not installed; 'python3 -m pip install matplotlib' does that")

# A report's words for quantities and parameters that no probe of this program has.
QUANTITIES = {"latency_cycles": {"title": "latency", "purpose": "of one load", "unit": "cycles", "better": "less"},
              "gflop_per_s": {"title": "GFLOP/s", "purpose": "arithmetic", "unit": "GFLOP/s", "better": "more"},
              "capacity_bytes": {"title": "detected capacity", "purpose": "L1", "unit": "bytes", "better": "neither"}}
WORDS = {"probes": {"ladder": {"purpose": "dependent loads: how far away is the data"},
                    "matmul": {"purpose": "multiplying matrices: what a tile saves"}},
         "parameters": {"working_set_bytes": {"title": "working set", "unit": "bytes", "one": "working set 1 bytes",
                                              "several": "working set {}"},
                        "tile_elements": {"title": "tile", "unit": "elements", "one": "tile of 1 element",
                                          "several": "tile of {} elements"}},
         "stages": {"alu": "the arithmetic"}}


def foreign_case(probe, parameters, quantity, better, **headline):
    return {"probe": probe, "parameters": parameters, "swept": next(iter(parameters)), "status": "ok", "verified": True,
            "headline": {"quantity": quantity, "better": better, **headline}, "useful_bytes": {"read": 0, "written": 0},
            "bandwidth_gb_per_s": {"measured": None, "predicted": None}, "time_seconds": None, "access": [],
            "bottleneck": {"predicted": "alu", "counted": None}, "metrics": {}, "metrics_predicted": {}, "flags": []}


def foreign_report():
    """A report of probes that are not about bandwidth: one has no bytes and no prediction, and its table detects a
    capacity; one has both readings and a peak."""
    ladder = [foreign_case("ladder", {"working_set_bytes": 1 << power}, "latency_cycles", "less", peak=28,
                           measured=cycles, ci95_low=cycles - 1, ci95_high=cycles + 2)
              for power, cycles in zip(range(14, 22), (30, 30, 31, 33, 38, 200, 210, 600))]
    matmul = [foreign_case("matmul", {"tile_elements": tile}, "gflop_per_s", "more", peak=60000, measured=3000 * tile,
                           predicted=3300 * tile) for tile in (1, 2, 4, 8)]
    conclusions = [{"probe": "ladder", "cases": list(range(len(ladder))), "advice": "Keep it below 256 KiB.",
                    "quantities": {"capacity_bytes": {"measured": 262144, "predicted": None}}}]
    return {"schema_version": 1, "backend": "cuda", "device": {"name": "Some GPU"}, "quantities": QUANTITIES,
            "words": WORDS, "conclusions": conclusions, "results": ladder + matmul}


def matrix_report(method=("copy",)):
    """A report of a probe between every two of three GPUs, without those from a GPU to itself."""
    pairs = [(source, target) for source in range(3) for target in range(3) if source != target]
    cases = [foreign_case("pairs", {"method": one, "source": source, "target": target}, "latency_cycles", "less",
                          measured=100 * source + 10 * target) for one in method for source, target in pairs]
    for case in cases:
        case.update(swept="source", across="target")
    return {"schema_version": 1, "backend": "cuda", "device": {"name": "Some GPU"}, "quantities": QUANTITIES,
            "results": cases}


def load(*paths):
    """Reports as their files hold them, also older and foreign ones, which the program would complete."""
    return reports.labelled([reports.read(str(path)) for path in paths])


class PlotTest(ProgramTest):
    def plot(self, name, *paths, **choices):
        """The path of a figure made of reports, in this process: the modules that draw are loaded but once."""
        if name.endswith(".html") and importlib.util.find_spec("plotly") is None:
            self.skipTest("plotly is not installed; 'python3 -m pip install plotly' does that")
        path, figure = self.directory / name, figures.build(load(*paths), **choices)
        kind = path.suffix[1:].lower()
        path.write_bytes(page.render(figure) if kind == "html" else command.draw(figure, kind))
        return path

    def plot_by_program(self, name, *arguments):
        """The same, as a user does it."""
        path = self.directory / name
        self.assertEqual(self.succeed("show", *map(str, arguments), "-o", str(path)), "")
        return path

    def refused(self, *paths, **choices):
        """The line that says why there is no figure."""
        with self.assertRaises(UserError) as caught:
            figures.build(load(*paths), **choices)
        self.assertRegex(str(caught.exception), r"\A[^\n]+\Z")
        return str(caught.exception)

    def report(self, name, *arguments):
        """The path of a report of the model."""
        path = self.directory / name
        self.succeed("probe", *arguments, *model(arguments), "--quiet", "--output", str(path))
        return path

    def shown(self, path):
        """The path of a report as this program writes it, of one that was written before."""
        shown = self.directory / f"shown_{path.name}"
        self.succeed("show", str(path), "--output", str(shown))
        return shown

    def foreign(self):
        """The path of a report of probes that this program does not have."""
        return self.kept(foreign_report(), "foreign")

    def kept(self, report, name):
        """The path of a file of a report."""
        path = self.directory / f"{name}.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def changed(self, path, change):
        """The path of a copy of a report that `change` was applied to."""
        report = json.loads(Path(path).read_text(encoding="utf-8"))
        change(report)
        changed = self.directory / "changed.json"
        changed.write_text(json.dumps(report), encoding="utf-8")
        return changed

    def data(self, page):
        """The figure in a page."""
        text = page.read_text(encoding="utf-8")
        found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
        self.assertEqual(len(found), 1)
        return json.loads(found[0])

    def notes(self, *paths):
        """The notes below each block."""
        return [block["notes"] for block in self.data(self.plot("page.html", *paths))["blocks"]]

    def panels(self, *paths, **choices):
        data = self.data(self.plot("page.html", *paths, **choices))
        return [panel for block in data["blocks"] for panel in block["panels"]]


class DrawnTexts:
    """Reads the figures that matplotlib drew, for the test cases that take this as a base."""

    def texts(self, path):
        root = ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        return {"".join(text.itertext()) for text in root.iter(SVG + "text")}

    def ids(self, path):
        return {group.get("id") for group in ElementTree.parse(path).getroot().iter(SVG + "g")}
