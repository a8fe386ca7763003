"""Instructions that move blocks of memory in a watched program: requests and costs, by arithmetic and by the counters."""
import os
import sys
import tempfile
import unittest

from watching import has_gpu, run, watched

ASYNC_GUEST = os.environ.get("GPUMEM_ASYNC_GUEST")


class Blocks(unittest.TestCase):
    WIDTH, BOX_WIDTH, BOX_HEIGHT = 1024, 64, 32  # of async.cu

    def sites(self, *options):
        if not ASYNC_GUEST or run(ASYNC_GUEST)[0] == 77:
            self.skipTest("no GPU of compute capability 9.0, or not built for it")
        with tempfile.TemporaryDirectory() as folder:
            code, out, _, report, _ = watched(folder, ASYNC_GUEST, options=options)
        self.assertEqual((code, out), (0, ""))
        return {one["parameters"]["kernel"].split("::")[-1].split("(")[0]: one for one in report["results"]}

    def of(self, kernel, space, op, unit):
        """Requests and cost of a request of each such site, in the order of the code."""
        sites = [site for site in kernel["access"] if (site["space"], site["op"]) == (space, op)]
        return [(site["requests"], site[unit]["predicted"]) for site in sorted(sites, key=lambda site: site["site"])]

    def test_costs(self):
        kernels = self.sites()
        sectors, wavefronts = "sectors_per_request", "wavefronts_per_request"
        bulk = kernels["bulk"]
        self.assertEqual(self.of(bulk, "global", "load", sectors), [(100, 64)])
        self.assertEqual(self.of(bulk, "global", "store", sectors), [(100, 32)])
        self.assertEqual(self.of(bulk, "global", "atomic", sectors), [(100, 16)])
        stores = self.of(kernels["matrices"], "shared", "store", wavefronts)
        self.assertEqual(max(stores, key=lambda site: site[1]), (10, 16))  # 8 rows in the same banks, of 2 matrices
        self.assertEqual({cost for _, cost in stores}, {1, 16})
        self.assertEqual(self.of(kernels["matrices"], "shared", "load", wavefronts), [(10, 4)])
        (product,) = self.of(kernels["product"], "shared", "load", wavefronts)
        self.assertEqual(product[0], 40)
        self.assertAlmostEqual(product[1], (64 * 16 + 16 * 8) * 2 / 4 / 128, delta=0.5)
        self.assertEqual(self.of(kernels["cluster"], "cluster", "load", wavefronts), [(40, 1), (40, 1)])

    def test_tensor_loads(self):
        """Each element of the tensor once, whatever lies outside; in whole sectors, for boxes begin at those."""
        kernel = self.sites()["tensor_load"]
        (site,) = kernel["access"]
        if site.get("requests") is None:
            self.assertIn("tensor loads are not counted", kernel["no_prediction"])
            self.skipTest("the sanitizer's library does not tell of tensor loads: it is older than CUDA 13.3")
        boxes = (self.WIDTH // self.BOX_WIDTH + 1) * (self.WIDTH // self.BOX_HEIGHT + 1)
        self.assertEqual(site["requests"], boxes)
        # One box is taken to be like the others, and some lie outside in part.
        self.assertAlmostEqual(boxes * site["sectors_per_request"]["predicted"] / (self.WIDTH * self.WIDTH / 8), 1,
                               delta=0.005)

    def test_tensor_stores(self):
        """No library tells of them. The tensor's map says what is stored once; how often is added nobody knows."""
        kernels = self.sites()
        boxes = self.WIDTH // self.BOX_WIDTH * self.WIDTH // self.BOX_HEIGHT
        self.assertEqual(self.of(kernels["tensor_store"], "global", "store", "sectors_per_request"),
                         [(boxes, self.BOX_WIDTH * self.BOX_HEIGHT / 8)])
        self.assertIsNotNone(kernels["tensor_store"]["predicted_seconds"])
        self.assertIn("tensor reductions are not counted", kernels["tensor_reduction"]["no_prediction"])

    def test_counters(self):
        counted = self.sites("--counters", "--replay")
        if counted["bulk"]["counters"] is None:
            self.skipTest("counting is not permitted")
        self.assertEqual(counted["bulk"]["counters"]["l2_read_sectors"], 100 * 64)
        stored = counted["tensor_store"]["counters"]["l2_write_sectors"]
        self.assertAlmostEqual(stored / (self.WIDTH * self.WIDTH / 8), 1, delta=0.01)
        # Boxes that lie half outside cost some sectors more.
        read = counted["tensor_load"]["counters"]["l2_read_sectors"]
        self.assertAlmostEqual(read / (self.WIDTH * self.WIDTH / 8), 1, delta=0.05)


if __name__ == "__main__":
    if not has_gpu():
        print("skipped: no usable GPU")
        sys.exit(77)
    unittest.main()
