"""Lists of indices as people have them: what the program takes them for, what it refuses, and what is then left of a
file of several."""

import json
import re
import struct
import time
import unittest

from harness import MODEL, ProgramTest, run, strict_json

SHAPE = ("--elements-per-thread", "4", "--block-threads", "256")


class Indices(ProgramTest):
    def file(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def words(self, name, kind, values):
        return self.file(name, struct.pack(f"<{len(values)}{kind}", *values))

    def probe(self, *arguments, **options):
        return run("probe", *arguments, *SHAPE, *MODEL, **options)


class Files(Indices):
    def test_the_heading_says_what_words_were_read_as(self):
        path = self.words("a.bin", "Q", [k * 37 % 4096 for k in range(512)])
        table = self.probe("--indices", path, "--index-format", "u64").stdout
        self.assertIn("index format u64", " ".join(table.split()))

    def test_what_messages_recommend_is_taken(self):
        """Every format that a refusal names is one of the option's, and reads on or says what else is wrong."""
        listed = json.loads(self.succeed("list", "indices", "--json"))[0]["axes"]
        taken = next(axis["names"] for axis in listed if axis["flag"] == "--index-format")
        files = (self.file("odd.bin", b"\1\2\3"), self.file("zeros.bin", bytes(64)),
                 self.file("bad.txt", "1\x01 2"), self.file("short.u32", b"\1\2\3\4\5"),
                 self.words("f.bin", "f", [k + 0.5 for k in range(64)]), self.file("a.npz", b"PK\3\4" + bytes(60)),
                 self.file("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(60)), self.file("a.pkl", b"\x80\4\x95"))
        recommended = 0
        for path in files:
            line = self.fail_or_none("probe", "--indices", path, *SHAPE, *MODEL)
            self.assertIsNotNone(line, path)
            for names in re.findall(r"--index-format ([a-z0-9]+(?:[|][a-z0-9]+)*)(?=[ ,;]|$)", line):
                for name in set(names.split("|")) - {"says"}:
                    recommended += 1
                    self.assertIn(name, taken, line)
                    again = run("probe", "--indices", path, "--index-format", name, *SHAPE, *MODEL)
                    self.assertNotIn("is not one of", again.stderr)
        self.assertGreaterEqual(recommended, 20)

    def fail_or_none(self, *arguments):
        done = run(*arguments)
        return done.stderr if done.returncode == 2 else None

    def test_floats_as_numpy_writes_them(self):
        values = [k * 37 % 4096 for k in range(512)]
        floats = self.file("saved.txt", "".join(f"{value:.18e}\n" for value in values))
        whole = self.file("whole.txt", "".join(f"{value}\n" for value in values))
        predicted = [self.predict("--indices", path, *SHAPE)["results"][0]["headline"] for path in (floats, whole)]
        self.assertEqual(*predicted)
        halves = self.file("halves.txt", "0.000000000000000000e+00\n1.500000000000000000e+00\n")
        self.assertIn("line 2, column 1: '1.500000000000000000e+00' is no decimal integer",
                      self.fail_with(2, "probe", "--indices", halves, *MODEL))

    def test_a_name_that_is_notation_too(self):
        self.file("1024", "7 9 11")
        line = run("probe", "--indices", "1024", *MODEL, cwd=self.directory).stderr
        self.assertIn("'./1024' is the file", line)
        self.assertEqual(self.probe("--indices", "./1024", cwd=self.directory).returncode, 0)


class Spatter(Indices):
    SUITE = """[
        {"pattern": "UNIFORM:8:1:NR", "count": 512},
        {"pattern": "UNIFORM:8:1:NR", "count": 512, "kernel": "sg"},
        {"pattern": [0, 24, 4], "delta": -4, "count": 100},
        {"pattern": "UNIFORM:8:0", "delta": [8, 1], "count": 64, "kernel": "Scatter",},
        {"pattern": "UNIFORM:8:1", "delta": 1.5},
    ]"""

    def test_what_can_be_taken_is(self):
        path = self.file("suite.json", self.SUITE)
        done = self.probe("--indices", path, "--format", "json")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: 2 of 5 cases skipped; the first, indices indices=\S+#1: --indices: ")
        results = {one["parameters"]["indices"].rpartition("#")[2]: one for one in strict_json(done.stdout)["results"]}
        self.assertEqual({number: one["status"] for number, one in results.items()},
                         {"0": "ok", "2": "ok", "3": "ok", "1": "skipped", "4": "skipped"})
        self.assertIn("/1/pattern-gather: ", results["1"]["reason"])
        self.assertIn("/4/delta: ", results["4"]["reason"])

    def test_a_configuration_by_itself_is_refused(self):
        path = self.file("suite.json", self.SUITE)
        self.assertIn("/4/delta", self.fail_with(2, "probe", "--indices", path + "#4", *MODEL))
        none = self.file("none.json", '[{"kernel": "SG", "pattern": [0]}]')
        self.assertIn("/0/pattern-gather", self.fail_with(2, "probe", "--indices", none, *MODEL))

    def test_a_dry_run_says_what_would_be_skipped(self):
        path = self.file("suite.json", self.SUITE)
        done = self.probe("--indices", path, "--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("3 cases.", done.stdout)
        self.assertEqual(done.stderr.count("note: would skip "), 2)

    def test_more_than_memory_is_refused_at_once(self):
        path = self.file("huge.json", '[{"kernel":"Scatter","pattern":[0,24,48,72],"delta":0,"count":16000000000}]')
        start = time.monotonic()
        done = self.probe("--indices", path, "--quiet")
        self.assertLess(time.monotonic() - start, 5)  # walking it takes minutes; a busy machine seconds
        self.assertEqual(done.returncode, 4)
        self.assertIn("out of memory: needs 238.4 GiB, the GPU has 139.8 GiB; pass a smaller --buffer", done.stderr)


class Names(Indices):
    def test_the_block_is_held_where_a_pattern_names_it(self):
        for text, shape in {"warp * 32 + lane": (256, None), "block * 8 + thread": (256, 4)}.items():
            one = self.predict("--pattern", text, "--buffer", "1MiB")["results"][0]
            self.assertEqual(one["parameters"]["block_threads"], shape[0])
            self.assertIn("block_threads", one["chosen_by_auto"])
            if shape[1]:
                self.assertEqual(one["parameters"]["elements_per_thread"], shape[1])

    def test_names_of_cuda(self):
        shape = ("--block-threads", "128", "--elements-per-thread", "1")
        headlines = [self.predict("--pattern", text, *shape)["results"][0]["headline"]
                     for text in ("block * 128 + thread * 4 % 128", "blockIdx.x * 128 + threadIdx.x * 4 % 128")]
        self.assertEqual(*headlines)
        for text, part in (("threadIdx.y", "launches have one dimension; write threadIdx.x or blockIdx.x"),
                           ("blockIdx.x * blockDim.x + threadIdx.x", "'blockDim.x' is no name: write the number")):
            self.assertIn(part, self.fail_with(2, "probe", "--pattern", text, *MODEL))

    def test_help_says_what_names_are(self):
        for text in (self.succeed("probe", "pattern", "--help"), self.succeed("list", "pattern")):
            self.assertIn("warp (of the block", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
