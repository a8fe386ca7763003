"""Programs watched on a GPU: they do not notice, and what is seen of our own probes is what was predicted."""
import glob
import itertools
import json
import os
import re
import struct
import sys
import tempfile
import unittest

from watching import GPUMEM, has_gpu, run, watched

GUEST = os.environ["GPUMEM_GUEST"]

# program/watch/raw_format.hpp
HEADER_BYTES, SAMPLE_BYTES, SITE_BYTES, SAMPLE_EVENT, COUNTS_EVENT = 32, 56, 2768, 5, 8
# measure::counter_fields(): the number of requests of each, and of what is counted of them
COUNTS = {("global", "load"): (0, 1), ("global", "store"): (2, 3), ("shared", "load"): (4, 5)}
SPACES = {0: "global", 1: "shared"}
OPS = {0: "load", 1: "store", 2: "atomic"}


def events(raw):
    for name in sorted(glob.glob(raw + "/*.events")):
        with open(name, "rb") as file:
            data = file.read()
        at = HEADER_BYTES
        while at + 8 <= len(data):
            kind, size = struct.unpack_from("<2I", data, at)
            yield kind, data[at + 8:at + 8 + size]
            at += 8 + (size + 7) // 8 * 8


def seen_costs(raw):
    """The mean cost of a request over all sites of each launch seen, by space and operation: sectors in global memory,
    wavefronts in shared memory."""
    for event in (event for kind, event in events(raw) if kind == SAMPLE_EVENT):
        sums = {}
        for i in range(struct.unpack_from("<I", event, 4)[0]):
            begin = SAMPLE_BYTES + i * SITE_BYTES
            space, op = struct.unpack_from("<2B", event, begin + 8)
            counts = struct.unpack_from("<8Q", event, begin + 16)
            total = sums.setdefault((SPACES.get(space), OPS[op]), [0, 0])
            total[0] += counts[6 if SPACES.get(space) == "shared" else 3]
            total[1] += counts[0]
        yield {where: cost / requests for where, (cost, requests) in sums.items()}


def counted_costs(raw):
    """The same by the hardware's counters."""
    for event in (event for kind, event in events(raw) if kind == COUNTS_EVENT):
        values = struct.unpack_from("<6d", event, 16)
        yield {where: values[cost] / values[requests] for where, (requests, cost) in COUNTS.items() if values[requests]}


def without_repeats(values):
    return [value for value, _ in itertools.groupby(values)]


class OwnProbes(unittest.TestCase):
    """Cases follow each other in both, and each is launched several times: where the two lists without repeats are the
    same, every launch of every case was."""

    def check_sweep(self, kernels, space, unit, *probe, costs=seen_costs, options=()):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "probe.json")
            options = ("--launches", "100000", "--max-overhead", "1000000%", "--kernel", kernels, *options)
            code, _, err, _, raw = watched(folder, GPUMEM, "probe", *probe, "--time-budget", "1ms", "--quiet",
                                           "--output", report, options=options)
            self.assertEqual((code, err), (0, ""))
            with open(report, encoding="utf-8") as file:
                results = json.load(file)["results"]
            ops = {site["op"] for site in results[0]["access"] if site["space"] == space}
            # A checksum or the time that is stored is no site.
            predicted = [tuple(sorted((site["op"], site[unit]["predicted"]) for site in one["access"]
                                      if site["space"] == space)) for one in results]
            seen = [tuple(sorted((op, cost) for (where, op), cost in launch.items() if where == space and op in ops))
                    for launch in costs(raw)]
            self.assertEqual(without_repeats(seen), without_repeats(predicted))

    def test_offsets_and_strides(self):
        shape = ("--buffer", "16MiB", "--block-threads", "256", "--elements-per-thread", "8")
        for sweep in (("--offset", "0..32"), ("--stride", "1..32")):
            for op in ("read", "write", "copy"):
                with self.subTest(sweep=sweep, op=op):
                    self.check_sweep(r"gpumem::global::(read|write|copy)<", "global", "sectors_per_request", *sweep,
                                     "--op", op, *shape)

    def test_banks(self):
        for word in ("4", "8", "16"):
            with self.subTest(word=word):
                # A launch without conflicts takes 0.6 s to watch, for it has the most requests in a millisecond.
                self.check_sweep("load_words<", "shared", "wavefronts_per_request", "bank", "--op", "read",
                                 "--bank-stride", "1,2,3,8,16,31,32", "--word-bytes", word)


