// Lower triangular factors with fill, as of sparse direct solvers. Supernodes are runs of columns
// with the same pattern. A row has the columns of its own supernode up to the diagonal, and all
// columns of some earlier supernodes within a band. The later a row, the more of these it has, from
// none to twice the mean. The law is an assumption; no factor was measured.
#include "models/lab/families/build.h"

#include "models/base/machine_memory.h"

#include <array>
#include <numeric>

namespace specmv {
constexpr int64_t kMostFill = 256; // earlier supernodes of a row are kept on the stack

namespace {
class Supernodes {
public:
  Supernodes(int64_t rows, int64_t width, int64_t fill, int64_t band, uint64_t seed)
      : fill_(fill), band_(band), seed_(seed) {
    for (int64_t begin = 0, number = 0; begin < rows; ++number) {
      first_.push_back(static_cast<int32_t>(begin));
      begin += 1 + Random(seed, Drawn::lengths, number).below(2 * width - 1);
    }
    first_.push_back(static_cast<int32_t>(rows));
  }

  // Calls f with the first column and the end of each run of columns of a row, ascending.
  template <class F> void forRuns(int64_t row, const F &f) const {
    const int64_t own = std::upper_bound(first_.begin(), first_.end(), row) - first_.begin() - 1;
    const int64_t before = std::min(own, band_), count = static_cast<int64_t>(first_.size()) - 1;
    std::array<int32_t, 2 * kMostFill> chosen;
    const auto runs = std::span(chosen).first(
        static_cast<size_t>(std::min(before, 2 * fill_ * (own + 1) / count)));
    Random random(seed_, Drawn::columns, own);
    drawDistinct(random, runs, before);
    for (const int32_t run : runs)
      f(first_[static_cast<size_t>(own - before + run)],
        first_[static_cast<size_t>(own - before + run) + 1]);
    f(first_[static_cast<size_t>(own)], static_cast<int32_t>(row + 1));
  }

private:
  int64_t fill_, band_;
  uint64_t seed_;
  std::vector<int32_t> first_{}; // the first row of each supernode, and the number of rows
};
} // namespace

// Refuses a matrix by half of the entries that rows would have without an end of the band, and
// without a first row: a full triangle has half of its square.
static llvm::Error checkFactor(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), fill = options.integer("fill");
  const int64_t earlier = options.integer("width") * std::min(fill, options.integer("band"));
  return checkFits(rows, rows, rows + rows * std::min(earlier, rows) / 2, availableMemory(),
                   "at least ");
}

llvm::Expected<CsrMatrix> generateFactor(const SpecOptions &options) {
  if (llvm::Error error = checkFactor(options))
    return error;
  const int64_t rows = options.integer("rows");
  const Values values = valuesOf(options);
  const Supernodes supernodes(rows, options.integer("width"), options.integer("fill"),
                              options.integer("band"), values.seed);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    supernodes.forRuns(row, [&](int32_t begin, int32_t end) { length += end - begin; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    supernodes.forRuns(row, [&](int32_t begin, int32_t end) {
      std::iota(next, next + (end - begin), begin);
      next += end - begin;
    });
  };
  return buildMatrix(rows, rows, values, lengthOf, fillColumns);
}

} // namespace specmv
