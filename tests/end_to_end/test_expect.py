"""gpumem expect: one screen of what a GPU should reach, which is what probes predict and what healthy GPUs measured."""

import csv
import io
import json
import re
import unittest
from pathlib import Path

from harness import MODEL, NODE, ProgramTest, environment, run, strict_json

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = ROOT / "configs" / "reference"
PROFILES = sorted(path.stem for path in (ROOT / "configs" / "gpus").glob("*.json"))
# In reports these stand for one another: a shift and a stride of nothing are the aligned lanes.
ALIGNED = {"offset": ("offset_elements", 0), "stride": ("stride_elements", 1), "coalesced": ("lanes", "aligned")}


def key(case):
    """Alike for cases that measure the same: without what auto chose."""
    parameters = {"order": "random", "op": "read", **case["parameters"]} if case["probe"] in ("latency", "bank") \
        else dict(case["parameters"])
    chosen = case.get("chosen_by_auto") or []
    probe = case["probe"]
    if probe in ALIGNED and parameters.get(ALIGNED[probe][0]) == ALIGNED[probe][1]:
        parameters.pop(ALIGNED[probe][0])
        probe = "aligned"
    return probe, tuple(sorted((name, value) for name, value in parameters.items() if name not in chosen))


class Expect(ProgramTest):
    def expected(self, *arguments):
        return strict_json(self.succeed("expect", *arguments, "--format", "json"))

    def test_one_screen(self):
        for profile in PROFILES:
            for width in (80, 200):
                with self.subTest(profile, width=width):
                    text = self.succeed("expect", profile, env=environment(COLUMNS=str(width)))
                    lines = text.splitlines()
                    self.assertLessEqual(len(lines), 40)
                    self.assertLessEqual(max(map(len, lines)), width)
                    self.assertEqual("gpumem probe --hierarchy l2" in text, width == 200)

    def test_values_are_what_the_probes_predict(self):
        for profile, model in (("h200x8", NODE), ("v100", ("--backend", "model", "--gpu", "v100"))):
            for value in self.expected(profile)["expected"]:
                with self.subTest(profile, quantity=value["quantity"]):
                    words = value["command"].split()[1:]
                    (case,) = strict_json(self.succeed(*words, *model, "--format", "json"))["results"]
                    reading = {"ns": lambda case: case["metrics_predicted"]["latency_ns"],
                               "us": lambda case: case["predicted_seconds"] * 1e6}
                    self.assertEqual(reading.get(value["unit"], lambda case: case["headline"]["predicted"])(case),
                                     value["value"])

    def test_what_is_not_known_is_left_out(self):
        names = {profile: [value["quantity"] for value in self.expected(profile)["expected"]]
                 for profile in ("h200", "h200x8", "v100")}
        pairs = {name for name in names["h200x8"] if name.startswith("pair_")}
        self.assertEqual(pairs, {"pair_copy_gb_per_s", "pair_read_gb_per_s", "pair_write_gb_per_s"})
        self.assertEqual(set(names["h200x8"]) - set(names["h200"]), pairs)
        self.assertEqual(set(names["h200"]) - set(names["v100"]), {"l2_far_latency_cycles", "l2_far_latency_ns"})

    def test_intervals(self):
        for value in self.expected("v100")["expected"]:
            # The bandwidth of L2 is unknown to a part for a GPU on which nobody ran the probe.
            known = value["source"] in ("measured", "fitted", "published") and value["quantity"] != "l2_read_gb_per_s"
            self.assertEqual(value["low"] is not None, known, value["quantity"])
            if known:
                self.assertLess(value["low"], value["value"])
                self.assertGreaterEqual(value["high"], value["value"])
                self.assertLessEqual(value["high"], value["peak"] or value["high"])

    def measured(self, gpu):
        """Headlines of the reference reports by what they measure, each with its report."""
        found = {}
        for path in sorted((REFERENCES / gpu).glob("*.json")):
            report = json.loads(path.read_text(encoding="utf-8"))
            for case in report["results"]:
                headline = case.get("headline") or case["bandwidth_gb_per_s"]
                if case["status"] == "ok" and headline and headline.get("measured"):
                    found.setdefault(key(case), []).append((path.name, headline))
        return found

    def test_healthy_gpus_lie_within(self):
        """docs/suites.md derives the intervals from these readings."""
        readings = {gpu: self.measured(gpu) for gpu in ("h200", "h100")}
        of_h100 = {value["quantity"]: value for value in self.expected("h100")["expected"]}
        compared = 0
        for value in self.expected("h200x8")["expected"]:
            if value["unit"] not in ("GB/s", "cycles"):
                continue
            words = value["command"].split()[1:]
            (case,) = strict_json(self.succeed(*words, *NODE, "--format", "json"))["results"]
            of_link = value["quantity"].startswith(("pair_", "link_"))
            for gpu, found in readings.items():
                for file, headline in found.get(key(case), []):
                    # An H100's links are an H200's.
                    should = value if gpu == "h200" or of_link else of_h100[value["quantity"]]
                    ratio = headline["measured"] / should["value"]
                    bounds = should if should["low"] else value  # its L1 is the H200's
                    compared += 1
                    with self.subTest(gpu, file=file, quantity=value["quantity"], ratio=round(ratio, 3)):
                        self.assertGreaterEqual(ratio, bounds["low"] / bounds["value"])
                        self.assertLessEqual(ratio, bounds["high"] / bounds["value"])
        self.assertGreater(compared, 60)

    def test_smoke_fails_what_is_twice_as_far(self):
        """The worse end of each interval, and as much again. The link is held closer, in three attempts."""
        suite = json.loads((ROOT / "configs" / "smoke.json").read_text(encoding="utf-8"))
        values = {value["quantity"]: value for value in self.expected("h200")["expected"]}
        quantity_of = {"reads": "memory_read_gb_per_s", "writes": "memory_write_gb_per_s", "copies": "memory_copy_gb_per_s",
                       "shared memory": "shared_read_gb_per_s"}
        held = 0
        for expectation in suite["expectations"]:
            name = expectation["name"].partition(" is ")[0].partition(" are ")[0]
            if expectation.get("quantity") != "measured_over_predicted" or name not in quantity_of:
                continue
            value = values[quantity_of[name]]
            low = value["low"] / value["value"]
            held += 1
            if "at_most" in expectation:  # cycles, which are as much more as a bandwidth is less
                self.assertAlmostEqual(expectation["at_most"], 1 + 2 * (1 - low))
            else:
                self.assertAlmostEqual(expectation["at_least"], 1 - 2 * (1 - low))
            self.assertIn(f" {low:.2f} to ", expectation["because"])
        self.assertEqual(held, len(quantity_of))

    def test_all(self):
        report = self.expected("--all")
        self.assertEqual(len(report["gpus"]), len(PROFILES))
        rows = list(csv.DictReader(io.StringIO(self.succeed("expect", "--all", "--format", "csv"))))
        self.assertEqual(len(rows), sum(len(gpu["expected"]) for gpu in report["gpus"]))
        self.assertEqual(float(rows[0]["value"]), report["gpus"][0]["expected"][0]["value"])
        for width in (80, 200):
            lines = self.succeed("expect", "--all", env=environment(COLUMNS=str(width))).splitlines()
            self.assertLessEqual(max(map(len, lines)), width)

    def test_files(self):
        files = [self.directory / name for name in ("e.json", "e.csv", "e.md", "e.txt")]
        self.assertEqual(self.succeed("expect", "v100", *(word for file in files for word in ("-o", str(file)))), "")
        self.assertEqual(strict_json(files[0].read_text())["profile"], "v100")
        self.assertTrue(all(file.read_text() for file in files))
        own = self.directory / "own.json"
        own.write_text((ROOT / "configs" / "gpus" / "v100.json").read_text().replace('"name": "v100"', '"name": "own"'))
        self.assertIn("own.json", self.fail_with(2, "expect", str(own), "-o", str(own)))

    def test_ones_own_profile_tells_nothing_of_healthy_gpus(self):
        own = self.directory / "own.json"
        own.write_text((ROOT / "configs" / "gpus" / "v100.json").read_text().replace('"name": "v100"', '"name": "own"'))
        report = self.expected(str(own))
        self.assertEqual((report["profile"], report["own"]), ("own", True))
        self.assertEqual({value["low"] for value in report["expected"]}, {None})
        self.assertFalse(self.expected("v100")["own"])
        # The profile that calibrate leaves as one's own is found by the GPU's name. It is no expected value either.
        settings = environment(XDG_CONFIG_HOME=str(self.directory))
        self.succeed("calibrate", "--from", str(REFERENCES / "h200" / "bank.json"), "--quiet", env=settings)
        text = self.succeed("expect", "NVIDIA H200", env=settings)
        self.assertIn("your own profile 'NVIDIA H200, calibrated'", text)
        self.assertNotRegex(text.replace("not what healthy ones do", ""), "healthy (GPU|ones)|check smoke|[0-9] to [0-9]")
        self.assertIn("Values that a healthy GPU of this kind reaches", self.succeed("expect", "h200", env=settings))

    def test_smoke_passes_what_is_expected(self):
        for profile in PROFILES:
            with self.subTest(profile):
                self.succeed("check", "smoke", "--backend", "model", "--gpu", profile)

    def test_what_l2_serves_is_flagged(self):
        """No case says more than memory can do and nothing to it: random accesses within 64 of an L40S's 96 MiB."""
        report = strict_json(self.succeed("probe", "--random-footprint", "16MiB,64MiB,256MiB", "--op", "gather",
                                          "--backend", "model", "--gpu", "l40s", "--format", "json"))
        flags = {case["parameters"]["footprint_bytes"] >> 20: case["flags"] for case in report["results"]}
        self.assertEqual(flags, {16: ["cache_resident"], 64: ["cache_resident"], 256: []})

    def test_usage(self):
        for arguments, part in {
            ("h201",): "the nearest are h200 (NVIDIA H200)",
            ("--all", "h200"): "--all shows every GPU that has a profile; leave it out, or 'h200'",
            ("--all", "--device", "0"): "leave it out, or --device",
            ("h200", "--device", "0"): "--device chooses a GPU of this machine",
            ("--device", "all"): "--device: expect shows one GPU",
            ("h200", "--format", "xml"): "--format: 'xml' is not one of table, json, csv, markdown",
            ("v100", "h201"): "no GPU profile 'h201': the nearest are h200 (NVIDIA H200)",
            ("v100", "h200", "v100"): "'v100' is given twice; name each GPU once",
            ("v100", "Tesla V100-SXM2-16GB"): "'v100' and 'Tesla V100-SXM2-16GB' are the same profile",
            ("h200", "v100", "--device", "0"): "leave it out, or 'h200 v100'",
            ("--all", "h200", "v100"): "leave it out, or 'h200 v100'",
            ("h200", "missing.json"): "cannot read 'missing.json'",
            ("h200", "-o", "e.data"): "the extension of 'e.data' names no format",
        }.items():
            with self.subTest(arguments):
                self.assertIn(part, self.fail_with(2, "expect", *arguments))

    def test_without_a_gpu(self):
        done = run("expect", env=environment(CUDA_VISIBLE_DEVICES=""))
        if done.returncode == 0:
            self.skipTest("the driver shows a GPU all the same")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Agpumem: [^\n]+ gpumem expect NAME, of [^\n]*h200[^\n]*\n\Z")


