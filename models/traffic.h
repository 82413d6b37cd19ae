// Our own model of time: what a plan must move and do, against the measured rates of a GPU.
#pragma once

#include "models/gpu.h"
#include "models/plan.h"

namespace specmv {

// Microseconds for one product, matrix and vectors on the device, back to back with others:
//   launches x launchUs + max(max(stream, gather) / efficiency, latency) + hostUs
//   stream:  streamBytes at the rate of device memory, or of L2 where everything fits there
//   gather:  gatherBytes at the rate of random 32-byte sectors from L2
//   latency: waves of resident threads, each waiting for its first loads and then for the mean
//            number of passes of its loop; plus what the slowest thread has beyond the mean.
double predictUs(const Traffic &traffic, const GpuModel &gpu);

} // namespace specmv
