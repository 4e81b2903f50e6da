"""Small models of real use that convert only with custom ops.

Each is a function of tensors, the arrays it is tried with, and how far from
TensorFlow's its outputs may be.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.multiplex_2 import multiplex_2_op


@dataclasses.dataclass(frozen=True)
class CustomOpModel:
    """A model: what it computes, on what, and how closely."""

    name: str
    ops: Sequence[str]  # The custom ops that it must have.
    function: Callable
    inputs: Sequence[np.ndarray]
    rtol: float = 1e-5


def _normal(*shape: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def _uniform(*shape: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.01, 0.99, shape).astype("f4")


def _least_squares(a, b):
    """The x of least |a x - b|^2 + |x|^2 / 10, by Cholesky factors."""
    gram = tf.matmul(a, a, transpose_a=True) + 0.1 * tf.eye(4)
    factor = tf.raw_ops.Cholesky(input=gram)
    inverse = tf.linalg.inv(factor)
    return tf.matmul(
        inverse,
        tf.matmul(inverse, tf.matmul(a, b, transpose_a=True)),
        transpose_a=True,
    )


def _whitening(x):
    """Samples made uncorrelated with unit variance, by the covariance's SVD."""
    centred = x - tf.reduce_mean(x, axis=0)
    covariance = tf.matmul(centred, centred, transpose_a=True) / 31.0
    s, u, _ = tf.linalg.svd(covariance)
    root = tf.matmul(u / tf.sqrt(s + 1e-6), u, transpose_b=True)
    return tf.matmul(centred, root)


def _mahalanobis(x):
    """How far each sample lies from the mean, in the covariance's measure."""
    centred = x - tf.reduce_mean(x, axis=0)
    covariance = tf.matmul(centred, centred, transpose_a=True) / 31.0
    scaled = tf.matmul(centred, tf.linalg.inv(covariance))
    return tf.sqrt(tf.reduce_sum(scaled * centred, axis=1))


def _polynomial_trend(y):
    """Signals less their quadratic trend, projected out by Q of a QR."""
    t = np.linspace(-1, 1, 32, dtype=np.float32)
    q, _ = tf.linalg.qr(tf.stack([y[:, 0] * 0 + 1, t, t * t], axis=1))
    return y - tf.matmul(q, tf.matmul(q, y, transpose_a=True))


def _image_histogram(image):
    """The share of pixels in each of 16 ranges of brightness."""
    counts = tf.histogram_fixed_width(image, [0.0, 1.0], nbins=16)
    return tf.cast(counts, tf.float32) / float(image.shape[0] * image.shape[1])


def _bag_of_words(tokens):
    """How often each of 20 words is in each text, as a share."""
    counts = tf.raw_ops.DenseBincount(
        input=tokens, size=20, weights=tf.constant([], tf.float32)
    )
    return counts / tf.reduce_sum(counts, axis=1, keepdims=True)


def _segment_pooling(x, segments):
    """Features averaged over each group of rows, then projected."""
    weights = tf.constant(_normal(6, 2, seed=1))
    return tf.matmul(tf.math.segment_mean(x, segments), weights)


def _hidden_markov_scores(x):
    """Log of the running total probability along each of a batch's rows."""
    scores = tf.nn.log_softmax(x)
    return tf.math.cumulative_logsumexp(scores, axis=1)


def _gated_mixture(x):
    """Which of two layers an element comes from is decided by a third."""
    layers = [tf.constant(_normal(8, 5, seed=i)) for i in (1, 2, 3)]
    gate, a, b = (tf.matmul(x, layer) for layer in layers)
    return multiplex_2_op.multiplex(gate > 0.0, tf.nn.relu(a), tf.tanh(b))


def _surface_normals(points):
    """Unit normals of triangles, of which each row is three corners."""
    edges = points[:, 1:] - points[:, :1]
    normals = tf.linalg.cross(edges[:, 0], edges[:, 1])
    return normals / tf.norm(normals, axis=1, keepdims=True)


@functools.cache
def _atan_network() -> tf.keras.Model:
    layers = tf.keras.layers
    network = tf.keras.Sequential(
        [
            layers.Input((8,)),
            layers.Dense(16, tf.math.atan),
            layers.Dense(3),
        ]
    )
    network.set_weights(
        [_normal(*w.shape, seed=i) for i, w in enumerate(network.weights)]
    )
    return network


def _atan_activation(x):
    """A small Keras network whose activation is the arctangent."""
    return _atan_network()(x)


def _gelu_network(x):
    """A layer whose activation is the exact GELU, by the error function."""
    y = tf.matmul(x, tf.constant(_normal(8, 5)))
    return y * (0.5 + 0.5 * tf.math.erf(y * math.sqrt(0.5)))


