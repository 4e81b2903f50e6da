// The kernel of ops that compute with one matrix of a batch after the other,
// each with a solver that is made in Prepare and takes all its memory there.
#ifndef TFLITE_CUSTOM_LINALG_MATRIX_OP_H_
#define TFLITE_CUSTOM_LINALG_MATRIX_OP_H_

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/linalg/matrices.h"
#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::linalg_ops {

// What comes after the batch dimensions of an output. Of one that `is_unused`,
// which has no elements, that is all of its shape.
struct OutputShape {
  std::vector<int> inner;
  bool is_unused = false;
};

// An Op has:
//   kName, kInputs, kOutputs
//   kComplex: whether it takes complex numbers too
//   kBroadcast: whether the inputs' batch dimensions broadcast
//   Options, which has a constructor that takes an OpOptions&
//   Check(context, options, sizes): whether the inputs' matrices go together;
//     it reports what is wrong
//   Shapes(options, sizes): an OutputShape for each output
//   Solver<T>, with a constructor that takes options and sizes, and
//     Solve(const T* const* inputs, T* const* outputs), which returns null or
//     what is wrong with a matrix; an unused output is null
template <typename Op>
class MatrixOp {
 public:
  static constexpr OpDefinition Definition() {
    return {Op::kName, {InitState<State>, FreeState<State>, Prepare, Eval}};
  }

 private:
  template <typename T>
  using Solver = std::unique_ptr<typename Op::template Solver<T>>;
  using Sizes = std::array<MatrixSize, Op::kInputs>;
  using Solvers = std::conditional_t<
      Op::kComplex,
      std::tuple<Solver<float>, Solver<double>, Solver<std::complex<float>>,
                 Solver<std::complex<double>>>,
      std::tuple<Solver<float>, Solver<double>>>;

  struct State : OpState {
    explicit State(OpOptions& op_options) : options(op_options) {}

    typename Op::Options options;
    std::vector<int> batch;
    // How many matrices further an input is for each batch dimension; 0 where
    // it has one for all.
    std::array<std::vector<int64_t>, Op::kInputs> strides;
    std::array<int64_t, Op::kInputs> input_sizes;
    std::array<int64_t, Op::kOutputs> output_sizes;
    Solvers solvers;  // One of them, of the input's type.
  };

  template <typename F>
  static TfLiteStatus WithType(TfLiteType type, const F& f) {
    if constexpr (Op::kComplex) {
      if (type == kTfLiteComplex64) return f(std::complex<float>());
      if (type == kTfLiteComplex128) return f(std::complex<double>());
    }
    return WithFloat(type, f);
  }

  // Gives the data the batch dimensions of all inputs together.
  static TfLiteStatus PlanBatch(TfLiteOpaqueContext* context,
                                const std::array<Matrices, Op::kInputs>& inputs,
                                State* data) {
    data->batch = inputs[0].batch;
    for (const Matrices& input : inputs) {
      if (!(Op::kBroadcast ? BroadcastBatch(input.batch, &data->batch)
                           : input.batch == data->batch)) {
        return Failure(context,
                       "%s: the inputs' batch dimensions must %s, but are %s "
                       "and %s",
                       Op::kName, Op::kBroadcast ? "broadcast" : "be the same",
                       ShapeString(inputs[0].batch).c_str(),
                       ShapeString(input.batch).c_str());
      }
    }
    const size_t rank = data->batch.size();
    for (int i = 0; i < Op::kInputs; ++i) {
      const std::vector<int>& batch = inputs[i].batch;
      data->strides[i].assign(rank, 0);
      int64_t stride = 1;
      for (size_t d = batch.size(); d-- > 0;) {
        if (batch[d] != 1) {
          data->strides[i][d + rank - batch.size()] = stride;
        }
        stride *= batch[d];
      }
    }
    return kTfLiteOk;
  }

