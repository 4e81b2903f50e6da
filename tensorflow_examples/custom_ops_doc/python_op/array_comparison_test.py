"""Tests of comparisons of arrays."""

import unittest

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import array_comparison


class IdenticalTest(unittest.TestCase):
    def test_bits_count(self):
        x = np.array([1.0, 0.0])
        self.assertTrue(array_comparison.identical(x, x.copy()))
        self.assertFalse(array_comparison.identical(x, np.array([1.0, -0.0])))
        self.assertFalse(array_comparison.identical(x, np.nextafter(x, np.inf)))

    def test_nans_are_one_number(self):
        payload = np.array([0x7FF8000000000001, 0x3FF0000000000000], np.uint64)
        x, y = np.array([np.nan, 1.0]), payload.view(np.float64)
        self.assertTrue(array_comparison.identical(x, y))
        self.assertFalse(array_comparison.identical(x, np.array([1.0, 1.0])))

    def test_dtype_and_shape_count(self):
        x = np.zeros(2)
        self.assertFalse(array_comparison.identical(x, np.zeros(2, np.int64)))
        self.assertFalse(array_comparison.identical(x, np.zeros((2, 1))))

    def test_strides_do_not_count(self):
        x = np.arange(6.0).reshape(2, 3)
        self.assertTrue(array_comparison.identical(x, np.asfortranarray(x)))

    def test_strings_are_compared(self):
        x = np.array([b"a", b"b"], object)
        self.assertTrue(array_comparison.identical(x, x.copy()))
        self.assertFalse(array_comparison.identical(x, x[::-1]))


class CloseTest(unittest.TestCase):
    def test_rounding_is_no_difference(self):
        for dtype, rounding in (
            (np.float64, 1e-11),
            (np.float32, 1e-5),
            (np.complex64, 1e-5),
            (np.float16, 1e-3),
        ):
            x = np.array([1, 2], dtype)
            y = (x * (1 + rounding)).astype(dtype)
            self.assertTrue(array_comparison.close(x, y), dtype)
            self.assertFalse(array_comparison.close(x, x * dtype(1.1)), dtype)

    def test_integers_must_be_equal(self):
        x = np.array([10**12, 1])
        self.assertFalse(array_comparison.close(x, x + 1))

    def test_not_a_number_and_infinity_must_be_where_they_were(self):
        x = np.array([np.nan, np.inf, 1.0])
        self.assertTrue(array_comparison.close(x, x.copy()))
        self.assertFalse(array_comparison.close(x, x[::-1]))
        self.assertFalse(array_comparison.close(x, -x))


class ShareMemoryTest(unittest.TestCase):
    def test_views_share_memory_and_neighbours_do_not(self):
        x = np.arange(6)
        self.assertTrue(array_comparison.share_memory(x, x[::-2]))
        self.assertFalse(array_comparison.share_memory(x[::2], x[1::2]))
        self.assertFalse(array_comparison.share_memory(x, x.copy()))


class DifferenceTest(unittest.TestCase):
    def test_the_first_difference_is_told(self):
        x = np.array([[1.0, np.nan], [3.0, 4.0]])
        y = np.array([[1.0, np.nan], [3.5, 5.0]])
        self.assertEqual(
            array_comparison.difference(x, y),
            "3.0, then 3.5 at (1, 0), one of 2 values that differ",
        )

    def test_dtype_shape_and_sign_of_zero_are_told(self):
        x = np.zeros(2)
        for y, text in (
            (np.zeros(2, np.float32), "dtype float64, then float32"),
            (np.zeros(3), "shape (2,), then (3,)"),
            (-x, "0.0, then -0.0"),
        ):
            self.assertEqual(array_comparison.difference(x, y), text)


if __name__ == "__main__":
    unittest.main()