def _tail_probability(x):
    """The probability that a normal variable is greater than each value."""
    return 0.5 * tf.math.erfc(x * math.sqrt(0.5))


def _normal_quantile(p):
    """The values below which a normal variable lies with each probability."""
    return 2.0 * tf.math.ndtri(p) + 1.0


def _beta_cdf(x):
    """The probability that a Beta(2, 3.5) variable is less than each value."""
    return tf.math.betainc(tf.fill(x.shape, 2.0), tf.fill(x.shape, 3.5), x)


def _gamma_cdf(x):
    """The probability that a Gamma(2.5) variable is less than each value."""
    return tf.math.igamma(tf.fill(x.shape, 2.5), x)


def _poisson_cdf(rate):
    """The probability of three events or fewer at each rate."""
    return tf.math.igammac(tf.fill(rate.shape, 4.0), rate)


def _von_mises_density(angle):
    """The density of a von Mises variable of concentration 1 to 5."""
    k = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0]) + 0.0 * angle
    return tf.exp(k * (tf.cos(angle) - 1.0)) / (
        2.0 * math.pi * tf.math.bessel_i0e(k)
    )


def _great_circle(x):
    """Distances on the unit sphere between points, by the haversine."""
    latitude, longitude = x[:, 0], x[:, 1]
    haversine = tf.square(tf.sin(latitude / 2.0)) + tf.cos(
        latitude
    ) * tf.square(tf.sin(longitude / 2.0))
    return 2.0 * tf.math.asin(tf.sqrt(haversine))


def _istft(x):
    """Speech to its spectrogram, with the high half damped, and back."""
    frames = tf.signal.stft(x, 64, 16)
    damped = frames * tf.cast(tf.range(33) < 16, tf.complex64)
    return tf.signal.inverse_stft(damped, 64, 16)


def _mfcc(x):
    """Mel-frequency cepstral coefficients, by the guide of tf.signal."""
    spectrogram = tf.abs(tf.signal.stft(x, 256, 128))
    mel = tf.signal.linear_to_mel_weight_matrix(32, 129, 8000, 80.0, 3600.0)
    log_mel = tf.math.log(tf.matmul(spectrogram, mel) + 1e-6)
    return tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :13]


def _fnet_mixing(x):
    """FNet's layer in the place of attention: a transform of both dimensions."""
    return tf.math.real(tf.signal.fft2d(tf.cast(x, tf.complex64)))