class TimeLines(unittest.TestCase):
    """When kernels ran, by both engines."""

    ENGINES = ((), ("--counters",))

    def lines(self, *command, options):
        """The width of the bins, and each kernel's time line, whose sum is its GPU time."""
        with tempfile.TemporaryDirectory() as folder:
            report = watched(folder, *command, options=options)[3]
        kernels = [one for one in report["results"] if one["metrics"]["gpu_time_seconds"]]
        for one in kernels:
            self.assertAlmostEqual(sum(one["ran_seconds"]) / one["metrics"]["gpu_time_seconds"], 1, places=6)
        lines = {one["parameters"]["kernel"]: one["ran_seconds"] for one in kernels}
        self.assertEqual(len({len(line) for line in lines.values()}), 1)
        self.assertLessEqual(len(next(iter(lines.values()))), 64)
        return report["program"]["bin_seconds"], lines

    def middle(self, line):
        """The bin around which a kernel ran."""
        return sum(i * seconds for i, seconds in enumerate(line)) / sum(line)

    def test_kernels_run_one_after_another(self):
        """More launches than are all timed, in one stream: none runs while another does, and in the probe's order."""
        for options in self.ENGINES:
            with self.subTest(options=options):
                width, lines = self.lines(GPUMEM, "probe", "--offset", "0", "--op", "read,write,copy", "--buffer", "256MiB",
                                          "--block-threads", "256", "--elements-per-thread", "4", "--time-budget", "400ms",
                                          "--ci-width", "0.001%", "--quiet", options=options)
                read, write, copy = ([self.middle(line) for name, line in lines.items() if f"global::{op}<" in name]
                                     for op in ("read", "write", "copy"))
                self.assertLess(max(read), min(write))
                self.assertLess(max(write), min(copy))
                busiest = max(map(sum, zip(*lines.values())))
                self.assertLess(busiest, 1.2 * width)  # launches that were not timed are spread over the others
                self.assertGreater(busiest, 0.1 * width)

    def test_processes_one_after_another(self):
        """A child launches and ends, and only then its parent begins."""
        for options in self.ENGINES:
            with self.subTest(options=options):
                _, lines = self.lines(GUEST, "child", options=options)
                (line,) = lines.values()
                ran = [i for i, seconds in enumerate(line) if seconds > 0]
                pause, before = max((after - before, before) for before, after in zip(ran, ran[1:]))
                self.assertGreater(pause, 4)  # until the parent has a context
                self.assertAlmostEqual(sum(line[:before + 1]) / sum(line), 0.5, delta=0.3)


