// Cuts a matrix into the tiles of QCSR (Zhang et al. 2013), chunk of rows by chunk of rows.
#pragma once

#include "models/csr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <utility>
#include <vector>

namespace specmv {

// Where the first tile of a chunk begins: at column 0, so that all chunks have the same borders, or
// at the first column in which the chunk has an entry. Then a chunk that reaches d columns or less
// has one tile, wherever it lies.
enum class QcsrBorders { ofMatrix, ofChunk };

// The entries of one row inside one tile.
struct QcsrSegment {
  int64_t tile;       // (column - where the first tile begins) / d
  int64_t row;        // within the chunk
  int64_t begin, end; // of the chunk's entries
  int64_t length() const { return end - begin; }
};

// Some consecutive rows of a matrix in exact tiles of d columns; empty tiles have no segment.
struct QcsrChunk {
  std::vector<QcsrSegment> segments; // by tile and then by row
  std::vector<int64_t> entries;      // of the matrix, by row and then by column
  std::vector<int64_t> columns;      // of these entries
};

// Calls f(number, chunk) for all chunks of `rows` rows, on all cores; d is a power of two. f may
// put the segments in another order.
void qcsrForEachChunk(const CsrView &a, int64_t d, int64_t rows, QcsrBorders borders,
                      const std::function<void(int64_t, QcsrChunk &)> &f);

// Sorts segments by ascending key; those of equal keys keep their order.
void qcsrSort(llvm::MutableArrayRef<QcsrSegment> segments,
              llvm::function_ref<int64_t(const QcsrSegment &)> key);

// The segments from `begin` on that are of one tile.
llvm::ArrayRef<QcsrSegment> qcsrTileAt(const QcsrChunk &chunk, size_t begin);

// The first column in which a tile has an entry, and the one after the last.
std::pair<int64_t, int64_t> qcsrColumnsOf(const QcsrChunk &chunk, llvm::ArrayRef<QcsrSegment> tile);

// The (row / d, column / d) of all leaves of type Full, ascending: more than fill d^2 entries
// (Algorithm 1).
using QcsrTileList = std::vector<std::pair<int64_t, int64_t>>;
QcsrTileList qcsrFullTiles(const CsrView &a, int64_t d, double fill);

} // namespace specmv
