#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/lookup_interface.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/batch_of_keys.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_lookup_table.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpInputList;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpOutputList;
using ::tensorflow::ResourceHandle;
using ::tensorflow::core::RefCountPtr;
using ::tensorflow::lookup::LookupInterface;

// Makes a table, or finds the one of its name.
class ShardedHashTableOp : public OpKernel {
 public:
  explicit ShardedHashTableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_dtype", &type_.key_dtype));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_dtype", &type_.value_dtype));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_shape", &type_.key_shape));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_shape", &type_.value_shape));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_shards", &type_.num_shards));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("anonymous", &anonymous_));
    std::string shared_name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shared_name", &shared_name));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_node_name_sharing", &is_named_));
    is_named_ = is_named_ || !shared_name.empty();
    OP_REQUIRES_OK(ctx, type_.Check());
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* output;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &output));
    auto* const handle = &output->scalar<ResourceHandle>()();
    OP_REQUIRES_OK(ctx, CatchBadAlloc([&] {
                     if (anonymous_) return MakeAnonymous(ctx, handle);
                     if (is_named_) return MakeNamed(ctx, handle);
                     absl::MutexLock l(&mu_);
                     if (!kept_.IsRefCounting()) {
                       TF_RETURN_IF_ERROR(MakeAnonymous(ctx, &kept_));
                     }
                     *handle = kept_;
                     return absl::OkStatus();
                   }));
  }

 private:
  std::vector<::tensorflow::DtypeAndPartialTensorShape> Notes() const {
    return {{type_.key_dtype, type_.key_shape},
            {type_.value_dtype, type_.value_shape}};
  }

  // The handle takes over the only reference to the table. Its name leads to it
  // too, for who has the handle serialized, but does not keep it.
  absl::Status MakeAnonymous(OpKernelContext* ctx, ResourceHandle* handle) {
    const auto notes = Notes();
    LookupInterface* table = NewTable(type_);
    *handle = ResourceHandle::MakeRefCountingHandle(
        table, ctx->device()->name(), notes, ctx->stack_trace());
    return ctx->resource_manager()->CreateUnowned<LookupInterface>(
        handle->container(), handle->name(), table);
  }

  // The resource manager keeps the table.
  absl::Status MakeNamed(OpKernelContext* ctx, ResourceHandle* handle) {
    ::tensorflow::ContainerInfo info;
    TF_RETURN_IF_ERROR(info.Init(ctx->resource_manager(), def(),
                                 /*use_node_name_as_default=*/true));
    LookupInterface* table;
    TF_RETURN_IF_ERROR(info.resource_manager()->LookupOrCreate<LookupInterface>(
        info.container(), info.name(), &table, [this](LookupInterface** made) {
          *made = NewTable(type_);
          return absl::OkStatus();
        }));
    const RefCountPtr<LookupInterface> unref(table);
    const auto* ours = dynamic_cast<const ShardedHashTable*>(table);
    if (ours == nullptr || !(ours->type() == type_)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The name '", info.name(), "' is that of another table, ",
          ours == nullptr ? table->DebugString() : ours->type().DebugString(),
          ", and cannot be that of a ", type_.DebugString()));
    }
    *handle = ::tensorflow::MakeResourceHandle<LookupInterface>(
        ctx, info.container(), info.name(), Notes());
    return absl::OkStatus();
  }

  TableType type_;
  bool anonymous_;
  bool is_named_;
  absl::Mutex mu_;
  // The only table that this kernel makes, if it has no name.
  ResourceHandle kept_ ABSL_GUARDED_BY(mu_);
};

// An op on a table of ours, which is input 0.
class TableOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    OP_REQUIRES(ctx,
                ::tensorflow::TensorShapeUtils::IsScalar(ctx->input(0).shape()),
                absl::InvalidArgumentError(
                    absl::StrCat("table_handle must be a scalar. Its shape: ",
                                 ctx->input(0).shape().DebugString())));
    RefCountPtr<LookupInterface> table;
    OP_REQUIRES_OK(
        ctx,
        LookupResource(ctx, ::tensorflow::HandleFromInput(ctx, 0), &table));
    auto* ours = dynamic_cast<ShardedHashTable*>(table.get());
    OP_REQUIRES(ctx, ours != nullptr,
                absl::InvalidArgumentError(absl::StrCat(
                    "The handle must point to a ShardedHashTable, not to ",
                    table->DebugString())));
    OP_REQUIRES_OK(ctx, CatchBadAlloc([&] { return Compute(ctx, ours); }));
  }

 protected:
  virtual absl::Status Compute(OpKernelContext* ctx,
                               ShardedHashTable* table) = 0;
};

