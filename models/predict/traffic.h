// Our own model of time: what a plan must move and do, against the measured rates of a GPU.
#pragma once

#include "models/gpu.h"

#include <cstdint>

namespace specmv {

// What one product must move and do, estimated from the profile; the input of the traffic model.
struct Traffic {
  int64_t storedBytes = 0;  // arrays of the layout
  int64_t slots = 0;        // values of it, those of padding too; 0: those of the entries only
  int64_t streamBytes = 0;  // arrays that are read once in order, and y
  int64_t gatherBytes = 0;  // x, in the 32-byte sectors that L2 must deliver
  int64_t stagedBytes = 0;  // x, as blocks copy it to shared memory before they multiply
  int64_t threads = 0;      // threads launched
  int64_t steps = 0;        // passes of the inner loop, summed over threads
  int64_t longestChain = 0; // passes of the slowest thread: what imbalance costs
  // Loads that must return one after another before the first column can be read. CSR-vector has
  // one: where a thread's row begins. ELL has none, since places follow from the row's number.
  int32_t dependentLoads = 0;
  int32_t threadsPerSm = 0; // that registers leave room for; 0: as many as the GPU holds
  double launches = 1;      // of a library's call: its time in launches
  double efficiency = 1;    // share of the memory rate that the kernel's pattern of access reaches
  double hostUs = 0;        // copies to and from the host and its work, beyond what they overlap
  bool operator==(const Traffic &) const = default;
};

// Microseconds for one product, matrix and vectors on the device, back to back with others:
//   hostUs + the longer of periodUs and
//            launches x launchUs + dependentLoads x loadNs + the product itself
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

// What the time is spent on. Of two times that overlap in full only what the longer one has above
// the shorter counts beside it, as waiting; of two that overlap in part each has the share of its
// square.
struct ProductTime {
  double launchUs = 0; // launches, and where they are nearly nothing, the period between two
  double streamUs = 0; // streamed and staged bytes
  double gatherUs = 0; // gathered bytes
  double waitUs = 0;   // for loads and passes, where no bytes are moved meanwhile
  double hostUs = 0;
  double totalUs = 0; // predictUs(): the sum of these, but for rounding
};
ProductTime productTime(const Traffic &traffic, const GpuModel &gpu);

} // namespace specmv
