// Detects other processes that use the GPU, so that times measured now would be wrong.
#pragma once

#include "runtime/cuda/device.h"

#include <vector>

namespace specmv {

// Fails with Status::missing and the figures if the GPU takes much longer for some of many equal
// pieces of work than for most. Processes that share a GPU take turns of milliseconds.
llvm::Error refuseBusy(const GpuDevice &gpu);

// Returns the share of times that are more than three times the median.
double shareOfDelayed(std::vector<double> timesUs);

// A GPU with a larger share counts as busy; an idle one has about one in a thousand.
constexpr double kMostDelayed = 0.03;

} // namespace specmv
