// Times work on the GPU with device events around batches of products, and takes medians.
#include "runtime/measure/measure.h"

#include "runtime/measure/verify.h"

#include "models/base/numbers.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace specmv {

// The batch that determines the size of others.
constexpr int kFew = 5;
// A single product is timed less exactly than a batch, so it must be this slow to be given up.
constexpr double kMuchTooSlow = kForFigures.hopeless;
constexpr int kColdRuns = 7;
// Runs whose results must agree to the bit for a format to be called deterministic.
constexpr int kRepeats = 20;
// A product that is too slow to be the fastest is also timed, and checked for equal bits with as
// many runs as fit in this time.
constexpr double kBriefRepeatsUs = 1e6;

// Every byte of a value is this: 0.0115 in f32 and 1.5e-18 in f64, and a NaN in either.
constexpr uint8_t kSmallBytes = 0x3c, kNanBytes = 0xff;

static llvm::Expected<DeviceBuffer> filledVector(const GpuDevice &gpu, int64_t count,
                                                 ValueType type, uint8_t byte,
                                                 StreamHandle stream = nullptr) {
  auto out = gpu.allocate(static_cast<size_t>(count) * sizeOf(type));
  if (!out)
    return out;
  if (llvm::Error error = gpu.fill(out->pointer(), byte, out->bytes(), stream))
    return error;
  return out;
}

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
  auto y = filledVector(gpu, rows, type, kNanBytes);
  if (!y)
    return y.takeError();
  out.y = std::move(*y);
  return out;
}

llvm::Expected<DeviceVectors> DeviceVectors::make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                                  const Problem &problem, int64_t count) {
  auto out = make(gpu, rows * count, cols * count, problem.type);
  if (!out)
    return out;
  out->count = count;
  if (count == 1 || count % problem.vectors == 0)
    return out;
  const auto bytes = static_cast<size_t>(cols * problem.vectors) * sizeOf(problem.type);
  if (llvm::Error error = gpu.allocate(bytes).moveInto(out->rowsOfX))
    return error;
  return out;
}

llvm::Expected<DeviceVectors> plainVectors(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                           const Problem &problem, StreamHandle stream) {
  const ValueType type = vectorTypeOf(problem);
  auto x = filledVector(gpu, cols * problem.vectors, type, kSmallBytes, stream),
       y = filledVector(gpu, rows * problem.vectors, type, kNanBytes, stream);
  for (auto *vector : {&x, &y})
    if (*vector && (!x || !y))
      (*vector)->freeOn(stream); // the stream may still be filling it
  if (!x || !y)
    return llvm::joinErrors(x.takeError(), y.takeError());
  DeviceVectors out{std::move(*x), std::move(*y), problem.vectors};
  out.stream = stream;
  if (!problem.scalarsAreOnGpu)
    return out;
  Values scalars(type, 2);
  scalars.set(0, 1);
  if (llvm::Error error = gpu.uploaded(scalars.data(), scalars.bytes()).moveInto(out.scalars))
    return error;
  return out;
}

Scalars DeviceVectors::plainScalars() const {
  if (scalars.bytes() == 0)
    return {};
  return {.alphaAt = scalars.pointer(), .betaAt = scalars.pointer() + scalars.bytes() / 2};
}

Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors) {
  return enqueue(product, vectors, vectors.stream);
}

Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors, StreamHandle stream) {
  const DevicePointer x = vectors.x.pointer(), y = vectors.y.pointer();
  const int64_t count = vectors.count;
  if (count > 1)
    return {[=, &product, &vectors] {
              return product.run(vectors.plainScalars(), {count, x, count, 1, y, count, 1},
                                 vectors.rowsOfX.pointer(), stream);
            },
            stream};
  return {[=, &product, &vectors] { return product.run(vectors.plainScalars(), x, y, stream); },
          stream};
}

double median(std::vector<double> &times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

llvm::Expected<double> timeBatch(const GpuDevice &gpu, const Enqueue &product, int count) {
  auto us = gpu.time(product.stream, [&]() -> llvm::Error {
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
  return {.batches = 1,
          .perBatch = 2,
          .cold = 1,
          .repeats = static_cast<int>(repeats),
          .brief = true,
          .us = us};
}

static bool isTooSlow(double us, double fastestUs, double times) {
  return fastestUs > 0 && us > times * fastestUs;
}

Effort effortFor(double us, double fastestUs, const Protocol &protocol) {
  if (isTooSlow(us, fastestUs, protocol.hopeless))
    return briefEffort(us);
  const double perBatch = protocol.batchUs / std::max(us, 0.1);
  return {.batches = protocol.batches,
          .perBatch = static_cast<int>(
              std::clamp<double>(perBatch, protocol.minPerBatch, protocol.maxPerBatch)),
          .cold = kColdRuns,
          .repeats = kRepeats,
          .us = us};
}

// Returns the time of one of `count` products. If it is too slow, possibly because the host was
// busy, times them once more.
static llvm::Expected<double> leastTime(const GpuDevice &gpu, const Enqueue &product, int count,
                                        double fastestUs, double times) {
  auto first = timeBatch(gpu, product, count);
  if (!first || !isTooSlow(*first, fastestUs, times))
    return first;
  auto again = timeBatch(gpu, product, count);
  if (!again)
    return again;
  return std::min(*first, *again);
}

llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product, double fastestUs,
                                 const Protocol &protocol) {
  if (llvm::Error error = product())
    return error;
  auto one = leastTime(gpu, product, 1, fastestUs, kMuchTooSlow);
  if (!one)
    return one.takeError();
  if (isTooSlow(*one, fastestUs, kMuchTooSlow))
    return briefEffort(*one);
  auto few = leastTime(gpu, product, kFew, fastestUs, protocol.hopeless);
  if (!few)
    return few.takeError();
  return effortFor(*few, fastestUs, protocol);
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

llvm::Expected<double> measureToCompare(const GpuDevice &gpu, const Enqueue &product,
                                        double fastestUs, const Protocol &protocol) {
  auto effort = effortFor(gpu, product, fastestUs, protocol);
  if (!effort)
    return effort.takeError();
  if (effort->brief)
    return effort->us;
  return measureWarm(gpu, product, *effort);
}

double comparingUs(double us, const Protocol &protocol) {
  const Effort effort = effortFor(us, 0, protocol);
  return us * (1 + 1 + kFew + effort.batches * effort.perBatch);
}

llvm::Error fillL2(const GpuDevice &gpu, StreamHandle stream) {
  auto other = gpu.allocate(static_cast<size_t>(2 * gpu.info().l2Bytes));
  if (!other)
    return other.takeError();
  const auto free = llvm::make_scope_exit([&] { other->freeOn(stream); });
  return gpu.fill(other->pointer(), 0, other->bytes(), stream);
}

llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort) {
  std::vector<double> times;
  for (int run = 0; run < effort.cold; ++run) {
    if (llvm::Error error = fillL2(gpu, product.stream))
      return error;
    auto us = timeBatch(gpu, product, 1);
    if (!us)
      return us;
    times.push_back(*us);
  }
  return median(times);
}

// Copies 2 x 1 GiB: much larger than L2, and still fast.
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
