#ifndef TFLITE_CUSTOM_BENCHMARK_CANVAS_H_
#define TFLITE_CUSTOM_BENCHMARK_CANVAS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tflite::custom::benchmark {

struct Color {
  uint8_t red;
  uint8_t green;
  uint8_t blue;
};

// A picture of at most sixteen colors. What lies outside is cut off.
class Canvas {
 public:
  // `palette` has 1 to 16 colors; all pixels are the first.
  Canvas(int width, int height, std::vector<Color> palette);

  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<Color>& palette() const { return palette_; }
  uint8_t at(int x, int y) const { return pixels_[Index(x, y)]; }

  void Fill(int x, int y, int width, int height, uint8_t color);
  // Every other pixel only, so that what is beneath shows through.
  void FillThin(int x, int y, int width, int height, uint8_t color);
  // `x`, `y` is the upper left corner; each pixel of a glyph is `scale` wide.
  void Text(int x, int y, const std::string& text, uint8_t color,
            int scale = 2);
  static int TextWidth(const std::string& text, int scale = 2);
  static int TextHeight(int scale = 2);

 private:
  size_t Index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) +
           static_cast<size_t>(x);
  }
  void Set(int x, int y, uint8_t color) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    pixels_[Index(x, y)] = color;
  }

  int width_;
  int height_;
  std::vector<Color> palette_;
  std::vector<uint8_t> pixels_;
};

}  // namespace tflite::custom::benchmark

#endif  // TFLITE_CUSTOM_BENCHMARK_CANVAS_H_
