// The control bytes of a Swiss table, eight at a time: see "Swiss Tables Design
// Notes" at abseil.io/about/design/swisstables, from which the names are. Here
// a full slot is the one whose byte has the high bit, so that memory of zeros
// is a table of empty slots.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CONTROL_GROUP_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CONTROL_GROUP_H_

#include <cstddef>
#include <cstdint>

namespace custom_op_examples {
namespace sharded_map_internal {

// What a control byte may be, besides full: 0x80 | H2.
constexpr uint8_t kEmpty = 0;
constexpr uint8_t kDeleted = 1;

// The parts of a hash. The upper bits are the better ones for keys that follow
// one another: in a product, each bit depends on those below it.
//
//   63      54 53   47 46       15 14    0
//   [ shard  ] [ H2  ] [   H1    ] [     ]
constexpr int kShardBits = 10;
constexpr int kH2Bits = 7;
constexpr int kH1Bits = 32;
constexpr int kH2Shift = 64 - kShardBits - kH2Bits;
constexpr int kH1Shift = kH2Shift - kH1Bits;
static_assert(kH1Shift >= 0, "a hash has 64 bits");

// Where the search for a key begins, as a part of 1 << kH1Bits.
inline uint64_t H1(uint64_t hash) {
  return hash >> kH1Shift & ((uint64_t{1} << kH1Bits) - 1);
}
// The control byte of a key's slot.
inline uint8_t H2(uint64_t hash) {
  return static_cast<uint8_t>(0x80 | (hash >> kH2Shift & 0x7f));
}

// Some of the slots of a group: the high bits of their bytes. To be gone
// through with a range-based for.
class BitMask {
 public:
  explicit BitMask(uint64_t bits) : bits_(bits) {}
  explicit operator bool() const { return bits_ != 0; }
  int LowestSlot() const { return __builtin_ctzll(bits_) >> 3; }

  BitMask begin() const { return *this; }
  BitMask end() const { return BitMask(0); }
  int operator*() const { return LowestSlot(); }
  BitMask& operator++() {
    bits_ &= bits_ - 1;
    return *this;
  }
  bool operator!=(const BitMask& other) const { return bits_ != other.bits_; }

 private:
  uint64_t bits_;
};

class ControlGroup {
 public:
  static constexpr int kSlots = 8;  // The bytes of a word.

  explicit ControlGroup(uint64_t word) : word_(word) {}
  uint64_t word() const { return word_; }

  // The slots that may be those of a key, by its H2; one above a slot that is
  // may be wrongly among them.
  BitMask Match(uint8_t h2) const { return Zeros(word_ ^ kEachByte * h2); }
  BitMask MatchFull() const { return BitMask(word_ & kHighBits); }
  BitMask MatchNotFull() const { return BitMask(~word_ & kHighBits); }
  bool HasEmpty() const { return static_cast<bool>(Zeros(word_)); }
  bool IsDeleted(int slot) const {
    return (word_ >> 8 * slot & 0xff) == kDeleted;
  }

  ControlGroup With(int slot, uint8_t control) const {
    const int shift = 8 * slot;
    return ControlGroup((word_ & ~(uint64_t{0xff} << shift)) | uint64_t{control}
                                                                   << shift);
  }

 private:
  static constexpr uint64_t kEachByte = 0x0101010101010101;
  static constexpr uint64_t kHighBits = kEachByte << 7;

  // The bytes that are zero, and some of 1 above them: "Determine if a word has
  // a zero byte" of Anderson's "Bit Twiddling Hacks".
  static BitMask Zeros(uint64_t word) {
    return BitMask((word - kEachByte) & ~word & kHighBits);
  }

  uint64_t word_;
};

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_CONTROL_GROUP_H_
