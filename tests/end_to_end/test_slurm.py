"""The Slurm script of docs/ci.md, as it stands, on a cluster of its own: munged and slurmctld on one node, slurmd on
eight more. Their cards are empty files, so every check predicts."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import nodes

NODES = [f"node{number}" for number in range(1, 9)]
CARDS = 8

# KillOnBadExit is what a site may have set, and must not matter.
CONFIGURATION = """
ClusterName=test
SlurmctldHost=head(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n/slurmd.pid
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=10000{scheduling}
KillOnBadExit=1
GresTypes=gpu
NodeName=node[1-{nodes}] NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs={cards} Gres=gpu:{cards}
PartitionName=all Nodes=ALL Default=YES
"""


class Cluster:
    """Runs until `stop()`, which leaves nothing behind. `settings` are further lines of slurm.conf, by name."""

    def __init__(self, folder, settings=None):
        self.folder = Path(folder)
        self.settings = dict(settings or {})
        self.variables = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        self.running = []
        try:
            self.configure()
            self.start("head", "munged", "--foreground", "--force", f"--key-file={folder}/munge.key",
                       f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                       f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
            assert nodes.eventually((self.folder / "munge.socket").exists, 10), self.log()
            self.start("head", "slurmctld", "-D")
            for name in NODES:
                self.start(name, "slurmd", "-D")
            idle = nodes.eventually(lambda: self.ask("sinfo", "-hN", "-t", "idle").count("\n") == len(NODES), 60)
            assert idle, self.log()
        except BaseException:
            self.stop()
            raise

    def configure(self):
        first = nodes.free_ports(len(NODES) + 1)
        scheduling = "".join(f",{parameter}" for parameter in self.settings.pop("SchedulerParameters", "").split())
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, port=first, first=first + 1, last=first + len(NODES), nodes=len(NODES), cards=CARDS,
            scheduling=scheduling) + "".join(f"{name}={value}\n" for name, value in self.settings.items()))
        for name in ("state", *NODES):
            (self.folder / name).mkdir()
        for card in range(CARDS):
            (self.folder / f"card{card}").touch()
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/card[0-{CARDS - 1}]\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def start(self, node, *words):
        with (self.folder / f"{node}-{words[0]}.log").open("w") as log:
            self.running.append(subprocess.Popen([*nodes.ON_NODE, node, *words], stdout=log, stderr=log,
                                                 env=os.environ | self.variables))

    def ask(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=30, check=False,
                              env=os.environ | self.variables).stdout

    def log(self):
        return "\n".join(f"== {log.name}\n{log.read_text()}" for log in sorted(self.folder.glob("*.log")))

    def end_of(self, job):
        """The state in which a job ends."""
        def state():
            found = re.search(r"JobState=(\w+)", self.ask("scontrol", "show", "job", job))
            return found[1] if found and found[1] not in ("PENDING", "RUNNING", "COMPLETING") else None
        return nodes.eventually(state, 120)

    def stop(self):
        for process in self.running:
            process.kill()
            process.wait()
        gone = nodes.eventually(lambda: not nodes.processes_with(str(self.folder)), 10)
        assert gone, nodes.processes_with(str(self.folder))


class Slurm(nodes.ClusterTest):
    @classmethod
    def setUpClass(cls):
        reason = nodes.why_not("munged", "slurmctld", "slurmd", "sbatch")
        if reason:
            raise unittest.SkipTest(reason)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cluster = Cluster(folder.name)
        cls.addClassCleanup(cls.cluster.stop)

    def submit(self, script, **variables):
        """Runs the page's script; returns how the job ended, what it printed, and the folder of its reports."""
        (self.directory / "gpumem.sh").write_text(script, encoding="utf-8")
        submitted = self.sandbox.run("sbatch --parsable gpumem.sh", **self.cluster.variables, **variables)
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        number = submitted.stdout.strip()
        state = self.cluster.end_of(number)
        self.assertIsNotNone(state, self.cluster.log())
        printed = (self.directory / f"slurm-{number}.out").read_text(encoding="utf-8")
        return state, printed, f"reports/{number}"

    def test_a_healthy_fleet(self):
        script, links, end = self.script("#SBATCH"), self.script("probe peer"), "exit ${failed:-0}\n"
        self.assertEqual(script.count(end), 1)
        state, printed, reports = self.submit(script.replace(end, links + end))
        self.assertEqual(state, "COMPLETED", printed)
        for folder in (reports, f"{reports}/links"):
            self.assertEqual(self.hosts(folder), {*NODES})
        self.assert_healthy(printed, NODES, fleets=2)

    def test_a_slow_node_and_one_without_a_gpu_fail_and_are_named(self):
        state, printed, reports = self.submit(self.script("#SBATCH"), SLOW="node3", BLIND="node5")
        self.assertEqual(state, "FAILED", printed)
        self.assertEqual(self.hosts(reports), {*NODES} - {"node5"})
        self.assertIn("error: node3: task 2: Exited with exit code 1", printed)
        self.assertIn("error: node5: task 4: Exited with exit code 3", printed)
        self.assert_standing_out(printed, "node3")


if __name__ == "__main__":
    unittest.main()
