#ifndef TFLITE_CUSTOM_TESTDATA_FAKE_RESOLVER_H_
#define TFLITE_CUSTOM_TESTDATA_FAKE_RESOLVER_H_

#include <deque>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite {

// TFLite's resolvers as far as kernels meet them: the order of the virtual
// functions and the name of AddCustom are the real ones'.
class OpResolver {
 public:
  virtual const TfLiteRegistration* FindOp(int op, int version) const = 0;
  virtual const TfLiteRegistration* FindOp(const char* op,
                                           int version) const = 0;
  virtual int Third() const { return 3; }
  virtual ~OpResolver() = default;
};

class MutableOpResolver : public OpResolver {
 public:
  const TfLiteRegistration* FindOp(int op, int version) const override;
  const TfLiteRegistration* FindOp(const char* op, int version) const override;
  ~MutableOpResolver() override;

  void AddCustom(const char* name, const TfLiteRegistration* registration,
                 int version = 1);

 private:
  std::deque<TfLiteRegistration> added_;  // Which others point to.
};

}  // namespace tflite

// Made out of the compiler's sight, which might else call the functions of the
// class that it knows the object to be. The caller deletes it.
extern "C" __attribute__((visibility("default"))) tflite::MutableOpResolver*
NewFakeResolver();

#endif  // TFLITE_CUSTOM_TESTDATA_FAKE_RESOLVER_H_
