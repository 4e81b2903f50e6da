#include "tflite/custom/foreign_resolver.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "third_party/tensorflow/lite/c/common.h"

namespace tflite::custom {
namespace {

// AddCustom(const char* name, const TfLiteRegistration* registration,
// int version).
constexpr char kAddCustomSymbol[] =
    "_ZN6tflite17MutableOpResolver9AddCustomEPKcPK18TfLiteRegistrationi";
using AddCustom = void (*)(MutableOpResolver*, const char*,
                           const TfLiteRegistration*, int);

using FindOp = const TfLiteRegistration* (*)(const void* self, const char* name,
                                             int version);
using FindCustomOp = const TfLiteRegistration* (*)(const char* name,
                                                   int version);

// In the Itanium C++ ABI an object with virtual functions begins with a pointer
// to the first function of its table. Before that lie two words, the offset to
// the top of the object and its type_info.
constexpr int kWordsBefore = 2;
constexpr int kTypeInfo = -1;
constexpr int kFindOpByName = 1;  // After FindOp(BuiltinOperator, int).

const uintptr_t*& TableOf(void* object) {
  return *static_cast<const uintptr_t**>(object);
}

// The loaded segments of every library in the process.
class Segments {
 public:
  Segments() { dl_iterate_phdr(Collect, &segments_); }

  bool Readable(uintptr_t begin, size_t size) const {
    return Contains(begin, size, PF_R);
  }
  bool Executable(uintptr_t address) const {
    return Contains(address, 1, PF_X);
  }

 private:
  struct Segment {
    uintptr_t begin;
    uintptr_t end;
    ElfW(Word) flags;
  };

  static int Collect(dl_phdr_info* info, size_t, void* data) {
    auto* segments = static_cast<std::vector<Segment>*>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      segments->push_back({begin, begin + header.p_memsz, header.p_flags});
    }
    return 0;
  }

  bool Contains(uintptr_t begin, size_t size, ElfW(Word) flags) const {
    return std::any_of(
        segments_.begin(), segments_.end(), [&](const Segment& segment) {
          return (segment.flags & flags) == flags && segment.begin <= begin &&
                 begin < segment.end && size <= segment.end - begin;
        });
  }

  std::vector<Segment> segments_;
};

// Whether the type_info before a table names a class "...OpResolver...". The
// name is the second word of a type_info.
bool IsOpResolver(const Segments& segments, const uintptr_t* table) {
  const uintptr_t type_info = table[kTypeInfo];
  if (!segments.Readable(type_info, 2 * sizeof(uintptr_t))) return false;
  const uintptr_t name = reinterpret_cast<const uintptr_t*>(type_info)[1];
  constexpr size_t kLongestName = 200;
  for (size_t length = 0; length < kLongestName; ++length) {
    if (!segments.Readable(name + length, 1)) return false;
    if (reinterpret_cast<const char*>(name)[length] == '\0') {
      return std::strstr(reinterpret_cast<const char*>(name), "OpResolver") !=
             nullptr;
    }
  }
  return false;
}

// A table ends where no pointer to code follows: the next thing there is the
// zero offset with which another table begins, or data. To see that, it reads a
// word past the table, which the address sanitizer would not let it.
__attribute__((no_sanitize_address)) size_t
CountFunctions(const Segments& segments, const uintptr_t* table) {
  size_t count = 0;
  while (segments.Readable(reinterpret_cast<uintptr_t>(table + count),
                           sizeof(uintptr_t)) &&
         segments.Executable(table[count])) {
    ++count;
  }
  return count;
}

// A table that stands in for `original`. Objects that use it may live as long
// as the process. It lies in this library, not on the heap, so that another
// library of this kind finds it readable and can put its own over it.
struct Interposed {
  static constexpr size_t kMostFunctions = 28;

  FindCustomOp find;
  const uintptr_t* original;
  uintptr_t words[kWordsBefore + kMostFunctions + 1];  // Ends with a zero.

  uintptr_t* table() { return words + kWordsBefore; }
};
constexpr size_t kMostInterposed = 16;
Interposed interposed[kMostInterposed];
size_t interposed_count = 0;
std::mutex interposed_mutex;

// The function in the table interposed[i]. Each table has its own: the object
// does not tell which one, where tables lie over each other.
template <size_t i>
const TfLiteRegistration* FindOpByName(const void* self, const char* name,
                                       int version) {
  const Interposed& mine = interposed[i];
  if (const TfLiteRegistration* op = mine.find(name, version)) return op;
  return reinterpret_cast<FindOp>(mine.original[kFindOpByName])(self, name,
                                                                version);
}

template <size_t... i>
FindOp FindOpByNameIn(size_t index, std::index_sequence<i...>) {
  constexpr FindOp kFunctions[] = {FindOpByName<i>...};
  return kFunctions[index];
}

// The table that stands in for `original`, which is itself where it already
// asks `find`. Null where there is no room for another.
const uintptr_t* Interpose(const uintptr_t* original, size_t functions,
                           FindCustomOp find) {
  if (functions > Interposed::kMostFunctions) return nullptr;
  std::lock_guard<std::mutex> lock(interposed_mutex);
  for (size_t i = 0; i < interposed_count; ++i) {
    Interposed& candidate = interposed[i];
    if (candidate.find == find &&
        (candidate.original == original || candidate.table() == original)) {
      return candidate.table();
    }
  }
  if (interposed_count == kMostInterposed) return nullptr;
  const size_t index = interposed_count++;
  Interposed& added = interposed[index];
  added.find = find;
  added.original = original;
  std::copy(original - kWordsBefore, original + functions, added.words);
  added.table()[kFindOpByName] = reinterpret_cast<uintptr_t>(
      FindOpByNameIn(index, std::make_index_sequence<kMostInterposed>()));
  return added.table();
}

}  // namespace

bool AddCustomOps(MutableOpResolver* resolver,
                  const std::vector<TfLiteRegistration>& ops) {
  Dl_info table_owner;
  if (dladdr(TableOf(resolver), &table_owner) == 0) return false;
  void* library = dlopen(table_owner.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  // dlsym also looks into what the library depends on.
  void* symbol = dlsym(library, kAddCustomSymbol);
  Dl_info symbol_owner;
  const bool own = symbol != nullptr && dladdr(symbol, &symbol_owner) != 0 &&
                   symbol_owner.dli_fbase == table_owner.dli_fbase;
  if (own) {
    const auto add_custom = reinterpret_cast<AddCustom>(symbol);
    for (const TfLiteRegistration& op : ops) {
      add_custom(resolver, op.custom_name, &op, op.version);
    }
  }
  dlclose(library);
  return own;
}

bool InterposeFindOp(MutableOpResolver* resolver,
                     const TfLiteRegistration* (*find)(const char* name,
                                                       int version)) {
  const uintptr_t* table = TableOf(resolver);
  const Segments segments;
  constexpr size_t kSizeBefore = kWordsBefore * sizeof(uintptr_t);
  if (!segments.Readable(reinterpret_cast<uintptr_t>(table) - kSizeBefore,
                         kSizeBefore)) {
    return false;
  }
  const size_t functions = CountFunctions(segments, table);
  if (functions <= kFindOpByName || !IsOpResolver(segments, table)) {
    return false;
  }
  const uintptr_t* replacement = Interpose(table, functions, find);
  if (replacement == nullptr) return false;
  TableOf(resolver) = replacement;
  return true;
}

}  // namespace tflite::custom
