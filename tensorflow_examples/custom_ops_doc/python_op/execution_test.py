"""Tests of how ops run: eagerly, in graphs, in threads."""

import gc
import pickle
import resource
import threading
import time
import weakref

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import execution
from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import test_ops

tensor = python_op.tensor

# So few that ops which wait for ops would soon hold all of them.
tf.config.threading.set_inter_op_parallelism_threads(2)

_FLOATS = tf.TensorSpec([None])


def _node_types(concrete_function):
    return [op.type for op in concrete_function.graph.get_operations()]


def _both_ways(op, *inputs):
    """Applies an op eagerly and in a graph, and returns both results."""
    return op(*inputs), tf.function(lambda: op(*inputs), autograph=False)()


class ValuesTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(
        (d.name, d)
        for d in (
            tf.bfloat16,
            tf.float16,
            tf.float32,
            tf.float64,
            tf.int8,
            tf.int64,
            tf.uint16,
            tf.complex64,
            tf.complex128,
        )
    )
    def test_every_dtype_goes_in_and_out(self, dtype):
        for result in _both_ways(test_ops.Double(), tf.cast([1, 2], dtype)):
            self.assertEqual(result.dtype, dtype)
            self.assertAllEqual(tf.cast(result, tf.int32), [2, 4])

    def test_strings_and_bools_go_in_and_out(self):
        shout = test_ops.Unary(lambda a: a + b"!")
        long = b"zwei\0" * 20
        for result in _both_ways(shout, tf.constant([[b"a", long, b""]])):
            self.assertAllEqual(result, [[b"a!", long + b"!", b"!"]])
        for result in _both_ways(shout, tf.constant("a")):
            self.assertAllEqual(result, b"a!")
        invert = test_ops.Unary(np.logical_not)
        for result in _both_ways(invert, tf.constant([True, False])):
            self.assertAllEqual(result, [False, True])

    @parameterized.named_parameters(
        ("scalar", []), ("empty", [0, 3]), ("rank_8", [1, 2] * 4)
    )
    def test_every_shape_goes_in_and_out(self, shape):
        for result in _both_ways(test_ops.Double(), tf.ones(shape)):
            self.assertAllEqual(result, tf.fill(shape, 2.0))

    def test_results_that_are_not_contiguous_are_taken(self):
        x = tf.reshape(tf.range(6), [2, 3])
        transpose = test_ops.Unary(lambda a: (a * 2).T)
        strided = test_ops.Unary(lambda a: np.repeat(a, 2, axis=1)[::-1, ::-2])
        for result in _both_ways(transpose, x):
            self.assertAllEqual(result, tf.transpose(x) * 2)
        for result in _both_ways(strided, x):
            self.assertAllEqual(result, x[::-1, ::-1])

    def test_perform_has_numbers_near_zero_as_in_eager_code(self):
        x = tf.constant([5e-324, 1e-310], tf.float64)
        self.assertAllEqual(
            tf.function(test_ops.Double())(x), test_ops.Double()(x)
        )
        self.assertEqual(tf.function(test_ops.Double())(x)[0].numpy(), 1e-323)

    def test_an_op_without_inputs_runs(self):
        class Seven(python_op.Op):
            itypes = []
            otypes = [tensor.iscalar]

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = np.int32(7)

        for result in _both_ways(Seven()):
            self.assertAllEqual(result, 7)


class ErrorsTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(
        (
            "dtype",
            lambda a: a.astype(np.float32),
            r"Unary: output 0 has dtype float32, but float64 is declared",
        ),
        (
            "rank",
            lambda a: a[None],
            r"Unary: output 0 has rank 2 \(shape \(1, 2\)\), but rank 1 is",
        ),
        ("none", lambda a: None, r"Unary left output 0 empty"),
    )
    def test_an_output_that_is_not_as_declared_is_named(self, function, text):
        op = test_ops.Unary(function)
        x = tf.ones([2], tf.float64)
        with self.assertRaisesRegex(TypeError, text):
            op(x)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, text):
            tf.function(lambda x: op(x), autograph=False)(x)

    def test_a_dimension_that_is_not_as_declared_is_named(self):
        op = test_ops.Unary(lambda a: a, python_op.TensorType("float64", (3,)))
        with self.assertRaisesRegex(
            TypeError, r"shape \(2,\), .*float64, \(3\)"
        ):
            op(np.ones(2))

    def test_a_number_of_outputs_that_is_not_as_declared_is_named(self):
        class TooMany(test_ops.Double):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0] * 2
                output_storage.append([inputs[0]])

        with self.assertRaisesRegex(TypeError, "TooMany must leave the length"):
            TooMany()(1.0)

    def test_an_exception_of_perform_keeps_its_traceback(self):
        def fail_deep_inside(a):
            raise KeyError("no such thing")

        op = test_ops.Unary(fail_deep_inside)
        with self.assertRaisesRegex(KeyError, "no such thing"):
            op(1.0)
        with self.assertRaisesRegex(
            tf.errors.UnknownError,
            r"(?s)KeyError: 'no such thing'.*in fail_deep_inside",
        ):
            tf.function(lambda: op(1.0), autograph=False)()

    def test_an_input_cannot_be_written_to(self):
        def scale(a):
            a *= 2
            return a

        op = test_ops.Unary(scale)
        x = tf.ones([2])
        with self.assertRaisesRegex(ValueError, "read-only"):
            op(x)
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, "read-only"
        ):
            tf.function(lambda x: op(x), autograph=False)(x)
        self.assertAllEqual(x, [1.0, 1.0])

    def test_an_input_of_destroy_map_is_a_copy(self):
        class InPlace(test_ops.Double):
            destroy_map = {0: [0]}

            def perform(self, node, inputs, output_storage):
                x = inputs[0]
                x *= 2
                output_storage[0][0] = x

        x = tf.ones([2])
        for result in _both_ways(InPlace(), x):
            self.assertAllEqual(result, [2.0, 2.0])
        self.assertAllEqual(x, [1.0, 1.0])


class MemoryTest(tf.test.TestCase):
    def test_eager_inputs_are_views_of_the_tensors(self):
        seen = []
        x = tf.ones([1000])
        test_ops.Unary(lambda a: seen.append(a) or a.copy())(x)
        self.assertTrue(np.shares_memory(seen[0], np.asarray(memoryview(x))))

    def test_an_input_of_100_mb_is_not_copied(self):
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

        class Identity(test_ops.Double):
            view_map = {0: [0]}

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0]

        op = Identity()
        in_graph = tf.function(
            lambda x: op(x), input_signature=[_FLOATS], autograph=False
        )
        small = tf.zeros([3])
        op(small), in_graph(small)
        x = tf.zeros([25_000_000])
        # Memory that is free again would hide a copy: take it away.
        ballast = [np.ones(25_000_000, np.float32)]
        before = peak()
        results = [op(x), in_graph(x)]
        self.assertLess(peak() - before, 20e6)
        for result in results:
            self.assertAllEqual(result[:3], [0.0, 0.0, 0.0])
        del ballast

    def test_a_view_that_is_kept_outlives_the_run(self):
        kept = []
        op = test_ops.Unary(lambda a: kept.append(a[1:]) or a * 2)
        run = tf.function(lambda x: op(x + 1), autograph=False)
        for i in range(5):
            run(tf.fill([1000], float(i)))
        gc.collect()
        for _ in range(50):
            tf.random.normal([1000])
        for i, view in enumerate(kept):
            self.assertAllEqual(view, np.full(999, i + 1.0))

    def test_an_output_that_is_a_view_of_an_input_does_not_share_memory(self):
        reverse = test_ops.Unary(lambda a: a[:2])
        x = tf.range(1000)
        for result in _both_ways(reverse, x):
            self.assertAllEqual(result, [0, 1])
            self.assertFalse(
                np.shares_memory(
                    np.asarray(memoryview(result)), np.asarray(memoryview(x))
                )
            )

    def test_an_array_that_the_op_keeps_is_not_the_output(self):
        kept = np.zeros(1000)

        def count(a):
            kept[:] += 1
            return kept

        op = test_ops.Unary(count)
        x = tf.zeros([1000], tf.float64)
        first, second = op(x), op(x)
        self.assertAllEqual(first[:2], [1.0, 1.0])
        self.assertAllEqual(second[:2], [2.0, 2.0])


