"""The Python package, as `pip install` leaves it in an empty environment: built from what is built already."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import documents
from harness import ProgramTest

ROOT = documents.ROOT
BUILD = Path(os.environ.get("GPUMEM_BUILD", "build/release")).resolve()
NOTEBOOK = documents.DOCS / "notebook.ipynb"
H200 = ROOT / "configs" / "reference" / "h200"


def has(module):
    return importlib.util.find_spec(module) is not None


def outputs_of(notebook):
    """Of each output its contents, by their types."""
    return [{kind: "".join(text) for kind, text in output["data"].items()}
            for cell in notebook["cells"] if cell["cell_type"] == "code" for output in cell["outputs"]]


@unittest.skipUnless((BUILD / "CMakeCache.txt").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
@unittest.skipUnless(has("scikit_build_core"), "scikit-build-core is not installed; 'python3 -m pip install' does that")
class Package(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place = Path(folder.name) / "place"
        cls.call(sys.executable, "-m", "venv", "--without-pip", str(cls.place))
        cls.interpreter = str(cls.place / "bin" / "python3")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        settings = {"build-dir": f"{folder.name}/build", "cmake.define.GPUMEM_BUILT": str(BUILD)}
        cls.call(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder.name,
                 *(f"--config-settings={name}={value}" for name, value in settings.items()), str(ROOT))
        (cls.wheel,) = Path(folder.name).glob("*.whl")
        cls.call(*pip, f"--python={cls.interpreter}", "install", "--no-deps", "--no-index", "--no-compile", str(cls.wheel))

    @classmethod
    def call(cls, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)
        if done.returncode != 0:
            raise AssertionError(f"{command}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def python(self, code, *, without=(), **variables):
        """Runs the code with the package, and prints what its last line is worth."""
        blocked = "".join(f"import sys; sys.modules[{name!r}] = None\n" for name in without)
        plain = {name: value for name, value in os.environ.items() if name != "GPUMEM"}
        done = subprocess.run([self.interpreter, "-c", blocked + "import gpumem\n" + code], capture_output=True, text=True,
                              check=False, timeout=120, cwd=self.directory,
                              env={**plain, "PYTHONDONTWRITEBYTECODE": "1", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rstrip("\n")

    def error(self, code, **options):
        """The exit code and the line of the gpumem.Error that the code raises."""
        indented = code.replace("\n", "\n    ")
        said = self.python(f"try:\n    {indented}\nexcept gpumem.Error as error:\n    print(error.exit_code, error)",
                           **options)
        self.assertEqual(said.count("\n"), 0, said)
        exit_code, _, line = said.partition(" ")
        return int(exit_code), line

    def test_the_wheel_is_for_every_python(self):
        self.assertRegex(self.wheel.name, r"^gpumem-[0-9.]+-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
        for name in ("gpumem/py.typed", "gpumem/plotting/page.js", "share/gpumem/schema/report.schema.json",
                     "share/gpumem/configs/smoke.json", "share/gpumem/configs/gpus/h200.json", "scripts/gpumem"):
            self.assertTrue(any(one.endswith(name) for one in names), name)
        self.assertFalse(any("reference" in name for name in names))

    def test_the_program_is_the_one_of_the_wheel(self):
        self.assertEqual(self.python("print(gpumem.program())"), str((self.place / "bin" / "gpumem").resolve()))
        version = self.call(str(self.place / "bin" / "gpumem"), "--version").split()[1]
        self.assertIn(f"gpumem-{version}-", self.wheel.name)

    def test_a_probe(self):
        code = """
report = gpumem.probe("--offset 0,1,8 --op read", backend="model", gpu="h200")
print(repr(report), len(report.results), report["backend"], report.passed, sep="; ")
"""
        self.assertEqual(self.python(code), "<gpumem.Report of 3 cases, predicted: NVIDIA H200>; 3; model; True")

    def test_it_shows_itself(self):
        page = self.python('print(gpumem.probe(["--offset", "0,1", "--block-threads", 256], backend="model", gpu="h200")._repr_html_())')
        self.assertIn("<td style=\"text-align:right\">0</td>", page)
        self.assertIn("PREDICTED by the model", page)
        self.assertNotIn("|", page)
        page = self.python('print(gpumem.probe("--overlap staged --streams 2", backend="model", gpu="h200")._repr_html_())')
        self.assertRegex(page, r"<pre>[^`]*\n  \S[^`]*</pre>")  # a time line
        self.assertNotIn("```", page)
        page = self.python(f'print(gpumem.Report.load({str(H200 / "programs" / "kernels.json")!r})._repr_html_())')
        self.assertIn("<ol><li><code>transpose_naive</code> could save <b>9.4 ms</b>", page)
        self.assertIn("<td style=\"text-align:left\"><code>transpose_tile&lt;0&gt;</code></td>", page)
        text = self.python('print(gpumem.probe("--offset 0,1", backend="model", gpu="h200"))')
        self.assertIn("offset: copy", text)

    def failing_suite(self):
        suite = self.directory / "own.json"
        suite.write_text(json.dumps({
            "schema_version": 1, "name": "own", "purpose": "p", "probes": [{"probe": "offset", "axes": {"offset": ["0"]}}],
            "expectations": [{"name": "e", "cases": {"probe": "offset"}, "quantity": "bandwidth_gb_per_s",
                              "at_least": 1e9}]}))
        return suite

    def test_checks(self):
        code = 'report = gpumem.check({!r}, backend="model", gpu="h200")\nprint(report.passed, report.exit_code)'
        self.assertEqual(self.python(code.format("smoke")), "True 0")
        self.assertEqual(self.python(code.format(str(self.failing_suite()))), "False 1")
        self.assertEqual(self.python("import pathlib\nprint(gpumem.check(pathlib.Path('own.json'), backend='model',"
                                     " gpu='h200').exit_code)"), "1")

    def test_a_saved_check_knows_whether_it_passed(self):
        code = """
