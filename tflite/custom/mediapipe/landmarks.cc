#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/mediapipe/landmarks_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::mediapipe_ops {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

TfLiteStatus EnsureFloats(TfLiteOpaqueContext* context, const char* op,
                          const char* role, const TfLiteOpaqueTensor* tensor,
                          int rank) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, role, tensor, {kTfLiteFloat32}));
  if (TfLiteOpaqueTensorNumDims(tensor) == rank) return kTfLiteOk;
  return Failure(context, "%s: %s must have rank %d, but are %s", op, role,
                 rank, ShapeString(tensor).c_str());
}

TfLiteStatus EnsureMatrix(TfLiteOpaqueContext* context, const char* op,
                          const TfLiteOpaqueTensor* matrix) {
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "matrix", matrix, {kTfLiteFloat32}));
  if (NumElements(matrix) == 16) return kTfLiteOk;
  return Failure(context, "%s: the matrix must be [1,4,4], not %s", op,
                 ShapeString(matrix).c_str());
}

// Landmarks2TransformMatrix.

// Where a list has too few integers there are zeros.
float SizeAt(const std::vector<int64_t>& values, size_t index) {
  return index < values.size() ? static_cast<float>(values[index]) : 0;
}

struct ToMatrixV1 : OpState {
  static constexpr char kName[] = "Landmarks2TransformMatrix";
  static constexpr int kVersion = 1;
  static constexpr int kRank = 4;
  explicit ToMatrixV1(OpOptions& options) {
    matrix.subset = {options.Int("left_rotation_idx", 0),
                     options.Int("right_rotation_idx", 0),
                     options.Ints("subset", {})};
    // Pairs: one that is left over does not count.
    matrix.subset.all.resize(matrix.subset.all.size() / 2 * 2);
    matrix.landmarks_range =
        static_cast<float>(options.Int("landmarks_range", 0));
    matrix.bbox_size_multiplier = options.Float("bbox_size_multiplier", 0);
    const std::vector<int64_t> input = options.Ints("input_hw", {});
    const std::vector<int64_t> output = options.Ints("output_hw", {});
    matrix.input_height = SizeAt(input, 0);
    matrix.input_width = SizeAt(input, 1);
    matrix.output_height = SizeAt(output, 0);
    matrix.output_width = SizeAt(output, 1);
    dimensions = options.Int("dimensions", 0);
  }
  // What must be above zero, by name.
  std::vector<std::pair<const char*, float>> Positive() const {
    return {{"landmarks_range", matrix.landmarks_range},
            {"bbox_size_multiplier", matrix.bbox_size_multiplier},
            {"input_hw[0]", matrix.input_height},
            {"input_hw[1]", matrix.input_width},
            {"output_hw[0]", matrix.output_height},
            {"output_hw[1]", matrix.output_width}};
  }
  MatrixV1 matrix;
  int64_t dimensions;
};

struct ToMatrixV2 : OpState {
  static constexpr char kName[] = "Landmarks2TransformMatrix";
  static constexpr int kVersion = 2;
  static constexpr int kRank = 3;
  explicit ToMatrixV2(OpOptions& options) {
    matrix.subset = {options.Int("left_rotation_idx", 0),
                     options.Int("right_rotation_idx", 0),
                     options.Ints("subset_idxs", {})};
    matrix.target_rotation_radians =
        options.Float("target_rotation_radians", 0);
    matrix.output_height = static_cast<float>(options.Int("output_height", 0));
    matrix.output_width = static_cast<float>(options.Int("output_width", 0));
    matrix.scale_x = options.Float("scale_x", 0);
    matrix.scale_y = options.Float("scale_y", 0);
  }
  std::vector<std::pair<const char*, float>> Positive() const {
    return {{"output_height", matrix.output_height},
            {"output_width", matrix.output_width},
            {"scale_x", matrix.scale_x},
            {"scale_y", matrix.scale_y}};
  }
  MatrixV2 matrix;
  static constexpr int64_t dimensions = 3;
};

