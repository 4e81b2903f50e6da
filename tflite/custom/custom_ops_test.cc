// The kernels and their registration, without Python.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/atan.h"
#include "tflite/custom/atan_math.h"
#include "tflite/custom/foreign_resolver.h"
#include "tflite/custom/register.h"
#include "tflite/custom/testdata/fake_resolver.h"
#include "tflite/custom/testdata/test_interpreter.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

constexpr char kModel[] = "tflite/custom/atan_only.tflite";
constexpr char kFakeResolverLibrary[] =
    "tflite/custom/testdata/fake_resolver_plugin.so";

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
constexpr float kMax = std::numeric_limits<float>::max();

// How many floats lie from `a` to `b`; neither is NaN.
int64_t UlpDistance(float a, float b) {
  const auto ordered = [](float f) {
    int32_t bits;
    std::memcpy(&bits, &f, sizeof(f));
    return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits
                    : int64_t{bits};
  };
  return std::abs(ordered(a) - ordered(b));
}

void ExpectAtan(float x, float y) {
  if (std::isnan(x)) {
    EXPECT_TRUE(std::isnan(y)) << x;
    return;
  }
  const float want = static_cast<float>(std::atan(static_cast<double>(x)));
  EXPECT_LE(UlpDistance(y, want), 1) << x << ": " << y << ", want " << want;
  EXPECT_EQ(std::signbit(y), std::signbit(x)) << x;
}

TEST(AtanTest, IsWithinOneUlpOverAllExponents) {
  std::vector<float> x;
  // A prime step, so that every exponent and many fractions are met.
  for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 40009) {
    const uint32_t word = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    x.push_back(value);
  }
  std::vector<float> y(x.size());
  atan_op::Atan(x.size(), x.data(), y.data());
  for (size_t i = 0; i < x.size(); ++i) ExpectAtan(x[i], y[i]);
}

TEST(AtanTest, HandlesSpecialValuesInPlace) {
  const std::vector<float> x = {0.0f,       -0.0f,      1.0f, -1.0f,
                                kInfinity,  -kInfinity, kNan, kDenormal,
                                -kDenormal, kMax,       -kMax};
  std::vector<float> y = x;
  atan_op::Atan(y.size(), y.data(), y.data());
  for (size_t i = 0; i < x.size(); ++i) ExpectAtan(x[i], y[i]);
  EXPECT_EQ(y[7], kDenormal);
}

TEST(RegisterTest, EveryKernelHasTheSameIdentityInBothForms) {
  ASSERT_FALSE(CustomOps().empty());
  for (const CustomOp& op : CustomOps()) {
    TfLiteRegistrationExternal* external = op.registration_external();
    const TfLiteRegistration* registration = op.registration();
    EXPECT_EQ(external, op.registration_external());
    EXPECT_EQ(registration, op.registration());
    EXPECT_EQ(registration->registration_external, external);
    EXPECT_EQ(registration->builtin_code, kTfLiteBuiltinCustom);
    EXPECT_STREQ(registration->custom_name,
                 TfLiteOperatorGetCustomName(external));
    EXPECT_EQ(registration->version, TfLiteOperatorGetVersion(external));
    EXPECT_NE(registration->prepare, nullptr);
    EXPECT_NE(registration->invoke, nullptr);
  }
}

TEST(RegisterTest, FindsKernelsByNameAndVersion) {
  const std::vector<std::string> names = CustomOpNames();
  for (const CustomOp& op : CustomOps()) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(),
                                   op.registration()->custom_name));
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "Atan"));
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "Zeta"));
  const TfLiteRegistration* atan = FindCustomOp("Atan", 1);
  ASSERT_NE(atan, nullptr);
  EXPECT_EQ(atan->invoke, atan_op::AtanOpRegistration()->invoke);
  // Another runtime must not see the operator.
  EXPECT_EQ(atan->registration_external, nullptr);
  EXPECT_EQ(FindCustomOp("Atan", 2), nullptr);
  const TfLiteRegistration* first = FindCustomOp("TransformLandmarks", 1);
  const TfLiteRegistration* second = FindCustomOp("TransformLandmarks", 2);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first->invoke, second->invoke);
  EXPECT_EQ(FindCustomOp("ATAN", 1), nullptr);
}

class KernelTest : public testing::Test {
 protected:
  TestInterpreter interpreter_{kModel, [](TfLiteInterpreterOptions* options) {
                                 RegisterCustomOps(options);
                               }};
};

