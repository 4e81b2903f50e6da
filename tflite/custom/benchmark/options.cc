#include "tflite/custom/benchmark/options.h"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
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
  // By what the rest of the name says, where it is written otherwise.
  std::string written = name;
  std::replace(written.begin(), written.end(), '-', '_');
  return std::min_element(Flags().begin(), Flags().end(),
                          [&](const Flag& a, const Flag& b) {
                            return EditDistance(a.name, written) <
                                   EditDistance(b.name, written);
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
    {"model_explorer", kNoOps},
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
  if (!options.model_explorer.empty() && options.use_xnnpack.value_or(true)) {
    return Error{
        "--model_explorer is given, but --use_xnnpack is true; XNNPACK runs "
        "ops together and does not say which, so that it must be "
        "--use_xnnpack=false"};
  }
  for (const char* flag : {"compare", "compare_runtime"}) {
    if (options.dry_run && given.count(flag) > 0) {
      return Error{std::string("--") + flag +
                   " has nothing to compare if --dry_run is true"};
    }
  }
  return CheckLitert(options);
}

}  // namespace

ErrorOr<Options> ParseOptions(const std::vector<std::string>& arguments,
                              const std::string& default_graph) {
  Options options;
  std::set<std::string> given;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (argument == "-h") argument = "--help";
    if (argument.rfind("--", 0) != 0) {
      if (argument.empty() || argument[0] == '-') {
        return Error{"unexpected argument '" + argument +
                     "'; flags are written --name=value"};
      }
      if (given.count("graph") > 0) {
        return Error{"unexpected argument '" + argument + "'; the model is " +
                     options.graph +
                     ", and a second one goes to --compare=FILE"};
      }
      argument = "--graph=" + argument;
    }
    const size_t equals = argument.find('=');
    const std::string name =
        argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    const RefusedFlag* refused = Find(RefusedFlags(), name);
    const Flag* flag = Find(Flags(), name);
    // `--name value`; a switch takes only what can be nothing else.
    if (!value && i + 1 < arguments.size()) {
      const std::string& next = arguments[i + 1];
      const bool is_switch = flag == nullptr || flag->type == "bool";
      if (is_switch ? next == "true" || next == "false"
                    : next.rfind("--", 0) != 0) {
        value = next;
        ++i;
      }
    }
    if (refused != nullptr) {
      if (value &&
          Spelling(*value, refused->default_value) == refused->default_value) {
        continue;
      }
      return Error{"--" + name + " is not available: " + refused->reason};
    }
    if (flag == nullptr) {
      return Error{"unknown flag --" + name + "; the nearest is --" +
                   NearestFlag(name) + ", and --help lists all"};
    }
    if (!value && flag->type != "bool") {
      return Error{"--" + name + " has no value; write --" + name +
                   "=VALUE, where VALUE must be " + flag->allowed};
    }
    if (!flag->set(value.value_or("true"), options)) {
      return Error{"--" + name + " is '" + *value + "'; it must be " +
                   flag->allowed};
    }
    given.insert(name);
  }
  if (options.graph.empty()) options.graph = default_graph;
  if (const std::optional<Error> error = Check(options, given)) return *error;

  for (const Flag& flag : Flags()) {
    if (!options.verbose && !flag.always_logged && given.count(flag.name) == 0)
      continue;
    std::string value = flag.get(options);
    if (flag.type == "bool") value = value == "true" ? "1" : "0";
    options.log.emplace_back(flag.log_name, value);
  }
  if (!options.model_explorer.empty()) options.enable_op_profiling = true;
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

namespace {

// Words in lines of at most 100 characters, the first of which goes on at
// `column`.
void PrintWrapped(const std::string& text, size_t column, std::ostream& out) {
  constexpr size_t kWidth = 100;
  std::istringstream words(text);
  size_t at = column;
  for (std::string word; words >> word;) {
    if (at > column && at + 1 + word.size() > kWidth) {
      out << "\n" << std::string(column, ' ');
      at = column;
    }
    if (at > column) out << ' ';
    at += word.size() + (at > column ? 1 : 0);
    out << word;
  }
  out << "\n";
}

void PrintFlag(const std::string& flag, const std::string& text,
               std::ostream& out) {
  constexpr size_t kColumn = 32;
  out << "  " << std::left << std::setw(kColumn - 2) << flag;
  if (flag.size() + 3 > kColumn) out << "\n" << std::string(kColumn, ' ');
  PrintWrapped(text, kColumn, out);
}

// What stands for a value where the default is none.
std::string Placeholder(const Flag& flag) {
  return flag.allowed.find("path of") != std::string::npos ? "FILE" : "TEXT";
}

}  // namespace

void PrintUsage(const std::string& program, bool full, std::ostream& out) {
  out << "usage: " << program << " [MODEL.tflite] [--flag=value ...]\n";
  const Options defaults;
  for (const FlagGroup& group : FlagGroups()) {
    out << "\n" << group.heading << ":\n";
    for (const std::string& name : group.flags) {
      const Flag& flag = *Find(Flags(), name);
      const std::string value = flag.get(defaults);
      PrintFlag("--" + name + "=" + (value.empty() ? Placeholder(flag) : value),
                flag.help, out);
    }
  }
  if (!full) {
    out << "\nA flag of another build, such as --use_gpu, is refused unless it "
           "says what is so anyway;\n--helpfull lists them.\n";
    return;
  }
  out << "\nFlags of other builds, refused unless they are set to what they "
         "are anyway:\n";
  for (const RefusedFlag& flag : RefusedFlags()) {
    PrintFlag("--" + flag.name + "=" + flag.default_value, flag.reason, out);
  }
}

}  // namespace tflite::custom::benchmark
