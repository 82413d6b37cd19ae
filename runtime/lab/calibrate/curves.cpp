// Times small fills and launches kernels over working sets of many sizes.
#include "runtime/lab/calibrate/curves.h"

#include "generator/setup/curves.h"
#include "models/base/error.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/streams.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace specmv {

// --- Busy ----------------------------------------------------------------------------------------

// Times a small fill of device memory a few hundred times.

double shareOfDelayed(std::vector<double> timesUs) {
  if (timesUs.empty())
    return 0;
  const double limit = 3 * median(timesUs);
  const auto delayed =
      std::count_if(timesUs.begin(), timesUs.end(), [&](double us) { return us > limit; });
  return static_cast<double>(delayed) / static_cast<double>(timesUs.size());
}

llvm::Error refuseBusy(const GpuDevice &gpu) {
  constexpr size_t kBytes = size_t{64} << 20; // about 20 us: longer than the overhead of a call
  constexpr int kTimes = 300;
  auto memory = gpu.allocate(kBytes);
  if (!memory)
    return memory.takeError();
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    auto us = gpu.time(nullptr, [&] { return gpu.fill(memory->pointer(), 0, kBytes, nullptr); });
    if (!us)
      return us.takeError();
    times.push_back(*us);
  }
  const double share = shareOfDelayed(times);
  if (share <= kMostDelayed)
    return llvm::Error::success();
  return fail(Status::missing,
              "another process seems to use {0}: {1:f0} of 100 equal pieces of work took more than "
              "three times the median of {2:f1} us; the limit is {3:f0}. Try again when it is idle",
              gpu.info().name, 100 * share, median(times), 100 * kMostDelayed);
}

// --- Curves --------------------------------------------------------------------------------------

// Launches the kernels of generator/setup/curves.h over working sets of many sizes and times them.

constexpr int64_t kLeastSet = int64_t{1} << 20, kMostSet = int64_t{1} << 32;
// Each launch reads at least this much, so that its start and end do not matter.
constexpr int64_t kStreamBytes = int64_t{1} << 30;
constexpr int64_t kGathersOfThread = 1024, kSharedGathersOfThread = 4096;
// Fits in the L1 of every GPU. Its first round misses: 64 loads of many.
constexpr int64_t kSetInL1 = 8 << 10;
// A walk takes some milliseconds.
constexpr int64_t kStepsInL1 = 1 << 17, kStepsInL2 = 1 << 14, kStepsBeyond = 1 << 13;
constexpr int kPeriods = 101, kLaunchesOfPeriod = 200, kRoundTrips = 1001;

std::vector<int64_t> streamSets(int64_t freeBytes) {
  std::vector<int64_t> out;
  for (int64_t bytes = kLeastSet; bytes <= kMostSet && 2 * bytes <= freeBytes; bytes *= 2)
    out.push_back(bytes);
  return out;
}

static int64_t powerUpTo(int64_t bytes) {
  return bytes < 1 ? 0 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
}

RandomSets randomSets(int64_t l2Bytes, int64_t mostBytes) {
  const int64_t most = powerUpTo(mostBytes), beyond = std::min(most, 2 * powerUpTo(8 * l2Bytes));
  return {.withinL2 = std::min(most, powerUpTo(l2Bytes / 2)),
          .beyondL2 = beyond >= 4 * l2Bytes ? beyond : 0};
}

Spread spreadOf(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<size_t>(std::lround(share * static_cast<double>(times.size() - 1)))];
  };
  return {.median = at(0.5), .p10 = at(0.1), .p90 = at(0.9)};
}

namespace {
// The GPU, with the data that all curves read.
class CurveBench {
public:
  explicit CurveBench(Machine &machine)
      : gpu_(*machine.gpu), loader_(setupKernelLoader(machine)),
        w_(machine.gpu, DeviceCsr{}, DeviceArrays{}, loader_, nullptr),
        sets_(streamSets(gpu_.freeBytes())) {
    // Uses half of the threads that an SM holds, so that no kernel has too many registers for them.
    blocks_ = int64_t{gpu_.info().sms} * std::max(1, gpu_.info().threadsPerSm / (2 * kSetupBlock));
  }

  llvm::Expected<Curves> measure();

private:
  llvm::Error prepare();
  llvm::Error addLaunches(Curves &out);
  llvm::Error addReplays(Curves &out);
  llvm::Expected<std::optional<GpuGraph>> graphOf(int kernels);
  // Times one kernel, by many batches of equal numbers.
  llvm::Expected<Spread> periods(const Enqueue &enqueue, int calls, int kernelsOfCall);
  llvm::Expected<Spread> roundTrips(const Enqueue &enqueue);
  llvm::Error addStream(Curves &out);
  llvm::Error addGathers(ValueType type, int64_t bytes, Curves &out);
  llvm::Error addSharedGathers(ValueType type, Curves &out);
  llvm::Error addChase(int64_t bytes, int64_t steps, bool cold, Curves &out);

