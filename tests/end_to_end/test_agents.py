"""The tools of `gpumem-mcp`: what they answer and how long that is, and the server with a client of the SDK."""

import asyncio
import copy
import functools
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import unittest
from pathlib import Path

import documents
from harness import PROGRAM, WATCHED, ProgramTest, environment, has_library, has_watched, run
from python_package import BUILD, has

PAGE = documents.DOCS / "agents.md"
SKILL = documents.DOCS / "agents" / "SKILL.md"
REFERENCES = documents.ROOT / "configs" / "reference"
PROGRAMS = REFERENCES / "h100" / "public-programs"
QUICKSORT, MURMURHASH = PROGRAMS / "quicksort.json", PROGRAMS / "murmurhash3.json"
BEFORE, AFTER = (REFERENCES / "h100" / "programs" / f"three_faults_{name}.json" for name in ("before", "layout"))
MOST_BYTES = 3750  # 1,500 tokens of 2.5 bytes
TOOLS = {"predict_pattern", "run_program", "explain_kernel", "compare_runs", "expect_gpu", "check_gpu"}
MEASURING = {"run_program", "check_gpu"}
PATHS = os.pathsep.join(filter(None, (str(BUILD / "python"), os.environ.get("PYTHONPATH"))))
SERVER = [sys.executable, "-m", "gpumem.agents.server"]
has_package = unittest.skipUnless((BUILD / "python" / "gpumem" / "agents").exists(), "this build has no Python package")


@functools.cache
def module(name):
    """A module of gpumem.agents in the build folder."""
    os.environ["GPUMEM"] = str(Path(PROGRAM).resolve())
    if str(BUILD / "python") not in sys.path:
        sys.path.insert(0, str(BUILD / "python"))
    return importlib.import_module(f"gpumem.agents.{name}")


@functools.cache
def report(path):
    return module("calls").saved(str(path), timeout=60)


def programs():
    """The reference reports of programs."""
    paths = sorted({*PROGRAMS.glob("*.json"), *(REFERENCES / "h100" / "corpus").glob("*.json"), BEFORE, AFTER})
    return [(path, report(path)) for path in paths]


class AgentTest(ProgramTest):
    def answer(self, tool, **arguments):
        text = getattr(module("tools"), tool)(**arguments)
        self.assertLessEqual(len(text.encode()), MOST_BYTES)
        return text

    def error(self, tool, **arguments):
        with self.assertRaises(module("tools").Error) as caught:
            getattr(module("tools"), tool)(**arguments)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def changed(self, path, change):
        """A report that `change` has been done to."""
        text = json.loads(path.read_text(encoding="utf-8"))
        change(text)
        file = self.directory / "changed.json"
        file.write_text(json.dumps(text), encoding="utf-8")
        return str(file)


