"""The section of kernels of programs: every figure of it, of two made-up reports, against values computed by hand."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import evaluate  # noqa: E402
from plotting.errors import UserError  # noqa: E402

GPUMEM = os.environ.get("GPUMEM", "build/release/gpumem")


def result(name, median_us, predicted_us=None, gpu_ms=None, could_save_ms=None, *, interval_us=None, explained=None,
           status="ok"):
    """A kernel as a report has it."""
    def seconds(value, unit):
        return None if value is None else value * unit

    low, high = interval_us or (None, None)
    time = None if median_us is None else {
        **dict.fromkeys(("median", "ci95_low", "ci95_high", "min", "p05", "p95"), median_us * 1e-6), "count": 2,
        "samples": [median_us * 1e-6] * 2}
    return {
        "probe": "kernel", "parameters": {"kernel": name, "grid": "64", "block_threads": 256, "device": 0},
        "status": status, "reason": None if status == "ok" else "not chosen", "verified": None, "swept": "kernel",
        "headline": {"quantity": "bandwidth_gb_per_s", "better": "more", "measured": 1.0, "ci95_low": None,
                     "ci95_high": None, "predicted": None, "peak": None, "samples": None},
        "useful_bytes": {"read": 1, "written": 0}, "useful_flops": None, "time_seconds": time,
        "predicted_seconds": seconds(predicted_us, 1e-6), "predicted_low": seconds(low, 1e-6),
        "predicted_high": seconds(high, 1e-6), "explained_share": explained,
        "bandwidth_gb_per_s": {"measured": 1.0, "predicted": None}, "peak_gb_per_s": None, "fraction_of_peak": None,
        "access": [], "bottleneck": {"predicted": None, "counted": None}, "counters": None,
        "metrics": {"gpu_time_seconds": seconds(gpu_ms, 1e-3), "launches": 2},
        "metrics_predicted": {"could_save_seconds": seconds(could_save_ms, 1e-3)}, "flags": [],
        "ran_seconds": [0.5, 0.25]}


# The same job badly and well, twice.
PAIRS = [
    result("turn_bad(float*, float const*)", 100, 90, 10, 6, interval_us=(80, 120), explained=0.9),  # -10 %, inside
    result("turn_good(float*, float const*)", 20, 25, 2, 0, interval_us=(22, 30), explained=0.8),    # +25 %, outside
    result("void count_bad<4>(int*)", 50, 100, 8, 9),                                                # +100 %
    result("void count_good<4>(int*)", 10, 10, 4, 1),                                                # 0 %
    result("fill(float*)", 4, 40, 1),                                                                # too short
    result("alone_bad(float*)", 10, None, 1, 1),                                       # without a prediction, unpaired
]
# 2 kernels of PyTorch, -50 % and +20 %, of 3: one was only timed. One of CUB, whose parameters have PyTorch's names.
LIBRARIES = [
    result("void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float> >(int)", 10, 5, 3,
           interval_us=(4, 9)),
    result("void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange(int)>(int)", 10, 12, 1,
           interval_us=(9, 13)),
    result("void at::native::reduce_kernel<512>(int)", 10, None, 4, status="skipped"),
    result("void at_cuda_detail::cub::detail::scan::DeviceScanKernel<at::native::Policy>(int*)", 40, 30, 2),
]

ERRORS = """\
| GPU | library | kernels | mean % | median % | 95th percentile % | worst % | inside the interval % | \
GPU time predicted % |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| GPU A | CUB, Thrust | 1 | 25.0 | 25.0 | 25.0 | 25.0 | - | 100.0 |
| GPU A | PyTorch | 2 | 35.0 | 35.0 | 50.0 | 50.0 | 50.0 | 50.0 |
| GPU A | the program's own | 4 | 33.8 | 17.5 | 100.0 | 100.0 | 50.0 | 96.0 |
| GPU A | all | 7 | 32.9 | 25.0 | 100.0 | 100.0 | 50.0 | 85.7 |
"""
# turn: saved 10 - 2 = 8, predicted 6, 0.75 of it. count: saved 8 - 4 = 4, predicted 9, 2.25 of it.
SAVED = """\
| GPU | pair | bad ms | good ms | saved ms | predicted ms | predicted / saved | the good one could save ms |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| GPU A | count | 8 | 4 | 4 | 9 | 2.25 | 1 |
| GPU A | turn | 10 | 2 | 8 | 6 | 0.75 | 0 |

The predicted saving is within 25 % of the measured one in 1 of 2 pairs. The largest over-estimate is 2.25 x, of \
`count` on GPU A.
"""
WORST = """\
### The 7 kernels predicted worst

