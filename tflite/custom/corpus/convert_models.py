"""Converts models such as people have, with weights that nobody trained.

    convert_models --output_dir=DIR NAME...

writes NAME.tflite for each NAME of `MODELS`. Weights and the samples of
calibration come from fixed seeds.
"""

import ctypes
import functools
import os
import tempfile
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

from third_party.tensorflow import releases

_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "the folder to write to", required=True
)

_Options = Callable[[tf.lite.TFLiteConverter], None]


def _spec(*shape: int | None, dtype=tf.float32, name: str = "x"):
    return tf.TensorSpec(shape, dtype, name)


def _converted(
    converter: tf.lite.TFLiteConverter, set_options: _Options | None
) -> bytes:
    converter.allow_custom_ops = True
    if set_options is not None:
        set_options(converter)
    return converter.convert()


def _function(
    function: Callable,
    *specs: tf.TensorSpec,
    set_options: _Options | None = None,
) -> bytes:
    """Returns a model of one function."""
    concrete = tf.function(function, specs).get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [concrete], tf.Module()
    )
    return _converted(converter, set_options)


def _keras(
    layers: Callable[[tf.keras.KerasTensor], tf.keras.KerasTensor]
    | tf.keras.Model,
    *shape: int | None,
    set_options: _Options | None = None,
) -> bytes:
    """Returns a Keras model, or one made of layers, in TFLite.

    Args:
      layers: the model, or what makes the output of its input.
      *shape: the input's, with the batch.
      set_options: what to change in the converter.
    """
    if not isinstance(layers, tf.keras.Model):
        x = tf.keras.Input(shape[1:], batch_size=shape[0])
        layers = tf.keras.Model(x, layers(x))
    if releases.converts_keras_models(tf.__version__):
        converter = tf.lite.TFLiteConverter.from_keras_model(layers)
    else:
        function = tf.function(
            lambda x: layers(x, training=False),
            [tf.TensorSpec(layers.inputs[0].shape)],
        )
        converter = tf.lite.TFLiteConverter.from_concrete_functions(
            [function.get_concrete_function()]
        )
    return _converted(converter, set_options)


def _signatures(
    owner: tf.Module, *, set_options: _Options | None = None, **functions
) -> bytes:
    """Returns a model with a signature for each function."""
    with tempfile.TemporaryDirectory() as folder:
        concrete = {
            key: function.get_concrete_function()
            for key, function in functions.items()
        }
        tf.saved_model.save(owner, folder, signatures=concrete)
        converter = tf.lite.TFLiteConverter.from_saved_model(
            folder, signature_keys=list(functions)
        )
        converter.experimental_enable_resource_variables = True
        return _converted(converter, set_options)


# How weights and activations are quantized.


def _dynamic_range(converter: tf.lite.TFLiteConverter) -> None:
    converter.optimizations = [tf.lite.Optimize.DEFAULT]


def _float16(converter: tf.lite.TFLiteConverter) -> None:
    _dynamic_range(converter)
    converter.target_spec.supported_types = [tf.float16]


def _register_atan(resolver: int) -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    library = ctypes.CDLL(os.path.join(folder, "atan_registerer.so"))
    if library.TfLiteCustomOpsRegisterer(ctypes.c_void_p(resolver)) != 0:
        raise RuntimeError("the calibrator's resolver does not take Atan")


def _calibrated(
    *shape: int, ops: Sequence[tf.lite.OpsSet], io: tf.DType | None = None
) -> _Options:
    """Quantization after calibration, which runs custom ops too.

    Args:
      *shape: the input's.
      ops: what the operators are to be.
      io: the type of the inputs and outputs; float32 without.
    """

    def samples():
        generator = np.random.default_rng(1)
        for _ in range(4):
            yield [generator.uniform(-1, 1, shape).astype(np.float32)]

    def set_options(converter: tf.lite.TFLiteConverter) -> None:
        _dynamic_range(converter)
        converter.representative_dataset = samples
        converter.target_spec.supported_ops = ops
        # The calibrator is an interpreter, which needs kernels like any other.
        converter.target_spec._experimental_custom_op_registerers = [
            _register_atan
        ]
        if io is not None:
            converter.inference_input_type = io
            converter.inference_output_type = io

    return set_options


