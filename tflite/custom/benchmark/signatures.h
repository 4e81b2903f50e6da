#ifndef TFLITE_CUSTOM_BENCHMARK_SIGNATURES_H_
#define TFLITE_CUSTOM_BENCHMARK_SIGNATURES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"

namespace tflite::custom::benchmark {

// Which of model.Signatures() to run where --signature_to_run_for says `asked`;
// nothing where the model has none and none was asked for.
ErrorOr<std::optional<size_t>> ChooseSignature(const Model& model,
                                               const std::string& asked);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_SIGNATURES_H_
