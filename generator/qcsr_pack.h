// Packing for QCSR: the quadtree's leaves of one chunk of rows, and the whole matrix from them.
#pragma once

#include "generator/format.h"

#include <cstdint>
#include <vector>

namespace specmv {

// The numbers of a QCSR plan that packing needs.
struct QcsrShape {
  int64_t d, rowsPerBlock, align;
  double fill;
};

// The entries of one row inside one tile: `entries` are indices into the matrix's arrays.
struct QcsrSegment {
  int64_t row;        // within the chunk
  int64_t begin, end; // of QcsrChunk::entries
};

struct QcsrTile {
  int64_t column; // column / d
  bool full;
  std::vector<QcsrSegment> segments; // by ascending row
};

// The part of a tile-row that one block owns.
struct QcsrChunk {
  std::vector<QcsrTile> tiles;  // by ascending column
  std::vector<int64_t> entries; // of the matrix, by row and then by column
};

// Leaves of all chunks: exact tiles at multiples of d, empty ones not stored, Full where
// nnz > fill d^2 (Algorithm 1).
std::vector<QcsrChunk> qcsrChunks(const CsrView &a, const QcsrShape &shape);

// Leaves that Algorithm 1 of the paper makes as printed: halving at the middle row and column until
// both sides are at most d, empty regions pruned. For comparison only.
int64_t qcsrTilesAsPrinted(const CsrView &a, int64_t d);

// The type of a column inside its tile: the narrowest that holds d - 1.
ElementType qcsrLocalType(int64_t d);

// The layout() of the format.
llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
