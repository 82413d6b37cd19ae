// Tests that profiles on the GPU equal the host's, whatever the order in which warps run; and that
// a pattern is the same for both.
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"
#include "models/signature/signature.h"
#include "runtime/session.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

void checkProfile(const CsrMatrix &a) {
  Machine machine = gpuMachine();
  const SparsityProfile host = profile(a.view());
  for (int run = 0; run < 3; ++run) {
    Session session(a.view(), {}, machine);
    const auto identified = llvm::cantFail(session.identified());
    const Profiled seen = llvm::cantFail(profileMatrix(a.view(), machine));
    CHECK(serializeProfile(seen.profile) == serializeProfile(host));
    REQUIRE(identified);
    CHECK(identified->pattern == seen.pattern);
  }
}

// A band with this many diagonals; each row has every second of them.
CsrMatrix bandOf(int rows, int diagonals) {
  CsrMatrix a;
  a.rows = rows;
  a.cols = rows + diagonals;
  for (int row = 0; row < rows; ++row) {
    for (int k = row % 2; k < diagonals; k += 2)
      a.col.push_back(row + k);
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.val.assign(a.col.size(), 1);
  return a;
}

} // namespace

TEST_CASE("a GPU's profile is the host's: families") {
  for (const char *spec :
       {"stencil27:n=30", "elasticity:n=14", "qcd:l=8", "powerlaw:rows=300000,avg=9,max=9000",
        "rmat:scale=15", "circuit:rows=200000", "random:k=300,rows=4000",
        "dense:rows=40,cols=60000"}) {
    INFO(spec);
    checkProfile(llvm::cantFail(generateFamily(spec)));
  }
}

TEST_CASE("a GPU counts diagonals up to their limit, and no diagonal twice") {
  for (int diagonals : {255, 256, 257}) {
    CAPTURE(diagonals);
    checkProfile(bandOf(200000, diagonals));
  }
}
