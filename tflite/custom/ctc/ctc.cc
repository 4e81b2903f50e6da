#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tflite/custom/ctc/ctc_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::ctc_ops {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

// The outputs of both ops: for each path the indices of a sparse tensor, its
// values and its shape, each of them for all paths, then probabilities.
struct Outputs {
  Outputs(TfLiteOpaqueContext* context, const TfLiteOpaqueNode* node, int paths)
      : context(context), node(node), paths(paths) {}
  TfLiteOpaqueTensor* Indices(int path) const { return At(path); }
  TfLiteOpaqueTensor* Values(int path) const { return At(paths + path); }
  TfLiteOpaqueTensor* Shape(int path) const { return At(2 * paths + path); }
  TfLiteOpaqueTensor* Probabilities() const { return At(3 * paths); }
  TfLiteOpaqueTensor* At(int i) const {
    return TfLiteOpaqueNodeGetOutput(context, node, i);
  }
  TfLiteOpaqueContext* context;
  const TfLiteOpaqueNode* node;
  int paths;
};

TfLiteStatus PrepareTensors(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node, const char* op, int paths) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, op, 2, 3 * paths + 1));
  const TfLiteOpaqueTensor* logits = TfLiteOpaqueNodeGetInput(context, node, 0);
  const TfLiteOpaqueTensor* lengths =
      TfLiteOpaqueNodeGetInput(context, node, 1);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "inputs", logits,
                                          {kTfLiteFloat32, kTfLiteFloat64}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "sequence_length", lengths, {kTfLiteInt32}));
  if (TfLiteOpaqueTensorNumDims(logits) != 3 || NumElements(logits) == 0 ||
      TfLiteOpaqueTensorNumDims(lengths) != 1 ||
      TfLiteOpaqueTensorDim(lengths, 0) != TfLiteOpaqueTensorDim(logits, 1)) {
    return Failure(context,
                   "%s: inputs and sequence_length must be [time,batch,class], "
                   "not empty, and [batch], but are %s and %s",
                   op, ShapeString(logits).c_str(),
                   ShapeString(lengths).c_str());
  }
  const Outputs outputs(context, node, paths);
  for (int i = 0; i < 3 * paths; ++i) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "a decoded output",
                                            outputs.At(i), {kTfLiteInt64}));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "log_probability",
                                          outputs.Probabilities(),
                                          {TfLiteOpaqueTensorType(logits)}));
  for (int path = 0; path < paths; ++path) {
    TfLiteOpaqueTensorSetAllocationTypeToDynamic(outputs.Indices(path));
    TfLiteOpaqueTensorSetAllocationTypeToDynamic(outputs.Values(path));
    TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context, outputs.Shape(path), {2}));
  }
  return Resize(context, outputs.Probabilities(),
                {TfLiteOpaqueTensorDim(logits, 1), paths});
}

// Calls run(example, logits) for each example.
template <typename T, typename F>
TfLiteStatus ForEachExample(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueNode* node, const char* op,
                            const F& run) {
  const TfLiteOpaqueTensor* inputs = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int64_t steps = TfLiteOpaqueTensorDim(inputs, 0);
  const int64_t batch = TfLiteOpaqueTensorDim(inputs, 1);
  const int64_t classes = TfLiteOpaqueTensorDim(inputs, 2);
  const auto* lengths =
      Data<int32_t>(TfLiteOpaqueNodeGetInput(context, node, 1));
  for (int64_t i = 0; i < batch; ++i) {
    if (lengths[i] > steps) {
      return Failure(context,
                     "%s: sequence_length must be at most %lld, the steps of "
                     "inputs, but element %lld is %d",
                     op, static_cast<long long>(steps),
                     static_cast<long long>(i), lengths[i]);
    }
    const Logits<T> logits = {Data<T>(inputs) + i * classes, lengths[i],
                              classes, batch * classes};
    TF_LITE_OPAQUE_ENSURE_STATUS(run(i, logits));
  }
  return kTfLiteOk;
}

// Gives a path's outputs their sizes.
TfLiteStatus ResizePath(TfLiteOpaqueContext* context, const char* op,
                        const Outputs& outputs, int path, int64_t batch,
                        int64_t count, int64_t longest) {
  if (count > kMost) {
    return Failure(context, "%s: more labels than a tensor can have: %lld", op,
                   static_cast<long long>(count));
  }
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, outputs.Indices(path), {static_cast<int>(count), 2}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      Resize(context, outputs.Values(path), {static_cast<int>(count)}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureMemory(context, op, "decoded_indices", outputs.Indices(path)));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureMemory(context, op, "decoded_values", outputs.Values(path)));
  auto* shape = MutableData<int64_t>(outputs.Shape(path));
  shape[0] = batch;
  shape[1] = longest;
  return kTfLiteOk;
}

// CTCGreedyDecoder.

constexpr char kGreedy[] = "CTCGreedyDecoder";

struct GreedyData : OpState {
  explicit GreedyData(OpOptions& options)
      : merge_repeated(options.Bool("merge_repeated", false)),
        blank_index(options.Int("blank_index", -1)) {}
  bool merge_repeated;
  int64_t blank_index;  // From the last one if it is negative.
};

TfLiteStatus PrepareGreedy(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
  const auto* data = StateOf<GreedyData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kGreedy, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(PrepareTensors(context, node, kGreedy, 1));
  const int classes =
      TfLiteOpaqueTensorDim(TfLiteOpaqueNodeGetInput(context, node, 0), 2);
  if (data->blank_index >= -classes && data->blank_index < classes) {
    return kTfLiteOk;
  }
  return Failure(context, "%s: blank_index must be in [-%d, %d), not %lld",
                 kGreedy, classes, classes,
                 static_cast<long long>(data->blank_index));
}

