#include <algorithm>
#include <array>
#include <cstdint>

#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_op.h"
#include "tflite/custom/linalg/svd_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {
namespace {

// Full matrices can be far larger than the input that asks for them, and memory
// that Eigen does not get ends the process.
constexpr int64_t kMostElements = int64_t{1} << 28;

struct SvdOp {
  static constexpr char kName[] = "Svd";
  static constexpr int kInputs = 1;
  static constexpr int kOutputs = 3;
  static constexpr bool kComplex = false;
  static constexpr bool kBroadcast = false;
  using Sizes = std::array<MatrixSize, kInputs>;

  struct Options {
    explicit Options(OpOptions& options)
        : compute_uv(options.Bool("compute_uv", true)),
          full_matrices(options.Bool("full_matrices", false)) {}
    bool compute_uv;
    bool full_matrices;
  };

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* /*input*/,
                            const Options& options, const Sizes& sizes) {
    const int64_t larger = std::max(sizes[0].rows, sizes[0].cols);
    if (!options.compute_uv || !options.full_matrices || larger == 0 ||
        larger <= kMostElements / larger) {
      return kTfLiteOk;
    }
    return Failure(context,
                   "%s: full matrices can have at most %lld elements, but for "
                   "a dimension of %lld they have its square",
                   kName, static_cast<long long>(kMostElements),
                   static_cast<long long>(larger));
  }

  // s, u and v.
  static std::array<OutputShape, kOutputs> Shapes(const Options& options,
                                                  const Sizes& sizes) {
    const MatrixSize size = sizes[0];
    // What TensorFlow's shape function gives outputs that nobody may use.
    const OutputShape none = {{0}, /*is_unused=*/true};
    if (!options.compute_uv) return {{{{size.smaller()}}, none, none}};
    const bool full = options.full_matrices;
    return {{{{size.smaller()}},
             {{size.rows, full ? size.rows : size.smaller()}},
             {{size.cols, full ? size.cols : size.smaller()}}}};
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& options, const Sizes& sizes)
        : solver_(sizes[0].rows, sizes[0].cols, options.compute_uv,
                  options.full_matrices) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      solver_.Solve(inputs[0], outputs[0], outputs[1], outputs[2]);
      return nullptr;
    }

   private:
    SvdSolver<T> solver_;
  };
};

constexpr OpDefinition kOp = MatrixOp<SvdOp>::Definition();

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(Svd, kOp)

}  // namespace tflite::custom::linalg_ops
