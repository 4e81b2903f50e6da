#ifndef TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_
#define TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {

// What the command line says. Names, defaults and meaning are those of the
// public benchmark_model; flags.cc has a line on each.
struct Options {
  std::string graph;  // Empty: the model beside the program.
  std::string signature_to_run_for;
  bool list_signatures = false;

  int32_t num_runs = 50;
  float min_secs = 1.0f;
  float max_secs = 150.0f;
  float run_delay = -1.0f;
  float run_frequency = -1.0f;
  int32_t num_threads = -1;
  std::string benchmark_name;
  std::string output_prefix;
  int32_t warmup_runs = 1;
  float warmup_min_secs = 0.5f;
  bool verbose = false;
  bool dry_run = false;
  bool report_peak_memory_footprint = false;
  int32_t memory_footprint_check_interval_ms = 50;

  std::string input_layer;
  std::string input_layer_shape;
  std::string input_layer_value_range;
  std::string input_layer_value_files;

  bool require_full_delegation = false;
  bool enable_op_profiling = false;
  std::string op_profiling_output_mode = "stdout";
  std::string op_profiling_output_file;
  int32_t max_profiling_buffer_entries = 1024;
  bool allow_dynamic_profiling_buffer_increase = false;
  std::string profiling_output_csv_file;

  bool print_preinvoke_state = false;
  bool print_postinvoke_state = false;
  int32_t tensor_name_display_length = 25;
  int32_t tensor_type_display_length = 15;
  int32_t alloc_type_display_length = 18;
  std::string output_filepath;

  // Unset: applied where it can be. The public tool's runtime does so too
  // unless the flag says false.
  std::optional<bool> use_xnnpack;
  bool xnnpack_force_fp16 = false;
  std::string xnnpack_weight_cache_file_path;
  std::string external_delegate_path;
  std::string external_delegate_options;

  // Not the public tool's.
  std::string runtime = "tflite";
  // Both empty: there is no comparison. One empty: that of the model itself.
  std::string compare;
  std::string compare_runtime;
  std::string json;
  std::string samples;
  std::string plot;
  std::string model_explorer;
  bool help = false;
  bool helpfull = false;

  // What to log, as the public tool does: description and value.
  std::vector<std::pair<std::string, std::string>> log;
};

// `arguments` without the program's name; `default_graph` is run where they
// name none. An error names the flag, the value and what is allowed; for an
// unknown flag the nearest that there is; for a flag that cannot be served
// here, why not.
ErrorOr<Options> ParseOptions(const std::vector<std::string>& arguments,
                              const std::string& default_graph = "");

// The same for the model that is compared with; none where there is none.
std::optional<Options> ComparedOptions(const Options& options);

// What --help prints, and --helpfull where `full`.
void PrintUsage(const std::string& program, bool full, std::ostream& out);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_OPTIONS_H_
