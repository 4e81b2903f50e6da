#include "tflite/custom/benchmark/flags.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/options.h"

namespace tflite::custom::benchmark {
namespace {

template <typename T>
std::string Text(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::optional<bool> ParseBool(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

template <typename T>
std::optional<T> ParseNumber(const std::string& text, T lowest,
                             T highest = std::numeric_limits<T>::max()) {
  T number;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !(number >= lowest) ||
      number > highest) {
    return std::nullopt;
  }
  return number;
}

// What a flag says of itself, whatever its type.
struct About {
  std::string name;
  std::string log_name;
  std::string help;
};

Flag Make(About about, std::string type, std::string allowed) {
  Flag flag;
  flag.name = std::move(about.name);
  flag.type = std::move(type);
  flag.allowed = std::move(allowed);
  flag.log_name = std::move(about.log_name);
  flag.help = std::move(about.help);
  flag.always_logged = false;
  return flag;
}

Flag Int(int32_t Options::* option, int32_t lowest, About about,
         int32_t highest = std::numeric_limits<int32_t>::max()) {
  std::string allowed = "an integer";
  if (highest != std::numeric_limits<int32_t>::max()) {
    allowed += " from " + Text(lowest) + " to " + Text(highest);
  } else if (lowest != std::numeric_limits<int32_t>::min()) {
    allowed += " of at least " + Text(lowest);
  }
  Flag flag = Make(std::move(about), "int32", std::move(allowed));
  flag.set = [=](const std::string& value, Options& options) {
    const std::optional<int32_t> number =
        ParseNumber<int32_t>(value, lowest, highest);
    if (number) options.*option = *number;
    return number.has_value();
  };
  flag.get = [=](const Options& options) { return Text(options.*option); };
  return flag;
}

constexpr float kAny = std::numeric_limits<float>::lowest();

Flag Float(float Options::* option, float lowest, const std::string& unit,
           About about) {
  Flag flag = Make(std::move(about), "float",
                   "a number of " + unit +
                       (lowest == kAny ? "" : ", at least " + Text(lowest)));
  flag.set = [=](const std::string& value, Options& options) {
    const std::optional<float> number = ParseNumber<float>(value, lowest);
    if (!number || !std::isfinite(*number)) return false;
    options.*option = *number;
    return true;
  };
  flag.get = [=](const Options& options) { return Text(options.*option); };
  return flag;
}

Flag Bool(bool Options::* option, About about) {
  Flag flag = Make(std::move(about), "bool", "true or false");
  flag.set = [=](const std::string& value, Options& options) {
    const std::optional<bool> parsed = ParseBool(value);
    if (parsed) options.*option = *parsed;
    return parsed.has_value();
  };
  flag.get = [=](const Options& options) {
    return options.*option ? "true" : "false";
  };
  return flag;
}

Flag String(std::string Options::* option, std::string allowed, About about) {
  Flag flag = Make(std::move(about), "string", std::move(allowed));
  flag.set = [=](const std::string& value, Options& options) {
    options.*option = value;
    return !value.empty();
  };
  flag.get = [=](const Options& options) { return options.*option; };
  return flag;
}

Flag Choice(std::string Options::* option, std::vector<std::string> choices,
            About about) {
  std::string allowed;
  for (const std::string& choice : choices) {
    if (!allowed.empty()) allowed += choice == choices.back() ? " or " : ", ";
    allowed += choice;
  }
  Flag flag = String(option, std::move(allowed), std::move(about));
  flag.set = [=](const std::string& value, Options& options) {
    options.*option = value;
    for (const std::string& choice : choices) {
      if (value == choice) return true;
    }
    return false;
  };
  return flag;
}

Flag Picture(std::string Options::* option, About about) {
  Flag flag =
      String(option, "the path of a .png or .svg file", std::move(about));
  flag.set = [=](const std::string& value, Options& options) {
    options.*option = value;
    const std::string ending =
        value.size() < 4 ? "" : value.substr(value.size() - 4);
    return ending == ".png" || ending == ".svg";
  };
  return flag;
}

Flag OptionalBool(std::optional<bool> Options::* option, bool when_unset,
                  About about) {
  Flag flag = Make(std::move(about), "bool", "true or false");
  flag.set = [=](const std::string& value, Options& options) {
    options.*option = ParseBool(value);
    return (options.*option).has_value();
  };
  flag.get = [=](const Options& options) {
    return (options.*option).value_or(when_unset) ? "true" : "false";
  };
  return flag;
}

Flag Always(Flag flag) {
  flag.always_logged = true;
  return flag;
}

std::vector<Flag> MakeFlags() {
  using O = Options;
  const std::string file = "the path of a file";
  return {
      Int(&O::num_runs, 0,
          {"num_runs", "Min num runs",
           "runs to measure; more if min_secs asks for it, fewer if "
           "max_secs ends first"}),
      Float(&O::min_secs, kAny, "seconds",
            {"min_secs", "Min runs duration (seconds)",
             "seconds to go on measuring for, however many runs that takes"}),
      Float(&O::max_secs, 0, "seconds",
            {"max_secs", "Max runs duration (seconds)",
             "seconds after which no further run begins"}),
      Float(&O::run_delay, kAny, "seconds",
            {"run_delay", "Inter-run delay (seconds)",
             "seconds to wait between runs; none if it is not positive"}),
      Float(&O::run_frequency, kAny, "runs a second",
            {"run_frequency", "Number of prorated runs per second",
             "runs to begin a second, at once if they are late; overrides "
             "run_delay if it is positive"}),
      Int(&O::num_threads, -1,
          {"num_threads", "#threads used for CPU inference",
           "threads for inference on the CPU; -1 leaves it to the runtime"},
          kMostThreads),
      String(&O::benchmark_name, "a name",
             {"benchmark_name", "Benchmark name",
              "a name for this benchmark, in the log and in --json"}),
      String(&O::output_prefix, "a text",
             {"output_prefix", "Output prefix", "a text for the log"}),
      Int(&O::warmup_runs, 0,
          {"warmup_runs", "Min warmup runs",
           "runs before those that are measured"}),
      Float(&O::warmup_min_secs, kAny, "seconds",
            {"warmup_min_secs", "Min warmup runs duration (seconds)",
             "seconds to go on warming up for, however many runs that takes"}),
      Bool(&O::verbose, {"verbose", "Log parameter values verbosely",
                         "log every flag, not only those that were given, and "
                         "all that LiteRT logs"}),
      Bool(&O::dry_run, {"dry_run", "Run w/o invoking kernels",
                         "load the model and allocate its tensors, but run "
                         "nothing"}),
      Bool(&O::report_peak_memory_footprint,
           {"report_peak_memory_footprint", "Report the peak memory footprint",
            "have a thread look at the process's memory, and report the most "
            "that it saw; may slow the runs"}),
      Int(&O::memory_footprint_check_interval_ms,
          std::numeric_limits<int32_t>::min(),
          {"memory_footprint_check_interval_ms",
           "Memory footprint check interval (ms)",
           "milliseconds between two looks of that thread; 50 if it is not "
           "positive"}),
      Always(String(&O::graph, "the path of a .tflite file",
                    {"graph", "Graph",
                     "the model to run, also without the flag's name, or "
                     "fd:NUMBER:OFFSET:SIZE for a part of an open file; "
                     "without it the model beside this program"})),
      Always(String(&O::signature_to_run_for, "the key of a signature",
                    {"signature_to_run_for", "Signature to run",
                     "the signature to run; needed if the model has "
                     "several"})),
      Bool(&O::list_signatures,
           {"list_signatures", "List signatures from the provided model",
            "print the model's signatures and end"}),
      String(&O::input_layer, "names, such as input1,input2",
             {"input_layer", "Input layers",
              "names for all the model's inputs, in its order, separated by "
              "','"}),
      String(&O::input_layer_shape, "shapes, such as 1,224,224,4:1,20",
             {"input_layer_shape", "Input shapes",
              "a shape for each name in input_layer, separated by ':', its "
              "sizes by ','"}),
      String(&O::input_layer_value_range,
             "items NAME,LOW,HIGH, such as input1,1,2:input2,0,254",
             {"input_layer_value_range", "Input value ranges",
              "the range of an input's random values as NAME,LOW,HIGH, both "
              "included and integers; items are separated by ':'"}),
      String(&O::input_layer_value_files,
             "items NAME:FILE, such as input1:a.bin,input2:b.bin",
             {"input_layer_value_files", "Input value files",
              "a file of an input's bytes, or of strings that each end in a "
              "zero byte, as NAME:FILE; items are separated by ',', a ':' in a "
              "name or path is written '::'; overrides the range"}),
      Bool(&O::require_full_delegation,
           {"require_full_delegation", "Require full delegation",
            "fail unless delegates run the whole graph"}),
      Bool(&O::enable_op_profiling,
           {"enable_op_profiling", "Enable op profiling",
            "measure each op as well"}),
      Choice(&O::op_profiling_output_mode, {"stdout", "csv", "json"},
             {"op_profiling_output_mode", "Op profiling output mode.",
              "how to write what the ops took: a table (stdout), csv or json"}),
      String(&O::op_profiling_output_file, file,
             {"op_profiling_output_file", "Op profiling output file.",
              "where to write it; without, to standard output"}),
      Int(&O::max_profiling_buffer_entries, 0,
          {"max_profiling_buffer_entries",
           "Max initial profiling buffer entries",
           "events to make room for at first; there is always room for more"}),
      Bool(&O::allow_dynamic_profiling_buffer_increase,
           {"allow_dynamic_profiling_buffer_increase",
            "Allow dynamic increase on profiling buffer entries",
            "changes nothing: the buffer always grows as it has to"}),
      String(
          &O::profiling_output_csv_file, file,
          {"profiling_output_csv_file", "CSV File to export profiling data to",
           "the older way to say op_profiling_output_mode=csv with "
           "op_profiling_output_file=FILE"}),
      Bool(&O::print_preinvoke_state,
           {"print_preinvoke_state", "Print pre-invoke interpreter state",
            "print tensors, memory and nodes before the first run"}),
      Bool(&O::print_postinvoke_state,
           {"print_postinvoke_state", "Print post-invoke interpreter state",
            "print tensors, memory and nodes after the last run"}),
      String(&O::output_filepath, file,
             {"output_filepath", "File path to export outputs layer to",
              "where to write the bytes of the outputs, one after the other"}),
      Int(&O::tensor_name_display_length, 1,
          {"tensor_name_display_length", "Tensor name display length",
           "width of the names of tensors in the printed state"}),
      Int(&O::tensor_type_display_length, 1,
          {"tensor_type_display_length", "Tensor type display length",
           "width of the types of tensors in the printed state"}),
      Int(&O::alloc_type_display_length, 1,
          {"alloc_type_display_length", "Tensor allocation type display length",
           "width of the kinds of memory in the printed state"}),
      OptionalBool(&O::use_xnnpack, true,
                   {"use_xnnpack", "Use xnnpack",
                    "apply the XNNPACK delegate; if the flag is not given "
                    "and the delegate cannot be applied, the model runs "
                    "without it"}),
      Bool(&O::xnnpack_force_fp16, {"xnnpack_force_fp16", "xnnpack_force_fp16",
                                    "have XNNPACK compute in half precision"}),
      String(
          &O::xnnpack_weight_cache_file_path, file,
          {"xnnpack_weight_cache_file_path", "xnnpack_weight_cache_file_path",
           "where XNNPACK keeps packed weights from one start to the "
           "next"}),
      String(&O::external_delegate_path, "the path of a shared library",
             {"external_delegate_path", "External delegate path",
              "a library with a delegate to apply"}),
      String(&O::external_delegate_options,
             "items NAME:VALUE, such as option1:value1;option2:value2",
             {"external_delegate_options", "External delegate options",
              "what to tell that delegate, as NAME:VALUE; items are separated "
              "by ';'"}),
      Choice(&O::runtime, {"tflite", "litert"},
             {"runtime", "Runtime",
              "what runs the model: TFLite's C library or LiteRT's "
              "CompiledModel"}),
      String(&O::compare, "the path of a .tflite file",
             {"compare", "Model to compare with",
              "a second model, whose runs alternate with the first's; "
              "reports the ratio of their times"}),
      Choice(&O::compare_runtime, {"tflite", "litert"},
             {"compare_runtime", "Runtime to compare with",
              "what runs the second model, if it is not what runs the "
              "first; without compare the second model is the first"}),
      String(&O::json, file,
             {"json", "JSON report", "where to write all results as JSON"}),
      String(&O::samples, file,
             {"samples", "Samples",
              "where to write what each run took, in nanoseconds, a line a "
              "run; of a comparison both, separated by ','"}),
      Picture(&O::plot,
              {"plot", "Plot",
               "where to draw the times, and the ops' shares if they are "
               "measured: a .png or .svg file"}),
      String(&O::model_explorer, file,
             {"model_explorer", "Model Explorer node data",
              "where to write what each op took, for Model Explorer to color "
              "its nodes by; needs --use_xnnpack=false"}),
      Bool(&O::help, {"help", "Print out all supported flags",
                      "print the flags, and end; -h is the same"}),
      Bool(&O::helpfull, {"helpfull", "Print out all known flags",
                          "print also the flags of other builds, which are "
                          "refused here, and end"}),
  };
}

std::vector<RefusedFlag> MakeRefusedFlags() {
  const std::string gpu = "TFLite's C library has no GPU delegate";
  const std::string nnapi = "NNAPI is part of Android";
  const std::string hexagon = "Hexagon's delegate runs on Qualcomm's DSP";
  const std::string coreml = "Core ML is part of Apple's systems";
  const std::string edgetpu = "there is no Edge TPU delegate here";
  const std::string accelerators =
      "no delegate here reads it, XNNPACK does not either; an external "
      "delegate "
      "takes its own by --external_delegate_options";
  const std::string android = "it is Android's";
  const std::string litert = "LiteRT runs on the CPU here";
  const std::string c_api = "TFLite's C API has no way to set it";
  const std::string proto = "there are no protocol buffers here";
  const std::string stable =
      "stable delegates are configured by protocol buffers; a library goes to "
      "--external_delegate_path";
  return {
      {"use_gpu", "false", gpu},
      {"gpu_precision_loss_allowed", "true", gpu},
      {"gpu_experimental_enable_quant", "true", gpu},
      {"gpu_inference_for_sustained_speed", "false", gpu},
      {"gpu_backend", "", gpu},
      {"gpu_wait_type", "", gpu},
      {"gpu_invoke_loop_times", "1", gpu},
      {"use_nnapi", "false", nnapi},
      {"nnapi_execution_preference", "", nnapi},
      {"nnapi_execution_priority", "", nnapi},
      {"nnapi_accelerator_name", "", nnapi},
      {"nnapi_allow_fp16", "false", nnapi},
      {"nnapi_allow_dynamic_dimensions", "false", nnapi},
      {"nnapi_use_burst_mode", "false", nnapi},
      {"nnapi_support_library_path", "", nnapi},
      {"disable_nnapi_cpu", "true", nnapi},
      {"use_hexagon", "false", hexagon},
      {"hexagon_profiling", "false", hexagon},
      {"hexagon_lib_path", "/data/local/tmp/", hexagon},
      {"use_coreml", "false", coreml},
      {"coreml_version", "0", coreml},
      {"use_edgetpu", "false", edgetpu},
      {"edgetpu_path", "", edgetpu},
      {"max_delegated_partitions", "0", accelerators},
      {"min_nodes_per_partition", "0", accelerators},
      {"first_delegate_node_index", "0", accelerators},
      {"last_delegate_node_index", "2147483647", accelerators},
      {"delegate_serialize_dir", "", accelerators},
      {"delegate_serialize_token", "", accelerators},
      {"enable_platform_tracing", "false", android},
      {"use_cpu", "true", litert},
      {"use_npu", "false", litert},
      {"stable_delegate_loader_settings", "", stable},
      {"stable_delegate_settings_file", "", stable},
      {"stable_abi_delegate_settings_file", "", stable},
      {"xnnpack_runtime_flags", "0", c_api},
      {"allow_fp16", "false", c_api},
      {"use_caching", "false", c_api},
      {"release_dynamic_tensors", "false", c_api},
      {"optimize_memory_for_large_tensors", "0", c_api},
      {"disable_delegate_clustering", "false", c_api},
      {"enable_builtin_cast_constant_cache", "false", c_api},
      {"export_model_runtime_info", "false", proto},
      {"model_runtime_info_output_file", "", proto},
      {"output_proto_filepath", "", proto + "; use --output_filepath"},
      {"result_file_path", "", proto + "; use --json"},
  };
}

}  // namespace

const std::vector<Flag>& Flags() {
  static const auto* const flags = new std::vector<Flag>(MakeFlags());
  return *flags;
}

const std::vector<FlagGroup>& FlagGroups() {
  static const auto* const groups = new std::vector<FlagGroup>{
      {"What most people need",
       {"graph", "num_runs", "min_secs", "warmup_runs", "num_threads",
        "use_xnnpack", "runtime", "compare", "compare_runtime",
        "enable_op_profiling", "json", "plot", "help", "helpfull"}},
      {"How often and how long",
       {"max_secs", "warmup_min_secs", "run_delay", "run_frequency",
        "dry_run"}},
      {"What goes in and comes out",
       {"input_layer", "input_layer_shape", "input_layer_value_range",
        "input_layer_value_files", "output_filepath", "signature_to_run_for",
        "list_signatures"}},
      {"What the ops take",
       {"op_profiling_output_mode", "op_profiling_output_file",
        "profiling_output_csv_file", "model_explorer",
        "max_profiling_buffer_entries",
        "allow_dynamic_profiling_buffer_increase"}},
      {"Delegates",
       {"require_full_delegation", "xnnpack_force_fp16",
        "xnnpack_weight_cache_file_path", "external_delegate_path",
        "external_delegate_options"}},
      {"What else is printed and written",
       {"verbose", "samples", "benchmark_name", "output_prefix",
        "report_peak_memory_footprint", "memory_footprint_check_interval_ms",
        "print_preinvoke_state", "print_postinvoke_state",
        "tensor_name_display_length", "tensor_type_display_length",
        "alloc_type_display_length"}},
  };
  return *groups;
}

const std::vector<RefusedFlag>& RefusedFlags() {
  static const auto* const flags =
      new std::vector<RefusedFlag>(MakeRefusedFlags());
  return *flags;
}

}  // namespace tflite::custom::benchmark
