// Compares profiles with plain counting: lengths, diagonals, fingerprint, slices and spans.
#include "models/profile/diagonals.h"
#include "models/profile/profile.h"

#include "tests/models/length_counts.h"
#include "tests/models/profile/naive.h"
#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace specmv;

namespace {

// Adds the hash of a list to both words.
void addHash(std::vector<int64_t> list, const std::array<uint64_t, 2> &seeds,
             std::array<uint64_t, 2> &words) {
  list.resize((list.size() + 7) / 8 * 8);
  for (size_t pair = 0; pair < list.size(); pair += 2)
    for (size_t word = 0; word < 2; ++word) {
      uint64_t key = naive::mixed(pair / 8 ^ seeds[word]);
      for (size_t i = 0; i < pair % 8 / 2; ++i)
        key *= 0x9e3779b97f4a7c15;
      const auto number = [](int64_t v) {
        return static_cast<uint32_t>(static_cast<uint64_t>(v) +
                                     (static_cast<uint64_t>(v) >> 32) * 2654435769);
      };
      const auto a = static_cast<uint32_t>(number(list[pair]) + key);
      const auto b = static_cast<uint32_t>(number(list[pair + 1]) + (key >> 32));
      words[word] += static_cast<uint64_t>(a) * b;
    }
}

std::array<uint64_t, 2> naiveFingerprint(const ProfileCase &c) {
  std::vector<int64_t> rowPtr{0}, columns;
  for (std::vector<int64_t> row : c.columns) {
    std::sort(row.begin(), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    rowPtr.push_back(std::ssize(columns));
  }
  std::array<uint64_t, 2> words{};
  addHash(rowPtr, {0x243f6a8885a308d3, 0x13198a2e03707344}, words);
  addHash(columns, {0xa4093822299f31d0, 0x082efa98ec4e6c89}, words);
  return words;
}

// Sorts each window of the lengths and adds up slices.
Count naivePadded(const ProfileCase &c, size_t slice, size_t window) {
  std::vector<Count> lengths;
  for (const auto &row : c.columns)
    lengths.push_back(static_cast<Count>(row.size()));
  for (size_t begin = 0; begin < lengths.size(); begin += window)
    std::sort(lengths.begin() + static_cast<long>(begin),
              lengths.begin() + static_cast<long>(std::min(begin + window, lengths.size())),
              std::greater<>());
  Count sum = 0;
  for (size_t begin = 0; begin < lengths.size(); begin += slice) {
    Count longest = 0;
    for (size_t i = begin; i < std::min(begin + slice, lengths.size()); ++i)
      longest = std::max(longest, lengths[i]);
    sum += static_cast<Count>(slice) * longest;
  }
  return sum;
}

SpanCount naiveSpans(const ProfileCase &c, Count blockRows) {
  std::map<Count, std::set<Count>> blocks;
  for (Count i = 0; i < c.rows; ++i)
    for (Count j : c.columns[static_cast<size_t>(i)])
      blocks[i / blockRows].insert(j);
  SpanCount count{blockRows, 0, 0};
  for (const auto &[block, cols] : blocks) {
    const Count span = *cols.rbegin() - *cols.begin() + 1;
    count.total += span;
    count.longest = std::max(count.longest, span);
  }
  return count;
}

} // namespace

TEST_CASE("the profile knows the size, lengths and fingerprint of a matrix") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    std::map<Count, Count> lengths;
    Count nnz = 0;
    for (const auto &row : c.columns) {
      ++lengths[static_cast<Count>(row.size())];
      nnz += static_cast<Count>(row.size());
    }
    CHECK(p.rows == c.rows);
    CHECK(p.cols == c.cols);
    CHECK(p.nnz == nnz);
    CHECK(p.lengths == listOf<LengthCount>(lengths));
    CHECK(p.fingerprint == naiveFingerprint(c));
  }
}

TEST_CASE("exchanges of rows do not cancel out in the fingerprint") {
  // Rows of two entries: four of them are hashed together.
  constexpr size_t kPieces = 60;
  ProfileCase c = emptyCase("pairs", 4 * kPieces, 1000);
  for (size_t row = 0; row < c.columns.size(); ++row)
    c.columns[row] = row % 4 == 0   ? std::vector<int64_t>{10, 20}
                     : row % 4 == 1 ? std::vector<int64_t>{11, 27}
                                    : std::vector<int64_t>{1, 2};
  const auto exchange = [&](size_t piece) {
    std::swap(c.columns[4 * piece], c.columns[4 * piece + 1]);
  };
  for (size_t piece = 0; piece < kPieces; piece += 2)
    exchange(piece);
  std::set<uint64_t> words[2];
  size_t patterns = 0;
  for (size_t first = 0; first < kPieces; ++first)
    for (size_t second = 0; second < first; ++second) {
      exchange(first), exchange(second);
      const Fingerprint seen = fingerprintOf(CsrArrays<int32_t>(c, 0).view());
      words[0].insert(seen[0]), words[1].insert(seen[1]);
      ++patterns;
      exchange(first), exchange(second);
    }
  CHECK(words[0].size() == patterns);
  CHECK(words[1].size() == patterns);
}

