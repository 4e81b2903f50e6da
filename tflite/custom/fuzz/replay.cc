// Runs a fuzz target over its seeds and over changed ones, always the same, as
// a test: libFuzzer, which looks where each input leads, needs minutes.
//
//   replay SEEDS MUTATIONS [FILE...]    SEEDS as seeds.py writes them
//
// Each FILE is an input, and is not changed.

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tflite/custom/fuzz/fuzz_target.h"

// Null where the sanitizer is not there.
extern "C" void __asan_init() __attribute__((weak));

namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

std::vector<std::string> ReadSeeds(const std::string& path) {
  const std::string bytes = ReadFile(path);
  std::vector<std::string> seeds;
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes.size();) {
    uint32_t size;
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    seeds.push_back(bytes.substr(at + sizeof(size), size));
    at += sizeof(size) + size;
  }
  return seeds;
}

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                         input.size());
}

// A few changes of a kind that a verifier lets pass now and then.
std::string Mutated(std::string input, std::mt19937* engine) {
  const auto below = [&](size_t limit) { return (*engine)() % limit; };
  const size_t changes = 1 + below(4);
  for (size_t i = 0; i < changes && !input.empty(); ++i) {
    const size_t at = below(input.size());
    switch (below(6)) {
      case 0:
        input[at] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        input[at] = static_cast<char>(below(256));
        break;
      case 2:
        input[at] = below(2) == 0 ? '\xff' : '\x7f';
        break;
      case 3: {
        const uint32_t word = below(2) == 0 ? below(16) : -1 - below(16);
        if (at + sizeof(word) <= input.size()) {
          std::memcpy(&input[at], &word, sizeof(word));
        }
        break;
      }
      case 4:
        input.resize(at);
        break;
      default:
        input.insert(at, std::string(below(8), '\0'));
    }
  }
  return input;
}

// A call may ask for an output of any size; past this there is no memory. The
// address sanitizer, whose limit is in asan_options.cc, takes more address
// space than any program.
void LimitMemory() {
  if (__asan_init != nullptr) return;
  constexpr rlim_t kLimit = rlim_t{1} << 30;
  const rlimit limit = {kLimit, kLimit};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " SEEDS MUTATIONS [FILE...]"
              << std::endl;
    return EXIT_FAILURE;
  }
  LimitMemory();
  const std::vector<std::string> seeds = ReadSeeds(argv[1]);
  const int mutations = std::atoi(argv[2]);
  if (seeds.empty() || mutations <= 0) {
    std::cerr << "no seeds in " << argv[1] << ", or no mutations" << std::endl;
    return EXIT_FAILURE;
  }
  for (int i = 3; i < argc; ++i) {
    const std::string input = ReadFile(argv[i]);
    if (input.empty()) {
      std::cerr << "nothing in " << argv[i] << std::endl;
      return EXIT_FAILURE;
    }
    Run(input);
  }
  std::mt19937 engine;
  for (const std::string& seed : seeds) Run(seed);
  for (int i = 0; i < mutations; ++i) {
    Run(Mutated(seeds[engine() % seeds.size()], &engine));
  }
  std::cout << seeds.size() << " seeds and " << mutations
            << " mutations of them" << std::endl;
  return EXIT_SUCCESS;
}
