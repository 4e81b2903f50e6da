#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex_simd.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Shard;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// The arithmetic only moves elements, so of those of a fixed size the size is
// all that matters, and types of one size share their code: four ways to mix
// scalars with arrays would else be compiled for each type.
template <size_t kSize>
struct FixedSize;
template <>
struct FixedSize<1> {
  using type = uint8_t;
};
template <>
struct FixedSize<2> {
  using type = uint16_t;
};
template <>
struct FixedSize<4> {
  using type = uint32_t;
};
template <>
struct FixedSize<8> {
  using type = uint64_t;
};
template <>
struct FixedSize<16> {
  struct type {
    uint64_t words[2];
  };
};

template <typename T, bool = std::is_trivially_copyable_v<T>>
struct ElementOf {
  using type = T;
};
template <typename T>
struct ElementOf<T, true> : FixedSize<sizeof(T)> {};
template <typename T>
using Element = typename ElementOf<T>::type;

bool IsScalar(const Tensor& tensor) { return tensor.dims() == 0; }

// The elements of a tensor, whose type TensorFlow has seen to already: it chose
// the kernel by it.
template <typename T>
T* Data(const Tensor& tensor) {
  return static_cast<T*>(tensor.data());
}

absl::Status CheckShapes(const Tensor& x, absl::string_view x_name,
                         const Tensor& y, absl::string_view y_name) {
  if (x.shape() == y.shape() || IsScalar(x) || IsScalar(y)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      x_name, " and ", y_name, " must have the same shape or be scalars. ",
      x_name, " shape: ", x.shape().DebugString(), " ", y_name,
      " shape: ", y.shape().DebugString()));
}

// Calls `work` with parts of the elements, on the threads of the device.
template <typename T, typename Work>
void OnThreads(OpKernelContext* ctx, int64_t size, const Work& work) {
  const auto& threads = *ctx->device()->tensorflow_cpu_worker_threads();
  Shard(threads.num_threads, threads.workers, size, kCyclesPerElement<T>, work);
}

template <typename T>
class MultiplexScalarsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& cond = ctx->input(0);
    const Tensor& a = ctx->input(1);
    const Tensor& b = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckShapes(a, "a", b, "b"));
    OP_REQUIRES_OK(ctx, CheckShapes(a, "a", cond, "cond"));
    OP_REQUIRES_OK(ctx, CheckShapes(b, "b", cond, "cond"));
    const TensorShape& shape = !IsScalar(cond) ? cond.shape()
                               : !IsScalar(a)  ? a.shape()
                                               : b.shape();
    if (IsScalar(cond)) {
      const Tensor& chosen = cond.scalar<bool>()() ? a : b;
      if (chosen.shape() == shape) {
        ctx->set_output(0, chosen);
        return;
      }
    }
    // Where nobody else needs `a` or `b` any more, write into its memory.
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({1, 2}, 0, shape, &output));
    if (IsScalar(cond)) {
      Fill(ctx, cond.scalar<bool>()() ? a : b, output);
    } else if (IsScalar(a) && IsScalar(b)) {
      Choose(ctx, cond, Scalar(a), Scalar(b), output);
    } else if (IsScalar(a)) {
      Choose(ctx, cond, Scalar(a), Array(b), output);
    } else if (IsScalar(b)) {
      Choose(ctx, cond, Array(a), Scalar(b), output);
    } else {
      Choose(ctx, cond, Array(a), Array(b), output);
    }
  }

 private:
  static const T* Array(const Tensor& tensor) { return Data<T>(tensor); }
  static Repeated<T> Scalar(const Tensor& tensor) { return {*Array(tensor)}; }

  // `A` and `B` are pointers to T or Repeated<T>.
  template <typename A, typename B>
  static void Choose(OpKernelContext* ctx, const Tensor& cond, A a, B b,
                     Tensor* output) {
    const bool* const cond_data = Data<bool>(cond);
    T* const out = Data<T>(*output);
    const int64_t size = output->NumElements();
    const Store store = StoreFor(size * static_cast<int64_t>(sizeof(T)));
    OnThreads<T>(ctx, size, [=](int64_t begin, int64_t end) {
      MultiplexSimd(cond_data + begin, a + begin, b + begin, end - begin,
                    out + begin, store);
    });
  }

  static void Fill(OpKernelContext* ctx, const Tensor& scalar, Tensor* output) {
    const T& value = *Array(scalar);
    T* const out = Data<T>(*output);
    OnThreads<T>(ctx, output->NumElements(),
                 [&value, out](int64_t begin, int64_t end) {
                   std::fill(out + begin, out + end, value);
                 });
  }
};

#define REGISTER_KERNEL(type)                               \
  REGISTER_KERNEL_BUILDER(Name("Examples>MultiplexScalars") \
                              .Device(DEVICE_CPU)           \
                              .TypeConstraint<type>("T"),   \
                          MultiplexScalarsOp<Element<type>>);
TF_CALL_ALL_TYPES(REGISTER_KERNEL)
#undef REGISTER_KERNEL

}  // namespace
}  // namespace custom_op_examples
