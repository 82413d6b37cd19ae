// Predicts the time of a product from its memory traffic and work and from the rates of a GPU.
#include "models/predict/traffic.h"

#include "models/predict/kept_in_l2.h"

#include <algorithm>
#include <cmath>

namespace specmv {

constexpr Rate kShareOfL2{
    "l2.share",
    "used bytes, as a share of L2, at which half of the bytes come from memory where nothing is "
    "kept in L2",
    0.64, kWideFit};
constexpr Rate kSharpness{"l2.sharpness", "sharpness with which L2 overflows, as an exponent", 3.1};
constexpr Rate kScatteredGBs{"l2.scatteredGBs", "GB/s of single sectors that come from memory",
                             1300};
constexpr Rate kReplayed{
    "launch.replayed",
    "time of a kernel's start and end in a CUDA graph, as a share of that among "
    "launches",
    0.5,
    {.sigma = 0.4, .most = 1}};
constexpr Rate kEarly{"launch.early",
                      "time of the start and end of a kernel that begins early, as a share of one "
                      "that does not",
                      1,
                      {.sigma = 0.4, .most = 1}};
constexpr Rate kTrafficRates[] = {kShareOfL2, kSharpness, kScatteredGBs, kReplayed, kEarly};

llvm::ArrayRef<Rate> trafficRates() { return kTrafficRates; }

// GB/s equal bytes per nanosecond; results are in microseconds.
static double microseconds(int64_t bytes, double gigabytesPerSecond) {
  return static_cast<double>(bytes) / gigabytesPerSecond / 1000;
}

double shareBeyondL2(double usedBytes, const GpuModel &gpu) {
  if (usedBytes <= 0)
    return 0;
  const double held = gpu.rates[kShareOfL2] * static_cast<double>(gpu.l2Bytes);
  return 1 / (1 + std::pow(held / usedBytes, gpu.rates[kSharpness]));
}

double scatteredUs(int64_t bytes, const GpuModel &gpu) {
  return microseconds(bytes, gpu.rates[kScatteredGBs]);
}

double shareFromMemory(const Traffic &t, const GpuModel &gpu) {
  const double usual =
      shareBeyondL2(static_cast<double>(t.usedBytes ? t.usedBytes : t.storedBytes), gpu);
  if (t.isOfLibrary)
    return usual;
  const int kept = sixteenthsKept(t.storedBytes, t.vectorBytes, gpu.l2Bytes);
  return std::min(usual, 1 - kept / double{kSixteenths});
}

int64_t threadsOfWave(const Traffic &t, const GpuModel &gpu) {
  return gpu.sms * (t.threadsPerSm ? t.threadsPerSm : gpu.threadsPerSm);
}

// The factor by which gathers and work take longer because SMs have unequal numbers of blocks.
static double unevenness(const Traffic &t, const GpuModel &gpu) {
  constexpr double kMany = 8; // with this many blocks per SM, SMs hardly wait for each other
  const double perSm = static_cast<double>(t.blocks) / static_cast<double>(gpu.sms);
  if (perSm <= 0 || perSm >= kMany)
    return 1;
  return 1 + std::min(1.0, t.pace.uneven) * (std::ceil(perSm) / perSm - 1);
}

namespace {
// The microseconds that bytes and work take if no latency delays them, and their parts.
struct Bulk {
  double all = 0, ofStream = 0, ofGather = 0, ofWork = 0;