report = gpumem.check({!r}, backend="model", gpu="h200")
report.save("saved.json")
saved = gpumem.Report.load("saved.json")
print(saved.passed, saved.exit_code)
"""
        self.assertEqual(self.python(code.format("smoke")), "True None")
        self.assertEqual(self.python(code.format(str(self.failing_suite()))), "False None")
        code = """
import json
older = json.load(open("saved.json"))
del older["passed"]
json.dump(older, open("older.json", "w"))
print(gpumem.Report.load("older.json").passed)
older["checks"] = older["checks"][:2]
json.dump(older, open("older.json", "w"))
print(gpumem.Report.load("older.json").passed)
"""
        self.assertEqual(self.python(code), "False\nNone")

    def test_a_saved_report_of_no_check(self):
        code = """
import json
gpumem.probe("--offset 0,1", backend="model", gpu="h200").save("p.json")
report = json.load(open("p.json"))
said = [gpumem.Report.load("p.json").passed]
for verified in (True, False):
    for result in report["results"]:
        result["verified"] = True
    report["results"][0]["verified"] = verified
    said.append(gpumem.Report(json.dumps(report)).passed)
print(said)
"""
        self.assertEqual(self.python(code), "[None, True, False]")

    def test_errors_are_the_programs(self):
        exit_code, line = self.error('gpumem.probe("--offset x", backend="model", gpu="h200")')
        self.assertEqual(exit_code, 2)
        self.assertTrue(line.startswith("--offset: 'x'"), line)
        self.assertEqual(self.error('gpumem.read("none.json")')[0], 2)
        self.assertEqual(self.error("gpumem.read([])"), (2, "there is no report to read: the list of paths is empty"))
        self.assertEqual(self.error('gpumem.probe("--offset 0")', GPUMEM="/nowhere/gpumem"),
                         (2, "cannot start '/nowhere/gpumem': No such file or directory"))
        exit_code, line = self.error('gpumem.probe("--offset 0")', CUDA_VISIBLE_DEVICES="")
        self.assertEqual(exit_code, 3)
        self.assertRegex(line, r'; to predict instead: backend="model", gpu="h200"$')
        (self.directory / "suite.json").write_text("{}")
        self.assertEqual(self.error('gpumem.read("suite.json")')[0], 2)

    def test_what_an_exception_says_is_not_on_stderr_too(self):
        code = """
import io, sys
sys.stderr = io.StringIO()
try:
    gpumem.probe("--offset x", backend="model", gpu="h200")
except gpumem.Error:
    print(repr(sys.stderr.getvalue()))
