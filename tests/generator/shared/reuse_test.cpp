// Tests of the values that formats derive from a profile's samples of reuse and blocks.
#include "generator/shared/gathers.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Shares of level 3: 1/2 of single rows, 1/4 of 32 rows, 1/8 of 256 rows.
SparsityProfile sampledProfile() {
  SparsityProfile p;
  p.reuse = {{1, 80, {}}, {32, 80, {}}, {256, 80, {}}};
  for (size_t group = 0; group < 3; ++group)
    p.reuse[group].first[3] = 40 >> group;
  return p;
}

} // namespace

TEST_CASE("a sampled number of rows has its own share") {
  const SparsityProfile p = sampledProfile();
  for (int64_t rows : {1, 32, 256}) {
    const ReuseAround r = reuseAround(p, 3, rows);
    CHECK(r.above.rows == rows);
    CHECK(r.place == 1);
    CHECK(r.above.share() == (rows == 1 ? 0.5 : rows == 32 ? 0.25 : 0.125));
  }
}

TEST_CASE("another number of rows is placed between two samples by its logarithm") {
  const SparsityProfile p = sampledProfile();
  const ReuseAround few = reuseAround(p, 3, 8), many = reuseAround(p, 3, 64);
  CHECK(few.below.rows == 1);
  CHECK(few.above.rows == 32);
  CHECK(few.place == doctest::Approx(3.0 / 5));
  CHECK(many.below.rows == 32);
  CHECK(many.above.rows == 256);
  CHECK(many.place == doctest::Approx(1.0 / 3));
}

TEST_CASE("beyond the samples the nearest one counts") {
  SparsityProfile p = sampledProfile();
  CHECK(reuseAround(p, 3, 4096).above.share() == 0.125);
  CHECK(reuseAround(p, 3, 4096).below.share() == 0.125);
  p.reuse[0] = {1, 0, {}}; // all rows that were chosen are empty
  CHECK(reuseAround(p, 3, 1).below.share() == 0.25);
  CHECK(reuseAround(p, 3, 1).place == 0);
  CHECK(reuseAround(SparsityProfile{}, 3, 7).above.share() == 1);
}

TEST_CASE("a sample that cuts blocks has no fewer of them than full ones") {
  SparsityProfile p;
  p.blockFill.sampledEntries = 100;
  p.blockFill.blocks[4][4] = 3;
  p.blockFill.blocks[1][1] = 50;
  CHECK(blocksPerEntry(p, 5, 5) == 1.0 / 25);
  CHECK(blocksPerEntry(p, 2, 2) == 0.5);
  CHECK(blocksPerEntry(SparsityProfile{}, 2, 2) == 1);
}
