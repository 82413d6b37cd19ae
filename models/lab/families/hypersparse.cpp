// Matrices in which most rows are empty. The other rows, drawn at random, have k entries each,
// anywhere or near the diagonal.
#include "models/lab/families/build.h"

namespace specmv {

llvm::Expected<CsrMatrix> generateHypersparse(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t k = options.integer("k"), half = options.integer("half");
  const double filled = options.real("filled");
  const uint64_t seed = seedOf(options);
  if (llvm::Error error = checkBand(options, "hypersparse"))
    return error;
  const auto lengthOf = [&](int64_t row) {
    const bool empty = Random(seed, Drawn::lengths, row).unit() >= filled;
    return empty ? 0 : std::min(k, windowOf(row, rows, cols, half).size());
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    const Window window = windowOf(row, rows, cols, half);
    Random random(seed, Drawn::columns, row);
    extendDistinct(random, col, 0, window.begin, window.end);
  });
}

} // namespace specmv
