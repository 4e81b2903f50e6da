#ifndef TFLITE_CUSTOM_BENCHMARK_JSON_WRITER_H_
#define TFLITE_CUSTOM_BENCHMARK_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tflite::custom::benchmark {

// Writes JSON as it is told to. A key, where there is to be one, goes before
// the value. Bytes that are not UTF-8 are replaced, numbers that JSON has no
// way to write are null.
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(const std::string& key);

  JsonWriter& Value(const std::string& text);
  JsonWriter& Value(const char* text) { return Value(std::string(text)); }
  JsonWriter& Value(double number);
  JsonWriter& Value(int64_t number);
  JsonWriter& Value(int number) { return Value(int64_t{number}); }
  JsonWriter& Value(bool value);
  JsonWriter& Null();
  // An array on a line of its own.
  template <typename T>
  JsonWriter& Line(const std::vector<T>& numbers) {
    Separate();
    const char* separator = "[";
    for (const T& number : numbers) {
      text_ += separator;
      after_key_ = true;  // Nothing goes before the next value.
      Value(number);
      separator = ", ";
    }
    text_ += numbers.empty() ? "[]" : "]";
    return *this;
  }

  template <typename T>
  JsonWriter& Member(const std::string& key, const T& value) {
    return Key(key).Value(value);
  }

  // With a line end.
  std::string Text() const { return text_ + "\n"; }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  // The comma and line end before an element.
  void Separate();
  void Quote(const std::string& text);

  std::string text_;
  std::vector<bool> has_elements_;
  bool after_key_ = false;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_JSON_WRITER_H_