class Clock(unittest.TestCase):
    """Times by events against CUPTI's records, which exclude each other in a process."""

    def times(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            report = watched(folder, GUEST, "lengths", options=options)[3]
        return {one["parameters"]["grid"]: one["time_seconds"]["median"] for one in report["results"]}

    def test_times_are_those_of_cupti(self):
        """To 0.7 us or 3 %: the clock's own noise, and what two runs of the kernels differ by."""
        expected = self.times("--counters", "--launches", "0")
        self.assertEqual(len(expected), 5)
        for options in ((), ("--launches", "0")):
            for grid, seconds in self.times(*options).items():
                with self.subTest(options=options, grid=grid):
                    self.assertAlmostEqual(seconds, expected[grid], delta=max(0.7e-6, 0.03 * expected[grid]))


class Guests(unittest.TestCase):
    def check_unnoticed(self, mode, *options):
        alone = run(GUEST, mode)
        with tempfile.TemporaryDirectory() as folder:
            code, out, err, report, _ = watched(folder, GUEST, mode, options=options)
        # Python's codes of signals are negative, those of gpumem run 128 and more.
        self.assertEqual(code, alone[0] if alone[0] >= 0 else 128 - alone[0])
        self.assertEqual((out, err), alone[1:])
        self.assertEqual(report["program"]["exit_code"], code)
        return report

    def test_threads_and_streams(self):
        report = self.check_unnoticed("threads")
        self.assertEqual(report["program"]["launches_seen"], 1600)
        self.assertEqual(report["program"]["launches_counted"], 9)  # 1 shape of add, 8 of swap

    def test_graphs(self):
        report = self.check_unnoticed("graph")
        (add,) = report["results"]
        self.assertEqual(add["metrics"]["launches"], 500)
        self.assertGreater(add["metrics"]["gpu_time_seconds"], 0)
        self.assertEqual({site["sectors_per_request"]["predicted"] for site in add["access"]}, {4})
        (graph,) = report["program"]["graphs"]
        self.assertEqual((graph["kernels"], graph["launches"], graph["by_node"]), (10, 50, True))
        # Its kernels follow each other: a replay takes what they do, and at most as much again for the way between.
        together = 10 * add["time_seconds"]["median"]
        self.assertGreater(graph["time_seconds"], 0.7 * together)
        self.assertLess(graph["time_seconds"], 2 * together)

    def test_nodes_of_graphs_that_change(self):
        report = self.check_unnoticed("graph-parts")
        launches = {one["parameters"]["kernel"].split("::")[-1].split("(")[0]: one["metrics"]["launches"]
                    for one in report["results"]}
        self.assertEqual(launches, {"add": 48, "swap": 48})
        self.assertEqual(report["program"]["skipped"], {})

    def test_graphs_that_run_as_a_whole(self):
        report = self.check_unnoticed("graph-whole")
        allocates, loops = sorted(report["results"], key=lambda one: one["parameters"]["kernel"], reverse=True)
        self.assertEqual([one["metrics"]["launches"] for one in (allocates, loops)], [20, 20])
        for one in (allocates, loops):
            self.assertIn("only runs as a whole", one["reason"])
            self.assertGreater(one["metrics"]["gpu_time_seconds"], 0)
        notes = " ".join(report["program"]["notes"])
        self.assertIn("allocates memory", notes)
        self.assertIn("conditional nodes", notes)

    def test_contexts_that_end(self):
        for options in ((), ("--launches", "0"), ("--counters",), ("--counters", "--replay")):
            with self.subTest(options=options):
                report = self.check_unnoticed("reset", *options)
                self.assertEqual(report["program"]["launches_seen"], 15)
                # Without --replay each of so few launches is counted in part, and those that are counted are not timed.
                timed = options != ("--counters",)
                self.assertEqual([one["time_seconds"] is not None for one in report["results"]], [timed])

    def test_a_pointer_to_any_space_is_of_the_space_it_leads_to(self):
        report = self.check_unnoticed("pointer")
        added = [site for site in report["results"][0]["access"] if site["op"] == "atomic"]
        self.assertEqual([site["space"] for site in added], ["shared"])
        self.assertEqual(added[0]["wavefronts_per_request"]["predicted"], 1)

    def test_little_memory(self):
        """Samples take memory of the GPU. If there is none left, launches go unwatched, and the program notices
        nothing."""
        report = self.check_unnoticed("little-memory")
        self.assertEqual(report["program"]["launches_seen"], 10)
        self.assertTrue(any("memory" in reason for reason in report["program"]["skipped"]), report["program"])

    def test_cooperative_launches(self):
        """As many blocks as fit at once, with the patch as well."""
        (together,) = self.check_unnoticed("cooperative")["results"]
        (load, store) = together["access"][:2]
        self.assertEqual({load["op"], store["op"]}, {"load", "store"})
        self.assertEqual({load["sectors_per_request"]["predicted"], store["sectors_per_request"]["predicted"]}, {4})

    def test_ends(self):
        for mode in ("kill", "abort", "fault"):
            with self.subTest(mode=mode):
                report = self.check_unnoticed(mode)
                self.assertGreater(report["program"]["launches_seen"], 0)
                self.assertEqual(report["program"]["launches_counted"], 0 if mode == "fault" else 1)

    def test_children(self):
        report = self.check_unnoticed("child")
        self.assertEqual(report["program"]["processes"], 2)
        self.assertEqual(report["program"]["launches_seen"], 100)

    def test_a_wasteful_kernel_comes_first(self):
        report = self.check_unnoticed("columns")
        first = report["results"][0]
        self.assertIn("column", first["parameters"]["kernel"])
        loads = [site for site in first["access"] if site["op"] == "load"]
        self.assertEqual(loads[0]["sectors_per_request"]["predicted"], 32)
        self.assertEqual(loads[0]["sectors_per_request"]["least"], 4)
        self.assertIn("lanes 1024 elements", loads[0]["pattern"])
        self.assertGreater(first["metrics_predicted"]["could_save_seconds"], 0)


class LongLoop(unittest.TestCase):
    """A loop of short launches that tells nothing new for long: gpumem leaves it, and its counts end there."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def watch(self, mode, **environment):
        """The report, and seconds since the loop began with the launches of each of its kernels until then."""
        report = os.path.join(self.folder.name, "report.json")
        code, out, err = run(GPUMEM, "run", "--quiet", "--output", report, "--", GUEST, mode, **environment)
        self.assertEqual((code, err), (3, ""))
        with open(report, encoding="utf-8") as file:
            report = json.load(file)
        launched = [(float(seconds), int(launches)) for seconds, launches in re.findall(r"after (\S+) (\d+)", out)]
        self.assertGreater(len(launched), 40)
        # Its result is the sum of what it launched, whenever gpumem left.
        self.assertEqual(out.splitlines()[-1], f"{mode} {launched[-1][1] + (mode == 'long-loop'):g}")
        return report, launched

    def launches(self, report):
        return {(one["parameters"]["kernel"].split("::")[-1].split("(")[0], one["parameters"]["grid"]):
                one["metrics"]["launches"] for one in report["results"]}

    def test_counts_are_right_up_to_the_moment_when_gpumem_leaves(self):
        for mode, kernels in (("long-loop", ["add", "swap"]), ("long-graphs", ["add"])):
            with self.subTest(mode=mode):
                report, launched = self.watch(mode)
                program = report["program"]
                left_s = program["watched_seconds"]
                self.assertGreater(left_s, 1)
                self.assertLess(left_s, 3)
                self.assertTrue(any("in no count" in note for note in program["notes"]), program["notes"])
                counts = self.launches(report)
                self.assertEqual(sorted(counts), [(kernel, "1") for kernel in kernels])  # no grid from after that
                self.assertLessEqual(max(counts.values()) - min(counts.values()), 1)  # they took turns
                self.assertEqual(program["launches_seen"], sum(counts.values()))
                self.assertEqual([one["launches"] for one in program["graphs"]],
                                 [counts["add", "1"]] if mode == "long-graphs" else [])
                # The loop's clock begins before the first launch, the system's tick may be 10 ms late, and two numbers
                # are printed 50 ms apart.
                slack_s = 0.15
                self.assertGreaterEqual(counts["add", "1"], max(n for at_s, n in launched if at_s < left_s - slack_s))
                self.assertLessEqual(counts["add", "1"], min(n for at_s, n in launched if at_s > left_s + slack_s))

    def test_all_are_counted_if_gpumem_is_to_stay(self):
        report, launched = self.watch("long-loop", GPUMEM_RUN_STAY="1")
        self.assertNotIn("watched_seconds", report["program"])
        each = launched[-1][1]
        self.assertEqual(self.launches(report), {("add", "1"): each, ("swap", "1"): each, ("add", "4096"): 1})


class Counted(Guests):
    """By the hardware's counters, which take permission."""

    ELEMENTS = 1 << 20  # of the guest's array
    WARP_SECTORS = 4    # of 32 words that lie side by side

    def setUp(self):
        report = self.check_unnoticed("launches", "--counters")
        if any("permission" in note for note in report["program"]["notes"]):
            self.skipTest("counting is not permitted")

    def sectors(self, report, name):
        """Loaded and stored by a launch of each kernel of that name."""
        counted = [one["counters"] for one in report["results"] if name in one["parameters"]["kernel"]]
        return {(one["global_load_sectors"], one["global_store_sectors"]) for one in counted if one}

    def test_own_sweeps(self):
        counted = {"costs": counted_costs, "options": ("--counters", "--replay")}
        shape = ("--op", "copy", "--buffer", "16MiB", "--block-threads", "256", "--elements-per-thread", "8")
        for sweep in (("--offset", "0..32"), ("--stride", "1..32")):
            with self.subTest(sweep=sweep):
                OwnProbes.check_sweep(self, "gpumem::global::copy<", "global", "sectors_per_request", *sweep, *shape,
                                      **counted)
        with self.subTest("banks"):
            OwnProbes.check_sweep(self, "load_words<", "shared", "wavefronts_per_request", "bank", "--op", "read",
                                  **counted)

    def test_threads_and_streams(self):
        report = self.check_unnoticed("threads", "--counters")
        self.assertEqual(report["program"]["launches_seen"], 1600)
        self.assertEqual(self.sectors(report, "add"), {(self.ELEMENTS // 32 * self.WARP_SECTORS,) * 2})
        self.assertEqual(self.sectors(report, "swap"), {((64 + k) * 1024 // 8,) * 2 for k in range(8)})

    def test_graphs(self):
        """Their kernels are timed, however often they run."""
        report = self.check_unnoticed("graph", "--counters")
        (add,) = report["results"]
        self.assertEqual(add["metrics"]["launches"], 500)
        self.assertGreater(add["metrics"]["gpu_time_seconds"], 0)
        self.assertEqual(report["program"]["notes"], [])

    def test_cooperative_launches(self):
        (together,) = self.check_unnoticed("cooperative", "--counters", "--replay")["results"]
        self.assertEqual(together["counters"]["global_store_sectors"], self.ELEMENTS // 8)

    def test_ends(self):
        for mode in ("kill", "abort", "fault"):
            with self.subTest(mode=mode):
                self.assertGreater(self.check_unnoticed(mode, "--counters")["program"]["launches_seen"], 0)

    def test_children(self):
        self.assertEqual(self.check_unnoticed("child", "--counters")["program"]["processes"], 2)

    def test_a_wasteful_kernel_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, _, report, _ = watched(folder, GUEST, "columns", options=("--counters", "--sites"))
        self.assertEqual((code, out.count("columns")), (3, 1))  # it "failed", so it is not run again
        self.assertTrue(any("not run again" in note for note in report["program"]["notes"]))


if __name__ == "__main__":
    if not has_gpu():
        print("skipped: no usable GPU")
        sys.exit(77)
    unittest.main()
