// A ShardedMap as one of TensorFlow's lookup tables.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_LOOKUP_TABLE_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_LOOKUP_TABLE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/bfloat16.h"
#include "tensorflow/core/framework/lookup_interface.h"
#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/graph/graph_def_builder.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tensorflow/core/platform/random.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/batch_of_keys.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

namespace custom_op_examples {

using ::tensorflow::DataType;
using ::tensorflow::DataTypeString;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// Made when the library is loaded, as a message takes memory. A copy shares it.
inline const absl::Status& no_memory =
    *new absl::Status(absl::ResourceExhaustedError("Memory has run out."));

// Calls `f`, which returns a status. Nothing that it allocates may fail in
// another way: an exception that leaves a kernel ends the process.
template <class F>
absl::Status CatchBadAlloc(const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return no_memory;
  }
}

// A ParallelFor in the intra-op thread pool, whose other tasks may wait for the
// table: see OnThreads for why it can be called while a shard is locked.
inline auto InThreadPool(OpKernelContext* ctx) {
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  return OnThreads(std::min(threads->num_threads,
                            ::tensorflow::GetPerThreadMaxParallelism()),
                   [threads](const auto& f) { threads->workers->Schedule(f); });
}

// Of what kind a table is.
struct TableType {
  DataType key_dtype;
  DataType value_dtype;
  TensorShape key_shape;
  TensorShape value_shape;
  int num_shards;

  bool operator==(const TableType& other) const {
    return key_dtype == other.key_dtype && value_dtype == other.value_dtype &&
           key_shape == other.key_shape && value_shape == other.value_shape;
  }

  // That there can be a table of this kind.
  absl::Status Check() const {
    using AnyMap = ShardedMap<int32_t, uint8_t>;
    if (num_shards <= 0 || num_shards > AnyMap::kMaxShards ||
        (num_shards & (num_shards - 1)) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("num_shards must be a power of two of at most ",
                       AnyMap::kMaxShards, ", not ", num_shards));
    }
    if (key_shape.num_elements() == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "A key must have an element. Its shape: ", key_shape.DebugString()));
    }
    if (value_shape.num_elements() > AnyMap::kMaxValueLength) {
      return absl::InvalidArgumentError(
          absl::StrCat("A value must have at most ", AnyMap::kMaxValueLength,
                       " elements. Its shape: ", value_shape.DebugString()));
    }
    return absl::OkStatus();
  }

  std::string DebugString() const {
    const auto part = [](DataType dtype, const TensorShape& shape) {
      return absl::StrCat(DataTypeString(dtype),
                          shape.dims() == 0 ? "" : shape.DebugString());
    };
    return absl::StrCat("ShardedHashTable<", part(key_dtype, key_shape), ", ",
                        part(value_dtype, value_shape), ">");
  }
};

inline TensorShape BatchShape(int64_t count, const TensorShape& element) {
  TensorShape shape({count});
  shape.AppendShape(element);
  return shape;
}

// A table that is safe to use from many threads. It is one of TensorFlow's,
// whose LookupTable...V2 ops serve it; ops of ours do what they lack. They tell
// it from other tables by its type.
class ShardedHashTable : public ::tensorflow::lookup::LookupInterface {
 public:
  explicit ShardedHashTable(const TableType& type) : type_(type) {}

  const TableType& type() const { return type_; }
  DataType key_dtype() const override { return type_.key_dtype; }
  DataType value_dtype() const override { return type_.value_dtype; }
  TensorShape key_shape() const override { return type_.key_shape; }
  TensorShape value_shape() const override { return type_.value_shape; }

  std::string DebugString() const override {
    return absl::StrCat(type_.DebugString(), " of size ", size());
  }

  // The callers of what follows have checked types and shapes.

