#include "tflite/custom/benchmark/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/error_or.h"

namespace tflite::custom::benchmark {
namespace {

// Sets an option from a flag's value; false where the value is not allowed.
using Setter = std::function<bool(const std::string& value, Options& options)>;

struct Flag {
  std::string name;
  std::string type;
  std::string default_value;
  std::string allowed;  // Completes "... must be".
  std::string log_name;
  std::string help;
  Setter set;
};

template <typename T>
std::optional<T> ParseNumber(const std::string& text) {
  T number;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<bool> ParseBool(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

Setter SetInt(int32_t Options::* option, int32_t lowest) {
  return [=](const std::string& value, Options& options) {
    const std::optional<int32_t> number = ParseNumber<int32_t>(value);
    if (!number || *number < lowest) return false;
    options.*option = *number;
    return true;
  };
}

Setter SetSeconds(double Options::* option, double lowest) {
  return [=](const std::string& value, Options& options) {
    const std::optional<double> number = ParseNumber<double>(value);
    if (!number || !std::isfinite(*number) || *number < lowest) return false;
    options.*option = *number;
    return true;
  };
}

const std::vector<Flag>& Flags() {
  constexpr double kAnySeconds = -1e9;
  static const auto* const flags = new std::vector<Flag>{
      {"graph", "string", "", "the path of a .tflite file", "Graph",
       "the model to run; without it the atan.tflite beside this program",
       [](const std::string& value, Options& options) {
         options.graph = value;
         return !value.empty();
       }},
      {"num_threads", "int32", "-1", "an integer of at least -1",
       "#threads used for CPU inference",
       "threads for inference on the CPU; -1 leaves it to the runtime",
       SetInt(&Options::num_threads, -1)},
      {"num_runs", "int32", "50", "an integer of at least 0", "Min num runs",
       "runs to measure; more where min_secs asks for it, fewer where max_secs "
       "ends first",
       SetInt(&Options::num_runs, 0)},
      {"min_secs", "float", "1", "a number of seconds",
       "Min runs duration (seconds)",
       "seconds to go on measuring for, however many runs that takes",
       SetSeconds(&Options::min_secs, kAnySeconds)},
      {"max_secs", "float", "150", "a number of seconds, at least 0",
       "Max runs duration (seconds)",
       "seconds after which no further run begins",
       SetSeconds(&Options::max_secs, 0)},
      {"warmup_runs", "int32", "1", "an integer of at least 0",
       "Min warmup runs", "runs before those that are measured",
       SetInt(&Options::warmup_runs, 0)},
      {"warmup_min_secs", "float", "0.5", "a number of seconds",
       "Min warmup runs duration (seconds)",
       "seconds to go on warming up for, however many runs that takes",
       SetSeconds(&Options::warmup_min_secs, kAnySeconds)},
      {"use_xnnpack", "bool", "true", "true or false", "Use xnnpack",
       "apply the XNNPACK delegate; where the flag is not given and the "
       "delegate cannot be applied the model runs without",
       [](const std::string& value, Options& options) {
         options.use_xnnpack = ParseBool(value);
         return options.use_xnnpack.has_value();
       }},
      {"help", "bool", "false", "true or false",
       "Print out all supported flags", "print this text and end",
       [](const std::string& value, Options& options) {
         const std::optional<bool> help = ParseBool(value);
         options.help = help.value_or(false);
         return help.has_value();
       }},
  };
  return *flags;
}

const Flag* FindFlag(const std::string& name) {
  for (const Flag& flag : Flags()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

// Levenshtein's: how many characters to insert, delete or replace.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string NearestFlag(const std::string& name) {
  return std::min_element(Flags().begin(), Flags().end(),
                          [&](const Flag& a, const Flag& b) {
                            return EditDistance(a.name, name) <
                                   EditDistance(b.name, name);
                          })
      ->name;
}

}  // namespace

ErrorOr<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (const std::string& argument : arguments) {
    if (argument.rfind("--", 0) != 0) {
      return Error{"unexpected argument '" + argument +
                   "'; flags are written --name=value, the model is "
                   "--graph=FILE"};
    }
    const size_t equals = argument.find('=');
    const std::string name =
        argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag* flag = FindFlag(name);
    if (flag == nullptr) {
      return Error{"unknown flag --" + name + "; the nearest is --" +
                   NearestFlag(name) + ", and --help lists all"};
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (flag->type == "bool") {
      value = "true";
    } else {
      return Error{"--" + name + " has no value; write --" + name +
                   "=VALUE, where VALUE must be " + flag->allowed};
    }
    if (!flag->set(value, options)) {
      return Error{"--" + name + " is '" + value + "'; it must be " +
                   flag->allowed};
    }
    options.set.emplace_back(flag->log_name, value);
  }
  return options;
}

void PrintUsage(const std::string& program, std::ostream& out) {
  out << "usage: " << program << " <flags>\nFlags:\n";
  size_t width = 0;
  for (const Flag& flag : Flags()) {
    width = std::max(width, flag.name.size() + flag.default_value.size() + 3);
  }
  for (const Flag& flag : Flags()) {
    out << "\t" << std::left << std::setw(static_cast<int>(width))
        << "--" + flag.name + "=" + flag.default_value << "\t" << flag.type
        << "\toptional\t" << flag.help << "\n";
  }
}

}  // namespace tflite::custom::benchmark
