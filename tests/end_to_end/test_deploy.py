"""configs/deploy: the checks for NHC and Kubernetes, run with stand-ins for gpumem and for what takes a node out; and the
units of systemd. test_deploy_slurm.py and test_deploy_prometheus.py have the others."""

import json
import os
import re
import shutil
import subprocess
import unittest

import documents
import harness

DEPLOY = documents.ROOT / "configs" / "deploy"

GPUMEM = """#!/bin/sh
echo "$*" >"{folder}/arguments"
cat "{folder}/printed"
echo 'gpumem: smoke: 1 expectation failed, the first, reads: too slow' >&2
sleep "${{LASTS:-0}}"
exit "$CODE"
"""
FAILED = 'FAIL  smoke on NVIDIA "H200", node\'s \\1: 35 passed, 1 failed'


class DeployTest(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.tools = self.directory / "bin"
        self.tools.mkdir()
        self.add_tool("gpumem", GPUMEM.format(folder=self.directory))

    def add_tool(self, name, text):
        (self.tools / name).write_text(text, encoding="utf-8")
        (self.tools / name).chmod(0o755)

    def shell(self, words, printed, **variables):
        (self.directory / "printed").write_text(printed + "\n" if printed else "", encoding="utf-8")
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": f"{self.tools}:{os.environ['PATH']}"} | variables)

    def arguments(self):
        return (self.directory / "arguments").read_text(encoding="utf-8").strip()


# NHC's own end a check with die, and print with log.
NHC = """die() { echo "died $1: $2"; exit 7; }
log() { echo "logged: $*"; }
source "$0" && "$@"; echo "returned $?"
"""


class Nhc(DeployTest):
    def check(self, code, *words, printed=FAILED, **variables):
        done = self.shell(["bash", "-c", NHC, DEPLOY / "nhc" / "gpumem.nhc", "check_gpumem", *words], printed, CODE=str(code),
                          **variables)
        self.assertEqual(done.stderr, "")
        return done.stdout.rstrip("\n")

    def test_a_node_that_passes(self):
        self.assertEqual(self.check(0, printed="PASS  smoke on NVIDIA H200"), "returned 0")
        self.assertEqual(self.arguments(), "check smoke -q --attempts 3 --device all")

    def test_a_node_that_fails_dies_with_the_verdict(self):
        # NHC puts the message between single quotes of a shell.
        verdict = FAILED.replace("'", "")
        self.assertEqual(self.check(1), f"died 1: check_gpumem:  {verdict}")
        self.assertEqual(self.check(3, printed=""),
                         "died 1: check_gpumem:  smoke: 1 expectation failed, the first, reads: too slow")
        self.assertEqual(self.check(0, "-t", "0.2", LASTS="30"), "died 1: check_gpumem:  gpumem check did not end within 0.2 s")

    def test_misuse_says_nothing_of_the_node(self):
        for code in (2, 127, 130):
            self.assertRegex(self.check(code),
                             rf"(?s)\Alogged: check_gpumem:  exit code {code} is no verdict:  FAIL.*\nreturned 0\Z")

    def test_options(self):
        self.check(0, "-t", "9", "own.json")
        self.assertEqual(self.arguments(), "check own.json -q --attempts 3 --device all")
        self.assertEqual(self.check(0, "-x"), "died 1: check_gpumem:  Invalid option:  -x")
        self.assertEqual(self.check(0, "-t"), "died 1: check_gpumem:  Option -t requires an argument.")


def without_anchors(value):
    """PyYAML shares what an anchor names; JSON does not."""
    return json.loads(json.dumps(value))


# As kubectl does it: `get` prints the condition that the node has.
KUBECTL = """#!/bin/sh
printf '%s\n' "$@" >"{folder}/kubectl.$1"
[ "$1" != get ] || printf %s "$BEFORE"
"""


class Kubernetes(DeployTest):
    def setUp(self):
        super().setUp()
        self.add_tool("kubectl", KUBECTL.format(folder=self.directory))
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        manifest = (DEPLOY / "kubernetes" / "gpumem-node.yaml").read_text(encoding="utf-8")
        script, = re.findall(r"^#   sed '([^']+)'", manifest, re.MULTILINE)
        edited = subprocess.run(["sed", script], input=manifest, capture_output=True, text=True, check=True).stdout
        self.manifests = {one["kind"]: without_anchors(one) for one in yaml.safe_load_all(edited)}
        self.pod = self.manifests["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]

    def test_the_schema_takes_the_manifests(self):
        try:
            import kubernetes_validate  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("kubernetes-validate is not installed")
        for manifest in self.manifests.values():
            kubernetes_validate.validate(manifest, "1.29", strict=True)
        self.pod["containers"][0]["privilege"] = True
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(self.manifests["CronJob"], "1.29", strict=True)

    def test_it_is_unprivileged_and_may_touch_its_node_alone(self):
        self.assertTrue(self.pod["securityContext"]["runAsNonRoot"])
        for container in (*self.pod["initContainers"], *self.pod["containers"]):
            rights = container["securityContext"]
            self.assertEqual((rights["allowPrivilegeEscalation"], rights["capabilities"]), (False, {"drop": ["ALL"]}))
        self.assertFalse({"hostPID", "hostNetwork", "hostIPC"} & self.pod.keys())
        self.assertEqual([[*volume] for volume in self.pod["volumes"]], [["name", "emptyDir"]])
        role = self.manifests["ClusterRole"]
        rules = [(*rule["resources"], *rule["verbs"], *rule["resourceNames"]) for rule in role["rules"]]
        self.assertEqual(rules, [("nodes", "get", "node5"), ("nodes/status", "get", "patch", "node5")])
        account, = self.manifests["ClusterRoleBinding"]["subjects"]
        self.assertEqual(account["name"], self.manifests["ServiceAccount"]["metadata"]["name"])
        self.assertEqual(account["name"], self.pod["serviceAccountName"])
        self.assertEqual(self.manifests["ClusterRoleBinding"]["roleRef"]["name"], role["metadata"]["name"])

    def test_it_waits_for_all_gpus_of_its_node(self):
        check, = self.pod["initContainers"]
        self.assertEqual(check["resources"]["limits"], {"nvidia.com/gpu": 8})
        self.assertEqual(self.pod["nodeSelector"], {"kubernetes.io/hostname": "node5"})

    def condition(self, code, printed=FAILED, before=""):
        """Runs both containers, and returns how they end and the condition that kubectl is given."""
        for name in ("get", "patch"):
            (self.directory / f"kubectl.{name}").unlink(missing_ok=True)
        folder = self.directory / "verdict"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for container in (*self.pod["initContainers"], *self.pod["containers"]):
            mount, = container["volumeMounts"]
            words = [word.replace(mount["mountPath"], str(folder)) for word in container["command"]]
            done = self.shell(words, printed, CODE=str(code), BEFORE=before)
        patch = self.directory / "kubectl.patch"
        if not patch.exists():
            return done.returncode, None
        words = patch.read_text(encoding="utf-8").split("\n", 5)
        self.assertEqual(words[:5], ["patch", "node", "node5", "--subresource=status", "--type=strategic"])
        condition, = json.loads(words[5].removeprefix("--patch\n"))["status"]["conditions"]
        self.assertRegex(condition.pop("lastHeartbeatTime"), r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        return done.returncode, condition

    def test_the_condition_of_the_node(self):
        code, condition = self.condition(1, before="False")
        self.assertEqual(code, 0)
        self.assertIn("lastTransitionTime", condition)
        self.assertEqual({"type": "GpuMemoryFault", "status": "True", "reason": "CheckFailed", "message": FAILED},
                         {name: condition[name] for name in ("type", "status", "reason", "message")})
        self.assertEqual(self.arguments(), "check smoke -q --attempts 3 --device all")
        self.assertIn('.type=="GpuMemoryFault"', (self.directory / "kubectl.get").read_text(encoding="utf-8"))
        self.assertNotIn("lastTransitionTime", self.condition(3, before="True")[1])
        _, condition = self.condition(0, printed="PASS  smoke", before="True")
        self.assertEqual({"status": "False", "reason": "CheckPassed", "message": "PASS  smoke"},
                         {name: condition[name] for name in ("status", "reason", "message")})
        _, condition = self.condition(124, printed="")
        self.assertEqual((condition["status"], condition["reason"]), ("True", "CheckDidNotEnd"))

    def test_misuse_leaves_the_node_and_fails_the_job(self):
        for code in (2, 127):
            self.assertEqual(self.condition(code), (1, None))


if __name__ == "__main__":
    unittest.main()
