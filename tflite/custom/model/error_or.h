#ifndef TFLITE_CUSTOM_MODEL_ERROR_OR_H_
#define TFLITE_CUSTOM_MODEL_ERROR_OR_H_

#include <string>
#include <utility>
#include <variant>

namespace tflite::custom {

// What went wrong and what would be right, in one line.
struct Error {
  std::string message;
};

// A value, or the error that there is instead.
template <typename T>
class [[nodiscard]] ErrorOr {
 public:
  ErrorOr(T value) : value_(std::move(value)) {}      // NOLINT: implicit
  ErrorOr(Error error) : value_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return std::holds_alternative<T>(value_); }
  const Error& error() const { return std::get<Error>(value_); }

  T& operator*() { return std::get<T>(value_); }
  const T& operator*() const { return std::get<T>(value_); }
  T* operator->() { return &std::get<T>(value_); }
  const T* operator->() const { return &std::get<T>(value_); }

 private:
  std::variant<T, Error> value_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_ERROR_OR_H_
