"""Times watched programs whose kernels take long to look at, by a clock outside, and checks that they compute the
same."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

GPUMEM = os.environ["GPUMEM"]
GUEST = os.environ["GPUMEM_LENGTHY_GUEST"]
MOST_SECONDS = 2  # more than alone, for programs of seconds


def run(*command):
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return time.monotonic() - began, done.returncode, done.stdout


class Overhead(unittest.TestCase):
    def watch(self, mode, *options):
        run(GUEST, mode)  # brings the driver up
        alone_s, *alone = run(GUEST, mode)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            watched_s, *watched = run(GPUMEM, "run", *options, "--quiet", "--output", report, "--", GUEST, mode)
            with open(report, encoding="utf-8") as file:
                report = json.load(file)
        self.assertEqual(watched, alone)
        self.assertLess(watched_s - alone_s, MOST_SECONDS, f"{alone_s:.2f} s alone, {watched_s:.2f} s watched")
        return report

    def the_kernel(self, report):
        (kernel,) = report["results"]
        self.assertEqual(kernel["status"], "ok", kernel["reason"])
        self.assertEqual(kernel["metrics"]["launches"], 1)
        self.assertIn("partly_seen", kernel["flags"])
        return kernel

    def test_gathers(self):
        """Each lane reads a place of its own, in blocks that were seen and in all others."""
        for mode, requests in (("gather", 100_000 * 8 * 20), ("second-of-gathers", 100_000 * 8 * 1400)):
            with self.subTest(mode=mode):
                kernel = self.the_kernel(self.watch(mode))
                loads = [site for site in kernel["access"] if site["op"] == "load" and site["requests"] > 100_000 * 8 / 2]
                self.assertAlmostEqual(sum(site["requests"] for site in loads) / requests, 1, delta=0.1)
                self.assertAlmostEqual(max(site["sectors_per_request"]["predicted"] for site in loads), 32, delta=0.1)
                # Most of its blocks ran as they do without gpumem.
                self.assertAlmostEqual(kernel["time_seconds"]["median"] / kernel["predicted_seconds"], 1, delta=0.3)
                self.assertEqual(kernel["metrics"]["gpu_time_share"], 1)

    def test_blocks_that_all_begin_at_once(self):
        """They are looked at, or the reason is the time."""
        (kernel,) = self.watch("second-in-one-wave")["results"]
        if kernel["status"] != "ok":
            self.assertIn("time", kernel["reason"])

    def test_blocks_that_wait_for_those_before_them(self):
        self.the_kernel(self.watch("in-turn"))

    def test_many_grids(self):
        report = self.watch("grids")
        self.assertEqual(len(report["results"]), 512)
        self.assertLess(report["program"]["launches_counted"], 20)
        flags = [kernel["flags"] for kernel in report["results"]]
        self.assertGreater(sum("seen_by_another_grid" in of_kernel for of_kernel in flags), 490)
        self.assertTrue(all(kernel["status"] == "ok" for kernel in report["results"]))

if __name__ == "__main__":
    if run(GPUMEM, "devices")[1] != 0:
        print("skipped: no usable GPU")
        sys.exit(77)
    unittest.main()
