#ifndef TFLITE_CUSTOM_FLUSHED_DENORMALS_H_
#define TFLITE_CUSTOM_FLUSHED_DENORMALS_H_

#include <xmmintrin.h>

namespace tflite::custom {

// Has the thread take denormals for zero while it lives, as TensorFlow's
// threads do. Some runtimes do that themselves and some do not; so they all
// come to TensorFlow's results. Series that run into denormals take a thousand
// times as long without.
class FlushedDenormals {
 public:
  FlushedDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
    _mm_setcsr(before_ | kFlushResults | kFlushOperands);
  }
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;
  ~FlushedDenormals() { _mm_setcsr(before_); }

 private:
  const unsigned before_;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_FLUSHED_DENORMALS_H_
