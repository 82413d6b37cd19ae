// Compares the counts on samples (blocks, reuse and density of tiles) with plain counting; and
// checks that the samples represent the matrix.
#include "models/profile/profile.h"

#include "tests/models/profile/naive.h"
#include <doctest/doctest.h>

#include <map>

using namespace specmv;

namespace {

ProfileCase denseCase(int64_t rows, int64_t cols) {
  ProfileCase c = emptyCase("dense", rows, cols);
  for (auto &row : c.columns)
    for (int64_t j = 0; j < cols; ++j)
      row.push_back(j);
  return c;
}

// Full blocks of 8 x 8 places on the diagonal.
ProfileCase blockDiagonal(int64_t blocks) {
  ProfileCase c = emptyCase("block diagonal", 8 * blocks, 8 * blocks);
  for (int64_t i = 0; i < 8 * blocks; ++i)
    for (int64_t j = 0; j < 8; ++j)
      c.columns[static_cast<size_t>(i)].push_back(i / 8 * 8 + j);
  return c;
}

// Includes cases of which only a part is sampled.
std::vector<ProfileCase> sampledCases() {
  std::vector<ProfileCase> cases = profileCases();
  cases.push_back(randomCase(400, 500, 90000, 6));
  cases.push_back(randomCase(90000, 70000, 60000, 7));
  cases.push_back(denseCase(1, 70000));
  cases.push_back(denseCase(300, 300));
  cases.push_back(blockDiagonal(1500));
  return cases;
}

ReuseCount naiveReuse(Count groupRows, const std::vector<naive::Entry> &entries,
                      const std::vector<size_t> &sample) {
  ReuseCount count{groupRows, static_cast<Count>(sample.size()), {}};
  count.first[0] = count.first[1] = count.sampledEntries; // of less than 4 columns all are
  for (size_t k = 2; k < count.first.size(); ++k)
    count.first[k] = naive::countIn(naive::firstOf(entries, groupRows, Count{1} << k), sample);
  return count;
}

TileDensity naiveDensity(Count rows, Count d, const std::vector<naive::Entry> &entries) {
  std::map<std::pair<Count, Count>, Count> segments; // entries of a row in a tile
  for (const naive::Entry &e : entries)
    ++segments[{e.row, e.col / d}];
  const std::vector<size_t> sample = naive::sampleEntries(entries.size(), 64);
  TileDensity density{d, static_cast<Count>(sample.size()), {}};
  for (size_t e : sample) {
    const Count top = entries[e].row / d * d, height = std::min(d, rows - top);
    const Count looked = std::min<Count>(32, height);
    Count inTile = 0;
    for (Count k = 0; k < looked; ++k) {
      const auto found =
          segments.find({top + naive::placeIn(k, looked, height), entries[e].col / d});
      inTile += found == segments.end() ? 0 : found->second;
    }
    size_t bin = 0;
    while (bin < 15 && 16 * inTile >= static_cast<Count>(bin + 1) * looked * d)
      ++bin;
    ++density.bins[bin];
  }
  return density;
}

} // namespace

TEST_CASE("blocks are counted by their first entries in the sample") {
  for (const ProfileCase &c : sampledCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    const std::vector<naive::Entry> entries = naive::entriesOf(c);
    const naive::RowSample sample = naive::sampleRows(c, entries);
    CHECK(p.blockFill.sampledRows == sample.rows);
    CHECK(p.blockFill.sampledEntries == static_cast<Count>(sample.entries.size()));
    for (size_t r = 1; r <= 8; ++r)
      for (size_t k = 1; k <= 8; ++k)
        CHECK(p.blockFill.blocks[r - 1][k - 1] ==
              naive::countIn(naive::firstOf(entries, static_cast<Count>(r), static_cast<Count>(k)),
                             sample.entries));
  }
}

TEST_CASE("reuse is counted by the first entries of tiles") {
  for (const ProfileCase &c : sampledCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    const std::vector<naive::Entry> entries = naive::entriesOf(c);
    REQUIRE(p.reuse.size() == 3);
    CHECK(p.reuse[0] == naiveReuse(1, entries, naive::sampleRows(c, entries).entries));
    CHECK(p.reuse[1] == naiveReuse(32, entries, naive::sampleEntries(entries.size(), 8192)));
    CHECK(p.reuse[2] == naiveReuse(256, entries, naive::sampleEntries(entries.size(), 2048)));
  }
}

TEST_CASE("the density of tiles is that of some of their rows") {
  for (const ProfileCase &c : sampledCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    const std::vector<naive::Entry> entries = naive::entriesOf(c);
    REQUIRE(p.tiles.size() == 13);
    Count d = 16;
    for (const TileDensity &tile : p.tiles) {
      CAPTURE(d);
      CHECK(tile == naiveDensity(c.rows, d, entries));
      d *= 2;
    }
  }
}

TEST_CASE("a profile says whether blocks or reuse are of a part of the entries") {
  for (const ProfileCase &c : sampledCases()) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    bool isPart = p.blockFill.sampledEntries < p.nnz;
    for (const ReuseCount &r : p.reuse)
      isPart |= r.sampledEntries < p.nnz;
    CHECK(p.sampled == isPart);
  }
  CHECK(profileOf(blockDiagonal(33)).sampled); // 2,112 entries
  CHECK_FALSE(profileOf(blockDiagonal(32)).sampled);
}

TEST_CASE("a sample of rows cuts no block whose rows divide 24") {
  const SparsityProfile p = profileOf(blockDiagonal(5000)); // 320,000 entries
  const BlockFill &fill = p.blockFill;
  CHECK(fill.sampledRows % 24 == 0);
  CHECK(fill.sampledEntries == 8 * fill.sampledRows);
  CHECK(fill.sampledEntries > 65536 / 2);
  for (Count r : {1, 2, 4, 8})
    for (Count k : {1, 2, 4, 8}) // blocks that divide 8 are full
      CHECK(fill.blocks[static_cast<size_t>(r - 1)][static_cast<size_t>(k - 1)] * r * k ==
            fill.sampledEntries);
}

TEST_CASE("samples do not follow the period of a matrix") {
  // 2,048 samples at equal distances would be the first entries of every sixteenth row, and 8,192
  // those of every fourth row.
  ProfileCase c = emptyCase("rows alike", 32768, 32768 * 16);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < 16; ++j)
      c.columns[static_cast<size_t>(i)].push_back(16 * i + j);
  const SparsityProfile p = profileOf(c);
  for (size_t group : {size_t{1}, size_t{2}}) {
    const auto share = static_cast<double>(p.reuse[group].first[4]) /
                       static_cast<double>(p.reuse[group].sampledEntries);
    CHECK(share == doctest::Approx(1.0 / 16).epsilon(0.2));
  }
}

TEST_CASE("of a long row the first entries are sampled") {
  const SparsityProfile p = profileOf(denseCase(2, 70000));
  CHECK(p.blockFill.sampledRows == 2);
  CHECK(p.blockFill.sampledEntries == 2 * 4096);
  CHECK(p.blockFill.blocks[1][7] == 4096 / 8); // the second row has none of its own
  CHECK(p.reuse[0].first[12] == 2);
}

TEST_CASE("samples do not depend on the order of the entries in a row") {
  for (const ProfileCase &c : {denseCase(900, 400), denseCase(1, 200000), blockDiagonal(3000)})
    CHECK(profile(CsrArrays<int32_t>(c, 7).view()) == profile(CsrArrays<int64_t>(c).view()));
}
