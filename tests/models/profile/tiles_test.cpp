// Tiles, segments and density against plain counting with maps.
#include "models/profile/profile.h"

#include "tests/models/profile/profile_cases.h"
#include <doctest/doctest.h>

#include <map>

using namespace specmv;

namespace {

TileCount naiveTiles(const ProfileCase &c, Count d) {
  std::map<std::pair<Count, Count>, Count> tiles, segments;
  for (Count i = 0; i < c.rows; ++i)
    for (Count j : c.columns[static_cast<size_t>(i)]) {
      ++tiles[{i / d, j / d}];
      ++segments[{i, j / d}];
    }
  TileCount count{d, static_cast<Count>(tiles.size()), static_cast<Count>(segments.size()), 0, {}};
  for (const auto &[place, length] : segments)
    for (Count done = 0; done < length; done += 16)
      count.padded16 += 16;
  for (const auto &[place, entries] : tiles) {
    // down to the last bin whose upper bound d^2 2^-bin is not below the entries
    size_t bin = 0;
    for (Count bound = d * d / 2; bin < 15 && entries <= bound; bound /= 2)
      ++bin;
    ++count.density[bin].tiles;
    count.density[bin].entries += entries;
  }
  return count;
}

} // namespace

TEST_CASE("tiles of every size are those that hold an entry") {
  for (const ProfileCase &c : profileCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profile(CsrArrays<int64_t>(c).view());
    REQUIRE(p.tiles.size() == 13);
    Count d = 16;
    for (const TileCount &t : p.tiles) {
      CAPTURE(d);
      CHECK(t == naiveTiles(c, d));
      d *= 2;
    }
  }
}

TEST_CASE("tiles join across strips of every height") {
  // 256 rows a strip up to 8,191 rows; then the largest power of two in a sixteenth of them
  for (int64_t rows : {255, 256, 257, 4095, 8192, 8193, 70000, 131072}) {
    const ProfileCase c = randomCase(rows, 5000, 6000, static_cast<unsigned>(rows));
    const SparsityProfile p = profile(CsrArrays<int32_t>(c).view());
    CAPTURE(rows);
    for (size_t level : {0, 3, 4, 5, 8, 9, 12})
      CHECK(p.tiles[level] == naiveTiles(c, Count{16} << level));
  }
}

TEST_CASE("strips of 65,536 rows count all sizes of tiles") {
  ProfileCase c = emptyCase("1,100,000 rows", 1100000, 1100000);
  for (size_t i = 0; i < c.columns.size(); i += 53)
    c.columns[i] = {static_cast<int64_t>(i), static_cast<int64_t>(i * 7919 % 1100000)};
  const SparsityProfile p = profile(CsrArrays<int32_t>(c).view());
  for (size_t level : {0, 6, 11, 12})
    CHECK(p.tiles[level] == naiveTiles(c, Count{16} << level));
}

TEST_CASE("tiles of more columns than there are slots are hashed") {
  // 6,000,000,000 columns; the stride makes the columns of tiles alike in their low bits
  ProfileCase c = emptyCase("strides", 64, 6000000000);
  for (size_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 90; ++j)
      c.columns[i].push_back(j * 65536 * 1000 + static_cast<int64_t>(i % 3));
  const SparsityProfile p = profile(CsrArrays<int64_t>(c).view());
  for (size_t level : {0, 1, 5, 12})
    CHECK(p.tiles[level] == naiveTiles(c, Count{16} << level));
}

TEST_CASE("a dense tile is in bin 0, a half full one in bin 1, a sparse one in the last") {
  ProfileCase c = emptyCase("densities", 48, 70000);
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 16; ++j) {
      c.columns[static_cast<size_t>(i)].push_back(j);
      if (j < 8)
        c.columns[static_cast<size_t>(i + 16)].push_back(j);
    }
  c.columns[32] = {69999};
  const SparsityProfile p = profile(CsrArrays<int32_t>(c).view());
  CHECK(p.tiles[0].density[0] == DensityBin{1, 256});
  CHECK(p.tiles[0].density[1] == DensityBin{1, 128});
  CHECK(p.tiles[0].density[8] == DensityBin{1, 1}); // 1 = 256 / 2^8
  // d = 4096: both tiles have at most 2^24 / 2^15 entries
  CHECK(p.tiles[8].density[15] == DensityBin{2, 256 + 128 + 1});
}
