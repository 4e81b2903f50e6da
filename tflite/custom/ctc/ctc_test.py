"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op
from tflite.custom.python.kernel_test_case import run_tensorflow


class CtcTest(KernelTestCase):
    """Kernels of //tflite/custom/ctc."""

    @parameterized.product(
        dtype=FLOATS, merge=[True, False], blank=[-1, 0, 2, -5]
    )
    def test_greedy(self, dtype: str, merge: bool, blank: int) -> None:
        for lengths in ([12, 7, 0], [1, 1, 12], [0, 0, 0], [-3, 2, 2]):
            self.check(
                "CTCGreedyDecoder",
                random_values((12, 3, 5), dtype),
                np.int32(lengths),
                merge_repeated=merge,
                blank_index=blank,
            )

    def test_greedy_of_special_values(self) -> None:
        x = random_values((6, 2, 4))
        x[1, 0, 2] = np.inf
        x[2, 0] = 3.0  # The first of the largest.
        x[3, 1, 1] = -np.inf
        self.check("CTCGreedyDecoder", x, np.int32([6, 6]))

    @parameterized.product(
        dtype=FLOATS,
        merge=[True, False],
        beam=[(1, 1), (3, 1), (10, 4), (100, 7)],
    )
    def test_beam_search(self, dtype: str, merge: bool, beam) -> None:
        width, paths = beam
        for seed in range(3):
            self.check(
                "CTCBeamSearchDecoder",
                3 * random_values((12, 3, 5), dtype, seed),
                np.int32([12, 7, 3]),
                beam_width=width,
                top_paths=paths,
                merge_repeated=merge,
                rtol=1e-5,
            )

    def test_long_beam_search(self) -> None:
        self.check(
            "CTCBeamSearchDecoder",
            3 * random_values((80, 2, 30)),
            np.int32([80, 61]),
            beam_width=16,
            top_paths=3,
            rtol=1e-4,
        )

    def test_converted(self) -> None:
        x, lengths = 3 * random_values((9, 2, 5)), np.int32([9, 4])
        self.check_converted("CTCGreedyDecoder", x, lengths, blank_index=1)
        self.check_converted(
            "CTCBeamSearchDecoder",
            x,
            lengths,
            beam_width=6,
            top_paths=2,
            rtol=1e-5,
        )

    def test_refuses(self) -> None:
        x, lengths = random_values((4, 2, 3)), np.int32([4, 4])
        greedy, beam = "CTCGreedyDecoder", "CTCBeamSearchDecoder"
        for op, options in [
            (greedy, {}),
            (beam, {"beam_width": 2, "top_paths": 1}),
        ]:
            for why, inputs in [
                ("at most 4, .* but element 1 is 5", [x, np.int32([4, 5])]),
                (r"but are \[4,2,3\] and \[1\]", [x, lengths[:1]]),
                (r"but are \[0,2,3\] and \[2\]", [x[:0], lengths]),
                (r"but are \[2,3\] and \[2\]", [x[0], lengths]),
            ]:
                with self.subTest(op=op, why=why):
                    self._assert_refused(f"{op}: .*{why}", op, inputs, options)
        for blank in (3, -4):
            self._assert_refused(
                rf"blank_index must be in \[-3, 3\), not {blank}",
                greedy,
                [x, lengths],
                {"blank_index": blank},
            )
        self._assert_refused(
            "top_paths .* at most beam_width, but they are 3 and 2",
            beam,
            [x, lengths],
            {"beam_width": 2, "top_paths": 3},
        )
        self._assert_refused(
            "top_paths is 2, but of element 1 there are no more than 1",
            beam,
            [x, np.int32([4, 0])],
            {"beam_width": 2, "top_paths": 2},
        )

    def _assert_refused(self, why, op, inputs, options) -> None:
        with self.assertRaises((tf.errors.OpError, ValueError)):
            run_tensorflow(op, *inputs, **options)
        types = ["int64"] * 3 * options.get("top_paths", 1) + ["float32"]
        with self.assertRaisesRegex(RuntimeError, why):
            run_op(op, inputs, types, options)


if __name__ == "__main__":
    tf.test.main()
