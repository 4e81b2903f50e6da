#ifndef TFLITE_CUSTOM_MODEL_STDERR_CAPTURE_H_
#define TFLITE_CUSTOM_MODEL_STDERR_CAPTURE_H_

#include <string>

namespace tflite::custom {

// Keeps what libraries write to standard error, while it lives, so that the
// program decides where it goes: an error of ours is to be the one line there.
// What nobody took is dropped. A sanitizer still reports to the terminal.
class StderrCapture {
 public:
  StderrCapture();
  ~StderrCapture();
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  // What was written since the last call.
  std::string Take();

  // The real standard error, for what is ours.
  int original() const { return original_; }

 private:
  int original_ = 2;
  int file_ = -1;
};

}  // namespace tflite::custom

#endif  // TFLITE_CUSTOM_MODEL_STDERR_CAPTURE_H_
