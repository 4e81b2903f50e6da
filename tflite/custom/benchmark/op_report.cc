#include "tflite/custom/benchmark/op_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/json_writer.h"
#include "tflite/custom/benchmark/latencies.h"
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
    {"[node type]", "node type", 40},
    {"[first]", "first", 9},
    {"[avg ms]", "avg_ms", 9},
    {"[%]", "%", 8},
    {"[cdf%]", "cdf%", 8},
    {"[mem KB]", "mem KB", 10},
    {"[times called]", "times called", 9},
    {"[Name]", "name", 0},
};

const std::vector<Column> kTypeColumns = {
    {"[Node type]", "node type", 40},
    {"[count]", "count", 9},
    {"[avg ms]", "avg_ms", 10},
    {"[avg %]", "avg %", 11},
    {"[cdf %]", "cdf %", 11},
    {"[mem KB]", "mem KB", 10},
    {"[times called]", "times called", 10},
};

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
        // The public tool writes tabs for the commas of names, and quotes
        // nothing.
        std::string field = fields[i];
        std::replace(field.begin(), field.end(), ',', '\t');
        out_ << (i == 0 ? "" : ", ") << field;
      } else {
        out_ << "\t" << std::right << std::setw(columns_[i].width) << fields[i];
      }
    }
    out_ << "\n";
  }

  // Three digits in a table, and as many as there are in a file.
  std::string Number(double value, const char* unit = "") const {
    std::ostringstream text;
    if (!csv_) text << std::fixed << std::setprecision(3);
    text << value << unit;
    return text.str();
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

double Sum(const std::vector<OpTimes>& ops) {
  double sum = 0;
  for (const OpTimes& op : ops) sum += static_cast<double>(op.sum_ns);
  return sum;
}

void PrintOps(const std::string& title, const std::vector<OpTimes>& ops,
              int64_t runs, bool csv, std::ostream& out) {
  out << kRule << " " << title << " " << kRule << "\n";
  Table table(kOpColumns, csv, out);
  const double all = Sum(ops);
  double sum = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const OpTimes& op = ops[i];
    if (title.rfind("Top", 0) == 0 && i == kTop) break;
    sum += static_cast<double>(op.sum_ns);
    table.Row({op.type, table.Number(static_cast<double>(op.first_ns) / 1e6),
               table.Number(AverageNs(op) / 1e6),
               table.Number(Percent(static_cast<double>(op.sum_ns), all), "%"),
               table.Number(Percent(sum, all), "%"), table.Number(op.memory_kb),
               std::to_string(op.calls / runs), op.name});
  }
  out << "\n";
}

void PrintTypes(const std::vector<OpTimes>& ops, int64_t runs, bool csv,
                std::ostream& out) {
  out << "Number of nodes executed: " << ops.size() << "\n"
      << kRule << " Summary by node type " << kRule << "\n";
  Table table(kTypeColumns, csv, out);
  const double all = Sum(ops);
  double sum = 0;
  for (const TypeTimes& type : TimesByType(ops)) {
    sum += static_cast<double>(type.sum_ns);
    table.Row(
        {type.type, std::to_string(type.nodes),
         table.Number(static_cast<double>(type.sum_ns) /
                      static_cast<double>(runs) / 1e6),
         table.Number(Percent(static_cast<double>(type.sum_ns), all), "%"),
         table.Number(Percent(sum, all), "%"), table.Number(type.memory_kb),
         std::to_string(type.calls / runs)});
  }
  out << "\n";
}

// `summary` begins the lines on the whole.
void PrintAll(const std::vector<OpTimes>& ops, int64_t runs,
              const std::string& summary, const Latencies& totals, bool csv,
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
  out << summary << "Timings (microseconds): " << MicrosLine(totals) << "\n"
      << "Memory (bytes): count=0\n"
      << ops.size() << " nodes observed\n\n";
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
    type.memory_kb += op.memory_kb;
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
  const std::vector<OpTimes>& steps = profiler.initialization();
  if (!steps.empty()) {
    Latencies total;
    total.Add(static_cast<int64_t>(Sum(steps)));
    out << "Profiling Info for Benchmark Initialization:\n";
    PrintAll(steps, 1, "", total, csv, out);
  }
  if (profiler.runs() == 0) return out.str();
  out << "Operator-wise Profiling Info for Regular Benchmark Runs:\n";
  std::map<int64_t, std::vector<OpTimes>> subgraphs;
  std::vector<OpTimes> internal;
  for (const OpTimes& op : profiler.ops()) {
    (op.internal ? internal : subgraphs[op.subgraph]).push_back(op);
  }
  for (const auto& [index, ops] : subgraphs) {
    const std::string name = ", name: " + profiler.SubgraphName(index) + ")";
    const std::string subgraph =
        "Subgraph (index: " + std::to_string(index) + name + " ";
    if (index > 0) {
      out << subgraph << "profile:\n";
    } else if (subgraphs.size() > 1) {
      out << "Primary graph (" << name.substr(2) << " profile:\n";
    }
    PrintAll(ops, profiler.runs(), index > 0 ? subgraph : "",
             profiler.Totals(index), csv, out);
  }
  if (!internal.empty()) {
    out << "Delegate internal:\n";
    PrintAll(internal, profiler.runs(), "", profiler.internal_totals(), csv,
             out);
  }
  return out.str();
}

std::string ModelExplorerNodeData(const OpProfiler& profiler) {
  std::map<int64_t, std::vector<OpTimes>> subgraphs;
  for (const OpTimes& op : profiler.ops()) subgraphs[op.subgraph].push_back(op);
  std::set<std::string> names;
  JsonWriter json;
  json.BeginObject();
  for (const auto& [index, ops] : subgraphs) {
    std::string name = profiler.SubgraphName(index);
    // As the adapter does.
    if (name.empty()) {
      name = index == 0 ? "main" : "subgraph_" + std::to_string(index);
    }
    // It does not tell graphs of one name apart; the times are the first's.
    if (!names.insert(name).second) continue;
    json.Key(name).BeginObject();
    json.Key("results").BeginObject();
    for (const OpTimes& op : ops) {
      json.Key(std::to_string(op.node))
          .BeginObject()
          .Member("value", static_cast<double>(op.sum_ns) /
                               static_cast<double>(profiler.runs()) / 1e3)
          .EndObject();
    }
    json.EndObject();
    json.Key("gradient").BeginArray();
    for (const auto& [stop, color] :
         {std::pair(0, "#ffffff"), std::pair(1, "#d62728")}) {
      json.BeginObject()
          .Member("stop", stop)
          .Member("bgColor", color)
          .EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndObject();
  return json.Text();
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
        .Member("nested", op.nested)
        .Member("calls", op.calls)
        .Member("start_us", static_cast<double>(op.sum_start_ns) / calls / 1e3)
        .Member("first_us", static_cast<double>(op.first_ns) / 1e3)
        .Member("avg_us", AverageNs(op) / 1e3)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace tflite::custom::benchmark
