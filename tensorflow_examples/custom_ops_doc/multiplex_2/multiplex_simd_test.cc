// Holds MultiplexSimd against a plain loop.

#include "tensorflow_examples/custom_ops_doc/multiplex_2/multiplex_simd.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"

namespace custom_op_examples {
namespace {

template <typename T>
T Value(int64_t i) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(i % 40, 'a' + i % 26);
  } else {
    return static_cast<T>(i % 120);
  }
}

// An array that begins `offset` elements after a cache line, and ends where a
// sanitizer sees what is beyond it.
template <typename T>
class Array {
 public:
  Array(int64_t size, int64_t offset, int64_t first)
      : elements_(offset + size), offset_(offset) {
    for (int64_t i = 0; i < size; ++i) data()[i] = Value<T>(first + 7 * i);
  }
  T* data() { return elements_.data() + offset_; }

 private:
  std::vector<T> elements_;
  int64_t offset_;
};

template <typename T>
class MultiplexSimdTest : public testing::Test {
 protected:
  // Calls `test` with conditions, their number, an offset and a store.
  template <typename Test>
  void ForEachSize(const Test& test) {
    for (int64_t offset : {0, 1, 3, 8}) {
      for (int64_t size :
           {0, 1, 2, 15, 16, 17, 33, 127, 512, 513, 1100, 5000}) {
        // Not only 0 and 1: a byte of a file may be any.
        std::vector<uint8_t> cond(size);
        for (int64_t i = 0; i < size; ++i) {
          cond[i] = i % 3 == 0 ? 0 : i % 5 == 0 ? 128 : i % 2;
        }
        for (Store store : {Store::kCached, Store::kStreamed}) {
          SCOPED_TRACE(testing::Message()
                       << "offset " << offset << ", size " << size
                       << (store == Store::kCached ? "" : ", streamed"));
          test(cond, size, offset, store);
        }
      }
    }
  }
};

using Types = testing::Types<uint8_t, int16_t, float, double,
                             std::complex<double>, std::string>;
TYPED_TEST_SUITE(MultiplexSimdTest, Types);

TYPED_TEST(MultiplexSimdTest, ChoosesFromArrays) {
  using T = TypeParam;
  this->ForEachSize([](const std::vector<uint8_t>& cond, int64_t size,
                       int64_t offset, Store store) {
    Array<T> a(size, offset + 1, 1), b(size, offset + 2, 50),
        out(size, offset, 0);
    const T* const a_data = a.data();
    const T* const b_data = b.data();
    MultiplexSimd(cond.data(), a_data, b_data, size, out.data(), store);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.data()[i], cond[i] ? a_data[i] : b_data[i]) << i;
    }
  });
}

TYPED_TEST(MultiplexSimdTest, WritesInPlaceOfEither) {
  using T = TypeParam;
  this->ForEachSize([](const std::vector<uint8_t>& cond, int64_t size,
                       int64_t offset, Store store) {
    for (bool in_place_of_a : {true, false}) {
      Array<T> kept(size, offset + 1, 1), out(size, offset, 50),
          was(size, offset, 50);
      const T* const out_data = out.data();
      const T* const kept_data = kept.data();
      MultiplexSimd(cond.data(), in_place_of_a ? out_data : kept_data,
                    in_place_of_a ? kept_data : out_data, size, out.data(),
                    store);
      for (int64_t i = 0; i < size; ++i) {
        const bool is_kept = (cond[i] != 0) != in_place_of_a;
        ASSERT_EQ(out.data()[i], is_kept ? kept_data[i] : was.data()[i]) << i;
      }
    }
  });
}

TYPED_TEST(MultiplexSimdTest, WritesInPlaceOfBoth) {
  using T = TypeParam;
  this->ForEachSize([](const std::vector<uint8_t>& cond, int64_t size,
                       int64_t offset, Store store) {
    Array<T> out(size, offset, 50), was(size, offset, 50);
    const T* const out_data = out.data();
    MultiplexSimd(cond.data(), out_data, out_data, size, out.data(), store);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.data()[i], was.data()[i]) << i;
    }
  });
}

TYPED_TEST(MultiplexSimdTest, TakesScalarsForArrays) {
  using T = TypeParam;
  const T one = Value<T>(31), other = Value<T>(62);
  this->ForEachSize([&](const std::vector<uint8_t>& cond, int64_t size,
                        int64_t offset, Store store) {
    Array<T> values(size, offset + 1, 1), out(size, offset, 50);
    const T* const array = values.data();
    const uint8_t* const c = cond.data();
    MultiplexSimd(c, Repeated<T>{one}, array, size, out.data(), store);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.data()[i], cond[i] ? one : array[i]) << i;
    }
    MultiplexSimd(c, array, Repeated<T>{other}, size, out.data(), store);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.data()[i], cond[i] ? array[i] : other) << i;
    }
    MultiplexSimd(c, Repeated<T>{one}, Repeated<T>{other}, size, out.data(),
                  store);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out.data()[i], cond[i] ? one : other) << i;
    }
    // In place of the array.
    const T* const in_place = out.data();
    MultiplexSimd(c, in_place, Repeated<T>{one}, size, out.data(), store);
    for (int64_t i = 0; i < size; ++i) ASSERT_EQ(out.data()[i], one) << i;
  });
}

TEST(MultiplexStoreTest, StreamsWhatNoCacheWouldHold) {
  EXPECT_EQ(StoreFor(1 << 20), Store::kCached);
  EXPECT_EQ(StoreFor(int64_t{80} << 20), Store::kStreamed);
}

TEST(MultiplexStoreTest, LargeOutputsAreRightWhereTheStoreIsNotGiven) {
  const int64_t size = 5'000'003;
  const auto cond = std::make_unique<bool[]>(size);
  for (int64_t i = 0; i < size; ++i) cond[i] = i % 7 < 3;
  Array<int32_t> a(size, 0, 1), b(size, 1, 2), out(size, 3, 0);
  const int32_t* const a_data = a.data();
  const int32_t* const b_data = b.data();
  MultiplexSimd(cond.get(), a_data, b_data, size, out.data());
  for (int64_t i = 0; i < size; ++i) {
    ASSERT_EQ(out.data()[i], cond[i] ? a_data[i] : b_data[i]) << i;
  }
}

}  // namespace
}  // namespace custom_op_examples
