// The race detector: records who last wrote and read each element of writable memory, and which
// accesses are ordered by barriers, fences and atomics. It sees plain accesses through clang's
// -fsanitize-coverage=trace-loads,trace-stores; without that only atomics.
//
// Order is kept by a clock that every synchronization advances. Within a block: __syncthreads, and
// __syncwarp between the lanes of its mask; a shuffle orders no memory. Between blocks: the
// writer's __threadfence, then an atomic on some word, then an atomic on that word by the reader's
// block, which is assumed to reach all its lanes. Two atomics never race. Kernels of one product
// are ordered.
#pragma once

#include "tests/simt/memory.h"

#include <string>

namespace specmv::simt {

enum class AccessKind { load, store, atomic };

// Returns true if the case units report their loads and stores.
bool isTracing();

void raceLaunchBegins();
void raceBlockBegins();
void raceBlockBarrier();
void raceWarpBarrier(unsigned warp, unsigned mask);
void raceFence();
void raceAtomic(const void *p);

// Checks one access of the current lane against bounds, alignment and order.
void checkAccess(const void *address, size_t bytes, AccessKind kind, const void *pc);

} // namespace specmv::simt
