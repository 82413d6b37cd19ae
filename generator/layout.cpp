// Adds a layout's arrays, finds them by name, and asks for huge pages for large ones.
#include "generator/layout.h"

#include "models/base/parallel.h"

#include "llvm/Support/Alignment.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <sys/mman.h>
#include <type_traits>

namespace specmv {

// --- Zeroed array --------------------------------------------------------------------------------

// Asks the system for huge pages for large arrays.

// For smaller arrays page faults cost too little to matter.
constexpr size_t kHugeFrom = 4 << 20;

void expectFilling(void *begin, size_t bytes) {
  constexpr uint64_t kPage = 4096;
  if (bytes < kHugeFrom)
    return;
  const auto first = llvm::alignTo(reinterpret_cast<uintptr_t>(begin), kPage);
  const auto end = reinterpret_cast<uintptr_t>(begin) + bytes;
  // This is only advice, which the system may ignore.
  (void)madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
}

// --- Layout --------------------------------------------------------------------------------------

// Adds a layout's arrays, finds them by name and stores values in them.

namespace {
struct ElementInfo {
  size_t size;
  const char *name, *deviceName;
};
} // namespace

constexpr ElementInfo kElements[] = {{1, "u8", "unsigned char"}, {2, "u16", "unsigned short"},
                                     {4, "u32", "unsigned"},     {8, "u64", "unsigned long long"},
                                     {4, "i32", "int"},          {8, "i64", "long long"},
                                     {4, "f32", "float"},        {8, "f64", "double"}};
static const ElementInfo &info(ElementType type) { return kElements[static_cast<size_t>(type)]; }

size_t sizeOf(ElementType type) { return info(type).size; }
const char *nameOf(ElementType type) { return info(type).name; }
const char *deviceNameOf(ElementType type) { return info(type).deviceName; }

std::string streamedNameOf(ElementType type) {
  return std::string("specmv::Streamed<") + deviceNameOf(type) + ">";
}

static LayoutArray arrayOf(std::string name, ElementType type, int64_t count, bool isOnHost) {
  const size_t bytes = isOnHost ? static_cast<size_t>(count) * sizeOf(type) : 0;
  return {std::move(name), type, count, ZeroedArray<std::byte>(bytes)};
}

void Layout::add(std::string name, ElementType type, int64_t count) {
  arrays.push_back(arrayOf(std::move(name), type, count, isOnHost));
}

void Layout::addScratch(std::string name, ElementType type, int64_t count) {
  scratch.push_back(arrayOf(std::move(name), type, count, isOnHost));
}

void Layout::resize(const std::string &name, int64_t count) {
  LayoutArray &array = *find(name);
  array = arrayOf(name, array.type, count, isOnHost);
}

const LayoutArray *Layout::find(const std::string &name) const {
  for (const auto *list : {&arrays, &scratch})
    for (const LayoutArray &array : *list)
      if (array.name == name)
        return &array;
  return nullptr;
}

LayoutArray *Layout::find(const std::string &name) {
  return const_cast<LayoutArray *>(std::as_const(*this).find(name));
}

int64_t Layout::integer(const std::string &name) const {
  for (const auto &[key, value] : integers)
    if (key == name)
      return value;
  assert(false && "the layout has no such number");
  return 0;
}

void Layout::setInteger(const std::string &name, int64_t value) {
  for (auto &[key, number] : integers)
    if (key == name)
      number = value;
}

int64_t Layout::storedBytes() const {
  int64_t sum = 0;
  for (const LayoutArray &array : arrays)
    sum += array.isSpare ? 0 : array.size();
  return sum;
}

// Entries a thread stores at a time.
constexpr int64_t kStoreGrain = 1 << 16;

template <class Value>
static void storeTyped(const Layout &layout, LayoutArray &target, const Value *val, int64_t nnz) {
  Value *out = target.as<Value>();
  const uint32_t *slots = layout.slots.data();
  if (layout.slots.empty()) {
    parallelFor(nnz, kCopyGrain, [&](int64_t begin, int64_t end) {
      std::copy(val + begin, val + end, out + begin);
    });
  } else if (layout.slotsAreShared) {
    std::fill_n(out, target.count(), Value(0));
    for (int64_t e = 0; e < nnz; ++e)
      out[slots[e]] += val[e];
  } else {
    parallelFor(nnz, kStoreGrain, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e)
        out[slots[e]] = val[e];
    });
  }
}

void storeValues(Layout &layout, const CsrView &a) {
  LayoutArray *target = layout.find(layout.valueArray);
  if (!target || a.nnz == 0)
    return;
  visitValues(a, [&](auto *val) {
    storeTyped<std::remove_const_t<std::remove_pointer_t<decltype(val)>>>(layout, *target, val,
                                                                          a.nnz);
  });
}

} // namespace specmv
