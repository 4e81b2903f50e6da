// MatrixInverse, MatrixSolve and MatrixTriangularSolve.

#include <array>

#include "tflite/custom/linalg/linear_solve_math.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_inverse_math.h"
#include "tflite/custom/linalg/matrix_op.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {
namespace {

constexpr char kNotInvertible[] = "Input is not invertible.";

struct Inverse {
  static constexpr char kName[] = "MatrixInverse";
  static constexpr int kInputs = 1;
  static constexpr int kOutputs = 1;
  static constexpr bool kComplex = true;
  static constexpr bool kBroadcast = false;
  using Sizes = std::array<MatrixSize, kInputs>;

  struct Options {
    explicit Options(OpOptions& options)
        : adjoint(options.Bool("adjoint", false)) {}
    bool adjoint;
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
    Solver(const Options& options, const Sizes& sizes)
        : adjoint_(options.adjoint), inverter_(sizes[0].rows) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      return inverter_.Invert(inputs[0], adjoint_, outputs[0]) ? nullptr
                                                               : kNotInvertible;
    }

   private:
    bool adjoint_;
    MatrixInverter<T> inverter_;
  };
};

// Of a matrix and right sides.
struct SolveOp {
  static constexpr int kInputs = 2;
  static constexpr int kOutputs = 1;
  static constexpr bool kComplex = true;
  using Sizes = std::array<MatrixSize, kInputs>;

  struct Options {
    explicit Options(OpOptions& options)
        : adjoint(options.Bool("adjoint", false)),
          lower(options.Bool("lower", true)) {}
    bool adjoint;
    bool lower;  // Of MatrixTriangularSolve.
  };

  static TfLiteStatus CheckSizes(TfLiteOpaqueContext* context, const char* op,
                                 const TfLiteOpaqueTensor* input,
                                 const Sizes& sizes) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSquare(context, op, input, sizes[0]));
    if (sizes[0].rows == sizes[1].rows) return kTfLiteOk;
    return Failure(context,
                   "%s: rhs must have as many rows as input, but has %d for %d",
                   op, sizes[1].rows, sizes[0].rows);
  }

  static std::array<OutputShape, kOutputs> Shapes(const Options& /*options*/,
                                                  const Sizes& sizes) {
    return {{{{sizes[1].rows, sizes[1].cols}}}};
  }
};

struct Solve : SolveOp {
  static constexpr char kName[] = "MatrixSolve";
  static constexpr bool kBroadcast = false;

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* input,
                            const Options& /*options*/, const Sizes& sizes) {
    return CheckSizes(context, kName, input, sizes);
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& options, const Sizes& sizes)
        : adjoint_(options.adjoint), solver_(sizes[0].rows, sizes[1].cols) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      return solver_.Solve(inputs[0], adjoint_, inputs[1], outputs[0])
                 ? nullptr
                 : kNotInvertible;
    }

   private:
    bool adjoint_;
    LinearSolver<T> solver_;
  };
};

struct TriangularSolve : SolveOp {
  static constexpr char kName[] = "MatrixTriangularSolve";
  static constexpr bool kBroadcast = true;

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* input,
                            const Options& /*options*/, const Sizes& sizes) {
    return CheckSizes(context, kName, input, sizes);
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& options, const Sizes& sizes)
        : options_(options), size_(sizes[1]) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      SolveTriangular(size_.rows, size_.cols, inputs[0], options_.lower,
                      options_.adjoint, inputs[1], outputs[0]);
      return nullptr;
    }

   private:
    Options options_;
    MatrixSize size_;
  };
};

constexpr OpDefinition kInverse = MatrixOp<Inverse>::Definition();
constexpr OpDefinition kSolve = MatrixOp<Solve>::Definition();
constexpr OpDefinition kTriangularSolve =
    MatrixOp<TriangularSolve>::Definition();

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(MatrixInverse, kInverse)
TFLITE_CUSTOM_DEFINE_OP(MatrixSolve, kSolve)
TFLITE_CUSTOM_DEFINE_OP(MatrixTriangularSolve, kTriangularSolve)

}  // namespace tflite::custom::linalg_ops
