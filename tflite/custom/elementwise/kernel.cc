#include "tflite/custom/elementwise/kernel.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tflite/custom/elementwise/broadcast.h"
#include "tflite/custom/elementwise/run.h"
#include "tflite/custom/flushed_denormals.h"
#include "tflite/custom/op_options.h"
#include "tflite/custom/opaque_tensor.h"
#include "tflite/custom/quantized_table.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/c_api_opaque.h"
#include "third_party/tensorflow/lite/c/c_api_types.h"
#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom::elementwise {
namespace {

struct OpData {
  const Op& op;
  float option = 0;
  std::string error;  // What is wrong with the options.
  // What follows is Prepare's.
  const Overload* overload = nullptr;
  Broadcast broadcast;
  // In the place of `overload` for a quantized input.
  bool quantized = false;
  QuantizedTable table;
};

// The overload over which an op of one float takes quantized tensors; null
// where it does not.
const Overload* OverloadOfTable(const Op& op) {
  if (op.num_inputs != 1) return nullptr;
  const Overload* end = op.overloads + op.num_overloads;
  const Overload* found =
      std::find_if(op.overloads, end, [](const Overload& overload) {
        return overload.input == kTfLiteFloat32 &&
               overload.output == kTfLiteFloat32;
      });
  return found == end ? nullptr : found;
}

std::string TypesOf(const Op& op) {
  std::string text;
  for (int i = 0; i < op.num_overloads; ++i) {
    if (i > 0) text += i + 1 < op.num_overloads ? ", " : " or ";
    text += TfLiteTypeGetName(op.overloads[i].input);
  }
  if (OverloadOfTable(op) != nullptr) text += ", or quantized INT8 or UINT8";
  return text;
}

std::string TextOf(const std::vector<Shape>& shapes) {
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += i + 1 < shapes.size() ? ", " : " and ";
    text += "[";
    for (size_t j = 0; j < shapes[i].size(); ++j) {
      text += (j > 0 ? "," : "") + std::to_string(shapes[i][j]);
    }
    text += "]";
  }
  return text;
}

// Null where `shapes` are as `rule` wants them, else what they should be.
const char* WhatShapesShouldBe(Shapes rule, const std::vector<Shape>& shapes) {
  if (rule == Shapes::kAsFirstOrScalar) {
    const bool fit = std::all_of(
        shapes.begin(), shapes.end(), [&shapes](const Shape& shape) {
          return shape.empty() || shape == shapes.front();
        });
    return fit ? nullptr : "be the first's, or scalars";
  }
  const Shape* seen = nullptr;
  for (const Shape& shape : shapes) {
    if (rule == Shapes::kSameOrScalar && shape.empty()) continue;
    if (seen != nullptr && rule != Shapes::kBroadcast && shape != *seen) {
      return rule == Shapes::kSame ? "be the same"
                                   : "be the same where they are not scalars";
    }
    seen = &shape;
  }
  return nullptr;
}

TfLiteStatus EnsureType(TfLiteOpaqueContext* context, const Op& op,
                        const char* role, int index,
                        const TfLiteOpaqueTensor* tensor,
                        const std::string& wanted, bool fits) {
  if (fits) return kTfLiteOk;
  TfLiteOpaqueContextReportError(
      context, "%s: %s %d must be %s, but tensor '%s' is %s", op.name, role,
      index, wanted.c_str(), TfLiteOpaqueTensorName(tensor),
      TfLiteTypeGetName(TfLiteOpaqueTensorType(tensor)));
  return kTfLiteError;
}

TfLiteStatus PrepareTable(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node,
                          const Overload& overload, OpData* data) {
  const TfLiteOpaqueTensor* input = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  const FlushedDenormals flushed_denormals;
  const char* error = nullptr;
  TF_LITE_OPAQUE_ENSURE_STATUS(data->table.Fill(
      context, data->op.name, input, output, [&](const float* x, float* y) {
        error = overload.function(
            {QuantizedTable::kSize, {x}, {1}, y, data->option});
      }));
  if (error != nullptr) {
    return Failure(context, "%s: %s", data->op.name, error);
  }
  return Resize(context, output, ShapeOf(input));
}

}  // namespace

