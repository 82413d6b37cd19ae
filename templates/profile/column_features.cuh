// The definition of what is counted of columns, for the host and for the kernels of columns.cuh.
#pragma once

namespace specmv {

// The degree of a column is its number of entries. Degrees are counted up to this one, whose count
// has all higher ones too.
enum : int { kMostCountedDegree = 4095 };

constexpr int countedDegree(unsigned entries) {
  return entries < kMostCountedDegree ? static_cast<int>(entries) : int{kMostCountedDegree};
}

} // namespace specmv
