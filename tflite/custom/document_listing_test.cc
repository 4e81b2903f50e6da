// That the guide's listings compile against the headers and run.

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/testdata/document_listing_c.h"
#include "tflite/custom/testdata/document_listing_cc.h"
#include "tflite/custom/testdata/test_interpreter.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_experimental.h"

namespace tflite::custom {
namespace {

constexpr char kModel[] = "tflite/custom/atan_only.tflite";

void ExpectAtan(TestInterpreter& interpreter) {
  ASSERT_NE(interpreter.get(), nullptr);
  const std::vector<float> x = {-1.0f, 0.0f, 0.5f, 201.0f};
  const std::vector<float> y = interpreter.Run({2, 2}, x);
  ASSERT_EQ(y.size(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_FLOAT_EQ(y[i], std::atan(x[i]));
  }
}

// `registration_external` is all that the listings' registrations have.
void ExpectOpRuns(TfLiteRegistrationExternal* external,
                  const TfLiteRegistration& registration) {
  EXPECT_EQ(registration.registration_external, external);
  EXPECT_EQ(registration.invoke, nullptr);

  TestInterpreter by_external(kModel, [&](TfLiteInterpreterOptions* options) {
    TfLiteInterpreterOptionsAddRegistrationExternal(options, external);
  });
  ExpectAtan(by_external);

  TestInterpreter by_registration(
      kModel, [&](TfLiteInterpreterOptions* options) {
        TfLiteInterpreterOptionsAddCustomOp(options, "Atan", &registration,
                                            /*min_version=*/1,
                                            /*max_version=*/1);
      });
  ExpectAtan(by_registration);
}

TEST(DocumentListingTest, AtanInCppRuns) {
  ExpectOpRuns(atan_op_as_documented::AtanOpRegistrationExternal(),
               *atan_op_as_documented::AtanOpRegistration());
}

TEST(DocumentListingTest, OpWithStateAndTemporaryInCppRuns) {
  ExpectOpRuns(my_namespace::my_custom_op::MyCustomOpRegistrationExternal(),
               *my_namespace::my_custom_op::MyCustomOpRegistration());
}

TEST(DocumentListingTest, AtanInCRuns) {
  ExpectOpRuns(DocumentedAtanOpRegistrationExternal(),
               DocumentedAtanOpRegistration());
}

TEST(DocumentListingTest, OpWithStateInCRuns) {
  ExpectOpRuns(MyCustomOpRegistrationExternal(), MyCustomOpRegistration());
}

}  // namespace
}  // namespace tflite::custom
