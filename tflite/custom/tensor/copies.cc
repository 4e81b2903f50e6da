// Ops whose outputs are made of parts of their inputs: joined, cut, turned
// round or repeated. Each is planned as copies of strided parts.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tflite/custom/op_definition.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/op_state.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/tensor/strided_copy.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"

namespace tflite::custom::tensor_ops {
namespace {

using Dimension = StridedCopy::Dimension;
using Shape = std::vector<int>;

// That of an output can be as large as an option or a value says.
constexpr int64_t kMostElements = int64_t{1} << 31;

struct Part {
  int input;
  int output;
  StridedCopy copy;
};

struct Plan {
  std::vector<Shape> shapes;  // Of the outputs.
  std::vector<Part> parts;
  bool fill = false;  // The output first, with `fill_input` or zeros.
  int fill_input = -1;
};

// All options that ops of this file have.
struct OpData : OpState {
  explicit OpData(OpOptions& options)
      : axis(options.Int("axis", 0)),
        begin_mask(options.Int("begin_mask", 0)),
        end_mask(options.Int("end_mask", 0)),
        ellipsis_mask(options.Int("ellipsis_mask", 0)),
        new_axis_mask(options.Int("new_axis_mask", 0)),
        shrink_axis_mask(options.Int("shrink_axis_mask", 0)) {}
  int64_t axis;
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  Plan plan;
};

// What the planners of the ops are given.
struct Call {
  TfLiteOpaqueContext* context;
  TfLiteOpaqueNode* node;
  const char* op;

  const TfLiteOpaqueTensor* Input(int i) const {
    return TfLiteOpaqueNodeGetInput(context, node, i);
  }
  int inputs() const { return TfLiteOpaqueNodeNumberOfInputs(node); }
  int outputs() const { return TfLiteOpaqueNodeNumberOfOutputs(node); }
  const OpData& options() const { return *StateOf<OpData>(node); }
};

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

// The whole of a tensor of `shape`, to places that lie like one of `in`.
StridedCopy Whole(const Shape& shape, const Shape& in) {
  const std::vector<int64_t> from = Strides(shape), to = Strides(in);
  StridedCopy copy;
  for (size_t i = 0; i < shape.size(); ++i) {
    copy.dimensions.push_back({shape[i], from[i], to[i]});
  }
  return copy;
}

TfLiteStatus GetAxis(const Call& call, int64_t given, int rank, int* axis) {
  if (given < -rank || given >= rank) {
    return Failure(call.context, "%s: axis must be in [%d, %d), not %lld",
                   call.op, -rank, rank, static_cast<long long>(given));
  }
  *axis = static_cast<int>(given < 0 ? given + rank : given);
  return kTfLiteOk;
}

TfLiteStatus GetIntegers(const Call& call, int input, const char* role,
                         std::vector<int64_t>* values) {
  const TfLiteOpaqueTensor* tensor = call.Input(input);
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(call.context, call.op, role, tensor,
                                          {kTfLiteInt32, kTfLiteInt64}));
  values->resize(NumElements(tensor));
  for (size_t i = 0; i < values->size(); ++i) {
    (*values)[i] = IntAt(tensor, static_cast<int64_t>(i));
  }
  return kTfLiteOk;
}

TfLiteStatus GetScalar(const Call& call, int input, const char* role,
                       int64_t* value) {
  std::vector<int64_t> values;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, input, role, &values));
  if (values.size() != 1) {
    return Failure(call.context, "%s: %s must be one number, not %s", call.op,
                   role, ShapeString(call.Input(input)).c_str());
  }
  *value = values[0];
  return kTfLiteOk;
}

TfLiteStatus EnsureCount(const Call& call, const char* role, size_t count,
                         size_t wanted) {
  if (count == wanted) return kTfLiteOk;
  return Failure(call.context, "%s: %s must have %zu elements, not %zu",
                 call.op, role, wanted, count);
}

