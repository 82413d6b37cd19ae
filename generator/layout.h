// The packed arrays of a matrix in one format, their memory, and the place of each entry.
#pragma once

#include "models/csr.h"

#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace specmv {

// --- Zeroed array --------------------------------------------------------------------------------

// The memory of packed arrays. The system provides it as zeros, so the threads that fill it are the
// first to touch its pages.

// Tells the system that all of this memory will soon be written (Linux: huge pages).
void expectFilling(void *begin, size_t bytes);

// An array of zeros whose size is set at construction. Throws std::bad_alloc.
template <class T> class ZeroedArray {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>);

public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t size) : data_(zeros(size)), size_(size) {}
  ZeroedArray(const ZeroedArray &other) : ZeroedArray(other.size_) {
    std::copy_n(other.data(), size_, data());
  }
  ZeroedArray(ZeroedArray &&other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  ZeroedArray &operator=(ZeroedArray other) noexcept {
    data_ = std::move(other.data_);
    size_ = other.size_;
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *data() { return data_.get(); }
  const T *data() const { return data_.get(); }
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + size_; }
  bool operator==(const ZeroedArray &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  struct Free {
    void operator()(T *memory) const { std::free(memory); }
  };
  static T *zeros(size_t size) {
    if (size == 0)
      return nullptr;
    auto *memory = static_cast<T *>(std::calloc(size, sizeof(T)));
    if (!memory)
      throw std::bad_alloc();
    expectFilling(memory, size * sizeof(T));
    return memory;
  }

  std::unique_ptr<T[], Free> data_;
  size_t size_ = 0;
};

// --- Layout --------------------------------------------------------------------------------------

// The packed arrays of a matrix in one format, and the place of each entry in them.

enum class ElementType : uint8_t { u8, u16, u32, u64, i32, i64, f32, f64 };

size_t sizeOf(ElementType type);
// The type's name in device code ("unsigned short") and in documents ("u16").
const char *deviceNameOf(ElementType type);
const char *nameOf(ElementType type);
// The type by which the kernels of products read an array of these elements.
std::string streamedNameOf(ElementType type);
constexpr ElementType elementOf(ValueType type) {
  return type == ValueType::f32 ? ElementType::f32 : ElementType::f64;
}
constexpr ElementType elementOf(IndexType type) {
  return type == IndexType::i32 ? ElementType::i32 : ElementType::i64;
}

// One array of a layout, of so many elements of `type`. Kernel arguments find it by its name.
struct LayoutArray {
  std::string name;
  ElementType type;
  int64_t elements = 0;
  ZeroedArray<std::byte> bytes = {}; // empty if the array was filled on a GPU and lies there
  bool isSpare = false;     // only general kernels read it (Format::general): it is not counted
  bool staysOnHost = false; // page-locked, for a detour over the host (steps.h)

  int64_t count() const { return elements; }
  int64_t size() const { return elements * static_cast<int64_t>(sizeOf(type)); } // in bytes
  template <class T> T *as() { return reinterpret_cast<T *>(bytes.data()); }
  template <class T> const T *as() const { return reinterpret_cast<const T *>(bytes.data()); }
};

using Slots = ZeroedArray<uint32_t>;
using NamedNumbers = std::vector<std::pair<std::string, int64_t>>;

struct Layout {
  std::vector<LayoutArray> arrays;
  // Working memory of the kernels, set to zero once, when the layout is loaded.
  std::vector<LayoutArray> scratch;
  // Whether kernels read the arrays from page-locked memory of the host (zero-copy) instead of from
  // a copy on the GPU.
  bool zeroCopy = false;
  // Named numbers that the kernels take as arguments (a stride, a count of chunks).
  NamedNumbers integers;
  // The name of the array of values and, for each entry of the matrix, its element in that array.
  // If `slots` is empty, entry e is element e. Elements that no entry maps to are padding and stay
  // 0.
  std::string valueArray = "val";
  Slots slots;
  // Whether two entries may have the same slot; their values are then added.
  bool slotsAreShared = false;

  // The elements of x and y together.
  int64_t vectorElements = 0;

  // Whether the contents of the arrays are here; if not, they were filled on a GPU.
  bool isOnHost = true;

  // Appends an array of zeros or, if the layout is not on the host, its name, type and size.
  void add(std::string name, ElementType type, int64_t count);
  void addScratch(std::string name, ElementType type, int64_t count);
  // Replaces the contents of an array by `count` zeros, for an array whose size is known last.
  void resize(const std::string &name, int64_t count);
  LayoutArray *find(const std::string &name);
  const LayoutArray *find(const std::string &name) const;
  // The layout must have a number of that name (asserted).
  int64_t integer(const std::string &name) const;
  void setInteger(const std::string &name, int64_t value); // which it has
  void setIntegers(const NamedNumbers &numbers) {
    for (const auto &[name, value] : numbers)
      setInteger(name, value);
  }
  int64_t storedBytes() const; // of arrays, without scratch
};

// Fills the value array, if there is one, from the matrix. This is the only way in which values
// enter a layout on the host, both at first and when they change: formats only find slots. Entries
// that share a slot are added.
void storeValues(Layout &layout, const CsrView &a);

// The limit of `slots`.
constexpr int64_t kMaxSlots = 0xffffffffLL;

} // namespace specmv
