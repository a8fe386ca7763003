"""The Python package's reports: as frames of pandas and polars, as pages of a notebook, as plots."""

import base64
import gzip
import json
import os
import re
import shutil
import unittest
from pathlib import Path
from xml.etree import ElementTree

import documents
from python_package import BUILD, H200, ROOT, PackageTest, has

NOTEBOOK = documents.DOCS / "notebook.ipynb"


PICTURE = re.compile(r'<img alt="[^"]*" style="[^"]*" src="data:image/svg\+xml;base64,([^"]+)">')


def outputs_of(notebook):
    """The contents of each output of a notebook, by their types."""
    return [{kind: "".join(text) for kind, text in output["data"].items()}
            for cell in notebook["cells"] if cell["cell_type"] == "code" for output in cell["outputs"]]


class Shown(PackageTest):
    def test_it_shows_itself(self):
        call = 'print(gpumem.{}, backend="model", gpu="h200")._repr_html_())'
        page = self.python(call.format('probe(["--offset", "0,1", "--block-threads", 256]'))
        self.assertIn("<td style=\"text-align:right\">0</td>", page)
        self.assertIn("PREDICTED by the model", page)
        self.assertNotIn("|", page)
        page = self.python(call.format('probes.overlap(overlap="staged", streams=2'))
        self.assertRegex(page, r"<pre>[^`]*\n  \S[^`]*</pre>")  # a time line
        self.assertNotIn("```", page)
        page = self.python(f'print(gpumem.Report.load({str(H200 / "programs" / "kernels.json")!r})._repr_html_())')
        self.assertIn("<ol><li><code>transpose_naive</code> could save <b>9.4 ms</b>", page)
        self.assertIn("<td style=\"text-align:left\"><code>transpose_tile&lt;0&gt;</code></td>", page)
        text = self.python('print(gpumem.probe("--offset 0,1", backend="model", gpu="h200"))')
        self.assertIn("offset: copy", text)

    def test_it_explains_itself(self):
        code = f"""
report = gpumem.Report.load({str(H200 / "stride.json")!r})
alone = report.explain(stride=8, op="write")
several = report.explain(range(2))
print(alone.count("Measured 263 GB/s"), alone == repr(alone), alone._repr_html_().count("<details>"))
print(several.count("sectors per load"), several._repr_html_().count("<details><summary>[1] stride: stride 2 elements"))
print(report.explain(stride=[1, 2], op=["read", "copy"])._repr_html_().count("<details>"))
"""
        self.assertEqual(self.python(code), "1 True 2\n2 1\n5")
        self.assertEqual(self.error(f'gpumem.Report.load({str(H200 / "stride.json")!r}).explain(99)'),
                         (2, "there is no case 99; there are 96 cases, 0 to 95"))

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

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_it_shows_its_figure(self):
        load = f'gpumem.Report.load({str(H200 / "stride.json")!r})'
        page = self.python(f"print({load}._repr_html_())")
        root = ElementTree.fromstring(base64.b64decode(PICTURE.match(page)[1]))
        self.assertIn("bandwidth, GB/s", {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")})
        self.assertIn("<table>", page)
        page = self.python(f"print({load}._repr_html_())", without=("matplotlib",))
        self.assertTrue(page.startswith("<p>No figure: figures take matplotlib ("), page[:200])
        self.assertIn("pip install matplotlib", page)
        self.assertIn("<table>", page)
        page = self.python("print(gpumem.probe(offset=0, backend='model', gpu='h200', arguments='--dry-run')._repr_html_())")
        self.assertNotIn("<img", page)  # of what did not run there is none

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_plots_with_choices(self):
        """They are those of `gpumem show`."""
        report = str(H200 / "stride.json")
        self.python(f"""
report = gpumem.Report.load({report!r})
report.plot("stride", y="time", scale="log", op=["read", "write"]).save("python.svg")
gpumem.Plot([report, gpumem.Report.load({str(H200.parent / "h100" / "stride.json")!r})], op="read").save("two.svg")
""")
        choices = ("op=read,write", "--figure", "stride", "--y", "time", "--scale", "log")
        self.succeed("show", report, *choices, "-o", str(self.directory / "program.svg"))
        self.assertEqual((self.directory / "python.svg").read_bytes(), (self.directory / "program.svg").read_bytes())
        self.assertIn("NVIDIA H100", (self.directory / "two.svg").read_text())
        self.assertEqual(self.error(f'gpumem.Report.load({report!r}).plot(op="reed")'),
                         (2, "op: 'reed' is not one of copy, read, write; did you mean 'read'?"))

    def test_what_is_not_installed(self):
        report = f'gpumem.Report.load({str(H200 / "stride.json")!r})'
        self.assertEqual(self.error(f"{report}.frame()", without=("pandas",)),
                         (2, "a frame takes pandas; 'python3 -m pip install pandas' installs it"))
        self.assertEqual(self.error(f"{report}.to_polars()", without=("polars",)),
                         (2, "a frame takes polars; 'python3 -m pip install polars' installs it"))
        exit_code, line = self.error(f'{report}.plot().save("a.svg")', without=("matplotlib",))
        self.assertEqual(exit_code, 2)
        self.assertIn("pip install matplotlib", line)
        saving = f'{report}.plot().save("a.html")'
        if (BUILD / "plotly.min.js").exists():  # which the wheel brings
            self.python(saving, without=("plotly", "plotly.offline"))
            return
        exit_code, line = self.error(saving, without=("plotly", "plotly.offline"))
        self.assertEqual(exit_code, 2)
        self.assertIn("pip install plotly", line)


@unittest.skipUnless(has("pandas"), "pandas is not installed")
class Frames(PackageTest):
    def test_it_has_what_holds_something(self):
        code = f"""
frame = gpumem.Report.load({str(H200 / "offset.json")!r}).frame()
print(list(frame.columns[:10]))
print(frame.isna().all().any(), [name for name in frame if "." in name])
print(frame.attrs["quantities"]["gb_per_s"]["unit"], set(frame.quantity))
"""
        self.assertEqual(self.python(code).splitlines(), [
            str(["probe", "offset", "block_threads", "word_bytes", "op", "buffer", "elements_per_thread", "gb_per_s",
                 "gb_per_s_low", "gb_per_s_high"]), "False []", "GB/s {'gb_per_s'}"])
        code = """
frame = gpumem.probe(offset=range(3), op="read", backend="model", gpu="h200").frame()
print("gb_per_s" in frame, list(frame.predicted.round()), list(frame.offset))
"""
        self.assertEqual(self.python(code), "False [4571.0, 4566.0, 4566.0] [0, 1, 2]")

    def test_it_says_what_the_report_says(self):
        """The quantity that each case is about, its interval and its prediction, whatever the probe."""
        code = f"""
import glob
for path in glob.glob({str(H200 / "*.json")!r}):
    report = gpumem.Report.load(path)
    frame = report.frame()
    assert len(set(frame.columns)) == len(frame.columns), path
    for (_, row), case in zip(frame.iterrows(), report.results):
        headline = case["headline"]
        for column, member in ((row["quantity"], "measured"), (f"{{row['quantity']}}_low", "ci95_low"),
                               (f"{{row['quantity']}}_high", "ci95_high"), ("predicted", "predicted"), ("peak", "peak")):
            value = row.get(column, float("nan"))
            if headline[member] is None:
                assert value != value, (path, column, value)
            else:
                assert abs(value - headline[member]) <= 1e-12 * abs(value), (path, column, value, headline)
print("all")
"""
        self.assertEqual(self.python(code), "all")

    def test_no_name_stands_for_two_columns(self):
        code = """
import inspect
from gpumem.frames import LEFT_OUT, short
header = list(gpumem.probe(offset=0, backend="model", gpu="h200").frame(all=True))
others = [short(column) for column in header if not column.startswith("parameters.") and column not in LEFT_OUT]
axes = [name for function in vars(gpumem.probes).values() if inspect.isfunction(function)
        for name in inspect.signature(function).parameters]
print(len(header) > 300, [name for name in others if others.count(name) > 1], {*others} & {*axes} - {"gpu", "backend"})
"""
        self.assertEqual(self.python(code), "True [] set()")

    def test_all_columns(self):
        code = f"""
report = gpumem.Report.load({str(H200 / "stride.json")!r})
frame = report.frame(all=True)
print(set(report.show("csv").splitlines()[0].split(",")) < set(frame.columns), frame["parameters.stride_elements"].max())
print(frame.attrs["quantities"]["bandwidth_gb_per_s"]["unit"])
"""
        self.assertEqual(self.python(code), "True 32\nGB/s")

    def test_probes_that_are_about_different_quantities(self):
        code = f"""
frame = gpumem.read([{str(H200 / "stride.json")!r}, {str(H200 / "bank.json")!r}, {str(H200 / "random.json")!r}])
print(frame.report.nunique(), *sorted(set(frame.quantity)), "cycles_per_request" in frame.attrs["quantities"])
for name in ("stride", "bank_stride", "random_footprint", "cycles_per_request_low", "gb_per_s_low"):
    print(name, *sorted(set(frame.probe[frame[name].notna()])))
"""
        self.assertEqual(self.python(code).splitlines(), [
            "3 cycles_per_request gb_per_s True", "stride stride", "bank_stride bank", "random_footprint random",
            "cycles_per_request_low bank", "gb_per_s_low random stride"])

    def test_a_report_without_cases(self):
        self.assertEqual(self.python("frame = gpumem.run('true', quiet=True).frame()\nprint(frame.shape, frame.attrs)"),
                         "(0, 0) {'quantities': {}}")

    def test_folders_and_patterns(self):
        (self.directory / "reports" / "deep").mkdir(parents=True)
        for name in ("stride", "deep/bank"):
            shutil.copy(H200 / f"{Path(name).name}.json", self.directory / "reports" / f"{name}.json")
        shutil.copy(H200 / "stride.json", self.directory / "odd[1].json")
        code = """
import pathlib
for paths in ("reports", pathlib.Path("reports"), "reports/**/*.json", ["reports", "reports/deep/*.json"], "odd[1].json",
              ["odd[1].json"], {"reports/stride.json": 1}):
    frame = gpumem.read(paths)
    print(len(frame), *(sorted(set(frame.report)) if "report" in frame else []))
print(gpumem.read("reports", all=True).columns[0], "parameters.op" in gpumem.read("odd[1].json", all=True))
"""
        stride, bank = (len(json.loads((H200 / f"{name}.json").read_text())["results"]) for name in ("stride", "bank"))
        both = f"{stride + bank} reports/deep/bank.json reports/stride.json"
        self.assertEqual(self.python(code).splitlines(), [
            f"{stride} reports/stride.json", f"{stride} reports/stride.json", both, both, f"{stride}",
            f"{stride} odd[1].json", f"{stride} reports/stride.json", "report True"])

    def test_packed_reports_and_marked_texts(self):
        report = json.loads((H200 / "stride.json").read_text())
        report["results"][0] |= {"status": "skipped", "reason": "=1+1"}
        (self.directory / "packed").mkdir()
        with gzip.open(self.directory / "packed" / "stride.json.gz", "wt") as file:
            json.dump(report, file)
        self.assertEqual(self.python("import gpumem\nprint(gpumem.read('packed').reason.dropna().tolist())").strip(), "['=1+1']")

    def test_nothing_to_read(self):
        (self.directory / "empty").mkdir()
        (self.directory / "suite.json").write_text("{}")
        written = "'gpumem probe --output FILE.json' and report.save() write one"
        self.assertEqual(self.error("gpumem.read([])"), (2, "there is no report to read: the list of paths is empty"))
        self.assertEqual(self.error("gpumem.read('empty')"), (2, f"there are no reports (*.json) in 'empty'; {written}"))
        self.assertEqual(self.error("gpumem.read('empty/*')"), (2, f"no file fits 'empty/*'; {written}"))
        self.assertEqual(self.error("gpumem.read('none.json')"), (2, "cannot read 'none.json': No such file or directory"))
        self.assertEqual(self.error('gpumem.read("suite.json")')[0], 2)


@unittest.skipUnless(has("polars"), "polars is not installed; 'python3 -m pip install polars' does that")
class Polars(PackageTest):
    def test_types(self):
        code = f"""
import polars
report = gpumem.Report.load({str(H200 / "stride.json")!r})
frame = report.to_polars()
types = dict(frame.schema)
for name in ("probe", "op", "status", "gpu"):
    assert types[name] == polars.String, name
for name in ("stride", "word_bytes", "buffer", "useful_bytes_read", "samples"):
    assert types[name] == polars.Int64, name
for name in ("gb_per_s", "predicted", "seconds", "relative_to_baseline"):
    assert types[name] == polars.Float64, name
assert types["verified"] == polars.Boolean
assert polars.Null not in types.values() and frame.null_count().max_horizontal()[0] < len(frame)
print(frame["gb_per_s"].to_list() == [case["bandwidth_gb_per_s"]["measured"] for case in report.results])
"""
        self.assertEqual(self.python(code), "True")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_it_holds_what_pandas_holds(self):
        golden = ROOT / "tests" / "report" / "golden" / "measured_copy.json"
        code = f"""
for path in ({str(H200 / "stride.json")!r}, {str(H200 / "bank.json")!r}, {str(golden)!r}):
    report = gpumem.Report.load(path)
    for all in (False, True):
        pandas, polars = report.frame(all=all), report.to_polars(all=all)
        assert list(pandas.columns) == polars.columns, path
        for name in polars.columns:
            kept = [None if value != value else value for value in pandas[name]]
            assert kept == polars[name].to_list(), (path, name)
comparison = gpumem.compare({str(H200 / "stride.json")!r}, {str(H200.parent / "h100" / "stride.json")!r})
print(comparison.to_polars().columns == list(comparison.frame().columns), len(comparison.to_polars()))
"""
        self.assertEqual(self.python(code), "True 96")


@unittest.skipUnless(has("pandas") and has("matplotlib") and has("polars"), "pandas, polars or matplotlib is not installed")
class Documents(PackageTest):
    def test_the_page(self):
        said = self.python("\n".join(block.text for block in documents.blocks(documents.DOCS / "python.md", "python")))
        self.assertIn("offset: read", said)
        self.assertTrue((self.directory / "offset.svg").exists())

    def test_the_notebook(self):
        """It holds what it shows when it is executed; $GPUMEM_UPDATE_GOLDEN has it written anew."""
        copy = shutil.copy(NOTEBOOK, self.directory)
        plain = {name: value for name, value in os.environ.items() if name != "GPUMEM"}
        self.call(self.interpreter, str(Path(__file__).with_name("notebook.py")), copy,
                  env={**plain, "CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1"})
        kept, shown = (outputs_of(json.loads(Path(path).read_text(encoding="utf-8"))) for path in (NOTEBOOK, copy))
        if "GPUMEM_UPDATE_GOLDEN" in os.environ:
            shutil.copy(copy, NOTEBOOK)
        self.assertEqual([list(output) for output in kept], [list(output) for output in shown])
        for before, now in zip(kept, shown):
            for kind in before:
                if kind != "image/svg+xml" and "dataframe" not in now[kind]:  # which other versions draw otherwise
                    self.assertEqual(*(PICTURE.sub("", output[kind]).split() for output in (before, now)))
        self.assertEqual(sum("text/html" in output for output in kept), 4)
        self.assertEqual(sum("<svg" in output.get("image/svg+xml", "") for output in kept), 1)

    def test_the_notebook_begins_with_a_picture(self):
        cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        first = outputs_of({"cells": [next(cell for cell in cells if cell["cell_type"] == "code")]})
        self.assertRegex(first[0]["text/html"], PICTURE)


if __name__ == "__main__":
    unittest.main()
