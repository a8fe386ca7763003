"""Files that somebody broke, cut off, or made to do harm: one clear line and exit code 2, or a plain result."""

import copy
import json
import os
import re
import subprocess
import threading
import unicodedata
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, strict_json

ROOT = Path(__file__).resolve().parents[2]
SOUND = str(ROOT / "tests/report/golden/overlap.json")
PREDICT = ("probe", "--offset", "0,1", "--backend", "model", "--quiet", "--gpu")

# Enough for what is refused, whatever its size; a program that reads without end would want more.
MEMORY_KIB = 2 * 1024 * 1024


def report():
    """A small report with something of everything."""
    whole = json.loads(Path(SOUND).read_text(encoding="utf-8"))
    whole["results"] = whole["results"][:2]
    whole["findings"] = whole["findings"][:1]
    for result in whole["results"]:
        result["time_seconds"]["samples"] = result["time_seconds"]["samples"][:2]
        result["timeline"] = (result["timeline"] or [])[:2]
        result["stages"] = [{"stage": "pcie", "predicted_s": 0.005, "counted_s": 0.0051}]
        result["access"] = [{"site": "source", "space": "global", "op": "load", "word_bytes": 4,
                             "sectors_per_request": {"predicted": 4, "counted": 4.5},
                             "wavefronts_per_request": {"predicted": None, "counted": 1}}]
    return whole


def profile():
    return json.loads((ROOT / "configs/gpus/h200.json").read_text(encoding="utf-8"))


def suite():
    return {
        "schema_version": 1,
        "name": "mine",
        "purpose": "a test",
        "options": {"ci_width": "2%", "time_budget": "100ms"},
        "probes": [{"probe": "offset", "axes": {"offset": "0,1", "op": "read"}}],
        "expectations": [{"name": "some", "cases": {"probe": "offset", "offset": 1}, "relative_to": {"offset": 0},
                          "at_least": 0.5}],
    }


def places(value, place=()):
    """The places of all values of a JSON text: tuples of names and positions."""
    yield place
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*place, name))


def with_value(value, place, new):
    changed = copy.deepcopy(value)
    if not place:
        return new
    parent = changed
    for name in place[:-1]:
        parent = parent[name]
    parent[place[-1]] = new
    return changed


def harmless(text):
    """True if a terminal would show the text rather than obey it."""
    return all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") for c in text)


class Hostile(ProgramTest):
    """Runs with limited memory and time; nothing but a result or one line may come of it."""

    def attempt(self, *arguments, **options):
        command = f'ulimit -v {MEMORY_KIB}; exec "$0" "$@"'
        done = subprocess.run(["bash", "-c", command, PROGRAM, *arguments], capture_output=True, timeout=60, check=False,
                              env=environment(), **options)
        done.stdout = done.stdout.decode("utf-8")
        done.stderr = done.stderr.decode("utf-8")
        return done

    def survive(self, *arguments, **options):
        """Runs the program, which must succeed quietly or refuse in one line; returns that line, or None."""
        done = self.attempt(*arguments, **options)
        if done.returncode == 0:
            self.assertTrue(harmless(done.stdout), done.stdout)
            return None
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]+\n\Z")
        self.assertLess(len(done.stderr), 1000)
        self.assertTrue(harmless(done.stderr), done.stderr)
        return done.stderr.removeprefix("gpumem: ").rstrip("\n")

    def refuse(self, *arguments, **options):
        line = self.survive(*arguments, **options)
        self.assertIsNotNone(line, "nothing was wrong with it")
        return line

    def file(self, content):
        """A file of these bytes, or of this text."""
        path = self.directory / "in.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return str(path)

    def json(self, value):
        return self.file(json.dumps(value))


