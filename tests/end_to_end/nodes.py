"""Nodes of a cluster on this one machine: each has a host name and processes of its own, and all see the same files."""

import functools
import json
import os
import random
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import documents
import harness

PAGE = documents.DOCS / "ci.md"

# Processes that end with the one that is started, whatever has become of their own parents; and that one with the test.
UNSHARE = ("setpriv", "--pdeathsig", "KILL", "unshare", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child")
# In front of a node's name and a command. The shell stays: a node's first process is the one to bury its orphans.
ON_NODE = (*UNSHARE, "sh", "-c", 'hostname "$0" && "$@"; exit')


@functools.cache
def why_not(*programs):
    """Why there can be no nodes here that run `programs`; nothing, if there can be."""
    missing = [program for program in ("setpriv", "unshare", "hostname", *programs) if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    return tried.stderr.strip() and f"no nodes on this machine, which takes root's rights: {tried.stderr.strip()}"


def free_ports(count):
    """The first of `count` free ports in a row, below those that the system gives to whoever connects."""
    for first in random.sample(range(20000, 30000), 1000):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for number, one in enumerate(sockets):
                one.bind(("127.0.0.1", first + number))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise AssertionError(f"no {count} free ports in a row")


def eventually(condition, seconds):
    """Returns the value of `condition` once it is true, or its last value after `seconds`."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def processes_with(text):
    """The processes that have `text` in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(text) in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass  # it has just ended, or is another user's
    return found


# In front of the stand-in for GPUs: nodes whose memory is slow, that have no GPU that they could use, and whose task is
# killed when the others may have ended. Probes are of the links between eight GPUs.
GPUMEM = """#!/bin/sh
case "$1 $(hostname)" in
"check $SLOW") export {profile}=slow.json ;;
"check $DYING") sleep 2 && kill -9 $PPID ;;
"probe "*) export {profile}=h200x8 ;;
"check $BLIND") CUDA_VISIBLE_DEVICES= exec "$GPUMEM" "$@" ;;
esac
exec "{stand_in}" "$@"
"""


class ClusterTest(harness.ProgramTest):
    """Scripts of docs/ci.md for a cluster, each in a folder that all nodes see."""

    def setUp(self):
        super().setUp()
        self.sandbox = documents.Sandbox(self.directory, PAGE)
        shutil.rmtree(self.directory / "reports")
        stand_in = self.sandbox.tools / "stand-in"
        (self.sandbox.tools / "gpumem").rename(stand_in)
        self.sandbox.add_tool("gpumem", GPUMEM.format(profile=documents.PROFILE, stand_in=stand_in))
        profile = json.loads((documents.ROOT / "configs" / "gpus" / "h200.json").read_text(encoding="utf-8"))
        for name, rate in profile["rates"].items():
            rate["value"] *= 0.9 if name.startswith("dram_") else 1
        (self.directory / "slow.json").write_text(json.dumps(profile), encoding="utf-8")

    def script(self, word):
        """The page's, with that word."""
        script, = (block.text for block in documents.blocks(PAGE, "bash") if word in block.text)
        return script

    def hosts(self, folder):
        """The hosts of the reports in a folder."""
        reports = [harness.strict_json(path.read_text(encoding="utf-8"))
                   for path in (self.directory / folder).glob("*.json")]
        return {report["host"]["name"] for report in reports}

    def assert_healthy(self, printed, hosts, fleets=1):
        for line in (f"Fleet: {len(hosts)} reports from {len(hosts)} hosts", f"Healthy: none of the {len(hosts)} (GPUs|nodes)"):
            self.assertEqual(len(re.findall(f"^{line}", printed, re.MULTILINE)), fleets, printed)

    def assert_standing_out(self, printed, host):
        self.assertEqual({*re.findall(r"^(node\d) .* \1\S*\.json$", printed, re.MULTILINE)}, {host})
