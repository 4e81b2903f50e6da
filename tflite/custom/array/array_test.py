"""The kernels of this folder against TensorFlow."""

import itertools

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INDICES
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op


class ArrayTest(KernelTestCase):
    """Kernels of //tflite/custom/array."""

    @parameterized.parameters(*NUMBERS)
    def test_accumulate(self, dtype: str) -> None:
        for count in (1, 2, 5):
            # Small whole numbers: TensorFlow adds in any order.
            inputs = [random_values((3, 4), "int32", i) for i in range(count)]
            inputs = [x.astype(dtype) for x in inputs]
            self.check("AccumulateNV2", *inputs, shape=[3, 4])
        special = np.array(SPECIAL).astype("float32")
        self.check("AccumulateNV2", special, special[::-1].copy(), shape=[10])
        empty = np.zeros((0, 3), "float32")
        self.check("AccumulateNV2", empty, empty, shape=[0, 3])
        self.check_converted("AccumulateNV2", *inputs[:3], shape=[3, 4])

    @parameterized.product(dtype=FLOATS, index=INDICES)
    def test_lin_space(self, dtype: str, index: str) -> None:
        for start, stop in [(0, 1), (-3, 7), (5, 5), (1, -2), (1e30, 0.1)]:
            for count in (1, 2, 3, 7, 1000):
                inputs = [np.array(x, dtype) for x in (start, stop)]
                inputs.append(np.array(count, index))
                self.check("LinSpace", *inputs)
                self.check("LinSpace", *inputs, constants=[2])
        for stop in (np.inf, np.nan):
            inputs = [np.array(0, dtype), np.array(stop, dtype)]
            self.check("LinSpace", *inputs, np.array(4, index))
        self.check_converted("LinSpace", *inputs[:2], np.array(3, index))

    def test_lin_space_of_nothing_is_refused(self) -> None:
        ends = [np.array(x, np.float32) for x in (0, 1)]
        for count in (0, -1):
            self.assert_refused(
                rf"num must be in \[1, 2147483647\], not {count}",
                "LinSpace",
                [*ends, np.array(count, np.int32)],
            )

    @parameterized.parameters(*INDICES)
    def test_broadcast_gradient_args(self, dtype: str) -> None:
        shapes = [[], [1], [3], [0], [1, 1], [1, 3], [2, 1], [2, 3], [2, 1, 3]]
        for a, b in itertools.product(shapes, shapes):
            if any(
                x != y and 1 not in (x, y)
                for x, y in zip(a[::-1], b[::-1], strict=False)
            ):
                continue
            inputs = [np.array(x, dtype) for x in (a, b)]
            with self.subTest(s0=a, s1=b):
                self.check("BroadcastGradientArgs", *inputs)
                self.check("BroadcastGradientArgs", *inputs, constants=[0, 1])
        self.check_converted(
            "BroadcastGradientArgs", *np.array([[2, 1], [1, 3]], dtype)
        )

    def test_shapes_that_do_not_fit_are_refused(self) -> None:
        for why, a, b in [
            ("those of axis 1 are 3 and 2", [2, 3], [2]),
            (r"must be vectors, but are \[1,1\] and \[1\]", [[2]], [2]),
        ]:
            inputs = [np.int32(x) for x in (a, b)]
            self.assert_refused(why, "BroadcastGradientArgs", inputs)

    @parameterized.parameters(*FLOATS)
    def test_check_numerics(self, dtype: str) -> None:
        for shape in [(2, 3), (), (0, 3)]:
            x = random_values(shape, dtype)
            self.check("CheckNumericsV2", np.asarray(x), message="what")
        self.check_converted(
            "CheckNumericsV2", random_values([2], dtype), message=""
        )
        for value, name in [
            (np.nan, "NaN"),
            (np.inf, "infinity"),
            (-np.inf, "-infinity"),
        ]:
            self.assert_refused(
                f"CheckNumericsV2: my tensor: element 1 is {name}",
                "CheckNumericsV2",
                [np.array([1, value], dtype)],
                message="my tensor",
            )

    @parameterized.product(
        op=["Copy", "CopyHost", "DeepCopy", "GuaranteeConst"],
        dtype=["float32", "float64", "int8", "uint16", "int64", "complex64"],
    )
    def test_inputs_are_passed_on(self, op: str, dtype: str) -> None:
        for shape in [(2, 3), (), (0, 3)]:
            x = np.asarray(random_values(shape, "float32")).astype(dtype)
            self.check(op, x)
        self.check_converted(op, np.ones([2, 3], dtype))

    @parameterized.product(
        dtype=INDICES,
        formats=[("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NDHWC", "NCDHW")],
    )
    def test_data_format(self, dtype: str, formats) -> None:
        options = dict(zip(("src_format", "dst_format"), formats, strict=True))
        rank = len(formats[0])
        x = np.arange(-rank, rank, dtype=dtype)
        self.check("DataFormatDimMap", x, **options)
        self.check("DataFormatDimMap", x.reshape(2, rank), **options)
        self.check("DataFormatDimMap", np.array(1, dtype), **options)
        self.check("DataFormatDimMap", np.array([], dtype), **options)
        self.check_converted("DataFormatDimMap", x, **options)
        for shape in [(rank,), (rank, 2), (rank - 2,), (rank - 2, 2)]:
            x = random_values(shape, dtype)
            self.check("DataFormatVecPermute", x, **options)
        if rank == 4:  # The converter refuses the others.
            x = random_values([4], dtype)
            self.check_converted("DataFormatVecPermute", x, **options)

    def test_data_format_errors(self) -> None:
        x = np.arange(4, dtype=np.int32)
        for op in ("DataFormatDimMap", "DataFormatVecPermute"):
            for formats in [("NHWC", "NHWW"), ("NHC", "NCH"), ("NHWC", "NCDH")]:
                self.assert_refused(
                    f"not '{formats[0]}' and '{formats[1]}'",
                    op,
                    [x],
                    src_format=formats[0],
                    dst_format=formats[1],
                )
        for shape in [(3,), (4, 3), (4, 2, 1)]:
            self.assert_refused(
                r"row of two, .* of 'NHWC', but is \[",
                "DataFormatVecPermute",
                [np.zeros(shape, np.int32)],
            )

    @parameterized.parameters(*INDICES)
    def test_in_top_k(self, index: str) -> None:
        predictions = random_values((6, 5), "float32").round(1)
        predictions[1, 2], predictions[2, 0] = np.inf, np.nan
        targets = np.array([0, 1, 4, 7, -1, 3], index)
        for k in (-1, 0, 1, 2, 3, 100):
            self.check("InTopK", predictions, targets, k=k)
            self.check("InTopKV2", predictions, targets, np.array(k, index))
        for rows, classes in [(0, 3), (2, 0)]:
            empty = np.zeros((rows, classes), np.float32)
            self.check("InTopK", empty, targets[:rows], k=1)
        self.check_converted("InTopK", predictions, targets, k=2)
        self.check_converted(
            "InTopKV2", predictions, targets, np.array(2, index)
        )
        self.assert_refused(
            r"for each of its rows, but they are \[6,5\] and \[2\]",
            "InTopK",
            [predictions, targets[:2]],
            k=1,
        )

    @parameterized.product(dtype=NUMBERS, reverse=[False, True])
    def test_nth_element(self, dtype: str, reverse: bool) -> None:
        for shape in [(7,), (3, 8), (2, 3, 5), (0, 3)]:
            x = random_values(shape, dtype)
            for n in (0, 1, shape[-1] - 1):
                n = np.array(n, np.int32)
                self.check("NthElement", x, n, reverse=reverse)
        self.check_converted("NthElement", x, n, reverse=reverse)

    def test_nth_element_has_nan_above_all(self) -> None:
        x = np.float32([np.nan, 2, np.inf, np.nan, -np.inf, 1])
        got = [
            run_op("NthElement", [x, np.array(n, np.int32)], ["float32"])[0]
            for n in range(6)
        ]
        np.testing.assert_array_equal(
            got, np.float32([-np.inf, 1, 2, np.inf, np.nan, np.nan])
        )

    def test_nth_element_outside_is_refused(self) -> None:
        for n in (-1, 3):
            self.assert_refused(
                rf"n must be in \[0, 3\), .*, not {n}",
                "NthElement",
                [np.zeros((2, 3), np.float32), np.array(n, np.int32)],
            )

    @parameterized.product(
        op=["LowerBound", "UpperBound"],
        dtype=NUMBERS,
        out_type=[tf.int32, tf.int64],
    )
    def test_bounds(self, op: str, dtype: str, out_type: tf.DType) -> None:
        ordered = np.sort(random_values((3, 9), dtype).round(), axis=1)
        values = random_values((3, 20), dtype, 2).round()
        self.check(op, ordered, values, out_type=out_type)
        self.check(op, ordered[:, :0], values, out_type=out_type)
        self.check(op, ordered[:0], values[:0], out_type=out_type)
        self.check_converted(op, ordered, values, out_type=out_type)
        if dtype in FLOATS:
            ordered[:, -1] = np.inf
            special = np.resize(np.array(SPECIAL), (3, 10)).astype(dtype)
            self.check(op, ordered, special, out_type=out_type)

    def test_bounds_of_unlike_batches_are_refused(self) -> None:
        x = np.zeros((3, 2), np.float32)
        for op in ("LowerBound", "UpperBound"):
            self.assert_refused(
                r"as many rows, but are \[3,2\] and \[2,2\]", op, [x, x[:2]]
            )


