"""Includes point one way: down this list, and rooms on one line never include each other. Sources are short."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLOORS = (
    "app/main.cpp", "app/commands", "app/calibrate app/suite app/expected", "app/run",
    "app/output app/command_line",
    "program/results", "program/price", "program/machine_code", "program/read program/start", "program/watch",
    "report/write/reports", "report/write/comparisons report/write/fleets report/write/portraits report/write/expected report/write/ported",
    "report/write", "report/read report/explain report/check report/compare report/fleet report/portrait report/expected report/ported",
    "report/advise", "report/rules", "report/record", "report/text",
    "probes/peer probes/kernels", "probes/hierarchy probes/user probes/cache probes/texture",
    "probes/host probes/shared probes/constant probes/local", "probes/global", "probes",
    "engine/model", "engine/measure", "engine/machine engine/pattern", "engine/access engine/statistics", "engine/base")
LONGEST = 400  # lines of a source, which are read in one sitting
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms.split()}


def room_of(path):
    """The innermost one: a family of probes is a room, and so is what all of them stand on."""
    rooms = [room for room in ROOMS if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


class Rooms(unittest.TestCase):
    def test_includes_point_down(self):
        sources = [path for top in ("app", "program", "report", "probes", "engine") for path in (ROOT / top).rglob("*.[chcu]*")
                   if path.suffix in (".cpp", ".hpp", ".cu", ".cuh")]
        self.assertGreater(len(sources), 150)
        for source in sources:
            own = room_of(str(source.relative_to(ROOT)))
            self.assertIsNotNone(own, f"{source} is in no room")
            for included in re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE):
                other = room_of(included)
                self.assertIsNotNone(other, f"{source} includes {included}, which is in no room")
                self.assertTrue(other == own or ROOMS[other] > ROOMS[own], f"{source} includes {included}")

    def test_plotting_has_no_circle(self):
        folder = ROOT / "report" / "plotting"
        imports = {}
        for module in folder.glob("*.py"):
            text = module.read_text(encoding="utf-8")
            imports[module.stem] = {name.strip() for line in re.findall(r"^ *from \. import (.+)$", text, re.MULTILINE)
                                    for name in line.split(",")} | set(re.findall(r"^ *from \.(\w+) import", text, re.MULTILINE))
        self.assertGreater(sum(map(len, imports.values())), 40)
        self.assert_no_circle(imports)

    def test_watch_has_no_circle(self):
        """A source counts with its header."""
        includes = {}
        for file in (ROOT / "program" / "watch").rglob("*.[chcu]*"):
            text = file.read_text(encoding="utf-8")
            includes.setdefault(str(file.relative_to(ROOT).with_suffix("")), set()).update(
                name.rpartition(".")[0] for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE))
        self.assertGreater(len(includes), 40)
        self.assert_no_circle(includes)

    def test_no_source_is_too_long(self):
        folders = ("app", "cmake", "docs", "engine", "probes", "program", "python", "report", "scripts", "tests")
        sources = [path for folder in folders for path in (ROOT / folder).rglob("*")
                   if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".py")]
        self.assertGreater(len(sources), 900)
        lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources}
        self.assertEqual({name: length for name, length in lengths.items() if length > LONGEST}, {})

    def assert_no_circle(self, uses):
        while uses:  # what uses nothing that is left goes first
            free = [name for name, others in uses.items() if not others & uses.keys() - {name}]
            self.assertTrue(free, f"these use each other, or what does: {sorted(uses)}")
            for name in free:
                del uses[name]


if __name__ == "__main__":
    unittest.main()
