"""Containerfile. Its last stage is made by buildah and runs, with the program that is built already in place of the
first stage, and with this machine's C library in place of a distribution. The first stage would pull an image of
several GB and compile everything, so the test only checks that the files that it names are there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import documents
from harness import MODEL, PROGRAM, ProgramTest, run

ROOT = documents.ROOT
FILE = ROOT / "Containerfile"
BUILD = Path(os.environ.get("GPUMEM_BUILD", "build/release")).resolve()
CMAKE = os.environ.get("CMAKE", "cmake")


def instructions():
    """Each as (name, arguments), without comments, long lines put together."""
    text = re.sub(r"^#.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line]


class FirstStage(unittest.TestCase):
    def arguments(self, instruction):
        return [arguments for name, arguments in instructions() if name == instruction]

    def test_what_it_copies_is_there(self):
        copied = [words[0] for words in map(str.split, self.arguments("COPY")) if not words[0].startswith("--from")]
        self.assertEqual(len(copied), 2)
        for source in copied:
            self.assertTrue((ROOT / source).exists(), source)
            self.assertNotIn(source, (ROOT / ".dockerignore").read_text(encoding="utf-8").split())

    def test_what_it_runs_is_there(self):
        runs = " && ".join(self.arguments("RUN"))
        scripts = re.findall(r"scripts/\S+", runs)
        self.assertNotEqual(scripts, [])
        for script in scripts:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)
        declared = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])
        options = re.findall(r"-D(\w+)=", runs)
        self.assertNotEqual(options, [])
        for option in options:
            self.assertIn(f"option({option} ", declared)
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        for kind, command in (("configurePresets", r"cmake --preset (\w+)"), ("buildPresets", r"cmake --build --preset (\w+)")):
            self.assertIn(re.search(command, runs)[1], [preset["name"] for preset in presets[kind]])

    def test_libraries_go_where_the_program_looks(self):
        """As toolkits name them: a copy of that step finds each of them, and the program names the places."""
        (step,) = (run for run in self.arguments("RUN") if "libcupti" in run)
        with tempfile.TemporaryDirectory() as folder:
            toolkit, image = Path(folder) / "cuda", Path(folder) / "image"
            for name in ("compute-sanitizer/libsanitizer-public.so", "extras/CUPTI/lib64/libcupti.so.13",
                         "extras/CUPTI/lib64/libnvperf_host.so", "extras/CUPTI/lib64/libnvperf_target.so",
                         "lib64/libnvrtc.so.13", "lib64/libnvrtc-builtins.so.13.0"):
                (toolkit / name).parent.mkdir(parents=True, exist_ok=True)
                (toolkit / name).write_text(name)
                (toolkit / f"{name}.0.88").write_text("the same under another name")
            step = step.replace("/image/usr/local/cuda", str(image)).replace("/usr/local/cuda", str(toolkit))
            subprocess.run(["sh", "-ec", step], check=True)
            copied = sorted(str(path.relative_to(image)) for path in image.rglob("*") if path.is_file())
        self.assertEqual(len(copied), 6, copied)
        program = Path(PROGRAM).read_bytes()
        for place in ("/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/", "extras/CUPTI/lib64",
                      "compute-sanitizer"):
            self.assertIn(place.encode(), program)


@unittest.skipIf(shutil.which("buildah") is None, "there is no buildah here")
@unittest.skipUnless((BUILD / "cmake_install.cmake").exists(), f"{BUILD} is no build folder; name it in $GPUMEM_BUILD")
class LastStage(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.storage = ("--storage-driver", "vfs", "--root", str(cls.folder / "store"), "--runroot", str(cls.folder / "run"))
        if (tried := cls.buildah("from", "scratch")).returncode != 0:
            raise unittest.SkipTest(f"buildah cannot work here: {tried.stderr.strip()}")
        cls.addClassCleanup(cls.remove)
        installed = cls.folder / "stage" / "image" / "usr" / "local"
        cls.need(subprocess.run([CMAKE, "--install", BUILD, "--prefix", installed, "--strip"], capture_output=True, text=True,
                                check=False))
        cls.system()
        cls.need(cls.buildah("build", "--isolation", "chroot", "--build-context", f"build={cls.folder / 'stage'}",
                             "--build-arg", "RUNTIME=localhost/system", "--tag", "gpumem", "--file", str(FILE), str(ROOT)))
        cls.container = cls.need(cls.buildah("from", "gpumem"))
        cls.config = json.loads(cls.need(cls.buildah("inspect", "--type", "image", "gpumem")))["OCIv1"]["config"]

    @classmethod
    def buildah(cls, *arguments):
        return subprocess.run(["buildah", *cls.storage, *arguments], capture_output=True, text=True, check=False, timeout=120)

    @classmethod
    def remove(cls):
        """Removes the images, which only buildah can if it is not root."""
        cls.buildah("rm", "--all")
        cls.buildah("rmi", "--all", "--force")

    @staticmethod
    def need(done):
        if done.returncode != 0:
            raise AssertionError(f"{done.args}:\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    @classmethod
    def system(cls):
        """An image of what the program is linked with and a folder for temporary files, and nothing else."""
        libraries = re.findall(r"(/\S+)", subprocess.check_output(["ldd", PROGRAM], text=True))
        (cls.folder / "system").mkdir()
        with tarfile.open(cls.folder / "system" / "system.tar", "w", dereference=True) as archive:
            for library in libraries:
                archive.add(library)
            temporary = tarfile.TarInfo("tmp")
            temporary.type, temporary.mode = tarfile.DIRTYPE, 0o1777
            archive.addfile(temporary)
        file = cls.folder / "system" / "Containerfile"
        file.write_text("FROM scratch\nADD system.tar /\n")
        cls.need(cls.buildah("build", "--isolation", "chroot", "--tag", "system", "--file", str(file), str(file.parent)))

    def contained(self, *arguments):
        """Runs the image as an engine would."""
        return self.buildah("run", "--isolation", "chroot", self.container, "--", *self.config["Entrypoint"], *arguments)

    def test_it_asks_for_the_driver(self):
        self.assertIn("NVIDIA_VISIBLE_DEVICES=all", self.config["Env"])
        self.assertIn("NVIDIA_DRIVER_CAPABILITIES=compute,utility", self.config["Env"])

    def test_it_predicts(self):
        command = ("probe", "--offset", "0..3", *MODEL)
        self.assertEqual(self.need(self.contained(*command)), run(*command).stdout.strip())

    def test_without_a_gpu_it_says_so(self):
        done = self.contained("probe", "--offset", "0..3")
        self.assertEqual(done.stdout, "")
        self.assertIn("gpumem: no NVIDIA driver is loaded", done.stderr)
        self.assertEqual(done.returncode, 3)

    def test_it_watches_programs(self):
        done = self.contained("run", "--", "gpumem", "--version")
        self.assertTrue(self.need(done).startswith("gpumem "), done.stdout)
        self.assertIn("did not use CUDA", done.stderr)

    def test_the_commands_of_the_file_are_taken(self):
        """Runs the commands in its first lines that predict."""
        said = re.findall(r"^#   docker run --rm gpumem (.*?)  ", FILE.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertNotEqual(said, [])
        for command in said:
            self.need(self.contained(*shlex.split(command)))


if __name__ == "__main__":
    unittest.main()
