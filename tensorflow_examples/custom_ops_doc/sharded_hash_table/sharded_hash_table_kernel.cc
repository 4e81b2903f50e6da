#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/bfloat16.h"
#include "tensorflow/core/framework/lookup_interface.h"
#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/graph/graph_def_builder.h"
#include "tensorflow/core/platform/random.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/parallel_for.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

namespace custom_op_examples {

using ::tensorflow::bfloat16;
using ::tensorflow::DataType;
using ::tensorflow::DataTypeString;
using ::tensorflow::DEVICE_CPU;
using ::tensorflow::DT_RESOURCE;
using ::tensorflow::DT_STRING;
using ::tensorflow::DtypeAndPartialTensorShape;
using ::tensorflow::GetPerThreadMaxParallelism;
using ::tensorflow::GraphDefBuilder;
using ::tensorflow::Node;
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
using ::tensorflow::core::RefCountPtr;
using ::tensorflow::lookup::LookupInterface;

// A key of several elements, on its way out of the map, which has it as a
// string: the bytes of its numbers, or each of its strings after its length.
struct VectorKey {
  DataType dtype;
  char* to;
};

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

template <>
struct StringAccess<VectorKey> {
  static void Assign(std::string_view from, const VectorKey* key) {
    if (key->dtype != DT_STRING) {
      std::memcpy(key->to, from.data(), from.size());
      return;
    }
    for (auto* to = reinterpret_cast<tstring*>(key->to); !from.empty(); ++to) {
      uint64_t size;
      std::memcpy(&size, from.data(), sizeof(size));
      to->assign(from.data() + sizeof(size), size);
      from.remove_prefix(sizeof(size) + size);
    }
  }
};

namespace {

template <class T>
const T* Data(const Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}
template <class T>
T* Data(Tensor* tensor) {
  return static_cast<T*>(tensor->data());
}

size_t ElementSize(DataType dtype) {
  return dtype == DT_STRING ? sizeof(tstring)
                            : ::tensorflow::DataTypeSize(dtype);
}

// Calls `f`, which returns a status. Nothing that it allocates may fail in
// another way: an exception that leaves a kernel ends the process.
template <class F>
absl::Status CatchBadAlloc(const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("Memory has run out.");
  }
}

// A ParallelFor in the intra-op thread pool, whose other tasks may wait for the
// table: see OnThreads for why it can be called while a shard is locked.
auto InThreadPool(OpKernelContext* ctx) {
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  return OnThreads(std::min(threads->num_threads, GetPerThreadMaxParallelism()),
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

  std::string DebugString() const {
    const auto part = [](DataType dtype, const TensorShape& shape) {
      return absl::StrCat(DataTypeString(dtype),
                          shape.dims() == 0 ? "" : shape.DebugString());
    };
    return absl::StrCat("ShardedHashTable<", part(key_dtype, key_shape), ", ",
                        part(value_dtype, value_shape), ">");
  }
};

TensorShape BatchShape(int64_t count, const TensorShape& element) {
  TensorShape shape({count});
  shape.AppendShape(element);
  return shape;
}

// The rows of a tensor in another order.
void CopyRows(const Tensor& from, const std::vector<int64_t>& order,
              Tensor* to) {
  if (from.NumElements() == 0) return;
  const int64_t length = from.NumElements() / from.dim_size(0);
  if (from.dtype() == DT_STRING) {
    tstring* at = Data<tstring>(to);
    for (const int64_t i : order) {
      at = std::copy_n(Data<tstring>(from) + i * length, length, at);
    }
    return;
  }
  const int64_t bytes = length * ElementSize(from.dtype());
  char* at = Data<char>(to);
  for (const int64_t i : order) {
    std::memcpy(at, Data<char>(from) + i * bytes, bytes);
    at += bytes;
  }
}

template <class T>
void SortRows(const Tensor& rows, std::vector<int64_t>* order) {
  const T* data = Data<T>(rows);
  const int64_t length = rows.NumElements() / rows.dim_size(0);
  std::sort(order->begin(), order->end(), [=](int64_t a, int64_t b) {
    return std::lexicographical_compare(
        data + a * length, data + (a + 1) * length, data + b * length,
        data + (b + 1) * length);
  });
}

// The order in which the rows of keys are sorted, strings by their bytes.
std::vector<int64_t> SortedOrder(const Tensor& keys) {
  std::vector<int64_t> order(keys.dim_size(0));
  std::iota(order.begin(), order.end(), 0);
  if (order.empty()) return order;
  switch (keys.dtype()) {
    case ::tensorflow::DT_INT32:
      SortRows<int32_t>(keys, &order);
      break;
    case ::tensorflow::DT_INT64:
      SortRows<int64_t>(keys, &order);
      break;
    default:  // The op has no other type.
      SortRows<tstring>(keys, &order);
  }
  return order;
}

}  // namespace

// A table that is safe to use from many threads. It is one of TensorFlow's,
// whose LookupTable...V2 ops serve it; ops of ours do what they lack. They tell
// it from other tables by its type, so it must not be in an anonymous
// namespace: those of two libraries would have the same name.
class ShardedHashTable : public LookupInterface {
 public:
  explicit ShardedHashTable(const TableType& type) : type_(type) {}

