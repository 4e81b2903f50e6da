// The keys of a batch, as tensors have them and as a ShardedMap takes them.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_BATCH_OF_KEYS_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_BATCH_OF_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/sharded_map.h"

namespace custom_op_examples {

using ::tensorflow::DataType;
using ::tensorflow::DataTypeSize;
using ::tensorflow::DT_STRING;
using ::tensorflow::Tensor;
using ::tensorflow::tstring;

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
  // The copy owns its bytes, which those of the table may not outlive. A long
  // one is made here, as tstring writes to null where there is no memory.
  static void Assign(std::string_view from, tstring* to) {
    if (from.size() <= TF_TString_SmallCapacity) {
      to->assign(from.data(), from.size());
      return;
    }
    const size_t capacity = TF_align16(from.size() + 1) - 1;
    auto* const bytes = static_cast<char*>(std::malloc(capacity + 1));
    if (bytes == nullptr) throw std::bad_alloc();
    std::memcpy(bytes, from.data(), from.size());
    bytes[from.size()] = 0;
    // What string tensors are made of, in C's interface to them.
    auto* const string = reinterpret_cast<TF_TString*>(to);
    TF_TString_Dealloc(string);
    string->u.large.size =
        TF_TString_ToInternalSizeT(from.size(), TF_TSTR_LARGE);
    string->u.large.cap = capacity;
    string->u.large.ptr = bytes;
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
      StringAccess<tstring>::Assign(from.substr(sizeof(size), size), to);
      from.remove_prefix(sizeof(size) + size);
    }
  }
};

template <class T>
const T* Data(const Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}
template <class T>
T* Data(Tensor* tensor) {
  return static_cast<T*>(tensor->data());
}

inline size_t ElementSize(DataType dtype) {
  return dtype == DT_STRING ? sizeof(tstring) : DataTypeSize(dtype);
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

// Frees the strings of a tensor for which memory has run out, or there would be
// none to say so with.
inline void FreeStrings(Tensor* tensor) {
  if (tensor->dtype() != DT_STRING) return;
  tstring* strings = Data<tstring>(tensor);
  for (int64_t i = 0; i < tensor->NumElements(); ++i) strings[i] = tstring();
}

// Moves the rows of a tensor to another, in an order.
inline void MoveRows(Tensor* from, const std::vector<int64_t>& order,
                     Tensor* to) {
  if (order.empty()) return;
  const int64_t length = from->NumElements() / from->dim_size(0);
  if (from->dtype() == DT_STRING) {
    tstring* at = Data<tstring>(to);
    for (const int64_t i : order) {
      tstring* row = Data<tstring>(from) + i * length;
      at = std::move(row, row + length, at);
    }
    return;
  }
  const int64_t bytes = length * ElementSize(from->dtype());
  if (bytes == 0) return;
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
  if (length == 1) {
    std::sort(order->begin(), order->end(),
              [=](int64_t a, int64_t b) { return data[a] < data[b]; });
    return;
  }
  std::sort(order->begin(), order->end(), [=](int64_t a, int64_t b) {
    return std::lexicographical_compare(
        data + a * length, data + (a + 1) * length, data + b * length,
        data + (b + 1) * length);
  });
}

// The order in which the rows of keys are sorted, strings by their bytes.
inline std::vector<int64_t> SortedOrder(const Tensor& keys) {
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

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_BATCH_OF_KEYS_H_
