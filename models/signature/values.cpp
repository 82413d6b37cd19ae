// The id of a matrix's values. Only plans that have values in their code use it.
#include "models/signature/signature.h"

#include "models/base/parallel.h"
#include "models/profile/fingerprint.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <mutex>

namespace specmv {

static uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
static uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
static const MixSeeds &seedsFor(const float *) { return kF32Seeds; }
static const MixSeeds &seedsFor(const double *) { return kF64Seeds; }

template <class I, class V>
static Sum128 sumOfRow(const CsrPattern<I> &a, const V *val, Count row) {
  const MixSeeds seeds = mixRow(seedsFor(val), row);
  Sum128 sum{};
  for (Count k = a.rowPtr[row]; k < a.rowPtr[row + 1]; ++k)
    addTo(sum, mixValue(mixEntry(seeds, a.col[k]), bitsOf(val[k])));
  return sum;
}

template <class I, class V> static Sum128 sumOfValues(const CsrPattern<I> &a, const V *val) {
  constexpr Count kGrain = 4096; // rows: some microseconds of work
  Sum128 sum{};
  std::mutex mutex;
  parallelFor(a.rows, kGrain, [&](Count begin, Count end) {
    Sum128 part{};
    for (Count row = begin; row < end; ++row)
      addTo(part, sumOfRow(a, val, row));
    const std::lock_guard<std::mutex> lock(mutex);
    addTo(sum, part);
  });
  return sum;
}

std::string valuesId(const CsrView &a) {
  const Sum128 sum = visitPattern(a, [&](const auto &pattern) {
    return visitValues(a, [&](const auto *val) { return sumOfValues(pattern, val); });
  });
  return llvm::formatv("{0:x-16}{1:x-16}", sum[1], sum[0]).str();
}

} // namespace specmv