void* InitOp(const Op& op, const char* buffer, size_t length) {
  auto data = std::make_unique<OpData>(OpData{op});
  if (op.option != nullptr) {
    OpOptions options(buffer, length);
    data->option = options.Float(op.option, op.otherwise);
    data->error = options.error();
  }
  return data.release();
}

void Free(TfLiteOpaqueContext* /*context*/, void* data) {
  delete static_cast<OpData*>(data);
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = static_cast<OpData*>(TfLiteOpaqueNodeGetUserData(node));
  TF_LITE_OPAQUE_ENSURE(context, data != nullptr);
  const Op& op = data->op;
  TF_LITE_OPAQUE_ENSURE_STATUS(EnsureValid(context, op.name, data->error));
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureArity(context, node, op.name, op.num_inputs, 1));

  data->overload = nullptr;
  data->quantized = false;
  if (const Overload* overload = OverloadOfTable(op)) {
    const TfLiteOpaqueTensor* input =
        TfLiteOpaqueNodeGetInput(context, node, 0);
    if (QuantizedTable::Takes(TfLiteOpaqueTensorType(input))) {
      data->quantized = true;
      return PrepareTable(context, node, *overload, data);
    }
  }
  std::vector<Shape> shapes(op.num_inputs);
  for (int i = 0; i < op.num_inputs; ++i) {
    const TfLiteOpaqueTensor* input =
        TfLiteOpaqueNodeGetInput(context, node, i);
    const TfLiteType type = TfLiteOpaqueTensorType(input);
    if (i == 0) {
      const Overload* end = op.overloads + op.num_overloads;
      const Overload* found =
          std::find_if(op.overloads, end,
                       [type](const Overload& o) { return o.input == type; });
      TF_LITE_OPAQUE_ENSURE_STATUS(EnsureType(context, op, "input", i, input,
                                              TypesOf(op), found != end));
      data->overload = found;
    }
    const TfLiteType wanted = data->overload->input;
    TF_LITE_OPAQUE_ENSURE_STATUS(
        EnsureType(context, op, "input", i, input,
                   std::string(TfLiteTypeGetName(wanted)) + " as input 0 is",
                   type == wanted));
    shapes[i] = ShapeOf(input);
  }

  TfLiteOpaqueTensor* output = TfLiteOpaqueNodeGetOutput(context, node, 0);
  TF_LITE_OPAQUE_ENSURE_STATUS(
      EnsureType(context, op, "output", 0, output,
                 TfLiteTypeGetName(data->overload->output),
                 TfLiteOpaqueTensorType(output) == data->overload->output));

  const char* wanted = WhatShapesShouldBe(op.shapes, shapes);
  if (wanted == nullptr && !data->broadcast.Plan(shapes)) {
    wanted = "broadcast: a dimension must be the same in all, or 1";
  }
  if (wanted != nullptr) {
    TfLiteOpaqueContextReportError(
        context, "%s: the inputs' shapes are %s; they must %s", op.name,
        TextOf(shapes).c_str(), wanted);
    return kTfLiteError;
  }
  return Resize(context, output, data->broadcast.shape());
}

TfLiteStatus Invoke(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  auto* data = static_cast<OpData*>(TfLiteOpaqueNodeGetUserData(node));
  if (data->quantized) {
    data->table.Run(TfLiteOpaqueNodeGetInput(context, node, 0),
                    TfLiteOpaqueNodeGetOutput(context, node, 0));
    return kTfLiteOk;
  }
  const void* inputs[Run::kMaxInputs] = {};
  for (int i = 0; i < data->op.num_inputs; ++i) {
    inputs[i] =
        TfLiteOpaqueTensorData(TfLiteOpaqueNodeGetInput(context, node, i));
  }
  void* output =
      TfLiteOpaqueTensorData(TfLiteOpaqueNodeGetOutput(context, node, 0));
  const Overload& overload = *data->overload;
  const FlushedDenormals flushed_denormals;
  const char* error =
      data->broadcast.ForEachRun(overload.function, inputs, overload.input_size,
                                 output, overload.output_size, data->option);
  if (error == nullptr) return kTfLiteOk;
  TfLiteOpaqueContextReportError(context, "%s: %s", data->op.name, error);
  return kTfLiteError;
}

}  // namespace tflite::custom::elementwise
