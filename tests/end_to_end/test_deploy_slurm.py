"""configs/deploy/slurm: the gate alone, with stand-ins for what it runs, and as the health check and the prolog of a
cluster."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import documents
import harness
import nodes
import test_slurm

FOLDER = documents.ROOT / "configs" / "deploy" / "slurm"
GATE = FOLDER / "gpumem-gate"
VERDICT = 'FAIL  smoke on 8 x "H200", node\'s: 35 passed, 1 failed'
RECORDED = "gpumem: FAIL  smoke on 8 x 'H200', node's: 35 passed, 1 failed"

# Ends with the exit code in a file, which prologs and health checks have one each of, after $LASTS seconds.
GPUMEM = """#!/bin/sh
echo "$CUDA_VISIBLE_DEVICES $*" >>"{folder}/calls"
echo '{verdict}'
echo 'gpumem: smoke: 1 expectation failed' >&2
sleep "${{LASTS:-0}}"
exit "$(cat "{folder}/ends/$(hostname)${{SLURM_JOB_ID:+.prolog}}" 2>/dev/null || echo 0)"
"""


class Alone(harness.ProgramTest):
    """With stand-ins for gpumem and for the programs of Slurm; logger has nobody to tell."""

    def setUp(self):
        super().setUp()
        (self.directory / "ends").mkdir()
        self.add("gpumem", GPUMEM.format(folder=self.directory, verdict=VERDICT.replace("'", "'\\''")))
        self.add("scontrol", f'#!/bin/sh\nprintf "%s\\n" "$@" >"{self.directory}/update"\n')
        self.add("sinfo", f'#!/bin/sh\nhead -n 1 "{self.directory}/states"\nsed -i "1{{\\$!d}}" "{self.directory}/states"\n')
        self.add("squeue", '#!/bin/sh\necho "$JOBS"\n')
        self.add("logger", "#!/bin/sh\nexit 1\n")
        self.add("hostname", "#!/bin/sh\necho node1\n")

    def add(self, name, text):
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def gate(self, code, states="idle", script=GATE, **variables):
        """Runs the gate on a node that is in these states, one after another, and whose check ends with `code`. Returns
        the gate's exit code, its log, and the words that scontrol got."""
        (self.directory / "states").write_text("".join(state + "\n" for state in states.split()), encoding="utf-8")
        kind = ".prolog" if "SLURM_JOB_ID" in variables else ""
        (self.directory / "ends" / f"node1{kind}").write_text(str(code), encoding="utf-8")
        for name in ("update", "calls"):
            (self.directory / name).unlink(missing_ok=True)
        path = f"{self.directory}:{os.environ['PATH']}"
        done = subprocess.run([script], capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": path, "SLURMD_NODENAME": "node1"} | variables)
        return done.returncode, done.stderr, self.written("update").splitlines()

    def written(self, name):
        path = self.directory / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def assert_drained(self, gated, reason=RECORDED):
        code, logged, update = gated
        self.assertEqual(code, 1)
        self.assertIn("draining node1", logged)
        self.assertEqual(update, ["update", "NodeName=node1", "State=DRAIN", f"Reason={reason}"])

    def assert_stays(self, gated, code=0, says=None):
        self.assertEqual((gated[0], gated[2]), (code, []))
        self.assertRegex(gated[1], says or r"\A\Z")

    def test_a_health_check_drains_what_fails_and_what_has_no_gpu(self):
        self.assert_drained(self.gate(1))
        self.assertEqual(self.written("calls"), " check smoke -q --attempts 3 --device all\n")
        self.assert_drained(self.gate(3, states="idle*"))
        self.assert_stays(self.gate(0))

    def test_the_program_itself_where_no_gpu_is_usable(self):
        (self.directory / "gpumem").unlink()
        (self.directory / "gpumem").symlink_to(Path(harness.PROGRAM).resolve())
        code, logged, update = self.gate(0, CUDA_VISIBLE_DEVICES="")
        self.assertEqual((code, update[:3]), (1, ["update", "NodeName=node1", "State=DRAIN"]), logged)
        self.assertRegex(update[3], r"\AReason=gpumem: no (usable|CUDA) .*GPU|\AReason=gpumem: .*driver")

    def test_other_exit_codes_are_no_verdict(self):
        for code in (2, 126, 127, 130, 139):
            self.assert_stays(self.gate(code), says=rf"exit code {code} is no verdict, so node1 stays: FAIL")

    def test_a_check_that_does_not_end_drains(self):
        short = self.directory / "gate"
        text = GATE.read_text(encoding="utf-8")
        self.assertIn("\nseconds=50 ", text)
        self.add("gate", text.replace("\nseconds=50 ", "\nseconds=0.2 "))
        self.assert_drained(self.gate(0, script=short, LASTS="30"), "gpumem: FAIL  gpumem check did not end within 0.2 s")

    def test_a_health_check_leaves_busy_and_drained_nodes(self):
        for state in ("allocated", "mixed", "drained", "down*", "unknown"):
            self.assert_stays(self.gate(1, states=state))
            self.assertEqual(self.written("calls"), "", state)
        self.assert_stays(self.gate(1, states="idle mixed"), says="a job began on node1 meanwhile, so it stays")
        self.assert_stays(self.gate(1, states="idle drained"), code=1, says="node1 is out already: FAIL")

    def test_a_prolog_checks_the_gpus_of_its_job(self):
        self.assert_drained(self.gate(1, states="mixed", SLURM_JOB_ID="7", SLURM_JOB_GPUS="2,3"))
        self.assertTrue(self.written("calls").startswith("2,3 check "), self.written("calls"))
        self.assert_stays(self.gate(1, states="draining", SLURM_JOB_ID="7", SLURM_JOB_GPUS="2,3"), code=1,
                          says="node1 is out already: FAIL")
        self.assert_drained(self.gate(1, states="mixed", SLURM_JOB_ID="7", JOBS="7"))
        self.assert_stays(self.gate(1, states="mixed", SLURM_JOB_ID="7", JOBS="6\n7"))
        self.assertEqual(self.written("calls"), "")


# Slurmd gives these programs neither a PATH nor $SLURM_CONF, and this cluster's programs are elsewhere.
WRAPPER = """#!/bin/bash
export SLURM_CONF="{folder}/slurm.conf" PATH="{folder}/bin:/usr/bin:/bin"
exec "{gate}"
"""


def settings(folder):
    """The lines of configs/deploy/slurm/slurm.conf, for a gate in `folder`, which is run on all nodes every 2 s."""
    lines = re.findall(r"^(\w+)=(.*)$", (FOLDER / "slurm.conf").read_text(encoding="utf-8"), re.MULTILINE)
    chosen = {name: value.replace("/etc/slurm/gpumem-gate", f"{folder}/gate") for name, value in lines}
    assert [chosen[name] for name in ("HealthCheckProgram", "Prolog")] == [f"{folder}/gate"] * 2
    assert int(chosen["HealthCheckInterval"]) < 2**16, "slurmctld does not start with more"
    states = chosen["HealthCheckNodeState"].replace(",CYCLE", "")
    return chosen | {"HealthCheckInterval": "2", "HealthCheckNodeState": states}


class OnACluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = nodes.why_not("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue")
        if reason:
            raise unittest.SkipTest(reason)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for name in ("bin", "ends"):
            (cls.folder / name).mkdir()
        for name, text in (("gate", WRAPPER.format(folder=cls.folder, gate=GATE)),
                           ("bin/gpumem", GPUMEM.format(folder=cls.folder, verdict=VERDICT.replace("'", "'\\''")))):
            (cls.folder / name).write_text(text, encoding="utf-8")
            (cls.folder / name).chmod(0o755)
        cls.cluster = test_slurm.Cluster(cls.folder, settings(cls.folder))
        cls.addClassCleanup(cls.cluster.stop)

    def checks_end_with(self, node, code):
        (self.folder / f"{node}.new").write_text(str(code), encoding="utf-8")
        (self.folder / f"{node}.new").rename(self.folder / "ends" / node)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0

    def states(self):
        return dict(line.split() for line in self.cluster.ask("sinfo", "-hN", "-o", "%N %T").splitlines())

    def reason(self, node):
        return re.search(r"Reason=(.*) \[root@", self.cluster.ask("scontrol", "show", "node", node))[1]

    def test_nodes_that_fail_are_drained(self):
        self.checks_end_with("node4", 2)
        before = self.calls()
        checked = nodes.eventually(lambda: self.calls() >= before + 3 * len(test_slurm.NODES), 60)  # node4 among them
        self.assertTrue(checked, self.cluster.log())
        self.assertEqual(self.states()["node4"], "idle")
        self.checks_end_with("node3", 1)
        self.checks_end_with("node5", 3)
        out = nodes.eventually(lambda: [self.states()[node] for node in ("node3", "node5")] == ["drained"] * 2, 60)
        self.assertTrue(out, self.cluster.log())
        for node in ("node3", "node5"):
            self.assertEqual(self.reason(node), RECORDED)
        healthy = {*test_slurm.NODES} - {"node3", "node5", "node8"}  # the other test drains that one
        self.assertEqual({node for node in healthy if self.states()[node] != "idle"}, set())

    def test_a_job_whose_prolog_fails_goes_back(self):
        self.checks_end_with("node8.prolog", 1)
        submitted = subprocess.run(["sbatch", "--parsable", "--nodelist=node8", "--gpus-per-node=8", "--wrap=true"],
                                   cwd=self.folder, capture_output=True, text=True, check=True,
                                   env=os.environ | self.cluster.variables)
        drained = nodes.eventually(lambda: self.states()["node8"] == "drained", 60)
        self.assertTrue(drained, self.cluster.log())
        self.assertEqual(self.reason("node8"), RECORDED)
        job = ("scontrol", "show", "job", submitted.stdout.strip())
        waits = r"JobState=PENDING Reason=(BeginTime|None|ReqNodeNotAvail|Resources)\b[^$]*Restarts=1"  # it is not held
        self.assertTrue(nodes.eventually(lambda: re.search(waits, self.cluster.ask(*job)), 60), self.cluster.ask(*job))


if __name__ == "__main__":
    unittest.main()