  Bulk(const Traffic &t, const GpuModel &gpu, double beyond) {
    const auto streamed = [&](int64_t bytes) {
      return (1 - beyond) * microseconds(bytes, gpu.l2GBs) +
             beyond * microseconds(bytes, gpu.dramGBs);
    };
    const double stream = streamed(t.streamBytes) / t.pace.efficiency +
                          beyond * microseconds(t.orderlyBytes, gpu.dramGBs);
    const double uneven = unevenness(t, gpu);
    const double gather = uneven * (microseconds(t.gatherBytes, gpu.gatherGBs) * t.pace.gathers /
                                        (1 + t.pace.adjoining * t.adjoining) +
                                    beyond * scatteredUs(t.scatteredBytes, gpu));
    const double work = uneven * t.workUs, p = t.pace.overlap;
    const double ofStreamP = std::pow(stream, p), ofGatherP = std::pow(gather, p),
                 ofWorkP = std::pow(work, p), sum = ofStreamP + ofGatherP + ofWorkP;
    const double overlapped = std::pow(sum, 1 / p);
    all = overlapped + t.stagingUs;
    if (sum > 0) {
      ofStream = overlapped * ofStreamP / sum + t.stagingUs;
      ofGather = overlapped * ofGatherP / sum;
      ofWork = overlapped * ofWorkP / sum;
    }
  }
};

// Waves of threads, and the times that are due to latency alone.
struct Latency {
  double waves = 0, beginUs = 0, passUs = 0, meanPasses = 0;
  double untilLastWave = 1; // the factor by which a last wave that is not full delays the end

  Latency(const Traffic &t, const GpuModel &gpu, double beyond)
      : passUs(gpu.chainNs / 1000 * (1 + beyond * (gpu.dramDelay - 1)) * t.pace.latency) {
    if (t.threads == 0)
      return;
    const auto threads = static_cast<double>(t.threads);
    const auto ofWave = static_cast<double>(threadsOfWave(t, gpu));
    waves = threads / ofWave;
    const double walking = waves - static_cast<double>(t.storingThreads) / ofWave;
    if (walking > 1)
      untilLastWave += std::min(1.0, t.pace.lastWave) * (std::ceil(walking) / walking - 1);
    passUs *= 1 + t.pace.crowding * std::min(1.0, waves);
    beginUs = waves * gpu.waveNs / 1000 * t.pace.waves;
    meanPasses = static_cast<double>(t.steps) / threads;
  }
  double ofPasses(double perWave) const { return std::max(1.0, waves) * perWave * passUs; }
};
} // namespace

// Combines two times of which the longer one hides most of the other.
static double mostlyHidden(double a, double b) {
  const auto raised = [](double x) { return x * x * std::sqrt(x); };
  return std::pow(raised(a) + raised(b), 1 / 2.5);
}

// The time until the last row is done, for a product with long rows. Its bytes alone take bulkUs.
static double untilLastRow(const LongRows &rows, double bulkUs, const Latency &latency) {
  // There are between 8^i and 8^(i + 1) rows whose passes lie between the sizes i and i + 1: about
  // 8^(i + 1/2).
  constexpr double kBetween = 2.83;
  std::array<double, LongRows::kSizes> further{}, alive{};
  double sum = 0;
  for (size_t i = 0, n = 1; i < LongRows::kSizes; ++i, n *= 8) {
    const double next = i + 1 < LongRows::kSizes ? rows.passes[i + 1] : 0;
    further[i] = std::max(0.0, rows.passes[i] - next);
    alive[i] = kBetween * static_cast<double>(n);
    sum += further[i] * alive[i];
  }
  if (sum <= 0) // no row has an entry
    return bulkUs;
  const double resident = rows.areFirst ? 1 : std::min(1.0, 1 / std::max(latency.waves, 1e-9));
  const double passOfRow = bulkUs / sum; // if the row had the GPU to itself
  // The passes of the waves after the first one. Rows that begin with it make theirs meanwhile.
  const double besideOthers = rows.areFirst ? rows.perWave * std::max(0.0, latency.waves - 1) : 0;
  double longest = 0, rest = 0;
  for (size_t i = LongRows::kSizes; i-- > 0;) {
    if (rows.passes[i] <= 0)
      continue;
    const double shared = resident * alive[i] * passOfRow;
    const double alone = std::clamp(rows.passes[i] - besideOthers, 0.0, further[i]);
    rest += alone * std::max(latency.passUs, shared) + (further[i] - alone) * shared;
    const double n = alive[i] / kBetween;
    longest = std::max(longest, bulkUs * (1 - resident) * (n / (n + 1)) + rest);
  }
  return longest;
}

// The time of a product without launches, first loads and the start of its waves.
static double productUs(const Traffic &t, double bulkUs, double beyond, const Latency &latency) {
  if (t.longRows)
    return mostlyHidden(untilLastRow(*t.longRows, bulkUs, latency),
                        latency.ofPasses(t.longRows->perWave));
  const auto chain = static_cast<double>(t.longestChain);
  const double further = std::max(0.0, chain - latency.meanPasses) * latency.passUs;
  return std::max(mostlyHidden(bulkUs, latency.ofPasses(latency.meanPasses)) +
                      (1 - beyond) * further,
                  chain * latency.passUs);
}

// Returns the longer of two times, and slightly more if they are nearly equal, since both vary.
// Plans that are as short as a launch are therefore still ranked by their work.
static double longer(double a, double b) {
  const auto raised = [](double x) { return x * x * (x * x) * (x * x * (x * x)); };
  return std::sqrt(std::sqrt(std::sqrt(raised(a) + raised(b))));
}

namespace {
// The times of a product that do not depend on how its kernels are launched.
struct Kernels {
  Bulk bulk;
  double loads, product;