class Reusing(test_ops.Double):
    """Doubles in the storage that it is given, where that fits."""

    def __init__(self):
        super().__init__()
        self.reused = 0

    def perform(self, node, inputs, output_storage):
        (x,), (cell,) = inputs, output_storage
        if cell[0] is None or cell[0].shape != x.shape:
            cell[0] = np.empty_like(x)
        else:
            self.reused += 1
        np.multiply(x, 2, out=cell[0])


class StorageTest(tf.test.TestCase):
    def test_storage_is_handed_back_once_nobody_has_the_output(self):
        op = Reusing()
        for i in range(5):
            self.assertAllEqual(op(tf.fill([100], float(i)))[:1], [2.0 * i])
        self.assertEqual(op.reused, 4)

    def test_an_output_that_somebody_has_is_not_overwritten(self):
        op = Reusing()
        # Of sizes at which TensorFlow takes NumPy's memory, and copies it.
        for size in (1, 5, 16, 100, 1000, 100_000, 1_000_000):
            outputs = [op(tf.fill([size], float(i))) for i in range(20)]
            for i, output in enumerate(outputs):
                self.assertAllEqual(output[:1], [2.0 * i])

    def test_large_storage_becomes_the_tensors_memory_without_a_copy(self):
        addresses = set()

        class Noting(Reusing):
            def perform(self, node, inputs, output_storage):
                super().perform(node, inputs, output_storage)
                addresses.add(output_storage[0][0].ctypes.data)

        op = Noting()
        x = tf.ones([100_000])
        for _ in range(3):
            op(x)
        addresses.clear()
        output = op(x)
        self.assertIn(np.asarray(memoryview(output)).ctypes.data, addresses)
        self.assertAllEqual(op(x + 1)[:1], [4.0])
        self.assertAllEqual(output[:1], [2.0])

    def test_in_graphs_storage_goes_round_too(self):
        op = Reusing()
        run = tf.function(lambda x: op(x), autograph=False)
        outputs = [run(tf.fill([100], float(i))) for i in range(5)]
        for i, output in enumerate(outputs):
            self.assertAllEqual(output, np.full(100, 2.0 * i))
        self.assertGreater(op.reused, 0)

    def test_storage_is_of_the_declared_dtype_and_rank(self):
        class Checking(Reusing):
            def perform(self, node, inputs, output_storage):
                array = output_storage[0][0]
                if array is not None:
                    declared = node.outputs[0].type
                    assert array.dtype == declared.numpy_dtype, array.dtype
                    assert array.ndim == declared.ndim, array.ndim
                super().perform(node, inputs, output_storage)

        op = Checking()
        for dtype in (tf.float32, tf.float64, tf.int32):
            for shape in ([3], [2, 2], [4], []):
                self.assertAllEqual(
                    op(tf.ones(shape, dtype)), 2 * np.ones(shape)
                )

    def test_an_output_above_the_limit_is_not_kept(self):
        op = Reusing()
        limit = config.storage_reuse_limit
        self.addCleanup(setattr, config, "storage_reuse_limit", limit)
        config.storage_reuse_limit = 100
        for _ in range(3):
            op(tf.ones([1000]))
        self.assertEqual(op.reused, 0)


