#include "tflite/custom/benchmark/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tflite::custom::benchmark {
namespace {

// The length of the UTF-8 sequence at `at`; 0 where there is none.
size_t Utf8Length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  const size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(at + 1);
  // Longer than they need be, surrogates, and beyond the last character.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

}  // namespace

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_elements_.empty()) return;
  text_ += has_elements_.back() ? ",\n" : "\n";
  has_elements_.back() = true;
  text_.append(2 * has_elements_.size(), ' ');
}

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  has_elements_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  const bool had = has_elements_.back();
  has_elements_.pop_back();
  if (had) {
    text_ += '\n';
    text_.append(2 * has_elements_.size(), ' ');
  }
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::Key(const std::string& key) {
  Separate();
  Quote(key);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

void JsonWriter::Quote(const std::string& text) {
  text_ += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      text_ += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += text[i];
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      text_ += escape;
    } else {
      text_.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  text_ += '"';
}

JsonWriter& JsonWriter::Value(const std::string& text) {
  Separate();
  Quote(text);
  return *this;
}

JsonWriter& JsonWriter::Value(double number) {
  if (!std::isfinite(number)) return Null();
  Separate();
  char digits[32];
  // The shortest that reads back as the same.
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  text_.append(digits, end);
  return *this;
}

JsonWriter& JsonWriter::Value(int64_t number) {
  Separate();
  text_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::Value(bool value) {
  Separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  text_ += "null";
  return *this;
}

}  // namespace tflite::custom::benchmark
