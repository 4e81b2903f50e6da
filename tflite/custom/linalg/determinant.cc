#include <array>
#include <cmath>

#include "tflite/custom/linalg/determinant_math.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_op.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {
namespace {

struct Determinant {
  static constexpr char kName[] = "MatrixDeterminant";
  static constexpr int kOutputs = 1;
};

struct LogOfDeterminant {
  static constexpr char kName[] = "LogMatrixDeterminant";
  static constexpr int kOutputs = 2;
};

template <typename Op>
struct DeterminantOp : Op {
  static constexpr int kInputs = 1;
  static constexpr bool kComplex = false;
  static constexpr bool kBroadcast = false;
  using Sizes = std::array<MatrixSize, kInputs>;

  struct Options {
    explicit Options(OpOptions& /*options*/) {}
  };

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* input,
                            const Options& /*options*/, const Sizes& sizes) {
    return EnsureSquare(context, Op::kName, input, sizes[0]);
  }

  static std::array<OutputShape, Op::kOutputs> Shapes(
      const Options& /*options*/, const Sizes& /*sizes*/) {
    return {};
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& /*options*/, const Sizes& sizes)
        : solver_(sizes[0].rows) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      const LogDeterminant<T> result = solver_.Solve(inputs[0]);
      if constexpr (Op::kOutputs == 1) {
        *outputs[0] = result.sign * std::exp(result.log_of_absolute);
      } else {
        *outputs[0] = result.sign;
        *outputs[1] = result.log_of_absolute;
      }
      return nullptr;
    }

   private:
    DeterminantSolver<T> solver_;
  };
};

template <typename Op>
constexpr OpDefinition kDefinition = MatrixOp<DeterminantOp<Op>>::Definition();

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(LogMatrixDeterminant, kDefinition<LogOfDeterminant>)
TFLITE_CUSTOM_DEFINE_OP(MatrixDeterminant, kDefinition<Determinant>)

}  // namespace tflite::custom::linalg_ops
