#include "tflite/custom/farthest_point_sample/farthest_point_sample.h"

#include <cstdint>
#include <vector>

#include "tflite/custom/farthest_point_sample/farthest_point_sample_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace custom_op_examples {
namespace {

using ::tflite::custom::Data;
using ::tflite::custom::EnsureArity;
using ::tflite::custom::EnsureType;
using ::tflite::custom::EnsureValid;
using ::tflite::custom::Failure;
using ::tflite::custom::MutableData;
using ::tflite::custom::OpDefinition;
using ::tflite::custom::OpOptions;
using ::tflite::custom::OpState;
using ::tflite::custom::Resize;
using ::tflite::custom::ShapeOf;
using ::tflite::custom::ShapeString;
using ::tflite::custom::StateOf;

constexpr char kName[] = "FarthestPointSample";

struct State : OpState {
  explicit State(OpOptions& options)
      : num_samples(options.Int("num_samples", 0)) {}

  const int64_t num_samples;
  std::vector<float> distances;
};

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, kName, 1, 1));
  const TfLiteOpaqueTensor* points = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* chosen = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "points", points, {kTfLiteFloat32}));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, kName, "output", chosen, {kTfLiteInt32}));
  State* state = StateOf<State>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, kName, state->error));
  const std::vector<int> shape = ShapeOf(points);
  if (shape.size() != 3 || shape[2] != 3 || shape[1] == 0) {
    return Failure(context, "%s: points must be [batch, 1 or more, 3], not %s",
                   kName, ShapeString(points).c_str());
  }
  if (state->num_samples < 1 || state->num_samples > shape[1]) {
    return Failure(context,
                   "%s: num_samples must be 1 to %d, the number of points, not "
                   "%lld",
                   kName, shape[1], static_cast<long long>(state->num_samples));
  }
  // Room for one cloud of points, for every run to come.
  state->distances.resize(shape[1]);
  return Resize(context, chosen,
                {shape[0], static_cast<int>(state->num_samples)});
}

TfLiteStatus Eval(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* points = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* chosen = TfLiteOpaqueNodeGetOutput(context, node, 0);
  State* state = StateOf<State>(node);
  const int batch = TfLiteOpaqueTensorDim(points, 0);
  const int64_t num_points = TfLiteOpaqueTensorDim(points, 1);
  for (int i = 0; i < batch; ++i) {
    FarthestPointSample(Data<float>(points) + i * num_points * 3, num_points,
                        state->num_samples, state->distances.data(),
                        MutableData<int32_t>(chosen) + i * state->num_samples);
  }
  return kTfLiteOk;
}

constexpr OpDefinition kOp = {
    kName,
    {::tflite::custom::InitState<State>, ::tflite::custom::FreeState<State>,
     Prepare, Eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(FarthestPointSample, kOp)

}  // namespace custom_op_examples
