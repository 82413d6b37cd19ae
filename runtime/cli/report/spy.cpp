// Counts entries by cells, and looks up the mirrored places of a sample of entries.
#include "runtime/cli/report/spy.h"

#include "models/base/parallel.h"
#include "models/base/stage.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

// --- Spy -----------------------------------------------------------------------------------------

// Counts entries by cells, and chooses the parts of a matrix that are shown larger.

int64_t SpyGrid::most() const {
  return entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end());
}

int64_t SpyGrid::placesOfCell() const {
  return entries.empty() ? 0 : (window.height() / down) * (window.width() / across);
}

// Returns the cells of a side: in proportion to the longer one, within the limits.
static int cellsOf(int64_t side, int64_t longer) {
  const double share = static_cast<double>(side) / static_cast<double>(longer);
  const int64_t cells = std::max<int64_t>(kLeastSpyCells, std::llround(kSpyCells * share));
  return static_cast<int>(std::min<int64_t>({side, cells, kSpyCells}));
}

// Returns the first place of a cell: cell c of n begins at the least place p with p n / side >= c.
static int64_t firstOf(int64_t cell, int64_t cells, int64_t side) {
  return (cell * side + cells - 1) / cells;
}

namespace {
// Finds the cell of a column without a division for each entry: columns of a row mostly ascend, so
// that an entry is often in the cell of the one before.
class CellOfColumn {
public:
  CellOfColumn(const SpyWindow &window, int across)
      : first_(window.firstCol), width_(window.width()), across_(across) {}

  int64_t operator()(int64_t col) {
    const int64_t at = col - first_;
    if (at < begin_ || at >= end_) {
      cell_ = at * across_ / width_;
      begin_ = firstOf(cell_, across_, width_), end_ = firstOf(cell_ + 1, across_, width_);
    }
    return cell_;
  }

private:
  int64_t first_, width_, across_, cell_ = 0, begin_ = 0, end_ = 0;
};
} // namespace

// Counts the entries of one row of cells.
template <class I>
static void countCellRow(const CsrPattern<I> &a, int64_t cellRow, SpyGrid &grid, Stage &stage) {
  const SpyWindow &w = grid.window;
  const int64_t first = w.firstRow + firstOf(cellRow, grid.down, w.height());
  const int64_t end = w.firstRow + firstOf(cellRow + 1, grid.down, w.height());
  int64_t *const counts = grid.entries.data() + cellRow * grid.across;
  CellOfColumn cellOf(w, grid.across);
  for (int64_t e = a.rowPtr[first]; e < a.rowPtr[end]; ++e)
    if (a.col[e] >= w.firstCol && a.col[e] < w.endCol)
      ++counts[cellOf(a.col[e])];
  stage.advance(a.rowPtr[end] - a.rowPtr[first]);
}

SpyGrid countSpy(const CsrView &a, const SpyWindow &window) {
  SpyGrid out{window, 0, 0, {}};
  const int64_t longer = std::max(window.height(), window.width());
  if (window.height() <= 0 || window.width() <= 0)
    return out;
  out.down = cellsOf(window.height(), longer), out.across = cellsOf(window.width(), longer);
  out.entries.resize(static_cast<size_t>(out.down) * static_cast<size_t>(out.across));
  visitPattern(a, [&](auto pattern) {
    Stage stage("drawing the matrix", Stage::Counts::pieces,
                pattern.rowPtr[window.endRow] - pattern.rowPtr[window.firstRow]);
    parallelFor(out.down, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        countCellRow(pattern, row, out, stage);
    });
  });
  return out;
}

// Returns the begin and end of the next window along one side: centred on a cell of this window,
// and moved to lie within it.
static std::pair<int64_t, int64_t> sideAround(int64_t cell, int64_t cells, int64_t first,
                                              int64_t side, int64_t next) {
  const int64_t centre = (firstOf(cell, cells, side) + firstOf(cell + 1, cells, side)) / 2;
  const int64_t length = std::min(side, next);
  const int64_t begin = first + std::clamp<int64_t>(centre - length / 2, 0, side - length);
  return {begin, begin + length};
}

std::vector<SpyGrid> spyLevels(const CsrView &a, size_t most) {
  std::vector<SpyGrid> out{countSpy(a, {0, a.rows, 0, a.cols})};
  const int64_t longer = std::max(a.rows, a.cols);
  if (a.nnz == 0 || most < 2 || longer <= kSpyCells)
    return out;
  // There are as few steps as suffice with a factor of up to 40, else the limit sets the factor.
  // The last window has few places, which are easily told apart.
  constexpr double kLastSide = 64, kFactor = 40;
  const double all = std::max(1.0, static_cast<double>(longer) / kLastSide);
  const double needed = std::ceil(std::log(all) / std::log(kFactor));
  const auto steps = static_cast<size_t>(std::clamp(needed, 1.0, static_cast<double>(most - 1)));
  for (size_t step = 1; step <= steps; ++step) {
    const SpyGrid &from = out.back();
    const auto cell =
        std::max_element(from.entries.begin(), from.entries.end()) - from.entries.begin();
    const auto side = static_cast<int64_t>(
        std::ceil(static_cast<double>(longer) /
                  std::pow(all, static_cast<double>(step) / static_cast<double>(steps))));
    const auto [firstRow, endRow] =
        sideAround(cell / from.across, from.down, from.window.firstRow, from.window.height(), side);
    const auto [firstCol, endCol] = sideAround(cell % from.across, from.across,
                                               from.window.firstCol, from.window.width(), side);
    out.push_back(countSpy(a, {firstRow, endRow, firstCol, endCol}));
  }
  return out;
}

// --- Symmetry ------------------------------------------------------------------------------------

// Looks up the mirrored places of a sample of entries.

template <class I, class V>
static void lookAt(const CsrPattern<I> &a, const V *values, int64_t row, int64_t entry,
                   SymmetrySample &sample) {
  const int64_t col = a.col[entry];
  if (col == row)
    return;
  ++sample.entries;
  const I *begin = a.col + a.rowPtr[col], *end = a.col + a.rowPtr[col + 1];
  const I *found = std::lower_bound(begin, end, static_cast<I>(row));
  if (found == end || *found != row)
    return;
  ++sample.mirrored;
  sample.equal += values[found - a.col] == values[entry];
}

SymmetrySample sampleSymmetry(const CsrView &view) {
  SymmetrySample sample;
  visitPattern(view, [&](auto a) {
    visitValues(view, [&](const auto *values) {
      const int64_t step = std::max<int64_t>(1, (a.nnz + kMostMirrored - 1) / kMostMirrored);
      sample.isAll = step == 1;
      for (int64_t entry = 0; entry < a.nnz; entry += step) {
        const auto *after = std::upper_bound(a.rowPtr, a.rowPtr + a.rows + 1, entry);
        lookAt(a, values, after - a.rowPtr - 1, entry, sample);
      }
    });
  });
  return sample;
}

} // namespace specmv::cli