  virtual absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                                  const Tensor& deltas) = 0;
  virtual absl::Status Clear() = 0;

  // Replaces all keys and values.
  virtual absl::Status ImportSlices(
      OpKernelContext* ctx,
      const std::vector<std::pair<Tensor, Tensor>>& slices) = 0;

  // Makes room for that many keys, and their values, of a slice.
  using MakeRoom = FunctionRef<absl::Status(int slice, int64_t count,
                                            Tensor** keys, Tensor** values)>;

  // Writes all keys and their values, as of one moment, to so many slices.
  virtual absl::Status Export(int num_slices, ParallelFor parallel,
                              MakeRoom make_room) const = 0;

  absl::Status ImportValues(OpKernelContext* ctx, const Tensor& keys,
                            const Tensor& values) override {
    return CatchBadAlloc([&] { return ImportSlices(ctx, {{keys, values}}); });
  }

  absl::Status ExportValues(OpKernelContext* ctx) override {
    return Export(1, InThreadPool(ctx),
                  [&](int, int64_t count, Tensor** keys, Tensor** values) {
                    TF_RETURN_IF_ERROR(ctx->allocate_output(
                        "keys", BatchShape(count, key_shape()), keys));
                    return ctx->allocate_output(
                        "values", BatchShape(count, value_shape()), values);
                  });
  }

  // All keys and their values in tensors of their own.
  absl::Status ExportTo(ParallelFor parallel, Tensor* keys,
                        Tensor* values) const {
    return Export(
        1, parallel,
        [&](int, int64_t count, Tensor** keys_out, Tensor** values_out) {
          *keys = Tensor(key_dtype(), BatchShape(count, key_shape()));
          *values = Tensor(value_dtype(), BatchShape(count, value_shape()));
          *keys_out = keys;
          *values_out = values;
          return keys->IsInitialized() && values->IsInitialized()
                     ? absl::OkStatus()
                     : OutOfMemory();
        });
  }

  // What makes the table anew in a process that has none of its memory. By it
  // tf.data also tells whether a snapshot was made with the same table; so the
  // keys have an order.
  absl::Status AsGraphDef(::tensorflow::GraphDefBuilder* builder,
                          ::tensorflow::Node** out) const override {
    return CatchBadAlloc([&] {
      namespace ops = ::tensorflow::ops;
      Tensor keys, values;
      TF_RETURN_IF_ERROR(ExportTo(OnThisThread, &keys, &values));
      // Its name is shared by nobody, and keeps it from going with a kernel.
      ::tensorflow::Node* table = ops::SourceOp(
          "Examples>ShardedHashTable",
          builder->opts()
              .WithName(absl::StrCat("ShardedHashTable/",
                                     absl::Hex(::tensorflow::random::New64())))
              .WithAttr("use_node_name_sharing", true)
              .WithAttr("key_dtype", key_dtype())
              .WithAttr("value_dtype", value_dtype())
              .WithAttr("key_shape", key_shape())
              .WithAttr("value_shape", value_shape())
              .WithAttr("num_shards", type_.num_shards));
      const std::vector<int64_t> order = SortedOrder(keys);
      const auto constant = [&](Tensor* rows) -> ::tensorflow::Node* {
        Tensor sorted(rows->dtype(), rows->shape());
        if (!sorted.IsInitialized()) return nullptr;
        MoveRows(rows, order, &sorted);
        return ops::SourceOp("Const", builder->opts()
                                          .WithAttr("dtype", sorted.dtype())
                                          .WithAttr("value", sorted));
      };
      ::tensorflow::Node* const key_node = constant(&keys);
      ::tensorflow::Node* const value_node = constant(&values);
      if (key_node == nullptr || value_node == nullptr) return OutOfMemory();
      // The op that imports is for scalar keys alone.
      ::tensorflow::Node* insert =
          ops::TernaryOp("LookupTableInsertV2", table, key_node, value_node,
                         builder->opts()
                             .WithAttr("Tin", key_dtype())
                             .WithAttr("Tout", value_dtype()));
      // What a graph is known by leaves out the inputs of a node that others
      // only wait for. So the pairs are inputs here, too.
      ::tensorflow::NodeBuilder identity(
          builder->opts().GetNameForOp("IdentityN"), "IdentityN",
          builder->opts().op_registry());
      identity.Input({table, key_node, value_node});
      *out =
          builder->opts().WithControlInput(insert).FinalizeBuilder(&identity);
      return absl::OkStatus();
    });
  }

 protected:
  absl::Status OutOfMemory() const {
    return absl::ResourceExhaustedError(
        absl::StrCat("No memory for more keys of a ", type_.DebugString(),
                     " that has ", size()));
  }

 private:
  const TableType type_;
};