class DiagonalTest(KernelTestCase):
    """Diagonals, transposes and copies."""

    @parameterized.parameters(
        "float32", "float64", "int32", "int64", "complex64", "complex128"
    )
    def test_diagonals(self, dtype: str) -> None:
        for shape in [(3,), (2, 3), (1,), (0,), (2, 0)]:
            x = random_values(shape, "float64").astype(dtype)
            self.check("Diag", x)
        for shape in [(3, 3), (2, 3, 2, 3), (0, 0)]:
            x = random_values(shape, "float64").astype(dtype)
            self.check("DiagPart", x)
        x = random_values((2, 2), "float64").astype(dtype)
        self.check_converted("Diag", x)
        self.check_converted("DiagPart", x)

    @parameterized.parameters(*NUMBERS, "bool", "complex64")
    def test_matrix_diagonals(self, dtype: str) -> None:
        for shape in [(3, 3), (2, 3, 5), (2, 2, 5, 3), (0, 3), (2, 3, 0)]:
            x = random_values(shape, "int32").astype(dtype)
            self.check("MatrixDiagPart", x)
        self.check_converted("MatrixDiagPart", np.ones((2, 3, 2), dtype))

    def test_errors(self) -> None:
        scalar, matrix = np.array(1, np.float32), np.ones((2, 3), np.float32)
        for op, x, why in [
            ("Diag", scalar, r"must have rank 1 or more, but is \[\]"),
            ("DiagPart", matrix, r"half is the first, but is \[2,3\]"),
            ("DiagPart", scalar, r"rank that is not 0, .* but is \[\]"),
            ("MatrixDiagPart", matrix[0], r"rank 2 or more, but is \[3\]"),
        ]:
            self.assert_refused(why, op, [x])
        x = np.zeros(20000, np.float32)
        with self.assertRaisesRegex(RuntimeError, "at most 268435456"):
            run_op("Diag", [x], ["float32"])

    @parameterized.parameters(*NUMBERS)
    def test_nan_count(self, dtype: str) -> None:
        with np.errstate(invalid="ignore"):
            special = np.array(SPECIAL * 2).astype(dtype)
        for x in (special, special.reshape(4, 5), special[:0]):
            self.check("DebugNanCount", x, tensor_name="x:0")

    @parameterized.product(
        dtype=[*NUMBERS, "bool", "complex64", "complex128"], index=INDICES
    )
    def test_conjugate_transpose(self, dtype: str, index: str) -> None:
        for shape, perm in [
            ((2, 3), [1, 0]),
            ((2, 3), [0, 1]),
            ((2, 3, 4), [2, 0, 1]),
            ((2, 3, 4, 5), [3, 1, 0, 2]),
            ((0, 3), [1, 0]),
            ((4,), [0]),
        ]:
            x = random_values(shape, "int32").astype(dtype)
            if dtype.startswith("complex"):
                x = x + x[::-1] * np.array(1j, dtype)
            perm = np.array(perm, index)
            self.check("ConjugateTranspose", x, perm)
            self.check("ConjugateTranspose", x, perm, constants=[1])
        self.check_converted("ConjugateTranspose", x, perm)

    def test_permutations_that_are_none_are_refused(self) -> None:
        x = np.ones((2, 3), np.float32)
        for perm in ([0, 0], [0, 2], [1]):
            self.assert_refused(
                "perm must be", "ConjugateTranspose", [x, np.int32(perm)]
            )


if __name__ == "__main__":
    tf.test.main()