  llvm::Expected<Enqueue> repeated(const KernelSource &source, const SetupLaunch &launch);
  // Returns the microseconds of a launch among others, or alone after flushing L2.
  llvm::Expected<double> timeOf(const KernelSource &source, const SetupLaunch &launch, bool cold);

  const GpuDevice &gpu_;
  KernelLoader loader_;
  GpuWorkspace w_;
  std::vector<int64_t> sets_;
  int64_t blocks_ = 0;
};
} // namespace

llvm::Expected<Enqueue> CurveBench::repeated(const KernelSource &source,
                                             const SetupLaunch &launch) {
  auto bound = w_.bound(source, launch.kernel, launch.blocks);
  if (!bound)
    return bound.takeError();
  return Enqueue([this, ready = std::move(*bound)] { return w_.launch(ready); });
}

llvm::Expected<double> CurveBench::timeOf(const KernelSource &source, const SetupLaunch &launch,
                                          bool cold) {
  auto enqueue = repeated(source, launch);
  if (!enqueue)
    return enqueue.takeError();
  auto effort = effortFor(gpu_, *enqueue);
  if (!effort)
    return effort.takeError();
  return cold ? measureCold(gpu_, *enqueue, *effort) : measureWarm(gpu_, *enqueue, *effort);
}

llvm::Error CurveBench::prepare() {
  if (sets_.empty())
    return fail(Status::missing,
                "{0} has {1} bytes of free memory, but measuring its curves takes at least {2}",
                gpu_.info().name, gpu_.freeBytes(), 2 * kLeastSet);
  const int64_t bytes = sets_.back();
  if (llvm::Error error = w_.add(kCurveData, ElementType::u32, bytes / 4, Contents::undefined))
    return error;
  if (llvm::Error error = w_.add(kCurveSums, ElementType::u64, blocks_, Contents::zeros))
    return error;
  if (llvm::Error error = w_.add(kCurveAt, ElementType::u32, 1, Contents::zeros))
    return error;
  const SetupLaunch fill = fillLaunch(bytes);
  return w_.launch(curvesSource(), fill.kernel, fill.blocks);
}

llvm::Expected<Spread> CurveBench::periods(const Enqueue &enqueue, int calls, int kernelsOfCall) {
  std::vector<double> out;
  for (int i = 0; i < kPeriods; ++i) {
    auto us = timeBatch(gpu_, enqueue, calls);
    if (!us)
      return us.takeError();
    out.push_back(*us / kernelsOfCall);
  }
  return spreadOf(std::move(out));
}

llvm::Expected<Spread> CurveBench::roundTrips(const Enqueue &enqueue) {
  std::vector<double> out;
  for (int i = 0; i < kRoundTrips; ++i) {
    const Stopwatch watch;
    if (llvm::Error error = enqueue())
      return error;
    if (llvm::Error error = gpu_.synchronize(nullptr))
      return error;
    out.push_back(1000 * watch.milliseconds());
  }
  return spreadOf(std::move(out));
}

static llvm::Error set(Spread &to, llvm::Expected<Spread> measured) {
  if (!measured)
    return measured.takeError();
  to = *measured;
  return llvm::Error::success();
}

llvm::Error CurveBench::addLaunches(Curves &out) {
  auto enqueue = repeated(curvesSource(), emptyLaunch());
  if (!enqueue)
    return enqueue.takeError();
  if (llvm::Error error = set(out.periodUs, periods(*enqueue, kLaunchesOfPeriod, 1)))
    return error;
  return set(out.roundTripUs, roundTrips(*enqueue));
}

// Captures this many empty kernels, one after another.
llvm::Expected<std::optional<GpuGraph>> CurveBench::graphOf(int kernels) {
  auto stream = makeStream(gpu_); // the default stream cannot be captured
  if (!stream)
    return stream.takeError();
  GpuWorkspace w(gpu_.shared_from_this(), DeviceCsr{}, DeviceArrays{}, loader_, stream->get());
  const SetupLaunch empty = emptyLaunch();
  auto bound = w.bound(curvesSource(), empty.kernel, empty.blocks);
  if (!bound)
    return bound.takeError();
  return GpuGraph::capture(gpu_, stream->get(), [&]() -> llvm::Error {
    for (int i = 0; i < kernels; ++i)
      if (llvm::Error error = w.launch(*bound))
        return error;
    return llvm::Error::success();
  });
}

llvm::Error CurveBench::addReplays(Curves &out) {
  auto many = graphOf(kLaunchesOfPeriod);
  if (!many)
    return many.takeError();
  auto one = graphOf(1);
  if (!one)
    return one.takeError();
  if (!*many || !*one)
    return llvm::Error::success();
  const Enqueue replayMany = [&] { return (*many)->launch(nullptr); },
                replayOne = [&] { return (*one)->launch(nullptr); };
  if (llvm::Error error = set(out.replayPeriodUs, periods(replayMany, 1, kLaunchesOfPeriod)))
    return error;
  return set(out.replayTripUs, roundTrips(replayOne));
}

