"""SIGINT, SIGTERM and SIGHUP are heard soon, whatever goes on, and what was done until then is written."""

import os
import pty
import signal
import subprocess
import time
import unittest

from harness import MODEL, PROGRAM, ProgramTest, environment, strict_json

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Within a second on a machine that is at rest, and each of these takes half a minute and more if nobody listens.
SOON = 10
SHAPE = ("--elements-per-thread", "8", "--block-threads", "1024")


class Interrupts(ProgramTest):
    def start(self, *arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
                   "env": environment()} | options
        process = subprocess.Popen([PROGRAM, *arguments], **options)
        self.addCleanup(process.kill)
        return process

    def interrupted(self, process, number, written=False):
        """Sends the signal; returns stdout. The process has to end soon, and say why, and whether there are results."""
        sent = time.monotonic()
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - sent, SOON)
        self.assertEqual(process.returncode, 130, errors)
        done = "; what was done until then is written" if output or written else ""
        self.assertEqual(errors, f"gpumem: interrupted{done}\n")
        return output

    def wait_for(self, path, process):
        deadline = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)

    def test_before_the_first_case_nothing_is_touched(self):
        target = self.directory / "old.json"
        target.write_text("older")
        for what, pattern in (("evaluating", "i * 2654435761 % (n * 64)"), ("counting", "i * i % 1000003")):
            for number in SIGNALS:
                with self.subTest(what, signal=number):
                    process = self.start("probe", "--pattern", pattern, "--buffer", "8GiB", *MODEL, "--output", str(target))
                    time.sleep(0.7)
                    self.assertEqual(self.interrupted(process, number), "")  # and does not say that anything is written
                    self.assertEqual(target.read_text(), "older")
                    self.assertEqual(os.listdir(self.directory), ["old.json"])

    def test_a_launch_that_is_played_through_the_caches(self):
        target = self.directory / "report.json"
        # Cases that are played for seconds each; the first one is soon done.
        process = self.start("probe", "--pattern", "i, i * 2654435761 % 1000003", "--op", "copy", "--word-bytes", "4",
                             "--buffer", "8GiB", *SHAPE, *MODEL, "--format", "json", "--output", str(target))
        self.wait_for(target, process)
        time.sleep(0.5)
        output = self.interrupted(process, signal.SIGTERM)
        self.assertEqual(target.read_text(), output)
        self.assertEqual([result["parameters"]["pattern"] for result in strict_json(output)["results"]], ["i"])

    def test_shapes_that_are_tried_side_by_side(self):
        process = self.start("probe", "--pattern", "i * 2654435761 % 1000003", "--op", "copy", "--buffer", "8GiB", *MODEL)
        time.sleep(1)
        self.assertEqual(self.interrupted(process, signal.SIGINT), "")

    def test_check_holds_what_was_done(self):
        suite, target = self.directory / "suite.json", self.directory / "report.json"
        suite.write_text('{"schema_version": 1, "name": "s", "purpose": "p", "probes": [{"probe": "offset", "axes": '
                         '{"offset": "0..9999", "op": ["read", "write", "copy"]}}]}')
        for number in SIGNALS:
            with self.subTest(number):
                process = self.start("check", str(suite), *MODEL, "--output", str(target), "--junit",
                                     str(self.directory / "report.xml"))
                self.wait_for(target, process)
                self.assertIn("FAIL  every case ran", self.interrupted(process, number))
                self.assertGreater(len(strict_json(target.read_text())["results"]), 0)
                self.assertTrue((self.directory / "report.xml").exists())
                target.unlink()

    def test_input_that_does_not_come(self):
        for command in ("check", "portrait"):
            with self.subTest(command):
                process = self.start(command, "-", stdin=subprocess.PIPE)
                time.sleep(0.3)
                self.assertEqual(self.interrupted(process, signal.SIGTERM), "")

    def test_a_pipe_that_nobody_reads_keeps_nothing_from_a_file(self):
        pipe, target = self.directory / "pipe.json", self.directory / "report.json"
        os.mkfifo(pipe)
        process = self.start("probe", "--offset", "0", *MODEL, "--quiet", "--output", str(pipe), "--output", str(target))
        self.wait_for(target, process)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        self.interrupted(process, signal.SIGINT)  # says nothing of what is written: not all of it is
        self.assertEqual(len(strict_json(target.read_text())["results"]), 1)

    def test_a_pipe_is_waited_for(self):
        pipe = self.directory / "pipe.json"
        os.mkfifo(pipe)
        process = self.start("probe", "--offset", "0..999", *MODEL, "--quiet", "--output", str(pipe))
        time.sleep(0.3)
        with pipe.open(encoding="utf-8") as reader:  # more than a pipe holds
            self.assertEqual(len(strict_json(reader.read())["results"]), 1000)
        self.assertEqual((process.communicate(timeout=60), process.returncode), (("", ""), 0))

    def test_a_reader_that_leaves_keeps_nothing_from_a_file(self):
        pipe, target = self.directory / "pipe.json", self.directory / "report.json"
        os.mkfifo(pipe)
        process = self.start("probe", "--offset", "0..999", *MODEL, "--quiet", "--output", str(pipe), "--output", str(target))
        with pipe.open("rb") as reader:
            reader.read(10)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output), (2, ""))
        self.assertRegex(errors, r"\Agpumem: cannot write '[^\n]*pipe\.json': Broken pipe[^\n]*\n\Z")
        self.assertEqual(len(strict_json(target.read_text())["results"]), 1000)

    LONG = ("probe", "--offset", "0..9999", "--op", "read,write,copy", *MODEL, "--quiet", "--output")

    def test_a_terminal_that_is_closed(self):
        target = self.directory / "report.json"
        ours, theirs = pty.openpty()
        process = self.start(*self.LONG, str(target), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                             preexec_fn=lambda: os.close(os.open(os.ttyname(theirs), os.O_RDWR)))
        os.close(theirs)
        self.wait_for(target, process)
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertGreater(len(strict_json(target.read_text())["results"]), 0)

    def test_a_second_hangup_is_no_haste(self):
        target = self.directory / "report.json"
        process = self.start(*self.LONG, str(target))
        self.wait_for(target, process)
        for _ in range(50):
            process.send_signal(signal.SIGHUP)
        self.interrupted(process, signal.SIGHUP, written=True)
        self.assertGreater(len(strict_json(target.read_text())["results"]), 0)

    def test_no_signal_leaves_an_unfinished_file(self):
        target = self.directory / "report.json"
        ending = [number for number in signal.Signals if number.name in (
            "SIGHUP", "SIGINT", "SIGQUIT", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGIO")]
        seen = 0
        for number in ending * 3:
            process = self.start("probe", "--offset", "0..3999", "--op", "read", *MODEL, "--quiet", "--output", str(target))
            # Just now a file is being written, and a second signal ends the process whatever the first one does.
            unfinished = self.directory / f".gpumem-{process.pid}-0.tmp"
            self.wait_for(unfinished, process)
            process.send_signal(number)
            process.send_signal(number if number != signal.SIGHUP else signal.SIGTERM)
            process.communicate(timeout=60)
            seen += process.returncode == -number
            self.assertIn(process.returncode, (-number, -signal.SIGTERM, 130))
            self.assertLessEqual({*os.listdir(self.directory)}, {"report.json"}, number.name)
        self.assertGreater(seen, len(ending))

    def test_nohup_stays(self):
        target = self.directory / "report.json"
        process = self.start("probe", "--offset", "0..2999", *MODEL, "--quiet", "--output", str(target),
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for(target, process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual((process.communicate(timeout=60), process.returncode), (("", ""), 0))
        self.assertEqual(len(strict_json(target.read_text())["results"]), 3000)


if __name__ == "__main__":
    unittest.main()
