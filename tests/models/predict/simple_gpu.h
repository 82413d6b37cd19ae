// A GPU model of round numbers, for times that are worked out by hand.
#pragma once

#include "models/predict/traffic.h"

#include <doctest/doctest.h>

namespace specmv::testing {

// Round numbers: 100 GB/s from memory, 1000 from L2, 50 for gathers, 10 for single sectors of
// memory, 2 us per launch, 1000 threads at a time; L2 holds 0.45 MB.
inline GpuModel simpleGpu() {
  GpuModel gpu;
  gpu.dramGBs = 100, gpu.l2GBs = 1000, gpu.gatherGBs = 50, gpu.launchUs = 2;
  gpu.loadNs = 300, gpu.chainNs = 10, gpu.waveNs = 1000, gpu.dramDelay = 3;
  gpu.sms = 10, gpu.threadsPerSm = 100, gpu.l2Bytes = 900000;
  gpu.rates.set("l2.share", 0.5);
  gpu.rates.set("l2.sharpness", 4);
  gpu.rates.set("l2.scatteredGBs", 10);
  return gpu;
}

// A few millionths of 10 MB come from L2.
inline doctest::Approx nearly(double us) { return doctest::Approx(us).epsilon(1e-4); }

inline Traffic tenMegabytes() { return {.storedBytes = 10000000, .streamBytes = 10000000}; }

} // namespace specmv::testing
