#include "tflite/custom/benchmark/session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/arena.h"
#include "tflite/custom/benchmark/error_or.h"
#include "tflite/custom/benchmark/model.h"
#include "tflite/custom/benchmark/options.h"
#include "tflite/custom/benchmark/runtime_log.h"
#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"
#include "third_party/tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h"

namespace tflite::custom::benchmark {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// The custom ops of the model that this repository has no kernel for. The
// runtime may still have its own.
std::vector<CustomOpCode> OpsOfOthers(const Model& model) {
  std::vector<CustomOpCode> codes;
  for (CustomOpCode& code : model.CustomOpCodes()) {
    if (FindCustomOp(code.name.c_str(), code.version) == nullptr) {
      codes.push_back(std::move(code));
    }
  }
  return codes;
}

}  // namespace

Error Session::CannotPrepare(TfLiteStatus status) const {
  const std::string line = log_->Line();
  if (status == kTfLiteUnresolvedOps) {
    for (const CustomOpCode& code : OpsOfOthers(*model_)) {
      if (line.find("unresolved custom op: " + code.name + ".") !=
          std::string::npos) {
        return Error{model_->path() + " needs the custom op '" + code.name +
                     "' (version " + std::to_string(code.version) +
                     "), for which no kernel is registered; registered are: " +
                     Join(CustomOpNames())};
      }
    }
  }
  return Error{"cannot prepare " + model_->path() + ": " + line};
}

bool Session::ApplyXnnpack(int num_threads) {
  TfLiteXNNPackDelegateOptions options = TfLiteXNNPackDelegateOptionsDefault();
  // A pool of one thread would only cost.
  options.num_threads = num_threads > 1 ? num_threads : 0;
  delegate_.reset(TfLiteXNNPackDelegateCreate(&options));
  return delegate_ != nullptr &&
         TfLiteInterpreterModifyGraphWithDelegate(interpreter_.get(),
                                                  delegate_.get()) == kTfLiteOk;
}

ErrorOr<Session> Session::Create(Model model, const Options& options) {
  Session session;
  session.model_ = std::make_unique<Model>(std::move(model));
  session.log_ = std::make_unique<RuntimeLog>();

  struct DeleteOptions {
    void operator()(TfLiteInterpreterOptions* o) const {
      TfLiteInterpreterOptionsDelete(o);
    }
  };
  const std::unique_ptr<TfLiteInterpreterOptions, DeleteOptions>
      interpreter_options(TfLiteInterpreterOptionsCreate());
  TfLiteInterpreterOptionsSetErrorReporter(
      interpreter_options.get(), RuntimeLog::Report, session.log_.get());
  TfLiteInterpreterOptionsSetNumThreads(interpreter_options.get(),
                                        options.num_threads);
  RegisterCustomOps(interpreter_options.get());
  const auto create_interpreter = [&] {
    session.log_->Clear();
    session.interpreter_.reset(TfLiteInterpreterCreate(
        session.model_->get(), interpreter_options.get()));
    return session.interpreter_ != nullptr;
  };
  if (!create_interpreter()) return session.CannotPrepare(kTfLiteError);

  // Only the allocation finds an unresolved op. Where there may be one, find it
  // before the delegate prepares its part of the graph.
  if (!OpsOfOthers(*session.model_).empty()) {
    const TfLiteStatus status =
        TfLiteInterpreterAllocateTensors(session.interpreter());
    if (status != kTfLiteOk) return session.CannotPrepare(status);
  }

  if (options.use_xnnpack.value_or(true) &&
      !session.ApplyXnnpack(options.num_threads)) {
    if (options.use_xnnpack.has_value()) {
      return Error{"cannot apply the XNNPACK delegate to " +
                   session.model_->path() + ": " + session.log_->Line()};
    }
    if (!create_interpreter()) return session.CannotPrepare(kTfLiteError);
    session.delegate_.reset();
  }

  const TfLiteStatus status =
      TfLiteInterpreterAllocateTensors(session.interpreter());
  if (status != kTfLiteOk) return session.CannotPrepare(status);
  if (const auto tensor =
          UnallocatedTensor(session.interpreter(), *session.model_)) {
    return Error{"not enough memory to run " + session.model_->path() +
                 ": no room for its tensor " + *tensor};
  }
  session.log_->Clear();
  return session;
}

}  // namespace tflite::custom::benchmark
