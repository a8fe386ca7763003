"""Figures that cannot be made: bad reports and choices are refused in one line."""

import unittest

from plots import GOLDEN, H200, PlotTest, needs_matplotlib


class Refusals(PlotTest):
    def changed_case(self, change):
        return self.changed(GOLDEN / "measured_copy.json", lambda data: change(data["results"][2]))

    def test_files(self):
        broken = self.directory / "broken.json"
        for text, said in (("{", "not valid JSON"), ("[1]", "no report of gpumem"), ('{"results": 1}', "no report"),
                           ('{"schema_version": 2, "results": []}', "schema version 2 is unknown"),
                           ("[" * 100000, "not valid JSON"),
                           ('{"schema_version": 1, "results": [NaN]}', "NaN is no number of JSON")):
            broken.write_text(text, encoding="utf-8")
            with self.subTest(text[:40]):
                self.assertIn(said, self.refused(broken))
        broken.write_bytes(b"\xff\xfe\x00{")
        self.assertIn("no UTF-8", self.refused(broken))
        self.assertIn("cannot read", self.refused(self.directory / "absent.json"))
        self.assertIn("cannot read", self.refused(self.directory))

    def test_wrong_types_are_named(self):
        for change, said in ((lambda case: case.update(bandwidth_gb_per_s=[]), "/results/2/bandwidth_gb_per_s is not"),
                             (lambda case: case["bandwidth_gb_per_s"].update(measured="1"),
                              "/results/2/bandwidth_gb_per_s/measured is not a number"),
                             (lambda case: case["time_seconds"].update(median=10**400), "median is too large"),
                             (lambda case: case.update(parameters=None), "/results/2 has no parameters"),
                             (lambda case: case["parameters"].update(op=[1]), "/results/2/parameters/op is not"),
                             (lambda case: case["parameters"].update(op=2**63), "/results/2/parameters/op is too large"),
                             (lambda case: case.update(flags="x"), "/results/2/flags is not a list"),
                             (lambda case: case.update(bank_grid={"banks": ["01", "0"]}), "/results/2/bank_grid/banks has no"),
                             (lambda case: case.update(bank_grid={"banks": ["0z"]}), "/results/2/bank_grid/banks has no"),
                             (lambda case: case.update(bank_grid={"banks": ["01"]}), "/results/2/bank_grid lacks a"),
                             (lambda case: case.update(ran_seconds=[0.5, None]), "/results/2/ran_seconds/1 is null"),
                             (lambda case: case.update(timeline=[{"stage": "copy", "start_s": 0}]),
                              "/results/2/timeline/0 has no place in the timeline")):
            with self.subTest(said):
                self.assertIn(said, self.refused(self.changed_case(change)))

    @needs_matplotlib
    def test_any_number_is_drawn(self):
        for number in (2**70, 1e-320):
            for name in ("program_in_time", "overlap"):
                with self.subTest(number, name=name):
                    self.plot("any.svg", self.changed(GOLDEN / f"{name}.json", lambda report: (
                        report["program"].update(bin_seconds=number) if report["program"] else
                        report["results"][0]["headline"].update(measured=number))))

    def test_nothing_to_plot(self):
        self.assertIn("nothing to plot", self.refused(self.report("planned.json", "--offset", "0..4", "--dry-run")))

        def fail_all(data):
            for result in data["results"]:
                result["status"] = "failed"

        self.assertIn("nothing to plot", self.refused(self.changed(GOLDEN / "measured_copy.json", fail_all)))

    def test_choices(self):
        report = H200 / "offset.json"
        self.assertIn("--figure takes offset or roofline", self.refused(report, figure="stride"))
        self.assertIn("no case for a roofline", self.refused(H200 / "bank.json", figure="roofline"))
        self.assertIn("there are bandwidth_gb_per_s, ", self.refused(report, y="nothing"))

    def refused_by_program(self, *words, output="figure.html"):
        """The program's line, which leaves no file behind."""
        before = sorted(self.directory.iterdir())
        options = ("-o", str(self.directory / output)) if output else ()
        said = self.fail_with(2, "show", str(H200 / "offset.json"), *words, *options)
        self.assertEqual(sorted(self.directory.iterdir()), before)
        return said

    def test_choices_of_the_program(self):
        said = self.refused_by_program("--figure", "stride")
        self.assertRegex(said, r"^cannot draw '.*/figure.html': no cases of 'stride' in .*; --figure takes offset or roofline$")
        self.assertIn("there are bandwidth_gb_per_s, ", self.refused_by_program("--y", "nothing"))
        self.assertIn("--scale", self.refused_by_program("--scale", "square"))
        self.assertIn("offset=77", self.refused_by_program("offset=77"))
        self.assertIn("add one: --output figure.svg", self.refused_by_program("--y", "time", output=None))
        self.assertIn("add one: --output figure.svg", self.refused_by_program("--figure", "offset", output="a.csv"))

    def test_an_old_figure_survives_an_error(self):
        old = self.plot_by_program("figure.html", H200 / "coalesced.json")
        before = old.read_bytes()
        self.refused_by_program("--figure", "stride")
        self.assertEqual(old.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
