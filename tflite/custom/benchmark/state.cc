#include "tflite/custom/benchmark/state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/graph.h"
#include "tflite/custom/benchmark/options.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::benchmark {
namespace {

template <typename... Args>
void Print(std::ostream& out, const char* format, Args... args) {
  const int size = std::snprintf(nullptr, 0, format, args...);
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format, args...);
  text.pop_back();
  out << text;
}

double Mb(size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

const char* AllocationName(TfLiteAllocationType type) {
  switch (type) {
    case kTfLiteMemNone:
      return "kTfLiteMemNone";
    case kTfLiteMmapRo:
      return "kTfLiteMmapRo";
    case kTfLiteArenaRw:
      return "kTfLiteArenaRw";
    case kTfLiteArenaRwPersistent:
      return "kTfLiteArenaRwPersistent";
    case kTfLiteDynamic:
      return "kTfLiteDynamic";
    case kTfLitePersistentRo:
      return "kTfLitePersistentRo";
    case kTfLiteCustom:
      return "kTfLiteCustom";
    case kTfLiteVariantObject:
      return "kTfLiteVariantObject";
  }
  return "(invalid)";
}

// The enumerator's name, where the C API gives the type's in capitals.
std::string TypeName(TfLiteType type) {
  switch (type) {
    case kTfLiteNoType:
      return "kTfLiteNoType";
    case kTfLiteUInt4:
      return "kTfLiteUInt4";
    case kTfLiteInt2:
      return "kTfLiteInt2";
    case kTfLiteBFloat16:
      return "kTfLiteBFloat16";
    default:
      break;
  }
  std::string name = TfLiteTypeGetName(type);
  bool word_begins = true;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!word_begins && name[i] >= 'A' && name[i] <= 'Z') name[i] += 'a' - 'A';
    // INT8 is Int8, UINT8 UInt8.
    word_begins = i == 0 && name[0] == 'U' && name.size() > 1 && name[1] == 'I';
  }
  return "kTfLite" + name;
}

std::string AtMost(const std::string& text, int length, bool keep_begin) {
  const size_t limit = static_cast<size_t>(length);
  if (text.size() <= limit) return text;
  if (limit <= 3) return std::string(limit, '.');
  return keep_begin ? text.substr(0, limit - 3) + "..."
                    : "..." + text.substr(text.size() - (limit - 3));
}

// `[0-3,7]`; whole lists where `ranges` is false.
std::string List(const std::vector<int>& values, bool ranges) {
  if (values.empty()) return "(null)";
  std::string text = "[";
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (ranges && end < values.size() && values[end] == values[end - 1] + 1)
      ++end;
    if (i > 0) text += ",";
    text += std::to_string(values[i]);
    if (end - i > 1) {
      text += (end - i == 2 ? "," : "-") + std::to_string(values[end - 1]);
    }
    i = end;
  }
  return text + "]";
}

std::string Total(const Subgraph& graph, const std::vector<int>& tensors) {
  size_t bytes = 0;
  for (const int index : tensors) {
    if (const TfLiteTensor* tensor = graph.tensor(index))
      bytes += tensor->bytes;
  }
  char text[64];
  std::snprintf(text, sizeof(text), " -> %zuB (%.2fMB)\n", bytes, Mb(bytes));
  return text;
}

// Where the tensors of one kind of memory lie.
class Extent {
 public:
  explicit Extent(TfLiteAllocationType type) : type_(type) {}

  void Add(int index, const TfLiteTensor& tensor) {
    if (tensor.allocation_type != type_ || tensor.data.data == nullptr) return;
    const auto begin = reinterpret_cast<uintptr_t>(tensor.data.data);
    if (!any_ || begin < begin_) begin_ = begin;
    if (!any_ || begin + tensor.bytes > end_) end_ = begin + tensor.bytes;
    if (!any_ || tensor.bytes > largest_bytes_) {
      largest_ = index;
      largest_bytes_ = tensor.bytes;
    }
    any_ = true;
    ++count_;
    sum_ += tensor.bytes;
  }