gpumem.run(["sh", "-c", "echo theirs >&2"])
print("theirs" in sys.stderr.getvalue())
report = gpumem.check("own.json", backend="model", gpu="h200")  # which fails, and is no exception
print("choosing" in sys.stderr.getvalue(), "gpumem: own: 1 expectation failed" in sys.stderr.getvalue())
"""
        self.failing_suite()
        self.assertEqual(self.python(code), "''\nTrue\nTrue True")

    def test_errors_of_its_own(self):
        for code, said in (("gpumem.probe('--offset \"0')", "'--offset \"0' is no list of words (no closing quotation)"),
                           ("gpumem.probe('--help')", "'gpumem probe --help' makes no report"),
                           ("gpumem.check(['smoke', 'portrait'], backend='model', gpu='h200')", "a report is of one suite"),
                           ("gpumem.Report('{')", "this is no report of gpumem, for it is no JSON: "),
                           ("gpumem.Plot([])", "there is no report to plot"),
                           ("gpumem.Plot([], scale='square')", "scale is linear or log, and not 'square'")):
            with self.subTest(code):
                exit_code, line = self.error(code)
                self.assertEqual(exit_code, 2)
                self.assertTrue(line.startswith(said), line)

    def test_what_is_not_installed(self):
        report = f'gpumem.Report.load({str(H200 / "stride.json")!r})'
        self.assertEqual(self.error(f"{report}.frame()", without=("pandas",)),
                         (2, "a frame takes pandas; 'python3 -m pip install pandas' installs it"))
        exit_code, line = self.error(f'{report}.plot().save("a.svg")', without=("matplotlib",))
        self.assertEqual(exit_code, 2)
        self.assertIn("pip install matplotlib", line)
        exit_code, line = self.error(f'{report}.plot().save("a.html")', without=("plotly",))
        self.assertEqual(exit_code, 2)
        self.assertIn("pip install plotly", line)

    def test_a_command(self):
        self.assertEqual(self.python('print(gpumem.run(["false"]).exit_code, len(gpumem.run("true").results))'), "1 0")
        self.assertEqual(self.error('gpumem.run("no-such-command")')[0], 2)
        watched = os.environ.get("GPUMEM_WATCHED")
        if watched is None:
            self.skipTest("no $GPUMEM_WATCHED")
        code = f'report = gpumem.run([{watched!r}, "kernels", "3"])\nprint(report.exit_code, len(report.results) > 1)'
        self.assertEqual(self.python(code).splitlines()[-1], "3 True")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_frames(self):
        code = f"""
frame = gpumem.read({str(H200 / "stride.json")!r})
print(len(frame), frame["parameters.stride_elements"].max(), frame.attrs["quantities"]["bandwidth_gb_per_s"]["unit"])
both = gpumem.read([{str(H200 / "stride.json")!r}, {str(H200 / "bank.json")!r}])
print(len(both), both["report"].nunique(), "cycles_per_request" in both.attrs["quantities"])
"""
        one, both = self.python(code).splitlines()
        cases = {name: len(json.loads((H200 / f"{name}.json").read_text())["results"]) for name in ("stride", "bank")}
        self.assertEqual(one, f"{cases['stride']} 32 GB/s")
        self.assertEqual(both, f"{sum(cases.values())} 2 True")

    @unittest.skipUnless(has("matplotlib") and has("plotly"), "matplotlib or plotly is not installed")
    def test_plots(self):
        code = f"""
plot = gpumem.Report.load({str(H200 / "stride.json")!r}).plot()
plot.save("a.html"); plot.save("a.png")
print(plot._repr_svg_()[:5])
"""
        self.assertEqual(self.python(code), "<?xml")
        self.assertGreater((self.directory / "a.png").stat().st_size, 10000)
        self.assertIn("<script>", (self.directory / "a.html").read_text())
        load = f'gpumem.Report.load({str(H200 / "stride.json")!r})'
        self.assertEqual(self.error(f'{load}.plot("nothing")'),
                         (2, "no cases of 'nothing' in report 1; figure takes stride or roofline"))
        self.assertEqual(self.error(f'{load}.plot().save("a.gif")'), (2, "a figure is svg, png, pdf or html, and not 'gif'"))

    @unittest.skipUnless(has("pandas") and has("matplotlib"), "pandas or matplotlib is not installed")
    def test_the_page(self):
        said = self.python("\n".join(block.text for block in documents.blocks(documents.DOCS / "python.md", "python")))
        self.assertIn("offset: copy", said)
        self.assertTrue((self.directory / "offset.svg").exists())

    @unittest.skipUnless(has("pandas") and has("matplotlib"), "pandas or matplotlib is not installed")
    def test_the_notebook(self):
        """It holds what it shows when it is executed; $GPUMEM_UPDATE_GOLDEN has it written anew."""
        copy = shutil.copy(NOTEBOOK, self.directory)
        plain = {name: value for name, value in os.environ.items() if name != "GPUMEM"}
        self.call(self.interpreter, str(Path(__file__).with_name("notebook.py")), copy,
                  env={**plain, "CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1"})
        kept, shown = (outputs_of(json.loads(Path(path).read_text(encoding="utf-8"))) for path in (NOTEBOOK, copy))
        if "GPUMEM_UPDATE_GOLDEN" in os.environ:
            shutil.copy(copy, NOTEBOOK)
        self.assertEqual([list(one) for one in kept], [list(one) for one in shown])
        for before, now in zip(kept, shown):
            for kind in before:
                if kind != "image/svg+xml" and "dataframe" not in now[kind]:  # which other versions draw otherwise
                    self.assertEqual(before[kind].split(), now[kind].split())
        self.assertEqual(sum("text/html" in one for one in kept), 3)
        self.assertEqual(sum("<svg" in one.get("image/svg+xml", "") for one in kept), 1)


if __name__ == "__main__":
    unittest.main()
