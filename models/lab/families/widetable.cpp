// A wide table: rows of very different lengths, from a few entries to very many. The lengths are
// log-uniform, so every order of magnitude is equally likely. The columns are random.
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

#include <cmath>

namespace specmv {

llvm::Expected<CsrMatrix> generateWidetable(const SpecOptions &options) {
  const int64_t cols = options.integer("cols"), least = options.integer("least");
  const int64_t limit = options.integer("most");
  const int64_t most = options.given("most") ? limit : std::min(limit, cols);
  if (least > most || most > cols)
    return fail(Status::badCall,
                "widetable: lengths from least={0} to most={1} must ascend and not exceed cols={2}",
                least, most, cols);
  const uint64_t seed = seedOf(options);
  const double shortest = static_cast<double>(least),
               ratio = static_cast<double>(most) / static_cast<double>(least);
  const auto lengthOf = [&](int64_t row) {
    return std::llround(shortest * power(ratio, Random(seed, Drawn::lengths, row).unit()));
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    drawDistinct(random, col, cols);
  });
}

} // namespace specmv
