// Counts the entries of a matrix in the cells of a grid, and samples how symmetric they are.
#pragma once

#include "models/csr.h"

#include <cstdint>
#include <vector>

namespace specmv::cli {

// --- Spy -----------------------------------------------------------------------------------------

// Counts the entries of a matrix in the cells of a grid: the spy plot of a report, as densities.

// A rectangle of the matrix: rows and columns from the first up to, not including, the end.
struct SpyWindow {
  int64_t firstRow = 0, endRow = 0, firstCol = 0, endCol = 0;

  int64_t height() const { return endRow - firstRow; }
  int64_t width() const { return endCol - firstCol; }
  bool operator==(const SpyWindow &) const = default;
};

// A window with the number of entries in each cell of a grid on it.
struct SpyGrid {
  SpyWindow window;
  int down = 0, across = 0;     // cells; 0 if the window has no places
  std::vector<int64_t> entries; // row of cells by row of cells

  int64_t most() const; // of a cell
  // Returns the places of a cell that it has at least.
  int64_t placesOfCell() const;
};

// The cells of the longer side of a grid, and those that the shorter side has at least, unless it
// has fewer rows or columns.
constexpr int kSpyCells = 400, kLeastSpyCells = 12;

// Counts a window, on all cores: each row of cells reads its own rows once. The counts do not
// depend on the number of threads.
SpyGrid countSpy(const CsrView &a, const SpyWindow &window);

// Returns the whole matrix, and parts of it, each around the fullest cell of the one before (the
// first of equal ones), until a cell is one place or there are `most` grids.
std::vector<SpyGrid> spyLevels(const CsrView &a, size_t most);

// --- Symmetry ------------------------------------------------------------------------------------

// Samples how symmetric a matrix is.

struct SymmetrySample {
  int64_t entries = 0;  // off the diagonal, that were looked at
  int64_t mirrored = 0; // with an entry in row j and column i
  int64_t equal = 0;    // with one of the same value
  bool isAll = false;   // these are all entries off the diagonal
};

// Looks at entries at equal distances, at most kMostMirrored. The matrix must be square, with
// values and ascending columns in each row, as CsrMatrix has them.
constexpr int64_t kMostMirrored = 20000;
SymmetrySample sampleSymmetry(const CsrView &view);

} // namespace specmv::cli