class ThunkTest(tf.test.TestCase):
    def test_make_thunk_comes_before_perform(self):
        class Thunked(test_ops.Double):
            def make_thunk(self, node, storage_map, _, _2, impl=None):
                compute_map = _

                def thunk():
                    x = storage_map[node.inputs[0]][0]
                    storage_map[node.outputs[0]][0] = x * 2
                    compute_map[node.outputs[0]][0] = True

                return thunk

            def perform(self, node, inputs, output_storage):
                raise AssertionError("make_thunk comes first")

        for result in _both_ways(Thunked(), tf.constant([1.0, 2.0])):
            self.assertAllEqual(result, [2.0, 4.0])

    def test_a_thunk_must_set_compute_map(self):
        class Forgetful(test_ops.Double):
            def make_thunk(self, node, storage_map, compute_map, _, impl=None):
                def thunk():
                    storage_map[node.outputs[0]][0] = np.ones(2)

                return thunk

        with self.assertRaisesRegex(
            TypeError,
            "Forgetful: the thunk did not set compute_map of output 0",
        ):
            Forgetful()(np.ones(2))

    def test_the_thunk_of_an_op_without_one_runs_perform(self):
        op = test_ops.Double()
        x = tensor.dvector()
        node = op.make_node(x)
        storage_map = {v: [None] for v in (*node.inputs, *node.outputs)}
        compute_map = {v: [False] for v in storage_map}
        storage_map[x][0] = np.ones(2)
        op.make_thunk(node, storage_map, compute_map, [])()
        self.assertAllEqual(storage_map[node.outputs[0]][0], [2.0, 2.0])
        self.assertTrue(compute_map[node.outputs[0]][0])
        with self.assertRaisesRegex(
            NotImplementedError, "Double has no c_code"
        ):
            op.make_thunk(node, storage_map, compute_map, [], impl="c")


class CCodeTest(tf.test.TestCase):
    def test_c_code_comes_before_perform(self):
        class InC(test_ops.Double):
            def perform(self, node, inputs, output_storage):
                raise AssertionError("c_code comes first")

            def c_code(self, node, name, inputs, outputs, sub):
                (x,), (z,) = inputs, outputs
                return f"""
                    Py_XDECREF({z});
                    {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
                    if (!{z}) {sub["fail"]}
                    for (npy_intp i = 0; i < PyArray_SIZE({z}); ++i)
                        ((npy_double*)PyArray_DATA({z}))[i] *= 2;
                """

        raising = config.c_code_on_failure
        self.addCleanup(setattr, config, "c_code_on_failure", raising)
        config.c_code_on_failure = "raise"
        x = tf.constant([1.0, 2.0], tf.float64)
        for result in _both_ways(InC(), x):
            self.assertAllEqual(result, [2.0, 4.0])

    def test_make_thunk_comes_before_c_code(self):
        class Both(test_ops.Double):
            def c_code(self, node, name, inputs, outputs, sub):
                raise AssertionError("make_thunk comes first")

            def make_thunk(self, node, storage_map, compute_map, _, impl=None):
                def thunk():
                    storage_map[node.outputs[0]][0] = np.full(1, 7.0)
                    compute_map[node.outputs[0]][0] = True

                return thunk

        self.assertAllEqual(Both()(np.ones(1)), [7.0])


