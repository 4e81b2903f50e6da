#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/bfloat16.h"
#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_base.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

namespace custom_op_examples {

using ::tensorflow::AllocatorAttributes;
using ::tensorflow::bfloat16;
using ::tensorflow::DataType;
using ::tensorflow::DataTypeString;
using ::tensorflow::DEVICE_CPU;
using ::tensorflow::DT_RESOURCE;
using ::tensorflow::DtypeAndPartialTensorShape;
using ::tensorflow::GetPerThreadMaxParallelism;
using ::tensorflow::OpInputList;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::OpOutputList;
using ::tensorflow::ResourceHandle;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::TensorShapeUtils;
using ::tensorflow::tstring;

template <>
struct StringAccess<tstring> {
  static std::string_view View(const tstring& s) {
    return {s.data(), s.size()};
  }
  // The copy owns its bytes, which those of the table may not outlive.
  static void Assign(std::string_view from, tstring* to) {
    to->assign(from.data(), from.size());
  }
};

// A table that is safe to use from many threads.
//
// Handles are told apart by the name of this class, so it must not be in an
// anonymous namespace: those of two libraries would have the same name. It is
// one class for all types, so the ops need a kernel each and not one for every
// pair of types.
class ShardedHashTableResource : public ::tensorflow::ResourceBase {
 public:
  ShardedHashTableResource(DataType key_dtype, DataType value_dtype,
                           const TensorShape& value_shape)
      : key_dtype_(key_dtype),
        value_dtype_(value_dtype),
        value_shape_(value_shape) {}

  DataType key_dtype() const { return key_dtype_; }
  DataType value_dtype() const { return value_dtype_; }
  const TensorShape& value_shape() const { return value_shape_; }

  // The callers of what follows have checked types and shapes.

  // Writes the values of keys. The defaults are one for all or one for each.
  virtual void Find(OpKernelContext* ctx, const Tensor& keys,
                    const Tensor& defaults, bool default_per_key,
                    Tensor* values) const = 0;
  virtual absl::Status Insert(OpKernelContext* ctx, const Tensor& keys,
                              const Tensor& values) = 0;
  virtual absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                                  const Tensor& deltas) = 0;
  virtual absl::Status Remove(OpKernelContext* ctx, const Tensor& keys) = 0;
  virtual void Clear() = 0;
  virtual int64_t Size() const = 0;

  // Writes all keys, and their values, to the outputs "keys" and "values".
  virtual absl::Status Export(OpKernelContext* ctx,
                              bool stable_order) const = 0;
  // Writes them to as many tensors as the outputs "keys" and "values" have.
  virtual absl::Status ExportSlices(OpKernelContext* ctx) const = 0;

  // Replaces all keys and values.
  virtual absl::Status Import(OpKernelContext* ctx, const OpInputList& keys,
                              const OpInputList& values) = 0;

 private:
  const DataType key_dtype_;
  const DataType value_dtype_;
  const TensorShape value_shape_;
};

namespace {

std::string TableTypeString(DataType key_dtype, DataType value_dtype) {
  return absl::StrCat("ShardedHashTable<", DataTypeString(key_dtype), ", ",
                      DataTypeString(value_dtype), ">");
}

// A ParallelFor in the intra-op thread pool, whose other tasks may wait for the
// table: see OnThreads for why it can be called while a shard is locked.
auto InThreadPool(OpKernelContext* ctx) {
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  return OnThreads(std::min(threads->num_threads, GetPerThreadMaxParallelism()),
                   [threads](const auto& f) { threads->workers->Schedule(f); });
}

absl::Status OutOfMemory(const ShardedHashTableResource& table) {
  return absl::ResourceExhaustedError(
      absl::StrCat("No memory for more keys of a ",
                   TableTypeString(table.key_dtype(), table.value_dtype()),
                   " that has ", table.Size(), ", with values of shape ",
                   table.value_shape().DebugString()));
}

// What a map holds for a type of TensorFlow's: numbers as their bits, so that
// types of one size share its code.
template <class T>
struct InMap {
  using type = typename sharded_map_internal::UnsignedOfSize<sizeof(T)>::type;
};
template <>
struct InMap<tstring> {
  using type = std::string;
};

template <class T>
const T* Data(const Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}
template <class T>
T* Data(Tensor* tensor) {
  return static_cast<T*>(tensor->data());
}

std::string Printable(DataType dtype, const void* value);

// `K` and `V` are types of tensors; `V` may stand for others of its size.
template <class K, class V>
class TableOf : public ShardedHashTableResource {
  using Map = ShardedMap<typename InMap<K>::type, typename InMap<V>::type>;

