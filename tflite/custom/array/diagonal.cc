// Ops between a tensor and the diagonal of one.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::array_ops {
namespace {

// An op is its name, which shapes its input may have, whether the output has as
// many elements as the square of the input, and the output's shape.

struct DiagOp {
  static constexpr char kName[] = "Diag";
  static constexpr char kWanted[] = "have rank 1 or more";
  static constexpr bool kSquares = true;
  static bool Takes(const std::vector<int>& shape) { return !shape.empty(); }
  static std::vector<int> OutputShape(std::vector<int> shape) {
    shape.insert(shape.end(), shape.begin(), shape.end());
    return shape;
  }
};

struct DiagPartOp {
  static constexpr char kName[] = "DiagPart";
  static constexpr char kWanted[] =
      "have a rank that is not 0, and a shape whose second half is the first";
  static constexpr bool kSquares = false;
  static bool Takes(const std::vector<int>& shape) {
    const size_t half = shape.size() / 2;
    return half > 0 && shape.size() % 2 == 0 &&
           std::equal(shape.begin(), shape.begin() + half,
                      shape.begin() + half);
  }
  static std::vector<int> OutputShape(std::vector<int> shape) {
    shape.resize(shape.size() / 2);
    return shape;
  }
};

struct MatrixDiagPartOp {
  static constexpr char kName[] = "MatrixDiagPart";
  static constexpr char kWanted[] = "have rank 2 or more";
  static constexpr bool kSquares = false;
  static bool Takes(const std::vector<int>& shape) { return shape.size() >= 2; }
  static std::vector<int> OutputShape(std::vector<int> shape) {
    const int cols = shape.back();
    shape.pop_back();
    shape.back() = std::min(shape.back(), cols);
    return shape;
  }
};

// The output can be far larger than the input that asks for it.
constexpr int64_t kMostElements = int64_t{1} << 28;

template <typename Op>
TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureArity(context, node, Op::kName, 1, 1));
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureFixedSize(context, Op::kName, "input", input));
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, Op::kName, "output", output,
                                          {TfLiteOpaqueTensorType(input)}));
  const std::vector<int> shape = ShapeOf(input);
  if (!Op::Takes(shape)) {
    return Failure(context, "%s: input must %s, but is %s", Op::kName,
                   Op::kWanted, ShapeString(input).c_str());
  }
  const int64_t size = NumElements(input);
  if (Op::kSquares && size > 0 && size > kMostElements / size) {
    return Failure(context,
                   "%s: the output can have at most %lld elements, but for an "
                   "input of %lld it has their square",
                   Op::kName, static_cast<long long>(kMostElements),
                   static_cast<long long>(size));
  }
  return Resize(context, output, Op::OutputShape(shape));
}

TfLiteStatus EvalDiag(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const int64_t size = NumElements(input);
  WithElementOf(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    T* y = MutableData<T>(output);
    std::fill(y, y + size * size, zero);
    for (int64_t i = 0; i < size; ++i) y[i * (size + 1)] = Data<T>(input)[i];
  });
  return kTfLiteOk;
}

// Matrices of `rows` by `cols`, to their diagonals.
void CopyDiagonals(const TfLiteOpaqueTensor* input, int64_t rows, int64_t cols,
                   TfLiteOpaqueTensor* output) {
  const int64_t size = std::min(rows, cols);
  const int64_t count = size == 0 ? 0 : NumElements(output) / size;
  WithElementOf(TfLiteOpaqueTensorType(input), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = 0; i < size; ++i) {
        MutableData<T>(output)[k * size + i] =
            Data<T>(input)[k * rows * cols + i * (cols + 1)];
      }
    }
  });
}

TfLiteStatus EvalDiagPart(TfLiteOpaqueContext* context,
                          TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  CopyDiagonals(input, NumElements(output), NumElements(output), output);
  return kTfLiteOk;
}

TfLiteStatus EvalMatrixDiagPart(TfLiteOpaqueContext* context,
                                TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int rank = TfLiteOpaqueTensorNumDims(input);
  CopyDiagonals(input, TfLiteOpaqueTensorDim(input, rank - 2),
                TfLiteOpaqueTensorDim(input, rank - 1),
                TfLiteOpaqueNodeGetOutput(context, node, 0));
  return kTfLiteOk;
}

template <typename Op,
          TfLiteStatus (*eval)(TfLiteOpaqueContext*, TfLiteOpaqueNode*)>
constexpr OpDefinition kDefinition = {
    Op::kName, {/*init=*/nullptr, /*free=*/nullptr, Prepare<Op>, eval}};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Diag, kDefinition<DiagOp, EvalDiag>)
TFLITE_CUSTOM_DEFINE_OP(DiagPart, kDefinition<DiagPartOp, EvalDiagPart>)
TFLITE_CUSTOM_DEFINE_OP(MatrixDiagPart,
                        kDefinition<MatrixDiagPartOp, EvalMatrixDiagPart>)

}  // namespace tflite::custom::array_ops
