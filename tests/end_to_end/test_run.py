"""gpumem run without a GPU: it leaves the command alone, and ends with its exit code."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from harness import LIBRARY, PROGRAM, WATCHED, has_library, run, strict_json
from watching import NOTE, RunTest

SIGNALS = """
import os, signal, sys, time
caught = []
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(one, lambda number, frame: caught.append(number))
print("ready", flush=True)
while not caught:
    time.sleep(0.01)
time.sleep(0.3)
print("caught", *caught, flush=True)
sys.exit(5)
"""


@has_library
class Command(RunTest):
    def test_one_that_never_uses_cuda(self):
        done = self.watch("true")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr, b"gpumem: true did not use CUDA, so there is nothing to show\n")

    def test_exit_code(self):
        for code in (0, 1, 3, 77, 255):
            done = self.watch("sh", "-c", f"exit {code}")
            self.assertEqual(done.returncode, code)
            self.unused(done)

    def test_ended_by_a_signal(self):
        for one in (signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT, signal.SIGINT):
            done = self.watch("sh", "-c", f"ulimit -c 0; kill -{int(one)} $$")
            self.assertEqual(done.returncode, 128 + one)
            self.unused(done)

    def test_streams_are_its_own(self):
        given = bytes(range(256)) * 5000
        done = self.watch("sh", "-c", "tee /dev/stderr", input=given)
        self.assertEqual(done.stdout, given)
        self.assertTrue(done.stderr.startswith(given))
        self.assertRegex(done.stderr[len(given):].decode(), NOTE)

    def test_input_is_left_for_whoever_comes_next(self):
        script = f'"{PROGRAM}" run -- head -c 3; cat'
        file = self.directory / "input"
        file.write_bytes(b"abcdef")
        with file.open("rb") as given:
            done = subprocess.run(["sh", "-c", script], stdin=given, capture_output=True, timeout=60, check=False,
                                  env=self.variables)
        self.assertEqual(done.stdout, b"abcdef")

    def test_arguments_arrive_as_they_are(self):
        words = ["", "--kernel", "-h", "--", "a b", "--output=x.json", "--help", "\n", "ä", "$HOME", "--=", "'"]
        done = self.watch(sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
        self.assertEqual(done.stdout.decode(), f"{words}\n")

    def test_environment_is_the_same_beside_ours(self):
        odd = {"GPUMEM_ODD": "a=b\nc", "EMPTY": "", "CUDA_VISIBLE_DEVICES": "1"}
        show = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
        alone = subprocess.run(show, capture_output=True, timeout=60, check=True, env=self.variables | odd).stdout
        watched = json.loads(self.watch(*show, env=self.variables | odd).stdout)
        injected = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
        ours = {name for name in watched if name.startswith("GPUMEM_RUN_") or name in injected}
        self.assertEqual({name: value for name, value in watched.items() if name not in ours}, json.loads(alone))
        self.assertEqual([Path(watched[name]) for name in injected], [LIBRARY] * 2)
        self.assertTrue(Path(watched["GPUMEM_RUN_FOLDER"]).is_absolute())

    def test_options_reach_the_library(self):
        options = ("--kernel", "a|b", "--launches", "3", "--skip-first", "10", "--max-overhead", "5%", "--device", "1")
        done = self.watch("env", options=options)
        for line in ("GPUMEM_RUN_KERNEL=a|b", "GPUMEM_RUN_LAUNCHES=3", "GPUMEM_RUN_SKIP_FIRST=10", "GPUMEM_RUN_MAX_OVERHEAD=0.05",
                     "GPUMEM_RUN_DEVICE=1"):
            self.assertIn(line, done.stdout.decode().splitlines())

    def test_script_without_an_interpreter(self):
        script = self.directory / "script"
        script.write_text('echo "$0 $1"; exit 4\n')
        script.chmod(0o700)
        for name, path in ((str(script), "/"), ("script", f"{self.directory}:{os.environ['PATH']}")):
            done = self.watch(name, "a b", env=self.variables | {"PATH": path})
            self.assertEqual((done.returncode, done.stdout.decode()), (4, f"{script} a b\n"))

    def test_signals_start_as_they_were(self):
        """Nothing is blocked, and what was ignored stays ignored."""
        ask = ("import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGHUP) == "
               "signal.SIG_IGN, signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)")
        script = f"trap '' HUP; \"{PROGRAM}\" run -- \"{sys.executable}\" -c '{ask}'"
        done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False, env=self.variables)
        self.assertEqual(done.stdout, b"set() True True\n")

    def test_signals_are_passed_on(self):
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            process = self.start(sys.executable, "-c", SIGNALS)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(one)
            out, _ = process.communicate(timeout=60)
            self.assertEqual((out.decode(), process.returncode), (f"caught {int(one)}\n", 5))

    def test_a_terminal_that_is_closed_sends_several_hangups(self):
        """Hangups that arrive after the command has ended do not keep the report from being written."""
        target = self.directory / "report.json"
        process = subprocess.Popen([PROGRAM, "run", "--quiet", "--output", str(target), "--", "sh", "-c",
                                    "trap 'exit 3' HUP; echo ready; while :; do sleep 0.01; done"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.variables)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.0005)
        self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 3))
        self.assertEqual(strict_json(target.read_text())["program"]["exit_code"], 3)

    def test_a_signal_that_ends_the_command(self):
        process = self.start("sh", "-c", "echo ready; exec sleep 60")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertRegex(err.decode(), NOTE)

    def test_nobody_reads_what_gpumem_says(self):
        """Nor its results: it is the command's end that counts, and a file that was asked for is written."""
        report = self.directory / "report.json"
        for command in (("sh", "-c", "exit 5"), (WATCHED, "kernels", "5")):
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run([PROGRAM, "run", "--output", report, "--", *command], stderr=writing, timeout=60, check=False,
                                  env=self.variables)
            os.close(writing)
            self.assertEqual(done.returncode, 5, command)
            self.assertEqual(strict_json(report.read_text())["program"]["exit_code"], 5)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_results_that_cannot_be_written(self):
        done = self.watch("sh", "-c", "exit 5", options=("--output", "/dev/full", "--format", "json"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("cannot write '/dev/full': No space left on device", done.stderr.decode())

    def test_signals_that_end_a_program_reach_the_command(self):
        """And do not end gpumem, which would leave the command to nobody."""
        for one in (signal.SIGPIPE, signal.SIGALRM, signal.SIGPROF, signal.SIGIO, signal.SIGRTMIN):
            process = self.start("sh", "-c", "echo ready; exec sleep 60")
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(one)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + one)

    def test_closed_pipes_end_the_command_as_ever(self):
        done = self.watch("sh", "-c", "(trap '' EXIT; yes; echo $? >&2) | head -n 1")
        self.assertEqual(done.stdout, b"y\n")
        self.assertTrue(done.stderr.startswith(b"141\n"), done.stderr)

    def test_what_it_leaves_behind_is_not_waited_for(self):
        process = self.start("sh", "-c", "sleep 60 >/dev/null 2>&1 </dev/null & echo $!")
        out, _ = process.communicate(timeout=20)
        os.kill(int(out), signal.SIGKILL)  # it is still there
        self.assertEqual(process.returncode, 0)

    def test_interrupted_while_the_result_is_made(self):
        """The folder goes then, too: reading a pipe that nobody writes to takes as long as one wants."""
        process = self.start("sh", "-c", "mkfifo $GPUMEM_RUN_FOLDER/1-1.events; echo done")
        self.assertEqual(process.stdout.readline(), b"done\n")
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)  # the first ones may come while the command has not quite ended
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertIn(process.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM))