_INT8 = (tf.lite.OpsSet.TFLITE_BUILTINS_INT8,)
# With the second, what has no integers of 16 bits, as a custom op, stays float.
_INT16X8 = (
    tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8,
    tf.lite.OpsSet.TFLITE_BUILTINS,
)

# Networks.


def _mobilenet_v2(size: int = 224, set_options: _Options | None = None):
    model = tf.keras.applications.MobileNetV2((size, size, 3), weights=None)
    return _keras(model, set_options=set_options)


def _efficientnet_v2_b0() -> bytes:
    model = tf.keras.applications.EfficientNetV2B0(weights=None)
    return _keras(model)


def _attention(x):
    y = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=8)(x, x)
    return tf.keras.layers.LayerNormalization()(x + y)


def _conv3d(x):
    x = tf.keras.layers.Conv3D(4, 3, activation="relu")(x)
    return tf.keras.layers.Dense(3)(tf.keras.layers.Flatten()(x))


def _atan_net(set_options: _Options | None = None) -> bytes:
    """A custom op between a convolution and a matrix product."""

    def layers(x):
        x = tf.keras.layers.Conv2D(8, 3, padding="same")(x)
        x = tf.keras.layers.Lambda(tf.atan)(x)
        x = tf.keras.layers.DepthwiseConv2D(3, strides=2, activation="relu")(x)
        return tf.keras.layers.Dense(4)(tf.keras.layers.Flatten()(x))

    return _keras(layers, 1, 16, 16, 3, set_options=set_options)


def _u_net(x):
    down = tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    x = tf.keras.layers.MaxPooling2D()(down)
    x = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = tf.keras.layers.UpSampling2D(interpolation="bilinear")(x)
    x = tf.keras.layers.Concatenate()([x, down])
    return tf.keras.layers.Conv2D(1, 1, activation="sigmoid")(x)


# Programs.


def _while_loop(x, n):
    return tf.while_loop(
        lambda i, y: i < n,
        lambda i, y: (i + 1, tf.tanh(y * 1.5 + 0.1)),
        [tf.constant(0), x],
    )[1]


def _cond(x, choose):
    return tf.cond(
        choose, lambda: tf.exp(x) * 2.0, lambda: tf.reduce_sum(x) + x
    )