template <typename Op>
TfLiteStatus PrepareToMatrix(TfLiteOpaqueContext* context,
                             TfLiteOpaqueNode* node) {
  const Op* op = StateOf<Op>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, op->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 1, 1));
  const TfLiteOpaqueTensor* landmarks =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFloats(context, Op::kName, "landmarks", landmarks, Op::kRank));
  for (const auto& [name, value] : op->Positive()) {
    if (!(value > 0)) {
      return Failure(context, "%s: %s must be above 0, not %g", Op::kName, name,
                     value);
    }
  }
  if (op->dimensions != 3) {
    return Failure(context, "%s: dimensions must be 3, not %lld", Op::kName,
                   static_cast<long long>(op->dimensions));
  }
  const Subset& subset = op->matrix.subset;
  if (subset.all.empty()) {
    return Failure(context, "%s: the subset of landmarks must not be empty",
                   Op::kName);
  }
  const int64_t count = NumElements(landmarks) / 3;
  std::vector<int64_t> numbers = subset.all;
  numbers.insert(numbers.end(), {subset.left, subset.right});
  for (const int64_t number : numbers) {
    if (number < 0 || number >= count) {
      return Failure(context,
                     "%s: numbers of landmarks must be in [0, %lld), but there "
                     "is %lld",
                     Op::kName, static_cast<long long>(count),
                     static_cast<long long>(number));
    }
  }
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {kTfLiteFloat32}));
  return Resize(context, output, {1, 4, 4});
}

template <typename Op>
TfLiteStatus EvalToMatrix(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  StateOf<Op>(node)
      ->matrix(Data<float>(TfLiteOpaqueNodeGetInput(context, node, 0)))
      .Write(MutableData<float>(TfLiteOpaqueNodeGetOutput(context, node, 0)));
  return kTfLiteOk;
}

// TransformLandmarks.

struct MoveV1 : OpState {
  static constexpr char kName[] = "TransformLandmarks";
  static constexpr int kVersion = 1;
  static constexpr int kRank = 4;
  explicit MoveV1(OpOptions& options)
      : dimensions(options.Int("dimensions", 3)),
        scale(options.Float("scale", 1)) {}
  int64_t Dimensions(const TfLiteOpaqueTensor* /*landmarks*/) const {
    return dimensions;
  }
  int64_t dimensions;
  float scale;
};

// Has no options.
struct MoveV2 : OpState {
  static constexpr char kName[] = "TransformLandmarks";
  static constexpr int kVersion = 2;
  static constexpr int kRank = 3;
  explicit MoveV2(OpOptions& /*options*/) {}
  int64_t Dimensions(const TfLiteOpaqueTensor* landmarks) const {
    return TfLiteOpaqueTensorDim(landmarks, kRank - 1);
  }
  static constexpr float scale = 1;
};

template <typename Op>
TfLiteStatus PrepareMove(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const Op* op = StateOf<Op>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, op->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* landmarks =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFloats(context, Op::kName, "landmarks", landmarks, Op::kRank));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureMatrix(
      context, Op::kName, TfLiteOpaqueNodeGetInput(context, node, 1)));
  const int64_t dimensions = op->Dimensions(landmarks);
  if ((dimensions != 2 && dimensions != 3) ||
      TfLiteOpaqueTensorDim(landmarks, Op::kRank - 1) % dimensions != 0) {
    return Failure(context,
                   "%s: landmarks must have 2 or 3 dimensions, and a last "
                   "dimension that these divide, but have %lld and are %s",
                   Op::kName, static_cast<long long>(dimensions),
                   ShapeString(landmarks).c_str());
  }
  if (op->scale == 0) {
    return Failure(context, "%s: scale must not be 0", Op::kName);
  }
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {kTfLiteFloat32}));
  return Resize(context, output, ShapeOf(landmarks));
}

template <typename Op>
TfLiteStatus EvalMove(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const Op* op = StateOf<Op>(node);
  const TfLiteOpaqueTensor* landmarks =
      TfLiteOpaqueNodeGetInput(context, node, 0);
  const auto dimensions = static_cast<int>(op->Dimensions(landmarks));
  Affine matrix =
      Affine::Read(Data<float>(TfLiteOpaqueNodeGetInput(context, node, 1)));
  matrix.c *= op->scale;
  matrix.f *= op->scale;
  TransformLandmarks(
      NumElements(landmarks) / dimensions, dimensions, matrix,
      Data<float>(landmarks),
      MutableData<float>(TfLiteOpaqueNodeGetOutput(context, node, 0)));
  return kTfLiteOk;
}

// TransformTensorBilinear, whose first version was once TransformTensor.

struct Picture : OpState {
  int64_t height = 0, width = 0;
};

