// Vectors for the fuzzed calls: whole numbers, their bytes in the matrix's type, and the positions
// of the values of several vectors.
#pragma once

#include "tests/fuzz/matrix_input.h"

#include <cstring>
#include <vector>

namespace specmv::fuzz {

inline std::vector<double> wholeNumbers(Input &in, int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  const int step = in.ConsumeIntegralInRange<int>(1, 7), first = in.ConsumeIntegralInRange(-7, 7);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = (first + step * static_cast<int>(i % 100)) % 15 - 7;
  return out;
}

// Returns the numbers in the matrix's type, in memory that ends right after them.
inline std::vector<char> typedValues(const std::vector<double> &values, specmvDataType_t type) {
  const bool isFloat = type == SPECMV_R_32F;
  std::vector<char> bytes(values.size() * (isFloat ? 4 : 8));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    if (isFloat)
      std::memcpy(bytes.data() + 4 * i, &narrow, 4);
    else
      std::memcpy(bytes.data() + 8 * i, &values[i], 8);
  }
  return bytes;
}

inline std::vector<double> valuesIn(const std::vector<char> &bytes, specmvDataType_t type) {
  std::vector<double> out(bytes.size() / (type == SPECMV_R_32F ? 4 : 8));
  for (size_t i = 0; i < out.size(); ++i) {
    float narrow = 0;
    if (type == SPECMV_R_32F)
      std::memcpy(&narrow, bytes.data() + 4 * i, 4), out[i] = narrow;
    else
      std::memcpy(&out[i], bytes.data() + 8 * i, 8);
  }
  return out;
}

// The position of value i of vector j for vectors with a leading dimension.
inline size_t placeOf(specmvOrder_t order, int64_t leading, int64_t i, int64_t j) {
  return static_cast<size_t>(order == SPECMV_ORDER_ROW ? i * leading + j : i + j * leading);
}

inline std::vector<double> takenOut(const std::vector<double> &all, specmvOrder_t order,
                                    int64_t leading, int64_t j, int64_t length) {
  std::vector<double> out(static_cast<size_t>(length));
  for (int64_t i = 0; i < length; ++i)
    out[static_cast<size_t>(i)] = all[placeOf(order, leading, i, j)];
  return out;
}

inline int64_t valuesOfDense(specmvOrder_t order, int64_t leading, int64_t length, int64_t count) {
  return length > 0 && count > 0
             ? static_cast<int64_t>(placeOf(order, leading, length - 1, count - 1)) + 1
             : 0;
}

} // namespace specmv::fuzz
