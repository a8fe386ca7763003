"""The commands of docs/ci.md, run as they stand; those for nodes of a cluster in test_slurm.py and test_mpi.py. There
need not be a GPU, so every check predicts."""

import json
import re
import shlex
import shutil
import unittest

import documents
import harness

PAGE = documents.DOCS / "ci.md"


class CiDocs(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.sandbox = documents.Sandbox(self.directory, PAGE)

    def run_block(self, script):
        done = self.sandbox.run(script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def shell_block(self, word):
        found = [block.text for block in documents.blocks(PAGE, "bash") if word in block.text]
        self.assertEqual(len(found), 1, word)
        return found[0]

    def test_one_machine(self):
        self.assertIn("PASS", self.run_block(self.shell_block("--attempts")))
        self.assertTrue((self.directory / "junit.xml").read_text(encoding="utf-8").startswith("<?xml"))
        self.assertTrue(json.loads((self.directory / "report.json").read_text(encoding="utf-8"))["checks"])

    def yaml_block(self, word):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        block, = (block.text for block in documents.blocks(PAGE, "yaml") if word in block.text)
        return yaml.safe_load(block)

    def test_github_actions(self):
        workflow = self.yaml_block("name: GPU memory")
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

    def run_steps(self, word):
        """Runs the commands of a workflow. Its tools are there, and `git show` gives the file of the same name."""
        self.sandbox.add_tool("make", "#!/bin/sh\n")
        self.sandbox.add_tool("git", '#!/bin/sh\n[ "$1" != show ] || cat "${2#*:}"\n')
        (self.directory / "runner").mkdir()
        job, = self.yaml_block(word)["jobs"].values()
        for step in job["steps"]:
            if "run" not in step:
                continue
            done = self.sandbox.run(step["run"], RUNNER_TEMP=str(self.directory / "runner"), GITHUB_BASE_REF="main",
                                    GITHUB_STEP_SUMMARY=str(self.directory / "summary.md"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            yield done.stdout

    @harness.has_watched
    def test_counts_with_a_gpu(self):
        self.assertEqual(len(list(self.run_steps("name: Access counts\n"))), 2)
        self.assertIn("No count grew", (self.directory / "summary.md").read_text(encoding="utf-8"))

    @harness.has_watched
    def test_counts_without_a_gpu(self):
        self.run_block(self.shell_block("counts.json"))
        _, program, indices = self.run_steps("name: Access counts without")
        for printed in (program, indices):
            self.assertIn("No count grew", printed)

    def test_kubernetes_takes_the_manifest(self):
        try:
            import kubernetes_validate  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("kubernetes-validate is not installed")
        oldest = re.search(r"Kubernetes (\d+\.\d+) or\s+newer", documents.prose(PAGE))[1]
        kubernetes_validate.validate(self.yaml_block("kind: Job"), oldest, strict=True)

    def test_what_the_pods_run(self):
        pod = self.yaml_block("kind: Job")["spec"]["template"]["spec"]
        container, = pod["containers"]
        mount, = container["volumeMounts"]
        self.assertEqual((mount["name"], mount["mountPath"]), (pod["volumes"][0]["name"], container["workingDir"]))
        variable, = container["env"]
        self.assertEqual(variable["valueFrom"], {"fieldRef": {"fieldPath": "spec.nodeName"}})
        volume = self.directory / "reports"
        shutil.rmtree(volume)
        volume.mkdir()
        for node in range(6):
            command = shlex.join(container["command"]).replace(f"$({variable['name']})", f"node{node}")
            self.run_block(f"cd reports && {command}")
        self.assertEqual({path.name for path in volume.iterdir()}, {f"node{node}.json" for node in range(6)})
        gate, = (span for span in documents.spans(documents.prose(PAGE)) if span.startswith("gpumem compare --fleet"))
        self.assertIn("Healthy: none of the 6 GPUs", self.run_block(gate))

    def test_prometheus(self):
        self.run_block(self.shell_block("--openmetrics"))
        text = (self.directory / "gpumem.prom").read_text(encoding="utf-8")
        for metric in re.findall(r"`(gpumem_[a-z_]+)", documents.prose(PAGE)):
            self.assertRegex(text, rf"(?m)^{metric}\b")

    def test_files_to_deploy(self):
        """The page names each, and the alerts; lines of the page that use a file are in the file's comment."""
        deploy = documents.ROOT / "configs" / "deploy"
        files = {str(path.relative_to(documents.ROOT)) for path in deploy.rglob("*") if path.is_file()}
        prose = documents.prose(PAGE)
        self.assertEqual({span for span in documents.spans(prose) if re.match("configs/deploy/.*[^/]$", span)}, files)
        rules = (deploy / "prometheus" / "gpumem.rules.yml").read_text(encoding="utf-8")
        self.assertEqual([row[0].strip("`") for row in documents.table(documents.sections(PAGE)["Prometheus"])],
                         re.findall(r"- alert: (\w+)", rules))
        for word, file in (("kubectl apply", "kubernetes/gpumem-node.yaml"), ("|| check_gpumem", "nhc/gpumem.nhc")):
            line, = (line for block in documents.blocks(PAGE) for line in block.lines if word in line)
            self.assertIn(f"#   {line}\n", (deploy / file).read_text(encoding="utf-8"))

    def test_every_block_is_run(self):
        languages = [block.language for block in documents.blocks(PAGE)]
        self.assertEqual(sorted(languages), [""] + ["bash"] * 7 + ["yaml"] * 4)


if __name__ == "__main__":
    unittest.main()