TEST_F(KernelTest, FollowsTheShapeOfItsInput) {
  ASSERT_NE(interpreter_.get(), nullptr);
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{
           {4}, {2, 3}, {}, {1, 2, 1, 2, 1}, {0}, {3, 0, 2}, {1000}, {1}}) {
    size_t size = 1;
    for (int dimension : shape) size *= dimension;
    std::vector<float> x(size);
    for (size_t i = 0; i < size; ++i) x[i] = 0.25f * i - 1.0f;
    const std::vector<float> y = interpreter_.Run(shape, x);
    ASSERT_EQ(y.size(), size);
    for (size_t i = 0; i < size; ++i) ExpectAtan(x[i], y[i]);
  }
}

TEST_F(KernelTest, HandlesSpecialValues) {
  const std::vector<float> x = {-0.0f, kInfinity, -kInfinity, kNan, kDenormal};
  const std::vector<float> y = interpreter_.Run({5}, x);
  for (size_t i = 0; i < x.size(); ++i) ExpectAtan(x[i], y[i]);
}

// A resolver whose library shows nothing but its objects.
TEST(ForeignResolverTest, InterposesFindOpWhereAddCustomIsHidden) {
  const std::unique_ptr<MutableOpResolver> resolver(NewFakeResolver());
  TfLiteRegistration other = {};
  resolver->AddCustom("Other", &other);
  EXPECT_FALSE(AddCustomOps(resolver.get(), {}));

  ASSERT_TRUE(InterposeFindOp(resolver.get(), FindCustomOp));
  const OpResolver* base = resolver.get();
  EXPECT_EQ(base->FindOp("Atan", 1), FindCustomOp("Atan", 1));
  EXPECT_EQ(base->FindOp("Atan", 2), nullptr);
  EXPECT_STREQ(base->FindOp("Other", 1)->custom_name, "Other");
  EXPECT_EQ(base->FindOp(1, 1), nullptr);
  EXPECT_EQ(base->Third(), 3);

  // Others keep the table that they had.
  const std::unique_ptr<MutableOpResolver> untouched(NewFakeResolver());
  base = untouched.get();
  EXPECT_EQ(base->FindOp("Atan", 1), nullptr);

  // Twice is as good as once.
  const void* table = *reinterpret_cast<void**>(resolver.get());
  ASSERT_TRUE(RegisterCustomOps(resolver.get()));
  EXPECT_EQ(*reinterpret_cast<void**>(resolver.get()), table);

  // Another library's kernels can come on top.
  ASSERT_TRUE(InterposeFindOp(
      resolver.get(), [](const char* name, int) -> const TfLiteRegistration* {
        static const TfLiteRegistration top = {};
        return std::strcmp(name, "Top") == 0 ? &top : nullptr;
      }));
  base = resolver.get();
  EXPECT_NE(base->FindOp("Top", 1), nullptr);
  EXPECT_EQ(base->FindOp("Atan", 1), FindCustomOp("Atan", 1));
  EXPECT_STREQ(base->FindOp("Other", 1)->custom_name, "Other");
  EXPECT_EQ(base->Third(), 3);
}

TEST(ForeignResolverTest, CallsAddCustomWhereTheResolversLibraryExportsIt) {
  void* library = dlopen(kFakeResolverLibrary, RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto new_resolver = reinterpret_cast<decltype(&NewFakeResolver)>(
      dlsym(library, "NewFakeResolver"));
  ASSERT_NE(new_resolver, nullptr);
  MutableOpResolver* resolver = new_resolver();
  const void* table = *reinterpret_cast<void**>(resolver);
  ASSERT_TRUE(RegisterCustomOps(resolver));
  EXPECT_EQ(*reinterpret_cast<void**>(resolver), table);
  const OpResolver* base = resolver;
  const TfLiteRegistration* found = base->FindOp("Atan", 1);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->invoke, FindCustomOp("Atan", 1)->invoke);
  delete resolver;
}

TEST(ForeignResolverTest, RefusesWhatIsNoResolver) {
  struct Bystander {
    virtual ~Bystander() = default;
    virtual int Value() { return 1; }
    virtual int Other() { return 2; }
  } bystander;
  EXPECT_FALSE(
      RegisterCustomOps(reinterpret_cast<MutableOpResolver*>(&bystander)));
  EXPECT_EQ(bystander.Other(), 2);

  uintptr_t garbage[4] = {};
  EXPECT_FALSE(
      RegisterCustomOps(reinterpret_cast<MutableOpResolver*>(&garbage)));
}

}  // namespace
}  // namespace tflite::custom