class _Regression(tf.Module):
    """Trains on the device: `train` changes the variables, `infer` reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(tf.zeros([3, 1]))
        self.b = tf.Variable(tf.zeros([1]))

    @tf.function(input_signature=[_spec(4, 3, name="x")])
    def infer(self, x):
        return {"y": tf.matmul(x, self.w) + self.b}

    @tf.function(input_signature=[_spec(4, 3, name="x"), _spec(4, 1, name="y")])
    def train(self, x, y):
        error = tf.matmul(x, self.w) + self.b - y
        self.w.assign_sub(0.1 * tf.matmul(x, error, transpose_a=True))
        self.b.assign_sub(0.1 * tf.reduce_sum(error, 0))
        return {"loss": tf.reduce_mean(error * error)}


def _infer_and_train() -> bytes:
    model = _Regression()
    return _signatures(model, infer=model.infer, train=model.train)


class _Accumulator(tf.Module):
    """Adds up what it is given, through a custom op."""

    def __init__(self) -> None:
        super().__init__()
        self.sum = tf.Variable(tf.zeros([4]))

    @tf.function(input_signature=[_spec(4)])
    def add(self, x):
        self.sum.assign_add(tf.atan(x))
        return {"sum": self.sum.read_value()}


def _variables() -> bytes:
    model = _Accumulator()
    return _signatures(model, serving_default=model.add)


def _hash_table() -> bytes:
    """Strings to numbers by a table, as a vocabulary does it."""
    owner = tf.Module()
    owner.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant(["left", "right"]), tf.constant([1, 2], tf.int64)
        ),
        default_value=-1,
    )
    owner.find = tf.function(
        lambda x: {"y": owner.table.lookup(x)}, [_spec(3, dtype=tf.string)]
    )
    return _signatures(owner, serving_default=owner.find)


def _detection(boxes, scores):
    """The boxes that overlap no better one: how many, only running tells."""
    chosen = tf.image.non_max_suppression(
        boxes, scores, max_output_size=5, score_threshold=0.2
    )
    return tf.gather(boxes, chosen)


def _buffer_offset(converter: tf.lite.TFLiteConverter) -> None:
    converter._experimental_use_buffer_offset = True


def _text(x, indices):
    return tf.gather(x, indices % 3), tf.atan(tf.cast(indices, tf.float32))


_INTS = functools.partial(_spec, dtype=tf.int32)
_STRINGS = functools.partial(_spec, dtype=tf.string)

# Every model, by its name.
MODELS: dict[str, Callable[[], bytes]] = {
    "mobilenet_v2": _mobilenet_v2,
    "mobilenet_v2_float16": lambda: _mobilenet_v2(96, _float16),
    "mobilenet_v2_int8": lambda: _mobilenet_v2(
        96, _calibrated(1, 96, 96, 3, ops=_INT8, io=tf.int8)
    ),
    "efficientnet_v2_b0": _efficientnet_v2_b0,
    "attention": lambda: _keras(_attention, None, 6, 16),
    "bidirectional": lambda: _keras(
        tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4)), 1, 5, 3
    ),
    "conv2d_transpose": lambda: _keras(
        tf.keras.layers.Conv2DTranspose(4, 3, strides=2), None, 8, 8, 3
    ),
    "conv3d": lambda: _keras(_conv3d, 1, 6, 6, 6, 2),
    "gru": lambda: _keras(tf.keras.layers.GRU(6), 1, 5, 3),
    "lstm": lambda: _keras(
        tf.keras.layers.LSTM(6, return_sequences=True), 1, 5, 3
    ),
    "lstm_dynamic_range": lambda: _keras(
        tf.keras.layers.LSTM(32), 1, 5, 32, set_options=_dynamic_range
    ),
    "u_net": lambda: _keras(_u_net, None, 16, 16, 3),
    "atan_net": _atan_net,
    "atan_net_buffer_offset": lambda: _atan_net(_buffer_offset),
    "atan_net_dynamic_range": lambda: _atan_net(_dynamic_range),
    "atan_net_float16": lambda: _atan_net(_float16),
    "atan_net_int16x8": lambda: _atan_net(
        _calibrated(1, 16, 16, 3, ops=_INT16X8)
    ),
    "atan_net_int8": lambda: _atan_net(
        _calibrated(1, 16, 16, 3, ops=_INT8, io=tf.int8)
    ),
    "boolean_mask": lambda: _function(
        lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)), _spec(8)
    ),
    "cond": lambda: _function(
        _cond, _spec(4), _spec(dtype=tf.bool, name="choose")
    ),
    "detection": lambda: _function(
        _detection, _spec(12, 4, name="boxes"), _spec(12, name="scores")
    ),
    "fourier": lambda: _function(
        lambda x: tf.math.real(
            tf.signal.ifft(tf.signal.fft(tf.complex(x, -x)) * 2.0)
        ),
        _spec(3, 12),
    ),
    "hash_table": _hash_table,
    "infer_and_train": _infer_and_train,
    "range": lambda: _function(
        lambda n: tf.cast(tf.range(n), tf.float32) * 2.0 + 1.0, _INTS(name="n")
    ),
    "stft": lambda: _function(
        lambda x: tf.abs(tf.signal.stft(x, 64, 32)), _spec(None, 256)
    ),
    "strings": lambda: _function(_text, _STRINGS(3), _INTS(4, name="indices")),
    "tanh_of_exp": lambda: _function(
        lambda x: tf.tanh(tf.exp(x) * 2.0), _spec(1, 8)
    ),
    "variables": _variables,
    "while_loop": lambda: _function(_while_loop, _spec(4), _INTS(name="n")),
}


def main(argv: Sequence[str]) -> None:
    """Writes the models that are named."""
    unknown = sorted(set(argv[1:]) - set(MODELS))
    if unknown or len(argv) < 2:
        raise app.UsageError(
            f"there are no models {unknown}; there are: {', '.join(MODELS)}"
        )
    for name in argv[1:]:
        tf.keras.utils.set_random_seed(1)
        model = MODELS[name]()
        with open(os.path.join(_OUTPUT_DIR.value, name + ".tflite"), "wb") as f:
            f.write(model)


if __name__ == "__main__":
    app.run(main)
