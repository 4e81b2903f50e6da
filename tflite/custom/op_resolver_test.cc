// Resolvers of the C library's interpreters: adding, replacing, selecting.

#include "tflite/custom/op_resolver.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/atan.h"
#include "tflite/custom/registration.h"
#include "tflite/custom/testdata/test_interpreter.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

using ops::builtin::BuiltinOpResolver;
using ops::builtin::MutableOpResolver;

constexpr char kAtanModel[] = "tflite/custom/atan_only.tflite";
constexpr char kTanhModel[] = "tflite/custom/tanh_only.tflite";
const std::vector<float> kInput = {-2.0f, 0.0f, 0.5f, 201.0f};

// A kernel with which no other is confused: y = scale * x.
template <int scale>
const TfLiteRegistration* ScaleRegistration() {
  static const TfLiteRegistration registration = [] {
    const OpaqueMethods methods = {
        .prepare =
            [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
              const TfLiteOpaqueTensor* input =
                  TfLiteOpaqueNodeGetInput(context, node, 0);
              const int rank = TfLiteOpaqueTensorNumDims(input);
              TfLiteIntArray* shape = TfLiteIntArrayCreate(rank);
              for (int i = 0; i < rank; ++i) {
                shape->data[i] = TfLiteOpaqueTensorDim(input, i);
              }
              return TfLiteOpaqueContextResizeTensor(
                  context, TfLiteOpaqueNodeGetOutput(context, node, 0), shape);
            },
        .invoke =
            [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
              const TfLiteOpaqueTensor* input =
                  TfLiteOpaqueNodeGetInput(context, node, 0);
              const auto* x =
                  static_cast<const float*>(TfLiteOpaqueTensorData(input));
              auto* y = static_cast<float*>(TfLiteOpaqueTensorData(
                  TfLiteOpaqueNodeGetOutput(context, node, 0)));
              const size_t size =
                  TfLiteOpaqueTensorByteSize(input) / sizeof(float);
              for (size_t i = 0; i < size; ++i) y[i] = scale * x[i];
              return kTfLiteOk;
            }};
    TfLiteRegistrationExternal* op = TfLiteRegistrationExternalCreate(
        kTfLiteBuiltinTanh, /*custom_name=*/nullptr, /*version=*/1);
    TfLiteRegistrationExternalSetPrepare(op, methods.prepare);
    TfLiteRegistrationExternalSetInvoke(op, methods.invoke);
    return MakeRegistration(op, methods);
  }();
  return &registration;
}

void ExpectOutput(const std::string& model, const MutableOpResolver& resolver,
                  const std::function<float(float)>& want) {
  TestInterpreter interpreter(model, [&](TfLiteInterpreterOptions* options) {
    SetOpResolver(options, &resolver);
  });
  ASSERT_NE(interpreter.get(), nullptr);
  const std::vector<float> y = interpreter.Run({2, 2}, kInput);
  for (size_t i = 0; i < kInput.size(); ++i) {
    EXPECT_NEAR(y[i], want(kInput[i]), 1e-6f) << kInput[i];
  }
}

void ExpectUnresolved(const std::string& model,
                      const MutableOpResolver& resolver) {
  TestInterpreter interpreter(model, [&](TfLiteInterpreterOptions* options) {
    SetOpResolver(options, &resolver);
  });
  // What is missing may be for a delegate yet, so the C library looks later.
  EXPECT_TRUE(interpreter.get() == nullptr ||
              TfLiteInterpreterAllocateTensors(interpreter.get()) != kTfLiteOk);
}

float Atan(float x) { return std::atan(x); }
float Tanh(float x) { return std::tanh(x); }

TEST(OpResolverTest, AddsACustomOpToTheBuiltInsAsTheGuideDoes) {
  tflite::ops::builtin::MutableOpResolver resolver;
  resolver.AddAll(tflite::ops::builtin::BuiltinOpResolver());
  resolver.AddCustom("Atan", atan_op::AtanOpRegistration());
  ExpectOutput(kAtanModel, resolver, Atan);
  ExpectOutput(kTanhModel, resolver, Tanh);
}

TEST(OpResolverTest, WithoutBuiltInsKnowsOnlyWhatWasAdded) {
  MutableOpResolver resolver;
  ExpectUnresolved(kAtanModel, resolver);
  resolver.AddCustom("Atan", atan_op::AtanOpRegistration());
  ExpectOutput(kAtanModel, resolver, Atan);
  ExpectUnresolved(kTanhModel, resolver);
  resolver.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<3>());
  ExpectOutput(kTanhModel, resolver, [](float x) { return 3 * x; });
}

TEST(OpResolverTest, AddBuiltinReplacesTheLibrarysKernel) {
  BuiltinOpResolver resolver;
  ExpectOutput(kTanhModel, resolver, Tanh);
  resolver.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<3>(),
                      /*min_version=*/1, /*max_version=*/2);
  ExpectOutput(kTanhModel, resolver, [](float x) { return 3 * x; });
}

TEST(OpResolverTest, AReplacementForAnotherVersionLeavesTheLibrarysKernel) {
  BuiltinOpResolver resolver;
  resolver.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<3>(),
                      /*version=*/2);
  ExpectOutput(kTanhModel, resolver, Tanh);
}

TEST(OpResolverTest, TheLaterOfTwoCounts) {
  MutableOpResolver first;
  first.AddCustom("Atan", ScaleRegistration<2>());
  first.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<2>());
  MutableOpResolver second;
  second.AddCustom("Atan", atan_op::AtanOpRegistration());
  second.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<3>());

  MutableOpResolver both;
  both.AddAll(first);
  both.AddAll(second);
  ExpectOutput(kAtanModel, both, Atan);
  ExpectOutput(kTanhModel, both, [](float x) { return 3 * x; });

  MutableOpResolver reversed;
  reversed.AddAll(second);
  reversed.AddAll(BuiltinOpResolver());
  reversed.AddAll(first);
  ExpectOutput(kAtanModel, reversed, [](float x) { return 2 * x; });
  ExpectOutput(kTanhModel, reversed, [](float x) { return 2 * x; });
}

TEST(OpResolverTest, FindsOpsByCodeOrNameAndVersion) {
  MutableOpResolver resolver;
  {
    std::string name = "Atan";
    resolver.AddCustom(name.c_str(), atan_op::AtanOpRegistration(),
                       /*min_version=*/2, /*max_version=*/3);
    name = "Gone";
  }
  resolver.AddBuiltin(kTfLiteBuiltinTanh, ScaleRegistration<3>());
  EXPECT_EQ(resolver.FindOp("Atan", 1), nullptr);
  EXPECT_EQ(resolver.FindOp("ATAN", 2), nullptr);
  EXPECT_EQ(resolver.FindOp(kTfLiteBuiltinTanh, 2), nullptr);
  EXPECT_EQ(resolver.FindOp(kTfLiteBuiltinAdd, 1), nullptr);
  for (int version : {2, 3}) {
    const TfLiteRegistration* found = resolver.FindOp("Atan", version);
    ASSERT_NE(found, nullptr);
    EXPECT_STREQ(found->custom_name, "Atan");
    EXPECT_EQ(found->version, version);
    EXPECT_EQ(found->builtin_code, kTfLiteBuiltinCustom);
    EXPECT_EQ(found->invoke, atan_op::AtanOpRegistration()->invoke);
  }
  const TfLiteRegistration* found = resolver.FindOp(kTfLiteBuiltinTanh, 1);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->builtin_code, kTfLiteBuiltinTanh);
  EXPECT_EQ(found->custom_name, nullptr);
}

}  // namespace
}  // namespace tflite::custom