class GraphTest(tf.test.TestCase):
    def test_an_application_is_one_node(self):
        types = _node_types(test_ops.as_graph(test_ops.Double(), _FLOATS))
        self.assertEqual(
            types, ["Placeholder", "Examples>PythonCall", "Identity"]
        )

    def test_the_node_knows_the_op(self):
        op = test_ops.Double()
        operations = test_ops.as_graph(op, _FLOATS).graph.get_operations()
        nodes = [getattr(o, execution.NODE_ATTRIBUTE, None) for o in operations]
        self.assertEqual([n.op for n in nodes if n], [op])
        self.assertEqual(operations[1].name, "Double")

    def test_equal_ops_of_equal_inputs_run_once(self):
        first, second = test_ops.Double(), test_ops.Double()

        @tf.function(input_signature=[_FLOATS])
        def run(x):
            return first(x) + second(x) + first(x)

        self.assertAllEqual(run([1.0]), [6.0])
        self.assertEqual(first.runs, 1)
        self.assertEqual(second.runs, 0)

    def test_equal_constants_are_equal_inputs(self):
        first, second = test_ops.Power(2), test_ops.Power(2)

        @tf.function
        def run():
            x = first(np.float32([3.0]))
            y = second(np.float32([3.0]))
            self.assertIs(x, y)
            return x

        self.assertAllEqual(run(), [9.0])

    def test_ops_of_other_properties_or_inputs_are_not_merged(self):
        @tf.function(input_signature=[_FLOATS])
        def run(x):
            return (
                test_ops.Power(2)(x),
                test_ops.Power(3)(x),
                test_ops.Power(2)(x + 1),
            )

        self.assertAllEqual(run([2.0]), [[4.0], [8.0], [9.0]])

    def test_a_branch_has_nodes_of_its_own(self):
        op = test_ops.Double()

        @tf.function
        def run(x):
            if x > 0:
                y = op(x)
            else:
                y = op(x) + 1
            return y

        self.assertAllEqual(run(tf.constant(2.0)), 4.0)
        self.assertAllEqual(run(tf.constant(-2.0)), -3.0)

    def test_a_graph_that_is_done_with_goes(self):
        op = test_ops.Double()
        graphs = []
        for _ in range(3):
            concrete = test_ops.as_graph(op, _FLOATS)
            concrete(tf.ones([2]))
            graphs.append(weakref.ref(concrete.graph))
            del concrete
        gc.collect()
        self.assertEqual([g() for g in graphs], [None] * 3)

    def test_what_nobody_needs_is_not_run(self):
        op = test_ops.Double()

        @tf.function(input_signature=[_FLOATS])
        def run(x):
            op(x)
            return x

        run([1.0])
        self.assertEqual(op.runs, 0)

    def test_version_1_graphs_and_loops_run(self):
        op = test_ops.Double()
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.compat.v1.disable_control_flow_v2()
            self.addCleanup(tf.compat.v1.enable_control_flow_v2)
            x = tf.compat.v1.placeholder(tf.float32, [])
            y = op(x)
            _, z = tf.compat.v1.while_loop(
                lambda i, z: i < 3, lambda i, z: (i + 1, op(z)), (0, y)
            )
            self.assertEqual(session.run([y, z], {x: 1.0}), [2.0, 16.0])

    def test_an_op_of_another_process_is_named(self):
        module = tf.Module()
        op = test_ops.Double()
        module.run = tf.function(
            lambda x: op(x), input_signature=[_FLOATS], autograph=False
        )
        path = self.create_tempdir().full_path
        tf.saved_model.save(module, path)
        # Here the op's code is there still.
        self.assertAllEqual(tf.saved_model.load(path).run([1.0]), [2.0])
        graph = test_ops.as_graph(op, _FLOATS).graph.as_graph_def()
        for node in graph.node:
            if node.op == "Examples>PythonCall":
                node.attr["token"].i = 1
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.import_graph_def(graph, name="")
            with self.assertRaisesRegex(
                tf.errors.FailedPreconditionError, "is in another process"
            ):
                session.run("Double:0", {graph.node[0].name + ":0": [1.0]})


