// Ops by which a test sees from outside what becomes of a resource, whatever
// its class. They are a library of their own, so that what ships has no op and
// no counter that only tests need.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_base.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/tstring.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::ResourceBase;
using ::tensorflow::ResourceHandle;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::tstring;
using ::tensorflow::core::WeakPtr;
using ::tensorflow::shape_inference::NoOutputs;
using ::tensorflow::shape_inference::ScalarShape;

REGISTER_OP("Testing>WatchResource")
    .Input("resource_handle: resource")
    .SetShapeFn(NoOutputs)
    .Doc(R"doc(
Counts a resource from now on, without keeping it alive.

resource_handle: A handle that owns the resource, a scalar.
)doc");

REGISTER_OP("Testing>LiveResourceCount")
    .Output("count: int64")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Tells how many of the resources that were ever watched are still alive.

count: A scalar.
)doc");

REGISTER_OP("Testing>PublishedResources")
    .Output("count: int64")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Tells how many resources the manager of the device knows by name.

count: A scalar.
)doc");

REGISTER_OP("Testing>ResourceDebugString")
    .Input("resource_handle: resource")
    .Output("text: string")
    .SetShapeFn(ScalarShape)
    .Doc(R"doc(
Reads the `DebugString` of a resource.

resource_handle: A handle that owns the resource, a scalar.
text: A scalar.
)doc");

class WatchedResources {
 public:
  void Add(ResourceBase* resource) {
    absl::MutexLock l(&mu_);
    resources_.emplace_back(resource);
  }

  int64_t CountLive() const {
    absl::MutexLock l(&mu_);
    int64_t count = 0;
    for (const WeakPtr<ResourceBase>& resource : resources_) {
      if (resource.GetNewRef() != nullptr) ++count;
    }
    return count;
  }

 private:
  mutable absl::Mutex mu_;
  std::vector<WeakPtr<ResourceBase>> resources_ ABSL_GUARDED_BY(mu_);
};

WatchedResources& Watched() {
  static WatchedResources watched;
  return watched;
}

absl::Status GetOwned(const Tensor& handle_tensor, ResourceBase** resource) {
  if (handle_tensor.dims() != 0) {
    return absl::InvalidArgumentError("The handle must be a scalar.");
  }
  *resource = handle_tensor.scalar<ResourceHandle>()().resource().get();
  if (*resource == nullptr) {
    return absl::InvalidArgumentError("The handle owns no resource.");
  }
  return absl::OkStatus();
}

class WatchResourceOp : public OpKernel {
 public:
  explicit WatchResourceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    ResourceBase* resource;
    OP_REQUIRES_OK(ctx, GetOwned(ctx->input(0), &resource));
    Watched().Add(resource);
  }
};

class LiveResourceCountOp : public OpKernel {
 public:
  explicit LiveResourceCountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    Tensor* count;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &count));
    count->scalar<int64_t>()() = Watched().CountLive();
  }
};

class PublishedResourcesOp : public OpKernel {
 public:
  explicit PublishedResourcesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    Tensor* count;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &count));
    // The manager tells no number, but has a line for each.
    const std::string text = ctx->resource_manager()->DebugString();
    count->scalar<int64_t>()() =
        std::count(text.begin(), text.end(), '\n') + (text.empty() ? 0 : 1);
  }
};

class ResourceDebugStringOp : public OpKernel {
 public:
  explicit ResourceDebugStringOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    ResourceBase* resource;
    OP_REQUIRES_OK(ctx, GetOwned(ctx->input(0), &resource));
    Tensor* text;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &text));
    text->scalar<tstring>()() = resource->DebugString();
  }
};

REGISTER_KERNEL_BUILDER(Name("Testing>WatchResource").Device(DEVICE_CPU),
                        WatchResourceOp);
REGISTER_KERNEL_BUILDER(Name("Testing>LiveResourceCount").Device(DEVICE_CPU),
                        LiveResourceCountOp);
REGISTER_KERNEL_BUILDER(Name("Testing>PublishedResources").Device(DEVICE_CPU),
                        PublishedResourcesOp);
REGISTER_KERNEL_BUILDER(Name("Testing>ResourceDebugString").Device(DEVICE_CPU),
                        ResourceDebugStringOp);

}  // namespace
}  // namespace custom_op_examples
