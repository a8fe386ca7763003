"""Requests for more memory than there is are refused early, in one line that says what is in the way."""

import array
import gzip
import resource
import subprocess
import unittest

from harness import MODEL, PROGRAM, ProgramTest, environment, strict_json

MIB = 1 << 20
ZEROS_MIB = 320


def packed_zeros(opened):
    """Zeros, packed by whoever opened the file."""
    with opened as file:
        for _ in range(ZEROS_MIB):
            file.write(bytes(MIB))


class Memory(ProgramTest):
    def refused(self, *arguments, limits=()):
        """The error line of a program that ends with 2, under limits of the process; and the memory that it took."""
        # In a shell of its own, for the most that children took is only known of all of them together.
        script = "".join(f"ulimit {limit}; " for limit in limits) + '"$@"; echo "exit $?" >&2'
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run(["bash", "-c", script, "bash", PROGRAM, *map(str, arguments)], capture_output=True,
                              text=True, timeout=60, check=False, env=environment())
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        lines = done.stderr.splitlines()
        self.assertEqual(lines[-1:], ["exit 2"], done.stderr)
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return lines[0], most if most > before else 0

    def test_files_made_to_fill_memory(self):
        files = {name: self.directory / name for name in ("z.u32.gz", "z.json.gz")}
        packed_zeros(gzip.open(files["z.u32.gz"], "wb", compresslevel=1))
        with gzip.open(files["z.json.gz"], "wb", compresslevel=1) as file:
            file.write(b'{"schema_version": 1, "results": [0')
            for _ in range(160):
                file.write(b",0" * (MIB // 2))
            file.write(b"]}")
        for name, file in files.items():
            with self.subTest(file=name):
                command = ("show", file) if "json" in name else ("probe", "--indices", file, *MODEL)
                line, kibibytes = self.refused(*command)
                self.assertIn("unpacks to more than 100 times its size", line)
                self.assertTrue(line.endswith("; if you know what it is, unpack it with gunzip"), line)
                self.assertLess(kibibytes, 256 * 1024)

    def test_what_packs_well_is_read(self):
        file = self.directory / "walk.u32.gz"
        walk = array.array("I", range(MIB)).tobytes()
        with gzip.open(file, "wb", compresslevel=1) as packed:
            for _ in range(4):
                packed.write(walk)
        report = strict_json(self.succeed("probe", "--indices", str(file), "--op", "read", "--elements-per-thread", "4",
                                          "--block-threads", "256", *MODEL, "--quiet", "--format", "json"))
        self.assertEqual(report["results"][0]["useful_bytes"]["read"], 4 * 4 * MIB)

    def test_a_limit_of_the_process_is_named(self):
        file = self.directory / "many.u32"
        with open(file, "wb") as indices:
            indices.truncate(3 << 30)  # which takes nothing on the disk
        for limit, words in (("-v 500000", "; 'ulimit -v' allows this process 488.3 MiB: raise it"),
                             ("-d 400000", "; 'ulimit -d' allows this process 390.6 MiB: raise it")):
            with self.subTest(limit=limit):
                line, _ = self.refused("probe", "--indices", file, *MODEL, limits=[limit])
                self.assertIn("holding its indices takes 3 GiB of memory, more than this host has left", line)
                self.assertTrue(line.endswith(words), line)
        line, _ = self.refused("probe", "--pattern", "i*i&n-1", "--buffer", "8GiB", "--op", "read", *MODEL,
                               limits=["-v 250000"])
        self.assertTrue(line.endswith("; 'ulimit -v' allows this process 244.1 MiB: raise it"), line)

    def test_more_than_a_gpu_has_is_refused_before_anything_is_evaluated(self):
        for words in (["--run", "64", "--op", "read"], ["--run", "1..64*2", "--op", "write"], ["--offset", "1"],
                      ["--walk", "column", "--op", "read"], ["--pattern", "i*i*i&n-1", "--op", "read"],
                      ["--pattern", "i*i*i&n-1"]):
            for buffer in ("300GiB", "512GiB", "1TiB"):
                with self.subTest(words=words, buffer=buffer):
                    done = subprocess.run([PROGRAM, "probe", *words, "--buffer", buffer, *MODEL],
                                          capture_output=True, text=True, timeout=10, check=False, env=environment())
                    self.assertIn(done.returncode, (2, 4), done.stderr)
                    self.assertRegex(done.stderr, "pass a smaller --buffer|use at most")


if __name__ == "__main__":
    unittest.main()
