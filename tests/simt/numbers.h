// Numbers of a product in the executor's memory, in the type of its vectors.
#pragma once

#include "models/csr.h"
#include "templates/shared/constants.cuh"
#include "tests/simt/memory.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace specmv::simt {

// x and y come from the caller, who guarantees only the alignment of their elements; with several
// vectors, that of `together` values.
inline Buffer vectorOf(const char *name, int64_t count, ValueType type, int64_t together = 1) {
  const size_t bytes = sizeOf(type);
  return {name, static_cast<size_t>(count) * bytes, bytes,
          std::min<size_t>(kBytesOfMember, bytes * static_cast<size_t>(together))};
}

inline void write(ValueType type, double value, char *to) {
  const float narrow = static_cast<float>(value);
  type == ValueType::f32 ? std::memcpy(to, &narrow, 4) : std::memcpy(to, &value, 8);
}

inline double read(ValueType type, const char *from) {
  float narrow = 0;
  double wide = 0;
  type == ValueType::f32 ? std::memcpy(&narrow, from, 4) : std::memcpy(&wide, from, 8);
  return type == ValueType::f32 ? narrow : wide;
}

inline void store(ValueType type, const std::vector<double> &values, const Buffer &to) {
  for (size_t i = 0; i < values.size(); ++i)
    write(type, values[i], to.data() + i * sizeOf(type));
}

inline void readBack(ValueType type, const Buffer &from, std::vector<double> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = read(type, from.data() + i * sizeOf(type));
}

} // namespace specmv::simt
