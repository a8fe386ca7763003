"""Makes figures of reports the way a user does, for the tests of what they show."""

import json
import re
import subprocess
import sys
from pathlib import Path

from gpumem import MODEL, ProgramTest, environment

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "report" / "plot.py"
H200 = ROOT / "configs" / "reference" / "h200"
GOLDEN = ROOT / "tests" / "report" / "golden"
HOSTILE = "</script><script>alert(\"'1'\")</script><!-- $\\frac{ & \u0007"


class PlotTest(ProgramTest):
    def run_script(self, *arguments, **variables):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False, env=environment(**variables))

    def plot(self, name, *arguments):
        """The path of a figure made of reports."""
        path = self.directory / name
        done = self.run_script(*arguments, "-o", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return path

    def refused(self, *arguments, output="figure.html", **variables):
        """Fails with one line, and leaves nothing behind."""
        before = sorted(self.directory.iterdir())
        done = self.run_script(*arguments, "-o", self.directory / output, **variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aplot\.py: [^\n]+\n\Z")
        self.assertEqual(sorted(self.directory.iterdir()), before)
        return done.stderr

    def report(self, name, *arguments):
        """The path of a report of the model."""
        path = self.directory / name
        self.succeed("probe", *arguments, *MODEL, "--quiet", "--output", str(path))
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

    def panels(self, *arguments):
        data = self.data(self.plot("page.html", *arguments))
        return [panel for block in data["blocks"] for panel in block]
