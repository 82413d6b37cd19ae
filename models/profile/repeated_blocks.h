// Estimates from a sample how many blocks of a matrix differ, for plans that number the different
// ones. The blocks depend on their shape, so each shape has a sample.
#pragma once

#include "models/csr.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <span>
#include <vector>

namespace specmv {

// A sample has so many blocks, of which so many differ; `once` and `twice` count the blocks that
// were seen just once and just twice. Blocks with more entries are sampled more often.
struct RepeatedBlocks {
  int64_t r = 1, c = 1;
  int64_t sampled = 0, different = 0, once = 0, twice = 0;

  bool operator==(const RepeatedBlocks &) const = default;
  // Estimates how many differ in the whole matrix, by Chao's lower bound of 1984 in its form
  // without bias: those that were not seen are as many as once (once - 1) / (2 (twice + 1)).
  double estimated() const;
};

// Samples the blocks of a valid matrix, which must have values.
RepeatedBlocks repeatedBlocks(const CsrView &a, int64_t r, int64_t c);

// Counts the hashes of sampled blocks.
RepeatedBlocks repeatedAmong(std::span<const uint64_t> hashes, int64_t r, int64_t c);

// Returns the sample of a shape from those that were made; makes it with make() if there is none.
template <class Make>
llvm::Expected<std::optional<RepeatedBlocks>> sampledOnce(std::vector<RepeatedBlocks> &made,
                                                          int64_t r, int64_t c, const Make &make) {
  for (const RepeatedBlocks &sample : made)
    if (sample.r == r && sample.c == c)
      return sample;
  llvm::Expected<RepeatedBlocks> sample = make();
  if (!sample)
    return sample.takeError();
  made.push_back(*sample);
  return *sample;
}

} // namespace specmv
