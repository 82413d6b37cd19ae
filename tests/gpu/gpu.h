// The GPU that the tests run on, and a stream of it.
#pragma once

#include "runtime/machine.h"

#include <cstdint>

namespace specmv {

// There is one: main() has looked.
inline Machine gpuMachine() { return llvm::cantFail(Machine::find({.target = Target::gpu})); }

// CU_STREAM_PER_THREAD: a stream other than the default one that needs no making.
inline void *const kPerThreadStream = reinterpret_cast<void *>(uintptr_t{2});

} // namespace specmv