  // -1 where the tensor is elsewhere.
  int64_t Offset(const TfLiteTensor& tensor) const {
    if (tensor.allocation_type != type_ || tensor.data.data == nullptr) {
      return -1;
    }
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.data.data) -
                                begin_);
  }

  void PrintArena(std::ostream& out) const {
    out << AllocationName(type_) << " Info: ";
    if (!any_) {
      out << "not holding any allocation.\n\n";
      return;
    }
    Print(out, "\nTensor %d has the max size %zu bytes (%.3f MB).\n", largest_,
          largest_bytes_, Mb(largest_bytes_));
    Print(out,
          "This memory arena is estimated as[0x%zx, 0x%zx), taking %zu bytes "
          "(%.3f MB).\n\n",
          static_cast<size_t>(begin_), static_cast<size_t>(end_), size(),
          Mb(size()));
  }

  void PrintDynamic(std::ostream& out) const {
    out << AllocationName(type_) << " Info: ";
    if (!any_) {
      out << "not holding any allocation.\n\n";
      return;
    }
    Print(out, "\nTensor %d has the max size %zu bytes (%.3f MB).\n", largest_,
          largest_bytes_, Mb(largest_bytes_));
    Print(out, "There are %d dynamic tensors, taking %zu bytes (%.3f MB).\n\n",
          count_, sum_, Mb(sum_));
  }

  size_t size() const { return any_ ? end_ - begin_ : 0; }
  size_t sum() const { return sum_; }

 private:
  TfLiteAllocationType type_;
  bool any_ = false;
  uintptr_t begin_ = 0;
  uintptr_t end_ = 0;
  int largest_ = 0;
  size_t largest_bytes_ = 0;
  int count_ = 0;
  size_t sum_ = 0;
};

struct Memory {
  Extent arena{kTfLiteArenaRw};
  Extent persistent{kTfLiteArenaRwPersistent};
  Extent mmap{kTfLiteMmapRo};
  Extent dynamic{kTfLiteDynamic};

  explicit Memory(const Subgraph& graph) {
    for (int i = 0; i < static_cast<int>(graph.num_tensors()); ++i) {
      for (Extent* extent : {&arena, &persistent, &mmap, &dynamic}) {
        extent->Add(i, *graph.tensor(i));
      }
    }
  }

  // -1 for what has no place of its own in an arena or the file.
  int64_t Offset(const TfLiteTensor& tensor) const {
    return std::max(
        {arena.Offset(tensor), persistent.Offset(tensor), mmap.Offset(tensor)});
  }
};

void PrintTensors(const Subgraph& graph, const Memory& memory,
                  const Options& options, std::ostream& out) {
  const int name = options.tensor_name_display_length;
  const int type = options.tensor_type_display_length;
  const int kind = options.alloc_type_display_length;
  Print(out, "Tensor %3s %-*s %-*s %-*s %-18s %-10s %-16s\n", "ID", name,
        "Name", type, "Type", kind, "AllocType", "Size (Bytes/MB)", "Shape",
        "MemAddr-Offset");
  for (int i = 0; i < static_cast<int>(graph.num_tensors()); ++i) {
    const TfLiteTensor& tensor = *graph.tensor(i);
    std::vector<int> shape;
    if (tensor.dims != nullptr) {
      shape.assign(tensor.dims->data, tensor.dims->data + tensor.dims->size);
    }
    const int64_t begin = memory.Offset(tensor);
    const int64_t end =
        begin < 0 ? -1 : begin + static_cast<int64_t>(tensor.bytes);
    Print(out, "Tensor %3d %-*s %-*s %-*s %-8zu / %.2f %s [%lld, %lld)\n", i,
          name,
          AtMost(tensor.name == nullptr ? "(nil)" : tensor.name, name, true)
              .c_str(),
          type, AtMost(TypeName(tensor.type), type, false).c_str(), kind,
          AtMost(AllocationName(tensor.allocation_type), kind, false).c_str(),
          tensor.bytes, Mb(tensor.bytes), List(shape, false).c_str(),
          static_cast<long long>(begin), static_cast<long long>(end));
  }
  out << "\n";
}

