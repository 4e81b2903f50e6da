#ifndef TFLITE_CUSTOM_BENCHMARK_SESSION_H_
#define TFLITE_CUSTOM_BENCHMARK_SESSION_H_

#include <memory>
#include <string>

#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/model.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/runtime_log.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h"

namespace tflite::custom::benchmark {

// A model with an interpreter that is ready to run it.
class Session {
 public:
  // With the custom ops of register.cc and the delegate that `options` ask for.
  static ErrorOr<Session> Create(Model model, const Options& options);

  TfLiteInterpreter* interpreter() { return interpreter_.get(); }
  const Model& model() const { return *model_; }

  // What the runtime reported last.
  const RuntimeLog& log() const { return *log_; }

 private:
  struct DeleteInterpreter {
    void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  };
  struct DeleteDelegate {
    void operator()(TfLiteDelegate* d) const { TfLiteXNNPackDelegateDelete(d); }
  };

  Session() = default;

  Error CannotPrepare(TfLiteStatus status) const;
  // False where the delegate could not be applied.
  bool ApplyXnnpack(int num_threads);

  // In the order in which the one needs the other: destroyed from the end.
  std::unique_ptr<Model> model_;
  std::unique_ptr<RuntimeLog> log_;
  std::unique_ptr<TfLiteDelegate, DeleteDelegate> delegate_;
  std::unique_ptr<TfLiteInterpreter, DeleteInterpreter> interpreter_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_SESSION_H_
