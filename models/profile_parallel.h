// parallelFor for bodies that allocate: where memory runs out the caller sees std::bad_alloc, as it
// would without threads, instead of the end of the process.
#pragma once

#include "models/parallel.h"

#include <atomic>
#include <new>

namespace specmv {

template <class Body> void parallelForAllocating(int64_t count, int64_t grain, const Body &body) {
  std::atomic<bool> exhausted{false};
  parallelFor(count, grain, [&](int64_t begin, int64_t end) {
    try {
      if (!exhausted)
        body(begin, end);
    } catch (const std::bad_alloc &) {
      exhausted = true;
    }
  });
  if (exhausted)
    throw std::bad_alloc();
}

} // namespace specmv
