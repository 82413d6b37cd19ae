// The memory of packed arrays. The system provides it as zeros, so the threads that fill it are the
// first to touch its pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace specmv {

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

} // namespace specmv
