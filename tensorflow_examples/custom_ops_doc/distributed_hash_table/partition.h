#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_DISTRIBUTED_HASH_TABLE_PARTITION_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_DISTRIBUTED_HASH_TABLE_PARTITION_H_

#include <cstdint>

namespace custom_op_examples {

// Mixes the bits of a number: the finalizer of SplitMix64 (Steele, Lea and
// Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
inline uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Scales a hash to [0, count), by its upper bits.
inline int64_t Scale(uint64_t hash, int64_t count) {
  return static_cast<int64_t>(
      (static_cast<unsigned __int128>(hash) * static_cast<uint64_t>(count)) >>
      64);
}

// Writes the partition of each key, which `partition_of(key)` tells, to
// `partitions`, and adds the number of keys of each to `counts`.
template <typename Key, typename PartitionOf>
void CountPartitions(const Key* keys, int64_t size,
                     const PartitionOf& partition_of, int32_t* partitions,
                     int64_t* counts) {
  for (int64_t i = 0; i < size; ++i) {
    const int32_t partition = partition_of(keys[i]);
    partitions[i] = partition;
    ++counts[partition];
  }
}

// Copies each key, by `copy(from, to)`, and its position to the end of its
// partition's, so that they keep their order. `key_ends` and `position_ends`
// hold, for each partition, where to write next.
template <typename Key, typename Copy>
void CopyToPartitions(const Key* keys, const int32_t* partitions, int64_t size,
                      const Copy& copy, Key** key_ends,
                      int32_t** position_ends) {
  for (int64_t i = 0; i < size; ++i) {
    const int32_t partition = partitions[i];
    copy(keys[i], *key_ends[partition]++);
    *position_ends[partition]++ = static_cast<int32_t>(i);
  }
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_DISTRIBUTED_HASH_TABLE_PARTITION_H_
