"""Watches programs on a GPU with `gpumem run`, for the tests of what is seen of them."""
import json
import os
import subprocess

GPUMEM = os.environ["GPUMEM"]


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def watched(folder, *command, options=()):
    report = os.path.join(folder, "report.json")
    raw = os.path.join(folder, "raw")
    code, out, err = run(GPUMEM, "run", *options, "--quiet", "--output", report, "--", *command, GPUMEM_RUN_KEEP=raw)
    with open(report, encoding="utf-8") as file:
        return code, out, err, json.load(file), raw


def has_gpu():
    return run(GPUMEM, "devices")[0] == 0