// Joins tensors [first, first + count) along an axis that they have.
TfLiteStatus PlanConcat(const Call& call, Plan* plan) {
  const int count = call.inputs() - 1;
  int64_t given;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetScalar(call, count, "axis", &given));
  Shape shape = ShapeOf(call.Input(0));
  const int rank = static_cast<int>(shape.size());
  int axis;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetAxis(call, given, rank, &axis));
  int64_t size = 0;
  for (int i = 0; i < count; ++i) {
    Shape other = ShapeOf(call.Input(i));
    if (static_cast<int>(other.size()) == rank) {
      size += other[axis];
      other[axis] = shape[axis];
    }
    if (other != shape || size > kMostElements) {
      return Failure(call.context,
                     "%s: inputs must have one shape but for dimension %d: %s "
                     "and %s",
                     call.op, axis, ShapeString(call.Input(0)).c_str(),
                     ShapeString(call.Input(i)).c_str());
    }
  }
  shape[axis] = static_cast<int>(size);
  const std::vector<int64_t> strides = Strides(shape);
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    const Shape part = ShapeOf(call.Input(i));
    StridedCopy copy = Whole(part, shape);
    copy.to = at * strides[axis];
    at += part[axis];
    plan->parts.push_back({i, 0, std::move(copy)});
  }
  plan->shapes = {shape};
  return kTfLiteOk;
}

TfLiteStatus PlanPack(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  int axis;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetAxis(
      call, call.options().axis, static_cast<int>(shape.size()) + 1, &axis));
  Shape packed = shape;
  packed.insert(packed.begin() + axis, call.inputs());
  const std::vector<int64_t> from = Strides(shape), to = Strides(packed);
  for (int i = 0; i < call.inputs(); ++i) {
    TF_LITE_OPAQUE_ENSURE_STATUS(EnsureSameShape(call.context, call.op,
                                                 "input 0", call.Input(0),
                                                 "another", call.Input(i)));
    StridedCopy copy;
    copy.to = i * to[axis];
    for (size_t d = 0; d < shape.size(); ++d) {
      const size_t at = d < static_cast<size_t>(axis) ? d : d + 1;
      copy.dimensions.push_back({shape[d], from[d], to[at]});
    }
    plan->parts.push_back({i, 0, std::move(copy)});
  }
  plan->shapes = {packed};
  return kTfLiteOk;
}

TfLiteStatus PlanUnpack(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  int axis;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetAxis(call, call.options().axis,
                                       static_cast<int>(shape.size()), &axis));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "outputs", call.outputs(), shape[axis]));
  Shape part = shape;
  part.erase(part.begin() + axis);
  const std::vector<int64_t> from = Strides(shape), to = Strides(part);
  for (int i = 0; i < call.outputs(); ++i) {
    StridedCopy copy;
    copy.from = i * from[axis];
    for (size_t d = 0; d < part.size(); ++d) {
      const size_t at = d < static_cast<size_t>(axis) ? d : d + 1;
      copy.dimensions.push_back({part[d], from[at], to[d]});
    }
    plan->parts.push_back({0, i, std::move(copy)});
    plan->shapes.push_back(part);
  }
  return kTfLiteOk;
}

// Cuts an input into outputs of `sizes` along an axis.
void PlanCuts(int input, const Shape& shape, int axis,
              const std::vector<int64_t>& sizes, Plan* plan) {
  const std::vector<int64_t> strides = Strides(shape);
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape part = shape;
    part[axis] = static_cast<int>(sizes[i]);
    StridedCopy copy = Whole(part, part);
    for (size_t d = 0; d < part.size(); ++d) {
      copy.dimensions[d].from = strides[d];
    }
    copy.from = at * strides[axis];
    at += sizes[i];
    plan->parts.push_back({input, static_cast<int>(i), std::move(copy)});
    plan->shapes.push_back(part);
  }
}

TfLiteStatus PlanSplit(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(1));
  int64_t given;
  int axis;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetScalar(call, 0, "axis", &given));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      GetAxis(call, given, static_cast<int>(shape.size()), &axis));
  if (shape[axis] % call.outputs() != 0) {
    return Failure(call.context,
                   "%s: dimension %d of value must be a multiple of the %d "
                   "outputs, but is %d",
                   call.op, axis, call.outputs(), shape[axis]);
  }
  PlanCuts(1, shape, axis,
           std::vector<int64_t>(call.outputs(), shape[axis] / call.outputs()),
           plan);
  return kTfLiteOk;
}