class Text(Hostile):
    """Files that are no JSON, or do not end, are given to every command that reads a file."""

    COMMANDS = (("explain",), ("show",), ("calibrate", "--from"), PREDICT, ("check",), ("compare",),
                ("probe", "--backend", "model", "--config"))

    def every_command(self, path, check):
        for command in self.COMMANDS:
            with self.subTest(command):
                second = (SOUND,) if command == ("compare",) else ()
                check(self.refuse(*command, path, *second))

    def test_no_json(self):
        for content in (b"", b" ", b"\0", b"\xff\xfe{}", bytes(range(256)), b"\x7fELF" + bytes(5000), b"{", b"[" * 1_000_000,
                        b'{"a":' * 1_000_000, b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 1e999}', b'{"a": 1, "a": 1}',
                        b'"' + b"x" * 1_000_000, b"1" * 1_000_000, b'{"' + b"x" * 1_000_000 + b'": 1, "a": }',
                        b'{"a\x1b[31m": 1}', '{"\\n\u202e\u009b": 1}'.encode(), b'{"a": "\xc0\x80"}'):
            self.every_command(self.file(content), lambda line: self.assertRegex(line, r"in\.json(: |' is no )"))

    def test_an_end_that_never_comes(self):
        self.every_command("/dev/zero", lambda line: self.assertIn("/dev/zero: is larger than 256 MiB", line))

    def test_values_without_end(self):
        self.assertIn("in.json: /19999999: expected at most 20000000 values in a file",
                      self.refuse("explain", self.file(b"[" + b"0," * 20_000_000 + b"0]")))

    def test_a_directory(self):
        self.every_command(f"{self.directory}/", lambda line: self.assertIn("Is a directory", line))

    def test_a_pipe_that_is_closed(self):
        path = self.directory / "pipe.json"
        os.mkfifo(path)
        for command in (("explain",), PREDICT):
            writer = threading.Thread(target=lambda: path.write_bytes(b'{"schema_version": 1'))
            writer.start()
            self.assertIn("not valid JSON at line 1, column 21, where it ends", self.refuse(*command, str(path)))
            writer.join()

    def test_standard_input(self):
        with open("/dev/zero", "rb") as zeros:
            self.assertIn("standard input: is larger than", self.refuse("explain", "-", stdin=zeros))


