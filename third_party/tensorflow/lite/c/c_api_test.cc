// That the structs declared here are the ones that the library was built with.

#include "third_party/tensorflow/lite/c/c_api.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h"

namespace {

constexpr char kModel[] = "tflite/custom/atan.tflite";

// Copies its input, as Atan's shape is. Finds its operator's user data.
struct Calls {
  int init = 0;
  int free = 0;
  int prepare = 0;
  int invoke = 0;
};

void* Init(void* user_data, TfLiteOpaqueContext* context, const char* buffer,
           size_t length) {
  ++static_cast<Calls*>(user_data)->init;
  return user_data;
}

void Free(void* user_data, TfLiteOpaqueContext* context, void* data) {
  EXPECT_EQ(data, user_data);
  ++static_cast<Calls*>(user_data)->free;
}

TfLiteStatus Prepare(void* user_data, TfLiteOpaqueContext* context,
                     TfLiteOpaqueNode* node) {
  EXPECT_EQ(TfLiteOpaqueNodeGetUserData(node), user_data);
  ++static_cast<Calls*>(user_data)->prepare;

  // The concrete context and node behind the opaque ones.
  auto* concrete_context = reinterpret_cast<TfLiteContext*>(context);
  auto* concrete_node = reinterpret_cast<TfLiteNode*>(node);
  EXPECT_EQ(concrete_context->tensors_size,
            TfLiteOpaqueContextGetNumTensors(context));
  EXPECT_EQ(concrete_node->user_data, user_data);
  EXPECT_EQ(concrete_node->inputs->size, TfLiteOpaqueNodeNumberOfInputs(node));
  EXPECT_EQ(concrete_node->inputs->data[0],
            TfLiteOpaqueNodeGetInputTensorIndex(node, 0));
  EXPECT_EQ(concrete_node->outputs->data[0],
            TfLiteOpaqueNodeGetOutputTensorIndex(node, 0));
  EXPECT_EQ(concrete_node->delegate, nullptr);

  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  const int num_dims = TfLiteOpaqueTensorNumDims(input);
  TfLiteIntArray* shape = TfLiteIntArrayCreate(num_dims);
  for (int i = 0; i < num_dims; ++i) {
    shape->data[i] = TfLiteOpaqueTensorDim(input, i);
  }
  return concrete_context->ResizeTensor(
      concrete_context,
      reinterpret_cast<TfLiteTensor*>(
          TfLiteOpaqueNodeGetOutput(context, node, 0)),
      shape);
}

TfLiteStatus Invoke(void* user_data, TfLiteOpaqueContext* context,
                    TfLiteOpaqueNode* node) {
  ++static_cast<Calls*>(user_data)->invoke;
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  return TfLiteOpaqueTensorCopyFromBuffer(
      TfLiteOpaqueNodeGetOutput(context, node, 0),
      TfLiteOpaqueTensorData(input), TfLiteOpaqueTensorByteSize(input));
}

TEST(CApiTest, LibraryIsTheOneThatTheHeadersDescribe) {
  EXPECT_STREQ(TfLiteVersion(), "2.17.1");
  EXPECT_EQ(TfLiteSchemaVersion(), 3);
}

TEST(CApiTest, OperatorKeepsIdentityAndUserDataUnderBothNames) {
  int user_data = 0;
  TfLiteOperator* op =
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Name", 7, &user_data);
  EXPECT_EQ(TfLiteOperatorGetBuiltInCode(op), kTfLiteBuiltinCustom);
  EXPECT_STREQ(TfLiteOperatorGetCustomName(op), "Name");
  EXPECT_EQ(TfLiteOperatorGetVersion(op), 7);
  EXPECT_EQ(TfLiteOperatorGetUserData(op), &user_data);
  TfLiteOperatorDelete(op);

  TfLiteRegistrationExternal* registration =
      TfLiteRegistrationExternalCreate(kTfLiteBuiltinCustom, "Name", 7);
  EXPECT_EQ(TfLiteRegistrationExternalGetBuiltInCode(registration),
            kTfLiteBuiltinCustom);
  EXPECT_STREQ(TfLiteRegistrationExternalGetCustomName(registration), "Name");
  EXPECT_EQ(TfLiteRegistrationExternalGetVersion(registration), 7);
  EXPECT_EQ(TfLiteOperatorGetUserData(registration), nullptr);
  TfLiteRegistrationExternalDelete(registration);
}

TEST(CApiTest, ConcreteStructsAgreeWithTheirAccessors) {
  Calls calls;
  TfLiteOperator* op =
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Atan", 1, &calls);
  EXPECT_EQ(TfLiteOperatorSetInitWithData(op, Init), kTfLiteOk);
  EXPECT_EQ(TfLiteOperatorSetFreeWithData(op, Free), kTfLiteOk);
  EXPECT_EQ(TfLiteOperatorSetPrepareWithData(op, Prepare), kTfLiteOk);
  EXPECT_EQ(TfLiteOperatorSetInvokeWithData(op, Invoke), kTfLiteOk);

  TfLiteModel* model = TfLiteModelCreateFromFile(kModel);
  ASSERT_NE(model, nullptr);
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddOperator(options, op);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);

  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  EXPECT_EQ(input->type, kTfLiteFloat32);
  EXPECT_EQ(input->type, TfLiteTensorType(input));
  EXPECT_EQ(input->data.raw, TfLiteTensorData(input));
  EXPECT_EQ(input->dims->size, TfLiteTensorNumDims(input));
  EXPECT_EQ(input->dims->data[0], TfLiteTensorDim(input, 0));
  EXPECT_EQ(input->bytes, TfLiteTensorByteSize(input));
  EXPECT_EQ(input->name, TfLiteTensorName(input));
  EXPECT_EQ(input->allocation_type, kTfLiteArenaRw);
  EXPECT_EQ(input->delegate, nullptr);
  EXPECT_EQ(input->buffer_handle, kTfLiteNullBufferHandle);
  EXPECT_FALSE(input->is_variable);
  EXPECT_EQ(input->quantization.type, kTfLiteNoQuantization);
  EXPECT_EQ(input->sparsity, nullptr);
  EXPECT_STREQ(TfLiteTypeGetName(input->type), "FLOAT32");

