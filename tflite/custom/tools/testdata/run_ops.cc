// Prints the custom ops that it was linked with and runs a model with them.

#include <iostream>
#include <string>
#include <vector>

#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " MODEL" << std::endl;
    return 2;
  }
  for (const std::string& name : tflite::custom::CustomOpNames()) {
    std::cout << name << '\n';
  }
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  if (model == nullptr) return 1;
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  tflite::custom::RegisterCustomOps(options);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  const bool ran = interpreter != nullptr &&
                   TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk &&
                   TfLiteInterpreterInvoke(interpreter) == kTfLiteOk;
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return ran ? 0 : 1;
}
