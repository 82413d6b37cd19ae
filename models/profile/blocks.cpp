// Counts the aligned r x c blocks, r and c in 1 .. 8, that have an entry: those that blocked
// formats store.
#include "models/base/numbering.h"
#include "models/base/parallel.h"
#include "models/profile/samples.h"

#include <mutex>

namespace specmv {

constexpr size_t kSides = 8;
using Blocks = std::array<std::array<Count, kSides>, kSides>;
// The least common multiple of 1 .. 8, so that no block is cut.
constexpr Count kSampleUnit = 840;

namespace {
// The entries of a sample; columns are replaced by numbers 0, 1, 2, ...
struct SampledEntries {
  std::vector<uint32_t> column; // row by row
  std::vector<size_t> rowEnd;
  std::vector<Count> columns; // by number

  template <class I> SampledEntries(const CsrPattern<I> &a, const Sample &sample) {
    Numbering numbering(static_cast<size_t>(sample.entries));
    std::vector<Count> cols;
    for (Count row = sample.begin; row < sample.end; ++row) {
      cols.clear();
      appendColumns(a, row, sample, cols);
      for (Count col : cols)
        column.push_back(numbering.numberOf(col));
      rowEnd.push_back(column.size());
    }
    columns = numbering.keys();
  }
};
} // namespace

// For each column of a sample: the number of its block of c columns.
static std::vector<uint32_t> blocksOfColumns(const std::vector<Count> &columns, Count c) {
  Numbering numbering(columns.size());
  std::vector<uint32_t> blocks;
  blocks.reserve(columns.size());
  for (Count col : columns)
    blocks.push_back(numbering.numberOf(col / c));
  return blocks;
}

// Counts, for each r, the blocks of r rows; columns with the same number belong to one block. An
// entry is the first of its block if the entry before it in these columns is above the block.
static void addBlocks(const SampledEntries &sample, const std::vector<uint32_t> &blocks,
                      std::array<Count, kSides> &counts) {
  constexpr int32_t kNever = -static_cast<int32_t>(kSides);
  std::vector<int32_t> lastRow(sample.columns.size(), kNever);
  std::array<int32_t, kSides> first{}; // there are so few entries that 32 bits are enough
  size_t e = 0;
  for (size_t row = 0; row < sample.rowEnd.size(); ++row) {
    std::array<int32_t, kSides> rowInBlock{};
    for (size_t r = 0; r < kSides; ++r)
      rowInBlock[r] = static_cast<int32_t>(row % (r + 1));
    for (; e < sample.rowEnd[row]; ++e) {
      int32_t &last = lastRow[blocks[sample.column[e]]];
      const int32_t distance = static_cast<int32_t>(row) - last;
      last = static_cast<int32_t>(row);
      for (size_t r = 0; r < kSides; ++r)
        first[r] += distance > rowInBlock[r];
    }
  }
  for (size_t r = 0; r < kSides; ++r)
    counts[r] += first[r];
}

static Blocks blocksOf(const SampledEntries &sample) {
  Blocks blocks{};
  for (size_t c = 0; c < kSides; ++c) {
    std::array<Count, kSides> counts{};
    addBlocks(sample, blocksOfColumns(sample.columns, static_cast<Count>(c) + 1), counts);
    for (size_t r = 0; r < kSides; ++r)
      blocks[r][c] = counts[r];
  }
  return blocks;
}

static void addTo(Blocks &sum, const Blocks &part) {
  for (size_t r = 0; r < sum.size(); ++r)
    for (size_t c = 0; c < sum.size(); ++c)
      sum[r][c] += part[r][c];
}

template <class I> BlockFill countBlocks(const CsrPattern<I> &a) {
  const std::vector<Sample> samples = sampleGroups(a, kSampleUnit, kSampleUnit);
  BlockFill fill{};
  std::mutex mutex;
  parallelFor(static_cast<Count>(samples.size()), 1, [&](Count index, Count) {
    const Sample &sample = samples[static_cast<size_t>(index)];
    const Blocks part = blocksOf(SampledEntries(a, sample));
    const std::lock_guard<std::mutex> lock(mutex);
    fill.sampledRows += sample.end - sample.begin;
    fill.sampledEntries += sample.entries;
    addTo(fill.blocks, part);
  });
  return fill;
}

template BlockFill countBlocks(const CsrPattern<int32_t> &);
template BlockFill countBlocks(const CsrPattern<int64_t> &);

} // namespace specmv
