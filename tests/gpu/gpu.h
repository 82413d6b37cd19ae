// The GPU that the tests run on.
#pragma once

#include "runtime/machine.h"

namespace specmv {

// There is one: main() has looked.
inline Machine gpuMachine() { return llvm::cantFail(Machine::find({.target = Target::gpu})); }

} // namespace specmv
