#include "tflite/custom/benchmark/options.h"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/flags.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

template <typename F>
const F* Find(const std::vector<F>& flags, const std::string& name) {
  for (const F& flag : flags) {
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

// True and false have two spellings each.
std::string Spelling(const std::string& value, const std::string& like) {
  if (like != "true" && like != "false") return value;
  return value == "1" ? "true" : value == "0" ? "false" : value;
}

// What --runtime=litert cannot do, by flag; other flags mean the same with it.
struct TfliteFlag {
  const char* name;
  const char* reason;
};

constexpr char kNoOps[] = "LiteRT's CompiledModel does not show its ops";
constexpr char kOwnDelegates[] =
    "LiteRT's CompiledModel applies delegates of its own";

constexpr TfliteFlag kTfliteFlags[] = {
    {"enable_op_profiling", kNoOps},
    {"op_profiling_output_file", kNoOps},
    {"profiling_output_csv_file", kNoOps},
    {"print_preinvoke_state", kNoOps},
    {"print_postinvoke_state", kNoOps},
    {"require_full_delegation", kNoOps},
    {"use_xnnpack", kOwnDelegates},
    {"xnnpack_force_fp16", kOwnDelegates},
    {"xnnpack_weight_cache_file_path", kOwnDelegates},
    {"external_delegate_path", kOwnDelegates},
};

std::optional<Error> CheckLitert(const Options& options) {
  const bool compared = options.compare_runtime == "litert";
  if (options.runtime != "litert" && !compared) return std::nullopt;
  const Options defaults;
  for (const TfliteFlag& unavailable : kTfliteFlags) {
    const Flag* flag = Find(Flags(), unavailable.name);
    const std::string value = flag->get(options);
    if (value == flag->get(defaults)) continue;
    return Error{"--" + flag->name + " is '" + value +
                 "', which is not available with --" +
                 (compared ? "compare_runtime" : "runtime") +
                 "=litert: " + unavailable.reason};
  }
  return std::nullopt;
}

// What the flags say together. Each is well-formed.
std::optional<Error> Check(const Options& options,
                           const std::set<std::string>& given) {
  const auto needs = [&](const char* flag,
                         const char* other) -> std::optional<Error> {
    if (given.count(flag) == 0 || given.count(other) > 0) return std::nullopt;
    return Error{std::string("--") + flag + " is given without --" + other};
  };
  if (auto error = needs("input_layer", "input_layer_shape")) return error;
  if (auto error = needs("input_layer_shape", "input_layer")) return error;
  if (auto error = needs("external_delegate_options", "external_delegate_path"))
    return error;
  for (const auto& [flag, is_set] :
       {std::pair("xnnpack_force_fp16", options.xnnpack_force_fp16),
        std::pair("xnnpack_weight_cache_file_path",
                  !options.xnnpack_weight_cache_file_path.empty())}) {
    if (is_set && !options.use_xnnpack.value_or(true)) {
      return Error{std::string("--") + flag +
                   " is given, but --use_xnnpack is false"};
    }
  }
  for (const char* flag : {"compare", "compare_runtime"}) {
    if (options.dry_run && given.count(flag) > 0) {
      return Error{std::string("--") + flag +
                   " has nothing to compare where --dry_run is true"};
    }
  }
  return CheckLitert(options);
}

}  // namespace

ErrorOr<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  std::set<std::string> given;
  for (const std::string& argument : arguments) {
    if (argument.rfind("--", 0) != 0) {
      return Error{"unexpected argument '" + argument +
                   "'; flags are written --name=value, the model is "
                   "--graph=FILE"};
    }
    const size_t equals = argument.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string name =
        argument.substr(2, has_value ? equals - 2 : equals);
    std::string value = has_value ? argument.substr(equals + 1) : "true";
    if (const RefusedFlag* refused = Find(RefusedFlags(), name)) {
      if (has_value &&
          Spelling(value, refused->default_value) == refused->default_value) {
        continue;
      }
      return Error{"--" + name + " is not available: " + refused->reason};
    }
    const Flag* flag = Find(Flags(), name);
    if (flag == nullptr) {
      return Error{"unknown flag --" + name + "; the nearest is --" +
                   NearestFlag(name) + ", and --help lists all"};
    }
    if (!has_value && flag->type != "bool") {
      return Error{"--" + name + " has no value; write --" + name +
                   "=VALUE, where VALUE must be " + flag->allowed};
    }
    if (!flag->set(value, options)) {
      return Error{"--" + name + " is '" + value + "'; it must be " +
                   flag->allowed};
    }
    given.insert(name);
  }
  if (const std::optional<Error> error = Check(options, given)) return *error;

  for (const Flag& flag : Flags()) {
    if (!options.verbose && !flag.always_logged && given.count(flag.name) == 0)
      continue;
    std::string value = flag.get(options);
    if (flag.type == "bool") value = value == "true" ? "1" : "0";
    options.log.emplace_back(flag.log_name, value);
  }
  if (!options.profiling_output_csv_file.empty()) {
    options.op_profiling_output_mode = "csv";
    options.op_profiling_output_file = options.profiling_output_csv_file;
  }
  return options;
}

std::optional<Options> ComparedOptions(const Options& options) {
  if (options.compare.empty() && options.compare_runtime.empty()) {
    return std::nullopt;
  }
  Options compared = options;
  if (!options.compare.empty()) compared.graph = options.compare;
  if (!options.compare_runtime.empty()) {
    compared.runtime = options.compare_runtime;
  }
  return compared;
}

void PrintUsage(const std::string& program, std::ostream& out) {
  out << "usage: " << program << " <flags>\nFlags:\n";
  const Options defaults;
  const auto name_column = [&](const Flag& flag) {
    return "--" + flag.name + "=" + flag.get(defaults);
  };
  size_t width = 0;
  for (const Flag& flag : Flags()) {
    width = std::max(width, name_column(flag).size());
  }
  for (const Flag& flag : Flags()) {
    out << "\t" << std::left << std::setw(static_cast<int>(width))
        << name_column(flag) << "\t" << flag.type << "\toptional\t" << flag.help
        << "\n";
  }
  out << "Flags of other builds, refused here unless they are set to what they "
         "are anyway:\n";
  for (const RefusedFlag& flag : RefusedFlags()) {
    out << "\t" << std::left << std::setw(static_cast<int>(width))
        << "--" + flag.name + "=" + flag.default_value << "\t" << flag.reason
        << "\n";
  }
}

}  // namespace tflite::custom::benchmark
