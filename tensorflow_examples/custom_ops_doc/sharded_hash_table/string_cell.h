// Strings in the slots of a map: short ones as they are, of long ones a
// pointer.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_STRING_CELL_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_STRING_CELL_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/cell.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/hash.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/reclaimer.h"
#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/seqlock.h"

namespace custom_op_examples {

// How a type of string is read and written. Specialize it for others. Assign
// may throw std::bad_alloc.
template <class T>
struct StringAccess {
  static std::string_view View(const T& s) { return s; }
  static void Assign(std::string_view from, T* to) {
    to->assign(from.data(), from.size());
  }
};

namespace sharded_map_internal {

// A string in three words:
//
//   short   [ up to 23 bytes, followed by zeros         | size ]
//   long    [ StringBlock* ][ hash ][ 0 ...             | 0xff ]
//
// The words are copied freely; the map sees to the block.
struct StringCell {
  uint64_t words[3];
};

// A long string, which never changes.
struct StringBlock : Block {
  std::string_view view() const {
    return {reinterpret_cast<const char*>(this + 1), size};
  }
};

constexpr size_t kShortString = sizeof(StringCell) - 1;
constexpr uint64_t kLong = uint64_t{0xff} << 56;
static_assert(kShortString < 0xff, "the last byte tells short from long");

inline StringBlock* LongString(const StringCell& cell) {
  return cell.words[2] == kLong ? reinterpret_cast<StringBlock*>(cell.words[0])
                                : nullptr;
}

// The string of a cell, which has to stay where it is meanwhile.
inline std::string_view ViewOf(const StringCell& cell) {
  if (StringBlock* block = LongString(cell)) return block->view();
  return {reinterpret_cast<const char*>(cell.words), cell.words[2] >> 56};
}

// Up to eight bytes, followed by zeros.
inline uint64_t PartialWord(const char* bytes, size_t size) {
  if (size >= 8) return Unaligned<uint64_t>(bytes);
  if (size >= 4) {
    const uint64_t high = Unaligned<uint32_t>(bytes + size - 4);
    return Unaligned<uint32_t>(bytes) | high << (8 * (size - 4));
  }
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

inline StringCell ShortCell(std::string_view s) {
  StringCell cell;
  cell.words[0] = PartialWord(s.data(), s.size());
  cell.words[1] = s.size() > 8 ? PartialWord(s.data() + 8, s.size() - 8) : 0;
  cell.words[2] = s.size() > 16 ? PartialWord(s.data() + 16, s.size() - 16) : 0;
  cell.words[2] |= uint64_t{s.size()} << 56;
  return cell;
}

// Returns false without memory. If there is an arena it has room, and is asked
// for it in the last resort.
inline bool MakeLongCell(std::string_view s, uint64_t hash, StringCell* cell,
                         Arena* arena = nullptr) {
  uint64_t kind = Block::kOnHeap;
  void* memory = s.size() > SIZE_MAX / 8
                     ? nullptr
                     : std::malloc(sizeof(StringBlock) + s.size());
  if (memory == nullptr) {
    if (arena == nullptr) return false;
    memory = arena->Allocate(s.size());
    kind = Block::kInArena;
  }
  auto* block = new (memory) StringBlock{{nullptr, kind, s.size()}};
  std::memcpy(static_cast<void*>(block + 1), s.data(), s.size());
  *cell = {{reinterpret_cast<uint64_t>(block), hash, kLong}};
  return true;
}

// Values that a batch of writes is yet to put in the map, made before there is
// anything to undo. What is left in the end is freed.
class PreparedStrings {
 public:
  PreparedStrings() = default;
  ~PreparedStrings() {
    for (size_t i = 0; i < size_; ++i) std::free(LongString(cells_[i]));
    if (cells_ != one_) delete[] cells_;
  }
  PreparedStrings(const PreparedStrings&) = delete;
  PreparedStrings& operator=(const PreparedStrings&) = delete;

  // Makes room for so many; returns false without memory.
  bool Resize(size_t size) {
    cells_ = size <= 1 ? one_ : new (std::nothrow) StringCell[size]();
    size_ = cells_ == nullptr ? 0 : size;
    return cells_ != nullptr;
  }
  StringCell* at(size_t i) { return cells_ + i; }

  static StringCell Take(StringCell* cell) {
    return std::exchange(*cell, StringCell{});
  }

 private:
  StringCell one_[1] = {};
  StringCell* cells_ = one_;
  size_t size_ = 0;
};

template <>
struct Cells<std::string> {
  using Cell = StringCell;
  static constexpr bool kIsString = true;

  static Cell Load(const Cell* from) {
    return {{AtomicLoadPointer(&from->words[0]),
             AtomicLoadPointer(&from->words[1]),
             AtomicLoadPointer(&from->words[2])}};
  }
  static void Store(const Cell& cell, Cell* to) {
    for (int i = 0; i < 3; ++i) AtomicStore(&to->words[i], cell.words[i]);
  }

  // Returns false without memory.
  template <class In>
  static bool Make(const In& in, Cell* cell) {
    const std::string_view s = StringAccess<In>::View(in);
    if (s.size() > kShortString) return MakeLongCell(s, 0, cell);
    *cell = ShortCell(s);
    return true;
  }

  template <class Out>
  static void Get(const Cell& cell, Out* out) {
    StringAccess<Out>::Assign(ViewOf(cell), out);
  }

  static void Retire(const Cell& cell, BlockList* blocks) {
    if (StringBlock* block = LongString(cell)) blocks->Push(block);
  }
};

template <>
struct Query<std::string> {
  using Cell = StringCell;

  template <class In>
  Query(const In& in, const Salt& salt) : Query(in, WordOf(in, salt), salt) {}

  template <class In>
  Query(const In& in, uint64_t word, const Salt&)
      : hash(word), view(StringAccess<In>::View(in)) {
    cell = IsLong() ? Cell{{0, hash, kLong}} : ShortCell(view);
  }

  // What a batch of writes is sorted by: the hash, which is worth keeping.
  template <class In>
  static uint64_t WordOf(const In& in, const Salt& salt) {
    const std::string_view s = StringAccess<In>::View(in);
    return s.size() > kShortString ? HashOfBytes(s, salt)
                                   : HashOfWords(ShortCell(s).words, salt);
  }
  static uint64_t HashOfWord(uint64_t word, const Salt&) { return word; }
  static uint64_t HashOf(const Cell& cell, const Salt& salt) {
    return LongString(cell) ? cell.words[1] : HashOfWords(cell.words, salt);
  }

  bool IsLong() const { return view.size() > kShortString; }

  // Whether a cell may be that of this key, by its words alone.
  bool MayEqual(const Cell& other) const {
    return cell.words[1] == other.words[1] && cell.words[2] == other.words[2] &&
           (cell.words[2] == kLong || cell.words[0] == other.words[0]);
  }
  bool Equals(const Cell& other) const {
    return MayEqual(other) && (!IsLong() || view == ViewOf(other));
  }

  uint64_t hash;
  Cell cell;
  std::string_view view;
};

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_STRING_CELL_H_
