#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_base.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/graph/graph_def_builder.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/platform/tstring.h"

namespace custom_op_examples {

using ::tensorflow::AllocatorAttributes;
using ::tensorflow::DataType;
using ::tensorflow::DataTypeString;
using ::tensorflow::DataTypeToEnum;
using ::tensorflow::DEVICE_CPU;
using ::tensorflow::DT_RESOURCE;
using ::tensorflow::DtypeAndPartialTensorShape;
using ::tensorflow::GraphDefBuilder;
using ::tensorflow::Node;
using ::tensorflow::NodeBuilder;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::ResourceHandle;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::TensorShapeUtils;
using ::tensorflow::tstring;
using ::tensorflow::core::RefCountPtr;

namespace ops = ::tensorflow::ops;

namespace {

// A tstring may be a view of bytes that it does not own, and a copy of it is
// then a view as well. A table outlives the tensors that fill it, and a result
// outlives its default, so both have to own their bytes.
tstring Owned(const tstring& s) { return tstring(s.data(), s.size()); }

template <class T>
T Owned(const T& number) {
  return number;
}

// What a table holds of a value. A string may be long, so what is read of it
// under the lock is a pointer: its bytes are copied, and freed, outside.
template <class V>
using Held = std::conditional_t<std::is_same_v<V, tstring>,
                                std::shared_ptr<const tstring>, V>;

std::shared_ptr<const tstring> Hold(const tstring& s) {
  return std::make_shared<const tstring>(Owned(s));
}

template <class T>
T Hold(const T& number) {
  return number;
}

const tstring& ValueOf(const std::shared_ptr<const tstring>& held) {
  return *held;
}

template <class T>
const T& ValueOf(const T& number) {
  return number;
}

absl::string_view Printable(const tstring& s) { return s; }

template <class T>
T Printable(const T& number) {
  return number;
}

// Checks the shapes of the first inputs, given their names. A graph may not
// have known them when it was built, and eager code never asks the shape
// function.
absl::Status RequireScalars(OpKernelContext* ctx,
                            absl::Span<const absl::string_view> names) {
  int i = 0;
  for (absl::string_view name : names) {
    const TensorShape& shape = ctx->input(i++).shape();
    if (!TensorShapeUtils::IsScalar(shape)) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, " must be a scalar. Its shape: ", shape.DebugString()));
    }
  }
  return absl::OkStatus();
}

absl::Status RequireVectorsOfOneLength(const Tensor& keys,
                                       const Tensor& values) {
  if (!TensorShapeUtils::IsVector(keys.shape()) ||
      !TensorShapeUtils::IsVector(values.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "keys and values must be vectors. Their shapes: ",
        keys.shape().DebugString(), " and ", values.shape().DebugString()));
  }
  if (keys.NumElements() != values.NumElements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "keys and values must have the same length: ", keys.NumElements(),
        " and ", values.NumElements()));
  }
  return absl::OkStatus();
}

std::string TableTypeString(DataType key_dtype, DataType value_dtype) {
  return absl::StrCat("SimpleHashTable<", DataTypeString(key_dtype), ", ",
                      DataTypeString(value_dtype), ">");
}

// What a handle notes of its table, so that an error can name it.
std::vector<DtypeAndPartialTensorShape> TableTypes(DataType key_dtype,
                                                   DataType value_dtype) {
  return {{key_dtype, TensorShape({})}, {value_dtype, TensorShape({})}};
}

std::string TargetString(const ResourceHandle& handle) {
  if (handle.name().empty()) return "nothing: it was never set";
  const auto types = handle.dtypes_and_shapes();
  if (types.size() == 2 &&
      absl::StrContains(handle.maybe_type_name(), "SimpleHashTableResource")) {
    return TableTypeString(types[0].dtype, types[1].dtype);
  }
  return absl::StrCat("another resource (", handle.maybe_type_name(), ")");
}

}  // namespace

// A table that is safe to use from many threads.
//
// Handles are told apart by the name of this class, so it must not be in an
// anonymous namespace: those of two libraries would have the same name.
template <class K, class V>
class SimpleHashTableResource : public ::tensorflow::ResourceBase {
 public:
  // Sets the value of a key. Both tensors are scalars.
  absl::Status Insert(const Tensor& key, const Tensor& value) {
    K key_val = Owned(key.scalar<K>()());
    // What was there before ends with it, after the lock.
    Held<V> held = Hold(value.scalar<V>()());

    absl::MutexLock l(&mu_);
    std::swap(table_[std::move(key_val)], held);
    return absl::OkStatus();
  }

