"""A suite whose expectations pass, fail and are skipped, for the tests of `gpumem check`."""

import json

from harness import MODEL, ProgramTest, run

NASTY = 'nasty "name" <&> % : , | \\ end'


def suite(**changes):
    """Four cases that the model predicts in no time, and expectations that pass, fail and are skipped."""
    return {
        "schema_version": 1,
        "name": "own",
        "purpose": "for tests",
        "probes": [{"probe": "offset", "axes": {"offset": "0..3", "op": "write", "buffer": "64MiB"}}],
        "expectations": [
            {"name": "aligned writes reach the memory", "cases": {"probe": "offset", "offset": 0},
             "quantity": "fraction_of_peak", "at_least": 0.5},
            {"name": NASTY, "cases": {"probe": "offset", "offset": "1..3"}, "relative_to": {"offset": 0},
             "at_least": 0.95},
            {"name": "memory reads", "cases": {"probe": "offset", "offset": 0}, "quantity": "dram_read_bytes",
             "at_least": 1},
        ],
    } | changes


class CheckTest(ProgramTest):
    def write(self, file="suite.json", **changes):
        path = self.directory / file
        path.write_text(json.dumps(suite(**changes)))
        return str(path)

    def passing(self):
        return self.write(expectations=suite()["expectations"][:1])

    def path(self, name):
        return str(self.directory / name)

    def check(self, *arguments, **options):
        return run("check", *arguments, *MODEL, **options)