class SideBySide(ProgramTest):
    """Several GPUs: a column each."""

    NAMES = ("h200x8", "h100", "l40s")

    def own(self, name):
        path = self.directory / name
        path.write_text((ROOT / "configs" / "gpus" / "v100.json").read_text(encoding="utf-8"), encoding="utf-8")
        return str(path)

    def table(self, *arguments, width=200):
        lines = self.succeed("expect", *arguments, env=environment(COLUMNS=str(width))).splitlines()
        self.assertLessEqual(max(map(len, lines)), width)
        self.assertEqual([line for line in lines if line.endswith(" ")], [])
        return lines

    def test_the_values_are_those_of_one_gpu(self):
        together = strict_json(self.succeed("expect", *self.NAMES, "--format", "json"))["gpus"]
        for name, gpu in zip(self.NAMES, together, strict=True):
            alone = strict_json(self.succeed("expect", name, "--format", "json"))
            self.assertEqual({"schema_version": 1, **gpu}, alone)
            self.assertEqual(gpu["label"], name)
        rows = list(csv.DictReader(io.StringIO(self.succeed("expect", *self.NAMES, "--format", "csv"))))
        values = [(gpu["label"], value) for gpu in together for value in gpu["expected"]]
        self.assertEqual([(row["label"], row["quantity"], row["rate"], row["source_words"]) for row in rows],
                         [(label, value["quantity"], value["rate"], value["source_words"]) for label, value in values])

    def test_every_value_has_its_source(self):
        """Read off the table: the digits, the mark, and the mark's row in the table of sources."""
        gpus = strict_json(self.succeed("expect", *self.NAMES, "--format", "json"))["gpus"]
        lines = self.table(*self.NAMES)
        sources = dict(re.split(r"\s{2,}", line) for line in lines if re.match(r"[ps]\d+ ", line))
        reads = next(line for line in lines if line.startswith("memory read"))
        cells = re.findall(r"(\d+)(?: ([ps]\d+))?(?:\s+\d+ to \d+)", reads)
        self.assertEqual(len(cells), len(gpus), reads)
        for (digits, mark), gpu in zip(cells, gpus, strict=True):
            (value,) = [value for value in gpu["expected"] if value["quantity"] == "memory_read_gb_per_s"]
            self.assertAlmostEqual(float(digits), value["value"], delta=0.5)
            self.assertEqual(sources[mark] if mark else value["source_words"], value["source_words"])
            self.assertEqual(bool(mark), value["source"] not in ("measured", "fitted"))

    def test_nobody_is_named_who_published_something_else(self):
        """Authors are names: a remark in front of one is none. A scaled rate says from which GPU."""
        for gpu in strict_json(self.succeed("expect", "--all", "--format", "json"))["gpus"]:
            for value in gpu["expected"]:
                with self.subTest(gpu["label"], quantity=value["quantity"]):
                    self.assertRegex(value["source_words"], {
                        "measured": "^measured with gpumem$", "fitted": "^fitted to measurements with gpumem$",
                        "published": r"^published( of an? [^(]+)? \(.+\)$",
                        "scaled": r"^scaled from (the H200|an? [^(]+ \(.+\))$"}[value["source"]])
                    if value["source"] == "published":
                        author = value["source_words"].partition(" (")[2].removesuffix(")")
                        self.assertRegex(value["how"], rf"(^|: ){re.escape(author)}[,:]")
        of_gh200 = {value["quantity"]: value for value in strict_json(self.succeed("expect", "gh200", "--format", "json"))["expected"]}
        self.assertEqual(of_gh200["link_to_device_gb_per_s"]["source_words"], "published (dnhkng)")

    def test_widths(self):
        wide, narrow = self.table(*self.NAMES), self.table(*self.NAMES, width=80)
        self.assertNotIn("Not shown", " ".join(wide))
        self.assertEqual(sum("healthy GPUs" in line for line in wide if line.startswith(" ")), 1)
        self.assertRegex(" ".join(narrow), r"Not shown in 80 columns: .*\(healthy GPUs\)\. COLUMNS=\d+ has room for all\.")
        for name in self.NAMES:
            self.assertTrue(any(re.search(rf"^of .*\b{name}\b", line) for line in narrow), name)
        # Beyond a screen the last GPUs go, and are named.
        many = " ".join(self.table(*PROFILES, width=80))
        self.assertRegex(many, rf"Not shown in 80 columns: .*{PROFILES[-1]} \(expected\)")

    def test_files_and_formats(self):
        own = self.own("own.json")
        page, markdown = (str(self.directory / name) for name in ("e.html", "e.md"))
        self.assertEqual(self.succeed("expect", "h200", own, "-o", page, "-o", markdown), "")
        self.assertIn("shared memory latency", Path(page).read_text(encoding="utf-8"))
        text = Path(markdown).read_text(encoding="utf-8")
        self.assertIn("| of | unit | h200 (expected) | h200 (healthy GPUs) | v100 (expected) |\n", text)
        self.assertIn("dram_read_bytes_per_s", text)
        self.assertIn("it is read as well", self.fail_with(2, "expect", "h200", own, "-o", own))

    def test_two_profiles_of_one_name(self):
        own, other = self.own("own.json"), self.own("other.json")
        labels = [gpu["label"] for gpu in strict_json(self.succeed("expect", own, "v100", other, "--format", "json"))["gpus"]]
        self.assertEqual(labels, [own, "v100", other])
        self.assertIn("are the same profile", self.fail_with(2, "expect", own, f"{self.directory}/./own.json"))

    def test_a_wrong_name_prints_nothing(self):
        done = run("expect", "h200", "h201", "-o", str(self.directory / "e.json"))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertFalse((self.directory / "e.json").exists())


