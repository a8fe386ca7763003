"""Kernels that a program launches once, on a GPU: some run once more for their time, and no program notices."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

GPUMEM = os.environ["GPUMEM"]
GUEST = os.environ["GPUMEM_ONCE_GUEST"]
COUNT = 1 << 24  # elements, of once.cu


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


class Repeats(unittest.TestCase):
    def watch(self, mode, *options):
        """The only kernel of the program, which computes what it does alone."""
        alone = run(GUEST, mode)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            self.assertEqual(run(GPUMEM, "run", *options, "--quiet", "--output", report, "--", GUEST, mode), alone)
            with open(report, encoding="utf-8") as file:
                (kernel,) = json.load(file)["results"]
        self.assertEqual(kernel["metrics"]["launches"], 2 if mode.endswith("-twice") else 1)
        return alone[1], kernel

    def test_launches_that_may_run_once_more(self):
        for mode in ("copy", "copy-in-parts", "reverse-tiles"):
            with self.subTest(mode=mode):
                out, kernel = self.watch(mode, "--max-overhead", "5000%")  # all of its blocks are looked at
                self.assertEqual(out, f"{mode} {COUNT}, 1 at last\n")
                self.assertIn("time_of_repeat", kernel["flags"])
                self.assertEqual(kernel["time_seconds"]["count"], 1)
                self.assertGreater(kernel["metrics"]["gpu_time_seconds"], 0)
                self.assertAlmostEqual(sum(kernel["ran_seconds"]) / kernel["metrics"]["gpu_time_seconds"], 1, places=6)

    def test_a_repeat_takes_as_long_as_a_second_launch(self):
        for mode in ("copy", "loop"):
            with self.subTest(mode=mode):
                repeat = self.watch(mode)[1]
                second = self.watch(f"{mode}-twice")[1]
                self.assertIn("time_of_repeat", repeat["flags"])
                self.assertNotIn("time_of_repeat", second["flags"])
                self.assertEqual(second["time_seconds"]["count"], 1)
                self.assertAlmostEqual(repeat["time_seconds"]["median"] / second["time_seconds"]["median"], 1, delta=0.1)

    def test_a_first_block_that_was_not_looked_at_does_not_run_again(self):
        out, kernel = self.watch("loop-and-count")
        self.assertTrue(out.endswith(", 1 at last\n"), out)
        self.assertIn("time_of_repeat", kernel["flags"])  # the other blocks did

    def test_launches_that_may_not(self):
        sums = {"increment": COUNT, "add-neighbour": COUNT // 2, "take-neighbour": COUNT // 2, "add-up": COUNT,
                "raise-flag": COUNT, "store-behind-fence": COUNT, "mapped": COUNT, "managed": COUNT}
        for mode, total in sums.items():
            with self.subTest(mode=mode):
                out, kernel = self.watch(mode)
                last = {"add-neighbour": 0, "take-neighbour": 0, "add-up": 0}.get(mode, 1)
                self.assertEqual(out, f"{mode} {total}, {last} at last\n")  # each element was stored or added to once
                self.assertNotIn("time_of_repeat", kernel["flags"])
                self.assertEqual(kernel["status"], "ok", kernel["reason"])  # it was looked at

    def test_a_kernel_that_prints(self):
        out, kernel = self.watch("print")
        self.assertEqual(sorted(out.splitlines()), [f"print {COUNT}, 1 at last", "printed"])
        self.assertNotIn("time_of_repeat", kernel["flags"])

    def test_launches_that_are_not_looked_at(self):
        self.assertNotIn("time_of_repeat", self.watch("copy", "--launches", "0")[1]["flags"])


if __name__ == "__main__":
    if run(GPUMEM, "devices")[0] != 0:
        print("skipped: no usable GPU")
        sys.exit(77)
    unittest.main()
