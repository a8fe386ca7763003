"""The commands of docs/ci.md, run as they stand. Without a GPU, so every check predicts; and without Slurm, so srun is a
stand-in that runs its command as three nodes would, each with a host name of its own."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import gpumem

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")

GPUMEM = """#!/bin/bash
if [ "$1" = check ] || [ "$1" = probe ]; then
  arguments=()
  while [ $# -gt 0 ]; do
    if [ "$1" = --device ]; then shift; else arguments+=("$1"); fi
    shift
  done
  set -- "${arguments[@]}" --backend model --gpu h200
fi
exec "{program}" "$@"
"""

SRUN = """#!/bin/sh
for node in one two three; do
  NODE=$node SLURM_GPUS_ON_NODE=2 "$@" || exit
done
"""

HOSTNAME = "#!/bin/sh\necho ${NODE:-alone}\n"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)


class CiDocs(gpumem.ProgramTest):
    def setUp(self):
        super().setUp()
        tools = self.directory / "bin"
        tools.mkdir()
        program = GPUMEM.replace("{program}", gpumem.PROGRAM)
        for name, text in (("gpumem", program), ("srun", SRUN), ("hostname", HOSTNAME)):
            (tools / name).write_text(text, encoding="utf-8")
            (tools / name).chmod(0o755)
        self.path = f"{tools}:{os.environ['PATH']}"

    def run_script(self, script):
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.directory, capture_output=True,
                              text=True, timeout=120, check=False, env=os.environ | {"PATH": self.path})

    def run_block(self, script):
        done = self.run_script(script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def shell_block(self, word):
        found = [block for block in blocks("bash") if word in block]
        self.assertEqual(len(found), 1, word)
        return found[0]

    def test_one_machine(self):
        self.assertIn("PASS", self.run_block(self.shell_block("--attempts")))
        self.assertTrue((self.directory / "junit.xml").read_text(encoding="utf-8").startswith("<?xml"))
        self.assertTrue(json.loads((self.directory / "report.json").read_text(encoding="utf-8"))["checks"])

    def test_github_actions(self):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        workflow = yaml.safe_load(blocks("yaml")[0])
        steps = workflow["jobs"]["gpu-memory"]["steps"]
        commands = [step["run"] for step in steps if "run" in step]
        self.assertEqual(len(commands), 2)
        measurement = next(line for line in commands[1].splitlines() if line.startswith("gpumem probe"))
        self.run_block(measurement.replace("memory.json", "baseline.json"))
        for command in commands:
            self.run_block(command)
        uploaded = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
        for name in uploaded.split():
            self.assertTrue((self.directory / name).exists(), name)

    def test_slurm(self):
        script = self.shell_block("srun")
        self.run_block(script)
        names = sorted(path.name for path in (self.directory / "reports").iterdir())
        self.assertEqual(names, [f"{node}-{gpu}.json" for node in ("one", "three", "two") for gpu in (0, 1)])

    def test_prometheus(self):
        self.run_block(self.shell_block("--openmetrics"))
        text = (self.directory / "gpumem.prom").read_text(encoding="utf-8")
        for metric in re.findall(r"`(gpumem_[a-z_]+)", DOCUMENT):
            self.assertRegex(text, rf"(?m)^{metric}\b")

    def test_every_block_is_run(self):
        self.assertEqual(len(blocks("bash")), 3)
        self.assertEqual(len(blocks("yaml")), 1)
        self.assertEqual(DOCUMENT.count("\n```"), 2 * 4)


if __name__ == "__main__":
    unittest.main()