TfLiteStatus PlanSplitV(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> sizes;
  int64_t given;
  int axis;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "size_splits", &sizes));
  TF_LITE_OPAQUE_ENSURE_STATUS(GetScalar(call, 2, "axis", &given));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      GetAxis(call, given, static_cast<int>(shape.size()), &axis));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "size_splits", sizes.size(), call.outputs()));
  int64_t sum = 0;
  int64_t* rest = nullptr;
  bool fits = true;
  for (int64_t& size : sizes) {
    if (size == -1 && rest == nullptr) {
      rest = &size;
      continue;
    }
    fits = fits && size >= 0 && size <= shape[axis];
    if (fits) sum += size;
  }
  if (fits && rest != nullptr && sum <= shape[axis]) {
    *rest = shape[axis] - sum;
    sum = shape[axis];
  }
  if (!fits || sum != shape[axis]) {
    return Failure(call.context,
                   "%s: size_splits must be 0 or more, one of them -1 for the "
                   "rest, and add up to dimension %d of value, %d",
                   call.op, axis, shape[axis]);
  }
  PlanCuts(0, shape, axis, sizes, plan);
  return kTfLiteOk;
}

TfLiteStatus PlanPad(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> paddings;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "paddings", &paddings));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "paddings", paddings.size(), 2 * shape.size()));
  Shape padded = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
    if (before < 0 || after < 0 || before > kMostElements ||
        after > kMostElements || shape[i] + before + after >= kMostElements) {
      return Failure(call.context,
                     "%s: paddings must be 0 or more, and not too many, but "
                     "for dimension %zu are %lld and %lld",
                     call.op, i, static_cast<long long>(before),
                     static_cast<long long>(after));
    }
    padded[i] = static_cast<int>(shape[i] + before + after);
  }
  StridedCopy copy = Whole(shape, padded);
  for (size_t i = 0; i < shape.size(); ++i) {
    copy.to += paddings[2 * i] * copy.dimensions[i].to;
  }
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {padded};
  plan->fill = true;
  if (call.inputs() == 3) {
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureScalar(call.context, call.op, "constant_values", call.Input(2)));
    plan->fill_input = 2;
  }
  return kTfLiteOk;
}

TfLiteStatus PlanReverse(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> axes;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "axis", &axes));
  StridedCopy copy = Whole(shape, shape);
  std::vector<bool> seen(shape.size());
  for (const int64_t given : axes) {
    int axis;
    TF_LITE_OPAQUE_ENSURE_STATUS(
        GetAxis(call, given, static_cast<int>(shape.size()), &axis));
    if (seen[axis]) {
      return Failure(call.context, "%s: axis must not name dimension %d twice",
                     call.op, axis);
    }
    seen[axis] = true;
    Dimension& dimension = copy.dimensions[axis];
    copy.from += (dimension.size - 1) * dimension.from;
    dimension.from = -dimension.from;
  }
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {shape};
  return kTfLiteOk;
}

TfLiteStatus PlanTranspose(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  const int rank = static_cast<int>(shape.size());
  std::vector<int64_t> perm;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "perm", &perm));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "perm", perm.size(), shape.size()));
  Shape turned;
  std::vector<bool> seen(rank);
  for (const int64_t given : perm) {
    const int64_t from = given < 0 ? given + rank : given;
    if (from < 0 || from >= rank || seen[from]) {
      return Failure(call.context,
                     "%s: perm must be all dimensions of x, [0, %d), in some "
                     "order, but has %lld",
                     call.op, rank, static_cast<long long>(given));
    }
    seen[from] = true;
    turned.push_back(shape[from]);
  }
  const std::vector<int64_t> from = Strides(shape);
  StridedCopy copy = Whole(turned, turned);
  for (int i = 0; i < rank; ++i) {
    copy.dimensions[i].from = from[perm[i] < 0 ? perm[i] + rank : perm[i]];
  }
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {turned};
  return kTfLiteOk;
}

TfLiteStatus PlanTile(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> multiples;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "multiples", &multiples));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "multiples", multiples.size(), shape.size()));
  Shape tiled = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t times = multiples[i];
    if (times < 0 || times >= kMostElements ||
        shape[i] * times >= kMostElements) {
      return Failure(call.context,
                     "%s: multiples must be 0 or more, and not too many, but "
                     "element %zu is %lld",
                     call.op, i, static_cast<long long>(times));
    }
    tiled[i] = static_cast<int>(shape[i] * times);
  }
  const std::vector<int64_t> from = Strides(shape), to = Strides(tiled);
  StridedCopy copy;
  for (size_t i = 0; i < shape.size(); ++i) {
    copy.dimensions.push_back({multiples[i], 0, shape[i] * to[i]});
    copy.dimensions.push_back({shape[i], from[i], to[i]});
  }
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {tiled};
  return kTfLiteOk;
}