static double rateOf(int64_t bytes, double us) { return static_cast<double>(bytes) / us / 1000; }

llvm::Error CurveBench::addStream(Curves &out) {
  for (const int64_t bytes : sets_) {
    const int64_t passes = std::max<int64_t>(1, kStreamBytes / bytes);
    auto warm = timeOf(curvesSource(), streamLaunch(bytes, passes, blocks_), false);
    if (!warm)
      return warm.takeError();
    auto cold = timeOf(curvesSource(), streamLaunch(bytes, 1, blocks_), true);
    if (!cold)
      return cold.takeError();
    out.stream.push_back({.bytes = static_cast<double>(bytes),
                          .warmGBs = rateOf(bytes * passes, *warm),
                          .coldGBs = rateOf(bytes, *cold)});
  }
  return llvm::Error::success();
}

llvm::Error CurveBench::addGathers(ValueType type, int64_t bytes, Curves &out) {
  constexpr int64_t kSector = 32;
  const auto valueBytes = static_cast<int64_t>(sizeOf(type));
  for (int64_t together = 1; together <= kSector / valueBytes; together *= 2) {
    const auto [launch, sectors] = gatherLaunch(type, bytes, together, kGathersOfThread, blocks_);
    auto us = timeOf(gatherSource(type), launch, false);
    if (!us)
      return us.takeError();
    out.gather.push_back({.bytes = static_cast<double>(bytes),
                          .valueBytes = static_cast<double>(valueBytes),
                          .together = static_cast<double>(together),
                          .sectorGBs = rateOf(kSector * sectors, *us)});
  }
  return llvm::Error::success();
}

llvm::Error CurveBench::addSharedGathers(ValueType type, Curves &out) {
  const auto [launch, warpGathers] = sharedGatherLaunch(type, kSharedGathersOfThread, blocks_);
  auto us = timeOf(gatherSource(type), launch, false);
  if (!us)
    return us.takeError();
  const double ofAnSm = static_cast<double>(warpGathers) / gpu_.info().sms;
  out.shared.push_back(
      {.valueBytes = static_cast<double>(sizeOf(type)), .warpNs = 1000 * *us / ofAnSm});
  return llvm::Error::success();
}

// The chain overwrites the data, and leaves its slots in L2 if they fit.
llvm::Error CurveBench::addChase(int64_t bytes, int64_t steps, bool cold, Curves &out) {
  const SetupLaunch chain = chainLaunch(bytes);
  if (llvm::Error error = w_.launch(curvesSource(), chain.kernel, chain.blocks))
    return error;
  const uint32_t begin = 0;
  if (llvm::Error error = w_.write(kCurveAt, &begin, 1))
    return error;
  auto us = timeOf(curvesSource(), chaseLaunch(steps), cold);
  if (!us)
    return us.takeError();
  out.chase.push_back(
      {.bytes = static_cast<double>(bytes), .ns = 1000 * *us / static_cast<double>(steps)});
  return llvm::Error::success();
}

llvm::Expected<Curves> CurveBench::measure() {
  Curves out;
  if (llvm::Error error = prepare())
    return error;
  if (llvm::Error error = addLaunches(out))
    return error;
  if (llvm::Error error = addReplays(out))
    return error;
  if (llvm::Error error = addStream(out))
    return error;
  const RandomSets sets = randomSets(gpu_.info().l2Bytes, sets_.back());
  for (const int64_t bytes : {sets.withinL2, sets.beyondL2})
    for (const ValueType type : {ValueType::f32, ValueType::f64})
      if (bytes > 0)
        if (llvm::Error error = addGathers(type, bytes, out))
          return error;
  for (const ValueType type : {ValueType::f32, ValueType::f64})
    if (llvm::Error error = addSharedGathers(type, out))
      return error;
  const std::tuple<int64_t, int64_t, bool> walks[] = {{kSetInL1, kStepsInL1, false},
                                                      {sets.withinL2, kStepsInL2, false},
                                                      {sets.beyondL2, kStepsBeyond, true}};
  for (const auto &[bytes, steps, cold] : walks)
    if (bytes > 0)
      if (llvm::Error error = addChase(bytes, steps, cold, out))
        return error;
  return out;
}

llvm::Expected<Curves> measureCurves(Machine &machine) {
  auto copyGBs = measureCopyGBs(*machine.gpu);
  if (!copyGBs)
    return copyGBs.takeError();
  auto curves = CurveBench(machine).measure();
  if (curves)
    curves->copyGBs = *copyGBs;
  return curves;
}

} // namespace specmv