TfLiteStatus EvalGreedy(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<GreedyData>(node);
  const Outputs outputs(context, node, 1);
  const TfLiteOpaqueTensor* inputs = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int64_t classes = TfLiteOpaqueTensorDim(inputs, 2);
  const int64_t blank =
      data->blank_index < 0 ? data->blank_index + classes : data->blank_index;
  return WithFloat(TfLiteOpaqueTensorType(inputs), [&](auto zero) {
    using T = decltype(zero);
    int64_t count = 0, longest = 0;
    TF_LITE_OPAQUE_ENSURE_STATUS(ForEachExample<T>(
        context, node, kGreedy, [&](int64_t /*i*/, const Logits<T>& logits) {
          int64_t length = 0;
          DecodeGreedily(logits, blank, data->merge_repeated,
                         [&](int64_t /*label*/) { ++length; });
          count += length;
          longest = std::max(longest, length);
          return kTfLiteOk;
        }));
    TF_LITE_OPAQUE_ENSURE_STATUS(ResizePath(context, kGreedy, outputs, 0,
                                            TfLiteOpaqueTensorDim(inputs, 1),
                                            count, longest));
    auto* indices = MutableData<int64_t>(outputs.Indices(0));
    auto* values = MutableData<int64_t>(outputs.Values(0));
    auto* sums = MutableData<T>(outputs.Probabilities());
    return ForEachExample<T>(
        context, node, kGreedy, [&](int64_t i, const Logits<T>& logits) {
          int64_t length = 0;
          sums[i] = DecodeGreedily(logits, blank, data->merge_repeated,
                                   [&](int64_t label) {
                                     *indices++ = i;
                                     *indices++ = length++;
                                     *values++ = label;
                                   });
          return kTfLiteOk;
        });
  });
}

// CTCBeamSearchDecoder. The search takes memory as it goes: how much, hangs on
// the values.

constexpr char kBeam[] = "CTCBeamSearchDecoder";

struct BeamData : OpState {
  explicit BeamData(OpOptions& options)
      : merge_repeated(options.Bool("merge_repeated", true)),
        beam_width(options.Int("beam_width", 0)),
        top_paths(options.Int("top_paths", 0)) {}
  bool merge_repeated;
  int64_t beam_width;
  int64_t top_paths;
};

TfLiteStatus PrepareBeam(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<BeamData>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kBeam, data->error));
  if (data->top_paths < 1 || data->top_paths > data->beam_width ||
      data->top_paths > kMost / 4) {
    return Failure(
        context,
        "%s: top_paths must be at least 1 and at most beam_width, but "
        "they are %lld and %lld",
        kBeam, static_cast<long long>(data->top_paths),
        static_cast<long long>(data->beam_width));
  }
  return PrepareTensors(context, node, kBeam,
                        static_cast<int>(data->top_paths));
}

TfLiteStatus EvalBeam(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* data = StateOf<BeamData>(node);
  const auto paths = static_cast<int>(data->top_paths);
  const Outputs outputs(context, node, paths);
  const TfLiteOpaqueTensor* inputs = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int64_t batch = TfLiteOpaqueTensorDim(inputs, 1);
  return WithFloat(TfLiteOpaqueTensorType(inputs), [&](auto zero) {
    using T = decltype(zero);
    auto* probabilities = MutableData<T>(outputs.Probabilities());
    // By path, then by example.
    std::vector<std::vector<int64_t>> labels(paths * batch);
    TF_LITE_OPAQUE_ENSURE_STATUS(ForEachExample<T>(
        context, node, kBeam, [&](int64_t i, const Logits<T>& logits) {
          BeamSearch<T> search(static_cast<size_t>(data->beam_width));
          for (int64_t step = 0; step < logits.steps; ++step) {
            search.Step(logits.Step(step), logits.classes);
          }
          if (search.size() < static_cast<size_t>(paths)) {
            return Failure(context,
                           "%s: top_paths is %d, but of element %lld there are "
                           "no more than %zu",
                           kBeam, paths, static_cast<long long>(i),
                           search.size());
          }
          const std::vector<int64_t> best = search.Sorted();
          for (int path = 0; path < paths; ++path) {
            labels[path * batch + i] =
                search.Labels(best[path], data->merge_repeated);
            probabilities[i * paths + path] = search.LogProbability(best[path]);
          }
          return kTfLiteOk;
        }));
    for (int path = 0; path < paths; ++path) {
      const auto* first = &labels[path * batch];
      int64_t count = 0, longest = 0;
      for (int64_t i = 0; i < batch; ++i) {
        const auto length = static_cast<int64_t>(first[i].size());
        count += length;
        longest = std::max(longest, length);
      }
      TF_LITE_OPAQUE_ENSURE_STATUS(
          ResizePath(context, kBeam, outputs, path, batch, count, longest));
      auto* indices = MutableData<int64_t>(outputs.Indices(path));
      auto* values = MutableData<int64_t>(outputs.Values(path));
      for (int64_t i = 0; i < batch; ++i) {
        int64_t length = 0;
        for (const int64_t label : first[i]) {
          *indices++ = i;
          *indices++ = length++;
          *values++ = label;
        }
      }
    }
    return kTfLiteOk;
  });
}

constexpr OpDefinition kGreedyOp = {
    kGreedy,
    {InitState<GreedyData>, FreeState<GreedyData>, PrepareGreedy, EvalGreedy}};
constexpr OpDefinition kBeamOp = {
    kBeam, {InitState<BeamData>, FreeState<BeamData>, PrepareBeam, EvalBeam}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(CTCBeamSearchDecoder, kBeamOp)
TFLITE_CUSTOM_DEFINE_OP(CTCGreedyDecoder, kGreedyOp)

}  // namespace tflite::custom::ctc_ops