  Kernels(const Traffic &t, const GpuModel &gpu) : Kernels(t, gpu, shareFromMemory(t, gpu)) {}

private:
  Kernels(const Traffic &t, const GpuModel &gpu, double beyond)
      : bulk(t, gpu, beyond), loads(t.dependentLoads * gpu.loadNs / 1000) {
    const Latency latency(t, gpu, beyond);
    const double alone =
        productUs(t, bulk.all, beyond, latency) * latency.untilLastWave + latency.beginUs;
    product = std::max(alone, mostlyHidden(loads + alone, t.pace.leastUs) - loads);
  }
};
} // namespace

static double launchesUs(const Traffic &t, const GpuModel &gpu) {
  return t.launches * gpu.launchUs * (t.isOfLibrary ? 1 : gpu.rates[kEarly]);
}

// Launches one after another, by a host for which no kernel waits.
static double unhiddenUs(const Kernels &kernels, const Traffic &t, const GpuModel &gpu) {
  return launchesUs(t, gpu) + kernels.loads + kernels.product;
}

// The total is computed by itself: a sum of the parts would round differently in plans with equal
// times.
static ProductTime partsOfTime(const Kernels &kernels, const Traffic &t, const GpuModel &gpu) {
  const auto &[bulk, loads, product] = kernels;
  const double us = unhiddenUs(kernels, t, gpu), total = longer(gpu.periodUs, us);
  // A few long rows can move some of the bytes while the other rows wait: part of the bulk is then
  // hidden.
  const double spent = bulk.all > product ? product / bulk.all : 1;
  return {.launchUs = launchesUs(t, gpu) + (total - us),
          .periodUs = total - us,
          .streamUs = spent * bulk.ofStream,
          .gatherUs = spent * bulk.ofGather,
          .waitUs = loads + (product - spent * (bulk.ofStream + bulk.ofGather)),
          .hostUs = t.hostUs,
          .totalUs = total + t.hostUs};
}

static double replayUs(const Kernels &kernels, const Traffic &t, const GpuModel &gpu) {
  return launchesUs(t, gpu) * gpu.rates[kReplayed] + kernels.loads + kernels.product + t.hostUs;
}

ProductTime productTime(const Traffic &t, const GpuModel &gpu) {
  return partsOfTime(Kernels(t, gpu), t, gpu);
}

double predictUs(const Traffic &t, const GpuModel &gpu) { return productTime(t, gpu).totalUs; }

double predictReplayUs(const Traffic &t, const GpuModel &gpu) {
  return replayUs(Kernels(t, gpu), t, gpu);
}

BothTimes predictBoth(const Traffic &t, const GpuModel &gpu) {
  const Kernels kernels(t, gpu);
  return {partsOfTime(kernels, t, gpu).totalUs, unhiddenUs(kernels, t, gpu) + t.hostUs,
          replayUs(kernels, t, gpu)};
}

} // namespace specmv
