// Finds facts about values on the host executor, with the kernels for a GPU, and compares with the
// host's.
#include "generator/setup/profile.h"

#include "models/lab/families/families.h"
#include "models/profile/profile.h"
#include "tests/models/profile/band_matrix.h"
#include "tests/simt/packing_testing.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace specmv;
using namespace specmv::simt;

namespace {

// Compares for both index types, with the number of diagonals and without it, each time with
// another order of the lanes.
template <class Value> void checkFacts(const CsrView &pattern, const std::vector<Value> &values) {
  static unsigned times = 0;
  for (IndexType index : {IndexType::i32, IndexType::i64})
    withIndices(pattern, index, [&](CsrView a) {
      a.valueType = sizeof(Value) == 4 ? ValueType::f32 : ValueType::f64;
      a.val = values.data();
      const ValueFacts host = valueFacts(a);
      const unsigned seed = times++ / 2 % 3;
      HostWorkspace workspace(a, seed);
      auto seen = valueFactsOn(workspace);
      if (!seen) {
        FAIL_CHECK(describe(seen.takeError()).second);
        return false;
      }
      CHECK(seen->text() == host.text());
      CHECK(*seen == host);
      HostWorkspace again(a, seed);
      CHECK(llvm::cantFail(valueFactsOn(again, profile(a).occupiedDiagonals)) == host);
      return true;
    });
}

template <class Value> void checkBoth(const CsrView &pattern, std::mt19937_64 &random) {
  const auto nnz = static_cast<size_t>(pattern.nnz);
  const uint64_t kinds[] = {1, 2, 3, 40, 255, 256, 257, 100000};
  for (uint64_t kind : kinds) {
    CAPTURE(kind);
    std::vector<Value> values(nnz);
    for (Value &value : values)
      value = static_cast<Value>(static_cast<double>(random() % kind) - 100);
    checkFacts(pattern, values);
    if (nnz == 0)
      return;
    for (double odd : {0.1, -0.0, 65520.0, double(INFINITY), std::nan("")}) {
      values[random() % nnz] = static_cast<Value>(odd);
      checkFacts(pattern, values);
    }
  }
  std::vector<Value> bits(nnz);
  for (Value &value : bits) {
    const uint64_t word = random();
    std::memcpy(&value, &word, sizeof value);
  }
  checkFacts(pattern, bits);
}

// One entry may differ from its diagonal.
CsrMatrix constantBand(int rows, int diagonals, bool isWrong) {
  CsrMatrix a = bandMatrix(rows, diagonals, [](int diagonal) { return 1.0 / (diagonal + 1); });
  if (isWrong)
    a.val[a.val.size() * 2 / 3] = 1;
  return a;
}

} // namespace

TEST_CASE("a GPU finds the facts that the host finds: random values") {
  std::mt19937_64 random(11);
  for (const char *spec : {"stencil5:n=30", "random:k=7,rows=400", "empty:n=3", "diagonal:n=1",
                           "diagonal:n=2500", "dense:rows=3,cols=257"}) {
    INFO(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    checkBoth<double>(a.view(), random);
    checkBoth<float>(a.view(), random);
  }
}

TEST_CASE("a GPU compares values along diagonals as the host does") {
  for (int diagonals : {1, 5, 63, 64, 65, 256, 257})
    for (bool isWrong : {false, true}) {
      CAPTURE(diagonals);
      const CsrMatrix a = constantBand(700, diagonals, isWrong);
      checkFacts(a.view(), a.val);
      checkFacts(a.view(), std::vector<float>(a.val.begin(), a.val.end()));
      checkFacts(a.view(), std::vector<double>(a.val.size(), 1));
      CHECK(valueFacts(a.view()).constantAlongDiagonals ==
            (diagonals <= 64 && (!isWrong || diagonals == 1)));
    }
}
