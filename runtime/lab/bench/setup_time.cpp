// Runs contenders from the matrix to the last of n products, and times them by the wall clock.
#include "runtime/lab/bench/setup_time.h"

#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

#include <algorithm>
#include <iterator>

namespace specmv {

// More products than fit in this time are not run.
constexpr double kMostProductsUs = 3e4;
// A median uses at least kLeastRuns runs, and up to kMostRuns if they are short. A run that takes
// kLongRunUs is the last.
constexpr size_t kLeastRuns = 5, kMostRuns = 15;
constexpr double kShortRunsUs = 5e4, kLongRunUs = 5e5;

const char *nameOf(Side side) { return side == Side::device ? "device" : "host"; }

bool isEnough(size_t runs, double sumUs, double longestUs) {
  return (runs >= 1 && longestUs > kLongRunUs) || runs >= kMostRuns ||
         (runs >= kLeastRuns && sumUs > kShortRunsUs);
}

size_t countsToRun(double productUs) {
  const auto *past =
      std::find_if(std::begin(kProductCounts) + 1, std::end(kProductCounts),
                   [&](int64_t n) { return static_cast<double>(n) * productUs > kMostProductsUs; });
  return static_cast<size_t>(past - std::begin(kProductCounts));
}

std::vector<TotalTime> continuedTotals(const std::vector<double> &measuredUs, double productUs) {
  std::vector<TotalTime> out;
  for (size_t i = 0; i < std::size(kProductCounts); ++i) {
    const int64_t n = kProductCounts[i], last = kProductCounts[measuredUs.size() - 1];
    if (i < measuredUs.size())
      out.push_back({n, measuredUs[i], true});
    else
      out.push_back({n, measuredUs.back() + static_cast<double>(n - last) * productUs, false});
  }
  return out;
}

SourceMatrix SetupBed::source(Side side) const {
  if (side == Side::host)
    return {onHost};
  CsrView a = onHost;
  a.rowPtr = reinterpret_cast<const void *>(rowPtr.pointer());
  a.col = reinterpret_cast<const void *>(col.pointer());
  a.val = reinterpret_cast<const void *>(val.pointer());
  return {a, gpu};
}

static llvm::Error placeOnDevice(SetupBed &bed) {
  const CsrView &a = bed.onHost;
  const size_t index = sizeOf(a.indexType);
  const std::tuple<DeviceBuffer *, const void *, size_t> arrays[] = {
      {&bed.rowPtr, a.rowPtr, static_cast<size_t>(a.rows + 1) * index},
      {&bed.col, a.col, static_cast<size_t>(a.nnz) * index},
      {&bed.val, a.val, bed.trial.a.bytes()},
      {&bed.x, bed.trial.x.data(), bed.trial.x.bytes()},
      {&bed.y, bed.trial.y0.data(), bed.trial.y0.bytes()}};
  for (const auto &[buffer, from, bytes] : arrays) {
    auto uploaded = bed.gpu->uploaded(from, bytes);
    if (!uploaded)
      return uploaded.takeError();
    *buffer = std::move(*uploaded);
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<SetupBed>>
SetupBed::make(const CsrView &a, std::shared_ptr<const GpuDevice> gpu, CheckedValues values) {
  auto bed = std::make_unique<SetupBed>(
      SetupBed{std::move(gpu), roundedTrial(a, false, values), a, {}, {}, {}, {}, {}, nullptr, ""});
  bed->onHost.val = bed->trial.a.data();
  if (llvm::Error error = placeOnDevice(*bed))
    return error;
  auto handle = makeCusparseHandle(bed->gpu);
  if (handle)
    bed->handle = std::move(*handle);
  else
    bed->whyNoHandle = describe(handle.takeError()).second;
  return bed;
}

namespace {
// One run: its product is kept until the next one.
struct SetupRun {
  double us;
  int64_t peakBytes;
  MadeProduct product;
};
} // namespace

static llvm::Error multiply(const MadeProduct &product, const SetupBed &bed) {
  return product.run(bed.trial.alpha, bed.x.pointer(), 0, bed.y.pointer(), nullptr);
}

// The clock runs from before the contender is called until n products are done.
static llvm::Expected<SetupRun> runOnce(const SetupContender &contender, const SetupBed &bed,
                                        Side side, int64_t n) {
  if (contender.before)
    if (llvm::Error error = contender.before(bed, side))
      return error;
  if (llvm::Error error = bed.gpu->synchronize(nullptr)) // products run on the default stream
    return error;
  const int64_t inUse = bed.gpu->takeMemoryUse().now;
  const Stopwatch watch;
  auto made = contender.make(bed, side);
  if (!made)
    return made.takeError();
  for (int64_t i = 0; i < n; ++i)
    if (llvm::Error error = multiply(*made, bed))
      return error;
  if (llvm::Error error = bed.gpu->synchronize(nullptr))
    return error;
  const double us = watch.milliseconds() * 1000;
  return SetupRun{us, std::max<int64_t>(0, bed.gpu->takeMemoryUse().most - inUse),
                  std::move(*made)};
}

static llvm::Expected<double> medianRun(const SetupContender &contender, const SetupBed &bed,
                                        Side side, int64_t n) {
  std::vector<double> times;
  for (double sum = 0, longest = 0; !isEnough(times.size(), sum, longest);) {
    auto run = runOnce(contender, bed, side, n);
    if (!run)
      return run.takeError();
    times.push_back(run->us);
    sum += run->us;
    longest = std::max(longest, run->us);
  }
  return median(times);
}

// Makes the run that is reported: it fills y, which held NaN, and its product is checked, timed and
// released. A run before it loads what exists in every state, such as cuSPARSE's kernels.
static llvm::Expected<double> measureOne(const SetupContender &contender, const SetupBed &bed,
                                         SetupTime &out) {
  if (!contender.once)
    if (llvm::Error error = runOnce(contender, bed, out.from, 1).takeError())
      return error;
  if (llvm::Error error = bed.gpu->fill(bed.y.pointer(), 0xff, bed.y.bytes(), nullptr))
    return error;
  auto run = runOnce(contender, bed, out.from, 1);
  if (!run)
    return run.takeError();
  Values y(bed.trial.y0.type, bed.trial.y0.count());
  if (llvm::Error error = bed.gpu->download(y.data(), bed.y.pointer(), y.bytes()))
    return error;
  const CheckResult checked = compare(y, bed.trial, 0);
  auto us = measureWarm(*bed.gpu, [&] { return multiply(run->product, bed); });
  if (!us)
    return us;
  out.productUs = *us;
  out.verified = checked.passed;
  out.maxErrorRatio = checked.maxErrorRatio;
  out.peakBytes = run->peakBytes;
  out.plan = run->product.plan;
  out.storedBytes = run->product.storedBytes;
  out.parts = run->product.parts;
  out.handleUs = run->product.handleUs;
  return run->us;
}

// Measures the total for the number that the contender knows.
static llvm::Error measureTotal(const SetupContender &contender, const SetupBed &bed,
                                SetupTime &out) {
  const int64_t n = contender.products,
                last = std::min(n, kProductCounts[countsToRun(out.productUs) - 1]);
  auto us = medianRun(contender, bed, out.from, last);
  if (!us)
    return us.takeError();
  out.totals = {{n, *us + static_cast<double>(n - last) * out.productUs, n == last}};
  return llvm::Error::success();
}

static llvm::Error measureTotals(const SetupContender &contender, const SetupBed &bed,
                                 SetupTime &out) {
  std::vector<double> totals;
  for (size_t i = 0; i < countsToRun(out.productUs); ++i) {
    auto us = medianRun(contender, bed, out.from, kProductCounts[i]);
    if (!us)
      return us.takeError();
    totals.push_back(*us);
  }
  out.totals = continuedTotals(totals, out.productUs);
  return llvm::Error::success();
}

static llvm::Error measureRuns(const SetupContender &contender, const SetupBed &bed,
                               SetupTime &out) {
  auto setupUs = medianRun(contender, bed, out.from, 0);
  if (!setupUs)
    return setupUs.takeError();
  out.setupUs = *setupUs;
  return contender.products > 0 ? measureTotal(contender, bed, out)
                                : measureTotals(contender, bed, out);
}

llvm::Expected<SetupTime> measureSetup(const SetupContender &contender, const SetupBed &bed,
                                       Side side) {
  SetupTime out{.contender = contender.name,
                .state = contender.state,
                .products = contender.products,
                .from = side,
                .conversionIsCounted = contender.conversionIsCounted,
                .why = contender.why};
  if (!out.why.empty())
    return out;
  auto oneUs = measureOne(contender, bed, out);
  if (!oneUs)
    return oneUs.takeError();
  if (contender.once) {
    out.setupUs = std::max(0.0, *oneUs - out.productUs);
    out.totals = continuedTotals({*oneUs}, out.productUs);
    return out;
  }
  if (llvm::Error error = measureRuns(contender, bed, out))
    return error;
  return out;
}

} // namespace specmv
