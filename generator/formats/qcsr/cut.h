// Cuts a matrix into the tiles of QCSR (Zhang et al. 2013), one chunk of rows at a time.
#pragma once

#include "models/csr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <utility>
#include <vector>

namespace specmv {

// The column at which the first tile of a chunk begins. It is 0, so that all chunks have the same
// borders (ofMatrix), or the first column in which the chunk has an entry (ofChunk). With ofChunk,
// a chunk that spans at most d columns has one tile.
enum class QcsrBorders { ofMatrix, ofChunk };

// The entries of one row inside one tile.
struct QcsrSegment {
  int64_t tile;       // (column - first column of the first tile) / d
  int64_t row;        // within the chunk
  int64_t begin, end; // within the chunk's entries
  int64_t length() const { return end - begin; }
};

// Some consecutive rows of a matrix, cut into tiles of exactly d columns; empty tiles have no
// segment.
struct QcsrChunk {
  std::vector<QcsrSegment> segments; // by tile and then by row
  std::vector<int64_t> entries;      // entries of the matrix, by row and then by column
  std::vector<int64_t> columns;      // columns of the entries
};

// Calls f(number, chunk) for all chunks of `rows` rows, on all cores; d is a power of two. f may
// reorder the segments.
void qcsrForEachChunk(const CsrView &a, int64_t d, int64_t rows, QcsrBorders borders,
                      const std::function<void(int64_t, QcsrChunk &)> &f);

// Sorts segments by ascending key; segments with equal keys keep their order.
void qcsrSort(llvm::MutableArrayRef<QcsrSegment> segments,
              llvm::function_ref<int64_t(const QcsrSegment &)> key);

// The segments from `begin` on that belong to the tile of segment `begin`.
llvm::ArrayRef<QcsrSegment> qcsrTileAt(const QcsrChunk &chunk, size_t begin);

// The first column in which a tile has an entry, and the one after the last.
std::pair<int64_t, int64_t> qcsrColumnsOf(const QcsrChunk &chunk, llvm::ArrayRef<QcsrSegment> tile);

// The (row / d, column / d) of all leaves of type Full, ascending: tiles with more than fill x d^2
// entries (Algorithm 1).
using QcsrTileList = std::vector<std::pair<int64_t, int64_t>>;
QcsrTileList qcsrFullTiles(const CsrView &a, int64_t d, double fill);

} // namespace specmv
