// What a key or a value is in a slot, and how it gets there and back; those of
// numbers. string_cell.h has those of strings.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CELL_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CELL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/hash.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/reclaimer.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/seqlock.h"

namespace custom_op_examples {
namespace sharded_map_internal {

template <size_t size>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using type = uint64_t;
};

// `T` is trivially copyable and of a machine word at most, or std::string.
template <class T>
struct Cells {
  static_assert(std::is_trivially_copyable_v<T>);
  using Cell = typename UnsignedOfSize<sizeof(T)>::type;
  static constexpr bool kIsString = false;

  static Cell Load(const Cell* from) { return AtomicLoad(from); }
  static void Store(Cell cell, Cell* to) { AtomicStore(to, cell); }

  template <class In>
  static Cell Make(const In& in) {
    static_assert(sizeof(In) == sizeof(Cell));
    Cell cell;
    std::memcpy(&cell, &in, sizeof(Cell));
    return cell;
  }

  template <class Out>
  static void Get(const Cell& cell, Out* out) {
    static_assert(sizeof(Out) == sizeof(Cell));
    std::memcpy(static_cast<void*>(out), &cell, sizeof(Cell));
  }

  static void Retire(Cell, BlockList*) {}
};

// A key as it is looked for.
template <class K>
struct Query {
  using Cell = typename Cells<K>::Cell;

  template <class In>
  Query(const In& in, const Salt& salt) : Query(in, WordOf(in, salt), salt) {}

  template <class In>
  Query(const In&, uint64_t word, const Salt& salt)
      : hash(HashOfWord(word, salt)), cell(static_cast<Cell>(word)) {}

  // What a batch of writes is sorted by: the key itself.
  template <class In>
  static uint64_t WordOf(const In& in, const Salt&) {
    return Cells<K>::Make(in);
  }
  static uint64_t HashOfWord(uint64_t word, const Salt& salt) {
    return sharded_map_internal::HashOfWord(word, salt);
  }
  static uint64_t HashOf(Cell cell, const Salt& salt) {
    return HashOfWord(cell, salt);
  }

  bool Equals(const Cell& other) const { return cell == other; }

  uint64_t hash;
  Cell cell;
};

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CELL_H_
