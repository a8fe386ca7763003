"""The Python package's functions for the program's other commands: run, compare, portrait, devices, expect, calibrate."""

import json
import os
import unittest

import documents
from python_package import H200, NO_DRIVER, PackageTest, has


class Commands(PackageTest):
    def test_a_command(self):
        self.assertEqual(self.python('print(gpumem.run(["false"]).exit_code, len(gpumem.run("true").results))'), "1 0")
        self.assertEqual(self.error('gpumem.run("no-such-command")')[0], 2)
        self.assertEqual(self.error('gpumem.run("true", launches=-1)'),
                         (2, "--launches: '-1' is no number of launches; give one such as 3"))
        watched = os.environ.get("GPUMEM_WATCHED")
        if watched is None:
            self.skipTest("no $GPUMEM_WATCHED")
        code = f"""
report = gpumem.run([{watched!r}, "kernels", "3"])
print(report.exit_code, len(report.results) > 1, report.passed)
"""
        self.assertEqual(self.python(code).splitlines()[-1], "3 True False")

    def test_a_command_without_a_gpu(self):
        code = """
import io, sys
sys.stderr = io.StringIO()
report = gpumem.run(["echo", "hi"])
print(report, repr(report), report._repr_html_(), sys.stderr.getvalue(), sep="|", end="", flush=True)
sys.stderr = io.StringIO()
gpumem.run(["echo", "hi"], quiet=True)
print([sys.stderr.getvalue()])
"""
        said = "echo used no GPU, so there is nothing to show"
        self.assertEqual(self.python(code).splitlines(),
                         ["hi", f"{said}|<gpumem.Report of a command: {said}>|<p>{said}</p>|gpumem: {said}", "hi", "['']"])

    def test_a_command_that_cannot_be_watched(self):
        report = json.dumps({"program": {"exit_code": 0, "processes": 1, "command": ["app"]}, "results": []})
        unable = self.directory / "gpumem"
        unable.write_text(f"""#!/bin/sh
for word; do case "$word" in --output=*) echo '{report}' > "${{word#--output=}}";; esac; done
echo "gpumem: app uses a GPU but could not be watched" >&2
exit 3
""")
        unable.chmod(0o755)
        self.assertEqual(self.error("gpumem.run('app')", GPUMEM=str(unable)),
                         (3, "app uses a GPU but could not be watched"))

    def test_compare(self):
        code = """
old = gpumem.probe(offset=[0, 1], op=["read", "write"], elements_per_thread=4, backend="model", gpu="h200")
gpumem.probe(offset=[0, 1], op=["read", "write"], elements_per_thread=4, backend="model", gpu="a100-80gb").save("new.json")
comparison = gpumem.compare(old, "new.json", fail_on_regression="3%", op="read", quiet=True)
print(comparison.passed, len(comparison["cases"]), comparison["summary"][0]["slower"], comparison["old"]["report"])
print(repr(comparison))
print("<td" in comparison._repr_html_(), "old: report1.json: NVIDIA H200" in str(comparison))
print(gpumem.compare("new.json", old, fail_on_regression="3%").passed, gpumem.compare(old, "new.json").passed)
print(gpumem.compare(old, "new.json", fleet=True)["fleet"]["machines"])
"""
        old = self.python(code).splitlines()
        self.assertEqual(old[0], "False 2 2 report1.json")
        self.assertRegex(old[1], r"^<gpumem.Comparison: 0 same, 2 slower \(.*\), 0 faster, 0 ambiguous.>$")
        self.assertEqual(old[2:], ["True True", "True None", "2"])  # slower, but nobody asked for a gate

    def test_errors_of_a_comparison(self):
        report = repr(str(H200 / "stride.json"))
        self.assertEqual(self.error(f"gpumem.compare({report}, {report})")[0], 2)
        self.assertEqual(self.error(f"gpumem.compare({report}, gpumem.Report.load({report}), ofset=1)")[1].partition(";")[0],
                         "no case has a parameter 'ofset'")
        self.assertEqual(self.error(f"gpumem.compare({report})")[0], 2)

    def test_portrait(self):
        code = f"""
portrait = gpumem.portrait(backend="model", gpu="h200")
portrait.save("page.html")
print(repr(portrait), len(portrait.report.results) > 50, "levels of memory" in str(portrait), sep="; ")
both = gpumem.portrait(portrait.report, {str(H200 / "portrait.json")!r})
print(both.report, both.page.count("<svg") > portrait.page.count("<svg"), both._repr_html_()[:37], sep="; ")
"""
        first, second = self.python(code).splitlines()
        self.assertRegex(first, "^<gpumem.Portrait of NVIDIA H200, .*>; True; True$")
        self.assertEqual(second, 'None; True; <iframe srcdoc="&lt;!doctype html&gt;')
        self.assertTrue((self.directory / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>"))
        self.assertEqual(self.error("gpumem.portrait(gpumem.run('true'))")[0], 2)

    def test_devices(self):
        self.assertEqual(self.error("gpumem.devices()", **NO_DRIVER)[0], 3)
        machine = self.directory / "gpumem"
        machine.write_text('#!/bin/sh\n[ "$*" = "devices --json" ] && echo \'[{"name": "NVIDIA H200"}]\'\n')
        machine.chmod(0o755)
        self.assertEqual(self.python("print(gpumem.devices()[0]['name'])", GPUMEM=str(machine)), "NVIDIA H200")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_expect(self):
        code = """
frame = gpumem.expect("h200x8", "l40s")
print(list(frame), frame.gpu.unique().tolist(), frame.index.tolist() == list(range(len(frame))))
print(frame.dtypes[["value", "low", "high"]].unique().tolist(), frame.pivot(index="quantity", columns="gpu", values="value").shape)
row = frame.set_index(["gpu", "quantity"]).loc[("l40s", "memory_read_gb_per_s")]
print(row.unit, row.low < row.value < row.high, row.source)
print(gpumem.expect("l40s").equals(frame[frame.gpu == "l40s"].reset_index(drop=True)), gpumem.expect(all=True).gpu.nunique())
"""
        columns, types, row, same = self.python(code).splitlines()
        self.assertEqual(columns, "['gpu', 'quantity', 'value', 'low', 'high', 'unit', 'source'] ['h200x8', 'l40s'] True")
        self.assertRegex(types, r"^\[dtype\('float64'\)\] \(\d+, 2\)$")
        self.assertEqual(row, "GB/s True published of an L40 (Ernst (NHR@FAU))")
        self.assertEqual(same, f"True {len(list((documents.ROOT / 'configs' / 'gpus').glob('*.json')))}")

    def test_errors_of_expect(self):
        exit_code, line = self.error("gpumem.expect('h200', 'h201')")
        self.assertEqual((exit_code, line.partition(":")[0]), (2, "no GPU profile 'h201'"))
        self.assertEqual(self.error("gpumem.expect('h200', 'h200')")[1], "'h200' is given twice; name each GPU once")
        self.assertEqual(self.error("gpumem.expect('h200', device=0)")[0], 2)
        self.assertEqual(self.error("gpumem.expect()", **NO_DRIVER)[0], 3)
        self.assertEqual(self.error("gpumem.expect('h200')", without=("pandas",)),
                         (2, "a frame takes pandas; 'python3 -m pip install pandas' installs it"))

    def test_calibrate(self):
        code = f"""
said = gpumem.calibrate("mine.json", reports=[{str(H200 / "offset.json")!r}], name="mine")
print(said.splitlines()[0].split(), said._repr_html_()[:5])
print(gpumem.probe(offset=0, backend="model", gpu="mine.json")["profile"])
"""
        self.assertEqual(self.python(code), "['rate', 'value', 'known', 'to'] <pre>\nmine")
        exit_code, line = self.error("gpumem.calibrate()", **NO_DRIVER)
        self.assertEqual(exit_code, 3)
        self.assertRegex(line, r'elsewhere: gpumem\.calibrate\(reports=\["report.json"\]\)$')


if __name__ == "__main__":
    unittest.main()
