"""Runs the program the way a user does, and holds what every test asks of it."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("GPUMEM", "build/release/gpumem")
# The library that `run` injects, and a program that leaves the data that the library would.
LIBRARY = Path(PROGRAM).resolve().with_name("libgpumem_inject.so")
WATCHED = os.environ.get("GPUMEM_WATCHED", "build/release/tests/gpumem_watched")
has_library = unittest.skipUnless(LIBRARY.exists(), "this build has nothing to inject")
has_watched = unittest.skipUnless(Path(WATCHED).exists(), f"there is no {WATCHED}")
# The profiles of whoever runs the tests would predict something else.
SETTINGS = tempfile.TemporaryDirectory()
os.environ["XDG_CONFIG_HOME"] = SETTINGS.name
MODEL = ("--backend", "model", "--gpu", "h200")
NODE = ("--backend", "model", "--gpu", "h200x8")

# Axes that make predictions faster, for probes that take the model seconds by default.
CHEAPER = {"random": ("--random-footprint", "256MiB"), "pitch": ("--width", "4096,4097"),
           "pattern": ("--elements-per-thread", "4", "--block-threads", "256"),
           "indices": ("--elements-per-thread", "4", "--block-threads", "256")}


def cheaper(words):
    """Options that make a `probe` faster if nobody reads its numbers."""
    if "shared" in words:  # --space: another probe, which takes no time
        return []
    named = [name for name in CHEAPER if name in words or f"--{name}" in words]
    return [word for name in named[:1] if not {*CHEAPER[name][::2]} & {*words} for word in CHEAPER[name]]


def model(words):
    """Options that predict a `probe`: for a node if it takes several GPUs."""
    return NODE if {"peer", "--source", "--target", "--via"} & {*words} else MODEL


def environment(**variables):
    """This process' environment without what changes the program's output, and with `variables`."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return plain | variables


def run(*arguments, program=PROGRAM, **options):
    options.setdefault("env", environment())
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False, **options)


def as_somebody():
    """Options that run the program as a user whom permissions bind, unlike root; None if that is impossible."""
    if os.geteuid() != 0:
        return {}
    options = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        return options if run("--version", **options).returncode == 0 else None
    except PermissionError:
        return None


def strict_json(text):
    """Parses JSON that holds neither NaN nor infinity."""

    def refuse(constant):
        raise ValueError(f"{constant} in a report")

    return json.loads(text, parse_constant=refuse)


class ProgramTest(unittest.TestCase):
    """A directory of its own, and the checks that many tests share."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def succeed(self, *arguments, **options):
        """Runs the program, which must succeed and have nothing to say; returns its stdout."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def fail_with(self, code, *arguments, **options):
        """Runs the program, which must fail with one line on stderr; returns that line without its prefix."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]+\n\Z")
        return done.stderr.removeprefix("gpumem: ").rstrip("\n")

    def predict(self, *arguments):
        """The JSON report of a prediction for the H200."""
        return strict_json(self.succeed("probe", *arguments, *model(arguments), "--format", "json"))