 public:
  TableOf(DataType key_dtype, DataType value_dtype,
          const TensorShape& value_shape, int num_shards)
      : ShardedHashTableResource(key_dtype, value_dtype, value_shape),
        map_(num_shards, value_shape.num_elements()) {}

  void Find(OpKernelContext* ctx, const Tensor& keys, const Tensor& defaults,
            bool default_per_key, Tensor* values) const override {
    const K* key_data = Data<K>(keys);
    const V* default_data = Data<V>(defaults);
    V* value_data = Data<V>(values);
    const int64_t length = map_.value_length();
    const auto find = [=](int64_t begin, int64_t end) {
      map_.Find(key_data + begin, end - begin,
                default_data + (default_per_key ? begin * length : 0),
                default_per_key, value_data + begin * length);
    };
    if (keys.NumElements() < kParallelFrom) {
      find(0, keys.NumElements());
    } else {
      InThreadPool(ctx)(keys.NumElements(), kCyclesAKey + length, find);
    }
  }

  absl::Status Insert(OpKernelContext* ctx, const Tensor& keys,
                      const Tensor& values) override {
    return Status(map_.Insert(Data<K>(keys), keys.NumElements(),
                              Data<V>(values), InThreadPool(ctx)));
  }

  absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                          const Tensor& deltas) override {
    switch (value_dtype()) {
      case ::tensorflow::DT_INT32:
        return Accumulate<int32_t>(ctx, keys, deltas);
      case ::tensorflow::DT_INT64:
        return Accumulate<int64_t>(ctx, keys, deltas);
      case ::tensorflow::DT_HALF:
        return Accumulate<Eigen::half>(ctx, keys, deltas);
      case ::tensorflow::DT_BFLOAT16:
        return Accumulate<bfloat16>(ctx, keys, deltas);
      case ::tensorflow::DT_FLOAT:
        return Accumulate<float>(ctx, keys, deltas);
      case ::tensorflow::DT_DOUBLE:
        return Accumulate<double>(ctx, keys, deltas);
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("Values of type ", DataTypeString(value_dtype()),
                         " cannot be added."));
    }
  }

  absl::Status Remove(OpKernelContext* ctx, const Tensor& keys) override {
    return Status(
        map_.Remove(Data<K>(keys), keys.NumElements(), InThreadPool(ctx)));
  }

  void Clear() override { map_.Clear(); }

  int64_t Size() const override { return map_.Size(); }

  absl::Status Export(OpKernelContext* ctx, bool stable_order) const override {
    if (stable_order) return ExportSorted(ctx);
    const typename Map::Frozen frozen(&map_);
    const std::vector<int64_t> ends = Ends(frozen);
    Tensor* keys;
    Tensor* values;
    TF_RETURN_IF_ERROR(AllocateOutputs(ctx, ends.back(), &keys, &values));
    ExportShards(ctx, frozen, ends, 0, map_.num_shards(), Data<K>(keys),
                 Data<V>(values));
    return absl::OkStatus();
  }

  absl::Status ExportSlices(OpKernelContext* ctx) const override {
    OpOutputList key_list, value_list;
    TF_RETURN_IF_ERROR(ctx->output_list("keys", &key_list));
    TF_RETURN_IF_ERROR(ctx->output_list("values", &value_list));
    const int num_slices = key_list.size();
    const typename Map::Frozen frozen(&map_);
    const std::vector<int64_t> ends = Ends(frozen);
    for (int i = 0; i < num_slices; ++i) {
      const auto shard_of = [&](int64_t slice) {
        return static_cast<int>(slice * map_.num_shards() / num_slices);
      };
      const int first = shard_of(i);
      const int last = shard_of(i + 1);
      const int64_t count = End(ends, last) - End(ends, first);
      Tensor* keys;
      Tensor* values;
      TF_RETURN_IF_ERROR(key_list.allocate(i, TensorShape({count}), &keys));
      TF_RETURN_IF_ERROR(value_list.allocate(i, ValuesShape(count), &values));
      ExportShards(ctx, frozen, ends, first, last, Data<K>(keys),
                   Data<V>(values));
    }
    return absl::OkStatus();
  }

  absl::Status Import(OpKernelContext* ctx, const OpInputList& keys,
                      const OpInputList& values) override {
    Map map(map_.num_shards(), map_.value_length());
    for (int i = 0; i < keys.size(); ++i) {
      TF_RETURN_IF_ERROR(
          Status(map.Insert(Data<K>(keys[i]), keys[i].NumElements(),
                            Data<V>(values[i]), InThreadPool(ctx))));
    }
    map_.ReplaceWith(&map);
    return absl::OkStatus();
  }

  // All pairs of a small table, a few of a large one, long ones cut short.
  std::string DebugString() const override {
    constexpr int64_t kMaxPairs = 3;
    constexpr size_t kMaxPairLength = 100;
    std::string result =
        absl::StrCat(TableTypeString(key_dtype(), value_dtype()), " {");
    int64_t pairs = 0;
    const typename Map::Frozen frozen(&map_);
    for (int i = 0; i < map_.num_shards(); ++i) {
      const int64_t size = frozen.ShardSize(i);
      if (size == 0) continue;
      if (pairs >= kMaxPairs) {
        absl::StrAppend(&result, "...");
        break;
      }
      std::vector<K> keys(size);
      // Not a vector, as one of bool has no data.
      const std::unique_ptr<V[]> values(new V[size * map_.value_length()]);
      frozen.Export(i, keys.data(), values.get());
      for (int64_t j = 0; j < size && pairs < kMaxPairs; ++j, ++pairs) {
        std::string pair = absl::StrCat(Printable(key_dtype(), &keys[j]), ": ");
        for (int64_t k = 0; k < map_.value_length(); ++k) {
          if (pair.size() > kMaxPairLength) break;
          absl::StrAppend(
              &pair, k > 0 ? " " : "",
              Printable(value_dtype(),
                        values.get() + j * map_.value_length() + k));
        }
        absl::StrAppend(&result, pair.substr(0, kMaxPairLength),
                        pair.size() > kMaxPairLength ? " ..." : "", ", ");
      }
    }
    absl::StrAppend(&result, "}");
    return result;
  }

 private:
  // From how many keys on a lookup is worth more than one thread, and by how
  // many cycles a key Shard decides how many.
  static constexpr int64_t kParallelFrom = 4096;
  static constexpr int64_t kCyclesAKey = std::is_same_v<K, tstring> ? 200 : 80;

  absl::Status Status(bool ok) const {
    return ok ? absl::OkStatus() : OutOfMemory(*this);
  }

  template <class T>
  absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                          const Tensor& deltas) {
    if constexpr (sizeof(T) == sizeof(V)) {
      return Status(
          map_.template Accumulate<T>(Data<K>(keys), keys.NumElements(),
                                      Data<T>(deltas), InThreadPool(ctx)));
    } else {
      return absl::InternalError("The table has values of another size.");
    }
  }

  TensorShape ValuesShape(int64_t count) const {
    TensorShape shape({count});
    shape.AppendShape(value_shape());
    return shape;
  }

  absl::Status AllocateOutputs(OpKernelContext* ctx, int64_t count,
                               Tensor** keys, Tensor** values) const {
    TF_RETURN_IF_ERROR(
        ctx->allocate_output("keys", TensorShape({count}), keys));
    return ctx->allocate_output("values", ValuesShape(count), values);
  }

  // Where each shard ends if they follow one another.
  std::vector<int64_t> Ends(const typename Map::Frozen& frozen) const {
    std::vector<int64_t> ends(map_.num_shards());
    int64_t end = 0;
    for (int i = 0; i < map_.num_shards(); ++i) {
      end += frozen.ShardSize(i);
      ends[i] = end;
    }
    return ends;
  }
  static int64_t End(const std::vector<int64_t>& ends, int shards) {
    return shards == 0 ? 0 : ends[shards - 1];
  }

  // Writes the shards [first, last).
  void ExportShards(OpKernelContext* ctx, const typename Map::Frozen& frozen,
                    const std::vector<int64_t>& ends, int first, int last,
                    K* keys, V* values) const {
    const int64_t from = End(ends, first);
    const auto write = [&](int64_t begin, int64_t end) {
      for (int64_t i = first + begin; i < first + end; ++i) {
        const int64_t at = End(ends, static_cast<int>(i)) - from;
        frozen.Export(static_cast<int>(i), keys + at,
                      values + at * map_.value_length());
      }
    };
    const int64_t count = End(ends, last) - from;
    if (count < kParallelFrom) {
      write(0, last - first);
    } else {
      InThreadPool(ctx)(last - first,
                        count / (last - first) * (10 + map_.value_length()),
                        write);
    }
  }

  absl::Status ExportSorted(OpKernelContext* ctx) const {
    std::vector<K> keys;
    std::unique_ptr<V[]> values;
    const int64_t length = map_.value_length();
    {
      const typename Map::Frozen frozen(&map_);
      const std::vector<int64_t> ends = Ends(frozen);
      keys.resize(ends.back());
      values.reset(new V[ends.back() * length]);
      ExportShards(ctx, frozen, ends, 0, map_.num_shards(), keys.data(),
                   values.get());
    }
    std::vector<int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    Tensor* sorted_keys;
    Tensor* sorted_values;
    TF_RETURN_IF_ERROR(AllocateOutputs(ctx, static_cast<int64_t>(keys.size()),
                                       &sorted_keys, &sorted_values));
    K* key = Data<K>(sorted_keys);
    V* value = Data<V>(sorted_values);
    for (const int64_t i : order) {
      *key++ = std::move(keys[i]);
      value = std::move(values.get() + i * length,
                        values.get() + (i + 1) * length, value);
    }
    return absl::OkStatus();
  }

  Map map_;
};

