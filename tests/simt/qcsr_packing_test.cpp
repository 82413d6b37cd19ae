// Tests of QCSR's packing on a GPU with matrices of several blocks: equal to the host's to the
// byte, or left to the host, or refused with the same message.
#include "generator/formats/qcsr/qcsr.h"
#include "tests/shard.h"
#include "tests/simt/packing_testing.h"
#include "tests/simt/qcsr_cases.h"

#include <algorithm>

using namespace specmv;
using namespace specmv::simt;

namespace {

Packs packsCase(const QcsrCase &of, unsigned seed) {
  return checkPacking(*of.matrix, of.plan, of.problem, of.csrIndex, seed);
}

bool columnsAscend(const TestMatrix &a) {
  for (size_t row = 0; row + 1 < a.rowPtr.size(); ++row)
    if (!std::is_sorted(a.col.begin() + a.rowPtr[row], a.col.begin() + a.rowPtr[row + 1]))
      return false;
  return true;
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("QCSR in slices of many chunks is packed on a GPU as on the host") {
    const std::vector<QcsrCase> cases = qcsrCases();
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < cases.size(); i += count)
      CHECK(packsCase(cases[i], static_cast<unsigned>(i % 3)) ==
            (cases[i].isOnDevice ? Packs::device : Packs::host));
  }

} // TEST_SUITE

TEST_CASE("QCSR in slices is left to the host where columns do not ascend, and for zero-copy") {
  const std::vector<TestMatrix> matrices = caseMatrices();
  for (const TestCase &test : testCases(matrices)) {
    const Plan &plan = test.plan.plan;
    if (plan.format != "qcsr" || plan.get(key::kQcsrSlices) == 0)
      continue;
    INFO(test.name());
    const bool isOnDevice = columnsAscend(*test.matrix) && plan.get(key::kQcsrZerocopy) == 0;
    CHECK(checkPacking(*test.matrix, plan, test.problem, IndexType::i32, 0) ==
          (isOnDevice ? Packs::device : Packs::host));
  }
}

TEST_CASE("a window that is too small for QCSR is refused as on the host") {
  QcsrCase narrow = qcsrCases().at(0);
  narrow.plan.set(key::kQcsrWindow, 300);
  CHECK(packsCase(narrow, 0) == Packs::nobody);
}

TEST_CASE("a segment that is too long to be sorted on a GPU is left to the host") {
  QcsrCase one = qcsrCases().at(7);
  REQUIRE(one.plan.get(key::kQcsrRows) == 4096);
  constexpr int32_t kLength = 1 << 20;
  one.matrix = std::make_shared<TestMatrix>(TestMatrix{
      "one column again and again", 1, 9, {0, kLength}, std::vector<int32_t>(kLength, 3), false});
  CHECK(packsCase(one, 0) == Packs::host);
}
