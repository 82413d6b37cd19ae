// One matrix in every layout that the C API accepts, for tests: its entries, their values in the
// layout's own order, and the description.
#pragma once

#include "runtime/convert/description.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace specmv::testing {

struct MatrixEntry {
  int64_t row, col;
  double value;
};

// Arrays of indices in one of two types.
struct Indices {
  std::vector<int32_t> narrow;
  std::vector<int64_t> wide;

  Indices() = default;
  Indices(const std::vector<int64_t> &from, int64_t base) {
    for (const int64_t index : from) {
      narrow.push_back(static_cast<int32_t>(index + base));
      wide.push_back(index + base);
    }
  }
  const void *of(IndexType type) const {
    if (wide.empty())
      return nullptr;
    return type == IndexType::i32 ? static_cast<const void *>(narrow.data()) : wide.data();
  }
};

// A matrix in one layout, and its entries in the layout's order.
struct InLayout {
  std::string name;
  MatrixDescription description = {};
  std::vector<MatrixEntry> entries = {};
  Indices offsets = {}, rows = {}, cols = {};
  std::vector<double> values = {};

  // Points the description to the arrays.
  MatrixDescription described() const {
    MatrixDescription out = description;
    out.offsets = offsets.of(out.offsetType);
    out.rowIndices = rows.of(out.indexType);
    out.colIndices = cols.of(out.indexType);
    out.values = values.data();
    return out;
  }
};

inline std::vector<int64_t> offsetsOf(int64_t lines, const std::vector<int64_t> &linesOfEntries) {
  std::vector<int64_t> out(static_cast<size_t>(lines + 1));
  for (const int64_t line : linesOfEntries)
    ++out[static_cast<size_t>(line + 1)];
  for (size_t i = 1; i < out.size(); ++i)
    out[i] += out[i - 1];
  return out;
}

// For bsr, `blockRows` x `blockCols` must divide the matrix, and every block with an entry is full,
// with zeros for missing entries. The entries of coo keep their order.
inline InLayout inLayout(MatrixLayout layout, int64_t rows, int64_t cols,
                         std::vector<MatrixEntry> entries, int64_t base, IndexType offsetType,
                         IndexType indexType, int64_t blockRows = 1, int64_t blockCols = 1,
                         bool blocksByColumn = false) {
  InLayout out;
  const auto lineOf = [&](const MatrixEntry &e) {
    return layout == MatrixLayout::csc ? e.col : e.row / blockRows;
  };
  if (layout == MatrixLayout::bsr) {
    std::vector<std::pair<int64_t, int64_t>> blocks;
    blocks.reserve(entries.size());
    for (const MatrixEntry &e : entries)
      blocks.emplace_back(e.row / blockRows, e.col / blockCols);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    std::vector<MatrixEntry> full;
    std::vector<int64_t> lines, places;
    for (const auto &[row, col] : blocks) {
      lines.push_back(row);
      places.push_back(col);
      for (int64_t k = 0; k < blockRows * blockCols; ++k) {
        MatrixEntry e{row * blockRows + (blocksByColumn ? k % blockRows : k / blockCols),
                      col * blockCols + (blocksByColumn ? k / blockRows : k % blockCols), 0};
        for (const MatrixEntry &given : entries)
          e.value += given.row == e.row && given.col == e.col ? given.value : 0;
        full.push_back(e);
      }
    }
    entries = full;
    out.offsets = Indices(offsetsOf(rows / blockRows, lines), base);
    out.cols = Indices(places, base);
  } else {
    if (layout != MatrixLayout::coo)
      std::stable_sort(
          entries.begin(), entries.end(),
          [&](const MatrixEntry &a, const MatrixEntry &b) { return lineOf(a) < lineOf(b); });
    std::vector<int64_t> lines, ofRows, ofCols;
    for (const MatrixEntry &e : entries) {
      lines.push_back(lineOf(e));
      ofRows.push_back(e.row);
      ofCols.push_back(e.col);
    }
    if (layout != MatrixLayout::coo)
      out.offsets = Indices(offsetsOf(layout == MatrixLayout::csc ? cols : rows, lines), base);
    if (layout != MatrixLayout::csr)
      out.rows = Indices(ofRows, base);
    if (layout != MatrixLayout::csc)
      out.cols = Indices(ofCols, base);
  }
  for (const MatrixEntry &e : entries)
    out.values.push_back(e.value);
  out.entries = std::move(entries);
  constexpr const char *kNames[] = {"csr", "csc", "coo", "bsr"};
  out.name = std::string(kNames[static_cast<size_t>(layout)]) + " from " + std::to_string(base) +
             (offsetType == IndexType::i32 ? " i32" : " i64") +
             (indexType == IndexType::i32 ? " i32" : " i64") + (blocksByColumn ? " by column" : "");
  out.description = {.layout = layout,
                     .rows = rows,
                     .cols = cols,
                     .nnz = static_cast<int64_t>(out.entries.size()),
                     .offsetType = offsetType,
                     .indexType = indexType,
                     .base = base,
                     .blockRows = layout == MatrixLayout::bsr ? blockRows : 1,
                     .blockCols = layout == MatrixLayout::bsr ? blockCols : 1,
                     .blocksByColumn = blocksByColumn};
  return out;
}

// Unsorted entries with integer values, some of them in the same place.
inline std::vector<MatrixEntry> randomEntries(int64_t rows, int64_t cols, int64_t count,
                                              uint64_t seed) {
  uint64_t state = seed;
  const auto below = [&](int64_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>((state >> 33U) % static_cast<uint64_t>(n));
  };
  std::vector<MatrixEntry> out;
  for (int64_t i = 0; rows > 0 && cols > 0 && i < count; ++i)
    out.push_back({below(rows), below(cols), static_cast<double>(below(9) - 4)});
  return out;
}

// The entries in every layout, base and combination of index types.
inline std::vector<InLayout> allLayouts(int64_t rows, int64_t cols,
                                        const std::vector<MatrixEntry> &entries, int64_t blockRows,
                                        int64_t blockCols) {
  std::vector<InLayout> out;
  constexpr IndexType kTypes[] = {IndexType::i32, IndexType::i64};
  for (const MatrixLayout layout :
       {MatrixLayout::csr, MatrixLayout::csc, MatrixLayout::coo, MatrixLayout::bsr})
    for (const int64_t base : {0, 1})
      for (const IndexType offsetType : kTypes)
        for (const IndexType indexType : kTypes)
          for (const bool byColumn : {false, true})
            if (layout == MatrixLayout::bsr || !byColumn)
              out.push_back(inLayout(layout, rows, cols, entries, base, offsetType, indexType,
                                     layout == MatrixLayout::bsr ? blockRows : 1,
                                     layout == MatrixLayout::bsr ? blockCols : 1, byColumn));
  return out;
}

// Returns A x, or the transpose times x, by the definition.
inline std::vector<double> productOf(const std::vector<MatrixEntry> &entries,
                                     const std::vector<double> &values, int64_t rows, int64_t cols,
                                     bool isTransposed, const std::vector<double> &x) {
  std::vector<double> y(static_cast<size_t>(isTransposed ? cols : rows));
  for (size_t e = 0; e < entries.size(); ++e) {
    const auto row = static_cast<size_t>(entries[e].row), col = static_cast<size_t>(entries[e].col);
    y[isTransposed ? col : row] += values[e] * x[isTransposed ? row : col];
  }
  return y;
}

} // namespace specmv::testing