class Nested(test_ops.Double):
    """Computes by another function of TensorFlow's."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.function(tf.constant(inputs[0])).numpy()


class ThreadsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        op = test_ops.Double()

        @tf.function(input_signature=[_FLOATS])
        def loop(x):
            for _ in tf.range(3):
                x = op(x)
            return x

        # Each waits for functions that need the threads that it may be in.
        self.eight_times = Nested(loop)
        self.nest = tf.function(
            lambda x: tf.add_n([self.eight_times(x + i) for i in range(4)]),
            input_signature=[_FLOATS],
            autograph=False,
        )
        self.nest_of_nests = Nested(self.nest)
        self.deep = tf.function(
            lambda x: tf.add_n([self.nest_of_nests(x + i) for i in range(4)]),
            input_signature=[_FLOATS],
            autograph=False,
        )

    def test_ops_that_wait_for_ops_do_not_deadlock(self):
        # 8 (x + i + j) over 16 pairs: 8 (16 x + 48).
        self.assertAllEqual(self.deep([1.0]), [512.0])

    def test_sixteen_threads_do_not_deadlock(self):
        results = []

        def work():
            for _ in range(3):
                results.append(self.deep([1.0]).numpy()[0])
                results.append(
                    self.nest_of_nests(tf.constant([0.0])).numpy()[0] + 464
                )

        threads = [threading.Thread(target=work) for _ in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(timeout=60)
            self.assertFalse(t.is_alive())
        self.assertEqual(set(results), {512.0})
        self.assertLen(results, 96)

    def test_in_a_dataset_they_do_not_deadlock(self):
        dataset = tf.data.Dataset.range(20).map(
            lambda i: self.nest_of_nests(tf.cast(i, tf.float32)[None]),
            num_parallel_calls=8,
        )
        self.assertAllEqual(
            [x[0] for x in dataset], [8.0 * (4 * i + 6) for i in range(20)]
        )

    def test_an_op_that_reads_a_dataset_does_not_deadlock(self):
        def sum_of_doubles(x):
            op = test_ops.Double()
            dataset = tf.data.Dataset.from_tensor_slices(x).map(
                lambda v: op(v), num_parallel_calls=4
            )
            return tf.stack([y for y in dataset])

        op = Nested(sum_of_doubles)
        run = tf.function(
            lambda x: tf.add_n([op(x + i) for i in range(4)]), autograph=False
        )
        self.assertAllEqual(run(tf.constant([1.0, 2.0])), [20.0, 28.0])

    def test_runs_of_a_graph_are_at_once(self):
        together = threading.Barrier(2, timeout=30)

        def meet(a):
            together.wait()
            return a * 2

        op = test_ops.Unary(meet)
        run = tf.function(lambda x, y: op(x) + op(y), autograph=False)
        self.assertAllEqual(run(tf.constant([1.0]), tf.constant([2.0])), [6.0])

    def test_more_calls_than_threads_wait_at_once(self):
        together = threading.Barrier(12, timeout=30)

        def meet(a):
            together.wait()
            return a * 2

        op = test_ops.Unary(meet)
        run = tf.function(
            lambda x: tf.add_n([op(x + i) for i in range(12)]), autograph=False
        )
        self.assertAllEqual(run(tf.constant([0.0])), [132.0])


class SpeedTest(tf.test.TestCase):
    """Ratios in one run, with room for a noisy machine; the README has figures."""

    def _ratio(self, ours, peer, rounds=15, calls=60):
        ratios = []
        for function in (ours, peer):
            for _ in range(calls):
                function()
        for _ in range(rounds):
            times = []
            for function in (ours, peer):
                start = time.perf_counter()
                for _ in range(calls):
                    function()
                times.append(time.perf_counter() - start)
            ratios.append(times[0] / times[1])
        return np.median(ratios)

    def test_calls_are_about_as_fast_as_numpy_function(self):
        op, x = test_ops.Double(), tf.ones([5])

        def double(a):
            return a * 2

        def bare():
            return tf.numpy_function(double, [x], tf.float32)

        eager = self._ratio(lambda: op(x), bare)
        ours = tf.function(lambda x: op(x), autograph=False)
        peer = tf.function(
            lambda x: tf.numpy_function(double, [x], tf.float32),
            autograph=False,
        )
        graph = self._ratio(lambda: ours(x), lambda: peer(x))
        print(f"eager {eager:.2f}, tf.function {graph:.2f} of numpy_function")
        self.assertLess(eager, 1.5)
        self.assertLess(graph, 1.6)


class PickleTest(tf.test.TestCase):
    def test_ops_of_as_op_cannot_be_lost_by_pickling(self):
        self.assertIs(pickle.loads(pickle.dumps(increment)), increment)


@python_op.as_op(itypes=[tensor.fvector], otypes=[tensor.fvector])
def increment(x):
    """Adds one."""
    return x + 1


if __name__ == "__main__":
    tf.test.main()
