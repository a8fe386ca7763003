"""The links between the GPUs of a node, as a user asks for them, predicted for a node."""

import unittest

from harness import NODE, ProgramTest, run, strict_json


class Peer(ProgramTest):
    def results(self, *arguments):
        return strict_json(self.succeed("probe", "peer", *arguments, *NODE, "--format", "json"))["results"]

    def pairs(self, *arguments):
        return [(one["parameters"]["source"], one["parameters"]["target"]) for one in self.results(*arguments)]

    def test_every_pair_by_default(self):
        every = [(a, b) for a in range(8) for b in range(8) if a != b]
        self.assertEqual(sorted(self.pairs("--via", "copy-engine", "--direction", "one-way")), every)
        once = [(a, b) for a, b in every if a < b]
        self.assertEqual(sorted(self.pairs("--via", "copy-engine", "--direction", "both")), once)

    def test_some_pairs(self):
        one_way = ("--via", "copy-engine", "--direction", "one-way")
        self.assertEqual(sorted(self.pairs("--source", "0,1", "--target", "0,1", *one_way)), [(0, 1), (1, 0)])
        self.assertEqual(self.pairs("--source", "7", "--target", "2", "--via", "staged", "--direction", "both"), [(7, 2)])
        self.assertEqual({source for source, _ in self.pairs("--source", "3", *one_way)}, {3})
        self.assertEqual({target for _, target in self.pairs("--target", "3", *one_way)}, {3})

    def test_each_has_its_readings(self):
        for one in self.results("--source", "0", "--target", "1", "--via", "copy-engine,kernel-read"):
            self.assertEqual(one["status"], "ok")
            ways = 2 if one["parameters"]["direction"] == "both" else 1
            self.assertEqual(one["headline"]["peak"], 450 * ways)
            self.assertAlmostEqual(one["fraction_of_peak"], one["headline"]["predicted"] / one["headline"]["peak"])
            self.assertEqual(one["bottleneck"]["predicted"], "nvlink")
        latencies = [one["metrics_predicted"]["load_latency_ns"] for one in
                     self.results("--source", "0", "--target", "1", "--direction", "one-way")]
        self.assertEqual(latencies, [None, 825, None, None])

    def test_flags_select_it(self):
        for flags in (("--source", "0"), ("--target", "1"), ("--via", "staged")):
            report = strict_json(self.succeed("probe", *flags, *NODE, "--format", "json"))
            self.assertEqual({one["probe"] for one in report["results"]}, {"peer"})
            self.assertEqual(len(report["devices"]), 8)

    def test_all_disjoint_pairs_at_once(self):
        at_once = {one["parameters"]["at_once"] for one in self.results("--at-once", "--source", "0")}
        self.assertEqual(at_once, {"yes"})
        self.assertEqual({one["parameters"]["at_once"] for one in self.results("--source", "0")}, {"no"})

    def test_one_gpu_is_too_few(self):
        done = run("probe", "peer", "--backend", "model", "--gpu", "h200")
        self.assertEqual(done.returncode, 3)
        self.assertIn("copies between GPUs need two of them, and this profile is of one; predict eight with: --gpu h200x8", done.stderr)

    def test_a_gpu_that_is_not_there(self):
        done = run("probe", "--source", "8", *NODE)
        self.assertEqual(done.returncode, 3)
        self.assertIn("there is no GPU 8: this machine has 8", done.stderr)
        done = run("probe", "--source", "2", "--target", "2", *NODE)
        self.assertEqual(done.returncode, 3)
        self.assertIn("GPU 2 is source and target", done.stderr)

    def test_wrong_values(self):
        for arguments, said in {("--source", "all,1"): "--source: 'all' stands alone; leave it out, or the other values",
                                ("--source", "64"): "--source: 64 is above the maximum of 63",
                                ("--size", "20"): "--size 20: copies between GPUs are of whole 16-byte words; "
                                                  "give a multiple of 16",
                                ("--via", "kernel"): "--via: 'kernel' is not one of copy-engine, copy-engine-read, "
                                                     "kernel-read, kernel-write, staged"}.items():
            self.assertEqual(self.fail_with(2, "probe", "peer", *arguments, *NODE), said)

    def test_without_a_gpu_the_command_that_predicts_is_of_a_node(self):
        done = run("probe", "peer", env={"CUDA_VISIBLE_DEVICES": "none", "PATH": "/usr/bin"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("probe peer --backend model --gpu h200x8", done.stderr)

    def test_the_default_node_is_said(self):
        done = run("probe", "--source", "0", "--target", "1", "--backend", "model")
        self.assertEqual(done.returncode, 0)
        self.assertIn("predicting for h200x8", done.stderr)


if __name__ == "__main__":
    unittest.main()
