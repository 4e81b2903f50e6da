"""Small real models, converted with custom ops, run without Flex."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python import custom_op_models
from tflite.custom.python.every_runtime import run_in_each

_MODELS = {model.name: model for model in custom_op_models.MODELS}


def _concrete_function(model: custom_op_models.CustomOpModel):
    return tf.function(
        model.function, [tf.TensorSpec(x.shape, x.dtype) for x in model.inputs]
    ).get_concrete_function()


def _convert(concrete, allow_custom_ops: bool) -> bytes:
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter.allow_custom_ops = allow_custom_ops
    return converter.convert()


def _ops(model: bytes) -> collections.Counter:
    """Returns the names of a model's custom ops, and how often each is there."""
    parsed = schema.ModelT.InitFromPackedBuf(model, 0)
    (graph,) = parsed.subgraphs
    codes = [parsed.operatorCodes[op.opcodeIndex] for op in graph.operators]
    return collections.Counter(
        code.customCode.decode()
        for code in codes
        if code.builtinCode == schema.BuiltinOperator.CUSTOM
    )


class ModelsTest(tf.test.TestCase, parameterized.TestCase):
    """Each model, through all runtimes, against TensorFlow."""

    @parameterized.parameters(*_MODELS)
    def test_runs_with_custom_ops_alone_and_equals_tensorflow(
        self, name: str
    ) -> None:
        model = _MODELS[name]
        concrete = _concrete_function(model)
        converted = _convert(concrete, allow_custom_ops=True)
        ops = _ops(converted)
        self.assertCountEqual(ops, model.ops)
        self.assertFalse([op for op in ops if op.startswith("Flex")])

        want = concrete(*[tf.constant(x) for x in model.inputs])
        # The runtimes' own matrix products differ, so not bit for bit.
        for runtime, (got,) in run_in_each(converted, model.inputs).items():
            self.assertEqual(got.shape, want.shape, runtime)
            self.assertTrue(np.isfinite(got).all(), runtime)
            self.assertAllClose(
                got, want, rtol=model.rtol, atol=model.rtol, msg=runtime
            )

    @parameterized.parameters(*_MODELS)
    def test_does_not_convert_without_custom_ops(self, name: str) -> None:
        concrete = _concrete_function(_MODELS[name])
        with self.assertRaisesRegex(
            Exception, "neither a custom op nor a flex op"
        ):
            _convert(concrete, allow_custom_ops=False)

    def test_they_are_ten_at_least(self) -> None:
        self.assertGreaterEqual(len(_MODELS), 10)


if __name__ == "__main__":
    tf.test.main()