  // Writes the value of a key, or else the default. All tensors are scalars.
  absl::Status Find(const Tensor& key, Tensor* value,
                    const Tensor& default_value) const {
    const K& key_val = key.scalar<K>()();
    const V& default_val = default_value.scalar<V>()();
    V& value_val = value->scalar<V>()();

    const std::optional<Held<V>> found = Find(key_val);
    value_val = Owned(found.has_value() ? ValueOf(*found) : default_val);
    return absl::OkStatus();
  }

  // Removes a key, a scalar, and its value.
  absl::Status Remove(const Tensor& key) {
    const K& key_val = key.scalar<K>()();

    if (Extract(key_val).empty()) {
      return absl::NotFoundError(
          absl::StrCat("Key for remove not found: ", Printable(key_val)));
    }
    return absl::OkStatus();
  }

  // Writes all pairs to the outputs "keys" and "values".
  absl::Status Export(OpKernelContext* ctx) const {
    // The lock is held for all of it: how long the outputs are is known only
    // then.
    absl::MutexLock l(&mu_);
    const TensorShape shape({static_cast<int64_t>(table_.size())});
    Tensor* keys;
    Tensor* values;
    TF_RETURN_IF_ERROR(ctx->allocate_output("keys", shape, &keys));
    TF_RETURN_IF_ERROR(ctx->allocate_output("values", shape, &values));
    K* key_out = keys->flat<K>().data();
    V* value_out = values->flat<V>().data();
    for (const auto& [key, value] : table_) {
      *key_out++ = key;
      *value_out++ = ValueOf(value);
    }
    return absl::OkStatus();
  }

  // Adds nodes to a graph that make a table of the same pairs. By it tf.data
  // takes a table to another process, and tells whether a snapshot was made
  // with the same one; so the pairs have an order.
  absl::Status AsGraphDef(GraphDefBuilder* builder, Node** out) const override {
    const std::vector<std::pair<K, Held<V>>> pairs = SortedPairs();
    const TensorShape shape({static_cast<int64_t>(pairs.size())});
    Tensor keys(DataTypeToEnum<K>::v(), shape);
    Tensor values(DataTypeToEnum<V>::v(), shape);
    K* key_out = keys.flat<K>().data();
    V* value_out = values.flat<V>().data();
    for (const auto& [key, value] : pairs) {
      *key_out++ = key;
      *value_out++ = ValueOf(value);
    }

    const GraphDefBuilder::Options& opts = builder->opts();
    const auto constant = [&opts](const Tensor& value) {
      return ops::SourceOp(
          "Const",
          opts.WithAttr("dtype", value.dtype()).WithAttr("value", value));
    };
    Node* const table =
        ops::SourceOp("Examples>SimpleHashTableCreate",
                      opts.WithAttr("key_dtype", DataTypeToEnum<K>::v())
                          .WithAttr("value_dtype", DataTypeToEnum<V>::v()));
    Node* const key_node = constant(keys);
    Node* const value_node = constant(values);
    Node* const import = ops::TernaryOp("Examples>SimpleHashTableImport", table,
                                        key_node, value_node, opts);
    // What a graph is known by leaves out the inputs of a node that others only
    // wait for. So the pairs are inputs here, too.
    NodeBuilder identity(opts.GetNameForOp("IdentityN"), "IdentityN",
                         opts.op_registry());
    identity.Input({table, key_node, value_node});
    *out = opts.WithControlInput(import).FinalizeBuilder(&identity);
    return absl::OkStatus();
  }

  // Replaces all pairs. The tensors are vectors of one length.
  absl::Status Import(const Tensor& keys, const Tensor& values) {
    const K* key_data = keys.flat<K>().data();
    const V* value_data = values.flat<V>().data();
    Table table;
    table.reserve(keys.NumElements());
    for (int64_t i = 0; i < keys.NumElements(); ++i) {
      table.insert_or_assign(Owned(key_data[i]), Hold(value_data[i]));
    }

    // The old pairs end with `table`, after the lock.
    absl::MutexLock l(&mu_);
    table_.swap(table);
    return absl::OkStatus();
  }

  // All pairs of a small table, a few of a large one, long ones cut short.
  std::string DebugString() const override { return DebugString(3); }
  std::string DebugString(size_t num_pairs) const {
    constexpr size_t kMaxPairLength = 100;
    std::string result = "SimpleHashTable {";
    size_t count = 0;
    absl::MutexLock l(&mu_);
    for (const auto& [key, value] : table_) {
      if (count++ == num_pairs) {
        absl::StrAppend(&result, "...");
        break;
      }
      const std::string pair =
          absl::StrCat(Printable(key), ": ", Printable(ValueOf(value)));
      absl::StrAppend(&result, pair.substr(0, kMaxPairLength),
                      pair.size() > kMaxPairLength ? " ..." : "", ", ");
    }
    absl::StrAppend(&result, "}");
    return result;
  }

