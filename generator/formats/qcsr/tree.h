// The quadtree of Algorithm 1 of the QCSR paper, as printed. It is used for comparisons only;
// kernels use tiles of exactly d columns.
#pragma once

#include "models/csr.h"

namespace specmv {

// Leaves by type, and the levels below the root.
struct QcsrTree {
  int64_t empty = 0;  // E
  int64_t sparse = 0; // Sparse
  int64_t full = 0;   // Full: density > fill_in_ratio
  int64_t depth = 0;
  int64_t tiles() const { return sparse + full; } // stored values
  bool operator==(const QcsrTree &) const = default;
};

// The paper's Trans() halves rows and columns at their middles until both are at most d, which is
// at least 1. Regions without entries become leaves E, as in the pseudo-code before Trans(). The
// density of a leaf is the number of its entries, repeated ones included, over its area. A matrix
// without entries is one leaf E.
QcsrTree qcsrTreeAsPrinted(const CsrView &a, int64_t d, double fill);

} // namespace specmv
