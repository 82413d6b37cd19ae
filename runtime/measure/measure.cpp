// Times work on the GPU with device events around batches of products, and takes medians.
#include "runtime/measure/measure.h"

#include "runtime/measure/verify.h"

#include "models/base/random.h"

#include <algorithm>

namespace specmv {

constexpr int kBatches = 7;
// A batch lasts about this long, so that the resolution of events, half a microsecond, does not
// matter. The number of products in a batch has these limits.
constexpr double kBatchUs = 3000;
constexpr int kMinPerBatch = 5, kMaxPerBatch = 500;
// Runs whose results must agree to the bit for a format to be called deterministic.
constexpr int kRepeats = 20;
// A product that is too slow to be the fastest (kHopeless) is also timed, and checked for equal
// bits with as many runs as fit in this time.
constexpr double kBriefRepeatsUs = 1e6;

llvm::Expected<DeviceVectors> DeviceVectors::make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                                  ValueType type) {
  Values x(type, cols);
  for (int64_t i = 0; i < cols; ++i)
    x.set(i, Random(7, Drawn::values, i).signedUnit());
  DeviceVectors out;
  auto onDevice = gpu.uploaded(x.data(), x.bytes());
  if (!onDevice)
    return onDevice.takeError();
  out.x = std::move(*onDevice);
  auto y = gpu.allocate(static_cast<size_t>(rows) * sizeOf(type));
  if (!y)
    return y.takeError();
  out.y = std::move(*y);
  // All ones is a NaN in either type.
  if (llvm::Error error = gpu.fill(out.y.pointer(), 0xff, out.y.bytes(), nullptr))
    return error;
  return out;
}

Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors) {
  return [&] { return product.run(1, vectors.x.pointer(), 0, vectors.y.pointer(), nullptr); };
}

double median(std::vector<double> &times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

llvm::Expected<double> timeBatch(const GpuDevice &gpu, const Enqueue &product, int count) {
  auto us = gpu.time([&]() -> llvm::Error {
    for (int i = 0; i < count; ++i)
      if (llvm::Error error = product())
        return error;
    return llvm::Error::success();
  });
  if (!us)
    return us;
  return *us / count;
}

static Effort briefEffort(double us) {
  const auto repeats = std::clamp<double>(kBriefRepeatsUs / us, 2, kRepeats);
  return {
      .batches = 1, .perBatch = 2, .cold = 1, .repeats = static_cast<int>(repeats), .brief = true};
}

Effort effortFor(double us, double fastestUs) {
  if (fastestUs > 0 && us > kHopeless * fastestUs)
    return briefEffort(us);
  const double perBatch = kBatchUs / std::max(us, 0.1);
  return {.batches = kBatches,
          .perBatch = std::clamp(static_cast<int>(perBatch), kMinPerBatch, kMaxPerBatch),
          .cold = kBatches,
          .repeats = kRepeats};
}

llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product, double fastestUs) {
  if (llvm::Error error = product())
    return error;
  auto one = timeBatch(gpu, product, 1);
  if (!one)
    return one.takeError();
  if (effortFor(*one, fastestUs).brief) { // it is slow, or the host was busy: time it once more
    auto another = timeBatch(gpu, product, 1);
    if (!another)
      return another.takeError();
    if (const Effort effort = effortFor(std::min(*one, *another), fastestUs); effort.brief)
      return effort;
  }
  auto few = timeBatch(gpu, product, kMinPerBatch);
  if (!few)
    return few.takeError();
  return effortFor(*few, fastestUs);
}

llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort) {
  std::vector<double> times;
  for (int batch = 0; batch < effort.batches; ++batch) {
    auto us = timeBatch(gpu, product, effort.perBatch);
    if (!us)
      return us;
    times.push_back(*us);
  }
  return median(times);
}

llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product) {
  auto effort = effortFor(gpu, product);
  if (!effort)
    return effort.takeError();
  return measureWarm(gpu, product, *effort);
}

llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort) {
  auto flush = gpu.allocate(static_cast<size_t>(2 * gpu.info().l2Bytes));
  if (!flush)
    return flush.takeError();
  std::vector<double> times;
  for (int run = 0; run < effort.cold; ++run) {
    if (llvm::Error error = gpu.fill(flush->pointer(), 0, flush->bytes(), nullptr))
      return error;
    auto us = timeBatch(gpu, product, 1);
    if (!us)
      return us;
    times.push_back(*us);
  }
  return median(times);
}

// 2 x 1 GiB: much larger than L2, and still copied in a short time.
constexpr size_t kCopyBytes = size_t{1} << 30;

llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu) {
  auto from = gpu.allocate(kCopyBytes), to = gpu.allocate(kCopyBytes);
  if (!from || !to)
    return llvm::joinErrors(from.takeError(), to.takeError());
  if (llvm::Error error = gpu.fill(from->pointer(), 1, kCopyBytes, nullptr))
    return error;
  auto us = measureWarm(
      gpu, [&] { return gpu.copy(to->pointer(), from->pointer(), kCopyBytes, nullptr); });
  if (!us)
    return us;
  return 2.0 * kCopyBytes / *us / 1000;
}

} // namespace specmv
