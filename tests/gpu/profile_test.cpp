// Tests that profiles and facts about values on the GPU equal the host's, whatever the order in
// which warps run; and that a pattern is the same for both.
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"
#include "models/signature/signature.h"
#include "runtime/plan/session.h"

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

TEST_CASE("a GPU finds the facts about values that the host finds") {
  Machine machine = gpuMachine();
  for (const char *spec : {"stencil27:n=60", "random:k=20,rows=100000", "dense:rows=40,cols=60000"})
    for (int distinct : {0, 1, 2, 255, 256, 257, 100000}) {
      INFO(spec);
      CAPTURE(distinct);
      CsrMatrix a = llvm::cantFail(generateFamily(spec)); // 0: with its own values
      for (size_t e = 0; e < a.val.size() && distinct > 0; ++e)
        a.val[e] = static_cast<double>(e * 7919 % static_cast<size_t>(distinct)) - 100;
      const std::vector<float> narrow(a.val.begin(), a.val.end());
      CsrView view = a.view();
      CHECK(llvm::cantFail(valueFactsOf(view, machine)) == valueFacts(view));
      view.valueType = ValueType::f32;
      view.val = narrow.data();
      CHECK(llvm::cantFail(valueFactsOf(view, machine)) == valueFacts(view));
    }
}

TEST_CASE("a GPU counts the entries of columns as the host does") {
  Machine machine = gpuMachine();
  for (const char *spec : {"rmat:scale=17", "random:k=20,rows=100000", "dense:rows=40000,cols=60",
                           "features:rows=100000,cols=200000,k=20", "empty:n=3", "diagonal:n=1"}) {
    INFO(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    for (int run = 0; run < 2; ++run) {
      Session session(a.view(), {}, machine);
      CHECK(*llvm::cantFail(session.columnDegrees()) == columnDegrees(a.view()));
    }
  }
}

TEST_CASE("a GPU finds one entry that differs from its diagonal") {
  Machine machine = gpuMachine();
  for (int diagonals : {5, 64, 65}) {
    CAPTURE(diagonals);
    CsrMatrix a = bandOf(200000, diagonals);
    for (int64_t row = 0; row < a.rows; ++row)
      for (auto e = static_cast<size_t>(a.rowPtr[static_cast<size_t>(row)]);
           e < static_cast<size_t>(a.rowPtr[static_cast<size_t>(row) + 1]); ++e)
        a.val[e] = static_cast<double>((a.col[e] - row) % 3);
    CHECK(llvm::cantFail(valueFactsOf(a.view(), machine)).constantAlongDiagonals ==
          (diagonals <= 64));
    a.val[a.val.size() / 2] = 7;
    CHECK_FALSE(llvm::cantFail(valueFactsOf(a.view(), machine)).constantAlongDiagonals);
  }
}
