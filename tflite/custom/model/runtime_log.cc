#include "tflite/custom/model/runtime_log.h"

#include <cctype>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <string>

namespace tflite::custom {
namespace {

// A model that fails at every node of thousands says the same thousands of
// times.
constexpr size_t kLongestText = 2000;

}  // namespace

void RuntimeLog::Report(void* self, const char* format, va_list arguments) {
  std::string& text = static_cast<RuntimeLog*>(self)->text_;
  if (text.size() >= kLongestText) return;
  va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  if (size > 0) {
    std::string message(size + 1, '\0');
    std::vsnprintf(message.data(), message.size(), format, again);
    message.back() = '\n';
    text += message;
  }
  va_end(again);
}

std::string InOneLine(const std::string& text) {
  std::string line;
  bool space = false;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      if (space && !line.empty()) line += ' ';
      line += c;
    }
    space = is_space;
  }
  return line.empty() ? "the runtime does not say why" : line;
}

}  // namespace tflite::custom