def _rotary_embedding(x):
    """Rotary positions: pairs of features turned by angles, as complex."""
    length, size = x.shape[1:]
    angles = np.outer(
        np.arange(length), 10000.0 ** (-np.arange(0, size, 2) / size)
    )
    pairs = tf.reshape(x, [-1, length, size // 2, 2])
    turned = tf.complex(pairs[..., 0], pairs[..., 1]) * tf.constant(
        np.exp(1j * angles), tf.complex64
    )
    parts = [tf.math.real(turned), tf.math.imag(turned)]
    return tf.reshape(tf.stack(parts, axis=-1), [-1, length, size])


def _phase_correlation(a, b):
    """Where two images fit best: the peak of what this gives."""
    product = tf.signal.fft2d(tf.cast(a, tf.complex64)) * tf.math.conj(
        tf.signal.fft2d(tf.cast(b, tf.complex64))
    )
    unit = product / tf.cast(tf.abs(product) + 1e-9, tf.complex64)
    return tf.math.real(tf.signal.ifft2d(unit))


def _fft_convolution(x, kernel):
    """A long filter by the product of spectra."""
    spectrum = tf.signal.rfft(x, [128]) * tf.signal.rfft(kernel, [128])
    return tf.signal.irfft(spectrum, [128])


def _as_complex(x):
    # Of the transform of a cast the converter makes one of half the length.
    return tf.complex(x, tf.zeros_like(x))


def _envelope(x):
    """The envelope of a signal: the analytic one of a Hilbert transform."""
    n = x.shape[-1]
    keep = np.zeros(n)
    keep[0], keep[1 : (n + 1) // 2] = 1, 2
    spectrum = tf.signal.fft(_as_complex(x))
    return tf.abs(tf.signal.ifft(spectrum * tf.constant(keep, tf.complex64)))


def _spectral_layer(x):
    """A Fourier neural operator's layer: modes times complex weights."""
    weights = _normal(4, 6, 6) + 1j * _normal(4, 6, 6, seed=8)
    modes = tf.signal.fft(_as_complex(x))[..., :4]
    mixed = tf.matmul(
        tf.transpose(modes, [2, 0, 1]), tf.constant(weights, tf.complex64)
    )
    padded = tf.pad(tf.transpose(mixed, [1, 2, 0]), [[0, 0], [0, 0], [0, 4]])
    return tf.signal.irfft(padded)


MODELS = [
    CustomOpModel("istft", ["IRFFT"], _istft, [_normal(256)], 1e-4),
    CustomOpModel("mfcc", ["StridedSlice"], _mfcc, [_normal(1024)], 1e-3),
    CustomOpModel(
        "fnet_mixing", ["FFT2D"], _fnet_mixing, [_normal(2, 12, 30)], 1e-4
    ),
    CustomOpModel(
        "rotary_embedding",
        ["Complex"],
        _rotary_embedding,
        [_normal(2, 6, 8)],
        1e-4,
    ),
    CustomOpModel(
        "phase_correlation",
        ["Conj", "FFT2D", "IFFT2D", "RealDiv"],
        _phase_correlation,
        [_uniform(20, 30), np.roll(_uniform(20, 30), (3, 5), (0, 1))],
        1e-4,
    ),
    CustomOpModel(
        "fft_convolution",
        ["IRFFT"],
        _fft_convolution,
        [_normal(3, 100), _normal(1, 25, seed=8)],
        1e-4,
    ),
    CustomOpModel(
        "envelope",
        ["Complex", "FFT", "IFFT"],
        _envelope,
        [_normal(2, 101)],
        1e-4,
    ),
    CustomOpModel(
        "spectral_layer",
        [
            *("BatchMatMulV2", "Complex", "FFT", "IRFFT", "Pad"),
            *("StridedSlice", "Transpose"),
        ],
        _spectral_layer,
        [_normal(2, 6, 14)],
        1e-4,
    ),
    CustomOpModel(
        "least_squares",
        ["Cholesky", "MatrixInverse"],
        _least_squares,
        [_normal(32, 4), _normal(32, 2, seed=8)],
        rtol=1e-4,
    ),
    CustomOpModel("whitening", ["Svd"], _whitening, [_normal(32, 4)], 1e-3),
    CustomOpModel(
        "mahalanobis", ["MatrixInverse"], _mahalanobis, [_normal(32, 4)], 1e-4
    ),
    CustomOpModel(
        "polynomial_trend", ["Qr"], _polynomial_trend, [_normal(32, 3)], 1e-4
    ),
    CustomOpModel(
        "image_histogram",
        ["HistogramFixedWidth"],
        _image_histogram,
        [_uniform(28, 28)],
    ),
    CustomOpModel(
        "bag_of_words",
        ["DenseBincount"],
        _bag_of_words,
        [np.random.default_rng(1).integers(0, 20, (4, 50)).astype(np.int32)],
    ),
    CustomOpModel(
        "segment_pooling",
        ["SegmentMean"],
        _segment_pooling,
        [_normal(9, 6), np.int32([0, 0, 0, 1, 1, 3, 3, 3, 3])],
    ),
    CustomOpModel(
        "hidden_markov_scores",
        ["CumulativeLogsumexp"],
        _hidden_markov_scores,
        [_normal(3, 10)],
    ),
    CustomOpModel(
        "gated_mixture",
        ["Examples>MultiplexDense"],
        _gated_mixture,
        [_normal(4, 8)],
    ),
    CustomOpModel(
        "surface_normals",
        ["Cross"],
        _surface_normals,
        [_normal(10, 3, 3)],
        rtol=1e-4,
    ),
    CustomOpModel(
        "atan_activation", ["Atan"], _atan_activation, [_normal(4, 8)]
    ),
    CustomOpModel("gelu_network", ["Erf"], _gelu_network, [_normal(4, 8)]),
    CustomOpModel(
        "tail_probability", ["Erfc"], _tail_probability, [_normal(64)]
    ),
    CustomOpModel(
        "normal_quantile", ["Ndtri"], _normal_quantile, [_uniform(64)]
    ),
    CustomOpModel("beta_cdf", ["Betainc"], _beta_cdf, [_uniform(64)], 1e-4),
    CustomOpModel(
        "gamma_cdf", ["Igamma"], _gamma_cdf, [3 * _uniform(64)], 1e-4
    ),
    CustomOpModel(
        "poisson_cdf", ["Igammac"], _poisson_cdf, [5 * _uniform(64)], 1e-4
    ),
    CustomOpModel(
        "von_mises_density", ["BesselI0e"], _von_mises_density, [_normal(3, 5)]
    ),
    CustomOpModel("great_circle", ["Asin"], _great_circle, [_uniform(10, 2)]),
]
