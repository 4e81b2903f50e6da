#ifndef TFLITE_CUSTOM_BENCHMARK_SCHEMA_H_
#define TFLITE_CUSTOM_BENCHMARK_SCHEMA_H_

#include <cstdint>

// The fields of the model schema's tables that are read here, by id.
namespace tflite::custom::benchmark::schema {

constexpr int kModelOperatorCodes = 1;
constexpr int kModelSubgraphs = 2;
constexpr int kModelBuffers = 4;
constexpr int kModelMetadata = 6;
constexpr int kModelSignatureDefs = 7;

constexpr int kOperatorCodeDeprecatedBuiltinCode = 0;
constexpr int kOperatorCodeCustomCode = 1;
constexpr int kOperatorCodeVersion = 2;

constexpr int kSubgraphTensors = 0;
constexpr int kSubgraphOperators = 3;

constexpr int kTensorShape = 0;
constexpr int kTensorType = 1;
constexpr int kTensorBuffer = 2;
constexpr int kTensorName = 3;
constexpr int kTensorSparsity = 6;
constexpr int8_t kTypeString = 5;

constexpr int kOperatorOpcodeIndex = 0;
constexpr int kOperatorInputs = 1;

constexpr int kBufferData = 0;

constexpr int kMetadataName = 0;
constexpr int kMetadataBuffer = 1;

constexpr int kSignatureInputs = 0;
constexpr int kSignatureOutputs = 1;
constexpr int kSignatureKey = 2;
constexpr int kSignatureSubgraph = 4;
constexpr int kTensorMapName = 0;
constexpr int kTensorMapIndex = 1;

}  // namespace tflite::custom::benchmark::schema

#endif  // TFLITE_CUSTOM_BENCHMARK_SCHEMA_H_
