"""Compiles all sources that include NVIDIA's headers with those of the oldest toolkit that is promised and of the
newest, and finds every function that gpumem loads in their libraries. scripts/install-dependencies --tests puts the
toolkits below build/tools/toolkits. Compiles the kernels for the oldest GPU."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLKITS = ROOT / "build" / "tools" / "toolkits"
CXX = os.environ.get("CXX", "g++")
NVCC = os.environ.get("NVCC", "nvcc")
FLAGS = ("-std=c++20", f"-I{ROOT}", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Wno-restrict", "-Wno-array-bounds",
         "-Wno-unknown-warning-option")
CUPTI, SANITIZER = "cupti_result.h", "sanitizer.h"
# The first with CUPTI's range profiler is its headers alone.
SETS = {"12.4": ("12.4",), "12.6": ("12.6", "12.4"), "newest": ("newest",)}

INCLUDE = re.compile(r'#include (?:<((?:cuda|cupti|nvml|sanitizer)\w*\.h)>|"([^"]+)")')
# The program's own declarations of NVRTC's, NVML's and cuBLAS' functions need no header.
NAME = re.compile(r"\b(?:cuda[A-Z]|cu[A-Z]|CU[a-z]|CU_|CUPTI_|CUpti_|SANITIZER_|Sanitizer_|sanitizer[A-Z])\w+")
OURS = r"driver_call::\w+|constexpr CallId \w+"
BATCHES = 5  # a kernel's headers take longer than the kernel
# Sources with names that the oldest lack, and what they ask first.
NEWER = {"probes/host/batching/batching.cpp": "CUDART_VERSION"}


def included(path, known={}):
    """The headers of NVIDIA's that a source includes, through others of ours too."""
    if path not in known:
        known[path] = set()
        for theirs, ours in INCLUDE.findall(path.read_text()):
            known[path] |= {theirs} if theirs else included(ROOT / ours) if (ROOT / ours).exists() else set()
    return known[path]


def sources(*suffixes):
    files = (path for folder in ("app", "engine", "probes", "program") for path in sorted((ROOT / folder).rglob("*")))
    return [path for path in files if path.suffix in suffixes]


def folders(name):
    """The folders with the headers of a set of toolkits."""
    all_of_them = [path.parent for each in SETS[name] for file in ("cuda_runtime_api.h", "crt", CUPTI, SANITIZER, "nvml.h")
                   for path in sorted((TOOLKITS / each).rglob(file))]
    return list(dict.fromkeys(all_of_them))


def includes(name):
    return [word for folder in folders(name) for word in ("-isystem", str(folder))]


