// What kernels do with memory: none is taken in Invoke, and all is given back.

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/custom_ops.h"
#include "tflite/custom/register.h"
#include "tflite/custom/testdata/allocation_counter.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

using Model = std::unique_ptr<TfLiteModel, decltype(&TfLiteModelDelete)>;
using Interpreter =
    std::unique_ptr<TfLiteInterpreter, decltype(&TfLiteInterpreterDelete)>;

Model LoadModel(const std::string& name) {
  const std::string path = "tflite/custom/testdata/" + name + ".tflite";
  return Model(TfLiteModelCreateFromFile(path.c_str()), TfLiteModelDelete);
}

Interpreter NewInterpreter(const TfLiteModel* model,
                           TfLiteRegistrationExternal* op = nullptr) {
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  // What a broken model is refused with is not of interest here.
  TfLiteInterpreterOptionsSetErrorReporter(
      options, [](void*, const char*, va_list) {}, nullptr);
  if (op == nullptr) {
    RegisterCustomOps(options);
  } else {
    TfLiteInterpreterOptionsAddOperator(options, op);
  }
  Interpreter interpreter(TfLiteInterpreterCreate(model, options),
                          TfLiteInterpreterDelete);
  TfLiteInterpreterOptionsDelete(options);
  return interpreter;
}

// Numbers that a matrix of them is positive definite with: the last dimension
// on the diagonal, small ones elsewhere.
template <typename T>
void FillFloats(TfLiteTensor* tensor) {
  const size_t count = TfLiteTensorByteSize(tensor) / sizeof(T);
  const int rank = TfLiteTensorNumDims(tensor);
  const size_t n = rank == 0 ? 1 : TfLiteTensorDim(tensor, rank - 1);
  T* data = static_cast<T*>(TfLiteTensorData(tensor));
  for (size_t i = 0; i < count; ++i) {
    const bool diagonal = i % (n * n) % (n + 1) == 0;
    data[i] = diagonal ? T(n) : T(static_cast<int>(i * 7 % 11) - 5) / 10;
  }
}

void Fill(TfLiteTensor* tensor) {
  switch (TfLiteTensorType(tensor)) {
    case kTfLiteFloat32:
      return FillFloats<float>(tensor);
    case kTfLiteFloat64:
      return FillFloats<double>(tensor);
    default:  // Small numbers, and flags.
      std::memset(TfLiteTensorData(tensor), 0, TfLiteTensorByteSize(tensor));
  }
}

void FillInputs(TfLiteInterpreter* interpreter) {
  for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(interpreter); ++i) {
    Fill(TfLiteInterpreterGetInputTensor(interpreter, i));
  }
}

class KernelMemoryTest : public testing::TestWithParam<const char*> {};

TEST_P(KernelMemoryTest, InvokeAllocatesNothing) {
  const Model model = LoadModel(GetParam());
  ASSERT_NE(model, nullptr);
  const Interpreter interpreter = NewInterpreter(model.get());
  ASSERT_NE(interpreter, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter.get()), kTfLiteOk);
  FillInputs(interpreter.get());
  for (int run = 0; run < 3; ++run) {
    const AllocationCounts before = CountAllocations();
    const TfLiteStatus status = TfLiteInterpreterInvoke(interpreter.get());
    const AllocationCounts after = CountAllocations();
    ASSERT_EQ(status, kTfLiteOk);
    EXPECT_EQ(after.allocated - before.allocated, 0) << "in run " << run;
    EXPECT_EQ(after.freed - before.freed, 0) << "in run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, KernelMemoryTest,
    testing::Values(
        "accumulate_n", "adjust_contrast", "adjust_hue", "approximate_equal",
        "atan_int8", "avg_pool_3d", "cholesky", "cholesky_large",
        "clip_by_value", "complex_mat_mul", "complex_roll", "complex_sum",
        "conjugate_transpose", "conv_2d", "crop_and_resize", "cross", "cumprod",
        "cumulative_logsumexp", "dense_bincount", "euclidean_norm",
        "extract_image_patches", "fake_quant_gradient", "fft3d", "fft_10007",
        "fft_30030", "fft_512", "fft_inverse_real", "fft_real", "fft_real_cut",
        "histogram_fixed_width", "landmarks_to_transform_matrix",
        "leaky_relu_grad", "lin_space", "log_matrix_determinant",
        "matrix_determinant_large", "matrix_inverse", "matrix_inverse_large",
        "matrix_solve", "matrix_triangular_solve", "max_pool_with_argmax",
        "multiplex_dense", "nth_element", "qr", "qr_large",
        "quantize_and_dequantize", "resize_area", "segment_max", "segment_mean",
        "self_adjoint_eig", "sparse_bincount", "sparse_reduce_sum",
        "sparse_segment_mean", "sparse_segment_mean_grad", "svd", "svd_large",
        "svd_tall", "svd_values", "svd_wide", "tensor_scatter_max",
        "transposed_convolution"),
    [](const auto& info) { return std::string(info.param); });

TEST(AllocationCounterTest, CountsEveryWayToTheHeap) {
  const AllocationCounts before = CountAllocations();
  int* volatile one = new int;
  delete one;
  void* volatile two = malloc(3);
  free(two);
  void* volatile three = aligned_alloc(64, 64);
  free(three);
  TfLiteIntArrayFree(TfLiteIntArrayCreate(3));  // In another library.
  const AllocationCounts after = CountAllocations();
  EXPECT_EQ(after.allocated - before.allocated, 4);
  EXPECT_EQ(after.freed - before.freed, 4);
}

