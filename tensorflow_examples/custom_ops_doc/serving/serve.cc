// Answers from a SavedModel in a process without Python, as TensorFlow Serving
// and TensorFlow for Java do: the libraries of ops first, then the model in a
// session, then runs of it.
//
// serve TENSORFLOW OPS,... MODEL INPUT OUTPUT KEY...
//
// TENSORFLOW is a library with TensorFlow's C API, OPS are libraries of ops,
// INPUT and OUTPUT are tensors of the model's, OPERATION:INDEX. The keys are
// numbers if the input is of int64, and else strings. Prints the values twice,
// from a run each, a line a value.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tstring.h"

namespace {

void* tensorflow;
TF_Status* status;

// The program finds TensorFlow when it runs, so it is built for any release.
#define TF(name) reinterpret_cast<decltype(&name)>(Symbol(#name))

void* Symbol(const char* name) {
  void* const symbol = dlsym(tensorflow, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return symbol;
}

void Check() {
  if (TF(TF_GetCode)(status) != TF_OK) {
    std::fprintf(stderr, "%s\n", TF(TF_Message)(status));
    std::exit(1);
  }
}

TF_Output Find(TF_Graph* graph, const std::string& name) {
  const size_t colon = name.find(':');
  TF_Operation* const operation =
      TF(TF_GraphOperationByName)(graph, name.substr(0, colon).c_str());
  if (operation == nullptr) {
    std::fprintf(stderr, "the model has no operation %s\n", name.c_str());
    std::exit(1);
  }
  return {operation, std::atoi(name.c_str() + colon + 1)};
}

TF_Tensor* Keys(TF_DataType type, const std::vector<std::string>& keys) {
  const int64_t size = keys.size();
  const size_t width = type == TF_INT64 ? sizeof(int64_t) : sizeof(TF_TString);
  TF_Tensor* const tensor = TF(TF_AllocateTensor)(type, &size, 1, size * width);
  void* const data = TF(TF_TensorData)(tensor);
  for (int64_t i = 0; i < size; ++i) {
    if (type == TF_INT64) {
      static_cast<int64_t*>(data)[i] = std::atoll(keys[i].c_str());
    } else {
      TF_TString* const string = static_cast<TF_TString*>(data) + i;
      TF(TF_StringInit)(string);
      TF(TF_StringCopy)(string, keys[i].data(), keys[i].size());
    }
  }
  return tensor;
}

void Print(const TF_Tensor* tensor) {
  const void* const data = TF(TF_TensorData)(tensor);
  for (int64_t i = 0; i < TF(TF_TensorElementCount)(tensor); ++i) {
    if (TF(TF_TensorType)(tensor) == TF_INT64) {
      std::printf("%lld\n",
                  static_cast<long long>(static_cast<const int64_t*>(data)[i]));
    } else {
      const TF_TString* const string = static_cast<const TF_TString*>(data) + i;
      std::printf("%.*s\n", static_cast<int>(TF(TF_StringGetSize)(string)),
                  TF(TF_StringGetDataPointer)(string));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr,
                 "serve TENSORFLOW OPS,... MODEL INPUT OUTPUT KEY...\n");
    return 2;
  }
  tensorflow = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (tensorflow == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  status = TF(TF_NewStatus)();
  std::istringstream libraries(argv[2]);
  for (std::string ops; std::getline(libraries, ops, ',');) {
    TF(TF_LoadLibrary)(ops.c_str(), status);
    Check();
  }
  TF_Graph* const graph = TF(TF_NewGraph)();
  const char* const tag = "serve";
  TF_Session* const session = TF(TF_LoadSessionFromSavedModel)(
      TF(TF_NewSessionOptions)(), nullptr, argv[3], &tag, 1, graph, nullptr,
      status);
  Check();
  const TF_Output input = Find(graph, argv[4]);
  const TF_Output output = Find(graph, argv[5]);
  TF_Tensor* const keys =
      Keys(TF(TF_OperationOutputType)(input), {argv + 6, argv + argc});
  for (int run = 0; run < 2; ++run) {
    TF_Tensor* values;
    TF(TF_SessionRun)(session, nullptr, &input, &keys, 1, &output, &values, 1,
                      nullptr, 0, nullptr, status);
    Check();
    Print(values);
    TF(TF_DeleteTensor)(values);
  }
  TF(TF_DeleteTensor)(keys);
  TF(TF_DeleteSession)(session, status);
  Check();
  TF(TF_DeleteGraph)(graph);
}
