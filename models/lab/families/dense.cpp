// Families whose pattern is not random: full, diagonal and empty matrices.
#include "models/lab/families/build.h"

#include <numeric>

namespace specmv {

llvm::Expected<CsrMatrix> generateDense(const SpecOptions &options) {
  const int64_t cols = options.integer("cols");
  return buildMatrix(
      options, [cols](int64_t) { return cols; },
      [](int64_t, std::span<int32_t> col) { std::iota(col.begin(), col.end(), 0); });
}

llvm::Expected<CsrMatrix> generateDiagonal(const SpecOptions &options) {
  const int64_t cols = options.integer("cols");
  return buildMatrix(
      options, [cols](int64_t row) { return row < cols ? 1 : 0; },
      [](int64_t row, std::span<int32_t> col) {
        std::fill(col.begin(), col.end(), static_cast<int32_t>(row));
      });
}

llvm::Expected<CsrMatrix> generateEmpty(const SpecOptions &options) {
  return buildMatrix(
      options.integer("rows"), options.integer("cols"), [](int64_t) { return 0; },
      [](int64_t, std::span<int32_t>, std::span<double>) {});
}

} // namespace specmv
