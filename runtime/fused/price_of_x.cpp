// Predicts the two ways to compute the x of a fused step.
#include "runtime/fused/price_of_x.h"

#include "generator/format.h"
#include "models/predict/traffic.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

static int vectorsOfX(const Fusion &fusion) {
  const std::set<std::string> named = identifiersOf(fusion.x);
  return static_cast<int>(
      llvm::count_if(fusion.vectors, [&](const auto &v) { return named.contains(v); }));
}

// A launch that streams arrays of a matrix and vectors with a thread for each of `items`.
static double streamUs(int64_t arrayBytes, int64_t vectorBytes, int64_t items,
                       const GpuModel &gpu) {
  Traffic t{.storedBytes = arrayBytes, .vectorBytes = vectorBytes};
  t.streamBytes = t.usedBytes = arrayBytes + vectorBytes;
  t.threads = t.steps = std::max<int64_t>(1, items);
  return predictUs(t, gpu);
}

// The product, and the product with the further vectors of x.
static PriceOfX ofProfile(const FusedBase &base, const SparsityProfile &profile, int vectors,
                          int64_t bytes, const GpuModel &gpu) {
  const Fixed none;
  const PlanRequest request{profile, base.problem, gpu, none, base.plan.values};
  const Traffic once = findFormat(base.plan.format)->traffic(request, base.plan);
  Traffic more = once;
  more.gatherBytes *= vectors;
  more.scatteredBytes *= vectors;
  more.usedBytes = (once.usedBytes ? once.usedBytes : once.storedBytes) + (vectors - 1) * bytes;
  more.orderlyBytes += (vectors - 1) * bytes;
  return {predictUs(more, gpu), predictUs(once, gpu)};
}

static PriceOfX ofPrediction(const FusedBase &base, double predictedUs, int vectors, int64_t bytes,
                             const GpuModel &gpu) {
  const int64_t stored = base.layout.storedBytes();
  const double arraysUs = streamUs(stored, 0, base.rows, gpu);
  const double gathersUs = std::max(0.0, predictedUs - arraysUs);
  const double bytesUs = streamUs(stored, (vectors - 1) * bytes, base.rows, gpu) - arraysUs;
  return {predictedUs + (vectors - 1) * gathersUs + bytesUs, predictedUs};
}

PriceOfX priceOfX(const Fusion &fusion, const FusedBase &base, const KnownProduct &product,
                  const GpuModel &gpu) {
  constexpr PriceOfX kAsVector{1, 0};
  if (!fusion.hasExpression() || (!product.profile && product.predictedUs <= 0))
    return kAsVector;
  const int vectors = vectorsOfX(fusion);
  const int64_t bytes = base.cols * vectorValueBytes(base.problem);
  PriceOfX out = product.profile ? ofProfile(base, *product.profile, vectors, bytes, gpu)
                                 : ofPrediction(base, product.predictedUs, vectors, bytes, gpu);
  out.asVectorUs += streamUs(0, (vectors + 1) * bytes, base.cols, gpu);
  return out;
}

} // namespace specmv