class Reports(Hostile):
    def test_cut_off(self):
        text = json.dumps(report())
        for length in range(0, len(text), len(text) // 40):
            line = self.refuse("explain", self.file(text[:length]))
            self.assertIn(f"not valid JSON at line 1, column {length + 1}, where it ends", line)

    def test_every_value_replaced(self):
        """Another type at every place: refused at that place, or explained."""
        whole = report()
        del whole["results"][1:]
        self.assertIsNone(self.survive("explain", self.json(whole)))
        refused = 0
        for place in places(whole):
            for new in (None, "text", -1, [], {}):
                with self.subTest(place=place, new=new):
                    line = self.survive("explain", self.json(with_value(whole, place, new)))
                    if line is None:
                        continue
                    refused += 1
                    pointer = "/" + "/".join(map(str, place))
                    self.assertRegex(line, rf"in\.json: {pointer}.*expected " if place else "in.json' is no report")
        self.assertGreater(refused, 250)

    def test_absurd_numbers(self):
        """Numbers that overflow, vanish or are endless, at every place that has a number."""
        whole = report()
        del whole["results"][1:]
        for place in places(whole):
            value = whole
            for name in place:
                value = value[name]
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            for new, command in ((1e308, "show"), (5e-324, "show"), (1e59, "explain"), (1e-59, "show"), (-1, "explain"),
                                 (0, "show"), (2**64 - 1, "explain"), (2**64, "show")):
                with self.subTest(place=place, new=new):
                    self.survive(command, self.json(with_value(whole, place, new)))

    def test_what_is_written_again_has_no_nan(self):
        whole = report()
        for result in whole["results"]:
            result["time_seconds"] = {name: 0 if name != "samples" else [] for name in result["time_seconds"]}
            result["bandwidth_gb_per_s"] = {"measured": 1e60, "predicted": 1e-60}
            result["peak_gb_per_s"] = 0
        path = self.json(whole)
        strict_json(self.succeed("show", path, "--format", "json"))
        for form in ("table", "csv", "markdown"):
            text = self.succeed("show", path, "--format", form).lower()
            self.assertNotRegex(text, r"\b(nan|inf)\b")

    def test_strings_for_the_terminal(self):
        """Whatever steers a terminal is shown as blanks or escaped, in every format."""
        evil = "a\nb\rc\x1b[31md\x07\x7f\u009b31m\u202eRTL\u2066\u2028\u200bz\0"
        whole = report()
        for place in list(places(whole)):
            value = whole
            for name in place:
                value = value[name]
            if isinstance(value, str) and place[-1] not in ("name", "status", "schema_version", "backend"):
                whole = with_value(whole, place, evil)
        whole["device"]["name"] = evil
        for result in whole["results"]:
            result["parameters"] = {evil: evil, "n" + evil: 1, **result["parameters"]}
            result["metrics"] = {evil: 1, **result["metrics"]}
            result["flags"] = [evil]
        path = self.json(whole)
        self.assertIsNone(self.survive("explain", path))
        self.assertIsNone(self.survive("explain", path, "--format", "markdown"))
        for form in ("table", "json", "csv", "markdown"):
            with self.subTest(form):
                self.assertIsNone(self.survive("show", path, "--format", form))
        for result in whole["results"]:
            result["status"] = "skipped"
            result["reason"] = evil
        self.assertIsNone(self.survive("show", self.json(whole)))
        self.refuse("explain", path, evil.replace("\0", ""))
        self.refuse("explain", evil.replace("\0", ""))

    def test_much_of_everything(self):
        def much(change):
            whole = report()
            change(whole["results"][0])
            return self.json(whole)

        for change in (lambda result: result.update(flags=["f"] * 1_000_000),
                       lambda result: result.update(why="x" * 10_000_000),
                       lambda result: result["time_seconds"].update(samples=[1e-3] * 1_000_000, count=2**64 - 1),
                       lambda result: result["timeline"][0].update(stream=2**32 - 1, start_s=0, end_s=1e30),
                       lambda result: result.update(timeline=result["timeline"] * 50_000),
                       lambda result: result.update(access=result["access"] * 50_000)):
            path = much(change)
            self.assertIsNone(self.survive("explain", path))
            self.assertIsNone(self.survive("show", path))
        self.assertIn("at most 200 different parameters",
                      self.refuse("explain", much(lambda result: result.update(metrics={f"m{i}": i for i in range(201)}))))
        self.assertIn("at most 1000 members",
                      self.refuse("explain", much(lambda result: result.update(metrics={f"m{i}": i for i in range(1001)}))))

    def test_calibration_from_cases_that_no_probe_takes(self):
        whole = json.loads((ROOT / "configs/reference/h200/stride.json").read_text(encoding="utf-8"))
        whole["results"] = whole["results"][:12]
        for name, values in {"stride_elements": (0, 2**64 - 1, "auto"), "word_bytes": (0, 3, "4"),
                             "elements_per_thread": (0, 2**32), "block_threads": (0, 2**32), "buffer_bytes": (0, 1, 2**63)}.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    changed = copy.deepcopy(whole)
                    for result in changed["results"]:
                        result["parameters"][name] = value
                    self.assertIn("no measured launch of a kernel", self.refuse("calibrate", "--from", self.json(changed)))


class Profiles(Hostile):
    def test_every_value_replaced(self):
        whole = profile()
        alike = list(whole["rates"])[2:]
        refused = 0
        for place in places({**whole, "rates": {name: rate for name, rate in whole["rates"].items() if name not in alike}}):
            for new in (None, "text", -1, 1e308, [], {}, True):
                with self.subTest(place=place, new=new):
                    changed = with_value(whole, place, new)
                    line = self.survive(*PREDICT, self.json(changed))
                    if line is None:
                        continue
                    refused += 1
                    self.assertIn("in.json: /" + "/".join(map(str, place)) if place else "in.json' is no ", line)
        self.assertGreater(refused, 100)

    def test_predictions_from_absurd_rates_are_numbers(self):
        whole = profile()
        for end, value in ((1, 1e-18), (2, 1e24)):
            for name in whole["rates"]:
                changed = with_value(whole, ("rates", name, "value"), value)
                line = self.survive(*PREDICT, self.json(changed))
                if line is not None:  # some have a range of their own, whose end they take
                    ends = re.search(r"expected a number from (\S+) to (\S+)$", line.strip())
                    self.assertIsNotNone(ends, line)
                    changed = with_value(whole, ("rates", name, "value"), float(ends[end]))
                text = self.succeed(*PREDICT, self.json(changed), "--format", "json")
                for result in strict_json(text)["results"]:
                    self.assertGreater(result["bandwidth_gb_per_s"]["predicted"], 0)


class Suites(Hostile):
    COMMAND = ("probe", "--backend", "model", "--quiet", "--config")

    def test_every_value_replaced(self):
        whole = suite()
        self.assertIsNone(self.survive(*self.COMMAND, self.json(whole)))
        refused = 0
        for place in places(whole):
            for new in (None, "text", -1, 1e308, [], {}, True):
                with self.subTest(place=place, new=new):
                    line = self.survive(*self.COMMAND, self.json(with_value(whole, place, new)))
                    refused += line is not None
                    if line is not None:
                        self.assertIn("in.json: /" if place else "in.json' is no ", line)
        self.assertGreater(refused, 80)

    def test_more_than_one_run_takes(self):
        whole = suite()
        whole["probes"] = [{"probe": "offset", "axes": {"offset": "0..9999"}}] * 11
        whole["expectations"] = []
        self.assertIn("more than the 100000 cases", self.refuse(*self.COMMAND, self.json(whole)))
        whole["probes"] = whole["probes"][:1] * 1001
        self.assertIn("at most 1000 entries", self.refuse(*self.COMMAND, self.json(whole)))


if __name__ == "__main__":
    unittest.main()
