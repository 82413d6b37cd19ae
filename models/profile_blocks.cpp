// Counts the aligned r x c blocks, r and c in 1 .. 8, that hold an entry: what blocked formats
// fill.
#include "models/parallel.h"
#include "models/profile_samples.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>

namespace specmv {

namespace {

using Blocks = std::array<std::array<Count, 8>, 8>;
constexpr Count kSampleUnit =
    840; // the least common multiple of 1 .. 8, so that every block is whole

// The ascending columns of the sampled rows.
class SampledRows {
public:
  template <class I> SampledRows(const CsrPattern<I> &a, const Sample &sample) {
    for (Count row = sample.begin; row < sample.end; ++row) {
      appendColumns(a, row, sample, cols_);
      std::sort(cols_.begin() + static_cast<std::ptrdiff_t>(ends_.back()), cols_.end());
      ends_.push_back(cols_.size());
    }
  }

  size_t size() const { return ends_.size() - 1; }
  std::span<const Count> operator[](size_t row) const {
    return std::span(cols_).subspan(ends_[row], ends_[row + 1] - ends_[row]);
  }

private:
  std::vector<Count> cols_;
  std::vector<size_t> ends_{0};
};

} // namespace

// The columns that hold an entry in rows begin .. end-1, ascending.
static void unite(const SampledRows &rows, size_t begin, size_t end, std::vector<Count> &cols) {
  cols.clear();
  std::vector<Count> joined;
  for (size_t row = begin; row < end; ++row) {
    joined.clear();
    std::set_union(cols.begin(), cols.end(), rows[row].begin(), rows[row].end(),
                   std::back_inserter(joined));
    cols.swap(joined);
  }
}

// Counts the blocks of c columns, for each c, that the ascending columns touch.
static void addBlocks(std::span<const Count> cols, std::array<Count, 8> &blocks) {
  for (size_t c = 1; c <= blocks.size(); ++c) {
    uint64_t end = 0; // of the last block that was touched; may be 2^63
    for (Count col : cols)
      if (const auto place = static_cast<uint64_t>(col); place >= end) {
        ++blocks[c - 1];
        end = place - place % c + c;
      }
  }
}

static void addSample(const SampledRows &rows, Blocks &blocks) {
  std::vector<Count> cols;
  for (size_t r = 1; r <= blocks.size(); ++r)
    for (size_t begin = 0; begin < rows.size(); begin += r) {
      unite(rows, begin, std::min(begin + r, rows.size()), cols);
      addBlocks(cols, blocks[r - 1]);
    }
}

static void addBlocks(Blocks &sum, const Blocks &part) {
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
    Blocks part{};
    addSample(SampledRows(a, sample), part);
    const std::lock_guard<std::mutex> lock(mutex);
    fill.sampledRows += sample.end - sample.begin;
    fill.sampledEntries += sample.entries;
    addBlocks(fill.blocks, part);
  });
  return fill;
}

template BlockFill countBlocks(const CsrPattern<int32_t> &);
template BlockFill countBlocks(const CsrPattern<int64_t> &);

} // namespace specmv