@has_package
class Answers(AgentTest):
    def test_every_kernel_of_the_references_has_a_short_answer(self):
        tools, answers, kernels = (module(name) for name in ("tools", "answers", "kernels"))
        seen = 0
        for path, found in programs():
            for index in range(len(found.results)):
                head, tail = tools.program_parts(found, index)
                text = answers.answer(tools.summary(found), head, tail)
                with self.subTest(path.name, kernel=index):
                    self.assertLessEqual(len(text.encode()), MOST_BYTES)
                    for word in ("kernel", "diagnosis", "source", "proof", "saving", "bound", "measure again"):
                        self.assertEqual(len(re.findall(rf"^{word}: \S", text, re.MULTILINE)), 1, word)
                    self.assertEqual(shlex.split(text.splitlines()[-1])[2:4], ["gpumem", "run"])
                seen += kernels.bound_of(found.results[index], found) is not None
        self.assertGreater(seen, 500)

    def test_lines_and_lists_are_cut(self):
        answer = module("answers").answer
        head, rows, tail = ["é" * 5000] * 3, ["row " + "x" * 30] * 500, ["measure again: " + "y" * 5000]
        text = answer(head, rows, tail)
        self.assertLessEqual(len(text.encode()), MOST_BYTES)
        kept = text.count("row ")
        self.assertGreater(kept, 10)
        self.assertIn(f"\n({500 - kept} more left out)\nmeasure again: yyy", text)
        self.assertLessEqual(len(answer(head * 10, rows, tail).encode()), MOST_BYTES)
        self.assertIn("\nmeasure again: ", answer(head * 10, rows, tail))
        self.assertEqual(answer(["a"], ["b"], ["c"]), "a\nb\nc")

    def test_patterns_are_predicted(self):
        text = self.answer("predict_pattern", gpu="h200", pattern="i * 8")
        self.assertIn("nothing was measured", text)
        self.assertIn("sectors a request 32 predicted", text)
        predicted = self.predict("--pattern", "i * 8")["results"][0]
        self.assertIn(f"{predicted['bandwidth_gb_per_s']['predicted']:.0f} GB/s", text)
        self.assertIn("gpumem probe '--pattern=i * 8' --counters", text)
        again = self.answer("predict_pattern", gpu="h100", pattern="i / 32")
        self.assertNotIn("bound", again)
        self.assertIn("caches serve elements again", again)
        shared = self.answer("predict_pattern", gpu="h100", pattern="column * pitch + row", axes={"rows": 32})
        self.assertIn("wavefronts a request 32 predicted", shared)
        strides = self.answer("predict_pattern", gpu="h100", axes={"--word-bytes": 4, "stride": "1..32", "op": ["read", "write"]})
        self.assertIn("64 of 64 cases", strides)
        self.assertRegex(strides, r"\n- stride_elements=1 op=read: load at source \(global\): sectors a request 4 predicted; .*bound ")
        self.assertRegex(strides, r"\n\(\d+ more left out\)\nmeasure it: ")

    def test_nothing_is_measured_where_it_is_predicted(self):
        for name in ("backend", "--backend", "counters", "output", "config", "device", "dry-run"):
            self.assertIn("is no axis of a prediction", self.error("predict_pattern", gpu="h200", axes={name: "x"}))

    def test_a_kernel_is_explained(self):
        text = self.answer("explain_kernel", report=str(QUICKSORT))
        advice = report(QUICKSORT)["advice"][0]
        self.assertIn(f"\ndiagnosis: {advice['text']}\n", text)
        self.assertIn(f"\nsource: {advice['source_line']}\n", text)
        self.assertTrue(text.endswith(f"\nmeasure again: {advice['command']}"), text)
        self.assertIn("\n(96 more left out)\n", text)
        self.assertIn("\nkernel: lqsort_kernel, ", self.answer("explain_kernel", report=str(QUICKSORT), kernel="^lq"))
        other = self.answer("explain_kernel", report=str(BEFORE), kernel="3")
        self.assertIn("\nkernel: reduce_kernel, ", other)
        self.assertIn("launched at three_faults.py:31 in step, for aten::sum", other)

    def test_counts_of_the_hardware_are_in_the_proof(self):
        text = self.answer("explain_kernel", report=str(REFERENCES / "h200" / "programs" / "kernels-counted.json"))
        self.assertIn("\nproof: 4 sectors a global load counted; 32 sectors a global store counted; measured 1.06 ms", text)
        self.assertIn("\nsaving: not known: ", text)

    def test_cases_of_probes_are_explained(self):
        text = self.answer("explain_kernel", report=str(REFERENCES / "h200" / "stride.json"), kernel="0")
        explained = self.succeed("explain", str(REFERENCES / "h200" / "stride.json"), "0")
        self.assertEqual(text.splitlines()[:-1], explained.splitlines())

    def test_runs_are_compared(self):
        text = self.answer("compare_runs", old=str(BEFORE), new=str(AFTER))
        self.assertIn("1 faster", text)
        self.assertRegex(text, r"\n- faster: elementwise_kernel: 583 us -> 258 us, speed 2.26 x, bound 240 us \(93 % .* 3.33 -> 1\n")
        self.assertNotRegex(text, "FASTER|FEWER")
        probes = self.answer("compare_runs", old=str(REFERENCES / "h200" / "unfitted" / "stride.json"),
                             new=str(REFERENCES / "h200" / "stride.json"), tolerance="0.01%")
        self.assertIn("\nnot alike: gpumem's commit: ", probes)
        self.assertNotIn("- same: ", probes)

    def test_a_gpu_is_expected_and_checked(self):
        expected = json.loads(self.succeed("expect", "h100", "--format", "json"))["expected"]
        text = self.answer("expect_gpu", gpu="h100")
        self.assertEqual([line.split(":")[0][2:] for line in text.splitlines()[1:-1]], [one["quantity"] for one in expected])
        smoke = REFERENCES / "h100" / "smoke.json"
        self.assertRegex(self.answer("check_gpu", report=str(smoke)), r"\APASS: smoke on NVIDIA H100.*: 46 passed, 0 failed")

        def wrong(made):
            made["results"][0]["verified"] = False

        failed = self.answer("check_gpu", report=self.changed(smoke, wrong))
        self.assertRegex(failed, r"\AFAIL: [^\n]*45 passed, 1 failed, 0 skipped\n- FAIL data verified: ")


