#include "tflite/custom/benchmark/op_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/op_profiler.h"

namespace tflite::custom::benchmark {
namespace {

constexpr size_t kTop = 10;
constexpr char kRule[] = "==============================";

// One column of a table: its head in either format, and how wide it is.
struct Column {
  const char* head;
  const char* csv_head;
  int width;
};

const std::vector<Column> kOpColumns = {
    {"[node type]", "node type", 24},
    {"[start]", "start", 17},
    {"[first]", "first", 9},
    {"[avg ms]", "avg_ms", 9},
    {"[%]", "%", 8},
    {"[cdf%]", "cdf%", 8},
    {"[mem KB]", "mem KB", 10},
    {"[times called]", "times called", 9},
    {"[Name]", "name", 0},
};

const std::vector<Column> kTypeColumns = {
    {"[Node type]", "node type", 24},
    {"[count]", "count", 9},
    {"[avg ms]", "avg_ms", 10},
    {"[avg %]", "avg %", 11},
    {"[cdf %]", "cdf %", 11},
    {"[mem KB]", "mem KB", 10},
    {"[times called]", "times called", 10},
};

std::string Fixed(double value, const char* unit = "") {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << value << unit;
  return text.str();
}

// In a CSV file a comma would begin a new field.
std::string Field(const std::string& text) {
  if (text.find(',') == std::string::npos &&
      text.find('"') == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

class Table {
 public:
  Table(const std::vector<Column>& columns, bool csv, std::ostream& out)
      : columns_(columns), csv_(csv), out_(out) {
    std::vector<std::string> heads;
    for (const Column& column : columns) {
      heads.emplace_back(csv ? column.csv_head : column.head);
    }
    Row(heads);
  }

  void Row(const std::vector<std::string>& fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (csv_) {
        out_ << (i == 0 ? "" : ", ") << Field(fields[i]);
      } else {
        out_ << "\t" << std::right << std::setw(columns_[i].width) << fields[i];
      }
    }
    out_ << "\n";
  }

 private:
  const std::vector<Column>& columns_;
  bool csv_;
  std::ostream& out_;
};

double AverageNs(const OpTimes& op) {
  return static_cast<double>(op.sum_ns) / static_cast<double>(op.calls);
}

double Percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

std::vector<OpTimes> Select(const std::vector<OpTimes>& ops, bool internal) {
  std::vector<OpTimes> result;
  for (const OpTimes& op : ops) {
    if (op.internal == internal) result.push_back(op);
  }
  return result;
}

// The memory column is the public tool's, which has zeros in it too: the
// runtime does not say what an op takes.
void PrintOps(const std::string& title, const std::vector<OpTimes>& ops,
              int64_t runs, bool csv, std::ostream& out) {
  out << kRule << " " << title << " " << kRule << "\n";
  Table table(kOpColumns, csv, out);
  double all = 0;
  for (const OpTimes& op : ops) all += static_cast<double>(op.sum_ns);
  double sum = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const OpTimes& op = ops[i];
    if (title.rfind("Top", 0) == 0 && i == kTop) break;
    sum += static_cast<double>(op.sum_ns);
    const double calls = static_cast<double>(op.calls);
    table.Row({op.type,
               Fixed(static_cast<double>(op.sum_start_ns) / calls / 1e6),
               Fixed(static_cast<double>(op.first_ns) / 1e6),
               Fixed(static_cast<double>(op.sum_ns) / calls / 1e6),
               Fixed(Percent(static_cast<double>(op.sum_ns), all), "%"),
               Fixed(Percent(sum, all), "%"), Fixed(0),
               std::to_string(op.calls / runs), op.name});
  }
  out << "\n";
}

void PrintTypes(const std::vector<OpTimes>& ops, int64_t runs, bool csv,
                std::ostream& out) {
  out << "Number of nodes executed: " << ops.size() << "\n"
      << kRule << " Summary by node type " << kRule << "\n";
  Table table(kTypeColumns, csv, out);
  double all = 0;
  for (const OpTimes& op : ops) all += static_cast<double>(op.sum_ns);
  double sum = 0;
  for (const TypeTimes& type : TimesByType(ops)) {
    sum += static_cast<double>(type.sum_ns);
    table.Row({type.type, std::to_string(type.nodes),
               Fixed(static_cast<double>(type.sum_ns) /
                     static_cast<double>(runs) / 1e6),
               Fixed(Percent(static_cast<double>(type.sum_ns), all), "%"),
               Fixed(Percent(sum, all), "%"), Fixed(0),
               std::to_string(type.calls / runs)});
  }
  out << "\n";
}

void PrintAll(const std::vector<OpTimes>& ops, int64_t runs, bool csv,
              std::ostream& out) {
  PrintOps("Run Order", ops, runs, csv, out);
  std::vector<OpTimes> by_time = ops;
  std::sort(by_time.begin(), by_time.end(),
            [](const OpTimes& a, const OpTimes& b) {
              const double left = AverageNs(a);
              const double right = AverageNs(b);
              return left != right ? left > right : a.order < b.order;
            });
  PrintOps("Top by Computation Time", by_time, runs, csv, out);
  PrintTypes(ops, runs, csv, out);
}

}  // namespace

std::vector<TypeTimes> TimesByType(const std::vector<OpTimes>& ops) {
  std::map<std::string, TypeTimes> types;
  for (const OpTimes& op : ops) {
    TypeTimes& type = types[op.type];
    type.type = op.type;
    ++type.nodes;
    type.calls += op.calls;
    type.sum_ns += op.sum_ns;
  }
  std::vector<TypeTimes> result;
  for (const auto& [name, type] : types) result.push_back(type);
  std::sort(
      result.begin(), result.end(), [](const TypeTimes& a, const TypeTimes& b) {
        return a.sum_ns != b.sum_ns ? a.sum_ns > b.sum_ns : a.type < b.type;
      });
  return result;
}

std::string OpTables(const OpProfiler& profiler, bool csv) {
  std::ostringstream out;
  const std::vector<OpTimes> all = profiler.ops();
  const int64_t runs = std::max<int64_t>(1, profiler.totals().count());
  out << "Operator-wise Profiling Info for Regular Benchmark Runs:\n";
  std::map<int64_t, std::vector<OpTimes>> subgraphs;
  for (const OpTimes& op : Select(all, false)) {
    subgraphs[op.subgraph].push_back(op);
  }
  for (const auto& [index, ops] : subgraphs) {
    if (subgraphs.size() > 1) {
      if (index == 0) {
        out << "Primary graph profile:\n";
      } else {
        out << "Subgraph (index: " << index << ") profile:\n";
      }
    }
    PrintAll(ops, runs, csv, out);
  }
  out << "Timings (microseconds): " << profiler.totals() << "\n"
      << "Memory (bytes): count=0\n"
      << all.size() << " nodes observed\n\n";
  const std::vector<OpTimes> internal = Select(all, true);
  if (!internal.empty()) {
    out << "Delegate internal:\n";
    PrintAll(internal, runs, csv, out);
  }
  return out.str();
}

void WriteOps(const OpProfiler& profiler, JsonWriter& json) {
  json.BeginArray();
  for (const OpTimes& op : profiler.ops()) {
    const double calls = static_cast<double>(op.calls);
    json.BeginObject()
        .Member("type", op.type)
        .Member("name", op.name)
        .Member("subgraph", op.subgraph)
        .Member("node", op.node)
        .Member("delegate_internal", op.internal)
        .Member("calls", op.calls)
        .Member("start_us", static_cast<double>(op.sum_start_ns) / calls / 1e3)
        .Member("first_us", static_cast<double>(op.first_ns) / 1e3)
        .Member("avg_us", static_cast<double>(op.sum_ns) / calls / 1e3)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace tflite::custom::benchmark