// The tensor in two parts along each axis that is rolled.
TfLiteStatus PlanRoll(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> shifts, axes;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "shift", &shifts));
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 2, "axis", &axes));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "shift", shifts.size(), axes.size()));
  std::vector<int64_t> shift_of(shape.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    int axis;
    TF_LITE_OPAQUE_ENSURE_STATUS(
        GetAxis(call, axes[i], static_cast<int>(shape.size()), &axis));
    const int64_t size = std::max(shape[axis], 1);
    shift_of[axis] = ((shift_of[axis] + shifts[i] % size) % size + size) % size;
  }
  plan->parts.push_back({0, 0, Whole(shape, shape)});
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t shift = shift_of[axis];
    if (shift == 0) continue;
    std::vector<Part> parts;
    for (const Part& part : plan->parts) {
      for (const bool wraps : {false, true}) {
        Part half = part;
        Dimension& dimension = half.copy.dimensions[axis];
        dimension.size = wraps ? shift : shape[axis] - shift;
        half.copy.from += wraps ? (shape[axis] - shift) * dimension.from : 0;
        half.copy.to += wraps ? 0 : shift * dimension.to;
        parts.push_back(std::move(half));
      }
    }
    plan->parts = std::move(parts);
  }
  plan->shapes = {shape};
  return kTfLiteOk;
}

TfLiteStatus PlanSlice(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  std::vector<int64_t> begin, size;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "begin", &begin));
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 2, "size", &size));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "begin", begin.size(), shape.size()));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "size", size.size(), shape.size()));
  Shape part;
  int64_t from = 0;
  const std::vector<int64_t> strides = Strides(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t most = shape[i] - begin[i];
    if (begin[i] < 0 || begin[i] > shape[i] || size[i] < -1 || size[i] > most) {
      return Failure(call.context,
                     "%s: begin and size must lie in dimension %zu, of %d, but "
                     "are %lld and %lld",
                     call.op, i, shape[i], static_cast<long long>(begin[i]),
                     static_cast<long long>(size[i]));
    }
    part.push_back(static_cast<int>(size[i] == -1 ? most : size[i]));
    from += begin[i] * strides[i];
  }
  StridedCopy copy = Whole(part, part);
  copy.from = from;
  for (size_t i = 0; i < shape.size(); ++i) {
    copy.dimensions[i].from = strides[i];
  }
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {part};
  return kTfLiteOk;
}

// What a range of StridedSlice takes of a dimension of `size`: from where, and
// how many.
void ResolveRange(int64_t size, int64_t begin, int64_t end, int64_t stride,
                  bool begin_masked, bool end_masked, int64_t* first,
                  int64_t* count) {
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? size : size - 1;
  const auto resolve = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  *first = begin_masked ? (stride > 0 ? low : high) : resolve(begin);
  const int64_t last = end_masked ? (stride > 0 ? high : low) : resolve(end);
  const int64_t distance = stride > 0 ? last - *first : *first - last;
  const int64_t step = stride > 0 ? stride : -stride;
  *count = distance <= 0 ? 0 : (distance - 1) / step + 1;
}

