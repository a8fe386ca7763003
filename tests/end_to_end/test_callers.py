"""Finds the code that asked for a kernel and made its arrays: Python, native code and a framework's operators. Tries
every Python that is there, through the code of the injected library and `gpumem run`."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from harness import ProgramTest, environment, run, strict_json

LIBRARIES = Path(os.environ.get("GPUMEM_CALLERS", "build/release/tests/callers"))
SOURCES = Path(__file__).resolve().parent.parent / "program" / "watch" / "callers"
PROGRAM = SOURCES / "launching.py"
MIB = 1 << 20
has_libraries = unittest.skipUnless((LIBRARIES / "gpumem_frames.so").exists(), "this build injects nothing")


def pythons():
    """Interpreters of every version from 3.8 on that is installed."""
    found = {Path(sys.executable)}
    for minor in range(8, 15):
        for folder in (Path("/usr/bin"), *Path.home().glob(f".pyenv/versions/3.{minor}.*/bin")):
            if (python := folder / f"python3.{minor}").exists():
                found.add(python)
    return sorted(found)


def line(mark):
    """The line of the program that has the mark."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return 1 + next(i for i, text in enumerate(lines) if text.endswith(f"# line: {mark}"))


def native_place(source, text):
    lines = (SOURCES / source).read_text(encoding="utf-8").splitlines()
    return f"{source}:{1 + next(i for i, found in enumerate(lines) if text in found)}"


@has_libraries
class Callers(ProgramTest):
    def kernels(self, *command):
        """Runs a program and returns the results of its kernels, by name."""
        raw = self.directory / "raw"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        done = subprocess.run([*command, str(raw)], capture_output=True, text=True, timeout=60, check=False,
                              env=environment(PYTHONIOENCODING="utf-8"))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.directory / "report.json"
        shown = run("run", "--output", str(report), "--", "true", env=environment(GPUMEM_RUN_RAW=str(raw), COLUMNS="80"))
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.table = shown.stderr
        self.report = report
        self.said = done.stdout
        results = strict_json(report.read_text(encoding="utf-8"))["results"]
        return {result["parameters"]["kernel"]: result for result in results}

    def test_stacks_are_as_python_has_them(self):
        for python in pythons():
            with self.subTest(python=str(python)):
                done = subprocess.run([python, SOURCES / "stacks.py", LIBRARIES / "gpumem_frames.so"], capture_output=True,
                                      text=True, timeout=60, check=False, env=environment(PYTHONIOENCODING="utf-8"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_python(self):
        for python in pythons():
            with self.subTest(python=str(python)):
                self.look_at(self.kernels(python, PROGRAM, LIBRARIES), python)

    def look_at(self, kernels, python):
        has_qualified_names = int(re.search(r"(\d+)$", python.resolve().name)[1]) >= 11
        def named(kernel, function):
            return f"launching.py:{line(kernel)} in {function if has_qualified_names else function.split('.')[-1]}"

        self.assertEqual(kernels["packaged"]["caller"], named("packaged", "Model.forward"))
        self.assertEqual(kernels["compiled"]["caller"], named("compiled", "Model.compiled"))
        self.assertEqual(kernels["several"]["caller"], named("several", "first_place"))
        self.assertEqual(kernels["größe"]["caller"], named("größe", "größe"))
        self.assertEqual(kernels["deep"]["caller"], named("deep", "deep"))
        self.assertEqual(kernels["threaded"]["caller"], named("threaded", "<lambda>"))
        inner, own, outer = kernels["packaged"]["called_from"]
        self.assertEqual((inner["library"], inner["module"], inner["line"], inner["function"]),
                         (True, "package.layers", 2, "forward"))
        self.assertEqual((own["file"], own["line"], own["module"], own["language"], own["library"]),
                         (str(PROGRAM), line("packaged"), "__main__", "python", False))
        self.assertEqual(outer["function"], "<module>")
        self.assertEqual(len(kernels["deep"]["called_from"]), 16)
        # Arrays.
        tensor = {"bytes": 64 * MIB, "made_at": f"launching.py:{line('tensor')}"}
        self.assertEqual(kernels["packaged"]["access"][0]["array"], tensor)
        self.assertEqual(kernels["compiled"]["access"][0]["array"], tensor)
        self.assertEqual(kernels["of_driver"]["access"][0]["array"],
                         {"bytes": 512 * MIB, "made_at": f"launching.py:{line('buffer')}"})
        for kernel in ("of_nobody", "given_back"):
            self.assertNotIn("array", kernels[kernel]["access"][0])
        # Native code, and a framework's operators.
        self.assertEqual(kernels["scale"]["caller"],
                         native_place("extension.cpp", 'launch("scale"') + " in scale")
        self.assertEqual([(frame["function"], frame["language"]) for frame in kernels["scale"]["called_from"]],
                         [("scale", "native"), ("run_scale", "native"), ("<module>", "python")])
        self.assertEqual(kernels["operator"]["operator"], "aten::linear")
        self.assertEqual(kernels["operator"]["caller"], f"launching.py:{line('operator')}")
        self.assertEqual(kernels["backward"]["operator"], "aten::mul.Tensor (MulBackward0)")
        self.assertEqual(kernels["backward_in_thread"]["operator"], "aten::mul.Tensor (MulBackward0)")
        self.assertNotIn("caller", kernels["backward_in_thread"])
        self.assertNotIn("operator", kernels["packaged"])
        # All reports of the allocator went on to the framework: 23 of them.
        self.assertEqual(self.said.split()[-1], "23")
        # The texts that a person reads.
        self.assertRegex(" ".join(self.table.split()), rf"loads of the 64 MiB made at launching.py:{line('tensor')}: .*; asked for by launching.py:{line('packaged')} in ")
        self.assertLessEqual(max(map(len, self.table.splitlines())), 80)
        explained = " ".join(run("explain", str(self.report)).stdout.split())
        self.assertIn(f"Asked for by launching.py:{line('operator')} for aten::linear.", explained)

    def test_program_without_python(self):
        kernel = self.kernels(LIBRARIES / "gpumem_native_program", LIBRARIES / "gpumem_launches.so")["stepped"]
        source = "native_program.cpp"
        self.assertEqual(kernel["caller"], native_place(source, 'launch("stepped"') + " in step")
        functions = [frame["function"] for frame in kernel["called_from"]]
        self.assertEqual(functions, ["step", "main"])  # and not what calls main
        self.assertTrue(all(frame["language"] == "native" and frame["module"] is None for frame in kernel["called_from"]))
        self.assertEqual(kernel["access"][0]["array"],
                         {"bytes": 64 * MIB, "made_at": native_place(source, "allocate(0x7f") + " in make_matrix"})

    def test_code_without_names(self):
        """Its file is gone when the report is made, and it exports nothing: nobody knows whose it is."""
        program = self.directory / "guest"
        shutil.copy(LIBRARIES / "gpumem_native_program", program)
        raw = self.directory / "raw2"
        raw.mkdir()
        subprocess.run([program, LIBRARIES / "gpumem_launches.so", raw], timeout=60, check=True)
        program.unlink()
        report = self.directory / "report.json"
        run("run", "--output", str(report), "--quiet", "--", "true", env=environment(GPUMEM_RUN_RAW=str(raw)))
        (kernel,) = json.loads(report.read_text(encoding="utf-8"))["results"]
        self.assertNotIn("caller", kernel)
        self.assertEqual({(frame["line"], frame["library"]) for frame in kernel["called_from"]}, {(None, True)})


if __name__ == "__main__":
    unittest.main()