class Narrow(ProgramTest):
    """Tables say what they have no room for, and where it is: of every command that writes some."""

    def shown(self, width, *arguments):
        done = run(*arguments, env=environment(COLUMNS=str(width)))
        self.assertEqual(done.stderr, "")
        return " ".join(done.stdout.split())

    def test_what_is_left_out_is_said(self):
        stride = [str(ROOT / "configs" / "reference" / gpu / "stride.json") for gpu in ("h200", "h100")]
        for arguments in (("expect", "--all"), ("expect", "h200"), ("expect", "h200", "h100", "l40s"), ("show", stride[0], "op=read", "--why"), ("compare", *stride),
                          ("portrait", str(ROOT / "configs" / "reference" / "h200" / "portrait.json"))):
            with self.subTest(arguments=arguments):
                text = self.shown(80, *arguments)
                said = re.search(r"(?:Not shown in 80 columns: |Cut: )(.*)\. COLUMNS=(\d+) has room for all\.", text)
                self.assertTrue(said, text[-300:])
                self.assertNotIn("has room for all", self.shown(said[2], *arguments))

    def test_every_column_is_shown_or_said(self):
        text = self.shown(80, "expect", "--all")
        for name in ("memory read", "memory write", "memory copy", "memory triad", "host memory", "pair copy"):
            self.assertIn(name, text)


if __name__ == "__main__":
    unittest.main()