@has_package
class Bounds(AgentTest):
    def test_no_launch_was_faster_than_its_bytes_allow(self):
        """The sums of a row of `work.sites` are those that docs/report.md lists: useful bytes add up to the kernel's."""
        kernels, exact = module("kernels"), 0
        for path, found in programs():
            for index, case in enumerate(found.results):
                bound, taken = kernels.bound_of(case, found), kernels.time_of(case)
                if not bound or not bound.is_exact:
                    continue
                useful = sum(case["useful_bytes"].values())
                self.assertLessEqual(bound.bytes, 1.001 * useful + 32, f"{path.name} {index}")
                if taken and not bound.fits_l2:
                    exact += 1
                    self.assertLessEqual(bound.seconds, taken, f"{path.name} {index}")
        self.assertGreater(exact, 100)

    def faster(self, times):
        def change(made):
            for case in made["results"]:
                for name in ("median", "ci95_low", "ci95_high", "min", "p05", "p95"):
                    case["time_seconds"][name] /= times
                case["time_seconds"]["samples"] = [sample / times for sample in case["time_seconds"]["samples"]]
        return change

    def test_an_impossible_time_is_exposed(self):
        """The bound is 212 us, and the time was 1.03 ms."""
        possible = self.changed(MURMURHASH, self.faster(4))
        self.assertNotIn("FASTER", self.answer("explain_kernel", report=possible))
        self.assertNotIn("FASTER", self.answer("compare_runs", old=str(MURMURHASH), new=possible))
        impossible = self.changed(MURMURHASH, self.faster(6))
        self.assertIn("FASTER THAN ITS BYTES ALLOW", self.answer("explain_kernel", report=impossible))
        text = self.answer("compare_runs", old=str(MURMURHASH), new=impossible)
        self.assertRegex(text, "\n- faster: .*FASTER THAN ITS BYTES ALLOW: check the result")

    def test_less_work_is_exposed(self):
        def half(made):
            for row in made["results"][0]["work"]["sites"]:
                row[5:] = [value / 2 for value in row[5:]]
        text = self.answer("compare_runs", old=str(MURMURHASH), new=self.changed(MURMURHASH, half))
        self.assertIn("FEWER BYTES: 710 MB -> 355 MB moved once: check the result", text)

    def test_spills_and_data_in_caches_count_nothing(self):
        kernels, case = module("kernels"), copy.deepcopy(report(MURMURHASH).results[0])
        before = kernels.bound_of(case, report(MURMURHASH))
        case["work"]["sites"].append(["local", "store", 4, 0, 1000, 128000, 4000, 1000, 4000])
        case["work"]["sites"].append(["global", "load", 4, 0, 1000, 128000, 4000, 1000])
        self.assertEqual(kernels.bound_of(case, report(MURMURHASH)), before)
        case["work"]["sites"].append(["global", "load", 4, 0, 1000, 4000, 1000, 1000, 1000])
        self.assertEqual(kernels.bound_of(case, report(MURMURHASH)).bytes, before.bytes + 4000)