| GPU | program | kernel | measured us | predicted us | interval us | explained % | off by % |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
| GPU A | pairs | `count_bad<4>` | 50.0 | 100.0 | - | - | +100.0 |
"""


class Evaluate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = Path(folder.name)
        self.folder = self.directory / "reports"
        self.folder.mkdir()
        self.write("pairs", PAIRS)
        self.write("torch", LIBRARIES)

    def write(self, name, results, command=("./app",)):
        """A report with a device as gpumem describes it."""
        device = {
            **dict.fromkeys(("uuid", "pci_bus_id", "ecc", "mig", "copy_engines", "numa_node", "driver_version",
                             "runtime_version")),
            "name": "GPU A", "compute_capability": "9.0", "multiprocessors": 132, "l2_bytes": 52428800,
            "memory_bytes": 1 << 36, "memory_bus_bits": 5120, "memory_clock_hz": 2619000000, "sm_clock_hz": 1980000000,
            "theoretical_bandwidth_gb_per_s": 3352.3, "shared_bytes_per_block": 232448,
            "shared_bytes_per_multiprocessor": 233472, "threads_per_multiprocessor": 2048, "integrated": False,
            "maps_host_memory": True, "pcie": dict.fromkeys(("generation", "width", "theoretical_gb_per_s"))}
        tool = dict.fromkeys(("version", "git_commit", "compiler", "cuda_compiler", "build_type"))
        report = {
            "schema_version": 1, "tool": {"name": "gpumem", **tool}, "command": ["gpumem", "run"],
            "started_at": "2026-01-02T03:04:05Z", "backend": "cuda", "profile": None,
            "host": dict.fromkeys(("name", "os", "cpu", "memory_bytes")), "device": device, "devices": [device],
            "program": {"command": list(command), "exit_code": 0, "processes": 1, "kernels_seen": len(results),
                        "launches_seen": 2 * len(results), "launches_counted": 1, "skipped": {}},
            "results": results}
        (self.folder / f"{name}.json").write_text(json.dumps(report, indent=1), encoding="utf-8")

    def call(self, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            evaluate.main([str(argument) for argument in arguments])
        return printed.getvalue()

    def test_figures(self):
        text = self.call(self.folder)
        self.assertTrue(text.startswith("## Kernels of programs\n"))
        self.assertIn(ERRORS, text)
        self.assertIn(SAVED, text)
        self.assertIn(WORST, text)
        self.assertIn("| GPU A | pairs | `turn_good` | 20.0 | 25.0 | 22.0 to 30.0 | 80.0 | +25.0 |\n", text)
        self.assertNotIn("`fill`", text)

    def test_a_gpu_has_rows_and_pairs_of_its_own(self):
        other = self.directory / "other"
        other.mkdir()
        for path in self.folder.glob("pairs.json"):
            (other / path.name).write_text(path.read_text(encoding="utf-8").replace("GPU A", "GPU B"), encoding="utf-8")
        text = self.call(self.folder, other)
        self.assertIn("| GPU A | all | 7 |", text)
        self.assertIn("| GPU B | all | 4 | 33.8 |", text)
        self.assertIn("| GPU B | turn | 10 | 2 |", text)
        self.assertIn("in 2 of 4 pairs", text)

    def test_what_has_no_saving_to_compare_with_is_said(self):
        self.write("pairs", [result("slow_bad(int*)", 10, 10, 1, 2), result("slow_good(int*)", 10, 10, 3, 0),
                             result("seen_bad(int*)", 10, 10, 5), result("seen_good(int*)", 10, 10, 1, 0)])
        text = self.call(self.folder)
        self.assertIn("| GPU A | seen | 5 | 1 | 4 | - | - | 0 |\n| GPU A | slow | 1 | 3 | -2 | 2 | - | 0 |", text)
        self.assertIn("in 0 of 2 pairs. Pairs without a ratio: 2.", text)

    def test_the_page_keeps_what_is_around_the_section(self):
        page = self.directory / "page.md"
        page.write_text("before\n\n<!-- kernels: -->\nold\n<!-- end of kernels -->\n\nafter\n", encoding="utf-8")
        self.call("--write", page, self.folder)
        written = page.read_text(encoding="utf-8")
        self.assertTrue(written.startswith(f"before\n\n<!-- kernels: {self.folder} -->\n\n## Kernels of programs\n"))
        self.assertTrue(written.endswith("\n\n<!-- end of kernels -->\n\nafter\n"))
        self.assertNotIn("old", written)
        self.assertIn(self.call(self.folder), written)
        self.call("--write", page)  # from the folders that it names
        self.assertEqual(page.read_text(encoding="utf-8"), written)

    def test_trimmed_reports_say_the_same(self):
        before = self.call(self.folder)
        self.call("--trim", self.folder)
        self.assertEqual(self.call(self.folder), before)
        for path in self.folder.glob("*.json"):
            for kernel in json.loads(path.read_text(encoding="utf-8"))["results"]:
                self.assertEqual(kernel["time_seconds"]["samples"], [])
                self.assertNotIn("ran_seconds", kernel)
            shown = subprocess.run([GPUMEM, "show", path], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(shown.returncode, 0, shown.stderr)

    def test_what_is_wrong_is_said(self):
        page = self.directory / "page.md"
        page.write_text("no markers\n", encoding="utf-8")
        empty = self.directory / "empty"
        empty.mkdir()
        for arguments, said in ((("--write", page, self.folder), "has no lines"), ((empty,), "no folder with reports"),
                                ((), "no folder of reports"), (("--write", self.directory / "none.md"), "cannot read")):
            with self.subTest(said), self.assertRaisesRegex(UserError, said):
                self.call(*arguments)
        self.assertEqual(page.read_text(encoding="utf-8"), "no markers\n")
        page.write_text("<!-- kernels: -->\n<!-- end of kernels -->\n", encoding="utf-8")
        with self.assertRaisesRegex(UserError, "names none"):
            self.call("--write", page)
        self.write("probe", [{**PAIRS[0], "probe": "offset"}])
        with self.assertRaisesRegex(UserError, "holds no kernel of a program"):
            self.call(self.folder)


if __name__ == "__main__":
    unittest.main()
