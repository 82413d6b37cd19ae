// Predicts whether an expression that a fused step multiplies is better computed where the kernel
// reads it, or as a vector before the product.
#pragma once

#include "generator/fusion/fusion.h"
#include "models/gpu.h"
#include "models/profile/profile.h"
#include "runtime/fused/fused_product.h"

namespace specmv {

// Holds what is known of a plan's product.
struct KnownProduct {
  const SparsityProfile *profile = nullptr; // null: the matrix was not profiled
  double predictedUs = 0;                   // 0: unknown
};

// In the kernel, each further vector of the expression costs the gathers of x once more, and its
// bytes. As a vector, it costs a pass that reads all vectors and writes x. Without a profile, the
// gathers are at most what the prediction exceeds the time to stream the stored arrays; if nothing
// is known, the pass is taken, which never costs much.
PriceOfX priceOfX(const Fusion &fusion, const FusedBase &base, const KnownProduct &product,
                  const GpuModel &gpu);

} // namespace specmv
