// Our own model of time: what a plan must move and do, against the measured rates of a GPU.
#pragma once

#include "models/gpu.h"
#include "models/plan.h"

namespace specmv {

// Microseconds for one product, matrix and vectors on the device, back to back with others:
//   hostUs + the longer of periodUs and launches x launchUs + heads x loadNs + the product itself
//
// A pass of a thread's loop takes chainNs; a wave is as many threads as are resident at a time, and
// `mean` a thread's mean number of passes. `bytes` is the root of the sum of squares of two times
// that overlap, but not in full: streamBytes and stagedBytes, since a block does nothing else while
// it stages, at the efficiency's share of the rate of L2 or of device memory, and gatherBytes at
// the rate of random 32-byte sectors.
//
// Where L2 holds everything, the product itself is over in a few waves, in which all threads wait
// alike and then all move bytes, so that times add up:
//   waves x waveNs + max(1, waves) x mean x chainNs + (longestChain - mean) x chainNs + bytes
//
// Where memory is read, all of it overlaps, and passes and waves last dramDelay times as long:
//   waveNs + max(bytes, dramDelay x (waves x waveNs + max(1, waves) x mean x chainNs),
//                dramDelay x longestChain x chainNs)
//
// Between a third of L2 and all of it (its halves are apart, and each keeps copies of what the
// other holds) time goes over from the one to the other in proportion to the bytes.
double predictUs(const Traffic &traffic, const GpuModel &gpu);

} // namespace specmv
