"""Every error is one line on stderr with its exit code, and nothing on stdout."""

import bz2
import gzip
import json
import lzma
import os
import re
import shlex
import stat
import subprocess
import unittest
from pathlib import Path

from harness import MODEL, PROGRAM, ProgramTest, as_somebody, run

ROOT = Path(__file__).parents[2]
GPU_HERE = run("devices").returncode == 0


class Usage(ProgramTest):
    def test_bad_ranges(self):
        for text, reason in {
            "5..": "'5..' has no end",
            "3..1": "'3..1' runs backwards; write 1..3",
            "1..10:0": "its step is 0",
            "a": "'a' is not a number",
            "0..1000000": "1000001 points, more than the 10000",
            "0..32*2": "never ends",
            "-1": "'-1' is negative",
            "1.5": "'1.5' is not a whole number",
            "99999999999999999999": "too large",
            "2000000": "above the maximum",
        }.items():
            with self.subTest(text):
                line = self.fail_with(2, "probe", "--offset", text, *MODEL)
                self.assertTrue(line.startswith("--offset: "), line)
                self.assertIn(reason, line)
                self.assertIn(text, line)
                self.assertEqual(self.fail_with(2, "probe", f"--offset={text}", *MODEL), line)

    def test_numbers_of_other_notations(self):
        for typed, meant in (("1.5GiB", "1536MiB"), ("64mib", "64MiB"), ("0x4000000", "64MiB"), ("64Mi", "64MiB")):
            with self.subTest(typed):
                self.assertEqual(self.succeed("probe", "--offset", "0x10", "--buffer", typed, *MODEL),
                                 self.succeed("probe", "--offset", "16", "--buffer", meant, *MODEL))
        for axis, text, line in (("--buffer", "1G", "'1G' may be 1GiB, by powers of two, or 1GB, by powers of ten"),
                                 ("--offset", "0:32", "'0:32' has no '..'; a range, with its last value, is 0..32"),
                                 ("--offset", "0:32:4", "a range, with its last value, is 0..32:4"),
                                 ("--offset", "0-32", "a range is written with two dots: 0..32")):
            with self.subTest(text):
                self.assertIn(line, self.fail_with(2, "probe", axis, text, *MODEL))

    def test_unknown_names_with_the_nearest(self):
        for arguments, line in {
            ("probe", "ofset"): "unknown probe 'ofset'; did you mean 'offset'?",
            ("probe", "--ofset", "0..4"): "unknown option '--ofset'; did you mean '--offset'?",
            ("probe", "--offset", "1", "--op", "raed"): "--op: 'raed' is not one of read, write, copy; did you mean 'read'?",
            ("porbe",): "unknown command 'porbe'; did you mean 'probe'?",
            ("list", "strid"): "unknown probe 'strid'; did you mean 'stride'?",
            ("probe", "--format", "jsn"): "--format: 'jsn' is not one of table, json, csv, markdown; did you mean 'json'?",
        }.items():
            with self.subTest(arguments):
                self.assertEqual(self.fail_with(2, *arguments), line)

    def test_what_others_call_a_probe(self):
        for word, probes in {"bandwidth": ("hierarchy", "stream", "transfer"), "memcpy": ("transfer",), "h2d": ("transfer",),
                             "pcie": ("transfer",), "nvlink": ("peer",), "gemm": ("matmul",), "memcopy": ("transfer",),
                             "shared-memory": ("async-copy", "bank", "tile")}.items():
            for arguments in (("probe", word, *MODEL), ("list", word), ("probe", word, "--help")):
                with self.subTest(arguments):
                    line = self.fail_with(2, *arguments)
                    self.assertTrue(line.startswith(f"unknown probe '{word}'; did you mean '"), line)
                    self.assertEqual(tuple(re.findall(r"(?:mean|or) '([a-z-]+)' \(", line)), probes)
        self.assertEqual(self.fail_with(2, "probe", "transpose2d"), "unknown probe 'transpose2d'; did you mean 'transpose'?")
        self.assertEqual(self.fail_with(2, "pcie"), "unknown command 'pcie'; did you mean: gpumem probe transfer")

    def test_what_can_only_mean_one_thing_is_taken(self):
        for typed, meant in ((("probe", "--offset", "0", "--op", "read", "write"), ("probe", "--offset", "0", "--op", "read,write")),
                             (("probe", "--offset", "0", "4", "8"), ("probe", "--offset", "0,4,8")),
                             (("probe", "--suite", "smoke"), ("probe", "--config", "smoke")),
                             (("check", "--suite", "smoke"), ("check", "smoke"))):
            with self.subTest(typed):
                self.assertEqual(self.succeed(*typed, *MODEL), self.succeed(*meant, *MODEL))
        json.loads(self.succeed("probe", "--offset", "0", *MODEL, "--json"))
        json.loads(self.succeed("check", "smoke", *MODEL, "--json"))
        json.loads(self.succeed("expect", "h200", "--json"))

    def test_a_program_that_does_not_stand_behind_the_mark(self):
        for typed, meant in ((("./app", "-n", "3"), "gpumem run -- ./app -n 3"),
                             (("run", "./app"), "gpumem run -- ./app"),
                             (("run", "--output", "a.json", "python3", "a b.py", "--help"),
                              "gpumem run --output a.json -- python3 'a b.py' --help")):
            with self.subTest(typed):
                self.assertTrue(self.fail_with(2, *typed).endswith(": " + meant))

    def test_every_synonym_leads_to_a_probe(self):
        source = (ROOT / "app" / "run" / "probe_names.cpp").read_text(encoding="utf-8")
        rows = re.findall(r'^    \{"([a-z-]+)", "([a-z0-9 -]+)"\},$', source, re.MULTILINE)
        self.assertGreater(len(rows), 20)
        names = {probe["name"] for probe in json.loads(self.succeed("list", "--json"))}
        for probe, words in rows:
            self.assertIn(probe, names)
            self.assertEqual(names & {*words.split()}, set())

    def test_an_argument_of_several_lines_is_quoted_on_one(self):
        self.assertIn("'1 2'", self.fail_with(2, "probe", "--offset", "1\n2", *MODEL))
        self.assertIn("unknown probe ''", self.fail_with(2, "list", ""))

    def test_unknown_profile(self):
        for name, known in {"H201": "h200 (NVIDIA H200)", "v200": "v100 (Tesla V100", "MI300X": "there are "}.items():
            for backend in ("cuda", "model"):
                line = self.fail_with(2, "probe", "--offset", "1", "--backend", backend, "--gpu", name)
                self.assertTrue(line.startswith(f"no GPU profile '{name}': "), line)
                self.assertIn(known, line)
                self.assertIn("gpumem calibrate -o FILE", line)

    def test_word_sizes(self):
        self.assertEqual(
            self.fail_with(2, "probe", "--offset", "1", "--word-bytes", "5", *MODEL),
            "--word-bytes: 5 is not one of 1, 2, 4, 8, 16, 32",
        )
        line = self.fail_with(2, "probe", "--offset", "1", "--buffer", "1001", *MODEL)
        self.assertIn("1001", line)
        self.assertIn("multiple", line)

    def test_too_little_shared_memory_is_a_capability_that_a_gpu_lacks(self):
        profile = json.loads((ROOT / "configs/gpus/h100.json").read_text())
        profile["device"]["shared_bytes_per_block"] = 4096
        tiny = self.directory / "tiny.json"
        tiny.write_text(json.dumps(profile))
        for probe in ("atomics", "hierarchy", "latency", "tile", "transpose", "async-copy", "matmul"):
            with self.subTest(probe):
                done = run("probe", probe, "--backend", "model", "--gpu", str(tiny), "--format", "json")
                self.assertEqual(done.returncode, 0 if probe == "matmul" else 3, done.stderr)
                skipped = [result for result in json.loads(done.stdout)["results"] if result["status"] != "ok"]
                self.assertEqual({result["status"] for result in skipped}, set() if probe == "matmul" else {"skipped"})
                for result in skipped:
                    self.assertIn("shared memory per block: needs ", result["reason"])

    def test_axes_that_do_not_belong(self):
        self.assertEqual(
            self.fail_with(2, "probe", "offset", "--stride", "2"), "--stride is not an axis of offset, but of: stride, zero-copy"
        )

    def test_options_that_do_not_go_together(self):
        self.assertIn("--gpu", self.fail_with(2, "probe", "--offset", "1", "--backend", "model", "--device", "0"))

    def test_missing_values_and_commands(self):
        self.assertEqual(self.fail_with(2, "probe", "--offset"), "--offset needs a value")
        self.assertIn("no command given", self.fail_with(2))

    def test_too_many_cases(self):
        line = self.fail_with(2, "probe", "--offset", "0..9999", "--op", "read,write,copy", "--word-bytes", "4,8,16",
                              "--block-threads", "32..64:32", *MODEL)
        self.assertIn("100000 cases", line)


