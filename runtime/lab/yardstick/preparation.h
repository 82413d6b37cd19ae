// Times what cuSPARSE does for a matrix before its first product: descriptions, working memory,
// preprocessing, plans.
#pragma once

#include "generator/layout.h"
#include "runtime/cuda/device.h"

#include <memory>
#include <string>

namespace specmv {

// Returns the microseconds until the GPU has done it: the median of a few times. The layout has its
// arrays on the host. Their way to the GPU is not counted, nor is the making of a handle.
llvm::Expected<double> preparationUs(const std::shared_ptr<const GpuDevice> &gpu,
                                     const std::string &routine, const Layout &layout,
                                     ValueType type);

} // namespace specmv
