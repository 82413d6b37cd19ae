// Weighs the cost of set-ups against the time of products.
#include "models/predict/worth.h"

#include "models/predict/traffic.h"

#include <algorithm>
#include <cmath>

namespace specmv {

size_t chooseFor(int64_t products, llvm::ArrayRef<Worth> candidates) {
  const auto *best =
      std::min_element(candidates.begin(), candidates.end(), [&](const Worth &a, const Worth &b) {
        return a.totalUs(products) < b.totalUs(products);
      });
  return candidates.empty() ? 0 : static_cast<size_t>(best - candidates.begin());
}

int64_t breakEven(const Worth &first, const Worth &other) {
  const double saved = first.productUs - other.productUs, dearer = other.setupUs - first.setupUs;
  if (dearer < 0)
    return 0;
  if (saved <= 0)
    return kNever;
  // Above 2^53 a double does not represent every integer.
  const double products = std::floor(dearer / saved) + 1;
  return products < 0x1p53 ? static_cast<int64_t>(products) : kNever;
}

constexpr int64_t kSectorBytes = 32;

Worth csrAsItIs(const SetupSize &size, KernelState kernel, const GpuModel &gpu) {
  const Traffic traffic{.storedBytes = size.csrBytes(),
                        .vectorBytes = (size.rows + size.cols) * size.valueBytes,
                        .streamBytes = size.csrBytes() + size.rows * size.valueBytes,
                        .gatherBytes = size.nnz * kSectorBytes,
                        .pace = {.efficiency = setupCost(gpu, "asItIs", "efficiency")}};
  return {.productUs =
              predictBoth(traffic, gpu).comparedUs() + setupCost(gpu, "asItIs", "latencyUs"),
          .setupUs = asItIsTime(kernel, gpu).totalUs()};
}

// Assumes that every value is read once, and that x and y move once.
double productUsAtLeast(const SetupSize &size, const GpuModel &gpu) {
  const int64_t values = size.nnz * size.valueBytes;
  return predictBoth({.storedBytes = values,
                      .streamBytes = values + (size.rows + size.cols) * size.valueBytes},
                     gpu)
      .comparedUs();
}

// Two searches have about 1.5 sqrt(rows) levels each in a mesh of two dimensions, and fewer in
// other matrices. A level takes as long as some 85 loads in turn: on an H100, the searches of a
// mesh of two dimensions and 2.0 million rows took 125 ms, and those of one of three dimensions and
// 0.66 million rows 26 ms. Each entry of the matrix asks for a sector four times, which is an
// estimate.
double orderingUs(const SetupSize &size, const GpuModel &gpu) {
  constexpr double kSearches = 2, kLevels = 1.5, kLoadsOfLevel = 85, kVisits = 4;
  const double levels = kLevels * std::sqrt(static_cast<double>(size.rows));
  return kSearches * levels * kLoadsOfLevel * gpu.loadNs / 1000 +
         kVisits * static_cast<double>(size.nnz * kSectorBytes) / gpu.gatherGBs / 1000 +
         lookUs(gpu);
}

int64_t leastProductsToProfile(const SetupSize &size, KernelState csrKernel, KernelState profile,
                               const GpuModel &gpu) {
  PredictedSetup least = setupHostTime(gpu);
  least += profileTime(size, profile, gpu);
  return breakEven(csrAsItIs(size, csrKernel, gpu),
                   {.productUs = productUsAtLeast(size, gpu), .setupUs = least.totalUs()});
}

} // namespace specmv