  const std::vector<float> values(input->bytes / sizeof(float), 2.0f);
  ASSERT_EQ(TfLiteTensorCopyFromBuffer(input, values.data(), input->bytes),
            kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  ASSERT_EQ(output->bytes, input->bytes);
  EXPECT_NEAR(output->data.f[0], 3.0f, 1e-4f);  // x + offset

  TfLiteInterpreterDelete(interpreter);
  TfLiteOperatorDelete(op);
  EXPECT_EQ(calls.init, 1);
  EXPECT_EQ(calls.free, 1);
  EXPECT_GE(calls.prepare, 1);
  EXPECT_EQ(calls.invoke, 1);
}

TEST(CApiTest, XnnpackOptionsHaveTheSizeThatTheLibraryFillsIn) {
  // The library writes through a hidden pointer to the result: a struct that
  // is too large keeps what was there, one too small loses what follows.
  struct alignas(16) Guarded {
    TfLiteXNNPackDelegateOptions options;
    unsigned char guard[64];
  } guarded;
  std::memset(&guarded, 0xAA, sizeof(guarded));
  using Fill = void* (*)(void*);
  reinterpret_cast<Fill>(&TfLiteXNNPackDelegateOptionsDefault)(&guarded);
  EXPECT_EQ(guarded.options.num_threads, 0);
  EXPECT_EQ(guarded.options.flags, TFLITE_XNNPACK_DELEGATE_FLAG_QS8 |
                                       TFLITE_XNNPACK_DELEGATE_FLAG_QU8);
  EXPECT_EQ(guarded.options.weights_cache, nullptr);
  EXPECT_FALSE(guarded.options.handle_variable_ops);
  EXPECT_EQ(guarded.options.experimental_weight_cache_file_path, nullptr);
  for (unsigned char byte : guarded.guard) EXPECT_EQ(byte, 0xAA);

  TfLiteXNNPackDelegateOptions options = TfLiteXNNPackDelegateOptionsDefault();
  options.num_threads = 2;
  TfLiteDelegate* delegate = TfLiteXNNPackDelegateCreate(&options);
  ASSERT_NE(delegate, nullptr);
  EXPECT_EQ(TfLiteXNNPackDelegateGetOptions(delegate)->num_threads, 2);
  EXPECT_NE(TfLiteXNNPackDelegateGetThreadPool(delegate), nullptr);
  EXPECT_EQ(delegate->opaque_delegate_builder, nullptr);
  TfLiteXNNPackDelegateDelete(delegate);
}

TEST(CApiTest, TelemetryProfilerIsToldOfEachOp) {
  struct Seen {
    std::vector<std::string> begun;
    int ended = 0;
  } seen;
  TfLiteTelemetryProfilerStruct profiler = {};
  profiler.data = &seen;
  profiler.ReportTelemetryEvent = [](TfLiteTelemetryProfilerStruct*,
                                     const char*, uint64_t) {};
  profiler.ReportTelemetryOpEvent = [](TfLiteTelemetryProfilerStruct*,
                                       const char*, int64_t, int64_t,
                                       uint64_t) {};
  profiler.ReportSettings = [](TfLiteTelemetryProfilerStruct*, const char*,
                               const TfLiteTelemetrySettings*) {};
  profiler.ReportBeginOpInvokeEvent = [](TfLiteTelemetryProfilerStruct* self,
                                         const char* name, int64_t,
                                         int64_t) -> uint32_t {
    auto* seen = static_cast<Seen*>(self->data);
    seen->begun.push_back(name);
    return seen->begun.size();
  };
  profiler.ReportEndOpInvokeEvent = [](TfLiteTelemetryProfilerStruct* self,
                                       uint32_t handle) {
    auto* seen = static_cast<Seen*>(self->data);
    EXPECT_EQ(handle, seen->begun.size());
    ++seen->ended;
  };
  profiler.ReportOpInvokeEvent = [](TfLiteTelemetryProfilerStruct*, const char*,
                                    uint64_t, int64_t, int64_t) {};

  Calls calls;
  TfLiteOperator* op =
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Atan", 1, &calls);
  TfLiteOperatorSetInitWithData(op, Init);
  TfLiteOperatorSetPrepareWithData(op, Prepare);
  TfLiteOperatorSetInvokeWithData(op, Invoke);
  TfLiteModel* model = TfLiteModelCreateFromFile(kModel);
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddOperator(options, op);
  TfLiteInterpreterOptionsSetTelemetryProfiler(options, &profiler);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
  ASSERT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  EXPECT_EQ(seen.begun, (std::vector<std::string>{"ADD", "Atan"}));
  EXPECT_EQ(seen.ended, 2);
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  TfLiteOperatorDelete(op);
}

}  // namespace
