// Samples blocks on the host, and counts the hashes of sampled blocks.
#include "models/profile/repeated_blocks.h"

#include "models/base/parallel.h"
#include "models/profile/place_table.h"
#include "models/profile/value_facts.h"
#include "templates/profile/block_features.cuh"

#include <algorithm>
#include <memory>
#include <vector>

namespace specmv {

double RepeatedBlocks::estimated() const {
  const auto seenOnce = static_cast<double>(once), seenTwice = static_cast<double>(twice);
  return static_cast<double>(different) + seenOnce * (seenOnce - 1) / (2 * (seenTwice + 1));
}

RepeatedBlocks repeatedAmong(std::span<const uint64_t> hashes, int64_t r, int64_t c) {
  const auto places = std::make_unique<PlaceTable<kSampledBlocks>>();
  std::vector<int> counts;
  for (const uint64_t hash : hashes) {
    const size_t place = places->placeOf(hash);
    if (place == counts.size())
      counts.push_back(0);
    ++counts[place];
  }
  return {r,
          c,
          std::ssize(hashes),
          std::ssize(counts),
          std::ranges::count(counts, 1),
          std::ranges::count(counts, 2)};
}

// Samples a thread takes together. For fewer, starting a thread would take longer.
constexpr int64_t kSamplesTogether = 1 << 10;

RepeatedBlocks repeatedBlocks(const CsrView &a, int64_t r, int64_t c) {
  const int samples = blocksSampled(a.nnz);
  std::vector<uint64_t> hashes(static_cast<size_t>(samples));
  visitPattern(a, [&](const auto &p) {
    visitValues(a, [&](auto *val) {
      parallelFor(samples, kSamplesTogether, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          hashes[static_cast<size_t>(i)] =
              hashOfBlock(p.rowPtr, p.col, a.rows, static_cast<int>(r), static_cast<int>(c),
                          sampledEntry(static_cast<int>(i), samples, a.nnz),
                          [&](long long e) { return static_cast<Word64>(bitsOf(val[e])); });
      });
    });
  });
  return repeatedAmong(hashes, r, c);
}

} // namespace specmv
