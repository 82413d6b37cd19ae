// Reads the entries of a matrix back from QCSR's arrays as its kernels do, and checks the
// assumptions of the kernels.
#pragma once

#include "tests/generator/edge_matrices.h"
#include "tests/generator/layout_numbers.h"

#include "generator/formats/qcsr/qcsr.h"
#include "models/base/numbers.h"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

namespace specmv::testing {

using Entry = std::tuple<int64_t, int64_t, double>; // row, column, value

inline std::vector<Entry> sorted(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end());
  return entries;
}

inline std::vector<Entry> entriesOf(const CsrMatrix &a, const Valued &values) {
  std::vector<Entry> out;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      out.emplace_back(row, a.col[e], values[e]);
  return sorted(out);
}

// Reads the content of a layout as a kernel does.
class QcsrReader {
public:
  QcsrReader(const Plan &plan, const Layout &layout) : plan_(plan), layout_(layout) {}
  std::vector<Entry> read() {
    const int64_t chunks = qcsrIsHalved(plan_) ? layout_.find("chunkRow")->count() - 1
                                               : ceilDiv(layout_.integer("rows"), rows_);
    const int64_t blocks = ceilDiv(chunks, qcsrChunksPerBlock(plan_));
    for (int64_t block = 0; block < blocks; ++block)
      qcsrHasSlices(plan_) ? readSlices(block) : readPaper(block);
    return sorted(std::move(entries_));
  }

private:
  int64_t get(const char *name, int64_t i) const { return numberAt(*layout_.find(name), i); }
  double val(int64_t slot) const {
    const LayoutArray &array = *layout_.find("val");
    if (slot >= array.count())
      FAIL("val has no element ", slot);
    return array.as<double>()[slot];
  }

  void readPaper(int64_t block) {
    const int64_t firstRow = qcsrIsHalved(plan_) ? get("chunkRow", block) : block * rows_;
    for (int64_t t = get("chunkTiles", block); t < get("chunkTiles", block + 1); ++t) {
      const int64_t piece = get("tileFull", t), column = get("tileColumn", t);
      if (piece >= 0)
        readFull(firstRow, piece, column);
      else
        for (int64_t s = get("tileSegments", t); s < get("tileSegments", t + 1); ++s)
          for (int64_t k = 0; k < get("segmentLength", s); ++k) {
            const int64_t slot = get("segmentStart", s) * plan_.get(key::kQcsrAlign) + k;
            add(firstRow + get("segmentRow", s), column + get("local", slot), slot);
          }
      if (qcsrStages(plan_))
        checkStaged(t, column);
    }
  }

  void readFull(int64_t firstRow, int64_t piece, int64_t column) {
    for (int64_t i = 0; i < rows_ * d_; ++i) {
      const int64_t bit = piece * rows_ * d_ + i;
      if (get("fullBits", bit / 8) >> (bit % 8) & 1)
        add(firstRow + i / d_, column + i % d_, layout_.integer("fullBegin") + bit);
    }
  }

  void readSlices(int64_t block) {
    const int64_t warps = plan_.get(key::kBlock) / 32;
    if (!qcsrStages(plan_)) {
      for (int64_t warp = 0; warp < warps; ++warp)
        readStream(block * warps + warp, block * warps + warp);
      return;
    }
    const int64_t firstTile = get("chunkTiles", block), tiles = get("chunkTiles", block + 1);
    for (int64_t t = firstTile; t < tiles; ++t) {
      owners_.clear();
      origin_ = get("tileFirst", t);
      for (int64_t warp = 0; warp < warps; ++warp)
        readStream(block, t * warps + warp);
      const int64_t begin = get("tileFirst", firstTile); // of the chunk's first tile
      checkStaged(t, begin + (origin_ - begin) / d_ * d_);
      CHECK(get("tileEnd", t) - origin_ <= plan_.get(key::kQcsrWindow));
    }
  }

