// Cuts a matrix into the tiles of QCSR (Zhang et al. 2013), one chunk of rows at a time.
#pragma once

#include "models/csr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <utility>
#include <vector>

namespace specmv {

// The borders of the tiles. They are multiples of d (ofMatrix); or they have the distance d, and
// the first is the first column in which the chunk has an entry (ofChunk), so that a chunk that
// spans at most d columns has one tile; or they are those of halves of halves (halved), which are
// the leaves of Algorithm 1.
enum class QcsrBorders { ofMatrix, ofChunk, halved };

// Cuts 0 .. n - 1 into ranges of at most `most`: at multiples of `most`, which is a power of two,
// or by halving ranges that have more at their middles, as Algorithm 1 does with rows and columns.
// Halves with a smaller `most` are parts of those with a larger one.
class QcsrRanges {
public:
  QcsrRanges(int64_t n, int64_t most, QcsrBorders borders);
  int64_t count() const;
  int64_t begin(int64_t range) const;
  int64_t end(int64_t range) const { return range + 1 < count() ? begin(range + 1) : n_; }
  int64_t size(int64_t range) const { return end(range) - begin(range); }
  int64_t at(int64_t place) const; // the range that has the place

private:
  int64_t n_;
  unsigned log2_;
  std::vector<int64_t> begins_; // of halves
};

// The entries of one row inside one tile.
struct QcsrSegment {
  int64_t tile;       // the range of the tile's columns
  int64_t row;        // within the chunk
  int64_t begin, end; // within the chunk's entries
  int64_t length() const { return end - begin; }
};

// Some consecutive rows of a matrix, cut into tiles; empty tiles have no segment.
struct QcsrChunk {
  std::vector<QcsrSegment> segments; // by tile and then by row
  std::vector<int64_t> entries;      // entries of the matrix, by row and then by column
  std::vector<int64_t> columns;      // columns of the entries
};

// Calls f(number, chunk) for all chunks of at most `rows` rows and tiles of at most d columns, on
// all cores; d is a power of two. f may reorder the segments.
void qcsrForEachChunk(const CsrView &a, int64_t d, int64_t rows, QcsrBorders borders,
                      const std::function<void(int64_t, QcsrChunk &)> &f);

// Sorts segments by ascending key; segments with equal keys keep their order.
void qcsrSort(llvm::MutableArrayRef<QcsrSegment> segments,
              llvm::function_ref<int64_t(const QcsrSegment &)> key);

// The segments from `begin` on that belong to the tile of segment `begin`.
llvm::ArrayRef<QcsrSegment> qcsrTileAt(const QcsrChunk &chunk, size_t begin);

// The first column in which a tile has an entry, and the one after the last.
std::pair<int64_t, int64_t> qcsrColumnsOf(const QcsrChunk &chunk, llvm::ArrayRef<QcsrSegment> tile);

// All leaves of type Full (Algorithm 1), ascending: the ranges of their rows and of their columns.
// They have more entries than `fill` times their area, which is d^2 unless they are halves.
using QcsrTileList = std::vector<std::pair<int64_t, int64_t>>;
QcsrTileList qcsrFullTiles(const CsrView &a, int64_t d, double fill, QcsrBorders borders);

} // namespace specmv