struct PictureV1 : Picture {
  static constexpr char kName[] = "TransformTensorBilinear";
  static constexpr int kVersion = 1;
  // Whether a pixel's coordinates are those of its middle.
  static constexpr bool kMiddles = false;
  explicit PictureV1(OpOptions& options) {
    const std::vector<int64_t> size = options.Ints("output_size", {});
    if (size.size() >= 2) {
      height = size[0];
      width = size[1];
    }
    mode = options.String("mode", "bilinear");
  }
  std::string mode;
};

struct TransformTensor : PictureV1 {
  static constexpr char kName[] = "TransformTensor";
  using PictureV1::PictureV1;
};

struct PictureV2 : Picture {
  static constexpr char kName[] = "TransformTensorBilinear";
  static constexpr int kVersion = 2;
  static constexpr bool kMiddles = true;
  static constexpr char mode[] = "bilinear";
  explicit PictureV2(OpOptions& options) {
    height = options.Int("output_height", 0);
    width = options.Int("output_width", 0);
  }
};

template <typename Op>
TfLiteStatus PreparePicture(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node) {
  const Op* op = StateOf<Op>(node);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, op->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 2, 1));
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFloats(context, Op::kName, "images", images, 4));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureMatrix(
      context, Op::kName, TfLiteOpaqueNodeGetInput(context, node, 1)));
  if (TfLiteOpaqueTensorDim(images, 0) != 1) {
    return Failure(context, "%s: images must be one, but are %s", Op::kName,
                   ShapeString(images).c_str());
  }
  if (std::string(op->mode) != "bilinear") {
    return Failure(context, "%s: mode must be 'bilinear', not '%s'", Op::kName,
                   std::string(op->mode).c_str());
  }
  if (op->height < 1 || op->height > kMost || op->width < 1 ||
      op->width > kMost) {
    return Failure(context,
                   "%s: the output's size must be at least 1 by 1, not "
                   "%lld by %lld",
                   Op::kName, static_cast<long long>(op->height),
                   static_cast<long long>(op->width));
  }
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, Op::kName, "output", output, {kTfLiteFloat32}));
  return Resize(context, output,
                {1, static_cast<int>(op->height), static_cast<int>(op->width),
                 TfLiteOpaqueTensorDim(images, 3)});
}

template <typename Op>
TfLiteStatus EvalPicture(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const Op* op = StateOf<Op>(node);
  const TfLiteOpaqueTensor* images = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  if (NumElements(output) == 0) return kTfLiteOk;
  Affine matrix =
      Affine::Read(Data<float>(TfLiteOpaqueNodeGetInput(context, node, 1)));
  if (Op::kMiddles) {
    matrix.c += matrix.a * 0.5f + matrix.b * 0.5f - 0.5f;
    matrix.f += matrix.d * 0.5f + matrix.e * 0.5f - 0.5f;
  }
  TransformBilinear(TfLiteOpaqueTensorDim(images, 1),
                    TfLiteOpaqueTensorDim(images, 2), op->height, op->width,
                    TfLiteOpaqueTensorDim(images, 3), matrix,
                    Data<float>(images), MutableData<float>(output));
  return kTfLiteOk;
}

template <typename Op>
constexpr OpDefinition kToMatrix = {
    Op::kName,
    {InitState<Op>, FreeState<Op>, PrepareToMatrix<Op>, EvalToMatrix<Op>},
    Op::kVersion};
template <typename Op>
constexpr OpDefinition kMove = {
    Op::kName,
    {InitState<Op>, FreeState<Op>, PrepareMove<Op>, EvalMove<Op>},
    Op::kVersion};
template <typename Op>
constexpr OpDefinition kPicture = {
    Op::kName,
    {InitState<Op>, FreeState<Op>, PreparePicture<Op>, EvalPicture<Op>},
    Op::kVersion};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Landmarks2TransformMatrix, kToMatrix<ToMatrixV1>)
TFLITE_CUSTOM_DEFINE_OP(Landmarks2TransformMatrixV2, kToMatrix<ToMatrixV2>)
TFLITE_CUSTOM_DEFINE_OP(TransformLandmarks, kMove<MoveV1>)
TFLITE_CUSTOM_DEFINE_OP(TransformLandmarksV2, kMove<MoveV2>)
TFLITE_CUSTOM_DEFINE_OP(TransformTensor, kPicture<TransformTensor>)
TFLITE_CUSTOM_DEFINE_OP(TransformTensorBilinear, kPicture<PictureV1>)
TFLITE_CUSTOM_DEFINE_OP(TransformTensorBilinearV2, kPicture<PictureV2>)

}  // namespace tflite::custom::mediapipe_ops