 private:
  using Table = absl::flat_hash_map<K, Held<V>>;

  std::optional<Held<V>> Find(const K& key) const {
    // The lock is held too shortly for a lock that readers share to be worth
    // its cost.
    absl::MutexLock l(&mu_);
    const Held<V>* found = ::tensorflow::gtl::FindOrNull(table_, key);
    return found ? std::make_optional(*found) : std::nullopt;
  }

  std::vector<std::pair<K, Held<V>>> SortedPairs() const {
    std::vector<std::pair<K, Held<V>>> pairs;
    {
      absl::MutexLock l(&mu_);
      pairs.assign(table_.begin(), table_.end());
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return pairs;
  }

  // Takes a pair out, if it is there.
  typename Table::node_type Extract(const K& key) {
    absl::MutexLock l(&mu_);
    return table_.extract(key);
  }

  mutable absl::Mutex mu_;
  Table table_ ABSL_GUARDED_BY(mu_);
};

namespace {

// Finds the table that input 0, a scalar, is a handle to.
//
// A handle that was serialized has the name of its table but does not keep it.
template <class K, class V>
absl::Status GetResource(OpKernelContext* ctx,
                         RefCountPtr<SimpleHashTableResource<K, V>>* resource) {
  using resource_type = SimpleHashTableResource<K, V>;
  const Tensor& handle_tensor = ctx->input(0);
  const ResourceHandle& handle = handle_tensor.scalar<ResourceHandle>()();
  if (!handle.ValidateType<resource_type>().ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The handle must point to a ",
        TableTypeString(DataTypeToEnum<K>::v(), DataTypeToEnum<V>::v()),
        ". It points to ", TargetString(handle)));
  }
  if (handle.IsRefCounting()) {
    TF_ASSIGN_OR_RETURN(resource_type * table,
                        handle.GetResource<resource_type>());
    table->Ref();
    resource->reset(table);
    return absl::OkStatus();
  }
  const absl::Status found =
      ::tensorflow::LookupResource(ctx, handle, resource);
  if (absl::IsNotFound(found)) {
    return absl::NotFoundError(absl::StrCat(
        "There is no table of the name '", handle.name(),
        "'. The handle was serialized, so it does not keep the table, which "
        "has ended since or is another process's."));
  }
  return found;
}

template <class K, class V>
class SimpleHashTableCreateOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    using resource_type = SimpleHashTableResource<K, V>;
    Tensor handle_tensor;
    AllocatorAttributes attr;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_RESOURCE, TensorShape({}),
                                           &handle_tensor, attr));
    ResourceHandle& handle = handle_tensor.scalar<ResourceHandle>()();
    // The handle takes over the only reference to the table.
    auto* const table = new resource_type();
    handle = ResourceHandle::MakeRefCountingHandle(
        table, ctx->device()->name(),
        TableTypes(DataTypeToEnum<K>::v(), DataTypeToEnum<V>::v()),
        ctx->stack_trace());
    // The entry, a weak reference, goes when the table does.
    OP_REQUIRES_OK(ctx, ctx->resource_manager()->CreateUnowned<resource_type>(
                            handle.container(), handle.name(), table));
    ctx->set_output(0, handle_tensor);
  }
};

// What the kernels of the ops that use a table have in common. They check
// shapes but not types: TensorFlow has chosen a kernel by the types of its
// inputs and outputs already.
template <class K, class V>
class SimpleHashTableOpKernel : public OpKernel {
 public:
  // The first inputs, named here, are scalars, the first of all the handle.
  SimpleHashTableOpKernel(OpKernelConstruction* ctx,
                          std::initializer_list<absl::string_view> scalars)
      : OpKernel(ctx), scalars_(scalars) {}

  void Compute(OpKernelContext* ctx) final {
    OP_REQUIRES_OK(ctx, RequireScalars(ctx, scalars_));
    RefCountPtr<SimpleHashTableResource<K, V>> resource;
    OP_REQUIRES_OK(ctx, GetResource(ctx, &resource));
    OP_REQUIRES_OK(ctx, Use(ctx, *resource));
  }

 private:
  virtual absl::Status Use(OpKernelContext* ctx,
                           SimpleHashTableResource<K, V>& resource) = 0;

  const std::vector<absl::string_view> scalars_;
};

template <class K, class V>
class SimpleHashTableFindOpKernel : public SimpleHashTableOpKernel<K, V> {
 public:
  explicit SimpleHashTableFindOpKernel(OpKernelConstruction* ctx)
      : SimpleHashTableOpKernel<K, V>(
            ctx, {"resource_handle", "key", "default_value"}) {}

