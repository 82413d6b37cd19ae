// Predicts a product's time from what it must move and do and from the rates of a GPU.
#include "models/predict/traffic.h"

#include <algorithm>
#include <cmath>

namespace specmv {

// GB/s are bytes per nanosecond; results are in microseconds.
static double microseconds(int64_t bytes, double gigabytesPerSecond) {
  return static_cast<double>(bytes) / gigabytesPerSecond / 1000;
}

namespace {
// Microseconds that bytes take if nothing else holds them up, and what of them is due to which.
struct BytesTime {
  double all = 0, ofStream = 0, ofGather = 0;

  BytesTime(const Traffic &t, const GpuModel &gpu, double streamGBs) {
    const double stream = microseconds(t.streamBytes + t.stagedBytes, streamGBs) / t.efficiency;
    const double gather = microseconds(t.gatherBytes, gpu.gatherGBs);
    all = std::hypot(stream, gather);
    if (all > 0) {
      ofStream = stream * (stream / all);
      ofGather = gather * (gather / all);
    }
  }
};
} // namespace

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

// What a product takes besides its launch.
static ProductTime fromL2(const Traffic &t, const GpuModel &gpu, const Latency &latency) {
  const BytesTime bytes(t, gpu, gpu.l2GBs);
  return {.streamUs = bytes.ofStream,
          .gatherUs = bytes.ofGather,
          .waitUs = latency.ofAll() + latency.longestChain - latency.meanChain,
          .totalUs = latency.ofAll() + latency.longestChain - latency.meanChain + bytes.all};
}

static ProductTime fromMemory(const Traffic &t, const GpuModel &gpu, const Latency &latency) {
  const BytesTime bytes(t, gpu, gpu.dramGBs);
  const double waiting = gpu.dramDelay * std::max(latency.ofAll(), latency.longestChain);
  const double first = gpu.waveNs / 1000;
  return {.streamUs = bytes.ofStream,
          .gatherUs = bytes.ofGather,
          .waitUs = first + std::max(0.0, waiting - bytes.all),
          .totalUs = first + std::max(bytes.all, waiting)};
}

// The longer of two times, a bit more where they are nearly equal, since neither is constant: so
// plans that are as short as a launch still rank by what they do.
static double longer(double a, double b) {
  return std::pow(std::pow(a, 8) + std::pow(b, 8), 0.125);
}

// The total is not summed from the parts: plans that take equally long stay equal to the bit.
ProductTime productTime(const Traffic &t, const GpuModel &gpu) {
  const Latency latency(t, gpu);
  const double beyond = shareBeyondL2(t, gpu), within = 1 - beyond;
  const ProductTime l2 = fromL2(t, gpu, latency), memory = fromMemory(t, gpu, latency);
  const double launches = t.launches * gpu.launchUs, loads = t.dependentLoads * gpu.loadNs / 1000;
  const double us = launches + loads + within * l2.totalUs + beyond * memory.totalUs;
  const double total = longer(gpu.periodUs, us);
  return {.launchUs = launches + (total - us),
          .streamUs = within * l2.streamUs + beyond * memory.streamUs,
          .gatherUs = within * l2.gatherUs + beyond * memory.gatherUs,
          .waitUs = loads + within * l2.waitUs + beyond * memory.waitUs,
          .hostUs = t.hostUs,
          .totalUs = total + t.hostUs};
}

double predictUs(const Traffic &t, const GpuModel &gpu) { return productTime(t, gpu).totalUs; }

} // namespace specmv