def compiled(*command):
    """The compiler's errors; empty if there are none."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else done.stderr or f"{command[0]} ended with {done.returncode}"


def library(name, file):
    (found,) = (TOOLKITS / name).rglob(file)
    return found


@unittest.skipIf(shutil.which(NVCC) is None, f"there is no {NVCC} here")
class OldestGpu(unittest.TestCase):
    """Machines without a GPU, packages and pip build for every GPU; the build of the tests may be for one alone."""

    def test_kernels_are_compiled(self):
        kernels = [path for path in sources(".cu") if path.relative_to(ROOT).parts[0] in ("engine", "probes")]
        flags = ("-cubin", "-arch=sm_75", "-std=c++20", f"-I{ROOT}", "-w", "-O0", "-Xcicc", "-O0", "-Xptxas", "-O0")
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            def compile_batch(number):
                batch = Path(folder, f"{number}.cu")
                batch.write_text("".join(f'#include "{path}"\n' for path in kernels[number::BATCHES]))
                return compiled(NVCC, *flags, str(batch), "-o", str(batch.with_suffix(".cubin")))

            self.assertEqual([words for words in pool.map(compile_batch, range(BATCHES)) if words], [])


@unittest.skipUnless(all((TOOLKITS / name).is_dir() for name in SETS), f"no toolkits in {TOOLKITS}")
class Toolkits(unittest.TestCase):
    def test_sources_compile(self):
        """With the oldest whatever includes anything of NVIDIA's itself, with the others what has names that come and go."""
        every = [path for path in sources(".cpp")
                 if included(path) - {"cuda_runtime_api.h"} or "#include <cuda_runtime_api.h>" in path.read_text()]
        counting, patching = ([path for path in every if header in included(path)] for header in (CUPTI, SANITIZER))
        self.assertTrue(len(counting) > 5 and len(patching) > 2 and len(every) > 20)
        chosen = {"12.4": every, "12.6": counting, "newest": counting + patching}
        tasks = [(name, path) for name, paths in chosen.items() for path in paths]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = pool.map(lambda task: compiled(CXX, *FLAGS, *includes(task[0]), "-fsyntax-only", str(task[1])), tasks)
            wrong = [f"with headers of {name}: {words}" for (name, _), words in zip(tasks, said) if words]
        self.assertEqual(wrong, [])

    def test_patch_compiles_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            images = []
            for name in ("12.4", "newest"):
                image, (headers,) = Path(folder, name), {path.parent for path in (TOOLKITS / name).rglob("sanitizer_patching.h")}
                self.assertEqual(compiled(NVCC, "--cubin", "--compile-as-tools-patch", "-std=c++20", "-O3", "-arch", "sm_90",
                                          f"-I{ROOT}", f"-I{headers}", "program/watch/sites/patch.cu", "-o", str(image)), "")
                images.append(image.read_bytes())
        self.assertEqual(*images)

    def test_names_are_there(self):
        """Kernels too, which another toolkit's nvcc would have to compile."""
        for name in ("12.4", "newest"):
            have = set()
            for header in (path for folder in folders(name) for path in folder.rglob("*.h*")):
                have |= set(re.findall(r"\w+", header.read_text(errors="replace")))
            missing = {}
            for path in sources(".cpp", ".hpp", ".cu", ".cuh"):
                code = re.sub(rf'//.*|"(\\.|[^"\\\n])*"|{OURS}', "", path.read_text())
                lacks = {word for word in NAME.findall(code) if word not in have}
                asks = "GPUMEM_HAS_CUPTI" in code or NEWER.get(str(path.relative_to(ROOT)), "\0") in code
                if lacks and not (name == "12.4" and asks):
                    missing[str(path.relative_to(ROOT))] = lacks
            self.assertEqual(missing, {}, name)

    def test_numbers_are_theirs(self):
        for name, newest in (("12.4", ()), ("newest", ("-DGPUMEM_NEWEST",))):
            self.assertEqual(compiled(CXX, *FLAGS, *includes(name), *newest, "-fsyntax-only", "tests/toolkits/names.cpp"), "", name)

    def load(self, program, headers, path):
        with tempfile.TemporaryDirectory() as folder:
            load = Path(folder, "load")
            sources = {"load_sanitizer": "program/watch/sites/sanitizer.cpp", "load_cupti": "engine/measure/cupti.cpp"}
            self.assertEqual(compiled(CXX, *FLAGS, *includes(headers), f"tests/toolkits/{program}.cpp", sources[program], "-ldl",
                                      "-o", str(load)), "")
            done = subprocess.run([load, path], capture_output=True, text=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            return done.stdout

    def test_sanitizers_have_what_is_taken(self):
        for headers in ("12.4", "newest"):
            for name in ("12.4", "newest"):
                self.assertEqual(self.load("load_sanitizer", headers, library(name, "libsanitizer-public.so")), "", (headers, name))

    def test_cuptis_have_what_is_taken(self):
        """Tries CUPTIs of one major version each, because gpumem asks for no other."""
        self.assertEqual(self.load("load_cupti", "12.6", library("12.6", "libcupti.so.12")), "")
        self.assertEqual(self.load("load_cupti", "newest", library("newest", "libcupti.so.13")), "")
        self.assertRegex(self.load("load_cupti", "12.6", library("12.4", "libcupti.so.12")),
                         r"\Athis CUPTI has no \w+: install that of CUDA 12\.6 or newer\Z")

    def test_nvrtcs_have_what_is_taken(self):
        wanted = re.findall(r'find\(nvrtc\.\w+, "(\w+)"\)', (ROOT / "engine/measure/nvrtc.cpp").read_text())
        self.assertGreater(len(wanted), 10)
        for name, file in (("12.4", "libnvrtc.so.12"), ("newest", "libnvrtc.so.13")):
            symbols = library(name, file).read_bytes()
            self.assertEqual([one for one in wanted if f"\0{one}\0".encode() not in symbols], [], name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