@has_package
class Errors(AgentTest):
    def test_they_are_the_programs_own_line(self):
        for tool, arguments, words in (
                ("predict_pattern", {"gpu": "nosuch", "pattern": "i"}, ("probe", "--pattern=i", "--backend=model", "--gpu=nosuch")),
                ("predict_pattern", {"gpu": "h100", "pattern": "i * * 3"}, ("probe", "--pattern=i * * 3", *("--backend", "model"))),
                ("predict_pattern", {"gpu": "h100", "axes": {"strid": 1}}, ("probe", "--strid=1", "--backend=model", "--gpu=h100")),
                ("explain_kernel", {"report": "nofile.json"}, ("explain", "nofile.json")),
                ("compare_runs", {"old": str(BEFORE), "new": "nofile.json"}, ("compare", str(BEFORE), "nofile.json")),
                ("compare_runs", {"old": str(BEFORE), "new": str(AFTER), "tolerance": "much"},
                 ("compare", str(BEFORE), str(AFTER), "--tolerance=much")),
                ("explain_kernel", {"report": str(documents.README)}, ("explain", str(documents.README))),
                ("expect_gpu", {"gpu": "nosuch"}, ("expect", "nosuch")),
                ("check_gpu", {"report": str(BEFORE), "suite": "smok"}, ("check", "smok", str(BEFORE))),
                ("run_program", {"command": "/nowhere/app", "report": "x.json"}, ("run", "--", "/nowhere/app"))):
            with self.subTest(tool, **arguments):
                done = run(*words)
                self.assertEqual(f"gpumem: {self.error(tool, **arguments)}\n", done.stderr)

    def test_mistakes_in_arguments(self):
        self.assertIn("nothing to predict: give a pattern", self.error("predict_pattern", gpu="h100"))
        self.assertEqual(self.error("explain_kernel", report=str(QUICKSORT), kernel="foo"),
                         "no kernel matches 'foo': there are gqsort_kernel, lqsort_kernel")
        self.assertIn("'(' is no regular expression", self.error("explain_kernel", report=str(QUICKSORT), kernel="("))
        self.assertIn("is no list of words", self.error("run_program", command="'", report="x.json"))
        self.assertIn("leave out --, --output", self.error("run_program", command="true", report="x.json", options="--output=y"))
        self.assertIn("there is no folder", self.error("run_program", command="true", report="/nowhere/x.json"))
        self.assertIn("give a time above 0", self.error("expect_gpu", gpu="h100", timeout_seconds=0))


@has_package
@has_library
class Programs(AgentTest):
    def test_a_program_cannot_flood_the_answer_or_wait_for_input(self):
        script = "cat; i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i + 1)); done; echo last >&2; exit 3"
        file = self.directory / "x.json"
        text = self.answer("run_program", command=shlex.join(["sh", "-c", script]), report=str(file))
        self.assertIn("the program ended with 3\nsh used no GPU, so there is nothing to show\n", text)
        self.assertIn("line 19999", text)
        self.assertLess(len(text), 700)
        self.assertEqual(json.loads(file.read_text(encoding="utf-8"))["program"]["exit_code"], 3)

    def test_time_is_limited(self):
        file = self.directory / "process"
        command = shlex.join(["sh", "-c", f'echo $$ > "{file}"; exec sleep 600'])
        began = time.monotonic()
        said = self.error("run_program", command=command, report=str(self.directory / "x.json"), timeout_seconds=2)
        self.assertIn("'gpumem run' was ended after 2 s", said)
        self.assertLess(time.monotonic() - began, 30)
        process = int(file.read_text(encoding="utf-8"))
        for _ in range(50):
            if not Path(f"/proc/{process}").exists() or "sleep" not in Path(f"/proc/{process}/cmdline").read_text():
                break
            time.sleep(0.1)
        else:
            self.fail(f"process {process} runs on")

    @has_watched
    def test_kernels_are_explained(self):
        """The program leaves what the library of `gpumem run` would."""
        file = self.directory / "app.json"
        script = f'exec "{Path(WATCHED).resolve()}" kernels'
        text = self.answer("run_program", command=shlex.join(["sh", "-c", script]), report=str(file))
        self.assertIn(f"measured into {file}; the program ended with 0\nprogram: ", text)
        explained = self.answer("explain_kernel", report=str(file))
        for line in explained.splitlines():
            self.assertIn(line, text)


