// Tests of working sets of x: shares counted by hand, and the effect of sorting.
#include "generator/shared/gathers.h"

#include "models/lab/families/families.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Problem kOfDouble{ValueType::f64};
const Fixed kNotFixed;

// For groups of `rows` rows, taking every `every`-th of consecutive rows, returns the share of the
// entries that are the first in their sector of x.
double countedShare(const CsrMatrix &a, int64_t rows, int64_t every) {
  int64_t first = 0, entries = 0;
  for (int64_t begin = 0; begin + rows * every <= a.rows; begin += rows * every) {
    std::set<int32_t> sectors;
    for (int64_t row = begin; row < begin + rows * every; row += every)
      for (int32_t k = a.rowPtr[row]; k < a.rowPtr[row + 1]; ++k, ++entries)
        first += sectors.insert(a.col[k] / 4).second ? 1 : 0;
  }
  return static_cast<double>(first) / static_cast<double>(entries);
}

double shareOf(const CsrMatrix &a, double rows, double every) {
  const SparsityProfile seen = profile(a.view());
  return firstOfTileOfSome({seen, kOfDouble, h200(), kNotFixed}, sectorLevel(ValueType::f64), rows,
                           every);
}

} // namespace

TEST_CASE("the shares of consecutive rows are those that are counted") {
  // Twenty random columns in a window of 2,000 around the diagonal.
  const CsrMatrix a = llvm::cantFail(generateFamily("band:rows=60000,k=20,half=1000"));
  for (const int64_t rows : {1, 32, 256})
    CHECK(shareOf(a, static_cast<double>(rows), 1) ==
          doctest::Approx(countedShare(a, rows, 1)).epsilon(0.02));
}

TEST_CASE("rows that sorting takes apart share fewer sectors, as many as are counted") {
  const CsrMatrix a = llvm::cantFail(generateFamily("band:rows=60000,k=20,half=1000"));
  for (const int64_t every : {2, 4, 8}) {
    const double share = shareOf(a, 32, static_cast<double>(every));
    CHECK(share == doctest::Approx(countedShare(a, 32, every)).epsilon(0.1));
    CHECK(share > shareOf(a, 32, 1));
  }
}

TEST_CASE("rows far apart share nothing beyond what each of them does itself") {
  const CsrMatrix a = llvm::cantFail(generateFamily("blocks:rows=90000,b=4,k=5,band=50"));
  const double ofOne = shareOf(a, 1, 1);
  CHECK(ofOne == doctest::Approx(countedShare(a, 1, 1)).epsilon(0.02));
  CHECK(shareOf(a, 32, 1) < 0.5 * ofOne);
  CHECK(shareOf(a, 32, 500) == doctest::Approx(ofOne).epsilon(0.2));
  CHECK(shareOf(a, 32, 500) <= ofOne + 1e-12);
}

TEST_CASE("a cache misses no less where sorting takes rows apart") {
  const CsrMatrix a = llvm::cantFail(generateFamily("band:rows=60000,k=20,half=1000"));
  const SparsityProfile seen = profile(a.view());
  const PlanRequest in{seen, kOfDouble, h200(), kNotFixed};
  for (const double sectors : {100.0, 1000.0, 10000.0}) {
    double before = 0;
    for (const double every : {1.0, 1.5, 4.0, 64.0}) {
      const double missed = missesOfGroups(in, sectors, 256, every);
      CHECK(missed >= before);
      CHECK(missed <= 1);
      before = missed;
    }
  }
}
