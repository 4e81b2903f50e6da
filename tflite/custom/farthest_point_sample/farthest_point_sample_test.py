"""FarthestPointSample in every runtime, alone, fused and among int8 ops."""

import functools
import os
import re
import subprocess

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from google.protobuf import text_format
from tensorflow.lite.python import convert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.farthest_point_sample import farthest_point_sample_model
from tflite.custom.python import interpreter
from tflite.custom.python import single_op_model

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_OP = "FarthestPointSample"
_RUNTIMES = {
    "tflite": "tflite",
    "tf.lite": tf_lite,
    "ai_edge_litert": "ai_edge_litert",
    "litert": "litert",
}
_ALL = parameterized.parameters(*_RUNTIMES)


def _interpreter(model, runtime):
    return interpreter.Interpreter(
        model,
        runtime=_RUNTIMES[runtime],
        ops=[farthest_point_sample_model.REGISTERER],
    )


@functools.cache
def _model(int8):
    return farthest_point_sample_model.convert(int8)


def _single(num_points, num_samples, width=3):
    return single_op_model.single_op_model(
        _OP,
        inputs=[single_op_model.Tensor([2, num_points, width])],
        outputs=[single_op_model.Tensor([2, num_samples], dtype="int32")],
        options={"num_samples": num_samples},
    )


def _points(*shape):
    points = np.random.default_rng(7).uniform(-1, 1, shape)
    return points.astype(np.float32)


def _sample(points, num_samples):
    """The indices by the definition, one cloud after the other."""
    result = []
    for cloud in points:
        chosen = [0]
        while len(chosen) < num_samples:
            offsets = cloud[:, None] - cloud[chosen]
            chosen.append(int((offsets**2).sum(-1).min(1).argmax()))
        result.append(chosen)
    return result


class FarthestPointSampleTest(tf.test.TestCase, parameterized.TestCase):
    @_ALL
    def test_points_are_chosen_by_the_definition(self, runtime):
        points = _points(2, 40, 3)
        (chosen,) = _interpreter(_single(40, 9), runtime).run(points)
        self.assertAllEqual(chosen, _sample(points, 9))

    @_ALL
    def test_corners_of_a_square(self, runtime):
        square = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
        (chosen,) = _interpreter(_single(4, 4), runtime).run(
            np.stack([square, square[::-1]])
        )
        self.assertAllEqual(chosen, [[0, 3, 1, 2], [0, 3, 1, 2]])

    @_ALL
    def test_what_it_does_not_take_is_named(self, runtime):
        with self.assertRaisesRegex(
            ValueError,
            "num_samples must be 1 to 4, the number of points, not 5",
        ):
            _interpreter(_single(4, 5), runtime)
        with self.assertRaisesRegex(ValueError, r"not \[2, ?4, ?2\]"):
            _interpreter(_single(4, 2, width=2), runtime)

    @_ALL
    def test_the_converter_puts_the_op_in_the_place_of_the_function(
        self, runtime
    ):
        points = _points(1, farthest_point_sample_model.NUM_POINTS, 3)
        network = farthest_point_sample_model.PointNetwork()
        (got,) = _interpreter(_model(int8=False), runtime).run(points)
        self.assertAllClose(got, network.features(points), rtol=1e-5)

    @_ALL
    def test_among_int8_ops_it_chooses_the_same_points(self, runtime):
        quantized = _interpreter(_model(int8=True), runtime)
        # The quantized coordinates are the ones that are compared.
        points = np.round(_points(1, 64, 3) * 100) / 100
        (got,) = quantized.run(points.astype(np.float32))
        network = farthest_point_sample_model.PointNetwork()
        want = network.features(points.astype(np.float32)).numpy()
        self.assertAllClose(got, want, atol=0.02 * np.abs(want).max())

    def test_the_int8_model_has_int8_neighbours_and_one_custom_op(self):
        model = tf.lite.Interpreter(model_content=_model(int8=True))
        ops = [op["op_name"] for op in model._get_ops_details()]
        self.assertEqual(ops.count(_OP), 1)
        self.assertContainsSubset(["QUANTIZE", "DEQUANTIZE"], ops)
        dtypes = {each["dtype"] for each in model.get_tensor_details()}
        self.assertContainsSubset({np.int8}, dtypes)

    def test_a_graph_that_names_the_op_converts_once_it_is_defined(self):
        convert.register_custom_opdefs([farthest_point_sample_model.OP_DEF])
        graph = text_format.Parse(
            """
            node { name: "x" op: "Placeholder"
                   attr { key: "dtype" value { type: DT_FLOAT } } }
            node { name: "chosen" op: "FarthestPointSample" input: "x"
                   attr { key: "num_samples" value { i: 9 } } }
            """,
            tf.compat.v1.GraphDef(),
        )

        def model(x):
            (chosen,) = tf.import_graph_def(graph, {"x": x}, ["chosen:0"])
            chosen.set_shape([2, 9])
            return chosen

        function = tf.compat.v1.wrap_function(
            model, [tf.TensorSpec([2, 40, 3])]
        )
        converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
        converter.allow_custom_ops = True
        points = _points(2, 40, 3)
        (chosen,) = _interpreter(converter.convert(), "tflite").run(points)
        self.assertAllEqual(chosen, _sample(points, 9))

    def test_it_is_fused_in_a_layer_of_keras(self):
        class Chosen(tf.keras.layers.Layer):
            def call(self, points):
                return farthest_point_sample_model.farthest_point_sample(points)

        points = tf.keras.Input((64, 3), batch_size=1)
        model = tf.keras.Model(points, Chosen()(points))
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        converter.allow_custom_ops = True
        x = _points(1, 64, 3)
        (chosen,) = _interpreter(converter.convert(), "tflite").run(x)
        self.assertAllEqual(chosen, _sample(x, 8))

    def test_without_its_library_the_op_is_not_known(self):
        with self.assertRaisesRegex(ValueError, f"custom op '{_OP}'"):
            interpreter.Interpreter(_model(int8=False))

    def test_the_readme_shows_what_is_here(self):
        sources = ""
        for name in os.listdir(_FOLDER):
            if name.endswith((".cc", ".h", ".py")):
                with open(os.path.join(_FOLDER, name)) as file:
                    sources += file.read()
        with open(os.path.join(_FOLDER, "../README.md")) as file:
            shown = re.findall("```(?:cpp|python)\n(.*?)```", file.read(), re.S)
        self.assertNotEmpty(shown)
        for block in shown:
            self.assertIn(block, sources)

    def test_benchmark_runs_the_op(self):
        output = subprocess.check_output(
            [
                os.path.join(_FOLDER, "farthest_point_sample_benchmark"),
                "--num_runs=2",
                "--max_secs=1",
                "--enable_op_profiling",
            ],
            text=True,
        )
        self.assertIn(_OP, output)


if __name__ == "__main__":
    tf.test.main()
