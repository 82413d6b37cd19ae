// Arrays of indices of either type.
#pragma once

#include "models/csr.h"

namespace specmv {

// Calls f with the elements as const int32_t * or const int64_t *.
template <class F> auto visitIndices(IndexType type, const void *indices, F &&f) {
  if (type == IndexType::i32)
    return f(static_cast<const int32_t *>(indices));
  return f(static_cast<const int64_t *>(indices));
}

} // namespace specmv
