"""Who would want a kernel for an op of TensorFlow, by the op's name."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Demand:
    """A group of ops.

    Attributes:
      name: what they are for.
      who: who would want kernels for them, or why nobody would.
      is_gap: whether somebody would.
      pattern: what their names match, and no pattern before it.
    """

    name: str
    who: str
    is_gap: bool
    pattern: str


_NO_GAP = [
    Demand(
        "TPUs",
        "They run on those accelerators, or tell a compiler about them.",
        False,
        ".*(TPU|SparseCore|CooTensor|MinibatchSplits)|Xla|Infeed|Outfeed"
        "|CrossReplicaSum|GlobalIterId|WorkerHeartbeat",
    ),
    Demand(
        "Collectives and devices",
        "They join the devices and processes of one training.",
        False,
        "Collective|Nccl|Recv$|DeviceIndex|CheckPinned|Cudnn",
    ),
    Demand(
        "Summaries and debuggers",
        "They write the log of a training, or print.",
        False,
        "(?!BoostedTrees).*Summary|Debug|Print$|Timestamp",
    ),
    Demand(
        "Queues, stages and batching servers",
        "They share a queue with other threads of TensorFlow.",
        False,
        "(Ordered)?Map(IncompleteSize|Peek|Size|Unstage)|Stage|Unstage"
        "|(Unb|B)atch(Grad)?$|(Add|Take).*SparseT?o?.*TensorsMap",
    ),
    Demand(
        "Readers and checkpoints",
        "They read files of a training's machine.",
        False,
        "RecordInput|Restore|ReadFile|MatchingFiles|Sharded"
        "|LoadAndRemapMatrix|GenerateVocabRemapping|ImmutableConst",
    ),
    Demand(
        "Sessions, Python and placeholders",
        "They need the process that built the graph.",
        False,
        "GetSession|(Eager)?PyFunc|FakeParam",
    ),
]

_TRAINING = Demand(
    "Training on the device",
    "Who trains or adapts a model: gradients, optimisers, trees, samplers.",
    True,
    ".*Grad|.*Backprop|Sdca|BoostedTrees|K[Mm]|.*CandidateSampler"
    "|ComputeAccidentalHits|IsotonicRegression|NearestNeighbors",
)

_GAPS = [
    Demand(
        "Signals and speech",
        "Who has sound or other series: transforms, and decoders of CTC.",
        True,
        "I?R?FFT|CTC|AudioSpectrogram|Mfcc|.*Wav$",
    ),
    Demand(
        "Recurrent cells",
        "Who has a model of TensorFlow 1.",
        True,
        "BlockLSTM|GRU|LSTM",
    ),
    Demand(
        "Images",
        "Who prepares pictures, or finds objects in them, within the model.",
        True,
        "CropAndResize|Resize|Extract|DrawBounding|ImageProjective"
        "|NonMaxSuppression|ScaleAndTranslate|(De|En)code.*(Jpeg|Jxl|Png|Gif|Bmp"
        "|WebP|Image)",
    ),
    Demand(
        "Convolutions and pooling",
        "Who has a convolutional net that the converter leaves in part.",
        True,
        "Conv(\\dD|$)|.*Pool|Dilation2D|FusedPad|FusedResize|FusedBatchNorm"
        "|SpaceToBatch",
    ),
    Demand(
        "Linear algebra",
        "Who solves, filters or whitens within the model.",
        True,
        "Matrix(?!Diag)|Banded|Tridiagonal|Eig|Lu$|SelfAdjoint",
    ),
    Demand(
        "Text",
        "Who tokenizes or cleans text within the model.",
        True,
        "String|AsString|Regex|StaticRegex|Unicode|Substr|ReduceJoin"
        "|UnsortedSegmentJoin|.*Base64|Fingerprint",
    ),
    Demand(
        "Sparse and ragged tensors",
        "Who has features of varying length.",
        True,
        "Sparse|Ragged|.*CountSparse|DenseTo|Set|Deserialize.*Sparse"
        "|Serialize.*Sparse",
    ),
    Demand(
        "Records",
        "Who reads protocol buffers, CSV or raw bytes within the model.",
        True,
        "Parse|Decode|Encode|SerializeTensor",
    ),
    Demand(
        "Random numbers",
        "Who samples within the model.",
        True,
        "Random|Stateless|.*TruncatedNormal|NonDeterministic|SobolSample",
    ),
    Demand(
        "Quantised graphs of TensorFlow 1",
        "Who has one; the converter's own quantisation needs none.",
        True,
        "Quantize",
    ),
    Demand(
        "Arrays",
        "Who indexes, sorts, splits or counts.",
        True,
        "",
    ),
]

# As a reader wants them, and as a name is matched.
DEMANDS = [*_GAPS, _TRAINING, *_NO_GAP]
_RULES = [*_NO_GAP, _TRAINING, *_GAPS]


def demand(op: str) -> Demand:
    """Returns the group of an op: the first whose pattern its name matches."""
    return next(each for each in _RULES if re.match(each.pattern, op))
