// Tests the sample of blocks: what it counts, and what it says of meshes whose blocks repeat or do
// not.
#include "models/profile/samples.h"

#include "models/lab/families/families.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace specmv;

namespace {

RepeatedBlocks sampleOf(const std::string &spec, int64_t r = 3, int64_t c = 3) {
  const CsrMatrix a = llvm::cantFail(generateFamily(spec));
  return repeatedBlocks(a.view(), r, c);
}

} // namespace

TEST_CASE("sampled blocks are counted by their hashes") {
  const uint64_t hashes[] = {5, 7, 5, 0, 9, 9, 9, 7, 1};
  const RepeatedBlocks want{2, 3, 9, 5, 2, 2};
  CHECK(repeatedAmong(hashes, 2, 3) == want);
  CHECK(want.estimated() == 5 + 2.0 * 1 / (2 * 3));
  CHECK(repeatedAmong({}, 1, 1) == RepeatedBlocks{1, 1, 0, 0, 0, 0});
  CHECK(RepeatedBlocks{1, 1, 0, 0, 0, 0}.estimated() == 0);
}

TEST_CASE("the blocks of a uniform mesh are counted exactly, if the sample meets all of them") {
  for (const int64_t materials : {1, 3, 20}) {
    const RepeatedBlocks seen = sampleOf("elasticity:n=20,materials=" + std::to_string(materials));
    CHECK(seen.sampled == 16384);
    CHECK(seen.different == 27 * materials);
    CHECK(seen.estimated() < 27 * static_cast<double>(materials) + 1);
  }
  // Blocks of another shape lie across those of the mesh, and there are more of them.
  CHECK(sampleOf("elasticity:n=20,materials=1", 2, 2).different > 27);
}

TEST_CASE("blocks with values of their own are all seen just once") {
  const RepeatedBlocks seen = sampleOf("elasticity:n=20");
  CHECK(seen.once > 0.9 * static_cast<double>(seen.sampled));
  CHECK(seen.estimated() > 1e5);
}

TEST_CASE("a sample has all entries of a small matrix, and none of an empty one") {
  const CsrMatrix a{.name = "",
                    .rows = 3,
                    .cols = 4,
                    .rowPtr = {0, 2, 3, 4},
                    .col = {0, 1, 2, 3},
                    .val = {1, 0.0, 1, 1}};
  // The blocks (1, 0), (1, none) and (none, 1) of 1 x 2, of which the first has two entries.
  CHECK(repeatedBlocks(a.view(), 1, 2) == RepeatedBlocks{1, 2, 4, 2, 1, 0});
  CHECK(repeatedBlocks(a.view(), 8, 8) == RepeatedBlocks{8, 8, 4, 1, 0, 0});
  const CsrMatrix none{.name = "", .rows = 2, .cols = 1, .rowPtr = {0, 0, 0}, .col = {}, .val = {}};
  CHECK(repeatedBlocks(none.view(), 3, 3).sampled == 0);
}

TEST_CASE("a negative zero and the payload of a NaN make blocks differ in a sample") {
  CsrMatrix a{.name = "",
              .rows = 4,
              .cols = 1,
              .rowPtr = {0, 1, 2, 3, 4},
              .col = {0, 0, 0, 0},
              .val = {0.0, -0.0, NAN, -NAN}};
  CHECK(repeatedBlocks(a.view(), 1, 1) == RepeatedBlocks{1, 1, 4, 4, 4, 0});
  a.val = {0.0, 0.0, NAN, NAN};
  CHECK(repeatedBlocks(a.view(), 1, 1) == RepeatedBlocks{1, 1, 4, 2, 0, 2});
}
