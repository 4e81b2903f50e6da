"""Tests of ratios, against values worked out by hand."""

from absl.testing import absltest
from absl.testing import parameterized

from benchmarks import ratios


class SpreadTest(parameterized.TestCase):
    @parameterized.parameters(
        ([7.0], (7, 7, 7)),
        ([1.0, 2.0], (1.25, 1.5, 1.75)),
        ([5.0, 1.0, 4.0, 2.0, 3.0], (2, 3, 4)),
        ([4.0, 1.0, 3.0, 2.0], (1.75, 2.5, 3.25)),
    )
    def test_is_the_median_and_the_quartiles(self, values, expected):
        spread = ratios.spread(values)
        self.assertEqual((spread.low, spread.median, spread.high), expected)

    def test_one_wild_round_moves_it_little(self):
        calm = ratios.spread([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6])
        wild = ratios.spread([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1600.0])
        self.assertEqual(calm, wild)

    @parameterized.parameters(0.0, -1.0, float("nan"), float("inf"))
    def test_refuses_what_is_no_cost(self, value):
        with self.assertRaisesRegex(ValueError, f"must be positive: {value}"):
            ratios.spread([1.0, value])

    def test_refuses_no_rounds(self):
        with self.assertRaisesRegex(ValueError, "at least one round"):
            ratios.spread([])

    def test_is_below_a_floor_above_the_upper_quartile_only(self):
        spread = ratios.Spread(low=1.0, median=2.0, high=3.0)
        self.assertFalse(spread.is_below(0.5))
        self.assertFalse(spread.is_below(2.5))
        self.assertFalse(spread.is_below(3.0))
        self.assertTrue(spread.is_below(3.01))


class RatiosTest(absltest.TestCase):
    def test_are_above_one_where_ours_costs_less(self):
        self.assertEqual(ratios.ratios([2.0, 4.0], [6.0, 2.0]), [3.0, 0.5])

    def test_do_not_see_what_slows_both_sides_of_a_round(self):
        slow = [1.0, 10.0, 1.0]
        result = ratios.ratios([2 * x for x in slow], [3 * x for x in slow])
        self.assertEqual(result, [1.5, 1.5, 1.5])

    def test_refuse_sides_of_unlike_rounds(self):
        with self.assertRaisesRegex(ValueError, "a cost each round: 1 and 2"):
            ratios.ratios([1.0], [1.0, 2.0])

    def test_refuse_a_cost_of_nothing(self):
        with self.assertRaisesRegex(ValueError, "must be positive: 0.0"):
            ratios.ratios([0.0], [1.0])


if __name__ == "__main__":
    absltest.main()
