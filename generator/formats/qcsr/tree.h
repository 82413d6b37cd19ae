// The quadtree of Algorithm 1 of the QCSR paper, as printed: its numbers, for comparisons. Its
// leaves are a layout if qcsr.halved is 1, which finds them by their borders (cut.h).
#pragma once

#include "models/csr.h"

namespace specmv {

// Leaves by type, the levels below the root, and the nodes that are no leaves.
struct QcsrTree {
  int64_t empty = 0;  // E
  int64_t sparse = 0; // Sparse
  int64_t full = 0;   // Full: density > fill_in_ratio
  int64_t depth = 0;
  int64_t inner = 0;
  int64_t tiles() const { return sparse + full; } // stored values
  bool operator==(const QcsrTree &) const = default;
};

// Returns the bytes of the tree's inner nodes (section 4.1, C_S): each has a place in rows and
// columns (2 S_I) and the length of its region (S_D), as 32-bit numbers.
int64_t qcsrTreeBytes(const QcsrTree &tree);

// The paper's Trans() halves rows and columns at their middles until both are at most d, which is
// at least 1. Regions without entries become leaves E, as in the pseudo-code before Trans(). The
// density of a leaf is the number of its entries, repeated ones included, over its area. A matrix
// without entries is one leaf E.
QcsrTree qcsrTreeAsPrinted(const CsrView &a, int64_t d, double fill);

} // namespace specmv