TfLiteStatus PlanStridedSlice(const Call& call, Plan* plan) {
  const Shape shape = ShapeOf(call.Input(0));
  const int rank = static_cast<int>(shape.size());
  const OpData& options = call.options();
  std::vector<int64_t> begin, end, strides;
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 1, "begin", &begin));
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 2, "end", &end));
  TF_LITE_OPAQUE_ENSURE_STATUS(GetIntegers(call, 3, "strides", &strides));
  const int count = static_cast<int>(begin.size());
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureCount(call, "end", end.size(), count));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureCount(call, "strides", strides.size(), count));
  if (count > 32) {
    return Failure(call.context,
                   "%s: begin can have at most 32 elements, not %d", call.op,
                   count);
  }
  const auto has = [](int64_t mask, int i) { return (mask >> i & 1) != 0; };
  int named = 0, ellipses = 0;
  for (int i = 0; i < count; ++i) {
    if (has(options.ellipsis_mask, i)) {
      ++ellipses;
    } else if (!has(options.new_axis_mask, i)) {
      ++named;
    }
  }
  if (named > rank || ellipses > 1) {
    return Failure(call.context,
                   "%s: at most one ellipsis and %d dimensions can be named, "
                   "for input of %s, not %d and %d",
                   call.op, rank, ShapeString(shape).c_str(), ellipses, named);
  }
  const std::vector<int64_t> from = Strides(shape);
  Shape part;
  StridedCopy copy;
  int d = 0;
  const auto take = [&](int64_t size, int64_t stride) {
    part.push_back(static_cast<int>(size));
    copy.dimensions.push_back({size, stride, 0});
  };
  // What no one names comes last, or where the ellipsis stands.
  const auto take_all = [&] {
    for (int rest = rank - named; rest > 0; --rest, ++d) {
      take(shape[d], from[d]);
    }
  };
  for (int i = 0; i < count; ++i) {
    if (has(options.ellipsis_mask, i)) {
      take_all();
      continue;
    }
    if (has(options.new_axis_mask, i)) {
      take(1, 0);
      continue;
    }
    const bool shrink = has(options.shrink_axis_mask, i);
    const int64_t stride = strides[i];
    if (stride == 0 || stride < -kMostElements || stride > kMostElements ||
        (shrink && stride < 0)) {
      return Failure(call.context,
                     "%s: strides must not be 0, and be above it for an index, "
                     "but element %d is %lld",
                     call.op, i, static_cast<long long>(stride));
    }
    int64_t first, size;
    if (shrink) {
      first = begin[i] < 0 ? begin[i] + shape[d] : begin[i];
      if (first < 0 || first >= shape[d]) {
        return Failure(call.context,
                       "%s: index %lld is outside of dimension %d, of %d",
                       call.op, static_cast<long long>(begin[i]), d, shape[d]);
      }
    } else {
      ResolveRange(shape[d], begin[i], end[i], stride,
                   has(options.begin_mask, i), has(options.end_mask, i), &first,
                   &size);
      take(size, stride * from[d]);
    }
    copy.from += first * from[d];
    ++d;
  }
  if (ellipses == 0) take_all();
  const std::vector<int64_t> to = Strides(part);
  for (size_t i = 0; i < part.size(); ++i) copy.dimensions[i].to = to[i];
  plan->parts.push_back({0, 0, std::move(copy)});
  plan->shapes = {part};
  return kTfLiteOk;
}

struct Op {
  const char* name;
  TfLiteStatus (*plan)(const Call& call, Plan* plan);
  // How many inputs and outputs; 0 for any number, 1 or more.
  int inputs;
  int outputs;
  // Inputs [first, last) say how; what is copied is the others. A negative
  // `first` counts from the last.
  int first;
  int last;
};

template <const Op& op>
struct Kernel {
  static bool IsValue(const Call& call, int i) {
    const int count = call.inputs();
    const int first = op.first < 0 ? op.first + count : op.first;
    return i < first || i >= std::min(op.last, count);
  }

  static bool IsKnown(const Call& call) {
    for (int i = 0; i < call.inputs(); ++i) {
      if (!IsValue(call, i) && !IsConstant(call.Input(i))) return false;
    }
    return true;
  }

  static TfLiteStatus MakePlan(const Call& call) {
    Plan& plan = StateOf<OpData>(call.node)->plan;
    plan = {};
    TF_LITE_OPAQUE_ENSURE_STATUS(op.plan(call, &plan));
    for (int i = 0; i < call.outputs(); ++i) {
      int64_t elements = 1;
      for (const int size : plan.shapes[i]) {
        if (size > 0 && elements > kMostElements / size) {
          return Failure(call.context, "%s: an output of %s is too large",
                         op.name, ShapeString(plan.shapes[i]).c_str());
        }
        elements *= size;
      }
      TF_LITE_OPAQUE_ENSURE_STATUS(Resize(
          call.context, TfLiteOpaqueNodeGetOutput(call.context, call.node, i),
          plan.shapes[i]));
    }
    return kTfLiteOk;
  }

