#include "tflite/custom/benchmark/canvas.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tflite/custom/benchmark/font.h"

namespace tflite::custom::benchmark {

Canvas::Canvas(int width, int height, std::vector<Color> palette)
    : width_(width),
      height_(height),
      palette_(std::move(palette)),
      pixels_(static_cast<size_t>(width) * static_cast<size_t>(height)) {}

void Canvas::Fill(int x, int y, int width, int height, uint8_t color) {
  for (int j = y; j < y + height; ++j) {
    for (int i = x; i < x + width; ++i) Set(i, j, color);
  }
}

void Canvas::FillThin(int x, int y, int width, int height, uint8_t color) {
  for (int j = y; j < y + height; ++j) {
    for (int i = x; i < x + width; ++i) {
      if ((i + j) % 2 == 0) Set(i, j, color);
    }
  }
}

void Canvas::Text(int x, int y, const std::string& text, uint8_t color,
                  int scale) {
  for (const char character : text) {
    const uint8_t* const rows = Glyph(character);
    for (int row = 0; row < kGlyphHeight; ++row) {
      for (int column = 0; column < kGlyphWidth; ++column) {
        if ((rows[row] >> (kGlyphWidth - 1 - column) & 1) == 0) continue;
        Fill(x + column * scale, y + row * scale, scale, scale, color);
      }
    }
    x += (kGlyphWidth + 1) * scale;
  }
}

int Canvas::TextWidth(const std::string& text, int scale) {
  return static_cast<int>(text.size()) * (kGlyphWidth + 1) * scale;
}

int Canvas::TextHeight(int scale) { return kGlyphHeight * scale; }

}  // namespace tflite::custom::benchmark
