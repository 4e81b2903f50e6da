// MatMul and BatchMatMul, which the converter leaves over for complex numbers.

#include <array>

#include "tflite/custom/linalg/eigen_matrix.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/linalg/matrix_op.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::linalg_ops {
namespace {

// How a matrix is taken.
enum class As { kIs, kTransposed, kAdjoint };

template <typename Op>
struct ProductOp : Op {
  static constexpr int kInputs = 2;
  static constexpr int kOutputs = 1;
  static constexpr bool kComplex = true;
  static constexpr bool kBroadcast = true;
  using Sizes = std::array<MatrixSize, kInputs>;

  struct Options {
    explicit Options(OpOptions& options)
        : a(Take(options, "adj_x", "transpose_a")),
          b(Take(options, "adj_y", "transpose_b")) {}

    static As Take(OpOptions& options, const char* adjoint,
                   const char* transposed) {
      return options.Bool(adjoint, false)      ? As::kAdjoint
             : options.Bool(transposed, false) ? As::kTransposed
                                               : As::kIs;
    }

    As a;
    As b;
  };

  // Both as they are taken.
  static Sizes Taken(const Options& options, const Sizes& sizes) {
    const auto take = [](MatrixSize size, As as) {
      return as == As::kIs ? size : MatrixSize{size.cols, size.rows};
    };
    return {take(sizes[0], options.a), take(sizes[1], options.b)};
  }

  static TfLiteStatus Check(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueTensor* /*input*/,
                            const Options& options, const Sizes& sizes) {
    const Sizes taken = Taken(options, sizes);
    if (taken[0].cols == taken[1].rows) return kTfLiteOk;
    return Failure(context,
                   "%s: the first matrix must have as many columns as the "
                   "second has rows, not %d and %d",
                   Op::kName, taken[0].cols, taken[1].rows);
  }

  static std::array<OutputShape, kOutputs> Shapes(const Options& options,
                                                  const Sizes& sizes) {
    const Sizes taken = Taken(options, sizes);
    return {{{{taken[0].rows, taken[1].cols}}}};
  }

  template <typename T>
  class Solver {
   public:
    Solver(const Options& options, const Sizes& sizes)
        : options_(options), sizes_(sizes) {}

    const char* Solve(const T* const* inputs, T* const* outputs) {
      const Sizes taken = Taken(options_, sizes_);
      Eigen::Map<RowMatrix<T>> product(outputs[0], taken[0].rows,
                                       taken[1].cols);
      With(0, inputs, options_.a, [&](const auto& a) {
        With(1, inputs, options_.b,
             [&](const auto& b) { product.noalias() = a * b; });
      });
      return nullptr;
    }

   private:
    template <typename F>
    void With(int i, const T* const* inputs, As as, const F& f) {
      const Eigen::Map<const RowMatrix<T>> matrix(inputs[i], sizes_[i].rows,
                                                  sizes_[i].cols);
      if (as == As::kIs) {
        f(matrix);
      } else if (as == As::kTransposed) {
        f(matrix.transpose());
      } else {
        f(matrix.adjoint());
      }
    }

    Options options_;
    Sizes sizes_;
  };
};

struct MatMulName {
  static constexpr char kName[] = "MatMul";
};
struct BatchMatMulName {
  static constexpr char kName[] = "BatchMatMul";
};
struct BatchMatMulV2Name {
  static constexpr char kName[] = "BatchMatMulV2";
};
struct BatchMatMulV3Name {
  static constexpr char kName[] = "BatchMatMulV3";
};

template <typename Name>
constexpr OpDefinition kProduct = MatrixOp<ProductOp<Name>>::Definition();

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(BatchMatMul, kProduct<BatchMatMulName>)
TFLITE_CUSTOM_DEFINE_OP(BatchMatMulV2, kProduct<BatchMatMulV2Name>)
TFLITE_CUSTOM_DEFINE_OP(BatchMatMulV3, kProduct<BatchMatMulV3Name>)
TFLITE_CUSTOM_DEFINE_OP(MatMul, kProduct<MatMulName>)

}  // namespace tflite::custom::linalg_ops