  static TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                              TfLiteOpaqueNode* node) {
    const Call call = {context, node, op.name};
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureValid(context, op.name, StateOf<OpData>(node)->error));
    const int least = op.inputs > 0 ? op.inputs : op.first < 0 ? 2 : 1;
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureArity(context, node, op.name,
                    op.inputs > 0 ? op.inputs : std::max(call.inputs(), least),
                    op.outputs > 0 ? op.outputs : std::max(call.outputs(), 1)));
    int first = 0;
    while (!IsValue(call, first)) ++first;
    const TfLiteType type = TfLiteOpaqueTensorType(call.Input(first));
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureFixedSize(context, op.name, "input", call.Input(first)));
    for (int i = 0; i < call.inputs(); ++i) {
      if (!IsValue(call, i)) continue;
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureType(context, op.name, "input", call.Input(i), {type}));
    }
    const bool known = IsKnown(call);
    for (int i = 0; i < call.outputs(); ++i) {
      TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, i);
      TF_LITE_OPAQUE_ENSURE_STATUS(
          EnsureType(context, op.name, "output", output, {type}));
      if (!known) TfLiteOpaqueTensorSetAllocationTypeToDynamic(output);
    }
    return known ? MakePlan(call) : kTfLiteOk;
  }

  static TfLiteStatus Eval(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node) {
    const Call call = {context, node, op.name};
    if (!IsKnown(call)) {
      TF_LITE_OPAQUE_ENSURE_STATUS(MakePlan(call));
      for (int i = 0; i < call.outputs(); ++i) {
        TF_LITE_OPAQUE_ENSURE_STATUS(
            EnsureMemory(context, op.name, "output",
                         TfLiteOpaqueNodeGetOutput(context, node, i)));
      }
    }
    Plan& plan = StateOf<OpData>(node)->plan;
    TfLiteOpaqueTensor* first = TfLiteOpaqueNodeGetOutput(context, node, 0);
    WithElementOf(TfLiteOpaqueTensorType(first), [&](auto zero) {
      using E = decltype(zero);
      if (plan.fill) {
        const E* value =
            plan.fill_input < 0 ? &zero : Data<E>(call.Input(plan.fill_input));
        if (const int64_t count = NumElements(first); count > 0) {
          std::fill_n(MutableData<E>(first), count, *value);
        }
      }
      for (Part& part : plan.parts) {
        Copy(part.copy, Data<E>(call.Input(part.input)),
             MutableData<E>(
                 TfLiteOpaqueNodeGetOutput(context, node, part.output)));
      }
    });
    return kTfLiteOk;
  }
};

template <const Op& op>
constexpr OpDefinition kDefinition = {op.name,
                                      {InitState<OpData>, FreeState<OpData>,
                                       Kernel<op>::Prepare, Kernel<op>::Eval}};

constexpr int kAll = 1 << 30;
constexpr Op kConcatV2 = {"ConcatV2", PlanConcat, 0, 1, -1, kAll};
constexpr Op kPack = {"Pack", PlanPack, 0, 1, kAll, kAll};
constexpr Op kPad = {"Pad", PlanPad, 2, 1, 1, 2};
constexpr Op kPadV2 = {"PadV2", PlanPad, 3, 1, 1, 2};
constexpr Op kReverseV2 = {"ReverseV2", PlanReverse, 2, 1, 1, 2};
constexpr Op kRoll = {"Roll", PlanRoll, 3, 1, 1, 3};
constexpr Op kSlice = {"Slice", PlanSlice, 3, 1, 1, 3};
constexpr Op kSplit = {"Split", PlanSplit, 2, 0, 0, 1};
constexpr Op kSplitV = {"SplitV", PlanSplitV, 3, 0, 1, 3};
constexpr Op kStridedSlice = {"StridedSlice", PlanStridedSlice, 4, 1, 1, 4};
constexpr Op kTile = {"Tile", PlanTile, 2, 1, 1, 2};
constexpr Op kTranspose = {"Transpose", PlanTranspose, 2, 1, 1, 2};
constexpr Op kUnpack = {"Unpack", PlanUnpack, 1, 0, 1, 1};

}  // namespace

TFLITE_CUSTOM_DEFINE_OP(ConcatV2, kDefinition<kConcatV2>)
TFLITE_CUSTOM_DEFINE_OP(Pack, kDefinition<kPack>)
TFLITE_CUSTOM_DEFINE_OP(Pad, kDefinition<kPad>)
TFLITE_CUSTOM_DEFINE_OP(PadV2, kDefinition<kPadV2>)
TFLITE_CUSTOM_DEFINE_OP(ReverseV2, kDefinition<kReverseV2>)
TFLITE_CUSTOM_DEFINE_OP(Roll, kDefinition<kRoll>)
TFLITE_CUSTOM_DEFINE_OP(Slice, kDefinition<kSlice>)
TFLITE_CUSTOM_DEFINE_OP(Split, kDefinition<kSplit>)
TFLITE_CUSTOM_DEFINE_OP(SplitV, kDefinition<kSplitV>)
TFLITE_CUSTOM_DEFINE_OP(StridedSlice, kDefinition<kStridedSlice>)
TFLITE_CUSTOM_DEFINE_OP(Tile, kDefinition<kTile>)
TFLITE_CUSTOM_DEFINE_OP(Transpose, kDefinition<kTranspose>)
TFLITE_CUSTOM_DEFINE_OP(Unpack, kDefinition<kUnpack>)

}  // namespace tflite::custom::tensor_ops
