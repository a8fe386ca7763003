"""Where results go: files, stdout, a terminal; also when the run is interrupted."""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

from harness import MODEL, PROGRAM, ProgramTest, environment, run, strict_json


class Files(ProgramTest):
    def path(self, name):
        return str(self.directory / name)

    def test_formats_follow_extensions(self):
        names = ("a.json", "b.csv", "c.md", "d.markdown", "e.txt")
        outputs = [argument for name in names for argument in ("--output", self.path(name))]
        self.succeed("probe", "--offset", "0..3", *MODEL, *outputs)
        contents = {name: (self.directory / name).read_text() for name in names}
        self.assertEqual(len(strict_json(contents["a.json"])["results"]), 4)
        self.assertEqual(contents["b.csv"].count("\n"), 5)
        self.assertIn("|", contents["c.md"])
        self.assertEqual(contents["c.md"].replace("c.md", ""), contents["d.markdown"].replace("c.md", ""))
        self.assertIn("PREDICTED", contents["e.txt"].upper())
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(names))

    def test_stdout_beside_files(self):
        arguments = ("probe", "--offset", "0", *MODEL, "--output", self.path("a.json"))
        self.assertIn("PREDICTED", self.succeed(*arguments).upper())
        self.assertEqual(len(json.loads(self.succeed(*arguments, "--format", "json"))["results"]), 1)
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.assertNotEqual(self.succeed(*arguments, "--quiet", "--output", "-"), "")

    def test_the_file_is_what_stdout_got(self):
        text = self.succeed("probe", "--offset", "0..3", *MODEL, "--output", self.path("a.json"), "--format", "json")
        self.assertEqual((self.directory / "a.json").read_text(), text)

    def test_format_of_a_file_without_a_known_extension(self):
        self.succeed("probe", "--offset", "0", *MODEL, "--output", self.path("report"), "--format", "json")
        strict_json((self.directory / "report").read_text())

    def test_an_existing_file_is_replaced_as_a_whole(self):
        target = self.directory / "a.json"
        target.write_text("x" * 1_000_000)
        self.succeed("probe", "--offset", "0", *MODEL, "--output", str(target))
        strict_json(target.read_text())

    def test_a_link_stays_a_link(self):
        (self.directory / "link.json").symlink_to(self.directory / "real.json")
        (self.directory / "real.json").write_text("old")
        self.succeed("probe", "--offset", "0", *MODEL, "--output", self.path("link.json"))
        self.assertTrue((self.directory / "link.json").is_symlink())
        strict_json((self.directory / "real.json").read_text())

    def test_a_device_is_written_not_replaced(self):
        self.succeed("probe", "--offset", "0", *MODEL, "--output", "/dev/null", "--format", "json")
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def test_a_pipe_gets_one_report(self):
        ours, theirs = os.pipe()
        self.succeed("probe", "--offset", "0..3", *MODEL, "--quiet", "--output", f"/dev/fd/{theirs}", "--format", "json",
                     pass_fds=[theirs])
        os.close(theirs)
        with open(ours, encoding="utf-8") as pipe:
            self.assertEqual(len(strict_json(pipe.read())["results"]), 4)

    def test_stdout_by_its_other_name(self):
        arguments = ("probe", "--offset", "0..3", *MODEL, "--format", "csv", "--output")
        self.assertEqual(self.succeed(*arguments, "/dev/stdout"), self.succeed(*arguments, "-"))
        (self.directory / "log.csv").write_text("kept\n")
        with (self.directory / "log.csv").open("a") as log:
            subprocess.run([PROGRAM, *arguments, "/dev/stdout"], stdout=log, check=True, timeout=60)
        self.assertEqual((self.directory / "log.csv").read_text().splitlines()[0], "kept")

    def test_a_file_that_fails_takes_nothing_else_with_it(self):
        done = run("probe", "--offset", "0", *MODEL, "--output", "/dev/full", "--output", self.path("a.json"), "--format",
                   "json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(strict_json(done.stdout)["results"]), 1)
        self.assertEqual((self.directory / "a.json").read_text(), done.stdout)

    def test_a_full_device_is_an_error(self):
        done = run("probe", "--offset", "0", *MODEL, "--output", "/dev/full", "--format", "json", "--quiet")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*/dev/full[^\n]*\n\Z")

    def test_a_file_that_may_not_grow_is_an_error(self):
        command = ["bash", "-c", 'ulimit -f 1; exec "$0" "$@"', PROGRAM, "probe", "--offset", "0..32", *MODEL, "--quiet"]
        done = subprocess.run([*command, "--output", self.path("a.json")], capture_output=True, text=True, check=False,
                              env=environment())
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*a\.json[^\n]*\n\Z")


class Interrupts(ProgramTest):
    # A minute of predictions, of which the test waits for the first few.
    LONG = ("probe", "--offset", "0..9999", "--op", "read,write,copy", "--word-bytes", "4,8,16", *MODEL)

    def interrupt(self, number):
        target = self.directory / "report.json"
        program = subprocess.Popen([PROGRAM, *self.LONG, "--format", "json", "--output", str(target)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 30
        while not target.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        program.send_signal(number)
        output, errors = program.communicate(timeout=30)
        return program.returncode, output, errors, target.read_text()

    def test_what_is_done_is_written(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                code, output, errors, file = self.interrupt(number)
                self.assertEqual(code, 130)
                self.assertRegex(errors, r"\Agpumem: interrupted[^\n]*\n\Z")
                self.assertEqual(output, file)
                results = strict_json(file)["results"]
                self.assertGreater(len(results), 0)
                self.assertLess(len(results), 90_000)
                self.assertEqual({result["status"] for result in results}, {"ok"})
                (self.directory / "report.json").unlink()


class Terminals(ProgramTest):
    ARGUMENTS = ("probe", "--offset", "0..8", *MODEL)

    def on_terminal(self, stream, *arguments, **variables):
        """What the program writes to a terminal that is its stdout or stderr."""
        ours, theirs = pty.openpty()
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
        variables = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": "100"} | variables
        program = subprocess.Popen([PROGRAM, *self.ARGUMENTS, *arguments], env=environment(**variables), **streams)
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 65536):
                text += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(ours)
        self.assertEqual(program.wait(timeout=60), 0)
        return text.decode()

    def test_colours_only_where_wanted(self):
        self.assertIn("\x1b[", self.on_terminal("stdout"))
        self.assertNotIn("\x1b[", self.on_terminal("stdout", "--no-color"))
        self.assertNotIn("\x1b[", self.on_terminal("stdout", NO_COLOR="1"))

    def test_bars_stay_without_colour(self):
        self.assertIn("\u2588", self.on_terminal("stdout", NO_COLOR="1"))
        self.assertNotIn("\u2588", self.on_terminal("stdout", LC_ALL="C"))
        self.assertNotIn("\u2588", self.succeed(*self.ARGUMENTS))

    def test_width(self):
        for width in (60, 80, 120):
            for line in self.on_terminal("stdout", NO_COLOR="1", COLUMNS=str(width)).splitlines():
                self.assertLessEqual(len(line), width, line)

    def test_progress_leaves_nothing_behind(self):
        text = self.on_terminal("stderr")
        self.assertTrue(text.startswith("\r\x1b[Kchoosing offset offset_elements=0"), text)
        self.assertTrue(text.endswith("\r\x1b[K"), text)
        self.assertEqual(self.on_terminal("stderr", "--quiet"), "")


if __name__ == "__main__":
    unittest.main()