std::string Printable(DataType dtype, const void* value) {
  switch (dtype) {
    case ::tensorflow::DT_BOOL:
      return *static_cast<const bool*>(value) ? "true" : "false";
    case ::tensorflow::DT_INT32:
      return absl::StrCat(*static_cast<const int32_t*>(value));
    case ::tensorflow::DT_INT64:
      return absl::StrCat(*static_cast<const int64_t*>(value));
    case ::tensorflow::DT_HALF:
      return absl::StrCat(
          static_cast<float>(*static_cast<const Eigen::half*>(value)));
    case ::tensorflow::DT_BFLOAT16:
      return absl::StrCat(
          static_cast<float>(*static_cast<const bfloat16*>(value)));
    case ::tensorflow::DT_FLOAT:
      return absl::StrCat(*static_cast<const float*>(value));
    case ::tensorflow::DT_DOUBLE:
      return absl::StrCat(*static_cast<const double*>(value));
    default:
      return std::string(*static_cast<const tstring*>(value));
  }
}

template <class K>
ShardedHashTableResource* NewTableOfKeys(DataType key_dtype,
                                         DataType value_dtype,
                                         const TensorShape& value_shape,
                                         int num_shards) {
  switch (::tensorflow::DataTypeSize(value_dtype)) {
    case 1:
      return new TableOf<K, uint8_t>(key_dtype, value_dtype, value_shape,
                                     num_shards);
    case 2:
      return new TableOf<K, uint16_t>(key_dtype, value_dtype, value_shape,
                                      num_shards);
    case 4:
      return new TableOf<K, uint32_t>(key_dtype, value_dtype, value_shape,
                                      num_shards);
    case 8:
      return new TableOf<K, uint64_t>(key_dtype, value_dtype, value_shape,
                                      num_shards);
    default:  // The op has no other type that is not of numbers.
      return new TableOf<K, tstring>(key_dtype, value_dtype, value_shape,
                                     num_shards);
  }
}

