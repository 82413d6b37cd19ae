// Runs a loop on all cores; the result never depends on how many there are.
#pragma once

#include <cstdint>
#include <functional>

namespace specmv {

// Elements that a thread copies or fills at a time: fewer take no longer than to start it.
inline constexpr int64_t kCopyGrain = 1 << 20;

// Number of threads that parallelFor uses: the cores of this machine, at least 1.
unsigned threadCount();

// Calls body(begin, end) for disjoint ranges that cover 0 .. count, each at most `grain` long and
// starting at a multiple of it, from several threads. What body throws (memory can run out) stops
// the loop and is thrown here. Where a thread cannot be had, the calling thread does the work.
void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)> &body);

} // namespace specmv
