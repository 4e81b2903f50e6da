#include <cstdint>

#include "cube/cube.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/util/work_sharder.h"

namespace consumer {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Shard;
using ::tensorflow::Tensor;

template <typename T>
class CubeOp : public OpKernel {
 public:
  explicit CubeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& first = ctx->input(0);

    // Where nobody else needs an input any more, write into its memory.
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, first.shape(), &output));

    const T* x = ctx->input(0).flat<T>().data();
    T* result = output->flat<T>().data();
    const auto& threads = *ctx->device()->tensorflow_cpu_worker_threads();
    Shard(threads.num_threads, threads.workers, first.NumElements(), kCost,
          [=](int64_t begin, int64_t end) {
            Cube(x + begin, end - begin, result + begin);
          });
  }

 private:
  // Cycles an element, by which Shard decides how many threads it is worth.
  static constexpr int64_t kCost = 2;
};

#define REGISTER_KERNEL(type)                                             \
  REGISTER_KERNEL_BUILDER(                                                \
      Name("Consumer>Cube").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      CubeOp<type>);
REGISTER_KERNEL(float)
REGISTER_KERNEL(double)
#undef REGISTER_KERNEL

}  // namespace
}  // namespace consumer
