// Set-up kernels: they profile and pack a matrix that lies on a GPU. Their numbers are arguments,
// so that one object serves all plans with the same types.
#pragma once

#include "generator/emit.h"
#include "templates/setup/sizes.cuh"

namespace specmv {

// One kernel, with what its arguments get: a number its value, an array the one of that name in the
// workspace.
struct SetupKernel {
  Kernel kernel;
  Fields fields;
};

// The kernel that calls `function` with its argument struct; its name is specmv_<function>.
SetupKernel setupKernel(const char *function, const char *args, std::vector<ElementType> types,
                        Fields fields, int64_t blockThreads = kSetupBlock);

// The source of set-up kernels for `purpose`, words for the comment on top. The numbers and sizes
// in their fields make no difference.
KernelSource emitSetup(const std::string &purpose, const std::vector<std::string> &headers,
                       const std::vector<SetupKernel> &kernels);

} // namespace specmv
