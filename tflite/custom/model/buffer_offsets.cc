#include "tflite/custom/model/buffer_offsets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/flatbuffer.h"

namespace tflite::custom {
namespace {

using namespace flatbuffer;  // NOLINT: the schema's field names

// The schema asks for this alignment of a buffer's data.
constexpr size_t kAlignment = 16;
// An offset in a flatbuffer has 32 bits, and readers take it to be signed.
constexpr uint64_t kLargestModel = std::numeric_limits<int32_t>::max();

// What a table keeps elsewhere in the file.
struct Outside {
  const uint8_t* slot;  // The offset to the table.
  uint64_t begin;
  uint64_t size;
};

// 0 and 1 are what the converter writes before it knows.
std::optional<Outside> Find(const Vector& tables, uint32_t index,
                            int offset_field, int size_field) {
  const uint8_t* table = tables.Table(index);
  const uint64_t begin = Scalar<uint64_t>(table, offset_field, 0);
  const uint64_t size = Scalar<uint64_t>(table, size_field, 0);
  if (begin <= 1 || size <= 1) return std::nullopt;
  return Outside{tables.Slot(index), begin, size};
}

}  // namespace

ErrorOr<std::optional<std::string>> WithBuffersInside(std::string_view file) {
  const uint8_t* root = Root(file.data());
  std::vector<Outside> found_buffers;
  std::vector<Outside> found_options;
  const Vector buffers(root, kModelBuffers);
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    const auto outside = Find(buffers, i, kBufferOffset, kBufferSize);
    if (outside) found_buffers.push_back(*outside);
  }
  const Vector graphs(root, kModelSubgraphs);
  for (uint32_t g = 0; g < graphs.size(); ++g) {
    const Vector ops(graphs.Table(g), kSubgraphOperators);
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const auto outside = Find(ops, i, kOperatorLargeCustomOptionsOffset,
                                kOperatorLargeCustomOptionsSize);
      if (outside) found_options.push_back(*outside);
    }
  }
  if (found_buffers.empty() && found_options.empty()) {
    return std::optional<std::string>();
  }

  // What is outside lies after the tables; equal contents may lie there once.
  uint64_t first = file.size();
  std::map<std::pair<uint64_t, uint64_t>, size_t> places;
  for (const std::vector<Outside>* list : {&found_buffers, &found_options}) {
    for (const Outside& outside : *list) {
      if (outside.begin > file.size() ||
          outside.size > file.size() - outside.begin) {
        return Error{"is damaged: " + std::to_string(outside.size) +
                     " bytes at " + std::to_string(outside.begin) +
                     " would lie beyond its end at " +
                     std::to_string(file.size())};
      }
      first = std::min(first, outside.begin);
      places[{outside.begin, outside.size}] = 0;
    }
  }
  uint64_t size = first;
  for (const auto& [range, place] : places) size += range.second;
  // Ranges that overlap would have a small file grow without bound.
  if (size > file.size()) {
    return Error{"is damaged: what it keeps after its tables overlaps"};
  }
  // A table each, and what aligns it and its contents.
  constexpr uint64_t kRoom = 256;
  if (size + kRoom * (found_buffers.size() + found_options.size()) >
      kLargestModel) {
    return Error{
        "has " + std::to_string(size) +
        " bytes with the buffers after its tables, and this runtime reads up "
        "to two gigabytes: run it in the interpreter of ai-edge-litert or of "
        "tf.lite"};
  }

  std::string bytes(file.substr(0, first));
  Writer writer(&bytes);
  const auto position = [&](const uint8_t* address) {
    return static_cast<size_t>(address -
                               reinterpret_cast<const uint8_t*>(file.data()));
  };
  for (const std::vector<Outside>* list : {&found_buffers, &found_options}) {
    for (const Outside& outside : *list) {
      if (position(outside.slot) + sizeof(uint32_t) > first) {
        return Error{"is damaged: a buffer lies among its tables"};
      }
    }
  }
  // Contents come last: offsets only lead forward.
  std::vector<std::pair<size_t, const Outside*>> links;
  for (const Outside& buffer : found_buffers) {
    const Writer::Table table = writer.AddTable({Writer::Offset(kBufferData)});
    writer.Link(position(buffer.slot), table.position);
    links.push_back({table.fields[0], &buffer});
  }
  for (const Outside& options : found_options) {
    // The table is written anew, with all that a custom op may have.
    const uint8_t* op = Follow(options.slot);
    const Writer::Table table = writer.AddTable(
        {Writer::Number(kOperatorOpcodeIndex,
                        Scalar<uint32_t>(op, kOperatorOpcodeIndex, 0)),
         Writer::Offset(kOperatorInputs), Writer::Offset(kOperatorOutputs),
         Writer::Offset(kOperatorIntermediates),
         Writer::Offset(kOperatorMutatingVariableInputs),
         Writer::Offset(kOperatorCustomOptions)});
    writer.Link(position(options.slot), table.position);
    size_t field = 1;
    for (const int list :
         {kOperatorInputs, kOperatorOutputs, kOperatorIntermediates}) {
      writer.Link(table.fields[field++],
                  writer.AddInts(Vector(op, list).Copy<int32_t>()));
    }
    writer.Link(
        table.fields[field++],
        writer.AddBytes(Vector(op, kOperatorMutatingVariableInputs).Bytes()));
    links.push_back({table.fields[field], &options});
  }
  for (const auto& [field, outside] : links) {
    size_t& place = places[{outside->begin, outside->size}];
    if (place == 0) {
      place = writer.AddBytes(file.substr(outside->begin, outside->size),
                              kAlignment);
    }
    writer.Link(field, place);
  }
  return std::optional<std::string>(std::move(bytes));
}

}  // namespace tflite::custom
