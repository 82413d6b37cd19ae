// Predicts a product's time from what it must move and do and from the rates of a GPU.
#include "models/traffic.h"

#include <algorithm>

namespace specmv {

// GB/s are bytes per nanosecond; results are in microseconds.
static double microseconds(int64_t bytes, double gigabytesPerSecond) {
  return static_cast<double>(bytes) / gigabytesPerSecond / 1000;
}

static double latencyUs(const Traffic &t, const GpuModel &gpu) {
  if (t.threads == 0)
    return 0;
  const auto threads = static_cast<double>(t.threads);
  const auto resident = static_cast<double>(gpu.sms * gpu.threadsPerSm);
  const double waves = std::max(1.0, threads / resident);
  const double meanChain = static_cast<double>(t.steps) / threads;
  const double beyond = std::max(0.0, static_cast<double>(t.longestChain) - meanChain);
  return (waves * (gpu.waveNs + meanChain * gpu.chainNs) + beyond * gpu.chainNs) / 1000;
}

double predictUs(const Traffic &t, const GpuModel &gpu) {
  // Of x, about half of the sectors that are delivered are distinct.
  const bool fitsL2 = t.storedBytes + t.gatherBytes / 2 <= gpu.l2Bytes;
  const double stream = microseconds(t.streamBytes, fitsL2 ? gpu.l2GBs : gpu.dramGBs);
  const double gather = microseconds(t.gatherBytes, gpu.gatherGBs);
  return t.launches * gpu.launchUs +
         std::max(std::max(stream, gather) / t.efficiency, latencyUs(t, gpu)) + t.hostUs;
}

} // namespace specmv
