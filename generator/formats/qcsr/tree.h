// The quadtree of the QCSR paper as it is printed: what its Algorithm 1 makes of a matrix. For
// comparison only; kernels are built on exact tiles.
#pragma once

#include "models/csr.h"

namespace specmv {

// Leaves by type, and the levels below the root.
struct QcsrTree {
  int64_t empty = 0;  // E
  int64_t sparse = 0; // Sparse
  int64_t full = 0;   // Full: density > fill_in_ratio
  int64_t depth = 0;
  int64_t tiles() const { return sparse + full; } // that are stored
  bool operator==(const QcsrTree &) const = default;
};

// Trans() halves rows and columns at their middles until both are at most d (at least 1); regions
// without entries are pruned to E, as the pseudo-code before it does. The density of a leaf is its
// entries, repeated ones too, over its area. A matrix without entries is one E.
QcsrTree qcsrTreeAsPrinted(const CsrView &a, int64_t d, double fill);

} // namespace specmv
