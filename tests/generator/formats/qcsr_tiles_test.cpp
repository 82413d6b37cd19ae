// Tests of QCSR's estimates of tiles and of what they cut, against plain counting.
#include "tests/generator/edge_matrices.h"

#include "generator/formats/qcsr/qcsr.h"
#include "models/base/numbers.h"
#include "models/lab/families/families.h"

#include <doctest/doctest.h>

#include <map>

using namespace specmv;
using namespace specmv::testing;

namespace {

struct Counted {
  int64_t pairs = 0, padded16 = 0;
};

// Pairs (chunk of `rows` rows, tile of d columns) that have an entry, and their entries rounded up.
Counted countedIn(const CsrMatrix &a, int64_t rows, int64_t d) {
  std::map<std::pair<int64_t, int64_t>, int64_t> pairs;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      ++pairs[{i / rows, a.col[e] / d}];
  Counted counted{static_cast<int64_t>(pairs.size()), 0};
  for (const auto &[pair, entries] : pairs)
    counted.padded16 += roundUp(entries, 16);
  return counted;
}

// Returns true if `estimate` is within a factor of `counted`.
bool isNear(double estimate, int64_t counted, double factor) {
  return estimate <= factor * static_cast<double>(counted) &&
         factor * estimate >= static_cast<double>(counted);
}

std::vector<CsrMatrix> matrices() {
  std::vector<CsrMatrix> out;
  for (const char *spec :
       {"stencil5:n=60", "stencil7:n=20", "random:k=9,rows=3000", "elasticity:n=8",
        "powerlaw:rows=4000,avg=6", "band:k=12,half=400,rows=5000", "fem2d:rows=5000"})
    out.push_back(llvm::cantFail(generateFamily(spec)));
  return out;
}

constexpr int64_t kSizes[] = {16, 64, 256, 1024, 8192, 65536};

} // namespace

TEST_CASE("segments are counted where the sample of rows is complete, and are near otherwise") {
  for (const CsrMatrix &a : matrices()) {
    const SparsityProfile p = profile(a.view());
    for (int64_t d : kSizes) {
      CAPTURE(a.name);
      CAPTURE(d);
      const int64_t counted = countedIn(a, 1, d).pairs;
      if (p.blockFill.sampledEntries == p.nnz)
        CHECK(qcsrTilesOf(p, d).segments == counted);
      else
        CHECK(isNear(static_cast<double>(qcsrTilesOf(p, d).segments), counted, 1.05));
    }
  }
}

TEST_CASE("tiles of chunks are estimated within a factor of two") {
  for (const CsrMatrix &a : matrices()) {
    const SparsityProfile p = profile(a.view());
    for (int64_t d : kSizes)
      for (int64_t rows : {16, 32, 128, 256, 1024, 4096}) {
        CAPTURE(a.name);
        CAPTURE(d);
        CAPTURE(rows);
        const double estimate = qcsrChunkTiles(p, qcsrTilesOf(p, d), rows);
        CAPTURE(estimate);
        const int64_t counted = countedIn(a, rows, d).pairs;
        CAPTURE(counted);
        CHECK(isNear(estimate, counted, 2));
      }
  }
}

TEST_CASE("tiles are estimated within a factor of two") {
  for (const CsrMatrix &a : matrices()) {
    const SparsityProfile p = profile(a.view());
    for (int64_t d : kSizes) {
      CAPTURE(a.name);
      CAPTURE(d);
      const int64_t estimate = qcsrTilesOf(p, d).tiles, counted = countedIn(a, d, d).pairs;
      CAPTURE(estimate);
      CAPTURE(counted);
      CHECK(isNear(static_cast<double>(estimate), counted, 2));
    }
  }
}

TEST_CASE("the padding to 16 is that of whole rows or of random cuts") {
  for (const CsrMatrix &a : matrices()) {
    const SparsityProfile p = profile(a.view());
    for (int64_t d : kSizes) {
      CAPTURE(a.name);
      CAPTURE(d);
      const int64_t estimate = qcsrTilesOf(p, d).padded16;
      const int64_t counted = countedIn(a, 1, d).padded16;
      CAPTURE(estimate);
      CAPTURE(counted);
      CHECK(isNear(static_cast<double>(estimate), counted, 1.2));
      if (d >= a.cols)
        CHECK(estimate == counted);
    }
  }
}

TEST_CASE("a sample that missed all entries leaves estimates within the matrix") {
  SparsityProfile p = profile(llvm::cantFail(generateFamily("random:k=9,rows=3000")).view());
  p.blockFill.sampledEntries = 0;
  p.reuse[0] = {1, 0, {}};
  for (int64_t d : kSizes) {
    const QcsrTiles tiles = qcsrTilesOf(p, d);
    CHECK(tiles.segments >= p.rows);
    CHECK(tiles.segments <= p.nnz);
    CHECK(tiles.tiles <= p.nnz);
  }
}