void PrintNodes(const Subgraph& graph, std::ostream& out) {
  const size_t count = graph.nodes.size();
  std::vector<int> replaced_by(count, -1);
  for (size_t i = 0; i < count; ++i) {
    for (const int node : graph.nodes[i].replaced) {
      if (node >= 0 && static_cast<size_t>(node) < count) {
        replaced_by[static_cast<size_t>(node)] = static_cast<int>(i);
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes[i];
    const bool replaced = node.delegate == nullptr && replaced_by[i] >= 0;
    std::string status;
    if (replaced) {
      status = "(delegated by node " + std::to_string(replaced_by[i]) + ")";
    } else if (node.delegate == nullptr) {
      status = "(not delegated)";
    }
    Print(out, "Node %3zu Operator %s %s\n", i, node.op.c_str(),
          status.c_str());
    const auto tensors = [&](const char* what, const std::vector<int>& list,
                             bool ranges) {
      Print(out, "  %zu %s Tensors:%s", list.size(), what,
            List(list, ranges).c_str());
      // A node that does not run takes nothing.
      out << Total(graph, replaced ? std::vector<int>() : list);
    };
    tensors("Input", node.inputs, node.delegate != nullptr);
    tensors("Output", node.outputs, true);
    if (!node.temporaries.empty()) {
      tensors("Temporary", node.temporaries, true);
    }
  }
}

void PrintPlan(const Subgraph& graph, std::ostream& out) {
  Print(out, "\nExecution plan as the list of %zu nodes invoked in-order: %s\n",
        graph.plan.size(), List(graph.plan, true).c_str());
  bool first = true;
  for (const int index : graph.plan) {
    const Node& node = graph.nodes[static_cast<size_t>(index)];
    if (node.delegate == nullptr) continue;
    if (first) out << "Among these nodes in the execution plan:\n";
    first = false;
    Print(
        out, "  Node %d is a %s node (%p), which has delegated %zu nodes: %s\n",
        index,
        node.delegate_name.empty() ? "[n/a]" : node.delegate_name.c_str(),
        node.delegate, node.replaced.size(), List(node.replaced, true).c_str());
  }
}

}  // namespace

void PrintInterpreterState(const std::vector<Subgraph>& subgraphs,
                           const Options& options, std::ostream& out) {
  Print(out, "Interpreter has %zu subgraphs.\n\n", subgraphs.size());
  size_t arenas = 0;
  size_t dynamic = 0;
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& graph = subgraphs[i];
    Print(out,
          "-----------Subgraph-%zu has %zu tensors and %zu "
          "nodes------------\n",
          i, graph.num_tensors(), graph.nodes.size());
    Print(out, "%zu Inputs: %s%s", graph.inputs.size(),
          List(graph.inputs, true).c_str(), Total(graph, graph.inputs).c_str());
    Print(out, "%zu Outputs: %s%s\n", graph.outputs.size(),
          List(graph.outputs, true).c_str(),
          Total(graph, graph.outputs).c_str());
    const Memory memory(graph);
    PrintTensors(graph, memory, options, out);
    memory.arena.PrintArena(out);
    memory.persistent.PrintArena(out);
    memory.mmap.PrintArena(out);
    memory.dynamic.PrintDynamic(out);
    arenas += memory.arena.size() + memory.persistent.size();
    dynamic += memory.dynamic.sum();
    PrintNodes(graph, out);
    PrintPlan(graph, out);
    Print(out,
          "--------------Subgraph-%zu dump has completed--------------\n\n", i);
  }
  out << "--------------Memory Arena Status Start--------------\n";
  Print(out, "Total memory usage: %zu bytes (%.3f MB)\n", arenas + dynamic,
        Mb(arenas + dynamic));
  Print(out, "- Total arena memory usage: %zu bytes (%.3f MB)\n", arenas,
        Mb(arenas));
  Print(out, "- Total dynamic memory usage: %zu bytes (%.3f MB)\n", dynamic,
        Mb(dynamic));
  out << "--------------Memory Arena Status End--------------\n" << std::endl;
}

}  // namespace tflite::custom::benchmark