// That the outputs of an op are of the types of the table.
absl::Status CheckOutputTypes(OpKernelContext* ctx,
                              const ShardedHashTable& table) {
  const DataType keys = ctx->expected_output_dtype(0);
  const DataType values = ctx->expected_output_dtype(ctx->num_outputs() - 1);
  if (keys == table.key_dtype() && values == table.value_dtype()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("The table is a ", table.type().DebugString(),
                   ". It has no keys of type ", DataTypeString(keys),
                   " with values of type ", DataTypeString(values)));
}

class AccumulateOp : public TableOp {
  using TableOp::TableOp;
  absl::Status Compute(OpKernelContext* ctx, ShardedHashTable* table) override {
    TF_RETURN_IF_ERROR(
        table->CheckKeyAndValueTensorsForInsert(ctx->input(1), ctx->input(2)));
    return table->Accumulate(ctx, ctx->input(1), ctx->input(2));
  }
};

class ClearOp : public TableOp {
  using TableOp::TableOp;
  absl::Status Compute(OpKernelContext*, ShardedHashTable* table) override {
    return table->Clear();
  }
};

class ExportSortedOp : public TableOp {
  using TableOp::TableOp;
  absl::Status Compute(OpKernelContext* ctx, ShardedHashTable* table) override {
    TF_RETURN_IF_ERROR(CheckOutputTypes(ctx, *table));
    Tensor keys, values;
    TF_RETURN_IF_ERROR(table->ExportTo(InThreadPool(ctx), &keys, &values));
    const std::vector<int64_t> order = SortedOrder(keys);
    int output = 0;
    for (Tensor* rows : {&keys, &values}) {
      Tensor* sorted;
      TF_RETURN_IF_ERROR(
          ctx->allocate_output(output++, rows->shape(), &sorted));
      MoveRows(rows, order, sorted);
    }
    return absl::OkStatus();
  }
};

class ExportSlicesOp : public TableOp {
  using TableOp::TableOp;
  absl::Status Compute(OpKernelContext* ctx, ShardedHashTable* table) override {
    TF_RETURN_IF_ERROR(CheckOutputTypes(ctx, *table));
    OpOutputList keys, values;
    TF_RETURN_IF_ERROR(ctx->output_list("keys", &keys));
    TF_RETURN_IF_ERROR(ctx->output_list("values", &values));
    return table->Export(
        keys.size(), InThreadPool(ctx),
        [&](int i, int64_t count, Tensor** keys_out, Tensor** values_out) {
          TF_RETURN_IF_ERROR(keys.allocate(
              i, BatchShape(count, table->key_shape()), keys_out));
          return values.allocate(i, BatchShape(count, table->value_shape()),
                                 values_out);
        });
  }
};

class ImportSlicesOp : public TableOp {
  using TableOp::TableOp;
  absl::Status Compute(OpKernelContext* ctx, ShardedHashTable* table) override {
    OpInputList keys, values;
    TF_RETURN_IF_ERROR(ctx->input_list("keys", &keys));
    TF_RETURN_IF_ERROR(ctx->input_list("values", &values));
    std::vector<std::pair<Tensor, Tensor>> slices;
    for (int i = 0; i < keys.size(); ++i) {
      TF_RETURN_IF_ERROR(
          table->CheckKeyAndValueTensorsForImport(keys[i], values[i]));
      slices.emplace_back(keys[i], values[i]);
    }
    return table->ImportSlices(ctx, slices);
  }
};

#define REGISTER_KERNEL(suffix, kernel) \
  REGISTER_KERNEL_BUILDER(              \
      Name("Examples>ShardedHashTable" suffix).Device(DEVICE_CPU), kernel)

REGISTER_KERNEL("", ShardedHashTableOp);
REGISTER_KERNEL("Accumulate", AccumulateOp);
REGISTER_KERNEL("Clear", ClearOp);
REGISTER_KERNEL("ExportSorted", ExportSortedOp);
REGISTER_KERNEL("ExportSlices", ExportSlicesOp);
REGISTER_KERNEL("ImportSlices", ImportSlicesOp);

#undef REGISTER_KERNEL

}  // namespace
}  // namespace custom_op_examples