TEST_CASE("the profile counts diagonals, bandwidth and row widths") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    std::map<Count, Count> diagonals;
    Count distSum = 0, bandwidth = 0;
    bool isLong = false;
    for (Count i = 0; i < c.rows; ++i) {
      const auto &row = c.columns[static_cast<size_t>(i)];
      isLong |= row.size() > 256;
      for (Count j : row) {
        ++diagonals[j - i];
        bandwidth = std::max(bandwidth, std::abs(i - j));
      }
      if (!row.empty())
        distSum +=
            *std::max_element(row.begin(), row.end()) - *std::min_element(row.begin(), row.end());
    }
    CHECK(p.occupiedDiagonals == (isLong ? 257 : std::min<Count>(std::ssize(diagonals), 257)));
    CHECK(countDiagonals(CsrArrays<int64_t>(c, 0).view()) == std::ssize(diagonals));
    CHECK(p.diagonals == (!isLong && diagonals.size() <= 256 ? listOf<DiagonalCount>(diagonals)
                                                             : std::vector<DiagonalCount>{}));
    CHECK(p.distSum == distSum);
    CHECK(p.bandwidth == bandwidth);
  }
}

TEST_CASE("up to 256 diagonals are listed, and none of more") {
  for (size_t n : {256, 257}) {
    ProfileCase c = emptyCase("a row", 1, 300);
    for (size_t j = 0; j < n; ++j)
      c.columns[0].push_back(static_cast<int64_t>(j));
    const SparsityProfile p = profileOf(c);
    CHECK(p.occupiedDiagonals == std::min<Count>(n, 257));
    CHECK(p.diagonals.size() == (n == 256 ? 256 : 0));
  }
}

TEST_CASE("slices are padded to their longest row, sorted or not") {
  for (ProfileCase c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    std::vector<SliceCount> expected;
    for (size_t window : {1, 1024, 16384})
      for (size_t slice = 2; slice <= 128; slice *= 2)
        expected.push_back(
            {static_cast<Count>(slice), static_cast<Count>(window), naivePadded(c, slice, window)});
    CHECK(p.slices == expected);
  }
}

TEST_CASE("rows above and below 1,024 entries are counted alike") {
  ProfileCase c = emptyCase("lengths around 1,024", 40, 3000);
  for (size_t i = 0; i < 40; ++i)
    for (int64_t j = 0; j < static_cast<int64_t>(1019 + i % 10); ++j)
      c.columns[i].push_back(j);
  const SparsityProfile p = profileOf(c);
  REQUIRE(p.lengths.size() == 10);
  for (Count k = 0; k < 10; ++k)
    CHECK(p.lengths[static_cast<size_t>(k)] == LengthCount{1019 + k, 4});
  CHECK(p.slices[4] == SliceCount{32, 1, naivePadded(c, 32, 1)});
  CHECK(p.slices[11] == SliceCount{32, 1024, naivePadded(c, 32, 1024)});
}

TEST_CASE("spans reach from the first to the last column of a block") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    std::vector<SpanCount> expected;
    for (Count blockRows = 32; blockRows <= 4096; blockRows *= 2)
      expected.push_back(naiveSpans(c, blockRows));
    CHECK(profileOf(c).spans == expected);
  }
}

TEST_CASE("the profile depends neither on the order in a row nor on the index type") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    CHECK(profileOf(c, 1) == p);
    CHECK(profileOf(c, 2) == p);
    if (fitsInt32(c))
      CHECK(profile(CsrArrays<int32_t>(c, 3).view()) == p);
  }
}

TEST_CASE("repeated profiles of a matrix of many strips are equal") {
  // Threads take the strips in a different order each time.
  const CsrArrays<int32_t> a(randomCase(300000, 300000, 100000, 9));
  const SparsityProfile p = profile(a.view());
  for (int i = 0; i < 4; ++i)
    CHECK(profile(a.view()) == p);
}

TEST_CASE("a huge declared size costs no memory and sums stay in range") {
  constexpr Count kHuge = std::numeric_limits<Count>::max();
  ProfileCase c = emptyCase("huge", 3, kHuge);
  for (auto &row : c.columns)
    row = {kHuge - 1, 0};
  const SparsityProfile p = profileOf(c);
  CHECK(p.distSum == kHuge);
  CHECK(p.bandwidth == kHuge - 1);
  CHECK(p.occupiedDiagonals == 6);
  CHECK(p.spans[0] == SpanCount{32, kHuge, kHuge});
  CHECK(p.blockFill.blocks[7][7] == 2);
  CHECK(p.reuse[1].first[16] == 2);
  CHECK(p.tiles[12].bins[0] == 6);
}
