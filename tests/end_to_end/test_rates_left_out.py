"""The rule for rates that nobody published predicts those that somebody did as docs/method/profiles.md says."""

import statistics
import unittest

from rates_left_out import BEGIN, PAGE, QUANTITIES, left_out, page

MEMORY = ("memory_read_gb_per_s", "memory_write_gb_per_s", "memory_copy_gb_per_s")
MEDIAN_OF_MEMORY = 0.05
FURTHEST = 2.5  # as a factor; GDDR's buses are a sixteenth as wide as HBM's, so a wrong quantity would show


class RatesLeftOut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = left_out()

    def test_every_quantity_has_two_publications(self):
        self.assertEqual(list(self.found), list(QUANTITIES))

    def test_leaving_a_rate_out_changes_the_prediction(self):
        for quantity, of in self.found.items():
            with self.subTest(quantity):
                self.assertTrue(any(ratio != 1 for ratio in of.values()))

    def test_memory_is_near_what_was_published(self):
        for quantity in MEMORY:
            with self.subTest(quantity):
                self.assertLess(statistics.median(abs(ratio - 1) for ratio in self.found[quantity].values()), MEDIAN_OF_MEMORY)

    def test_no_rate_of_the_gpu_is_far_off(self):
        for quantity, of in self.found.items():
            if quantity.startswith("link"):  # NVLink-C2C is scaled as if it were PCI Express
                continue
            for gpu, ratio in of.items():
                with self.subTest(f"{quantity} of {gpu}"):
                    self.assertLess(max(ratio, 1 / ratio), FURTHEST)

    def test_the_page_is_what_is_predicted(self):
        text = PAGE.read_text(encoding="utf-8")
        self.assertIn(BEGIN, text)
        self.assertEqual(text, page(self.found), "tests/end_to_end/rates_left_out.py writes it anew")


if __name__ == "__main__":
    unittest.main()
