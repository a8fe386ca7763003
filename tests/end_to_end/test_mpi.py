"""The mpirun line of docs/ci.md, as it stands, by Open MPI over six nodes of this machine. They have no GPU, so every
check predicts."""

import shlex
import subprocess
import unittest

import nodes

NODES = [f"node{number}" for number in range(1, 7)]

# In place of ssh.
AGENT = """#!/bin/sh
node=$1
shift
exec {on_node} "$node" sh -c "$*"
"""


def why_not():
    reason = nodes.why_not("mpirun")
    if reason:
        return reason
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    return "" if "(Open MPI) 4." in version else f"mpirun is not of Open MPI 4: {version.splitlines()[:1]}"


class Mpi(nodes.ClusterTest):
    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason:
            raise unittest.SkipTest(reason)

    def run_line(self, **variables):
        self.sandbox.add_tool("agent", AGENT.format(on_node=shlex.join(nodes.ON_NODE)))
        (self.directory / "hosts").write_text("\n".join(NODES) + "\n", encoding="utf-8")
        done = self.sandbox.run(self.script("mpirun"), OMPI_MCA_plm_rsh_agent=str(self.sandbox.tools / "agent"),
                                OMPI_MCA_orte_default_hostfile=str(self.directory / "hosts"),
                                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
        return done.returncode, done.stdout + done.stderr

    def test_a_healthy_fleet(self):
        code, printed = self.run_line()
        self.assertEqual(code, 0, printed)
        self.assertEqual(self.hosts("reports"), {*NODES})
        self.assert_healthy(printed, NODES)

    def test_a_slow_node_and_one_without_a_gpu_fail_and_are_named(self):
        code, printed = self.run_line(SLOW="node3", BLIND="node5")
        self.assertEqual(code, 1, printed)
        self.assertEqual(self.hosts("reports"), {*NODES} - {"node5"})
        self.assertIn("\nreports/node3.failed:exit code 1\nreports/node5.failed:exit code 3\n", printed)
        self.assert_standing_out(printed, "node3")

    def test_nothing_passes_that_mpirun_gave_up(self):
        code, printed = self.run_line(DYING="node2")
        self.assertNotEqual(code, 0, printed)
        self.assertIn("node2 exited on signal 9", printed)

    def test_old_reports_are_not_compared_with(self):
        (self.directory / "reports").mkdir()
        code, printed = self.run_line()
        self.assertEqual(code, 1, printed)
        self.assertIn("File exists", printed)


if __name__ == "__main__":
    unittest.main()
