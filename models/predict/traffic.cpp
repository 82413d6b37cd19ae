// Predicts a product's time from what it must move and do and from the rates of a GPU.
#include "models/predict/traffic.h"

#include <algorithm>
#include <cmath>

namespace specmv {

// GB/s are bytes per nanosecond; results are in microseconds.
static double microseconds(int64_t bytes, double gigabytesPerSecond) {
  return static_cast<double>(bytes) / gigabytesPerSecond / 1000;
}

static double bytesUs(const Traffic &t, const GpuModel &gpu, double streamGBs) {
  return std::hypot(microseconds(t.streamBytes + t.stagedBytes, streamGBs) / t.efficiency,
                    microseconds(t.gatherBytes, gpu.gatherGBs));
}

// What a product reads from memory: 0 where L2 holds it. Of x, about half of the sectors that are
// gathered are distinct; what is staged is x itself a few times, which matters little.
static double shareBeyondL2(const Traffic &t, const GpuModel &gpu) {
  const auto l2 = static_cast<double>(gpu.l2Bytes);
  const double used =
      static_cast<double>(t.storedBytes) + static_cast<double>(t.gatherBytes + t.stagedBytes) / 2;
  return std::clamp((used - l2 / 3) / (l2 - l2 / 3), 0.0, 1.0);
}

namespace {
// Microseconds that threads take if nothing but latency holds them up.
struct Latency {
  double waves = 0, ofWaves = 0; // how many; beginning them
  double meanChain = 0, longestChain = 0;

  Latency(const Traffic &t, const GpuModel &gpu) {
    if (t.threads == 0)
      return;
    const auto threads = static_cast<double>(t.threads);
    const int64_t resident = t.threadsPerSm ? t.threadsPerSm : gpu.threadsPerSm;
    waves = threads / static_cast<double>(gpu.sms * resident);
    ofWaves = waves * gpu.waveNs / 1000;
    meanChain = static_cast<double>(t.steps) / threads * gpu.chainNs / 1000;
    longestChain = std::max(meanChain, static_cast<double>(t.longestChain) * gpu.chainNs / 1000);
  }
  double ofAll() const { return ofWaves + std::max(1.0, waves) * meanChain; }
};
} // namespace

static double fromL2Us(const Traffic &t, const GpuModel &gpu, const Latency &latency) {
  return latency.ofAll() + latency.longestChain - latency.meanChain + bytesUs(t, gpu, gpu.l2GBs);
}

static double fromMemoryUs(const Traffic &t, const GpuModel &gpu, const Latency &latency) {
  const double waiting = gpu.dramDelay * std::max(latency.ofAll(), latency.longestChain);
  return gpu.waveNs / 1000 + std::max(bytesUs(t, gpu, gpu.dramGBs), waiting);
}

// The longer of two times, a bit more where they are nearly equal, since neither is constant: so
// plans that are as short as a launch still rank by what they do.
static double longer(double a, double b) {
  return std::pow(std::pow(a, 8) + std::pow(b, 8), 0.125);
}

double predictUs(const Traffic &t, const GpuModel &gpu) {
  const Latency latency(t, gpu);
  const double beyond = shareBeyondL2(t, gpu);
  const double us = t.launches * gpu.launchUs + t.dependentLoads * gpu.loadNs / 1000 +
                    (1 - beyond) * fromL2Us(t, gpu, latency) +
                    beyond * fromMemoryUs(t, gpu, latency);
  return longer(gpu.periodUs, us) + t.hostUs;
}

} // namespace specmv
