// Hashes rowPtr and the columns of a pattern on all cores.
#include "models/profile/fingerprint.h"

#include "models/base/parallel.h"
#include "templates/profile/features.cuh"

#include <algorithm>
#include <atomic>

namespace specmv {

// Pieces that a thread hashes at a time. For fewer, starting a thread would take longer.
constexpr int64_t kPiecesTogether = 1 << 17;

template <class I>
static Fingerprint hashPieces(const I *list, int64_t count, HashedList kind, int64_t begin,
                              int64_t end) {
  Fingerprint words{};
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t first = piece * kHashed, known = std::min<int64_t>(count - first, kHashed);
    unsigned numbers[kHashed] = {};
    for (int64_t i = 0; i < known; ++i)
      numbers[i] = hashedNumber(list[first + i]);
    for (int word = 0; word < 2; ++word)
      words[static_cast<size_t>(word)] += hashOfPiece(numbers, kind, word, piece);
  }
  return words;
}

template <class I>
static void hashList(const I *list, int64_t count, HashedList kind,
                     std::array<std::atomic<uint64_t>, 2> &sums) {
  parallelFor((count + kHashed - 1) / kHashed, kPiecesTogether, [&](int64_t begin, int64_t end) {
    const Fingerprint words = hashPieces(list, count, kind, begin, end);
    for (size_t word = 0; word < 2; ++word)
      sums[word] += words[word];
  });
}

template <class I> Fingerprint fingerprintOf(const CsrPattern<I> &a) {
  static constexpr I kNoRows[] = {0}; // a matrix without rows may have no rowPtr
  std::array<std::atomic<uint64_t>, 2> sums{};
  hashList(a.rows > 0 ? a.rowPtr : kNoRows, a.rows + 1, HashedList::rowPtr, sums);
  hashList(a.col, a.nnz, HashedList::columns, sums);
  return {sums[0], sums[1]};
}

template Fingerprint fingerprintOf(const CsrPattern<int32_t> &);
template Fingerprint fingerprintOf(const CsrPattern<int64_t> &);

Fingerprint fingerprintOf(const CsrView &a) {
  return visitPattern(a, [](const auto &pattern) { return fingerprintOf(pattern); });
}

} // namespace specmv
