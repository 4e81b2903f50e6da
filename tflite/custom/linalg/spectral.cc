// MatrixSquareRoot and SelfAdjointEigV2.

#include <array>

#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_op.h"
#include "tflite/custom/linalg/matrix_square_root_math.h"
#include "tflite/custom/linalg/self_adjoint_eig_math.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {
namespace {

struct SpectralOp {
  static constexpr int kInputs = 1;
  static constexpr bool kComplex = true;
  static constexpr bool kBroadcast = false;
  using Sizes = std::array<MatrixSize, kInputs>;
};

struct SquareRoot : SpectralOp {
  static constexpr char kName[] = "MatrixSquareRoot";
  static constexpr int kOutputs = 1;

  struct Options {
    explicit Options(OpOptions& /*options*/) {}
  };

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* input,
                            const Options& /*options*/, const Sizes& sizes) {
    return EnsureSquare(context, kName, input, sizes[0]);
  }

  static std::array<OutputShape, kOutputs> Shapes(const Options& /*options*/,
                                                  const Sizes& sizes) {
    return {{{{sizes[0].rows, sizes[0].cols}}}};
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& /*options*/, const Sizes& sizes)
        : solver_(sizes[0].rows) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      solver_.Solve(inputs[0], outputs[0]);
      return nullptr;
    }

   private:
    MatrixSquareRootSolver<T> solver_;
  };
};

struct Eig : SpectralOp {
  static constexpr char kName[] = "SelfAdjointEigV2";
  static constexpr int kOutputs = 2;

  struct Options {
    explicit Options(OpOptions& options)
        : compute_v(options.Bool("compute_v", true)) {}
    bool compute_v;
  };

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* input,
                            const Options& /*options*/, const Sizes& sizes) {
    return EnsureSquare(context, kName, input, sizes[0]);
  }

  static std::array<OutputShape, kOutputs> Shapes(const Options& options,
                                                  const Sizes& sizes) {
    const int n = sizes[0].rows;
    if (options.compute_v) return {{{{n}}, {{n, n}}}};
    return {{{{n}}, {{0}, /*is_unused=*/true}}};
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& options, const Sizes& sizes)
        : compute_v_(options.compute_v), solver_(sizes[0].rows) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      return solver_.Solve(inputs[0], outputs[0],
                           compute_v_ ? outputs[1] : nullptr)
                 ? nullptr
                 : "Self-adjoint eigen decomposition was not successful. The "
                   "input might not be valid.";
    }

   private:
    bool compute_v_;
    SelfAdjointEig<T> solver_;
  };
};

constexpr OpDefinition kSquareRoot = MatrixOp<SquareRoot>::Definition();
constexpr OpDefinition kEig = MatrixOp<Eig>::Definition();

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(MatrixSquareRoot, kSquareRoot)
TFLITE_CUSTOM_DEFINE_OP(SelfAdjointEigV2, kEig)

}  // namespace tflite::custom::linalg_ops
