// Set-up kernels profile and pack a matrix on a GPU. Their numbers are arguments, so one compiled
// object is used for all plans with the same types.
#pragma once

#include "generator/emit.h"
#include "templates/setup/sizes.cuh"

namespace specmv {

// One kernel with its arguments: the value of each number, and the name of each array in the
// workspace.
struct SetupKernel {
  Kernel kernel;
  Fields fields;
};

// The kernel that calls `function` with its argument struct; its name is specmv_<function>.
SetupKernel setupKernel(const char *function, const char *args, std::vector<ElementType> types,
                        Fields fields, int64_t blockThreads = kSetupBlock);

// The source of set-up kernels; `purpose` goes into the comment on top. The source does not depend
// on the numbers and sizes in their fields.
KernelSource emitSetup(const std::string &purpose, const std::vector<std::string> &headers,
                       const std::vector<SetupKernel> &kernels);

} // namespace specmv
