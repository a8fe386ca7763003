"""The Python package calls the program: what its functions take, return and say."""

import os
import pty
import subprocess
import unittest
import zipfile

from python_package import BUILD, NO_DRIVER, PackageTest, has

# Puts a notebook in the place of IPython, and collects what it would display.
NOTEBOOK = """
import sys, types
shown = []
class Handle:
    def update(self, content, raw):
        shown.append(content["text/html"])
def display(content, raw, display_id):
    shown.append(content["text/html"])
    return Handle()
notebook = types.ModuleType("IPython")
notebook.get_ipython = lambda: types.SimpleNamespace(kernel=True)
sys.modules["IPython"], sys.modules["IPython.display"] = notebook, types.SimpleNamespace(display=display)
"""


class Distribution(PackageTest):
    def test_the_wheel_is_for_every_python(self):
        self.assertRegex(self.wheel.name, r"^gpumem-[0-9.]+-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
        for name in ("gpumem/py.typed", "gpumem/agents/server.py", "gpumem/plotting/page.js", "gpumem/plotting/answer.py",
                     "share/gpumem/schema/report.schema.json", "share/gpumem/configs/smoke.json",
                     "share/gpumem/configs/gpus/h200.json", "share/gpumem/deploy/slurm/gpumem-gate", "scripts/gpumem",
                     "share/man/man1/gpumem.1",
                     "share/bash-completion/completions/gpumem", "share/zsh/site-functions/_gpumem",
                     "share/fish/vendor_completions.d/gpumem.fish"):
            self.assertTrue(any(file.endswith(name) for file in names), name)
        self.assertFalse(any("reference" in name for name in names))

    def test_the_program_is_the_one_of_the_wheel(self):
        self.assertEqual(self.python("print(gpumem.program())"), str((self.place / "bin" / "gpumem").resolve()))
        version = self.call(str(self.place / "bin" / "gpumem"), "--version").split()[1]
        self.assertIn(f"gpumem-{version}-", self.wheel.name)
        self.assertEqual(self.python("print(gpumem.__version__)"), version)

    @unittest.skipUnless((BUILD / "plotly.min.js").exists(), "this build has no plotly to bring")
    def test_the_program_of_the_wheel_draws(self):
        """Also where its environment is not the active one."""
        page = self.directory / "page.html"
        done = subprocess.run([self.place / "bin" / "gpumem", "expect", "h200", "-o", page], capture_output=True, text=True,
                              check=False, env={"PATH": str(self.directory)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))

    def test_the_server_of_tools_is_installed(self):
        """Its SDK is not."""
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run([self.place / "bin" / "gpumem-mcp"], capture_output=True, text=True, check=False, env=plain,
                              stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Agpumem: gpumem-mcp takes the MCP SDK[^\n]*\n\Z")
        metadata = self.python("from importlib import metadata; print(metadata.requires('gpumem'))")
        self.assertIn("mcp<3,>=2.1; ", metadata)

    def test_the_module_is_the_program(self):
        shown = self.call(self.interpreter, "-m", "gpumem", "list", "offset")
        self.assertEqual(shown, self.call(str(self.place / "bin" / "gpumem"), "list", "offset"))
        for program, code in (("", 2), ("/nowhere/gpumem", 2)):
            done = subprocess.run([self.interpreter, "-m", "gpumem", "probe", "--ofset", "1"], capture_output=True,
                                  text=True, check=False, env={**os.environ, "GPUMEM": program})
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertTrue(done.stderr.startswith("gpumem: "), done.stderr)


class Probes(PackageTest):
    def cases(self, call):
        """(probe, offset, op, word bytes) of each case that a call returns."""
        code = f"""
import pathlib
report = {call}
print([(case["probe"], *(case["parameters"].get(name) for name in ("offset_elements", "op", "word_bytes")))
       for case in report.results])
"""
        return eval(self.python(code))

    def test_a_probe(self):
        code = """
report = gpumem.probe("--offset 0,1,8 --op read", backend="model", gpu="h200")
print(repr(report), len(report.results), report["backend"], report.passed, sep="; ")
"""
        self.assertEqual(self.python(code), "<gpumem.Report of 3 cases, predicted: NVIDIA H200>; 3; model; True")

    def test_keywords_are_the_axes(self):
        wanted = [("offset", offset, op, 8) for offset in (0, 2, 4) for op in ("read", "write")]
        for call in ("probe(offset=range(0, 5, 2), op=['read', 'write'], word_bytes=8, {})",
                     "probe('--offset 0..4:2 --op read,write --word-bytes 8', {})",
                     "probe(['--offset', '0,2,4', '--op', 'read,write'], word_bytes=8, {})",
                     "probe(offset='0..4:2', op=('read', 'write'), word_bytes=['8'], {})",
                     "probes.offset(offset=[0, 2.0, 4], op=iter(['read', 'write']), word_bytes=8, {})",
                     "probe('offset', offset=reversed(range(0, 5, 2)), op='read,write', word_bytes=8, {})"):
            with self.subTest(call):
                cases = self.cases("gpumem." + call.format("backend='model', gpu='h200'"))
                self.assertEqual(sorted(cases), wanted)

    def test_two_probes_at_once(self):
        cases = self.cases("gpumem.probe('offset stride', op='read', offset=0, stride=2, backend='model', gpu='h200')")
        self.assertEqual(cases, [("offset", 0, "read", 4), ("stride", None, "read", 4)])

    def test_texts_may_have_commas(self):
        code = """
report = gpumem.probes.pattern(pattern=["i", "i % 4 * (n / 4) + i / 4"], active="1", elements_per_thread=4,
                               block_threads=256, buffer="1MiB", backend="model", gpu="h200")
print([case["parameters"]["pattern"] for case in report.results])
report = gpumem.probes.indices(indices=pathlib.Path("own.txt"), from_="UNIFORM:8:1:NR", op="copy", elements_per_thread=4,
                               block_threads=256, backend="model", gpu="h200")
print([(case["parameters"]["indices"], case["parameters"]["from"]) for case in report.results])
"""
        (self.directory / "own.txt").write_text("\n".join(map(str, range(1000))))
        self.assertEqual(self.python("import pathlib" + code).splitlines(),
                         ["['i', 'i % 4 * (n / 4) + i / 4']", "[('own.txt', 'UNIFORM:8:1:NR')]"])

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_arrays_and_columns(self):
        code = """
import numpy, pandas
column = pandas.Series([0, 8, None]).dropna()
report = gpumem.probe(offset=numpy.arange(2), word_bytes=column[1:], op=pandas.Series(["read"]),
                      elements_per_thread=numpy.int64(4), backend="model", gpu="h200")
print([[case["parameters"][name] for name in ("offset_elements", "word_bytes", "op", "elements_per_thread")]
       for case in report.results])
"""
        self.assertEqual(self.python(code), "[[0, 8, 'read', 4], [1, 8, 'read', 4]]")

    def test_options(self):
        code = """
report = gpumem.probe(offset=0, device="0", counters=True, ci_width=0.01, time_budget="1s", numa="off", backend="model",
                      gpu="h200", quiet=True)
print(report["command"][1:8])
"""
        self.assertEqual(self.error(code), (2, "--device chooses the GPU to measure on; the model takes --gpu"))
        code = code.replace('device="0", counters=True, ', "")
        self.assertEqual(self.python(code), str(["probe", "--offset=0", "--backend=model", "--gpu=h200", "--ci-width=0.01",
                                                 "--time-budget=1s", "--numa=off"]))

    def test_unknown_keywords(self):
        for function, keyword, cure in (("probe", "ofset", "did you mean 'offset'?"),
                                        ("probe", "offset_elements", "did you mean 'offset'?"),
                                        ("probe", "backnd", "did you mean 'backend'?"),
                                        ("probes.working_set", "matrix", "help(gpumem.probes.working_set) lists them")):
            with self.subTest(keyword):
                self.assertEqual(self.error(f"gpumem.{function}({keyword}=1)"),
                                 (2, f"gpumem.{function}() has no keyword '{keyword}'; {cure}"))

    def test_values_that_are_none(self):
        self.assertEqual(self.error("gpumem.probe(offset=[])"),
                         (2, "offset: there are no values in []; give one, or leave it out"))
        self.assertEqual(self.error("gpumem.probe(offset=range(0))"),
                         (2, "offset: there are no values in range(0, 0); give one, or leave it out"))
        self.assertEqual(self.error("gpumem.probe(offset=0.5, backend='model', gpu='h200')"),
                         (2, "--offset: '0.5' is not a whole number"))
        exit_code, line = self.error("gpumem.probe(offset=0, op='reed', backend='model', gpu='h200')")
        self.assertEqual((exit_code, line.rpartition("; ")[2]), (2, "did you mean 'read'?"))


class Checks(PackageTest):
    def test_checks(self):
        code = 'report = gpumem.check({!r}, backend="model", gpu="h200")\nprint(report.passed, report.exit_code)'
        self.assertEqual(self.python(code.format("smoke")), "True 0")
        self.assertEqual(self.python(code.format(str(self.failing_suite()))), "False 1")
        self.assertEqual(self.python("import pathlib\nprint(gpumem.check(pathlib.Path('own.json'), backend='model',"
                                     " gpu='h200').exit_code)"), "1")
        exit_code, line = self.error('gpumem.check("smoke", attempts=0, backend="model", gpu="h200")')
        self.assertEqual(exit_code, 2)
        self.assertTrue(line.startswith("--attempts"), line)

    def test_a_check_says_how_it_ended(self):
        code = 'print(repr(gpumem.check({!r}, backend="model", gpu="h200")))'
        self.assertRegex(self.python(code.format("smoke")),
                         r"^<gpumem.Report of smoke: PASS, \d+ passed, 0 failed, \d+ skipped, predicted: NVIDIA H200>$")
        self.assertRegex(self.python(code.format(str(self.failing_suite()))), "^<gpumem.Report of own: FAIL, .* 1 failed, ")

    def test_a_saved_check_knows_whether_it_passed(self):
        code = """
report = gpumem.check({!r}, backend="model", gpu="h200")
report.save("saved.json")
saved = gpumem.Report.load("saved.json")
print(saved.passed, saved.exit_code, repr(saved) == repr(report))
"""
        self.assertEqual(self.python(code.format("smoke")), "True None True")
        self.assertEqual(self.python(code.format(str(self.failing_suite()))), "False None True")
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
fresh = gpumem.probe("--offset 0,1", backend="model", gpu="h200")
fresh.save("p.json")
report = json.load(open("p.json"))
said = [fresh.passed, gpumem.Report.load("p.json").passed]
for member, value in (("verified", True), ("verified", False), ("status", "failed")):
    report["results"][0][member] = value
    said.append(gpumem.Report(json.dumps(report)).passed)
report["results"] = []
said.append(gpumem.Report(json.dumps(report)).passed)
print(said)
"""
        self.assertEqual(self.python(code), "[True, True, True, False, False, None]")


class Errors(PackageTest):
    def test_errors_are_the_programs(self):
        exit_code, line = self.error('gpumem.probe("--offset x", backend="model", gpu="h200")')
        self.assertEqual(exit_code, 2)
        self.assertTrue(line.startswith("--offset: 'x'"), line)
        self.assertEqual(self.error('gpumem.probe("--offset 0")', GPUMEM="/nowhere/gpumem"),
                         (2, "cannot start '/nowhere/gpumem': No such file or directory"))
        exit_code, line = self.error("gpumem.probe(offset=0)", **NO_DRIVER)
        self.assertEqual(exit_code, 3)
        self.assertRegex(line, r'; to predict instead: backend="model", gpu="h200"$')

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
print("gpumem: own: 1 expectation failed" in sys.stderr.getvalue())
"""
        self.failing_suite()
        self.assertEqual(self.python(code), "''\nTrue\nTrue")

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


class Progress(PackageTest):
    PROBE = 'gpumem.probe("working-set", backend="model", gpu="h200"{})'  # takes long enough for some

    def on_a_terminal(self, code):
        """Returns the output on stderr."""
        ours, its = pty.openpty()
        child = subprocess.Popen([self.interpreter, "-c", "import gpumem\n" + code], stderr=its)
        os.close(its)
        said = b""
        try:
            while part := os.read(ours, 65536):
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(child.wait(), 0, said)
        return said.decode()

    def test_it_is_seen_on_a_terminal(self):
        self.assertRegex(self.on_a_terminal(self.PROBE.format("")), r"\r\x1b\[K1/153 working-set")
        self.assertEqual(self.on_a_terminal(self.PROBE.format(", quiet=True")), "")

    def test_it_is_quiet_elsewhere(self):
        code = f"import io, sys\nsys.stderr = io.StringIO()\n{self.PROBE.format('')}\nprint([sys.stderr.getvalue()])"
        self.assertEqual(self.python(code), "['']")

    def test_it_is_a_bar_in_a_notebook(self):
        code = f"""{NOTEBOOK}
import io
sys.stderr = io.StringIO()
{self.PROBE.format("")}
print(shown[0], len(shown) > 1, [shown[-1]], [sys.stderr.getvalue()], sep="\\n")
del shown[:]
{self.PROBE.format(", quiet=True")}
gpumem.check({str(self.failing_suite())!r}, backend="auto", gpu="h200")
print(sys.stderr.getvalue())
"""
        bar, moved, last, stderr, *notices = self.python(code, **NO_DRIVER).splitlines()
        self.assertRegex(bar, r'^<progress value="1" max="153"></progress> 1/153 working-set ')
        self.assertEqual((moved, last, stderr), ("True", "['']", "['']"))
        self.assertEqual(len(notices), 2, notices)
        self.assertTrue(all(notice.startswith("gpumem: ") for notice in notices), notices)


if __name__ == "__main__":
    unittest.main()
