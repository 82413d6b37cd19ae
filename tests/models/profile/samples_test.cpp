// Block fill and sectors against plain counting, and the limits of the samples.
#include "models/profile/profile.h"

#include "tests/models/profile/profile_cases.h"
#include <doctest/doctest.h>

#include <set>

using namespace specmv;

namespace {

constexpr Count kMaxSample = 65536;

Count naiveBlocks(const ProfileCase &c, Count rows, Count cols) {
  std::set<std::pair<Count, Count>> blocks;
  for (Count i = 0; i < c.rows; ++i)
    for (Count j : c.columns[static_cast<size_t>(i)])
      blocks.insert({i / rows, j / cols});
  return static_cast<Count>(blocks.size());
}

// Full blocks of 8 x 8 places on the diagonal.
ProfileCase blockDiagonal(int64_t blocks) {
  ProfileCase c = emptyCase("block diagonal", 8 * blocks, 8 * blocks);
  for (int64_t i = 0; i < 8 * blocks; ++i)
    for (int64_t j = 0; j < 8; ++j)
      c.columns[static_cast<size_t>(i)].push_back(i / 8 * 8 + j);
  return c;
}

ProfileCase denseCase(int64_t rows, int64_t cols) {
  ProfileCase c = emptyCase("dense", rows, cols);
  for (auto &row : c.columns)
    for (int64_t j = 0; j < cols; ++j)
      row.push_back(j);
  return c;
}

} // namespace

TEST_CASE("blocks and sectors of a small matrix are counted in full") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    CHECK_FALSE(p.sampled);
    CHECK(p.blockFill.sampledRows == c.rows);
    CHECK(p.blockFill.sampledEntries == p.nnz);
    for (Count r = 1; r <= 8; ++r)
      for (Count k = 1; k <= 8; ++k)
        CHECK(p.blockFill.blocks[static_cast<size_t>(r - 1)][static_cast<size_t>(k - 1)] ==
              naiveBlocks(c, r, k));
    CHECK(p.sectors ==
          std::vector<SectorCount>{{32, p.nnz, naiveBlocks(c, 32, 8), naiveBlocks(c, 32, 4)},
                                   {256, p.nnz, naiveBlocks(c, 256, 8), naiveBlocks(c, 256, 4)}});
  }
}

TEST_CASE("a sample of blocks is aligned for every size of block") {
  const SparsityProfile p = profileOf(blockDiagonal(5000)); // 320,000 entries
  const BlockFill &fill = p.blockFill;
  CHECK(p.sampled);
  CHECK(fill.sampledRows == 8 * fill.sampledEntries / 64);
  CHECK(fill.sampledRows % 840 == 0);
  CHECK(fill.sampledEntries <= kMaxSample);
  CHECK(fill.sampledEntries > kMaxSample / 2);
  for (Count r : {1, 2, 4, 8})
    for (Count k : {1, 2, 4, 8}) // blocks that divide 8 are full
      CHECK(fill.blocks[static_cast<size_t>(r - 1)][static_cast<size_t>(k - 1)] * r * k ==
            fill.sampledEntries);
  // The pattern repeats every 24 rows, three of its blocks: of the 8 x 8 blocks of 3 x 3 places
  // there, these touch one of the three.
  Count in24 = 0;
  for (Count i = 0; i < 8; ++i)
    for (Count j = 0; j < 8; ++j) {
      const auto touches = [&](Count b) {
        return b * 8 < 3 * i + 3 && 3 * i < b * 8 + 8 && b * 8 < 3 * j + 3 && 3 * j < b * 8 + 8;
      };
      in24 += touches(0) || touches(1) || touches(2);
    }
  CHECK(fill.blocks[2][2] == in24 * fill.sampledRows / 24);
}

TEST_CASE("sampled sectors are of whole groups") {
  const SparsityProfile p = profileOf(blockDiagonal(5000));
  for (const SectorCount &s : p.sectors) {
    CHECK(s.sampledEntries <= kMaxSample);
    CHECK(s.sampledEntries > kMaxSample / 2);
    CHECK(s.sampledEntries % (s.groupRows * 8) == 0);
    CHECK(s.sectorsF32 * 64 == s.sampledEntries); // 8 rows share 8 columns: one sector of floats
    CHECK(s.sectorsF64 * 32 == s.sampledEntries);
  }
}

TEST_CASE("of a group that is too large the first columns are sampled") {
  // One row of 200,000 entries: 78 units of 840 columns and 8,192 of 8 fit.
  const SparsityProfile row = profileOf(denseCase(1, 200000));
  CHECK(row.sampled);
  CHECK(row.blockFill.sampledRows == 1);
  CHECK(row.blockFill.sampledEntries == 78 * 840);
  CHECK(row.blockFill.blocks[0][6] == 78 * 840 / 7);
  CHECK(row.sectors[0] == SectorCount{32, 65536, 8192, 16384});
  // 160 x 840 places are more than 65,536, but 840 columns the fewest that are whole for all
  // blocks.
  const SparsityProfile square = profileOf(denseCase(1000, 1000));
  CHECK(square.blockFill.sampledRows == 160);          // the middle of two chunks is the second
  CHECK(square.blockFill.sampledEntries == 160 * 840); // the second unit would begin at 840
  CHECK(square.blockFill.blocks[7][7] == 20 * 105);
}

TEST_CASE("where the chosen groups are empty, another is sampled whole") {
  // Of 6 chunks 4 are chosen, 65,536 x 6 / 97,440, and all entries are in the other two.
  ProfileCase c = emptyCase("two chunks", 6 * 840, 1000);
  for (size_t chunk : {2, 5})
    for (size_t i = 0; i < 840; ++i)
      for (int64_t j = 0; j < 58; ++j)
        c.columns[840 * chunk + i].push_back(17 * j);
  const SparsityProfile p = profileOf(c);
  CHECK(p.blockFill.sampledRows == 840);
  CHECK(p.blockFill.sampledEntries == 840 * 58);
  CHECK(p.blockFill.blocks[7][0] == 105 * 58);
}

TEST_CASE("samples do not depend on the order of the entries in a row") {
  for (const ProfileCase &c : {denseCase(900, 400), denseCase(1, 200000), blockDiagonal(3000)})
    CHECK(profile(CsrArrays<int32_t>(c, 7).view()) == profile(CsrArrays<int64_t>(c).view()));
}