// A cycle of a model's life; whether it could run.
bool Live(const TfLiteModel* model) {
  const Interpreter interpreter = NewInterpreter(model);
  if (TfLiteInterpreterAllocateTensors(interpreter.get()) != kTfLiteOk) {
    return false;
  }
  FillInputs(interpreter.get());
  return TfLiteInterpreterInvoke(interpreter.get()) == kTfLiteOk;
}

// The address sanitizer's build, with its leak detector, looks at this test
// too; what is left here holds in every build.
TEST(KernelLifeTest, AThousandLivesLeaveNothingBehind) {
  constexpr int kLives = 1000;
  constexpr int kWarmUp = 10;
  for (const char* name : {"cholesky",
                           "conjugate_transpose",
                           "cross",
                           "cumulative_logsumexp",
                           "dense_bincount",
                           "euclidean_norm",
                           "fft_real_cut",
                           "histogram_fixed_width",
                           "leaky_relu_grad",
                           "log_matrix_determinant",
                           "matrix_inverse",
                           "multiplex_dense",
                           "nth_element",
                           "qr",
                           "quantize_and_dequantize",
                           "segment_mean",
                           "sparse_reduce_sum",
                           "sparse_segment_mean_grad",
                           "svd",
                           "tensor_scatter_max",
                           "broken_qr",
                           "broken_svd"}) {
    const Model model = LoadModel(name);
    ASSERT_NE(model, nullptr) << name;
    const bool runs = std::strncmp(name, "broken", 6) != 0;
    int64_t left = 0;
    for (int life = 0; life < kLives; ++life) {
      ASSERT_EQ(Live(model.get()), runs) << name;
      const AllocationCounts counts = CountAllocations();
      if (life < kWarmUp) left = counts.allocated - counts.freed;
      ASSERT_EQ(counts.allocated - counts.freed, left) << name << ' ' << life;
    }
  }
}

// Qr, with its Init and Free counted.
int inits = 0;
int frees = 0;

TfLiteRegistrationExternal* NewCountedQr() {
  const TfLiteRegistration* qr = linalg_ops::QrOpRegistration();
  TfLiteRegistrationExternal* op =
      TfLiteRegistrationExternalCreate(kTfLiteBuiltinCustom, "Qr", 1);
  TfLiteRegistrationExternalSetInit(op, [](TfLiteOpaqueContext* context,
                                           const char* buffer, size_t length) {
    ++inits;
    const auto init =
        reinterpret_cast<void* (*)(TfLiteOpaqueContext*, const char*, size_t)>(
            linalg_ops::QrOpRegistration()->init);
    return init(context, buffer, length);
  });
  TfLiteRegistrationExternalSetFree(
      op, [](TfLiteOpaqueContext* context, void* data) {
        ++frees;
        const auto free_data =
            reinterpret_cast<void (*)(TfLiteOpaqueContext*, void*)>(
                linalg_ops::QrOpRegistration()->free);
        free_data(context, data);
      });
  TfLiteRegistrationExternalSetPrepare(
      op, reinterpret_cast<TfLiteStatus (*)(TfLiteOpaqueContext*,
                                            TfLiteOpaqueNode*)>(qr->prepare));
  TfLiteRegistrationExternalSetInvoke(
      op, reinterpret_cast<TfLiteStatus (*)(TfLiteOpaqueContext*,
                                            TfLiteOpaqueNode*)>(qr->invoke));
  return op;
}

TEST(KernelLifeTest, EveryInitHasItsFree) {
  TfLiteRegistrationExternal* op = NewCountedQr();
  for (const char* name : {"qr", "broken_qr"}) {
    const Model model = LoadModel(name);
    inits = frees = 0;
    for (int life = 1; life <= 3; ++life) {
      {
        const Interpreter interpreter = NewInterpreter(model.get(), op);
        TfLiteInterpreterAllocateTensors(interpreter.get());
        EXPECT_EQ(inits, life);
        EXPECT_EQ(frees, life - 1);
      }
      EXPECT_EQ(frees, life);
    }
  }
  TfLiteRegistrationExternalDelete(op);
}

// Temporaries that are added once more with each Prepare would add up.
TEST(KernelLifeTest, PreparingAgainAddsNoTemporaries) {
  const Model model = LoadModel("qr");
  const Interpreter interpreter = NewInterpreter(model.get());
  int64_t left = 0;
  for (int round = 0; round < 100; ++round) {
    const int shape[] = {1, 2 + round % 5, 4};
    ASSERT_EQ(
        TfLiteInterpreterResizeInputTensor(interpreter.get(), 0, shape, 3),
        kTfLiteOk);
    ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter.get()), kTfLiteOk);
    FillInputs(interpreter.get());
    ASSERT_EQ(TfLiteInterpreterInvoke(interpreter.get()), kTfLiteOk);
    const AllocationCounts counts = CountAllocations();
    if (round < 10) left = counts.allocated - counts.freed;
    ASSERT_EQ(counts.allocated - counts.freed, left) << round;
  }
}

}  // namespace
}  // namespace tflite::custom