@has_package
class Server(AgentTest):
    def environment(self):
        return environment(GPUMEM=str(Path(PROGRAM).resolve()), PYTHONPATH=PATHS)

    def test_without_the_sdk_it_says_what_to_install(self):
        code = "import sys; sys.modules['mcp'] = None; from gpumem.agents.server import main; sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60,
                              env=self.environment())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]*pip install \"gpumem\[mcp\]\"[^\n]*\n\Z")

    def test_it_says_how_it_is_started(self):
        done = subprocess.run([*SERVER, "--help"], capture_output=True, text=True, check=False, timeout=60,
                              env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("client starts it", done.stdout)

    def session(self, *calls):
        """The server's tools, and what it answers to calls of them."""
        # pylint: disable-next=import-outside-toplevel
        from mcp import Client, StdioServerParameters

        async def talk():
            parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=self.environment(), cwd=self.directory)
            async with Client(parameters) as client:
                return (await client.list_tools()).tools, [await client.call_tool(*call) for call in calls]

        return asyncio.run(asyncio.wait_for(talk(), 240))

    @unittest.skipUnless(has("mcp"), "mcp is not installed; 'python3 -m pip install mcp' does that")
    def test_a_client_calls_every_tool(self):
        calls = (("predict_pattern", {"gpu": "h200", "pattern": "i * 3 ^ 5"}), ("explain_kernel", {"report": str(QUICKSORT)}),
                 ("compare_runs", {"old": str(BEFORE), "new": str(AFTER)}), ("expect_gpu", {"gpu": "h100"}),
                 ("check_gpu", {"report": str(REFERENCES / "h100" / "smoke.json")}),
                 ("run_program", {"command": "sh -c 'cat; echo hello'", "report": "x.json"}),
                 ("predict_pattern", {"gpu": "h100", "pattern": "i * * 3"}), ("explain_kernel", {"report": "nofile.json"}),
                 ("explain_kernel", {}))
        tools, answers = self.session(*calls)
        self.assertEqual({tool.name for tool in tools}, TOOLS)
        for tool in tools:
            self.assertGreater(len(tool.description), 100)
            self.assertIn("timeout_seconds", tool.input_schema["properties"])
            self.assertEqual(tool.annotations.read_only_hint, tool.name not in MEASURING)
        texts = ["".join(part.text for part in one.content) for one in answers]
        self.assertEqual([one.is_error for one in answers], [False] * 6 + [True] * 3, texts)
        for text, (name, arguments) in zip(texts[:5], calls):
            self.assertEqual(text, self.answer(name, **arguments))
        self.assertIn("hello", texts[5])
        self.assertTrue((self.directory / "x.json").exists())
        self.assertRegex(texts[6], r"gpumem: --pattern: column 5 of 'i \* \* 3': a value is missing before '\*'\Z")
        self.assertRegex(texts[7], r"gpumem: cannot read 'nofile.json': No such file or directory\Z")


@has_package
class Pages(AgentTest):
    def test_the_answer_that_is_shown(self):
        call = next(json.loads(block.text) for block in documents.blocks(PAGE, "json") if '"arguments"' in block.text)
        with documents.working_in(documents.ROOT):
            text = self.answer(call["name"], **call["arguments"])
        shown = next(block for block in documents.blocks(PAGE, "") if block.text.startswith("program: "))
        self.assertEqual(shown.text, text + "\n", f"{shown.place}: the tool answers this now")

    def test_tools_are_listed(self):
        rows = documents.table(documents.sections(PAGE)["Tools"])
        self.assertEqual({documents.spans(row[0])[0] for row in rows}, TOOLS)
        self.assertEqual({tool.__name__ for tool in (*module("server").READING, *module("server").MEASURING)}, TOOLS)
        self.assertEqual({tool.__name__ for tool in module("server").MEASURING}, MEASURING)

    def test_the_skill_is_short_and_names_tools_that_exist(self):
        self.assertLessEqual(len(documents.lines_of(SKILL)), 80)
        named = {span for span in documents.spans(documents.prose(SKILL)) if re.fullmatch(r"[a-z]+_[a-z_]+", span)}
        self.assertEqual(named - {"timeout_seconds"}, TOOLS)

    def test_the_length_is_the_one_that_is_documented(self):
        answers = module("answers")
        self.assertEqual((answers.MOST_TOKENS, answers.MOST_BYTES), (1500, MOST_BYTES))
        text = PAGE.read_text(encoding="utf-8")
        for figure in ("1,500 tokens", "2.5 bytes", "3,750 bytes", f"{answers.LONGEST_LINE} bytes"):
            self.assertIn(figure, " ".join(text.split()))
        self.assertIn(f"last {module('tools').OUTPUT_BYTES} characters", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
