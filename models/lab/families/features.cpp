// A table of features: a row has a few of very many features, and only a few features are in most
// rows.
#include "models/lab/families/lengths.h"
#include "models/lab/families/popular.h"

namespace specmv {

llvm::Expected<CsrMatrix> generateFeatures(const SpecOptions &options) {
  llvm::Expected<SpreadLengths> lengths = spreadLengths(options, "features");
  if (!lengths)
    return lengths.takeError();
  const uint64_t seed = seedOf(options);
  const PopularColumns features(options.integer("cols"), seed);
  const auto lengthOf = [&](int64_t row) {
    return lengths->draw(Random(seed, Drawn::lengths, row));
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    features.extend(random, col, 0);
  });
}

} // namespace specmv
