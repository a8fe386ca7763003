"""Results go to files, to stdout or to a terminal, even if the run is interrupted."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from harness import MODEL, PROGRAM, ProgramTest, as_somebody, environment, run, strict_json

CONFIGS = Path(__file__).parents[2] / "configs"


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


class NothingIsLost(ProgramTest):
    SUITE = {"schema_version": 1, "name": "s", "purpose": "p"}

    def setUp(self):
        super().setUp()
        self.old = self.directory / "old.json"
        self.succeed("probe", "--offset", "0..3", *MODEL, "--quiet", "--output", str(self.old))
        self.content = self.old.read_text()

    def suite(self, **axes):
        path = self.directory / "suite.json"
        path.write_text(json.dumps(self.SUITE | {"probes": [{"probe": "pattern", "axes": axes}]}))
        return str(path)

    def test_an_error_before_anything_ran_touches_no_file(self):
        junit, gauges = self.directory / "junit.xml", self.directory / "gauges.prom"
        for arguments in (("probe", "--pattern", "i/(i-5)"), ("probe", "--pattern", "i * 2", "--extent", "5"),
                          ("probe", "--pattern", "i, i - 1"),
                          ("check", self.suite(pattern="i * 2", extent=5), "--junit", str(junit), "--openmetrics", str(gauges))):
            with self.subTest(arguments):
                self.fail_with(2, *arguments, *MODEL, "--output", str(self.old))
                self.assertEqual(self.old.read_text(), self.content)
                self.assertEqual([path for path in (junit, gauges) if path.exists()], [])

    def test_a_result_that_a_format_cannot_hold_touches_no_file(self):
        (self.directory / "new.json").write_text(self.content)
        names = ("a.csv", "b.json")
        self.fail_with(2, "show", str(self.old), str(self.directory / "new.json"),
                       *[word for name in names for word in ("--output", str(self.directory / name))])
        self.assertEqual([name for name in names if (self.directory / name).exists()], [])

    def test_what_is_read_is_not_written(self):
        old, new = str(self.old), str(self.directory / "new.json")
        (self.directory / "new.json").write_text(self.content)
        (self.directory / "link.json").symlink_to("new.json")
        os.link(new, self.directory / "hard.json")
        suite = self.suite(pattern="i")
        indices = self.directory / "indices.txt"
        indices.write_text("0 1 2 3")
        profile = self.directory / "mine.json"
        profile.write_bytes((CONFIGS / "gpus" / "h200.json").read_bytes())
        for target, *arguments in (
                (new, "compare", old, new), (str(self.directory / "link.json"), "compare", old, new),
                (str(self.directory / "hard.json"), "compare", old, new), (new, "compare", "--fleet", str(self.directory)),
                (old, "show", old), (old, "portrait", old), (old, "check", old), (suite, "check", suite, *MODEL),
                (old, "calibrate", "--from", old), (old, "calibrate", "--from", new, "--check", old),
                (suite, "probe", "--config", suite, *MODEL),
                (str(indices), "probe", "--indices", str(indices), *MODEL, "--format", "json"),
                (str(profile), "probe", "--offset", "0", "--backend", "model", "--gpu", str(profile))):
            with self.subTest(arguments):
                before = Path(target).read_bytes()
                self.assertIn("it is read as well", self.fail_with(2, *arguments, "--output", target))
                self.assertEqual(Path(target).read_bytes(), before)
        with self.old.open() as given:
            self.assertIn("as standard input", self.fail_with(2, "show", "-", "--output", old, stdin=given))
        self.assertIn("it is read as well", self.fail_with(2, "check", old, "--junit", old))

    def in_place(self, command, target, options):
        """Runs the program by `command` for each of the commands that write files."""
        for words in (["probe", "--offset", "0..3", *MODEL, "--quiet", "--output"],
                      ["portrait", *MODEL, "--quiet", "--format", "json", "--output"],
                      ["check", str(self.old), *MODEL, "--quiet", "--openmetrics"]):
            with self.subTest(words):
                done = subprocess.run([*command, PROGRAM, *words, str(target)], capture_output=True, text=True, timeout=60,
                                      check=False, env=environment(), **options)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
                         if shutil.which("unshare") else False, "nothing may be mounted here")
    def test_a_file_that_is_mounted_is_written_in_place(self):
        target, mounted = self.directory / "target.json", self.directory / "mounted.json"
        script = self.directory / "mount.sh"
        script.write_text(f"mount --bind {mounted} {target} && exec \"$@\"")
        target.touch()
        mounted.write_text("x" * 1_000_000)
        self.in_place(["unshare", "-m", "bash", str(script)], target, {})
        self.assertEqual(target.read_text(), "")
        self.assertIn("# EOF", mounted.read_text())
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()),
                         ["mount.sh", "mounted.json", "old.json", "target.json"])

    def test_a_file_in_a_folder_that_takes_no_other(self):
        folder = self.directory / "locked"
        folder.mkdir()
        target = folder / "report.json"
        target.write_text("x" * 1_000_000)
        somebody = as_somebody()
        if somebody is None:
            self.skipTest("root may write anywhere")
        if somebody:
            os.chown(target, somebody["user"], somebody["group"])
            self.directory.chmod(0o755)
        self.old.chmod(0o644)
        folder.chmod(0o555)
        self.addCleanup(folder.chmod, 0o755)
        self.in_place([], target, somebody)
        self.assertIn("# EOF", target.read_text())


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
        """Returns the program's output to a terminal that is its stdout or stderr."""
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
        self.assertNotIn("\x1b[", self.on_terminal("stdout", "--color", "never"))
        self.assertIn("\x1b[", self.on_terminal("stdout", "--color", "always", NO_COLOR="1"))

    def test_colours_can_be_forced_into_a_pipe(self):
        plain = self.succeed(*self.ARGUMENTS)
        self.assertNotIn("\x1b[", plain)
        for options, variables in ((("--color", "always"), {}), (("--color=always",), {"NO_COLOR": "1"}), ((), {"FORCE_COLOR": "1"})):
            with self.subTest(options, **variables):
                coloured = self.succeed(*self.ARGUMENTS, *options, env=environment(**variables))
                self.assertIn("\x1b[", coloured)
                self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)
        for options, variables in (((), {"FORCE_COLOR": "0"}), (("--no-color",), {"FORCE_COLOR": "1"}),
                                   ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}), (("--color", "auto"), {})):
            with self.subTest(options, **variables):
                self.assertEqual(self.succeed(*self.ARGUMENTS, *options, env=environment(**variables)), plain)
        self.assertEqual(self.fail_with(2, *self.ARGUMENTS, "--color", "alwys"),
                         "--color: 'alwys' is not one of auto, always, never; did you mean 'always'?")
        target = self.directory / "a.txt"
        self.succeed(*self.ARGUMENTS, "--color", "always", "--quiet", "--output", str(target))
        self.assertNotIn("\x1b[", target.read_text())

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
