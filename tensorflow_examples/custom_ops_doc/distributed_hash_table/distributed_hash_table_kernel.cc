#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/op_requires.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow_examples/custom_ops_doc/distributed_hash_table/partition.h"

// FarmHash's fingerprint, which never changes. TensorFlow's library has it, but
// the wheel's headers do not find FarmHash's.
namespace util {
uint64_t Fingerprint64(const char* bytes, size_t size);
}  // namespace util

namespace custom_op_examples {
namespace {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::OpOutputList;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::TensorShapeUtils;
using ::tensorflow::tstring;

uint64_t StableHash(const tstring& key) {
  return util::Fingerprint64(key.data(), key.size());
}

template <typename Key>
uint64_t StableHash(Key key) {
  return MixBits(static_cast<uint64_t>(key));
}

// A tstring may be a view of bytes that the output outlives.
template <typename Key>
void Copy(const Key& from, Key& to) {
  if constexpr (std::is_same_v<Key, tstring>) {
    to = tstring(from.data(), from.size());
  } else {
    to = from;
  }
}

template <typename Key>
class PartitionByHashOp : public OpKernel {
 public:
  explicit PartitionByHashOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_partitions", &num_partitions_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_slots", &num_slots_));
    constexpr int64_t kMost = 1 << 20;
    OP_REQUIRES(ctx, num_slots_ >= num_partitions_ && num_slots_ <= kMost,
                absl::InvalidArgumentError(absl::StrCat(
                    "num_slots must be from num_partitions, ", num_partitions_,
                    ", to ", kMost, ". It is: ", num_slots_)));
    partition_of_slot_.resize(num_slots_);
    for (int64_t slot = 0; slot < num_slots_; ++slot) {
      partition_of_slot_[slot] = slot * num_partitions_ / num_slots_;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& keys = ctx->input(0);
    OP_REQUIRES(ctx, TensorShapeUtils::IsVector(keys.shape()),
                absl::InvalidArgumentError(
                    absl::StrCat("keys must be a vector. Their shape: ",
                                 keys.shape().DebugString())));
    const int64_t size = keys.NumElements();
    OP_REQUIRES(ctx, size <= std::numeric_limits<int32_t>::max(),
                absl::InvalidArgumentError(absl::StrCat(
                    "keys must be fewer than 2^31. They are: ", size)));
    const Key* const key_data = keys.vec<Key>().data();

    std::vector<int32_t> partition_of_key(size);
    std::vector<int64_t> counts(num_partitions_);
    CountPartitions(
        key_data, size,
        [this](const Key& key) {
          return partition_of_slot_[Scale(StableHash(key), num_slots_)];
        },
        partition_of_key.data(), counts.data());

    OpOutputList partitions, positions;
    OP_REQUIRES_OK(ctx, ctx->output_list("partitions", &partitions));
    OP_REQUIRES_OK(ctx, ctx->output_list("positions", &positions));
    std::vector<Key*> key_ends(num_partitions_);
    std::vector<int32_t*> position_ends(num_partitions_);
    for (int64_t i = 0; i < num_partitions_; ++i) {
      Tensor* partition;
      Tensor* position;
      const TensorShape shape({counts[i]});
      OP_REQUIRES_OK(ctx, partitions.allocate(i, shape, &partition));
      OP_REQUIRES_OK(ctx, positions.allocate(i, shape, &position));
      key_ends[i] = partition->vec<Key>().data();
      position_ends[i] = position->vec<int32_t>().data();
    }
    CopyToPartitions(key_data, partition_of_key.data(), size, Copy<Key>,
                     key_ends.data(), position_ends.data());
  }

 private:
  int64_t num_partitions_;
  int64_t num_slots_;
  std::vector<int32_t> partition_of_slot_;
};

class ValuesOrErrorOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int32_t code = ctx->input(0).scalar<int32_t>()();
    const tstring& message = ctx->input(1).scalar<tstring>()();
    OP_REQUIRES_OK(ctx, absl::Status(static_cast<absl::StatusCode>(code),
                                     absl::string_view(message)));
    for (int i = 0; i < ctx->num_outputs(); ++i) {
      ctx->set_output(i, ctx->input(2 + i));
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("Examples>ValuesOrError").Device(DEVICE_CPU),
                        ValuesOrErrorOp);

#define REGISTER_KERNEL(type)                              \
  REGISTER_KERNEL_BUILDER(Name("Examples>PartitionByHash") \
                              .Device(DEVICE_CPU)          \
                              .TypeConstraint<type>("T"),  \
                          PartitionByHashOp<type>)
REGISTER_KERNEL(int32_t);
REGISTER_KERNEL(int64_t);
REGISTER_KERNEL(tstring);
#undef REGISTER_KERNEL

}  // namespace
}  // namespace custom_op_examples
