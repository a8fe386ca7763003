"""Uses the files that `cmake --install` and the Debian package install, without anything of the build."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness import MODEL, ProgramTest
from python_package import PackageTest

BUILD = Path(os.environ.get("GPUMEM_BUILD", "build/release"))
CMAKE = os.environ.get("CMAKE", "cmake")
FILES = (
    "share/bash-completion/completions/gpumem",
    "share/fish/vendor_completions.d/gpumem.fish",
    "share/gpumem/configs/gpus/h200.json",
    "share/gpumem/configs/smoke.json",
    "share/gpumem/deploy/grafana/gpumem.json",
    "share/gpumem/deploy/slurm/slurm.conf",
    "share/gpumem/schema/report.schema.json",
    "share/gpumem/plotting/answer.py",
    "share/doc/gpumem/README.md",
    "share/doc/gpumem/docs/method.md",
    "share/doc/gpumem/docs/method/model.md",
)


def call(*command, **options):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=120, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}:\n{done.stdout}{done.stderr}")
    return done.stdout


def installed(program, *arguments):
    """Runs an installed program as on another machine: no environment, no current directory of this project."""
    return call(program, *arguments, env={}, cwd="/")


def debian_package(folder):
    """The Debian package that is made in a folder, and the folder that it is unpacked into."""
    cpack = Path(CMAKE).with_name("cpack") if os.sep in CMAKE else "cpack"
    call(cpack, "-G", "DEB", "-B", folder, "--config", BUILD / "CPackConfig.cmake", cwd=folder)
    (package,) = Path(folder).glob("*.deb")
    root = Path(folder) / "root"
    call("dpkg-deb", "-x", package, root)
    return package, root


has_library = (BUILD / "libgpumem_inject.so").exists()


class InstallTest(ProgramTest):
    def check_files(self, prefix):
        for name in FILES:
            self.assertGreater((prefix / name).stat().st_size, 0, name)
        self.assertEqual((prefix / "share/gpumem/deploy/slurm/gpumem-gate").stat().st_mode & 0o777, 0o755)
        self.assertFalse((prefix / "share/gpumem/configs/deploy").exists())
        left_over = [str(path) for path in prefix.rglob("*") if path.name in ("__pycache__", "reference", "CMakeFiles")]
        self.assertEqual(left_over, [])

    def check_program(self, prefix):
        program = prefix / "bin/gpumem"
        self.assertTrue(installed(program, "--version").startswith("gpumem "))
        self.assertIn("offset", installed(program, "probe", "--offset", "0..3", *MODEL))
        copied = prefix / "share/gpumem/configs/gpus/h200.json"
        self.assertEqual(installed(program, "probe", "--offset", "1", "--backend", "model", "--gpu", copied, "--format", "csv")
                         .count("\n"), 2)
        completion = (prefix / "share/bash-completion/completions/gpumem").read_text()
        self.assertEqual(completion, installed(program, "completion", "bash"))
        self.check_library(prefix, program)
        if (BUILD / "plotly.min.js").exists():
            page = self.directory / "page.html"
            installed(program, "probe", "--offset", "0..3", *MODEL, "--output", page)
            self.assertTrue(page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))
        return program

    def check_library(self, prefix, program):
        """The installed program finds the library that `gpumem run` injects, which exports nothing but its entries."""
        if not has_library:
            return
        library = prefix / "lib/gpumem/libgpumem_inject.so"
        library = library if library.exists() else next((prefix / "lib").glob("*/gpumem/libgpumem_inject.so"))
        self.assertEqual(library.stat().st_mode & 0o777, 0o644)
        told = installed(program, "run", "--", "/usr/bin/env").splitlines()
        self.assertIn(f"CUDA_INJECTION64_PATH={library.resolve()}", told)
        if shutil.which("nm"):
            shown = [line.split()[-1] for line in call("nm", "-D", "--defined-only", library).splitlines()]
            self.assertEqual(shown, ["InitializeInjection", "InitializeInjectionNvtx2"])

    def check_module(self, prefix, modules):
        """The Python module finds the program beside it, and draws."""
        if not (BUILD / "python").exists():
            return
        page = self.directory / "module.html"
        code = ("import gpumem; report = gpumem.probe(offset=range(3), backend='model', gpu='h200'); "
                "print(gpumem.__version__, gpumem.program(), len(report.results)); ")
        if (BUILD / "plotly.min.js").exists():
            code += f"report.plot().save({str(page)!r})"
        said = call(sys.executable, "-c", code, cwd="/", env={"PYTHONPATH": str(modules), "PYTHONDONTWRITEBYTECODE": "1"})
        program = (prefix / "bin/gpumem").resolve()
        self.assertEqual(said.split(), [installed(program, "--version").split()[1], str(program), "3"])
        self.assertEqual(page.exists(), (BUILD / "plotly.min.js").exists())

    def complete(self, prefix, *words):
        ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpumem; printf "%s\\n" "${COMPREPLY[@]}"'
        script = prefix / "share/bash-completion/completions/gpumem"
        return call("bash", "--norc", "-c", ask, "bash", script, *words, env={}).split()


@unittest.skipUnless((BUILD / "cmake_install.cmake").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
class Prefix(InstallTest):
    def test_install(self):
        prefix = self.directory / "prefix"
        call(CMAKE, "--install", BUILD, "--prefix", prefix)
        self.check_files(prefix)
        program = self.check_program(prefix)
        self.check_module(prefix, prefix / "share/gpumem/python")
        self.assertEqual((prefix / "share/man/man1/gpumem.1").read_text(), installed(program, "manual"))
        self.assertEqual((prefix / "share/zsh/site-functions/_gpumem").read_text(), installed(program, "completion", "zsh"))
        self.assertTrue((prefix / "share/doc/gpumem/LICENSE").exists())
        if shutil.which("bash"):
            self.assertEqual(self.complete(prefix, "gpumem", "probe", "--strid"), ["--stride"])
        if shutil.which("man"):
            page = call("man", "-w", "gpumem", env={"MANPATH": str(prefix / "share/man"), "PATH": os.environ["PATH"]})
            self.assertEqual(page.strip(), str(prefix / "share/man/man1/gpumem.1"))


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
@unittest.skipIf(shutil.which("dpkg-deb") is None, "there is no dpkg-deb here")
class Package(InstallTest):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.package, cls.root = debian_package(directory.name)

    def test_control(self):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", call("dpkg-deb", "-f", self.package), re.MULTILINE))
        version = installed(self.root / "usr/bin/gpumem", "--version").split()[1]
        self.assertEqual(self.package.name, f"gpumem_{version}_{fields['Architecture']}.deb")
        self.assertEqual((fields["Package"], fields["Version"]), ("gpumem", version))
        self.assertIn("libc6", fields["Depends"])
        self.assertNotIn("libcu", fields["Depends"])  # the driver's libraries are loaded where they are
        self.assertNotIn("libfmt", fields["Depends"])  # other distributions have another version of it
        self.assertNotIn("libstdc++", fields["Depends"])  # nor have they this one
        self.assertRegex(fields["Recommends"], r"cuda-sanitizer-\d+-\d+")  # what `run` looks into kernels with
        self.assertIn("@", fields["Maintainer"])

    def test_content(self):
        prefix = self.root / "usr"
        self.check_files(prefix)
        program = self.check_program(prefix)
        self.check_module(prefix, prefix / "lib/python3/dist-packages")
        page = gzip.decompress((prefix / "share/man/man1/gpumem.1.gz").read_bytes()).decode()
        self.assertEqual(page, installed(program, "manual"))
        self.assertTrue((prefix / "share/zsh/vendor-completions/_gpumem").exists())
        self.assertIn("Apache-2.0", (prefix / "share/doc/gpumem/copyright").read_text())
        for path in self.root.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o022, 0, f"{path} is writable by others")


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
@unittest.skipUnless((BUILD / "python").exists(), "this build has no Python package")
@unittest.skipIf(shutil.which("dpkg-deb") is None, "there is no dpkg-deb here")
class Carried(PackageTest):
    """The wheel and the Debian package carry the same."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        usr = debian_package(directory.name)[1] / "usr"
        cls.debian = {str(path.relative_to(usr)) for path in usr.rglob("*") if path.is_file()}
        with zipfile.ZipFile(cls.wheel) as wheel:
            cls.names = {re.sub(r"^gpumem-[\d.]+\.data/(data|platlib|purelib)/", "", name).replace("scripts", "bin")
                         for name in wheel.namelist()}

    def test_modules(self):
        """With all that draws."""
        begin = "share/gpumem/python/gpumem/"
        drawing = {f"gpumem/{name.removeprefix('share/gpumem/')}" for name in self.debian
                   if name.startswith("share/gpumem/plot")}
        debian = {f"gpumem/{name.removeprefix(begin)}" for name in self.debian if name.startswith(begin)} | drawing
        self.assertLessEqual({"gpumem/plot.py", "gpumem/plotting/drawing.py", "gpumem/plotting/page.js"}, debian)
        self.assertEqual({name for name in self.names if name.startswith("gpumem/")}, debian)

    def test_data(self):
        def of(names):
            return {name for name in names if re.match(r"share/gpumem/(configs|deploy|schema)/", name)}

        self.assertLessEqual({name for name in FILES if name.startswith("share/gpumem/") and "plotting" not in name},
                             of(self.debian))
        self.assertEqual(of(self.names), of(self.debian))

    def test_program(self):
        for name in ("bin/gpumem", "share/man/man1/gpumem.1", "share/bash-completion/completions/gpumem", "_gpumem", "gpumem.fish",
                     *["libgpumem_inject.so"] * has_library):
            ends = re.compile(rf"(^|/){re.escape(name)}(\.gz)?$")
            for names in (self.names, self.debian):
                self.assertTrue(any(map(ends.search, names)), name)


if __name__ == "__main__":
    unittest.main()
