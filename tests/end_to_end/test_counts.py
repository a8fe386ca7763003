"""`gpumem compare --counts`: the gate on counts. Regressions are planted in copies of real reports, and all have to be
found; what is no regression has to pass."""

import copy
import csv
import io
import json
import random
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest, environment, run, strict_json

H100 = Path(__file__).parents[2] / "configs" / "reference" / "h100"
CORPUS = H100 / "corpus"
FAULTS = H100 / "programs" / "three_faults_before.json"
COSTS = ("sectors_per_request", "lines_per_request", "wavefronts_per_request")


def report_of(name):
    path = CORPUS / (name + ".json")
    return json.loads((path if path.exists() else H100 / "public-programs" / (name + ".json")).read_text())


def kernel_in(report, part):
    return next(result for result in report["results"] if part in result["parameters"]["kernel"])


def site_in(kernel, space="global", op="load"):
    return next(site for site in kernel["access"] if (site["space"], site["op"]) == (space, op))


def scale(site, factor, *units):
    for unit in units or COSTS:
        cost = site.get(unit)
        if cost and cost["predicted"] is not None:
            cost["predicted"] *= factor


def later_line(site, lines=1):
    file, _, line = site["site"].rpartition(":")
    return f"{file}:{int(line) + lines}"


# Regressions, as they change the sites of a kernel.

def strided(factor):
    """Lanes lie further apart, so requests touch more sectors and lines."""
    return lambda kernel, site: scale(site, factor)


def misaligned(_, site):
    """Requests begin within a sector, and touch one more of them and one more line."""
    for unit in COSTS[:2]:
        site[unit]["predicted"] += 1


def narrowed(factor):
    """Words of a fraction of the width: as many times the requests, each with as small a part of the bytes."""

    def plant(_, site):
        site["word_bytes"] //= factor
        site["requests"] *= factor
        scale(site, 1 / factor)

    return plant


def conflicts(ways):
    return lambda kernel, site: scale(site, ways, "wavefronts_per_request")


def once_more(_, site):
    """A pass over the same data again."""
    site["requests"] *= 2


def one_more_request(_, site):
    totals = {unit: site[unit]["predicted"] * site["requests"] for unit in COSTS if site.get(unit, {}).get("predicted")}
    site["requests"] += 1
    for unit, total in totals.items():
        site[unit]["predicted"] = (total + 1) / site["requests"]


def one_more_sector(_, site):
    """The least that can grow: a sector of a launch."""
    site["sectors_per_request"]["predicted"] += 1 / site["requests"]


def extra_site(kernel, site):
    added = copy.deepcopy(site)
    added["site"] = later_line(site)
    kernel["access"].append(added)


def extra_array(kernel, site):
    added = copy.deepcopy(site)
    added["site"] = "cache.cuh:7"
    kernel["access"].insert(0, added)


def store_to_atomic(_, site):
    site["op"] = "atomic"


def half_the_lanes(_, site):
    """Every other lane has left: twice the requests for the same bytes."""
    site["requests"] *= 2
    site["active_lanes"] /= 2


