// Writes integers into an array of a layout whose type is known at run time only.
#pragma once

#include "generator/layout.h"

#include <cstring>

namespace specmv {

class Writer {
public:
  explicit Writer(LayoutArray &array) : data_(array.bytes.data()), size_(sizeOf(array.type)) {}
  void set(int64_t index, int64_t value) {
    // Little-endian: the low bytes of the value are the element.
    std::memcpy(data_ + index * static_cast<int64_t>(size_), &value, size_);
  }

private:
  std::byte *data_;
  size_t size_;
};

} // namespace specmv
