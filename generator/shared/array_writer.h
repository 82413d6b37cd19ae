// Writes elements of a layout's array whose type is known only at run time.
#pragma once

#include "generator/layout.h"

#include <cstring>

namespace specmv {

class ArrayWriter {
public:
  // Writes to a null array are ignored.
  explicit ArrayWriter(LayoutArray *array)
      : ArrayWriter(array, array ? array->type : ElementType::u8) {}
  // Writes the array's bytes as elements of another type.
  ArrayWriter(LayoutArray *array, ElementType type)
      : data_(array ? array->bytes.data() : nullptr), size_(array ? sizeOf(type) : 0) {}

  void set(int64_t index, int64_t value) {
    // The machine is little-endian, so the low bytes of the value are the element. With constant
    // sizes each copy is one store.
    switch (size_) {
    case 1:
      std::memcpy(data_ + index, &value, 1);
      break;
    case 2:
      std::memcpy(data_ + 2 * index, &value, 2);
      break;
    case 4:
      std::memcpy(data_ + 4 * index, &value, 4);
      break;
    case 8:
      std::memcpy(data_ + 8 * index, &value, 8);
      break;
    default:
      break;
    }
  }

private:
  std::byte *data_;
  size_t size_;
};

} // namespace specmv