  void readStream(int64_t chunk, int64_t stream) {
    int64_t batch = get("streamBatch", stream), line = get("streamLine", stream), slice = 0;
    int64_t first = line, tile = -1, lastWidth = 0;
    while (line < get("streamLine", stream + 1)) {
      const int64_t word = get("batch", batch++), lines = word >> 8 & 15;
      REQUIRE(lines > 0);
      if (word >> 12 != tile)
        lastWidth = INT64_MAX;     // slices are sorted inside a tile
      CHECK((word >> 12) >= tile); // and tiles in a stream
      tile = word >> 12;
      for (int64_t i = 0; i < lines; ++i) {
        ++line;
        if (!(word >> i & 1))
          continue;
        CHECK((line - first) <= lastWidth);
        lastWidth = line - first;
        readSlice(chunk, stream, slice++, first, line, qcsrStages(plan_) ? origin_ : tile * d_);
        first = line;
      }
    }
    CHECK(first == line); // nothing is left without an end
    CHECK(batch == get("streamBatch", stream + 1));
  }

  void readSlice(int64_t chunk, int64_t stream, int64_t slice, int64_t first, int64_t end,
                 int64_t column) {
    std::set<int64_t> rows;
    int64_t used = 0;
    for (int64_t lane = 0; lane < 32; ++lane) {
      const int64_t row = rowOf(stream, slice, lane);
      rows.insert(row);
      bool isLast = false;
      for (int64_t line = first; line < end; ++line) {
        const int64_t local = get("local", line * 32 + lane);
        if (local > padding_ || (local < padding_ && isLast))
          FAIL_CHECK("padding does not come last");
        isLast = local == padding_;
        if (!isLast)
          add(chunk * rows_ + row, column + local, line * 32 + lane);
        used += !isLast && line == end - 1;
      }
      if (qcsrStages(plan_)) // two warps must not add to one row at a time
        if (owners_.emplace(row, stream).first->second != stream)
          FAIL_CHECK("row ", row, " is another warp's too");
    }
    CHECK(rows.size() == 32);
    CHECK(used > 0); // the slice is no wider than its longest segment
  }

  int64_t rowOf(int64_t stream, int64_t slice, int64_t lane) const {
    const LayoutArray &words = *layout_.find("sliceRows");
    const auto bits = 8 * static_cast<int64_t>(sizeOf(qcsrRowType(rows_)));
    const int64_t perWord = static_cast<int64_t>(sizeOf(words.type)) * 8 / bits;
    const int64_t word = (get("streamRows", stream) + slice / perWord) * 32 + lane;
    numberAt(words, word + 64); // two words are loaded ahead
    return numberAt(words, word) >> (slice % perWord * bits) & ((1 << bits) - 1);
  }

  // Checks that exactly the columns of the last tile's entries are staged.
  void checkStaged(int64_t t, int64_t column) {
    CHECK(get("tileFirst", t) == first_);
    CHECK(get("tileEnd", t) == last_ + 1);
    CHECK(first_ >= column);
    CHECK(last_ < column + d_);
    first_ = INT64_MAX, last_ = -1;
  }

  void add(int64_t row, int64_t column, int64_t slot) {
    entries_.emplace_back(row, column, val(slot));
    first_ = std::min(first_, column);
    last_ = std::max(last_, column);
  }

  const Plan &plan_;
  const Layout &layout_;
  const int64_t d_ = plan_.get(key::kQcsrD), rows_ = plan_.get(key::kQcsrRows);
  // Used in slices only.
  const int64_t padding_ =
      qcsrHasSlices(plan_) && qcsrStages(plan_) ? plan_.get(key::kQcsrWindow) : d_;
  int64_t origin_ = 0; // if x is staged, the column from which local columns count
  std::vector<Entry> entries_;
  std::map<int64_t, int64_t> owners_; // of the rows of a staged tile
  int64_t first_ = INT64_MAX, last_ = -1;
};

} // namespace specmv::testing
