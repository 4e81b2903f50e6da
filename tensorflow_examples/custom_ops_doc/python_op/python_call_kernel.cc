#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/denormal.h"

namespace custom_op_examples {
namespace {

using ::tensorflow::AsyncOpKernel;
using ::tensorflow::DataType;
using ::tensorflow::DEVICE_CPU;
using ::tensorflow::DT_STRING;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::tstring;

// One run of one op, while Python works on it.
struct Call {
  OpKernelContext* ctx;
  AsyncOpKernel::DoneCallback done;
  // Address and size of each element of the string inputs.
  std::vector<std::vector<int64_t>> strings;
  // token; number of inputs; for each of them its type, its address, the number
  // of its dimensions, and these.
  std::vector<int64_t> description;
};

using Callback = void (*)(Call*, const int64_t*, int64_t);

std::atomic<Callback> callback{nullptr};
std::atomic<int64_t> num_threads{1};

// Calls that wait inside of a thread of TensorFlow's, at this moment.
std::atomic<int64_t> num_inline_calls{0};

// Threads that make calls, as many as there are calls at once: a call may wait
// for another, so none of them may wait for a thread.
class CallerThreads {
 public:
  void Add(std::function<void()> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
    if (num_idle_ < calls_.size()) {
      std::thread([this] { Run(); }).detach();
    } else {
      added_.notify_one();
    }
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      if (calls_.empty()) {
        ++num_idle_;
        const bool called = added_.wait_for(lock, std::chrono::seconds(5),
                                            [this] { return !calls_.empty(); });
        --num_idle_;
        if (!called) return;
      }
      std::function<void()> call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      call();
      call = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> calls_;
  size_t num_idle_ = 0;
};

// Never destroyed: its threads may outlive main.
CallerThreads& GetCallerThreads() {
  static auto* threads = new CallerThreads;
  return *threads;
}

void Describe(int64_t token, Call* call) {
  OpKernelContext* ctx = call->ctx;
  std::vector<int64_t>& description = call->description;
  description = {token, ctx->num_inputs()};
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    const Tensor& input = ctx->input(i);
    const void* data = input.data();
    if (input.dtype() == DT_STRING) {
      std::vector<int64_t> elements;
      elements.reserve(2 * input.NumElements());
      const auto flat = input.flat<tstring>();
      for (int64_t j = 0; j < flat.size(); ++j) {
        elements.push_back(reinterpret_cast<int64_t>(flat(j).data()));
        elements.push_back(static_cast<int64_t>(flat(j).size()));
      }
      call->strings.push_back(std::move(elements));
      data = call->strings.back().data();
    }
    description.push_back(input.dtype());
    description.push_back(reinterpret_cast<int64_t>(data));
    description.push_back(input.dims());
    for (int d = 0; d < input.dims(); ++d) {
      description.push_back(input.dim_size(d));
    }
  }
}

void Run(Call* call) {
  // TensorFlow's threads take the smallest numbers for zero; Python's do not.
  tensorflow::port::ScopedDontFlushDenormal dont_flush;
  callback.load()(call, call->description.data(),
                  static_cast<int64_t>(call->description.size()));
}

void Make(std::unique_ptr<Call> call) {
  Run(call.get());
  AsyncOpKernel::DoneCallback done = std::move(call->done);
  call.reset();
  done();
}

class PythonCallOp : public AsyncOpKernel {
 public:
  explicit PythonCallOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("token", &token_));
    std::string name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("op_name", &name));
    OP_REQUIRES(
        ctx, callback.load() != nullptr,
        absl::FailedPreconditionError(absl::StrCat(
            "The Python op ", name,
            " is in this graph, but its code is not in this process. An op "
            "written in Python cannot be loaded with a SavedModel.")));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    auto call = std::make_unique<Call>();
    call->ctx = ctx;
    call->done = std::move(done);
    Describe(token_, call.get());
    // The call may wait for ops that need one of the threads that run ops, and
    // this is one. There must always be another that no call holds.
    if (num_inline_calls.fetch_add(1) + 1 < num_threads.load()) {
      Run(call.get());
      num_inline_calls.fetch_sub(1);
      call->done();
      return;
    }
    num_inline_calls.fetch_sub(1);
    GetCallerThreads().Add([call = std::make_shared<std::unique_ptr<Call>>(
                                std::move(call))] { Make(std::move(*call)); });
  }

 private:
  int64_t token_;
};

REGISTER_KERNEL_BUILDER(Name("Examples>PythonCall").Device(DEVICE_CPU),
                        PythonCallOp);

// What Python calls while it works on a call. The last one holds no lock and
// copies much, so Python lets others run meanwhile.

extern "C" {

// Sets an output to a copy of memory; of strings, `data` is an address and a
// size for each element. Returns whether that could be done.
int64_t SetOutput(Call* call, int64_t index, int64_t rank,
                  const int64_t* dimensions, const void* data) {
  TensorShape shape;
  const absl::Status status = tensorflow::TensorShapeUtils::MakeShape(
      dimensions, static_cast<int>(rank), &shape);
  if (!status.ok()) {
    call->ctx->SetStatus(status);
    return 0;
  }
  Tensor* output = nullptr;
  const absl::Status allocated =
      call->ctx->allocate_output(static_cast<int>(index), shape, &output);
  if (!allocated.ok()) {
    call->ctx->SetStatus(allocated);
    return 0;
  }
  if (output->dtype() == DT_STRING) {
    const auto* elements = static_cast<const int64_t*>(data);
    auto flat = output->flat<tstring>();
    for (int64_t i = 0; i < flat.size(); ++i) {
      flat(i).assign(reinterpret_cast<const char*>(elements[2 * i]),
                     elements[2 * i + 1]);
    }
  } else if (output->TotalBytes() > 0) {
    std::memcpy(output->data(), data, output->TotalBytes());
  }
  return 1;
}

// Sets an output to an input, whose memory they share.
void ForwardInput(Call* call, int64_t output, int64_t input) {
  call->ctx->set_output(static_cast<int>(output),
                        call->ctx->input(static_cast<int>(input)));
}

// Keeps the memory of an input, or frees it again if there is no call.
Tensor* KeepInput(Call* call, int64_t index, Tensor* kept) {
  if (call == nullptr) {
    delete kept;
    return nullptr;
  }
  return new Tensor(call->ctx->input(static_cast<int>(index)));
}

void SetError(Call* call, int64_t code, const char* message, int64_t size) {
  call->ctx->SetStatus(
      absl::Status(static_cast<absl::StatusCode>(code),
                   absl::string_view(message, static_cast<size_t>(size))));
}
}

class PythonCallFunctionsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    callback = reinterpret_cast<Callback>(ctx->input(0).scalar<int64_t>()());
    num_threads = ctx->input(1).scalar<int64_t>()();
    Tensor* addresses = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {4}, &addresses));
    auto flat = addresses->flat<int64_t>();
    flat(0) = reinterpret_cast<int64_t>(&SetOutput);
    flat(1) = reinterpret_cast<int64_t>(&ForwardInput);
    flat(2) = reinterpret_cast<int64_t>(&KeepInput);
    flat(3) = reinterpret_cast<int64_t>(&SetError);
  }
};

REGISTER_KERNEL_BUILDER(Name("Examples>PythonCallFunctions").Device(DEVICE_CPU),
                        PythonCallFunctionsOp);

}  // namespace
}  // namespace custom_op_examples