@has_library
class Terminal(RunTest):
    """The command has the terminal as if it had been started there."""

    def on_terminal(self, *command):
        child, terminal = pty.fork()
        if child == 0:
            os.execve(PROGRAM, [PROGRAM, "run", "--", *command], self.variables)
        self.addCleanup(os.close, terminal)
        return child, terminal

    def read_until(self, terminal, text):
        seen = b""
        while text not in seen:
            self.assertTrue(select.select([terminal], [], [], 20)[0], seen)
            try:
                part = os.read(terminal, 4096)
            except OSError:  # all have closed it
                break
            if not part:
                break
            seen += part
        return seen.decode()

    def test_it_is_in_the_foreground(self):
        ask = "import os; print('is', os.isatty(0), os.isatty(1), os.getpgrp() == os.tcgetpgrp(0), input())"
        child, terminal = self.on_terminal(sys.executable, "-c", ask)
        os.write(terminal, b"typed\n")
        self.assertIn("is True True True typed", self.read_until(terminal, b"nothing to show"))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_interrupt_reaches_it_once(self):
        child, terminal = self.on_terminal(sys.executable, "-c", SIGNALS)
        self.read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        self.assertIn("caught 2\r\n", self.read_until(terminal, b"nothing to show"))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 5)

    def test_interrupt_that_ends_it(self):
        child, terminal = self.on_terminal("sh", "-c", "echo ready; exec sleep 60")
        self.read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        self.read_until(terminal, b"nothing to show")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 128 + signal.SIGINT)


