// Models that others made, cut, flipped and grown at random, always the same:
// loading them, looking into them, preparing and, if they are small, running
// them must end in a result or an error.
//
//   corpus_fuzzer MUTATIONS MODEL...
//
// Prints how many were taken, and where programs ended that were not. A crash
// in this program's own code fails; the runtime's library, which takes a
// model's word for more than can be checked from outside, is reported.

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tflite/custom/litert/kernel_runner.h"
#include "tflite/custom/litert/kernels.h"
#include "tflite/custom/litert/output_check.h"
#include "tflite/custom/model/error_or.h"
#include "tflite/custom/model/model.h"
#include "tflite/custom/model/runtime_log.h"
#include "tflite/custom/model/tensor_memory.h"
#include "tflite/custom/register.h"
#include "third_party/litert/c/litert_options.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

// Null where the sanitizer is not there.
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __asan_set_error_report_callback(void (*)(const char*))
    __attribute__((weak));

namespace tflite::custom {
namespace {

// A program does so many, so that one that ends takes little with it.
constexpr int kBatch = 250;
// Larger models are not run: that takes too long.
constexpr size_t kLargestToRun = 1 << 17;
constexpr unsigned kSecondsForOne = 20;

struct Delete {
  void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  void operator()(TfLiteInterpreterOptions* o) const {
    TfLiteInterpreterOptionsDelete(o);
  }
  void operator()(LiteRtOptions o) const { LiteRtDestroyOptions(o); }
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

// What a program tells the one that started it.
struct Message {
  int number;  // Of the input.
  enum Kind { kBegins, kRefused, kTaken, kCrashes } kind;
  // Of a crash: in which file, and where in it.
  char file[96];
  uint64_t address;
};

int message_pipe = -1;
int current = 0;

void Tell(const Message& message) {
  if (write(message_pipe, &message, sizeof(message)) != sizeof(message)) {
    _exit(2);
  }
}

void OnSignal(int signal, siginfo_t*, void* context) {
  Message message = {current, Message::kCrashes, {}, 0};
  const auto* where = static_cast<const ucontext_t*>(context);
  const auto address =
      static_cast<uintptr_t>(where->uc_mcontext.gregs[REG_RIP]);
  Dl_info info = {};
  if (signal == SIGALRM) {
    std::strcpy(message.file, "no end");
  } else if (dladdr(reinterpret_cast<void*>(address), &info) != 0 &&
             info.dli_fname != nullptr) {
    const char* slash = std::strrchr(info.dli_fname, '/');
    std::strncpy(message.file, slash == nullptr ? info.dli_fname : slash + 1,
                 sizeof(message.file) - 1);
    message.address = address - reinterpret_cast<uintptr_t>(info.dli_fbase);
  }
  Tell(message);
  _exit(3);
}

// The sanitizer's functions may be called by a library that it did not compile.
void OnReport(const char* report) {
  constexpr char kRuntime[] = "libtensorflowlite_c.so";
  Message message = {current, Message::kCrashes, "this program", 0};
  const char* const runtime = std::strstr(report, kRuntime);
  const char* const own = std::strstr(report, "tflite_Scustom");
  if (runtime != nullptr && (own == nullptr || runtime < own)) {
    std::strcpy(message.file, kRuntime);
    message.address =
        std::strtoull(runtime + sizeof(kRuntime), nullptr, /*base=*/16);
  }
  Tell(message);
}

void CatchSignals() {
  if (__asan_set_error_report_callback != nullptr) {
    __asan_set_error_report_callback(OnReport);
  }
  static char stack[1 << 16];
  const stack_t alternate = {stack, 0, sizeof(stack)};
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
}

std::string Mutated(std::string input, std::mt19937* engine) {
  const auto below = [&](size_t limit) { return (*engine)() % limit; };
  // Near an end are most of the tables; what is between is weights.
  const auto place = [&] {
    const size_t reach = std::min(input.size(), size_t{1} << (5 + below(20)));
    return below(4) == 0 ? input.size() - 1 - below(reach) : below(reach);
  };
  const size_t changes = 1 + below(4);
  for (size_t i = 0; i < changes && !input.empty(); ++i) {
    const size_t at = place();
    switch (below(8)) {
      case 0:
        input[at] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        input[at] = static_cast<char>(below(256));
        break;
      case 2:
        input[at] = below(2) == 0 ? '\xff' : '\x7f';
        break;
      case 3:
      case 4: {
        const uint32_t word = below(2) == 0 ? below(64) : -1 - below(16);
        const size_t aligned = at / sizeof(word) * sizeof(word);
        if (aligned + sizeof(word) <= input.size()) {
          std::memcpy(&input[aligned], &word, sizeof(word));
        }
        break;
      }
      case 5: {  // One part over another.
        const size_t from = place();
        const size_t size =
            std::min({below(64), input.size() - at, input.size() - from});
        std::memmove(&input[at], &input[from], size);
        break;
      }
      case 6:
        if (below(4) == 0) input.resize(at);
        break;
      default:
        if (below(4) == 0) input.insert(at, std::string(below(64), '\0'));
    }
  }
  return input;
}

void Run(const Model& model) {
  RuntimeLog log;
  const std::unique_ptr<TfLiteInterpreterOptions, Delete> options(
      TfLiteInterpreterOptionsCreate());
  TfLiteInterpreterOptionsSetErrorReporter(options.get(), RuntimeLog::Report,
                                           &log);
  RegisterCustomOps(options.get());
  const std::unique_ptr<TfLiteInterpreter, Delete> interpreter(
      TfLiteInterpreterCreate(model.get(), options.get()));
  if (interpreter == nullptr ||
      TfLiteInterpreterAllocateTensors(interpreter.get()) != kTfLiteOk) {
    return;
  }
  const int count = TfLiteInterpreterGetInputTensorCount(interpreter.get());
  for (int i = 0; i < count; ++i) {
    TfLiteTensor* tensor =
        TfLiteInterpreterGetInputTensor(interpreter.get(), i);
    if (tensor == nullptr || tensor->type == kTfLiteString ||
        tensor->allocation_type == kTfLiteMmapRo) {
      continue;
    }
    if (CheckMemory(tensor)) return;
    const size_t size = TfLiteTensorByteSize(tensor);
    if (size > 0) std::memset(TfLiteTensorData(tensor), 0, size);
  }
  TfLiteInterpreterInvoke(interpreter.get());
}

bool Try(const std::string& bytes) {
  const ErrorOr<Model> model = Model::FromBytes(bytes, "input");
  if (!model.ok()) return false;
  model->CustomOpCodes();
  for (size_t i = 0; i < std::max<size_t>(1, model->Signatures().size()); ++i) {
    CheckOutputs(*model, i, {}, LinkedKernels());
  }
  LiteRtOptions options = nullptr;
  if (LiteRtCreateOptions(&options) != kLiteRtStatusOk) std::abort();
  const std::unique_ptr<std::remove_pointer_t<LiteRtOptions>, Delete> owned(
      options);
  const ErrorOr<std::unique_ptr<LiteRtKernels>> kernels =
      LiteRtKernels::Add(model->bytes(), options);
  if (kernels.ok() && !Model::FromBytes((*kernels)->model(), "copy").ok()) {
    std::abort();  // A good model was made a bad one.
  }
  if (bytes.size() <= kLargestToRun) Run(*model);
  return true;
}

void RunBatch(const std::vector<std::string>& models, int begin, int end) {
  CatchSignals();
  if (__asan_init == nullptr) {
    // A model may ask for tensors of any size; past this there is no memory.
    const rlimit limit = {rlim_t{1} << 31, rlim_t{1} << 31};
    if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
  }
  for (current = begin; current < end; ++current) {
    std::mt19937 engine(static_cast<unsigned>(current));
    const std::string& model = models[engine() % models.size()];
    const std::string input = Mutated(model, &engine);
    Tell({current, Message::kBegins, {}, 0});
    alarm(kSecondsForOne);
    const bool taken = Try(input);
    Tell({current, taken ? Message::kTaken : Message::kRefused, {}, 0});
  }
  _exit(0);
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " MUTATIONS MODEL..." << std::endl;
    return EXIT_FAILURE;
  }
  const int mutations = std::atoi(argv[1]);
  std::vector<std::string> models;
  for (int i = 2; i < argc; ++i) {
    models.push_back(ReadFile(argv[i]));
    if (!Try(models.back())) {
      std::cerr << argv[i] << " is not taken as it is" << std::endl;
      return EXIT_FAILURE;
    }
  }
  int counts[2] = {0, 0};
  std::map<std::string, std::vector<int>> crashes;
  bool ours = false;
  for (int begin = 0; begin < mutations;) {
    const int end = std::min(begin + kBatch, mutations);
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
      close(ends[0]);
      message_pipe = ends[1];
      RunBatch(models, begin, end);
    }
    close(ends[1]);
    std::string where;
    Message message;
    int last = begin;
    bool done = true;
    while (read(ends[0], &message, sizeof(message)) == sizeof(message)) {
      last = message.number;
      done =
          message.kind == Message::kRefused || message.kind == Message::kTaken;
      if (done) ++counts[message.kind == Message::kTaken];
      if (message.kind == Message::kCrashes) {
        char text[160];
        std::snprintf(text, sizeof(text), "%s+0x%zx", message.file,
                      static_cast<size_t>(message.address));
        where = text;
      }
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!done || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      // What ends in another way is an abort.
      if (where.empty()) where = "ended with status " + std::to_string(status);
      crashes[where].push_back(last);
      ours = ours || (where.rfind("libtensorflowlite_c.so", 0) != 0 &&
                      where.rfind("no end", 0) != 0);
    }
    begin = last + 1;
  }
  std::cout << mutations << " changed models of " << models.size() << ": "
            << counts[1] << " taken, " << counts[0] << " refused" << std::endl;
  for (const auto& [where, inputs] : crashes) {
    std::cout << inputs.size() << " ended in " << where << ", such as number "
              << inputs.front() << std::endl;
  }
  return ours ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace tflite::custom

int main(int argc, char** argv) { return tflite::custom::Main(argc, argv); }
