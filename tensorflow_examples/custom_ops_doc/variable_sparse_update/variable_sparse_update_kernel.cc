#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/op_requires.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow_examples/custom_ops_doc/variable_sparse_update/sparse_update.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DataTypeString;
using ::tensorflow::DataTypeToEnum;
using ::tensorflow::DEVICE_CPU;
using ::tensorflow::mutex_lock;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::ResourceHandle;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::TensorShapeUtils;
using ::tensorflow::tstring;
using ::tensorflow::Var;

// A tstring may be a view of bytes that it does not own, which a variable
// outlives.
struct AssignOwned {
  static void Apply(const tstring& update, tstring& element) {
    element = tstring(update.data(), update.size());
  }
};

// Makes the buffer of a variable its own, and has it stay so: from now on,
// what reads the variable gets a copy. The caller holds the variable's lock.
//
// Until then a tensor that was read before may share the buffer, and would
// change with it.
template <typename T>
absl::Status OwnBuffer(OpKernelContext* ctx, Var* variable) {
  if (variable->copy_on_read_mode.load()) return absl::OkStatus();
  Tensor* const tensor = variable->tensor();
  if (!tensor->RefCountIsOne()) {
    Tensor copy;
    TF_RETURN_IF_ERROR(
        ctx->allocate_temp(tensor->dtype(), tensor->shape(), &copy));
    const T* const from = tensor->flat<T>().data();
    std::copy(from, from + tensor->NumElements(), copy.flat<T>().data());
    *tensor = copy;
  }
  variable->copy_on_read_mode.store(true);
  return absl::OkStatus();
}

absl::Status NotInitialized(const ResourceHandle& handle) {
  return absl::FailedPreconditionError(
      absl::StrCat("The variable '", handle.name(),
                   "' is not initialized, or was deleted."));
}

template <typename Operation, typename T, typename Index>
absl::Status UpdateVariable(OpKernelContext* ctx, const ResourceHandle& handle,
                            Var* variable, const Tensor& indices,
                            const Tensor& updates) {
  mutex_lock l(*variable->mu());
  if (!variable->is_initialized) return NotInitialized(handle);
  const TensorShape& shape = variable->tensor()->shape();
  if (variable->tensor()->dtype() != updates.dtype()) {
    return absl::InvalidArgumentError(
        absl::StrCat("updates must be of the variable's type, ",
                     DataTypeString(variable->tensor()->dtype()),
                     ". Their type: ", DataTypeString(updates.dtype())));
  }
  const int64_t depth = indices.dim_size(indices.dims() - 1);
  if (depth < 1 || depth > shape.dims()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The last dimension of indices must be from 1 to the variable's rank, ",
        shape.dims(), ". indices shape: ", indices.shape().DebugString()));
  }

  TensorShape expected = indices.shape();
  expected.RemoveLastDims(1);
  const int64_t count = expected.num_elements();
  int64_t slice_size = 1;
  for (int d = depth; d < shape.dims(); ++d) {
    slice_size *= shape.dim_size(d);
    TF_RETURN_IF_ERROR(expected.AddDimWithStatus(shape.dim_size(d)));
  }
  const bool one_update = TensorShapeUtils::IsScalar(updates.shape());
  if (!one_update && updates.shape() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "updates must be a scalar or have the shape ", expected.DebugString(),
        ". updates shape: ", updates.shape().DebugString()));
  }

  const auto dimensions = shape.dim_sizes();
  const Index* const index_data = indices.flat<Index>().data();
  const int64_t bad =
      FirstBadIndex(index_data, count, depth, dimensions.data());
  if (bad >= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "indices must be within the variable's shape, ", shape.DebugString(),
        ". Index ", bad, " is [",
        absl::StrJoin(absl::MakeSpan(index_data + bad * depth, depth), ","),
        "]"));
  }

  TF_RETURN_IF_ERROR(OwnBuffer<T>(ctx, variable));
  SparseUpdate<Operation>(index_data, count, depth, dimensions.data(),
                          updates.flat<T>().data(), one_update, slice_size,
                          variable->tensor()->flat<T>().data());
  return absl::OkStatus();
}

template <typename T, typename Index>
class VariableSparseUpdateOp : public OpKernel {
 public:
  explicit VariableSparseUpdateOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string operation;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("operation", &operation));
    if (operation == "assign") {
      if constexpr (std::is_same_v<T, tstring>) {
        update_ = UpdateVariable<AssignOwned, T, Index>;
      } else {
        update_ = UpdateVariable<Assign, T, Index>;
      }
      return;
    }
    if constexpr (std::is_same_v<T, tstring> || std::is_same_v<T, bool>) {
      ctx->CtxFailure(absl::InvalidArgumentError(absl::StrCat(
          "operation must be assign for elements of type ",
          DataTypeString(DataTypeToEnum<T>::v()), ". It is: ", operation)));
    } else if (operation == "add") {
      update_ = UpdateVariable<Add, T, Index>;
    } else {
      update_ = UpdateVariable<Multiply, T, Index>;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& handle_tensor = ctx->input(0);
    const Tensor& indices = ctx->input(1);
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(handle_tensor.shape()),
                absl::InvalidArgumentError(
                    absl::StrCat("resource must be a scalar. Its shape: ",
                                 handle_tensor.shape().DebugString())));
    OP_REQUIRES(ctx, indices.dims() > 0,
                absl::InvalidArgumentError(
                    "indices must have at least one dimension, the last, which "
                    "holds coordinates. They are a scalar."));
    const ResourceHandle& handle = handle_tensor.scalar<ResourceHandle>()();
    ::tensorflow::core::RefCountPtr<Var> variable;
    const absl::Status found =
        ::tensorflow::LookupResource(ctx, handle, &variable);
    OP_REQUIRES(ctx, !absl::IsNotFound(found), NotInitialized(handle));
    OP_REQUIRES_OK(ctx, found);
    OP_REQUIRES_OK(
        ctx, update_(ctx, handle, variable.get(), indices, ctx->input(2)));
  }

 private:
  absl::Status (*update_)(OpKernelContext*, const ResourceHandle&, Var*,
                          const Tensor&, const Tensor&) = nullptr;
};

#define REGISTER_KERNEL_OF(type, index_type)                           \
  REGISTER_KERNEL_BUILDER(Name("Examples>VariableSparseUpdate")        \
                              .Device(DEVICE_CPU)                      \
                              .TypeConstraint<type>("T")               \
                              .TypeConstraint<index_type>("Tindices"), \
                          VariableSparseUpdateOp<type, index_type>);
#define REGISTER_KERNEL(type)        \
  REGISTER_KERNEL_OF(type, int32_t); \
  REGISTER_KERNEL_OF(type, int64_t);
TF_CALL_NUMBER_TYPES(REGISTER_KERNEL)
TF_CALL_bool(REGISTER_KERNEL) TF_CALL_tstring(REGISTER_KERNEL)
#undef REGISTER_KERNEL
#undef REGISTER_KERNEL_OF

}  // namespace
}  // namespace custom_op_examples
