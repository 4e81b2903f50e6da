// How interpreters come to know the kernels. Which kernels there are is listed
// in custom_ops.inc, a line each.

#include "tflite/custom/register.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tflite/custom/foreign_resolver.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {

namespace {

struct AddedOps {
  std::vector<CustomOp> ops;
  bool final = false;
};

// Those who add to it do so before main, in an order that nobody knows.
AddedOps& Added() {
  static auto* const added = new AddedOps;
  return *added;
}

bool IsSameOp(const CustomOp& a, const CustomOp& b) {
  const TfLiteRegistration& x = *a.registration();
  const TfLiteRegistration& y = *b.registration();
  return x.version == y.version &&
         std::strcmp(x.custom_name, y.custom_name) == 0;
}

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

bool AddCustomOps(const std::vector<CustomOp>& ops) {
  AddedOps& added = Added();
  if (added.final) {
    std::fprintf(stderr,
                 "AddCustomOps: '%s' comes too late: the custom ops have been "
                 "registered already; add ops before main\n",
                 ops.empty() ? "" : ops[0].registration()->custom_name);
    std::abort();
  }
  added.ops.insert(added.ops.end(), ops.begin(), ops.end());
  return true;
}

const std::vector<CustomOp>& CustomOps() {
  static const auto* const all = [] {
    auto* ops = new std::vector<CustomOp>(ListedCustomOps());
    AddedOps& added = Added();
    added.final = true;
    for (const CustomOp& op : added.ops) {
      const auto same = [&op](const CustomOp& other) {
        return IsSameOp(op, other);
      };
      ops->erase(std::remove_if(ops->begin(), ops->end(), same), ops->end());
      ops->push_back(op);
    }
    return ops;
  }();
  return *all;
}

std::vector<std::string> CustomOpNames() {
  std::vector<std::string> names;
  for (const CustomOp& op : CustomOps()) {
    names.push_back(op.registration()->custom_name);
  }
  std::sort(names.begin(), names.end());
  // Of an op in several versions one.
  names.erase(std::unique(names.begin(), names.end()), names.end());
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
