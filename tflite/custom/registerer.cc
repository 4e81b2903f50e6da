// What libtflite_custom_ops.so exports: the kernels of register.cc for the
// interpreters in Python wheels.

#include "tflite/custom/registerer.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tflite/custom/model/buffer_offsets.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"

struct TfLiteCustomOpsLog {
  tflite::custom::RuntimeLog log;
  std::string taken;
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

const void* TfLiteCustomOpsBuffersInside(const void* model, size_t size,
                                         TfLiteCustomOpsLog* log,
                                         size_t* new_size) {
  *new_size = size;
  const auto inside = tflite::custom::WithBuffersInside(
      {static_cast<const char*>(model), size});
  if (!inside.ok()) {
    log->log.Add(inside.error().message);
    return nullptr;
  }
  if (!inside->has_value()) return model;
  *new_size = (*inside)->size();
  void* const contents = std::malloc(*new_size);
  if (contents != nullptr) {
    std::memcpy(contents, (*inside)->data(), *new_size);
  } else {
    log->log.Add("not enough memory for a copy of the model");
  }
  return contents;
}

void TfLiteCustomOpsFree(const void* contents) {
  std::free(const_cast<void*>(contents));
}
