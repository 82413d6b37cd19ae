// Access to integer arrays of a layout whose type is known only at run time.
#pragma once

#include "generator/layout.h"
#include "models/base/parallel.h"

#include <algorithm>

namespace specmv {

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

} // namespace specmv
