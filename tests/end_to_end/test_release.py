"""scripts/release on a clone of this tree, with what is built already; and what a release says of itself: the changelog,
the citation and the package's metadata agree with CMakeLists.txt."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import documents

ROOT = documents.ROOT
BUILD = Path(os.environ.get("GPUMEM_BUILD", "build/release")).resolve()
TOOLS = ROOT / "build" / "tools"
VERSION = re.search(r"^project\(gpumem VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def call(*command, **options):
    options.setdefault("check", True)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)


def is_clone():
    return shutil.which("git") is not None and (ROOT / ".git").exists()


@unittest.skipUnless(is_clone(), "this is no clone, which a release is made from")
@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
@unittest.skipUnless((TOOLS / "release").exists(), "'scripts/install-dependencies --release' has not been run")
@unittest.skipIf(shutil.which("dpkg-shlibdeps") is None, "there is no dpkg-shlibdeps here")
class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.clone = Path(folder.name) / "clone"
        git = ("git", "-c", f"safe.directory={ROOT}", "-C", ROOT)
        cls.sources = [name for name in call(*git, "ls-files", "--cached", "--others", "--exclude-standard").stdout.split("\n")
                       if name and (ROOT / name).exists()]
        for name in cls.sources:
            (cls.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, cls.clone / name, follow_symlinks=False)
        (cls.clone / "build").mkdir()
        (cls.clone / "build" / "tools").symlink_to(TOOLS)
        for words in (("init", "--quiet"), ("add", "--all"),
                      ("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "test")):
            call("git", "-C", cls.clone, *words)
        cls.done = cls.release()
        cls.files = cls.clone / "build" / "release-files"

    @classmethod
    def release(cls, *arguments):
        return call(cls.clone / "scripts" / "release", *(arguments or ("--built", BUILD)), check=False, cwd="/")

    def file(self, pattern):
        (found,) = self.files.glob(pattern)
        return found

    def test_it_makes_all_files_and_says_which(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        names = sorted(path.name for path in self.files.iterdir())
        self.assertEqual(self.done.stdout.split(), [f"build/release-files/{name}" for name in names])
        self.assertEqual([name.split("-py3")[0] for name in names],
                         ["SHA256SUMS", f"gpumem-{VERSION}", f"gpumem-{VERSION}.tar.gz",
                          f"gpumem_{VERSION}_{call('dpkg', '--print-architecture').stdout.strip()}.deb"])
        self.assertEqual(list((self.clone / "build").glob("release.*")), [])

    def test_checksums(self):
        lines = [line.split() for line in (self.files / "SHA256SUMS").read_text().splitlines()]
        self.assertEqual(len(lines), 3)
        for checksum, name in lines:
            self.assertEqual(hashlib.sha256((self.files / name).read_bytes()).hexdigest(), checksum, name)

    def test_sources_are_the_commits(self):
        with tarfile.open(self.file("*.tar.gz")) as archive:
            names = {member.name for member in archive.getmembers() if not member.isdir()}
        self.assertEqual(names, {f"gpumem-{VERSION}/{name}" for name in self.sources})

    def test_pip_takes_the_wheel(self):
        """It is named for manylinux, needs no newer C library than this machine's, and none but Debian 12's linker would
        add."""
        wheel = self.file("*.whl")
        needed = int(re.fullmatch(rf"gpumem-{re.escape(VERSION)}-py3-none-manylinux_2_(\d+)_{platform.machine()}\.whl",
                                  wheel.name)[1])
        present = int(platform.libc_ver()[1].split(".")[1])
        self.assertLessEqual(needed, present)
        if present <= 36:
            self.assertLessEqual(needed, 35)
        target = self.clone.parent / "installed"
        call(sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--no-index",
             "--no-compile", "--target", target, wheel)
        self.assertEqual(call(target / "bin" / "gpumem", "--version").stdout.split()[:2], ["gpumem", VERSION])
        with zipfile.ZipFile(wheel) as archive:
            (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
            said = archive.read(metadata).decode()
        for line in (f"Version: {VERSION}", "Author: The gpumem developers", "Classifier: Operating System :: POSIX :: Linux"):
            self.assertIn(f"\n{line}\n", said)

    def refused(self, *arguments):
        before = (self.files / "SHA256SUMS").read_text()
        done = self.release(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertEqual((self.files / "SHA256SUMS").read_text(), before)
        self.assertRegex(done.stderr, r"\Arelease: [^\n]+\n\Z")
        return done.stderr

    def test_what_is_not_committed_is_not_released(self):
        (self.clone / "stray.cpp").write_text("")
        self.addCleanup((self.clone / "stray.cpp").unlink)
        self.assertIn("not committed", self.refused())

    def test_errors_of_the_command_line(self):
        self.assertIn("no build folder with a program", self.refused("--built", self.clone))
        self.assertIn("cannot take '--build'", self.refused("--build"))


class Papers(unittest.TestCase):
    def test_changelog(self):
        """First what is not released, then versions from the newest one down, each with its date."""
        first, *others = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(first, "Unreleased")
        released = []
        for heading in others:
            self.assertRegex(heading, r"^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$")
            version, date = heading.split(" - ")
            released.append(([int(part) for part in version.split(".")], date))
        self.assertEqual(released, sorted(released, reverse=True))
        self.assertTrue(all(version <= [int(part) for part in VERSION.split(".")] for version, _ in released))
        self.assertLessEqual(set(re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.MULTILINE)),
                             {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"})

    def test_citation(self):
        """CITATION.cff has what version 1.2.0 of the Citation File Format requires, and the version that CMakeLists.txt
        says."""
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("PyYAML is not installed")
        citation = yaml.safe_load(text("CITATION.cff"))
        self.assertEqual(citation["cff-version"], "1.2.0")
        self.assertEqual(citation["version"], VERSION)
        self.assertEqual(citation["license"], "Apache-2.0")
        self.assertEqual(citation["type"], "software")
        self.assertTrue(citation["message"] and citation["title"] and citation["abstract"])
        self.assertEqual([set(author) for author in citation["authors"]], [{"name"}])
        self.assertIn(f'authors = [{{name = "{citation["authors"][0]["name"]}"}}]', text("pyproject.toml"))


if __name__ == "__main__":
    unittest.main()