  const TableType& type() const { return type_; }
  DataType key_dtype() const override { return type_.key_dtype; }
  DataType value_dtype() const override { return type_.value_dtype; }
  TensorShape key_shape() const override { return type_.key_shape; }
  TensorShape value_shape() const override { return type_.value_shape; }

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

  // What makes the table anew in a process that has none of its memory.
  absl::Status AsGraphDef(GraphDefBuilder* builder, Node** out) const override {
    return CatchBadAlloc([&] {
      namespace ops = ::tensorflow::ops;
      Tensor keys, values;
      TF_RETURN_IF_ERROR(ExportTo(OnThisThread, &keys, &values));
      // Its name is shared by nobody, and keeps it from going with a kernel.
      Node* table = ops::SourceOp(
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
      const auto constant = [builder](const Tensor& tensor) {
        return ops::SourceOp("Const", builder->opts()
                                          .WithAttr("dtype", tensor.dtype())
                                          .WithAttr("value", tensor));
      };
      // The op that imports is for scalar keys alone.
      Node* insert = ops::TernaryOp("LookupTableInsertV2", table,
                                    constant(keys), constant(values),
                                    builder->opts()
                                        .WithAttr("Tin", key_dtype())
                                        .WithAttr("Tout", value_dtype()));
      *out = ops::UnaryOp("Identity", table,
                          builder->opts().WithControlInput(insert));
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

namespace {

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

// Keys of one element: a map reads and writes them where they are.
template <class K>
struct ScalarKeys {
  using InMap = typename InMap<K>::type;
  static constexpr int64_t kCycles = std::is_same_v<K, tstring> ? 200 : 80;

  class In {
   public:
    In(const Tensor& keys, int64_t /*length*/)
        : data_(Data<K>(keys)), size_(keys.NumElements()) {}
    const K* data() const { return data_; }
    int64_t size() const { return size_; }

   private:
    const K* data_;
    int64_t size_;
  };

  class Out {
   public:
    Out(Tensor* keys, int64_t /*length*/) : data_(Data<K>(keys)) {}
    K* data() { return data_; }

   private:
    K* data_;
  };
};

// Keys of several elements, as the strings that VectorKey tells of.
struct VectorKeys {
  using InMap = std::string;
  static constexpr int64_t kCycles = 200;

  class In {
   public:
    In(const Tensor& keys, int64_t length)
        : views_(keys.NumElements() / length) {
      if (keys.dtype() == DT_STRING) {
        strings_.resize(views_.size());
        const tstring* part = Data<tstring>(keys);
        for (size_t i = 0; i < views_.size(); ++i) {
          for (int64_t j = 0; j < length; ++j, ++part) {
            const uint64_t size = part->size();
            strings_[i].append(reinterpret_cast<const char*>(&size),
                               sizeof(size));
            strings_[i].append(part->data(), size);
          }
          views_[i] = strings_[i];
        }
        return;
      }
      const size_t bytes = length * ElementSize(keys.dtype());
      for (size_t i = 0; i < views_.size(); ++i) {
        views_[i] = {Data<char>(keys) + i * bytes, bytes};
      }
    }
    const std::string_view* data() const { return views_.data(); }
    int64_t size() const { return static_cast<int64_t>(views_.size()); }

   private:
    std::vector<std::string> strings_;
    std::vector<std::string_view> views_;
  };

  class Out {
   public:
    Out(Tensor* keys, int64_t length) : keys_(keys->NumElements() / length) {
      const size_t bytes = length * ElementSize(keys->dtype());
      for (size_t i = 0; i < keys_.size(); ++i) {
        keys_[i] = {keys->dtype(), Data<char>(keys) + i * bytes};
      }
    }
    VectorKey* data() { return keys_.data(); }

   private:
    std::vector<VectorKey> keys_;
  };
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
        try {
          map_.Find(in.data() + begin, end - begin,
                    default_data + (default_per_key ? begin * length : 0),
                    default_per_key, value_data + begin * length);
        } catch (const std::bad_alloc&) {
          ok.store(false);
        }
      };
      if (in.size() < kParallelFrom) {
        find(0, in.size());
      } else {
        InThreadPool(ctx)(in.size(), Keys::kCycles + length, find);
      }
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
        default:  // The op has no other type.
          return Accumulate<double>(ctx, keys, deltas);
      }
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

  // All pairs of a small table, a few of a large one, long ones cut short.
  std::string DebugString() const override {
    constexpr int64_t kMaxPairs = 3;
    constexpr int64_t kMaxElements = 10;
    std::string result = absl::StrCat(type().DebugString(), " {");
    int64_t pairs = 0;
    const typename Map::Frozen frozen(&map_);
    for (int i = 0; i < map_.num_shards(); ++i) {
      const int64_t count = frozen.ShardSize(i);
      if (count == 0) continue;
      if (pairs >= kMaxPairs) return result + "...}";
      Tensor keys(key_dtype(), BatchShape(count, key_shape()));
      Tensor values(value_dtype(), BatchShape(count, value_shape()));
      typename Keys::Out out(&keys, key_length_);
      frozen.Export(i, out.data(), Data<V>(&values));
      for (int64_t j = 0; j < count && pairs < kMaxPairs; ++j, ++pairs) {
        absl::StrAppend(
            &result, keys.Slice(j, j + 1).SummarizeValue(kMaxElements), ": ",
            values.Slice(j, j + 1).SummarizeValue(kMaxElements), ", ");
      }
    }
    return result + "}";
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

  template <class T>
  absl::Status Accumulate(OpKernelContext* ctx, const Tensor& keys,
                          const Tensor& deltas) {
    if constexpr (sizeof(T) == sizeof(V)) {
      const typename Keys::In in(keys, key_length_);
      return Status(map_.template Accumulate<T>(
          in.data(), in.size(), Data<T>(deltas), InThreadPool(ctx)));
    } else {
      return absl::InternalError("The table has values of another size.");
    }
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
    const auto write = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        frozen.Export(static_cast<int>(first + i), out.data() + begins[i],
                      value_data + begins[i] * map_.value_length());
      }
    };
    if (count < kParallelFrom) {
      write(0, last - first);
    } else {
      parallel(last - first,
               count / (last - first) * (10 + map_.value_length()), write);
    }
    return absl::OkStatus();
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
      return new TableOf<Keys, tstring>(type);
  }
}

ShardedHashTable* NewTable(const TableType& type) {
  if (type.key_shape.dims() > 0) return NewTableOfKeys<VectorKeys>(type);
  switch (type.key_dtype) {
    case ::tensorflow::DT_INT32:
      return NewTableOfKeys<ScalarKeys<int32_t>>(type);
    case ::tensorflow::DT_INT64:
      return NewTableOfKeys<ScalarKeys<int64_t>>(type);
    default:  // The op has no other type.
      return NewTableOfKeys<ScalarKeys<tstring>>(type);
  }
}

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
    using AnyMap = ShardedMap<int32_t, uint8_t>;
    const int shards = type_.num_shards;
    OP_REQUIRES(ctx,
                shards > 0 && shards <= AnyMap::kMaxShards &&
                    (shards & (shards - 1)) == 0,
                absl::InvalidArgumentError(absl::StrCat(
                    "num_shards must be a power of two of at most ",
                    AnyMap::kMaxShards, ", not ", shards)));
    OP_REQUIRES(ctx, type_.key_shape.num_elements() > 0,
                absl::InvalidArgumentError(
                    absl::StrCat("A key must have an element. Its shape: ",
                                 type_.key_shape.DebugString())));
    OP_REQUIRES(
        ctx, type_.value_shape.num_elements() <= AnyMap::kMaxValueLength,
        absl::InvalidArgumentError(absl::StrCat(
            "A value must have at most ", AnyMap::kMaxValueLength,
            " elements. Its shape: ", type_.value_shape.DebugString())));
  }

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, CatchBadAlloc([&] {
                     if (anonymous_) return MakeAnonymous(ctx, &handle);
                     absl::MutexLock l(&mu_);
                     if (made_) {
                       handle = handle_;
                       return absl::OkStatus();
                     }
                     TF_RETURN_IF_ERROR(is_named_
                                            ? MakeNamed(ctx, &handle)
                                            : MakeAnonymous(ctx, &handle));
                     handle_ = handle;
                     made_ = true;
                     return absl::OkStatus();
                   }));
    Tensor* output;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &output));
    output->scalar<ResourceHandle>()() = std::move(handle);
  }

 private:
  std::vector<DtypeAndPartialTensorShape> Notes() const {
    return {{type_.key_dtype, type_.key_shape},
            {type_.value_dtype, type_.value_shape}};
  }

  // The handle takes over the only reference to the table. Its name leads to it
  // too, for who has the handle serialized, but does not keep it.
  absl::Status MakeAnonymous(OpKernelContext* ctx, ResourceHandle* handle) {
    LookupInterface* table = NewTable(type_);
    *handle = ResourceHandle::MakeRefCountingHandle(
        table, ctx->device()->name(), Notes(), ctx->stack_trace());
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
  // What it gives from the first call on; it keeps a table that has no name.
  ResourceHandle handle_ ABSL_GUARDED_BY(mu_);
  bool made_ ABSL_GUARDED_BY(mu_) = false;
};

// An op on a table of ours, which is input 0.
class TableOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(ctx->input(0).shape()),
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
    for (const Tensor* rows : {&keys, &values}) {
      Tensor* sorted;
      TF_RETURN_IF_ERROR(
          ctx->allocate_output(output++, rows->shape(), &sorted));
      CopyRows(*rows, order, sorted);
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
