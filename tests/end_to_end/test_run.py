"""gpumem run without a GPU: it leaves the command alone, ends with its exit code, and shows what was left to be shown."""

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

from harness import (LIBRARY, PROGRAM, WATCHED, ProgramTest, environment, has_library, has_watched, run,
                     strict_json)

NOTE = r"\Agpumem: [^\n]+ did not use CUDA, so there is nothing to show\n\Z"

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


class RunTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.variables = environment(TMPDIR=str(self.temporary))

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "left behind")

    def watch(self, *command, options=(), **more):
        """`gpumem run` with bytes, not text."""
        return subprocess.run([PROGRAM, "run", *options, "--", *command], capture_output=True, timeout=60, check=False,
                              env=more.pop("env", self.variables), **more)

    def unused(self, done):
        """Asserts that nothing was said but that there was nothing."""
        self.assertRegex(done.stderr.decode(), NOTE)

    def start(self, *command, **more):
        process = subprocess.Popen([PROGRAM, "run", "--", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.variables, **more)
        self.addCleanup(process.kill)
        return process

    def with_cupti(self):
        """Its library is looked for, and nobody loads it here."""
        library = self.directory / "libcupti.so"
        library.touch()
        return self.variables | {"GPUMEM_CUPTI": str(library)}

    def refused(self, *arguments, code=2, **more):
        return self.fail_with(code, "run", *arguments, env=more.pop("env", self.variables), **more)


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


@has_library
@has_watched
class Report(RunTest):
    """The report of a command that leaves the data that the library would."""

    def setUp(self):
        super().setUp()
        self.variables |= {"GPUMEM_SANITIZER": str(Path(WATCHED).resolve())}  # any file: nobody loads it

    def test_table_goes_to_stderr(self):
        done = self.watch(WATCHED, "kernels", "7")
        self.assertEqual((done.returncode, done.stdout), (7, b""))
        self.assertIn("transpose", done.stderr.decode())

    def test_files_and_formats(self):
        report, table = self.directory / "report.json", self.directory / "report.md"
        done = self.watch(WATCHED, "kernels", options=("--quiet", "--output", report, "--output", table))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        program, results = (strict_json(report.read_text())[member] for member in ("program", "results"))
        self.assertEqual((program["command"], program["exit_code"]), ([WATCHED, "kernels"], 0))
        self.assertEqual([one["parameters"]["kernel"] for one in results][0], "transpose(float*, float const*)")
        self.assertIn("transpose", table.read_text())
        shown = self.watch(WATCHED, "kernels", options=("--format", "json"))
        self.assertEqual([one["parameters"] for one in strict_json(shown.stderr.decode())["results"]],
                         [one["parameters"] for one in results])
        self.assertIn("transpose", self.succeed("show", str(report)))

    def test_processes_are_one_report(self):
        report = self.directory / "report.json"
        self.watch("sh", "-c", f'"{WATCHED}" kernels & "{WATCHED}" kernels; wait', options=("--output", report))
        merged = strict_json(report.read_text())
        self.assertEqual((merged["program"]["processes"], merged["program"]["launches_seen"]), (2, 60))
        self.assertEqual(len(merged["results"]), 2)

    def test_died_in_the_middle(self):
        report = self.directory / "report.json"
        done = self.watch("sh", "-c", f'"{WATCHED}" cut; kill -KILL $$', options=("--output", report))
        self.assertEqual(done.returncode, 137)
        self.assertEqual(strict_json(report.read_text())["program"]["exit_code"], 137)
        self.assertIn("transpose", done.stderr.decode())

    def test_cannot_be_watched(self):
        report = self.directory / "report.json"
        line = self.refused("--output", str(report), "--", WATCHED, "fatal", "1", code=3)
        self.assertIn("its own exit code was 1", line)
        self.assertIn("another tool has it", line)
        self.assertEqual(strict_json(report.read_text())["results"], [])

    def test_no_sanitizer(self):
        if Path("/usr/local/cuda/compute-sanitizer").exists():
            self.skipTest("there is one")
        bare = {"TMPDIR": str(self.temporary), "PATH": "/nowhere"}
        line = self.refused("--", str(Path(WATCHED).resolve()), "fatal", code=3, env=bare)
        self.assertIn("pip install nvidia-cuda-sanitizer-api", line)

    def test_another_library_was_to_be_injected(self):
        report = self.directory / "report.json"
        self.watch(WATCHED, "kernels", options=("--output", report), env=self.variables | {"CUDA_INJECTION64_PATH": "/theirs.so"})
        notes = strict_json(report.read_text())["program"]["notes"]
        self.assertEqual(len(notes), 1)
        self.assertIn("CUDA_INJECTION64_PATH names /theirs.so, which was not loaded", notes[0])

    def test_another_library_was_to_see_ranges(self):
        report = self.directory / "report.json"
        done = self.watch("sh", "-c", f'"{WATCHED}" kernels; echo $NVTX_INJECTION64_PATH', options=("--output", report),
                          env=self.variables | {"NVTX_INJECTION64_PATH": "/theirs.so"})
        self.assertEqual(done.stdout, b"/theirs.so\n")
        (note,) = strict_json(report.read_text())["program"]["notes"]
        self.assertIn("NVTX_INJECTION64_PATH is /theirs.so and was kept", note)

    def test_ranges_are_a_column_where_there_are_any(self):
        report = self.directory / "report.json"
        for what, ranges in (("ranges", ["step, ...", None]), ("kernels", [None, None])):
            done = self.watch(WATCHED, what, options=("--output", report))
            results = strict_json(report.read_text())["results"]
            self.assertEqual([one.get("range") for one in results], ranges)
            self.assertEqual("step, ..." in done.stderr.decode(), what == "ranges")

    def test_graphs_that_nobody_saw(self):
        """Their time is in no sum, and no share is of it."""
        report = self.directory / "report.json"
        words = " ".join(self.watch(WATCHED, "graphs", options=("--output", report)).stderr.decode().split())
        self.assertIn("12 launches of CUDA graphs were not seen, and their kernels are in no sum; add --counters", words)
        self.assertIn("1 kernel is fine: 17 % of the GPU time that is known.", words)
        program = strict_json(report.read_text())["program"]
        self.assertAlmostEqual(program["gpu_seconds"], 12e-3)
        self.assertIn(12, program["skipped"].values())
        self.assertIn("of the GPU time that is known", " ".join(self.succeed("show", str(report)).split()))

    def test_counters_instead_of_sites(self):
        report = self.directory / "report.json"
        done = self.watch(WATCHED, "kernels", options=("--counters", "--output", report), env=self.with_cupti())
        self.assertIn("30 launches of", done.stderr.decode())
        self.assertIn("6 launches counted", done.stderr.decode())
        self.assertIn("not counted: counting takes more launches than it had; add --replay", " ".join(done.stderr.decode().split()))
        transpose, copy = strict_json(report.read_text())["results"]
        self.assertEqual((transpose["counters"]["global_load_sectors"], transpose["access"]), (32 << 20, []))
        self.assertEqual((copy["status"], copy["counters"]), ("skipped", None))

    def test_sites_and_counters_are_two_runs(self):
        report, apart, counted = (self.directory / name for name in ("both.json", "sites.json", "counters.json"))
        done = self.watch("sh", "-c", f'echo ran; "{WATCHED}" kernels', options=("--counters", "--sites", "--output", report),
                          env=self.with_cupti())
        self.assertEqual(done.stdout, b"ran\nran\n")
        self.assertIn("the command runs once more, to be counted", done.stderr.decode())
        both = strict_json(report.read_text())
        self.assertEqual(both["program"]["engines"], ["sites", "counters"])
        (load,) = both["results"][0]["access"]
        self.assertEqual(load["sectors_per_request"], {"predicted": 32, "counted": 32, "least": 4})
        # The same from reports of two runs, in whichever order.
        self.watch(WATCHED, "kernels", options=("--output", apart))
        self.watch(WATCHED, "kernels", options=("--counters", "--output", counted), env=self.with_cupti())
        texts = {run("explain", str(one), str(other)).stdout for one, other in ((apart, counted), (counted, apart))}
        self.assertEqual(len(texts), 1)
        self.assertIn("sectors per load", texts.pop())
        self.assertIn("gpumem compare", self.fail_with(2, "explain", str(apart), str(apart)))

    def test_a_command_that_fails_is_not_run_again(self):
        done = self.watch("sh", "-c", f'echo ran; "{WATCHED}" kernels 3', options=("--counters", "--sites"), env=self.with_cupti())
        self.assertEqual((done.returncode, done.stdout), (3, b"ran\n"))
        self.assertIn("not run again", done.stderr.decode())

    def test_no_cupti(self):
        if any(list(Path("/usr/local").glob(f"cuda*/{place}/libcupti.so.*")) for place in ("extras/CUPTI/lib64", "lib64")):
            self.skipTest("there is one")
        bare = {"TMPDIR": str(self.temporary), "PATH": "/nowhere"}
        line = self.refused("--counters", "--", str(Path(WATCHED).resolve()), "fatal", code=3, env=bare)
        self.assertIn("pip install nvidia-cuda-cupti", line)

    def test_replay_is_of_counters(self):
        self.assertIn("--counters", self.refused("--replay", "--", "true"))
        self.assertIn("--counters", self.refused("--sites", "--replay", "--", "true"))
    def test_kernels_are_held_to_expectations(self):
        report, suite = self.directory / "report.json", self.directory / "suite.json"
        self.watch(WATCHED, "kernels", options=("--output", report))
        text = self.succeed("check", str(report))
        self.assertIn("PASS  the program ended well", text)

        def check(quantity, kernel, **bounds):
            one = {"name": "e", "cases": {"probe": "kernel", "kernel": kernel}, "quantity": quantity} | bounds
            suite.write_text(json.dumps({"schema_version": 1, "name": "own", "purpose": "p", "expectations": [one]}))
            done = run("check", str(suite), str(report), "--quiet", env=environment(COLUMNS="200"))
            return done.returncode, done.stdout

        code, text = check("bytes_moved_per_byte_used", "transpose|copy", at_most=1.2)
        self.assertEqual(code, 1)
        self.assertIn("8.00 > 1.2  transpose: 8 bytes moved per byte used", text)
        self.assertEqual(check("bytes_moved_per_byte_used", "^copy", at_most=1.2)[0], 0)
        self.assertEqual(check("bytes_moved_per_byte_used", "^copy", at_most=1.2, where={"quantity": "launches", "at_least": 21})[0], 1)
        self.assertEqual(check("gpu_time_share", "transpose", at_least=0.8)[0], 0)
        self.watch(WATCHED, "kernels", "1", options=("--output", report))
        self.assertRegex(run("check", str(report)).stdout, "FAIL +the program ended well +exit code 1\n")
        self.assertEqual(check("gpu_time_share", "transpose", at_least=0.8)[0], 1)

    def test_two_runs_are_compared(self):
        before, after = self.directory / "before.json", self.directory / "after.json"
        self.watch(WATCHED, "kernels", options=("--output", before))
        report = strict_json(before.read_text())
        self.assertEqual([one["first_launch"] for one in report["results"]], [0, 1])
        report["results"][0]["parameters"]["kernel"] = "transpose_tile(float*, float const*)"
        for member in ("median", "ci95_low", "ci95_high"):
            if report["results"][0]["time_seconds"][member]:
                report["results"][0]["time_seconds"][member] /= 2
        after.write_text(json.dumps(report))
        text = self.succeed("compare", str(before), str(after), env=environment(COLUMNS="120"))
        self.assertIn("matched by place: transpose -> transpose_tile", text)
        self.assertIn("GPU time of the program: ", text)
        self.assertRegex(text, r"transpose +1000 +500 +\+100\.0 ")
        self.assertEqual(self.succeed("compare", str(before), str(after), "kernel=^copy").count("matched by place"), 0)
        probes = self.directory / "probes.json"
        run("probe", "--offset", "0", "--backend", "model", "--output", str(probes))
        self.assertIn("is of a program", self.fail_with(2, "compare", str(before), str(probes)))

    def test_raw_files_can_be_kept_and_shown_again(self):
        kept = self.directory / "new" / "kept"
        first, again = self.directory / "first.json", self.directory / "again.json"
        self.watch(WATCHED, "kernels", options=("--output", first), env=self.variables | {"GPUMEM_RUN_KEEP": str(kept)})
        self.assertTrue(list(kept.glob("*.events")))
        done = self.watch("sh", "-c", "exit 3", options=("--output", again), env=self.variables | {"GPUMEM_RUN_RAW": str(kept)})
        self.assertEqual(done.returncode, 3)
        self.assertEqual(*(strict_json(report.read_text())["results"] for report in (first, again)))
        self.assertIn("another run", self.refused("--", "true", env=self.variables | {"GPUMEM_RUN_KEEP": str(kept)}))


if __name__ == "__main__":
    unittest.main()
