// Tables of counts whose row lengths are about log-normal: the genes that were found in a cell
// (columns of mildly skewed popularity), and the words of a document (by Zipf's law). The laws and
// their defaults are assumptions; no table was measured.
#include "models/lab/families/lengths.h"
#include "models/lab/families/popular.h"

#include "models/base/error.h"

namespace specmv {

static llvm::Expected<CsrMatrix> generateCounts(const SpecOptions &options, llvm::StringRef family,
                                                Popularity popularity) {
  const int64_t cols = options.integer("cols");
  const double avg = options.real("avg");
  if (avg > static_cast<double>(cols))
    return fail(Status::badCall, "{0}: avg={1} exceeds cols={2}", family, options.text("avg"),
                cols);
  if (llvm::Error error = checkMean(options, family, "avg"))
    return error;
  const uint64_t seed = seedOf(options);
  const PopularColumns columns(cols, seed, popularity);
  const LogNormal lengths(avg, options.real("sigma"));
  const auto lengthOf = [&](int64_t row) {
    return std::min(lengths.draw(Random(seed, Drawn::lengths, row)), cols);
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    columns.extend(random, col, 0);
  });
}

llvm::Expected<CsrMatrix> generateGenes(const SpecOptions &options) {
  return generateCounts(options, "genes", Popularity::squareRoot);
}

llvm::Expected<CsrMatrix> generateText(const SpecOptions &options) {
  return generateCounts(options, "text", Popularity::zipf);
}

} // namespace specmv