class Files(ProgramTest):
    def test_unknown_extension(self):
        line = self.fail_with(2, "probe", "--offset", "1", "--output", "report.data", *MODEL)
        self.assertIn(".json", line)
        self.assertIn(".csv", line)

    def test_directory_that_cannot_be_made(self):
        target = "/proc/missing/report.json"
        self.assertIn(target, self.fail_with(2, "probe", "--offset", "1", "--output", target, *MODEL))

    def test_directory_in_place_of_the_file(self):
        target = self.directory / "report.json"
        target.mkdir()
        self.assertIn(str(target), self.fail_with(2, "probe", "--offset", "1", "--output", str(target), *MODEL))

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_forbidden_directory(self):
        self.directory.chmod(stat.S_IRUSR | stat.S_IXUSR)
        target = str(self.directory / "report.json")
        self.assertIn(target, self.fail_with(2, "probe", "--offset", "1", "--output", target, *MODEL))

    def test_unwritable_file_is_found_before_a_missing_gpu(self):
        target = "/proc/missing/report.json"
        self.assertIn(target, self.fail_with(2, "probe", "--offset", "1", "--output", target))

    def test_unreadable_profile(self):
        missing = str(self.directory / "gpu.json")
        self.assertIn("gpu.json", self.fail_with(2, "probe", "--offset", "1", "--backend", "model", "--gpu", missing))

    def test_names_that_lead_nowhere(self):
        (self.directory / "loop.json").symlink_to("loop.json")
        (self.directory / "file").touch()
        secret = self.directory / "secret"
        secret.mkdir()
        secret.chmod(0)
        self.addCleanup(secret.chmod, 0o755)
        self.directory.chmod(0o755)
        somebody = as_somebody()
        for name, reason in (("loop.json", "Too many levels of symbolic links"), ("x" * 300 + ".json", "File name too long"),
                             ("file/x.json", "Not a directory"), ("secret/x.json", "Permission denied")):
            if somebody is None and name.startswith("secret"):
                continue
            path = str(self.directory / name)
            for arguments in (("compare", path, path + "2"), ("compare", "--fleet", path), ("show", path), ("explain", path),
                              ("check", "./" + os.path.relpath(path)), ("check", "smoke", *MODEL, "--junit", path),
                              ("calibrate", "--from", path), ("portrait", path), ("probe", "--config", path),
                              ("probe", "--indices", path, *MODEL), ("probe", "--indices", path + "#2", *MODEL),
                              ("probe", "--indices", "0,4", "--from", path, *MODEL),
                              ("probe", "--offset", "0", "--backend", "model", "--gpu", path),
                              ("probe", "--offset", "0", *MODEL, "--output", path)):
                with self.subTest(arguments):
                    done = run(*arguments, **(somebody or {}))
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    lines = done.stderr.splitlines()
                    self.assertRegex(lines[0], r"\Agpumem: ")
                    self.assertIn(os.path.basename(path)[:4], lines[0])
                    self.assertNotIn("filesystem", done.stderr)
                    self.assertIn(reason, lines[0])

    def written(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def test_a_file_of_another_kind(self):
        report = self.written("run.json", self.succeed("probe", "--offset", "0", *MODEL, "--json"))
        profile = str(ROOT / "configs" / "gpus" / "h200.json")
        suite = str(ROOT / "configs" / "smoke.json")
        other = self.written("other.json", '{"a": 1}')
        predict = ("probe", "--offset", "0", "--backend", "model")
        for arguments, line in (
                (("show", other), f"'{other}' is no report of gpumem's; write one with: gpumem probe --output report.json"),
                (("show", profile), f"'{profile}' is no report but a GPU profile; predict with it: gpumem probe --backend model --gpu {profile}"),
                (("explain", suite), f"'{suite}' is no report but a suite; run it with: gpumem check {suite}"),
                ((*predict, "--gpu", report), f"'{report}' is no GPU profile but a report; see it with: gpumem show {report}; "
                                              f"make a GPU profile of it with: gpumem calibrate --from {report}"),
                ((*predict, "--gpu", suite), f"'{suite}' is no GPU profile but a suite; run it with: gpumem check {suite}"),
                (("probe", "--config", report), f"'{report}' is no suite but a report; see it with: gpumem show {report}; "
                                                f"make a GPU profile of it with: gpumem calibrate --from {report}"),
                (("check", profile), f"'{profile}' is no suite or report but a GPU profile; predict with it: gpumem probe "
                                     f"--backend model --gpu {profile}")):
            with self.subTest(arguments):
                self.assertEqual(self.fail_with(2, *arguments), line)

    def test_a_report_that_is_packed_or_encoded(self):
        text = self.succeed("probe", "--offset", "0", *MODEL, "--json")
        for name, content, wrong in (("run.json.gz", gzip.compress(text.encode())[:-9], "is compressed with gzip, and truncated"),
                                     ("run.json.xz", lzma.compress(text.encode()), "is compressed with xz, which is not read; "
                                                                                   "unpack it with unxz"),
                                     ("run.json.bz2", bz2.compress(text.encode()), "is compressed with bzip2; unpack it: bunzip2 {}"),
                                     ("le.json", text.encode("utf-16"), "iconv -f UTF-16 -t UTF-8 {} > utf-8.json"),
                                     ("be.json", b"\xfe\xff" + text.encode("utf-16-be"), "is in UTF-16")):
            path = self.written(name, content)
            for command in ("show", "explain", "check", "portrait"):
                with self.subTest(name, command=command):
                    line = self.fail_with(2, command, path)
                    self.assertTrue(line.startswith(f"{path}: is "), line)
                    self.assertIn(wrong.format(path), line)
        self.succeed("show", self.written("mark.json", b"\xef\xbb\xbf" + text.encode()))

    def test_a_current_folder_that_is_gone(self):
        folder = self.directory / "gone"
        folder.mkdir()
        program = os.path.abspath(PROGRAM)

        def run_there(*arguments, **variables):
            folder.mkdir(exist_ok=True)
            script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
            return subprocess.run(["sh", "-c", script, "sh", str(folder), program, *arguments], capture_output=True,
                                  text=True, timeout=60, check=False, env=os.environ | variables)

        self.assertEqual(run_there("probe", "--offset", "0", *MODEL).returncode, 0)
        for arguments, variables, reason in (
                (("compare", "a.json", "b.json"), {}, "cannot read 'a.json': No such file or directory"),
                (("probe", "--indices", "a.npy", *MODEL), {}, "--indices: cannot read 'a.npy': No such file or directory"),
                (("probe", "--offset", "0", *MODEL, "--output", "a.json"), {}, "cannot write 'a.json': No such file"),
                (("run", "--", "true"), {"TMPDIR": "here"}, "TMPDIR: 'here' is relative to a current folder"),
                (("run", "--", "true"), {"GPUMEM_RUN_KEEP": "here"}, "GPUMEM_RUN_KEEP: ")):
            with self.subTest(arguments):
                if arguments[0] == "run" and not os.path.exists(os.path.join(os.path.dirname(program), "libgpumem_inject.so")):
                    continue
                done = run_there(*arguments, **variables)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Agpumem: [^\n]+\n\Z")
                self.assertIn(reason, done.stderr)

    def test_full_disk(self):
        for arguments in (["probe", "--offset", "1", *MODEL], ["list"], ["list", "--json"], ["--help"], ["--version"]):
            with self.subTest(arguments), open("/dev/full", "w", encoding="ascii") as full:
                done = self.run_into(full, arguments)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Agpumem: cannot write to standard output: [^\n]+\n\Z")

    @staticmethod
    def run_into(stdout, arguments):
        return subprocess.run([PROGRAM, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60,
                              check=False)


@unittest.skipIf(GPU_HERE, "this machine has a GPU")
class WithoutGpu(ProgramTest):
    def test_measuring_names_the_command_that_predicts(self):
        line = self.fail_with(3, "probe", "--stride", "1..32*2", "--op", "read")
        self.assertTrue(
            line.endswith(f"; to predict instead run: {shlex.quote(PROGRAM)} probe --stride '1..32*2' --op read --backend model --gpu h200"),
            line,
        )

    def test_the_named_command_works(self):
        for odd in ("plain.csv", "it's $HOME *.csv", "two\nlines.csv", "back\\slash\t'.csv"):
            with self.subTest(odd):
                target = self.directory / odd
                line = self.fail_with(3, "probe", "--offset", "0..4", "--device", "0", "--output", str(target))
                subprocess.run(["bash", "-c", line.split("to predict instead run: ")[1]], check=True, timeout=60,
                               stdout=subprocess.DEVNULL)
                self.assertTrue(target.exists())

    def test_no_output_file_is_left(self):
        target = self.directory / "report.json"
        self.fail_with(3, "probe", "--offset", "1", "--output", str(target))
        self.assertFalse(target.exists())

    def test_devices(self):
        self.fail_with(3, "devices")
        done = run("devices", "--json")
        self.assertEqual((done.returncode, done.stdout), (3, "[]\n"))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]+\n\Z")

    def test_auto_predicts_and_says_so(self):
        done = run("probe", "--offset", "0..2", "--backend", "auto", "--format", "json")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Agpumem: note: [^\n]+predicting for h200[^\n]+\n\Z")
        self.assertIn('"backend": "model"', done.stdout)
        self.assertEqual(run("probe", "--offset", "1", "--backend", "auto", "--quiet").stderr, "")


if __name__ == "__main__":
    unittest.main()
