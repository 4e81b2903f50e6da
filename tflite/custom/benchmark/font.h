#ifndef TFLITE_CUSTOM_BENCHMARK_FONT_H_
#define TFLITE_CUSTOM_BENCHMARK_FONT_H_

#include <cstdint>

namespace tflite::custom::benchmark {

constexpr int kGlyphWidth = 5;
constexpr int kGlyphHeight = 9;

// The rows of a character from the top, five bits each, the left one highest.
// A character outside of printable ASCII looks like a question mark.
const uint8_t* Glyph(char character);

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_FONT_H_