ShardedHashTableResource* NewTable(DataType key_dtype, DataType value_dtype,
                                   const TensorShape& value_shape,
                                   int num_shards) {
  switch (key_dtype) {
    case ::tensorflow::DT_INT32:
      return NewTableOfKeys<int32_t>(key_dtype, value_dtype, value_shape,
                                     num_shards);
    case ::tensorflow::DT_INT64:
      return NewTableOfKeys<int64_t>(key_dtype, value_dtype, value_shape,
                                     num_shards);
    default:  // The op has no other type.
      return NewTableOfKeys<tstring>(key_dtype, value_dtype, value_shape,
                                     num_shards);
  }
}

std::string TargetString(const ResourceHandle& handle) {
  if (!handle.IsRefCounting()) {
    return absl::StrCat(
        "It owns no resource: it was never set, has been serialized, or only "
        "names one. Its name: '",
        handle.name(), "'");
  }
  return absl::StrCat("It points to another resource (",
                      handle.maybe_type_name(), ")");
}

// Finds the table that input 0 is a handle to. The input keeps it alive while
// the kernel runs.
absl::Status GetTable(OpKernelContext* ctx, ShardedHashTableResource** table) {
  const Tensor& handle_tensor = ctx->input(0);
  if (!TensorShapeUtils::IsScalar(handle_tensor.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat("table_handle must be a scalar. Its shape: ",
                     handle_tensor.shape().DebugString()));
  }
  const ResourceHandle& handle = handle_tensor.scalar<ResourceHandle>()();
  // The type that TensorFlow notes in a handle is not enough: a handle that was
  // serialized still has it, but owns no table any more.
  if (!handle.IsRefCounting() ||
      !handle.ValidateType<ShardedHashTableResource>().ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The handle must point to a ShardedHashTable. ", TargetString(handle)));
  }
  TF_ASSIGN_OR_RETURN(*table, handle.GetResource<ShardedHashTableResource>());
  return absl::OkStatus();
}

