#ifndef TFLITE_CUSTOM_TESTDATA_TEST_INTERPRETER_H_
#define TFLITE_CUSTOM_TESTDATA_TEST_INTERPRETER_H_

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "third_party/tensorflow/lite/c/c_api.h"

namespace tflite::custom {

// The C library's interpreter over a model with one float32 input and output.
class TestInterpreter {
 public:
  // `add_ops` registers what the model needs.
  TestInterpreter(
      const std::string& path,
      const std::function<void(TfLiteInterpreterOptions*)>& add_ops) {
    TfLiteModel* model = TfLiteModelCreateFromFile(path.c_str());
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    add_ops(options);
    interpreter_ = TfLiteInterpreterCreate(model, options);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
  }
  TestInterpreter(const TestInterpreter&) = delete;
  TestInterpreter& operator=(const TestInterpreter&) = delete;
  ~TestInterpreter() { TfLiteInterpreterDelete(interpreter_); }

  TfLiteInterpreter* get() { return interpreter_; }

  // The output for `values` as an input of this shape.
  std::vector<float> Run(const std::vector<int>& shape,
                         const std::vector<float>& values) {
    EXPECT_EQ(
        TfLiteInterpreterResizeInputTensor(interpreter_, 0, shape.data(),
                                           static_cast<int>(shape.size())),
        kTfLiteOk);
    EXPECT_EQ(TfLiteInterpreterAllocateTensors(interpreter_), kTfLiteOk);
    EXPECT_EQ(TfLiteTensorCopyFromBuffer(
                  TfLiteInterpreterGetInputTensor(interpreter_, 0),
                  values.data(), values.size() * sizeof(float)),
              kTfLiteOk);
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter_), kTfLiteOk);
    const TfLiteTensor* output =
        TfLiteInterpreterGetOutputTensor(interpreter_, 0);
    std::vector<int> output_shape;
    for (int i = 0; i < TfLiteTensorNumDims(output); ++i) {
      output_shape.push_back(TfLiteTensorDim(output, i));
    }
    EXPECT_EQ(output_shape, shape);
    std::vector<float> result(TfLiteTensorByteSize(output) / sizeof(float));
    EXPECT_EQ(TfLiteTensorCopyToBuffer(output, result.data(),
                                       result.size() * sizeof(float)),
              kTfLiteOk);
    return result;
  }

 private:
  TfLiteInterpreter* interpreter_ = nullptr;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_TESTDATA_TEST_INTERPRETER_H_
