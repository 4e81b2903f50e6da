#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex_simd.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Shard;
using ::tensorflow::Tensor;

absl::Status CheckSameShape(absl::string_view x_name, const Tensor& x,
                            absl::string_view y_name, const Tensor& y) {
  if (x.shape() == y.shape()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(x_name, " and ", y_name, " must have the same shape. ",
                   x_name, " shape: ", x.shape().DebugString(), " ", y_name,
                   " shape: ", y.shape().DebugString()));
}

template <typename T>
class MultiplexDenseOp : public OpKernel {
 public:
  explicit MultiplexDenseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& cond_tensor = ctx->input(0);
    const Tensor& a_tensor = ctx->input(1);
    const Tensor& b_tensor = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckSameShape("a", a_tensor, "b", b_tensor));
    OP_REQUIRES_OK(ctx, CheckSameShape("a", a_tensor, "cond", cond_tensor));

    // Where nobody else needs `a` or `b` any more, write into its memory.
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {1, 2}, 0, a_tensor.shape(), &output));

    const bool* const cond = cond_tensor.flat<bool>().data();
    const T* const a = a_tensor.flat<T>().data();
    const T* const b = b_tensor.flat<T>().data();
    T* const out = output->flat<T>().data();
    const int64_t size = output->NumElements();
    const Store store = StoreFor(size * static_cast<int64_t>(sizeof(T)));
    const auto& threads = *ctx->device()->tensorflow_cpu_worker_threads();
    Shard(threads.num_threads, threads.workers, size, kCyclesPerElement<T>,
          [=](int64_t begin, int64_t end) {
            MultiplexSimd(cond + begin, a + begin, b + begin, end - begin,
                          out + begin, store);
          });
  }
};

#define REGISTER_KERNEL(type)                             \
  REGISTER_KERNEL_BUILDER(Name("Examples>MultiplexDense") \
                              .Device(DEVICE_CPU)         \
                              .TypeConstraint<type>("T"), \
                          MultiplexDenseOp<type>);
TF_CALL_ALL_TYPES(REGISTER_KERNEL)
#undef REGISTER_KERNEL

}  // namespace
}  // namespace custom_op_examples
