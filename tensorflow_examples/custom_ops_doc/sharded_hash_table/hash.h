// The hash of a key: its words are multiplied and folded, with a salt that is
// another for each process.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_HASH_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_HASH_H_

#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace custom_op_examples {
namespace sharded_map_internal {

// Odd, and without a pattern: digits of the golden ratio and of pi.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr uint64_t kPi = 0x243f6a8885a308d3;

// The product of a word and one of the constants above, folded to one word:
// every bit of the result depends on every bit of `word`. Keys are never
// multiplied by one another, as one that is zero would leave nothing of the
// other.
inline uint64_t Mix(uint64_t word, uint64_t multiplier) {
  const auto product = static_cast<unsigned __int128>(word) * multiplier;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct Salt {
  uint64_t first;
  uint64_t second;
};

// Nobody can choose keys that collide without knowing it. It is made of random
// bytes that Linux has for each process, and of where this library lies.
inline const Salt& ProcessSalt() {
  static const Salt salt = [] {
    static const char here = 0;
    uint64_t random[2] = {0, 0};
    if (const uint64_t bytes = getauxval(AT_RANDOM)) {
      std::memcpy(random, reinterpret_cast<const void*>(bytes), sizeof(random));
    }
    const uint64_t first =
        Mix(random[0] ^ reinterpret_cast<uint64_t>(&here), kGolden);
    return Salt{first, Mix(random[1] ^ first, kPi)};
  }();
  return salt;
}

inline uint64_t HashOfWord(uint64_t word, const Salt& salt) {
  return Mix(word ^ salt.first, kGolden);
}

// That of three words, of which the first two do not wait for one another.
inline uint64_t HashOfWords(const uint64_t words[3], const Salt& salt) {
  return Mix(
      (Mix(words[0] ^ salt.first, kGolden) + Mix(words[1] ^ salt.second, kPi)) ^
          words[2],
      kGolden);
}

template <class T>
T Unaligned(const char* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// That of at least 16 bytes: two halves, of every other word.
inline uint64_t HashOfBytes(std::string_view s, const Salt& salt) {
  uint64_t even = salt.first;
  uint64_t odd = salt.second;
  const auto add = [&](const char* bytes) {
    even = Mix(even ^ Unaligned<uint64_t>(bytes), kGolden);
    odd = Mix(odd ^ Unaligned<uint64_t>(bytes + 8), kPi);
  };
  const char* const last = s.data() + s.size() - 16;
  for (const char* bytes = s.data(); bytes < last; bytes += 16) add(bytes);
  add(last);  // Some of it again, if need be.
  return Mix((even + odd) ^ s.size(), kGolden);
}

}  // namespace sharded_map_internal
}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_HASH_H_
