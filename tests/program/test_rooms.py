"""Includes point one way: down this list, and rooms on one line never include each other."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLOORS = ("app/main.cpp", "app/commands", "app/calibrate app/suite app/program", "app/run", "app/output app/command_line",
          "report/write", "report/read report/explain report/check report/compare report/fleet report/portrait", "report/record",
          "report/text", "inject", "probes")
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms.split()}


def room_of(path):
    return next((room for room in ROOMS if path == room or path.startswith(room + "/")), None)


class Rooms(unittest.TestCase):
    def test_includes_point_down(self):
        sources = [path for top in ("app", "report", "inject", "probes") for path in (ROOT / top).rglob("*.[chcu]*")
                   if path.suffix in (".cpp", ".hpp", ".cu", ".cuh")]
        self.assertGreater(len(sources), 150)
        for source in sources:
            own = room_of(str(source.relative_to(ROOT)))
            self.assertIsNotNone(own, f"{source} is in no room")
            for included in re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE):
                other = room_of(included)
                self.assertIsNotNone(other, f"{source} includes {included}, which is in no room")
                self.assertTrue(other == own or ROOMS[other] > ROOMS[own], f"{source} includes {included}")


if __name__ == "__main__":
    unittest.main()
