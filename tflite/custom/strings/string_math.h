// Numbers as strings, and strings as numbers.
#ifndef TFLITE_CUSTOM_STRINGS_STRING_MATH_H_
#define TFLITE_CUSTOM_STRINGS_STRING_MATH_H_

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace tflite::custom::string_ops {

inline std::string_view WithoutSpaces(std::string_view text) {
  const auto is_space = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The sign of what is out of range because it is too small is not that of what
// is too large: whether the number in decimals is below 1.
inline bool IsSmall(std::string_view digits) {
  int64_t exponent = 0;
  const size_t e = digits.find_first_of("eE");
  if (e != std::string_view::npos) {
    // One that does not fit has the sign that counts.
    const bool negative = digits[e + 1 < digits.size() ? e + 1 : e] == '-';
    const char* begin = digits.data() + e + 1;
    if (e + 1 < digits.size() && *begin == '+') ++begin;
    if (std::from_chars(begin, digits.data() + digits.size(), exponent).ec !=
        std::errc()) {
      return negative;
    }
    digits = digits.substr(0, e);
  }
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = digits.find_first_of("123456789");
  // Places before the point are positive.
  const auto place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return place + exponent < 0;
}

// Reads a number as TensorFlow does: spaces around it do not count, a float
// beyond its type is infinite or zero, an integer beyond it is no number.
template <typename T>
bool ToNumber(std::string_view text, T* number) {
  text = WithoutSpaces(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return false;
  }
  const char* end = text.data() + text.size();
  if constexpr (std::is_integral_v<T>) {
    const auto result = std::from_chars(text.data(), end, *number);
    return result.ec == std::errc() && result.ptr == end;
  } else {
    const bool negative = !text.empty() && text.front() == '-';
    std::string_view digits = text.substr(negative ? 1 : 0);
    const bool is_hex = digits.size() > 2 && digits[0] == '0' &&
                        (digits[1] == 'x' || digits[1] == 'X');
    if (is_hex) digits.remove_prefix(2);
    if (!digits.empty() && digits.front() == '-') return false;
    T value = 0;
    const auto result = std::from_chars(
        digits.data(), end, value,
        is_hex ? std::chars_format::hex : std::chars_format::general);
    if (result.ptr != end || digits.empty()) return false;
    if (result.ec == std::errc::result_out_of_range) {
      value = IsSmall(digits) ? 0 : std::numeric_limits<T>::infinity();
    } else if (result.ec != std::errc()) {
      return false;
    }
    *number = negative ? -value : value;
    return true;
  }
}

}  // namespace tflite::custom::string_ops

#endif  // TFLITE_CUSTOM_STRINGS_STRING_MATH_H_
