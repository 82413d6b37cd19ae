// Checks of what callers of the C API pass.
#pragma once

#include "models/base/error.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace specmv {

// Bytes of so many elements can be reckoned with, and no machine has memory for more.
constexpr int64_t kMaxDimension = int64_t{1} << 48;

// The number that a caller passed for an enum of C, which need not be one of its names: C++ may not
// load such a value as the enum.
template <class E> int numberOf(const E &value) {
  static_assert(sizeof(E) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

template <class E> llvm::Error wantEnum(const E &value, int last, const char *name) {
  const int number = numberOf(value);
  return number >= 0 && number <= last
             ? llvm::Error::success()
             : fail(Status::badCall, "{0} = {1} is not a valid value (0..{2})", name, number, last);
}

inline llvm::Error wantDimensions(int64_t rows, int64_t cols, int64_t nnz) {
  if (rows < 0 || cols < 0 || nnz < 0)
    return fail(Status::badCall, "rows = {0}, cols = {1} and nnz = {2} must not be negative", rows,
                cols, nnz);
  const int64_t most = std::max({rows, cols, nnz});
  return most <= kMaxDimension
             ? llvm::Error::success()
             : fail(Status::badCall, "{0} rows, columns or entries are more than the limit, {1}",
                    most, kMaxDimension);
}

inline llvm::Error wantPointer(const void *pointer, const char *name) {
  return pointer ? llvm::Error::success() : fail(Status::badCall, "{0} is a null pointer", name);
}

} // namespace specmv