absl::Status CheckType(absl::string_view what, DataType given,
                       DataType expected) {
  if (given == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("The table has ", what, " of type ",
                   DataTypeString(expected), ", not ", DataTypeString(given)));
}

// The table of input 0, whose keys are of the type of input 1.
absl::Status GetTableOfKeys(OpKernelContext* ctx,
                            ShardedHashTableResource** table) {
  TF_RETURN_IF_ERROR(GetTable(ctx, table));
  return CheckType("keys", ctx->input_dtype(1), (*table)->key_dtype());
}

// The shape of the values of keys: that of the keys, followed by a value's.
absl::Status ShapeOfValues(const ShardedHashTableResource& table,
                           const TensorShape& keys, TensorShape* values) {
  *values = keys;
  return values->AppendShapeWithStatus(table.value_shape());
}

absl::Status CheckValues(const ShardedHashTableResource& table,
                         absl::string_view name, const Tensor& keys,
                         const Tensor& values) {
  TF_RETURN_IF_ERROR(CheckType("values", values.dtype(), table.value_dtype()));
  TensorShape shape;
  TF_RETURN_IF_ERROR(ShapeOfValues(table, keys.shape(), &shape));
  if (values.shape() == shape) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " must have the shape of keys followed by that of one value: ",
      shape.DebugString(), ". Its shape: ", values.shape().DebugString()));
}

class ShardedHashTableCreateOp : public OpKernel {
 public:
  explicit ShardedHashTableCreateOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_dtype", &key_dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_dtype", &value_dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_shape", &value_shape_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_shards", &num_shards_));
    using AnyMap = ShardedMap<int32_t, uint8_t>;
    OP_REQUIRES(ctx,
                num_shards_ > 0 && num_shards_ <= AnyMap::kMaxShards &&
                    (num_shards_ & (num_shards_ - 1)) == 0,
                absl::InvalidArgumentError(absl::StrCat(
                    "num_shards must be a power of two of at most ",
                    AnyMap::kMaxShards, ", not ", num_shards_)));
    OP_REQUIRES(ctx, value_shape_.num_elements() <= AnyMap::kMaxValueLength,
                absl::InvalidArgumentError(absl::StrCat(
                    "A value must have at most ", AnyMap::kMaxValueLength,
                    " elements. Its shape: ", value_shape_.DebugString())));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor handle_tensor;
    AllocatorAttributes attr;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_RESOURCE, TensorShape({}),
                                           &handle_tensor, attr));
    // The handle takes over the only reference to the table.
    handle_tensor.scalar<ResourceHandle>()() =
        ResourceHandle::MakeRefCountingHandle(
            NewTable(key_dtype_, value_dtype_, value_shape_, num_shards_),
            ctx->device()->name(),
            std::vector<DtypeAndPartialTensorShape>{
                {key_dtype_, TensorShape({})}, {value_dtype_, value_shape_}},
            ctx->stack_trace());
    ctx->set_output(0, handle_tensor);
  }

 private:
  DataType key_dtype_;
  DataType value_dtype_;
  TensorShape value_shape_;
  int num_shards_;
};

class ShardedHashTableFindOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfKeys(ctx, &table));
    const Tensor& keys = ctx->input(1);
    const Tensor& defaults = ctx->input(2);
    OP_REQUIRES_OK(ctx,
                   CheckType("values", defaults.dtype(), table->value_dtype()));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOfValues(*table, keys.shape(), &shape));
    const bool default_per_key = defaults.shape() != table->value_shape();
    OP_REQUIRES(
        ctx, !default_per_key || defaults.shape() == shape,
        absl::InvalidArgumentError(absl::StrCat(
            "default_values must have the shape of one value or of all. Its "
            "shape: ",
            defaults.shape().DebugString(),
            ", of one value: ", table->value_shape().DebugString(),
            ", of all: ", shape.DebugString())));
    Tensor* values;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    table->Find(ctx, keys, defaults, default_per_key, values);
  }
};

class ShardedHashTableInsertOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfKeys(ctx, &table));
    const Tensor& keys = ctx->input(1);
    const Tensor& values = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckValues(*table, "values", keys, values));
    OP_REQUIRES_OK(ctx, table->Insert(ctx, keys, values));
  }
};

class ShardedHashTableAccumulateOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfKeys(ctx, &table));
    const Tensor& keys = ctx->input(1);
    const Tensor& deltas = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckValues(*table, "deltas", keys, deltas));
    OP_REQUIRES_OK(ctx, table->Accumulate(ctx, keys, deltas));
  }
};

class ShardedHashTableRemoveOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfKeys(ctx, &table));
    OP_REQUIRES_OK(ctx, table->Remove(ctx, ctx->input(1)));
  }
};

class ShardedHashTableClearOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTable(ctx, &table));
    table->Clear();
  }
};

class ShardedHashTableSizeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTable(ctx, &table));
    Tensor* size;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &size));
    size->scalar<int64_t>()() = table->Size();
  }
};

// An op whose types no input tells.
class OpWithTypes : public OpKernel {
 public:
  explicit OpWithTypes(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_dtype", &key_dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_dtype", &value_dtype_));
  }

 protected:
  absl::Status GetTableOfTypes(OpKernelContext* ctx,
                               ShardedHashTableResource** table) {
    TF_RETURN_IF_ERROR(GetTable(ctx, table));
    TF_RETURN_IF_ERROR(CheckType("keys", key_dtype_, (*table)->key_dtype()));
    return CheckType("values", value_dtype_, (*table)->value_dtype());
  }

 private:
  DataType key_dtype_;
  DataType value_dtype_;
};

class ShardedHashTableExportOp : public OpWithTypes {
 public:
  explicit ShardedHashTableExportOp(OpKernelConstruction* ctx)
      : OpWithTypes(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("stable_order", &stable_order_));
  }

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfTypes(ctx, &table));
    OP_REQUIRES_OK(ctx, table->Export(ctx, stable_order_));
  }

 private:
  bool stable_order_;
};

class ShardedHashTableExportSlicesOp : public OpWithTypes {
 public:
  using OpWithTypes::OpWithTypes;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfTypes(ctx, &table));
    OP_REQUIRES_OK(ctx, table->ExportSlices(ctx));
  }
};

class ShardedHashTableImportOp : public OpWithTypes {
 public:
  using OpWithTypes::OpWithTypes;

  void Compute(OpKernelContext* ctx) override {
    ShardedHashTableResource* table;
    OP_REQUIRES_OK(ctx, GetTableOfTypes(ctx, &table));
    OpInputList keys, values;
    OP_REQUIRES_OK(ctx, ctx->input_list("keys", &keys));
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    for (int i = 0; i < keys.size(); ++i) {
      OP_REQUIRES(ctx, TensorShapeUtils::IsVector(keys[i].shape()),
                  absl::InvalidArgumentError(
                      absl::StrCat("keys must be vectors. The shape of keys[",
                                   i, "]: ", keys[i].shape().DebugString())));
      OP_REQUIRES_OK(ctx, CheckValues(*table, absl::StrCat("values[", i, "]"),
                                      keys[i], values[i]));
    }
    OP_REQUIRES_OK(ctx, table->Import(ctx, keys, values));
  }
};

#define REGISTER_KERNEL(op)                                     \
  REGISTER_KERNEL_BUILDER(                                      \
      Name("Examples>ShardedHashTable" #op).Device(DEVICE_CPU), \
      ShardedHashTable##op##Op)

REGISTER_KERNEL(Create);
REGISTER_KERNEL(Find);
REGISTER_KERNEL(Insert);
REGISTER_KERNEL(Accumulate);
REGISTER_KERNEL(Remove);
REGISTER_KERNEL(Clear);
REGISTER_KERNEL(Size);
REGISTER_KERNEL(Export);
REGISTER_KERNEL(ExportSlices);
REGISTER_KERNEL(Import);

#undef REGISTER_KERNEL

}  // namespace
}  // namespace custom_op_examples
