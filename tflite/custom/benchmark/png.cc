#include "tflite/custom/benchmark/png.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tflite/custom/benchmark/canvas.h"

namespace tflite::custom::benchmark {
namespace {

void AppendBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xff);
  }
}

// The cyclic redundancy check of ISO 3309, bit by bit: pictures are small.
uint32_t Crc32(const std::string& bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
  }
  return ~crc;
}

uint32_t Adler32(const std::string& bytes) {
  constexpr uint32_t kModulus = 65521;
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % kModulus;
    b = (b + a) % kModulus;
  }
  return b << 16 | a;
}

// A zlib stream of blocks that are stored as they are.
std::string Store(const std::string& bytes) {
  constexpr size_t kLongestBlock = 65535;
  std::string out = "\x78\x01";
  size_t begin = 0;
  do {
    const size_t size = std::min(kLongestBlock, bytes.size() - begin);
    out += begin + size == bytes.size() ? '\1' : '\0';  // The last block.
    for (const size_t length : {size, ~size}) {
      out += static_cast<char>(length & 0xff);
      out += static_cast<char>(length >> 8 & 0xff);
    }
    out.append(bytes, begin, size);
    begin += size;
  } while (begin < bytes.size());
  AppendBigEndian(out, Adler32(bytes));
  return out;
}

void AppendChunk(std::string& out, const std::string& type,
                 const std::string& data) {
  AppendBigEndian(out, static_cast<uint32_t>(data.size()));
  out += type + data;
  AppendBigEndian(out, Crc32(type + data));
}

}  // namespace

std::string EncodePng(const Canvas& canvas) {
  std::string header;
  AppendBigEndian(header, static_cast<uint32_t>(canvas.width()));
  AppendBigEndian(header, static_cast<uint32_t>(canvas.height()));
  // Four bits a pixel, palette; the only compression, filters, no interlacing.
  header += std::string("\x04\x03\0\0\0", 5);

  std::string palette;
  for (const Color& color : canvas.palette()) {
    palette += static_cast<char>(color.red);
    palette += static_cast<char>(color.green);
    palette += static_cast<char>(color.blue);
  }

  std::string rows;
  for (int y = 0; y < canvas.height(); ++y) {
    rows += '\0';  // The row is not filtered.
    for (int x = 0; x < canvas.width(); x += 2) {
      const int right = x + 1 < canvas.width() ? canvas.at(x + 1, y) : 0;
      rows += static_cast<char>(canvas.at(x, y) << 4 | right);
    }
  }

  std::string png = "\x89PNG\r\n\x1a\n";
  AppendChunk(png, "IHDR", header);
  AppendChunk(png, "PLTE", palette);
  AppendChunk(png, "IDAT", Store(rows));
  AppendChunk(png, "IEND", "");
  return png;
}

}  // namespace tflite::custom::benchmark