 private:
  absl::Status Use(OpKernelContext* ctx,
                   SimpleHashTableResource<K, V>& resource) override {
    const Tensor& key = ctx->input(1);
    const Tensor& default_value = ctx->input(2);
    Tensor* value;
    TF_RETURN_IF_ERROR(ctx->allocate_output("value", TensorShape({}), &value));
    return resource.Find(key, value, default_value);
  }
};

template <class K, class V>
class SimpleHashTableInsertOpKernel : public SimpleHashTableOpKernel<K, V> {
 public:
  explicit SimpleHashTableInsertOpKernel(OpKernelConstruction* ctx)
      : SimpleHashTableOpKernel<K, V>(ctx,
                                      {"resource_handle", "key", "value"}) {}

 private:
  absl::Status Use(OpKernelContext* ctx,
                   SimpleHashTableResource<K, V>& resource) override {
    return resource.Insert(/*key=*/ctx->input(1), /*value=*/ctx->input(2));
  }
};

template <class K, class V>
class SimpleHashTableRemoveOpKernel : public SimpleHashTableOpKernel<K, V> {
 public:
  explicit SimpleHashTableRemoveOpKernel(OpKernelConstruction* ctx)
      : SimpleHashTableOpKernel<K, V>(ctx, {"resource_handle", "key"}) {}

 private:
  absl::Status Use(OpKernelContext* ctx,
                   SimpleHashTableResource<K, V>& resource) override {
    return resource.Remove(/*key=*/ctx->input(1));
  }
};

template <class K, class V>
class SimpleHashTableExportOpKernel : public SimpleHashTableOpKernel<K, V> {
 public:
  explicit SimpleHashTableExportOpKernel(OpKernelConstruction* ctx)
      : SimpleHashTableOpKernel<K, V>(ctx, {"table_handle"}) {}

 private:
  absl::Status Use(OpKernelContext* ctx,
                   SimpleHashTableResource<K, V>& resource) override {
    return resource.Export(ctx);
  }
};

template <class K, class V>
class SimpleHashTableImportOpKernel : public SimpleHashTableOpKernel<K, V> {
 public:
  explicit SimpleHashTableImportOpKernel(OpKernelConstruction* ctx)
      : SimpleHashTableOpKernel<K, V>(ctx, {"table_handle"}) {}

 private:
  absl::Status Use(OpKernelContext* ctx,
                   SimpleHashTableResource<K, V>& resource) override {
    const Tensor& keys = ctx->input(1);
    const Tensor& values = ctx->input(2);
    TF_RETURN_IF_ERROR(RequireVectorsOfOneLength(keys, values));
    return resource.Import(keys, values);
  }
};

#define REGISTER_OP_KERNEL(op, key_dtype, value_dtype) \
  REGISTER_KERNEL_BUILDER(                             \
      Name("Examples>SimpleHashTable" #op)             \
          .Device(DEVICE_CPU)                          \
          .TypeConstraint<key_dtype>("key_dtype")      \
          .TypeConstraint<value_dtype>("value_dtype"), \
      SimpleHashTable##op##OpKernel<key_dtype, value_dtype>)

#define REGISTER_KERNEL(key_dtype, value_dtype)       \
  REGISTER_OP_KERNEL(Create, key_dtype, value_dtype); \
  REGISTER_OP_KERNEL(Find, key_dtype, value_dtype);   \
  REGISTER_OP_KERNEL(Insert, key_dtype, value_dtype); \
  REGISTER_OP_KERNEL(Remove, key_dtype, value_dtype); \
  REGISTER_OP_KERNEL(Export, key_dtype, value_dtype); \
  REGISTER_OP_KERNEL(Import, key_dtype, value_dtype)

REGISTER_KERNEL(int32_t, double);
REGISTER_KERNEL(int32_t, float);
REGISTER_KERNEL(int32_t, int32_t);
REGISTER_KERNEL(int32_t, tstring);
REGISTER_KERNEL(int64_t, double);
REGISTER_KERNEL(int64_t, float);
REGISTER_KERNEL(int64_t, int32_t);
REGISTER_KERNEL(int64_t, int64_t);
REGISTER_KERNEL(int64_t, tstring);
REGISTER_KERNEL(tstring, bool);
REGISTER_KERNEL(tstring, double);
REGISTER_KERNEL(tstring, float);
REGISTER_KERNEL(tstring, int32_t);
REGISTER_KERNEL(tstring, int64_t);
REGISTER_KERNEL(tstring, tstring);

#undef REGISTER_KERNEL
#undef REGISTER_OP_KERNEL

}  // namespace
}  // namespace custom_op_examples