class Usage(RunTest):
    def test_without_a_command(self):
        for arguments in ((), ("--",), ("--launches", "2")):
            self.assertIn("run needs a command behind --", self.refused(*arguments))
        for arguments in (("true",), ("./app", "--its-own")):
            self.assertIn("the program stands behind --: gpumem run -- " + " ".join(arguments), self.refused(*arguments))

    def test_values(self):
        for arguments, part in {
            ("--kernel", "(", "--", "true"): "'(' is no extended regular expression",
            ("--kernel", "--", "true"): "--kernel needs a value",
            ("--max-overhead", "20", "--", "true"): "--max-overhead",
            ("--launches", "-1", "--", "true"): "'-1' is no number of launches",
            ("--skip-first", "few", "--", "true"): "'few' is no number of launches",
            ("--gpu", "h20", "--", "true"): "no GPU profile 'h20': the nearest",
            ("--format", "xml", "--", "true"): "--format",
            ("--quiet", "--", "true"): "--quiet needs --output",
            ("--output", "-", "--", "true"): "standard output is the command's",
            ("--kernal", "a", "--", "true"): "did you mean '--kernel'?",
        }.items():
            self.assertIn(part, self.refused(*arguments), arguments)

    def test_output_is_tried_before_the_command_starts(self):
        trace = self.directory / "trace"
        for path in (Path("/dev/null/report.json"), self.directory / "report.data"):
            self.assertIn(str(path), self.refused("--output", str(path), "--", "touch", str(trace)))
        self.assertFalse(trace.exists())

    def test_nowhere_to_put_raw_files(self):
        nowhere = str(self.directory / "missing")
        self.assertIn("TMPDIR", self.refused("--", "true", env=self.variables | {"TMPDIR": nowhere}))

    @has_library
    def test_command_that_cannot_be_started(self):
        script = self.directory / "not-on-the-path"
        script.write_text("#!/missing/interpreter\n")
        self.assertIn("chmod +x", self.refused("--", str(script)))
        script.chmod(0o700)
        self.assertIn("#!", self.refused("--", str(script)))
        self.assertIn("none of that name on the PATH", self.refused("--", "no-such-command"))
        self.assertIn(f"./{script.name}", self.refused("--", script.name, cwd=self.directory))
        self.assertIn("it is a folder", self.refused("--", str(self.directory)))
        self.assertIn("No such file", self.refused("--", "./missing"))
        self.assertIn("''", self.refused("--", ""))

    @has_library
    def test_sanitizer_that_is_not_there(self):
        missing = str(self.directory / "libsanitizer-public.so")
        self.assertIn(missing, self.refused("--", "true", env=self.variables | {"GPUMEM_SANITIZER": missing}))

    def test_program_alone(self):
        """Copied without what it injects: where there is no GPU, no command can use one."""
        program = self.directory / "bin" / "gpumem"
        program.parent.mkdir()
        shutil.copy(PROGRAM, program)
        command = ("--", "sh", "-c", "exit 5")
        if any(Path("/dev", name).exists() for name in ("nvidiactl", "nvmap", "dxg")):
            line = self.refused(*command, code=3, program=str(program))
            self.assertIn("libgpumem_inject.so", line)
            self.assertIn(str(program), line)
        else:
            done = run("run", *command, program=str(program), env=self.variables)
            self.assertEqual((done.returncode, done.stdout), (5, ""))
            self.assertRegex(done.stderr, NOTE)


if __name__ == "__main__":
    unittest.main()