PLANTED = (
    ("gather", "gather_good", ("global", "load"), strided(2)),
    ("gather", "gather_good", ("global", "store"), strided(8)),
    ("gather", "gather_bad", ("global", "load"), one_more_sector),
    ("batched_products", "products_good", ("global", "load"), strided(8)),
    ("batched_products", "products_good", ("global", "store"), misaligned),
    ("batched_products", "products_good", ("global", "load"), extra_site),
    ("permutation", "permutation_good", ("global", "store"), strided(8)),
    ("permutation", "permutation_bad", ("global", "load"), once_more),
    ("lookup", "lookup_good", ("global", "load"), one_more_request),
    ("lookup", "lookup_bad", ("global", "store"), misaligned),
    ("vector_words", "words_good", ("global", "load"), narrowed(4)),
    ("vector_words", "words_good", ("global", "store"), narrowed(2)),
    ("sum", "sum_good", ("global", "atomic"), once_more),
    ("sum", "sum_bad", ("global", "atomic"), strided(32)),
    ("sum", "sum_good", ("shared", "load"), conflicts(2)),
    ("sum", "sum_good", ("shared", "store"), conflicts(32)),
    ("sum", "sum_bad", ("global", "load"), half_the_lanes),
    ("local_array", "array_bad", ("local", "load"), once_more),
    ("local_array", "array_bad", ("local", "store"), extra_array),
    ("pixels", "pixels_good", ("global", "load"), narrowed(4)),
    ("particles", "particles_good", ("global", "load"), strided(6)),
    ("gaussian", "fan2", ("global", "store"), store_to_atomic),
    ("page-rank", "reduce", ("global", "load"), one_more_sector),
    ("langevin", "k1", ("global", "load"), extra_array),
    ("burger", "update", ("global", "load"), misaligned),
    # Seen in part.
    ("transpose", "transpose_good", ("global", "store"), strided(8)),
    ("transpose", "transpose_good", ("shared", "load"), conflicts(32)),
    ("column_sums", "sums_good", ("global", "load"), misaligned),
    ("few_blocks", "few_blocks_good", ("global", "load"), narrowed(4)),
    ("matrix_product", "product_good", ("global", "load"), strided(6.6)),
    ("histogram", "histogram_good", ("shared", "atomic"), conflicts(4)),
    ("stencil", "stencil_good", ("global", "store"), strided(8)),
)


class CountsTest(ProgramTest):
    def save(self, name, report):
        path = self.directory / name
        path.write_text(json.dumps(report))
        return str(path)

    def gate(self, old, new, *options, **settings):
        return run("compare", "--counts", self.save("old.json", old), self.save("new.json", new), *options, **settings)

    def compared(self, old, new, *options):
        return strict_json(self.gate(old, new, "--format", "json", *options).stdout)


class Planted(CountsTest):
    def test_there_are_thirty(self):
        self.assertGreaterEqual(len(PLANTED), 30)

    def test_all_are_found(self):
        for name, part, access, plant in PLANTED:
            with self.subTest(report=name, kernel=part, access=access):
                old = report_of(name)
                new = copy.deepcopy(old)
                kernel = kernel_in(new, part)
                site = site_in(kernel, *access)
                plant(kernel, site)
                for later in kernel["access"]:
                    if ":" in later["site"]:
                        later["site"] = later_line(later, 11)
                done = self.gate(old, new)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertRegex(done.stderr, rf"\Agpumem: \S+new\.json: \d+ counts? of 1 kernel grew "
                                              rf"\(worst: [^\n]*{part}[^\n]* -> [^\n]*\)\n\Z")
                if plant is not store_to_atomic:  # which trades one count for another
                    self.assertEqual(self.gate(new, old).returncode, 0)

    def test_a_kernel_of_a_library_that_gets_another_layout(self):
        old = json.loads(FAULTS.read_text())
        new = copy.deepcopy(old)
        one_more_sector(None, site_in(kernel_in(new, "reduce_kernel")))
        done = self.gate(old, new)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reduce_kernel", done.stderr)


