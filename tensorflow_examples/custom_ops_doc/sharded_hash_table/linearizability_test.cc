// Histories of which it is known whether they are linearizable.

#include "tensorflow_examples/custom_ops_doc/sharded_hash_table/linearizability.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace custom_op_examples {
namespace {

Call Insert(int64_t value, int64_t begin, int64_t end) {
  return {Call::kInsert, value, std::nullopt, begin, end};
}
Call Add(int64_t delta, int64_t sum, int64_t begin, int64_t end) {
  return {Call::kAccumulate, delta, sum, begin, end};
}
Call Remove(bool removed, int64_t begin, int64_t end) {
  return {Call::kRemove, 0, removed ? KeyState(0) : std::nullopt, begin, end};
}
Call Find(KeyState found, int64_t begin, int64_t end) {
  return {Call::kFind, 0, found, begin, end};
}

TEST(LinearizabilityTest, NothingIsLinearizable) {
  EXPECT_TRUE(IsLinearizable({}));
}

TEST(LinearizabilityTest, CallsAfterOneAnotherHaveOneOrder) {
  EXPECT_TRUE(IsLinearizable({Find({}, 1, 2), Insert(7, 3, 4), Find(7, 5, 6),
                              Add(2, 9, 7, 8), Remove(true, 9, 10),
                              Remove(false, 11, 12), Add(3, 3, 13, 14)}));
  EXPECT_FALSE(IsLinearizable({Insert(7, 1, 2), Find({}, 3, 4)}));
  EXPECT_FALSE(IsLinearizable({Insert(7, 1, 2), Find(8, 3, 4)}));
  EXPECT_FALSE(IsLinearizable({Remove(true, 1, 2)}));
  EXPECT_FALSE(IsLinearizable({Insert(7, 1, 2), Remove(false, 3, 4)}));
  EXPECT_FALSE(IsLinearizable({Insert(7, 1, 2), Add(2, 2, 3, 4)}));
}

TEST(LinearizabilityTest, CallsAtOnceMayBeInEitherOrder) {
  EXPECT_TRUE(IsLinearizable({Insert(7, 1, 4), Find({}, 2, 3)}));
  EXPECT_TRUE(IsLinearizable({Insert(7, 1, 4), Find(7, 2, 3)}));
  EXPECT_TRUE(
      IsLinearizable({Insert(7, 1, 3), Insert(8, 2, 4), Find(7, 5, 6)}));
  EXPECT_TRUE(
      IsLinearizable({Insert(7, 1, 3), Insert(8, 2, 4), Find(8, 5, 6)}));
}

TEST(LinearizabilityTest, ReadersAgreeOnTheOrder) {
  EXPECT_FALSE(IsLinearizable(
      {Insert(7, 1, 10), Insert(8, 2, 11), Find(7, 12, 13), Find(8, 14, 15)}));
  // What one reader has seen, one that begins later cannot have missed.
  EXPECT_FALSE(
      IsLinearizable({Insert(7, 1, 10), Find(7, 2, 3), Find({}, 4, 5)}));
  EXPECT_TRUE(
      IsLinearizable({Insert(7, 1, 10), Find({}, 2, 3), Find(7, 4, 5)}));
}

TEST(LinearizabilityTest, ValueThatWasReplacedIsNotSeenAgain) {
  EXPECT_FALSE(IsLinearizable(
      {Insert(7, 1, 2), Insert(8, 3, 4), Find(7, 5, 6), Find(8, 7, 8)}));
}

TEST(LinearizabilityTest, LostUpdateIsFound) {
  EXPECT_TRUE(IsLinearizable({Add(1, 2, 1, 4), Add(1, 1, 2, 3)}));
  EXPECT_FALSE(IsLinearizable({Add(1, 1, 1, 4), Add(1, 1, 2, 3)}));
}

TEST(LinearizabilityTest, ValueFromNowhereIsFound) {
  EXPECT_FALSE(IsLinearizable({Insert(7, 1, 4), Find(9, 2, 3)}));
}

TEST(LinearizabilityTest, ReplacingByRemovingIsFound) {
  EXPECT_FALSE(IsLinearizable(
      {Insert(7, 1, 2), Insert(8, 3, 8), Find({}, 4, 5), Find(8, 9, 10)}));
}

TEST(LinearizabilityTest, CallsUnderWayTogetherAreTriedInEveryOrder) {
  std::vector<Call> calls;
  constexpr int64_t kCalls = 8;
  for (int64_t i = 0; i < kCalls; ++i) {
    calls.push_back(Add(int64_t{1} << i,
                        (int64_t{1} << kCalls) - (int64_t{1} << i), i,
                        100 + i));
  }
  // The last one to begin was first, and the first one last.
  EXPECT_TRUE(IsLinearizable(calls));
  calls[3].result = *calls[3].result - 1;
  EXPECT_FALSE(IsLinearizable(calls));
}

TEST(LinearizabilityTest, BeginsWithWhatItIsTold) {
  EXPECT_TRUE(IsLinearizable({Find(7, 1, 2)}, 7));
  EXPECT_FALSE(IsLinearizable({Find({}, 1, 2)}, 7));
}

}  // namespace
}  // namespace custom_op_examples
