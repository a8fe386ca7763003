"""Reads files of other tools (packed files, sparse matrices and tables), and writes files for other tools (CSV for
spreadsheets, polars and DuckDB)."""

import csv
import gzip
import importlib.util
import io
import json
import lzma
import struct
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest, strict_json

CONFIGS = Path(__file__).parents[2] / "configs"
OFFSET = CONFIGS / "reference" / "h200" / "offset.json"
MEASURED = sorted(CONFIGS.glob("reference/*/*.json"))
SHAPE = ("--op", "read", "--elements-per-thread", "4", "--block-threads", "256")


def npy(values):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}i", *values)


class Indices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.values = [k * 37 % 501 for k in range(600)]
        self.expected = self.accesses(self.file("plain.npy", npy(self.values)))

    def file(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def accesses(self, *arguments, **options):
        """The kernel's accesses, which follow from the indices alone."""
        report = strict_json(self.succeed("probe", "--indices", *arguments, *SHAPE, *MODEL, "--format", "json", **options))
        return [(case["useful_bytes"], case["access"]) for case in report["results"]]

    def check(self, *arguments, **options):
        self.assertEqual(self.accesses(*arguments, **options), self.expected)

    def refuse(self, *arguments, **options):
        return self.fail_with(2, "probe", "--indices", *arguments, *SHAPE, *MODEL, **options)

    def test_packed_files(self):
        words = struct.pack(f"<{len(self.values)}I", *self.values)
        for name, content in (("a.npy", npy(self.values)), ("a.u32", words), ("a", npy(self.values))):
            with self.subTest(name):
                self.check(self.file(name + ".gz", gzip.compress(content)))
        self.check(self.file("words.gz", gzip.compress(words)), "--index-format", "u32")
        whole = gzip.compress(npy(self.values))
        self.assertIn("truncated", self.refuse(self.file("b.npy.gz", whole[:-20])))
        self.assertIn("damaged", self.refuse(self.file("b.npy.gz", whole[:60] + b"\0\1\2\3" * 9 + whole[96:])))
        self.assertIn("unpack it with unxz", self.refuse(self.file("a.npy.xz", lzma.compress(npy(self.values)))))

    def test_words_that_begin_as_gzip_does(self):
        begins_alike = struct.unpack("<I", b"\x1f\x8b\x08\0")[0]
        path = self.file("a.u32", struct.pack("<2I", begins_alike, 7))
        self.assertEqual(self.accesses(path, "--index-format", "u32")[0][0]["read"], 8)
        self.assertIn("truncated", self.refuse(path))

    def test_standard_input(self):
        for content in (npy(self.values), gzip.compress(npy(self.values)), " ".join(map(str, self.values)).encode()):
            with open(self.file("given", content), "rb") as file:
                self.check("-", stdin=file)
        self.check("-", input="\n".join(map(str, self.values)))
        self.assertIn("standard input: is empty", self.refuse("-", input=""))

    def test_what_has_no_format_is_refused_with_what_reads_it(self):
        for name, content in (("a.npz", b"PK\3\4" + bytes(60)), ("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(60)), ("a.bin", bytes(64))):
            line = self.refuse(self.file(name, content))
            self.assertIn("--index-format u32|u64|i32|i64", line)
            self.assertIn("numpy.save('a.npy', indices)", line)
        for name in ("npz", "u16", "u32be"):
            self.assertIn("convert the file: numpy.save(", self.refuse("a", "--index-format", name))
        self.assertIn("unpack it: bunzip2", self.refuse(self.file("a.txt.bz2", b"BZh91AY&SY\0")))
        self.assertIn("unpack it: unzstd", self.refuse(self.file("a.zst", b"\x28\xb5\x2f\xfd\0")))
        for name in ("a.dat", "a"):
            self.assertIn(f"> utf-8{name[1:]}", self.refuse(self.file(name, "1 2 3".encode("utf-16"))))

    def test_matrices(self):
        places = sorted((k // 30, column) for k, column in enumerate(self.values))
        self.file("rows.npy", npy([column for _, column in places]))
        expected = self.accesses(str(self.directory / "rows.npy"))
        lines = "".join(f"{row + 1} {column + 1} {column / 7}\n" for row, column in reversed(places))
        matrix = "%%MatrixMarket matrix coordinate real general\n% made up\n" + f"20 501 {len(places)}\n" + lines
        for name, content in (("a.mtx", matrix.encode()), ("unnamed", matrix.encode()), ("a.mtx.gz", gzip.compress(matrix.encode()))):
            with self.subTest(name):
                self.assertEqual(self.accesses(self.file(name, content)), expected)

    def test_columns(self):
        rows = [f'{k},{value},"a, b"\n' for k, value in enumerate(self.values)]
        table = self.file("a.csv", "from,to,name\n" + "".join(rows))
        for column in ("to", "2"):
            self.check(table, "--index-column", column)
        edges = self.file("edges.txt", "# From To\n" + "".join(f"{k}\t{value}\n" for k, value in enumerate(self.values)))
        self.check(edges, "--index-column", "2")
        self.assertIn("--index-column NAME", self.refuse(table))
        self.assertIn("no column 'tto'; did you mean 'to'?", self.refuse(table, "--index-column", "tto"))
        self.assertIn("a.csv: line 2: column name: 'a, b' is no decimal integer", self.refuse(table, "--index-column", "name"))
        self.assertIn("has no columns", self.refuse(str(self.directory / "plain.npy"), "--index-column", "2"))
        both = strict_json(self.succeed("probe", "--indices", table, "--index-column", "to", "--index-column", "from", *SHAPE,
                                        *MODEL, "--format", "json"))
        self.assertEqual([case["parameters"]["index_column"] for case in both["results"]], ["to", "from"])


class Files(ProgramTest):
    def packed(self, source):
        path = self.directory / (source.name + ".gz")
        path.write_bytes(gzip.compress(source.read_bytes()))
        return str(path)

    def test_reports_suites_and_profiles_may_be_packed(self):
        table = self.succeed("show", str(OFFSET))
        suite, profile = CONFIGS / "smoke.json", CONFIGS / "gpus" / "h200.json"
        planned = self.succeed("probe", "--config", str(suite), "--dry-run")
        predicted = self.predict("--offset", "1")["results"]
        report = self.packed(OFFSET)
        self.assertEqual(self.succeed("show", report), table)
        with open(report, "rb") as file:
            self.assertEqual(self.succeed("show", "-", stdin=file), table)
        self.assertEqual(self.succeed("probe", "--config", self.packed(suite), "--dry-run"), planned)
        own = ("--backend", "model", "--gpu", self.packed(profile), "--format", "json")
        self.assertEqual(strict_json(self.succeed("probe", "--offset", "1", *own))["results"], predicted)
        cut = self.directory / "cut.json.gz"
        cut.write_bytes(Path(report).read_bytes()[:-9])
        self.assertIn("truncated", self.fail_with(2, "show", str(cut)))
        fleet = self.directory / "fleet"
        fleet.mkdir()
        for name in ("a", "b"):
            (fleet / f"{name}.json.gz").write_bytes(Path(report).read_bytes())
        self.assertIn("2 reports", self.succeed("compare", "--fleet", str(fleet)))

    def test_what_unpacks_to_no_end_is_refused(self):
        bomb = self.directory / "bomb.json.gz"
        with gzip.open(bomb, "wb", compresslevel=1) as file:
            for _ in range(300):
                file.write(b" " * (1 << 20))
        self.assertIn("unpacks to more than 100 times its size", self.fail_with(2, "show", str(bomb)))

    def test_suites_and_profiles_on_standard_input(self):
        suite, profile = CONFIGS / "smoke.json", CONFIGS / "gpus" / "h200.json"
        self.assertEqual(self.succeed("probe", "--config", "-", "--dry-run", input=suite.read_text()),
                         self.succeed("probe", "--config", str(suite), "--dry-run"))
        own = ("--backend", "model", "--gpu", "-", "--format", "json")
        self.assertEqual(strict_json(self.succeed("probe", "--offset", "1", *own, input=profile.read_text()))["results"],
                         self.predict("--offset", "1")["results"])
        self.assertIn("standard input", self.fail_with(2, "probe", "--offset", "1", *own, input=""))
        self.assertIn("is the command's", self.fail_with(2, "run", "--gpu", "-", "--", "true"))

    def test_outputs_in_a_new_folder(self):
        path = self.directory / "new" / "x.json"
        self.succeed("probe", "--offset", "1", *MODEL, "--quiet", "--output", str(path))
        self.assertEqual(len(strict_json(path.read_text())["results"]), 1)
        share = self.directory / "share"  # as where a mount is missing
        for command in (("probe", "--offset", "1", *MODEL, "--output", str(share / "job" / "x.json")),
                        *(("check", "smoke", *MODEL, option, str(share / "x.json"))
                          for option in ("--output", "--junit", "--openmetrics")),
                        ("compare", str(OFFSET), str(path), "--fail-on-regression", "5%", "-o", str(share / "x.json"))):
            with self.subTest(command):
                self.assertIn("': No such file or directory; make '", self.fail_with(2, *command))
                self.assertFalse(share.exists())
        self.succeed("compare", str(OFFSET), str(path), "-o", str(share / "x.json"))
        other = self.directory / "other" / "x.json"
        self.fail_with(2, "probe", "--offset", "1", *MODEL, "--output", str(other), "--output", "/proc/new/x.json")
        self.assertFalse(other.parent.exists())  # nothing ran
        self.assertIn("would not be compressed; write 'x.json'", self.fail_with(2, "show", str(OFFSET), "--output", "x.json.gz"))


class Sizes(ProgramTest):
    def test_a_share_of_the_memory(self):
        cases = self.predict("--offset", "0,1", "--op", "read,copy", "--buffer", "90%", *SHAPE[2:])["results"]
        memory = 150_754_820_096  # of the profile
        for case in cases:
            taken = 2 * case["parameters"]["buffer_bytes"] / memory  # by the copies, which take most
            self.assertTrue(0.89 < taken <= 0.9, (case["parameters"], taken))
            self.assertIn("buffer_bytes", case["chosen_by_auto"])
        for share in ("0%", "101%"):
            self.assertIn("at most 100%", self.fail_with(2, "probe", "--offset", "0", "--buffer", share, *MODEL))


class Csv(ProgramTest):
    def csv_of(self, *arguments, **options):
        return list(csv.DictReader(io.StringIO(self.succeed("show", *arguments, "--format", "csv", **options))))

    def test_a_column_is_of_one_type_in_all_reports(self):
        """Integers, or floats that look like some, or text: what the first rows are, the others are too."""
        kinds = {}
        for path in MEASURED:
            for row in self.csv_of(str(path)):
                for name, field in row.items():
                    try:
                        number = float(field)
                    except ValueError:
                        continue
                    kinds.setdefault(name, set()).add("integer" if field.lstrip("-").isdigit() else "float")
                    self.assertEqual(number, number)
        self.assertGreater(len(kinds), 60)
        self.assertEqual({name: kind for name, kind in kinds.items() if len(kind) > 1}, {})

    def test_no_cell_begins_a_formula(self):
        report = json.loads(OFFSET.read_text())
        names = ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "'quoted", "-", "plain"]
        del report["results"][len(names):]
        for case, name in zip(report["results"], names):
            case |= {"status": "skipped", "reason": name}
        report["conclusions"], report["checks"] = [], []
        text = json.dumps(report)
        rows = self.csv_of("-", input=text)
        self.assertEqual([row["reason"].removeprefix("'") for row in rows], [name.replace("\t", " ") for name in names])
        for row in rows:
            self.assertFalse(row["reason"].startswith(("=", "+", "-", "@", "\t")), row["reason"])

    @unittest.skipIf(importlib.util.find_spec("polars") is None, "polars is not installed")
    def test_polars_reads_all_reports_at_once(self):
        import polars
        text = self.succeed("show", *map(str, MEASURED), "--format", "csv")
        frame = polars.read_csv(io.StringIO(text))  # by the types of the first 100 rows
        self.assertEqual(frame.height, text.count("\n") - 1)
        self.assertEqual(frame["time_seconds.median"].dtype, polars.Float64)

    @unittest.skipIf(importlib.util.find_spec("duckdb") is None, "DuckDB is not installed")
    def test_duckdb_reads_all_reports_at_once(self):
        import duckdb
        for number, path in enumerate(MEASURED):
            self.succeed("show", str(path), "--output", str(self.directory / f"{number}.csv"))
        rows = sum(path.read_text().count("\n") - 1 for path in self.directory.glob("*.csv"))
        found = duckdb.sql(f"select * from read_csv('{self.directory}/*.csv', union_by_name=true)").fetchall()
        self.assertEqual(len(found), rows)


if __name__ == "__main__":
    unittest.main()