// `V` is a type of a tensor's values, and may stand for others of its size.
template <class Keys, class V>
class TableOf final : public ShardedHashTable {
  using Map = ShardedMap<typename Keys::InMap, typename InMap<V>::type>;

 public:
  explicit TableOf(const TableType& type)
      : ShardedHashTable(type),
        map_(type.num_shards, type.value_shape.num_elements()),
        key_length_(type.key_shape.num_elements()) {}

  size_t size() const override { return map_.Size(); }

  int64_t MemoryUsed() const override { return map_.MemoryUsed(); }

  absl::Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
                    const Tensor& defaults) override {
    return CatchBadAlloc([&] {
      const typename Keys::In in(keys, key_length_);
      const V* default_data = Data<V>(defaults);
      V* value_data = Data<V>(values);
      const int64_t length = map_.value_length();
      // TensorFlow's op has seen that it is one for all or one for each.
      const bool default_per_key = defaults.shape() != value_shape();
      std::atomic<bool> ok{true};
      const auto find = [&](int64_t begin, int64_t end) {
        if (!map_.Find(in.data() + begin, end - begin,
                       default_data + (default_per_key ? begin * length : 0),
                       default_per_key, value_data + begin * length)) {
          ok.store(false);
        }
      };
      if (in.size() < kParallelFrom) {
        find(0, in.size());
      } else {
        InThreadPool(ctx)(in.size(), Keys::kCycles + length, find);
      }
      if (!ok.load()) FreeStrings(values);
      return Status(ok.load());
    });
  }

  absl::Status Insert(OpKernelContext* ctx, const Tensor& keys,
                      const Tensor& values) override {
    return CatchBadAlloc(
        [&] { return Status(InsertInto(&map_, ctx, keys, values)); });
  }

  absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                          const Tensor& deltas) override {
    return CatchBadAlloc([&] {
      return AddAs<int32_t, int64_t, Eigen::half, ::tensorflow::bfloat16, float,
                   double>(ctx, keys, deltas);
    });
  }

  absl::Status Remove(OpKernelContext* ctx, const Tensor& keys) override {
    return CatchBadAlloc([&] {
      const typename Keys::In in(keys, key_length_);
      return Status(map_.Remove(in.data(), in.size(), InThreadPool(ctx)));
    });
  }

  absl::Status Clear() override {
    return CatchBadAlloc([&] {
      map_.Clear();
      return absl::OkStatus();
    });
  }

  absl::Status ImportSlices(
      OpKernelContext* ctx,
      const std::vector<std::pair<Tensor, Tensor>>& slices) override {
    return CatchBadAlloc([&] {
      Map map(map_.num_shards(), map_.value_length());
      for (const auto& [keys, values] : slices) {
        TF_RETURN_IF_ERROR(Status(InsertInto(&map, ctx, keys, values)));
      }
      map_.ReplaceWith(&map);
      return absl::OkStatus();
    });
  }

  absl::Status Export(int num_slices, ParallelFor parallel,
                      MakeRoom make_room) const override {
    return CatchBadAlloc([&] {
      const typename Map::Frozen frozen(&map_);
      int shard = 0;
      for (int i = 0; i < num_slices; ++i) {
        const int end =
            static_cast<int>(int64_t{i + 1} * map_.num_shards() / num_slices);
        TF_RETURN_IF_ERROR(
            ExportSlice(frozen, shard, end, i, parallel, make_room));
        shard = end;
      }
      return absl::OkStatus();
    });
  }

 private:
  // From how many keys on work is worth more than one thread.
  static constexpr int64_t kParallelFrom = 4096;

  absl::Status Status(bool ok) const {
    return ok ? absl::OkStatus() : OutOfMemory();
  }

  bool InsertInto(Map* map, OpKernelContext* ctx, const Tensor& keys,
                  const Tensor& values) const {
    const typename Keys::In in(keys, key_length_);
    return map->Insert(in.data(), in.size(), Data<V>(values),
                       InThreadPool(ctx));
  }

  // Adds deltas of that one of the types that they are of.
  template <class T, class... Others>
  absl::Status AddAs(OpKernelContext* ctx, const Tensor& keys,
                     const Tensor& deltas) {
    if constexpr (sizeof(T) == sizeof(V)) {
      if (value_dtype() == ::tensorflow::DataTypeToEnum<T>::v()) {
        const typename Keys::In in(keys, key_length_);
        return Status(map_.template Accumulate<T>(
            in.data(), in.size(), Data<T>(deltas), InThreadPool(ctx)));
      }
    }
    if constexpr (sizeof...(Others) > 0) {
      return AddAs<Others...>(ctx, keys, deltas);
    }
    return absl::InternalError("The op has no other type.");
  }

  // Writes the shards [first, last) as one slice.
  absl::Status ExportSlice(const typename Map::Frozen& frozen, int first,
                           int last, int slice, ParallelFor parallel,
                           MakeRoom make_room) const {
    std::vector<int64_t> begins(last - first + 1);
    for (int i = first; i < last; ++i) {
      begins[i - first + 1] = begins[i - first] + frozen.ShardSize(i);
    }
    const int64_t count = begins.back();
    Tensor* keys;
    Tensor* values;
    TF_RETURN_IF_ERROR(make_room(slice, count, &keys, &values));
    typename Keys::Out out(keys, key_length_);
    V* value_data = Data<V>(values);
    std::atomic<bool> ok{true};
    const auto write = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (!frozen.Export(static_cast<int>(first + i), out.data() + begins[i],
                           value_data + begins[i] * map_.value_length())) {
          ok.store(false);
        }
      }
    };
    if (count < kParallelFrom) {
      write(0, last - first);
    } else {
      parallel(last - first,
               count / (last - first) * (10 + map_.value_length()), write);
    }
    if (!ok.load()) {
      FreeStrings(keys);
      FreeStrings(values);
    }
    return Status(ok.load());
  }

  Map map_;
  const int64_t key_length_;
};

template <class Keys>
ShardedHashTable* NewTableOfKeys(const TableType& type) {
  switch (::tensorflow::DataTypeSize(type.value_dtype)) {
    case 1:
      return new TableOf<Keys, uint8_t>(type);
    case 2:
      return new TableOf<Keys, uint16_t>(type);
    case 4:
      return new TableOf<Keys, uint32_t>(type);
    case 8:
      return new TableOf<Keys, uint64_t>(type);
    default:  // The op has no other type that is not of numbers.
      return new TableOf<Keys, ::tensorflow::tstring>(type);
  }
}

// A new table, with one reference to it.
inline ShardedHashTable* NewTable(const TableType& type) {
  if (type.key_shape.dims() > 0) return NewTableOfKeys<VectorKeys>(type);
  switch (type.key_dtype) {
    case ::tensorflow::DT_INT32:
      return NewTableOfKeys<ScalarKeys<int32_t>>(type);
    case ::tensorflow::DT_INT64:
      return NewTableOfKeys<ScalarKeys<int64_t>>(type);
    default:  // The op has no other type.
      return NewTableOfKeys<ScalarKeys<::tensorflow::tstring>>(type);
  }
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_SHARDED_LOOKUP_TABLE_H_