class NoChange(CountsTest):
    def test_lines_order_and_times_are_none(self):
        shuffled = random.Random(7)
        for name in ("gather", "sum", "burger", "merge", "transpose", "scan"):
            old = report_of(name)
            new = copy.deepcopy(old)
            new["started_at"] = "2027-01-01T00:00:00Z"
            shuffled.shuffle(new["results"])
            for kernel in new["results"]:
                shuffled.shuffle(kernel["access"])
                for site in kernel["access"]:
                    if ":" in site["site"]:
                        site["site"] = later_line(site, 100)
                if kernel["time_seconds"]:
                    kernel["time_seconds"]["median"] *= shuffled.uniform(0.5, 2)
            done = self.gate(old, new)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertRegex(done.stdout, r"No count grew; \d+ kernels without change")

    def test_lines_that_changed_places(self):
        old = report_of("burger")
        new = copy.deepcopy(old)
        for kernel in new["results"]:
            lines = [site["site"] for site in kernel["access"]]
            for site, line in zip(kernel["access"], reversed(lines)):
                site["site"] = line
        self.assertEqual(self.gate(old, new).returncode, 0)

    def test_an_access_that_was_split(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        kernel = kernel_in(new, "gather_good")
        load = site_in(kernel)
        for unit in COSTS[:2]:
            load[unit]["predicted"] = 8
            site_in(kernel_in(old, "gather_good"))[unit]["predicted"] = 8
        load["requests"] //= 2
        extra_site(kernel, load)
        compared = self.compared(old, new)
        self.assertTrue(compared["summary"]["passed"], compared["summary"])
        self.assertGreater(compared["summary"]["moved"], 0)
        kernel["access"][-1]["requests"] += 1
        self.assertEqual(self.gate(old, new).returncode, 1)

    def test_more_launches_are_said(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        kernel_in(new, "gather_good")["metrics"]["launches"] *= 3
        done = self.gate(old, new)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"Launches, of which counts are one each: gather_good\S* \d+ -> \d+\.")

    def test_less_than_runs_differ_by_is_none_in_a_kernel_seen_in_part(self):
        old = report_of("stencil")
        new = copy.deepcopy(old)
        scale(site_in(kernel_in(new, "stencil_good")), 1.1)
        self.assertEqual(self.gate(old, new).returncode, 0)
        self.assertEqual(self.gate(old, new, "--tolerance", "5%").returncode, 1)


class Said(CountsTest):
    def test_what_is_not_compared_is_named(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        kernel_in(new, "gather_bad").update(status="skipped", reason="the time for sampling was spent", access=[])
        kernel_in(new, "fill")["flags"].append("seen_by_another_grid")
        done = self.gate(old, new)
        self.assertEqual(done.returncode, 0)
        self.assertIn("2 of 3 kernels not compared", done.stderr)
        self.assertIn("Not compared, not looked at in new: the time for sampling was spent: 1 kernel: gather_bad", done.stdout)
        self.assertIn("a launch of another grid stands for it: 1 kernel: fill", done.stdout)

    def test_kernels_that_came_or_went(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        kernel = kernel_in(new, "gather_bad")
        kernel["parameters"]["kernel"] = "other(float*)"
        kernel["useful_bytes"]["read"] += 4
        done = self.gate(old, new)
        self.assertEqual(done.returncode, 0)
        self.assertIn("another name, grid or block", done.stdout)

    def test_the_same_work_under_another_name_is_compared(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        kernel = kernel_in(new, "gather_bad")
        kernel["parameters"]["kernel"] = "other(float*)"
        self.assertIn("Matched by place, with the same work: gather_bad", self.gate(old, new).stdout)
        scale(site_in(kernel), 1.5)
        self.assertEqual(self.gate(old, new).returncode, 1)

    def test_nothing_to_compare_fails(self):
        old = report_of("gather")
        new = copy.deepcopy(old)
        for kernel in new["results"]:
            kernel.update(status="skipped", reason="no time", access=[])
        for other in (new, old | {"results": []}):
            done = self.gate(old, other)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no counts could be compared", done.stderr)

    def test_sites_that_vary_between_runs_of_old(self):
        old = report_of("page-rank")
        repeat, new = copy.deepcopy(old), copy.deepcopy(old)
        once_more(None, site_in(kernel_in(repeat, "reduce")))
        kernel = kernel_in(new, "reduce")
        varying = site_in(kernel)
        varying["requests"] *= 3
        self.assertEqual(self.gate(old, new).returncode, 1)
        options = ("--repeat", self.save("repeat.json", repeat))
        compared = self.compared(old, new, *options)
        self.assertTrue(compared["summary"]["passed"])
        case, = (case for case in compared["cases"] if case["inexact_because"] == "varies")
        self.assertEqual(case["sites_varying"], 1)
        scale(next(site for site in kernel["access"] if site is not varying), 2)
        self.assertEqual(self.gate(old, new, *options).returncode, 1)


class Probes(CountsTest):
    def predicted(self, name, *axes):
        path = self.directory / name
        self.succeed("probe", *axes, *MODEL, "--quiet", "--output", str(path))
        return json.loads(path.read_text())

    def test_a_pattern_is_gated_without_a_gpu(self):
        old = self.predicted("a.json", "--stride", "1,2", "--op", "read")
        self.assertEqual(self.gate(old, old | {"started_at": "2027-01-01T00:00:00Z"}).returncode, 0)
        new = copy.deepcopy(old)
        scale(new["results"][1]["access"][0], 1.01)
        done = self.gate(old, new)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stride 2", done.stderr)
        self.assertEqual(self.gate(old, new, "stride=1").returncode, 0)

    def test_copies_have_no_counts(self):
        old = self.predicted("a.json", "--transfer", "pinned", "--size", "1MiB")
        self.assertIn("no counts could be compared: no counts by site in old", self.gate(old, old).stderr)


class Formats(CountsTest):
    def setUp(self):
        super().setUp()
        self.old = report_of("gather")
        self.new = copy.deepcopy(self.old)
        scale(site_in(kernel_in(self.new, "gather_good")), 2)

    def test_a_file_and_stdout_hold_the_same(self):
        for extension, name in ((".json", "json"), (".csv", "csv"), (".md", "markdown")):
            file = self.directory / ("out" + extension)
            done = self.gate(self.old, self.new, "--format", name, "--output", str(file))
            self.assertEqual(file.read_text(), done.stdout)
        self.assertEqual(self.gate(self.old, self.new, "--quiet", "--output", str(self.directory / "o.txt")).stdout, "")

    def test_json_and_csv_agree(self):
        case, = (case for case in self.compared(self.old, self.new)["cases"] if case["sites_changed"])
        counts = [count for site in case["sites_changed"] for count in site["counts"]]
        rows = list(csv.DictReader(io.StringIO(self.gate(self.old, self.new, "--format", "csv").stdout)))
        self.assertEqual([(row["unit"], float(row["new"])) for row in rows],
                         [(count["unit"], count["new"]) for count in counts])
        self.assertEqual({row["verdict"] for row in rows}, {"grew"})
        launch = case["per_launch"]
        sectors = next(count for count in counts if count["unit"] == "sectors")
        self.assertEqual(launch["new"]["sector_bytes"] - launch["old"]["sector_bytes"], 32 * sectors["more_per_launch"])

    def test_no_line_is_wider_than_the_terminal(self):
        for width in (80, 200):
            done = self.gate(self.old, self.new, env=environment(COLUMNS=str(width)))
            lines = [line for line in done.stdout.splitlines() if str(self.directory) not in line]
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertIn("grew", done.stdout)


class Mistakes(CountsTest):
    def test_each_has_one_line(self):
        old = str(CORPUS / "gather.json")
        new = str(CORPUS / "sum.json")
        probes = str(H100.parent / "h200" / "offset.json")
        mistakes = (
            ((old,), "needs a second report"),
            ((old, new, probes), "is a third"),
            ((old, probes), "compare two reports of one kind"),
            ((old, new, "--fleet"), "choose one"),
            ((old, new, "--changed"), "leave --changed out"),
            ((old, new, "--fail-on-regression", "3%"), "leave that out"),
            ((old, new, "--repeat", old), "is given twice"),
            ((old, new, "--repeat", "missing.json"), "cannot read 'missing.json'"),
            ((old, new, "--repeat", probes), "compare two reports of one kind"),
            ((old, new, "--output", "missing/folder/x.md"), "cannot write"),
            ((old, new, "kernel=nosuch"), "no case has 'kernel=nosuch'"),
        )
        for arguments, expected in mistakes:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.fail_with(2, "compare", "--counts", *arguments, input=""))
        self.assertIn("--repeat is for --counts", self.fail_with(2, "compare", old, new, "--repeat", new))


if __name__ == "__main__":
    unittest.main()
