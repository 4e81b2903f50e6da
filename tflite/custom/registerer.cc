// What libtflite_custom_ops.so exports: the kernels of register.cc for the
// interpreters in Python wheels.

#include "tflite/custom/registerer.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"

using tflite::custom::ErrorOr;
using tflite::custom::Model;

struct TfLiteCustomOpsLog {
  tflite::custom::RuntimeLog log;
  std::string taken;
};

struct TfLiteCustomOpsModel {
  Model model;
};

int TfLiteCustomOpsRegisterer(void* resolver) {
  return tflite::custom::RegisterCustomOps(
             static_cast<tflite::MutableOpResolver*>(resolver))
             ? 0
             : 1;
}

void TfLiteCustomOpsRegisterWithOptions(void* options) {
  tflite::custom::RegisterCustomOps(
      static_cast<TfLiteInterpreterOptions*>(options));
}

int TfLiteCustomOpsHas(const char* name, int version) {
  return tflite::custom::FindCustomOp(name, version) == nullptr ? 0 : 1;
}

const char* TfLiteCustomOpsName(int index) {
  static const auto* const names =
      new std::vector<std::string>(tflite::custom::CustomOpNames());
  if (index < 0 || index >= static_cast<int>(names->size())) return nullptr;
  return (*names)[index].c_str();
}

TfLiteCustomOpsLog* TfLiteCustomOpsLogCreate(void) {
  return std::make_unique<TfLiteCustomOpsLog>().release();
}

void TfLiteCustomOpsLogDelete(TfLiteCustomOpsLog* log) { delete log; }

void TfLiteCustomOpsLogUse(TfLiteCustomOpsLog* log, void* options) {
  TfLiteInterpreterOptionsSetErrorReporter(
      static_cast<TfLiteInterpreterOptions*>(options),
      tflite::custom::RuntimeLog::Report, &log->log);
}

const char* TfLiteCustomOpsLogTake(TfLiteCustomOpsLog* log) {
  log->taken = log->log.Line();
  log->log.Clear();
  return log->taken.c_str();
}

TfLiteCustomOpsModel* TfLiteCustomOpsModelCreate(const void* contents,
                                                 size_t size,
                                                 TfLiteCustomOpsLog* log) {
  ErrorOr<Model> model =
      Model::FromBytes({static_cast<const char*>(contents), size}, "the model");
  if (!model.ok()) {
    log->log.Add(model.error().message);
    return nullptr;
  }
  return std::make_unique<TfLiteCustomOpsModel>(
             TfLiteCustomOpsModel{std::move(*model)})
      .release();
}

void TfLiteCustomOpsModelDelete(TfLiteCustomOpsModel* model) { delete model; }

const void* TfLiteCustomOpsModelGet(const TfLiteCustomOpsModel* model) {
  return model->model.get();
}
