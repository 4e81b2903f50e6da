#include "tflite/custom/register.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tflite/custom/atan.h"
#include "tflite/custom/foreign_resolver.h"
#include "tflite/custom/linalg/cross.h"
#include "tflite/custom/linalg/linalg.h"
#include "tflite/custom/multiplex/multiplex_dense.h"
#include "tflite/custom/reduction/reduction.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

const std::vector<CustomOp>& CustomOps() {
  static const auto* const ops = new std::vector<CustomOp>{
      {atan_op::AtanOpRegistrationExternal, atan_op::AtanOpRegistration},
      {CrossOpRegistrationExternal, CrossOpRegistration},
      {linalg_ops::CholeskyOpRegistrationExternal,
       linalg_ops::CholeskyOpRegistration},
      {linalg_ops::MatrixInverseOpRegistrationExternal,
       linalg_ops::MatrixInverseOpRegistration},
      {linalg_ops::QrOpRegistrationExternal, linalg_ops::QrOpRegistration},
      {linalg_ops::SvdOpRegistrationExternal, linalg_ops::SvdOpRegistration},
      {multiplex_ops::MultiplexDenseOpRegistrationExternal,
       multiplex_ops::MultiplexDenseOpRegistration},
      {reduction_ops::CumulativeLogsumexpOpRegistrationExternal,
       reduction_ops::CumulativeLogsumexpOpRegistration},
      {reduction_ops::DenseBincountOpRegistrationExternal,
       reduction_ops::DenseBincountOpRegistration},
      {reduction_ops::HistogramFixedWidthOpRegistrationExternal,
       reduction_ops::HistogramFixedWidthOpRegistration},
      {reduction_ops::SegmentMeanOpRegistrationExternal,
       reduction_ops::SegmentMeanOpRegistration},
  };
  return *ops;
}

namespace {

// What a runtime may use that came in another library than the operators: it
// would read them with a layout of its own.
const std::vector<TfLiteRegistration>& ForeignRegistrations() {
  static const auto* const registrations = [] {
    auto* result = new std::vector<TfLiteRegistration>;
    for (const CustomOp& op : CustomOps()) {
      result->push_back(*op.registration());
      result->back().registration_external = nullptr;
    }
    return result;
  }();
  return *registrations;
}

}  // namespace

std::vector<std::string> CustomOpNames() {
  std::vector<std::string> names;
  for (const CustomOp& op : CustomOps()) {
    names.push_back(op.registration()->custom_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

const TfLiteRegistration* FindCustomOp(const char* name, int version) {
  for (const TfLiteRegistration& registration : ForeignRegistrations()) {
    if (registration.version == version &&
        std::strcmp(registration.custom_name, name) == 0) {
      return &registration;
    }
  }
  return nullptr;
}

void RegisterCustomOps(TfLiteInterpreterOptions* options) {
  for (const CustomOp& op : CustomOps()) {
    TfLiteInterpreterOptionsAddOperator(options, op.registration_external());
  }
}

bool RegisterCustomOps(MutableOpResolver* resolver) {
  return AddCustomOps(resolver, ForeignRegistrations()) ||
         InterposeFindOp(resolver, FindCustomOp);
}

}  // namespace tflite::custom