  static TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
    State* data = StateOf<State>(node);
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, Op::kName, data->error));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureArity(context, node, Op::kName, Op::kInputs, Op::kOutputs));
    std::array<Matrices, Op::kInputs> inputs;
    Sizes sizes;
    const TfLiteType type =
        TfLiteOpaqueTensorType(TfLiteOpaqueNodeGetInput(context, node, 0));
    for (int i = 0; i < Op::kInputs; ++i) {
      const TfLiteOpaqueTensor* input =
          TfLiteOpaqueNodeGetInput(context, node, i);
      const char* role = i == 0 ? "input" : "rhs";
      TF_LITE_OPAQUE_ENSURE_STATUS(GetMatrices(context, Op::kName, input,
                                               &inputs[i], role, Op::kComplex));
      if (i > 0) {
        TF_LITE_OPAQUE_ENSURE_STATUS(
            EnsureType(context, Op::kName, role, input, {type}));
      }
      data->input_sizes[i] = inputs[i].size();
      sizes[i] = {inputs[i].rows, inputs[i].cols};
    }
    TF_LITE_OPAQUE_ENSURE_STATUS(
        Op::Check(context, TfLiteOpaqueNodeGetInput(context, node, 0),
                  data->options, sizes));
    TF_LITE_OPAQUE_ENSURE_STATUS(PlanBatch(context, inputs, data));

    const std::array<OutputShape, Op::kOutputs> shapes =
        Op::Shapes(data->options, sizes);
    for (int i = 0; i < Op::kOutputs; ++i) {
      TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureType(context, Op::kName, "output", output, {type}));
      std::vector<int> shape =
          shapes[i].is_unused ? std::vector<int>() : data->batch;
      shape.insert(shape.end(), shapes[i].inner.begin(), shapes[i].inner.end());
      TF_LITE_OPAQUE_ENSURE_STATUS(Resize(context, output, shape));
      data->output_sizes[i] = 1;
      for (const int size : shapes[i].inner) data->output_sizes[i] *= size;
    }

    // Of an empty batch there is nothing to solve, however large its matrices.
    if (Count(data->batch) == 0) sizes.fill({0, 0});
    return WithType(type, [&](auto zero) {
      using T = decltype(zero);
      data->solvers = {};
      try {  // Of Eigen alone: it ends the process where that is not caught.
        std::get<Solver<T>>(data->solvers) =
            std::make_unique<typename Op::template Solver<T>>(data->options,
                                                              sizes);
      } catch (const std::bad_alloc&) {
        return Failure(
            context, "%s: no memory to compute with input of %s", Op::kName,
            ShapeString(TfLiteOpaqueNodeGetInput(context, node, 0)).c_str());
      }
      return kTfLiteOk;
    });
  }

  static int64_t Count(const std::vector<int>& batch) {
    int64_t count = 1;
    for (const int size : batch) count *= size;
    return count;
  }

  static TfLiteStatus Eval(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
    const State& data = *StateOf<State>(node);
    const int64_t count = Count(data.batch);
    const TfLiteOpaqueTensor* first =
        TfLiteOpaqueNodeGetInput(context, node, 0);
    const FlushedDenormals flushed_denormals;
    return WithType(TfLiteOpaqueTensorType(first), [&](auto zero) {
      using T = decltype(zero);
      auto& solver = *std::get<Solver<T>>(data.solvers);
      const T* inputs[Op::kInputs];
      T* outputs[Op::kOutputs];
      for (int64_t at = 0; at < count; ++at) {
        for (int i = 0; i < Op::kInputs; ++i) {
          int64_t matrix = 0, rest = at;
          for (size_t d = data.batch.size(); d-- > 0;) {
            matrix += rest % data.batch[d] * data.strides[i][d];
            rest /= data.batch[d];
          }
          inputs[i] = Data<T>(TfLiteOpaqueNodeGetInput(context, node, i)) +
                      matrix * data.input_sizes[i];
        }
        for (int i = 0; i < Op::kOutputs; ++i) {
          T* output =
              MutableData<T>(TfLiteOpaqueNodeGetOutput(context, node, i));
          outputs[i] =
              output == nullptr ? nullptr : output + at * data.output_sizes[i];
        }
        if (const char* error = solver.Solve(inputs, outputs)) {
          return Failure(context, "%s: %s (matrix %lld of '%s')", Op::kName,
                         error, static_cast<long long>(at),
                         TfLiteOpaqueTensorName(first));
        }
      }
      return kTfLiteOk;
    });
  }
};

}  // namespace tflite::custom::linalg_ops

#endif  // TFLITE_CUSTOM_LINALG_MATRIX_OP_H_
