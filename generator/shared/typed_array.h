// Access to arrays of a layout whose type is known only at run time.
#pragma once

#include "generator/coding/coding.h"
#include "generator/index_types.h"
#include "generator/layout.h"
#include "models/base/parallel.h"
#include "models/csr.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace specmv {

// --- Typed array ---------------------------------------------------------------------------------

// Access to integer arrays of a layout whose type is known only at run time.

// Calls f with a pointer to the elements, which are u16, i32 or i64.
template <class F> void visitIntegers(LayoutArray &array, F &&f) {
  if (array.type == ElementType::u16)
    f(array.as<uint16_t>());
  else if (array.type == ElementType::i32)
    f(array.as<int32_t>());
  else
    f(array.as<int64_t>());
}

// Copies indices of either width into the first elements of an array of them.
template <class I> void copyIndices(LayoutArray &out, const I *from, int64_t count) {
  visitIntegers(out, [&](auto *to) {
    parallelFor(count, kCopyGrain, [&](int64_t begin, int64_t end) {
      std::copy(from + begin, from + end, to + begin);
    });
  });
}

// --- Array writer --------------------------------------------------------------------------------

// Writes elements of a layout's array whose type is known only at run time.

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

// --- Csr arrays ----------------------------------------------------------------------------------

// The CSR arrays as a layout, shared by the formats that use them unchanged.

// The fields rowPtr, col and val of a matrix.
Fields csrFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

// Fills these arrays; their types must be wide enough.
void fillCsr(Layout &out, const CsrView &a);

} // namespace specmv
