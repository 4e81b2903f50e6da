#ifndef TFLITE_CUSTOM_MODEL_RUNTIME_LOG_H_
#define TFLITE_CUSTOM_MODEL_RUNTIME_LOG_H_

#include <cstdarg>
#include <string>

namespace tflite::custom {

// `text` in one line, and what to say if it is empty.
std::string InOneLine(const std::string& text);

// Keeps what the runtime reports, so that an error can say it in its own line.
// Holds its address in the runtime: neither copied nor moved.
class RuntimeLog {
 public:
  RuntimeLog() = default;
  RuntimeLog(const RuntimeLog&) = delete;
  RuntimeLog& operator=(const RuntimeLog&) = delete;

  // An error reporter of the C API; `self` is a RuntimeLog.
  static void Report(void* self, const char* format, va_list arguments);

  void Add(const std::string& message) { text_ += message + "\n"; }

  // All that was reported since Clear, in one line.
  std::string Line() const { return InOneLine(text_); }
  void Clear() { text_.clear(); }

 private:
  std::string text_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_RUNTIME_LOG_H_
