// Tests that facts about the values of a matrix are not taken for those of its plan's order.
#include "generator/format.h"
#include "generator/order/ordered_product.h"
#include "models/profile/value_facts.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("known facts about the matrix's diagonals are not taken for those in order") {
  // Tridiagonal with a value for each diagonal, its rows and columns in another order.
  constexpr int64_t kSize = 60;
  const auto placed = [](int64_t i) { return i * 7 % kSize; };
  std::vector<int64_t> rowOf(kSize);
  for (int64_t i = 0; i < kSize; ++i)
    rowOf[static_cast<size_t>(placed(i))] = i;
  CsrMatrix a = matrixOf("shuffled band", kSize, kSize, [&](int64_t at) {
    std::vector<int32_t> columns;
    const int64_t i = rowOf[static_cast<size_t>(at)];
    for (int64_t j = std::max<int64_t>(0, i - 1); j <= std::min(kSize - 1, i + 1); ++j)
      columns.push_back(static_cast<int32_t>(placed(j)));
    std::sort(columns.begin(), columns.end());
    return columns;
  });
  a.val.resize(a.col.size());
  for (int64_t at = 0; at < kSize; ++at)
    for (int32_t e = a.rowPtr[static_cast<size_t>(at)]; e < a.rowPtr[static_cast<size_t>(at) + 1];
         ++e)
      a.val[static_cast<size_t>(e)] = a.col[static_cast<size_t>(e)] == at ? 4 : -1;
  const auto plan = parsePlan("dia dia.rows=1 holes=0 block=256 offset=32 column=32 "
                              "dia.offsets=[-1,0,1] values=diagonals order=bfs");
  REQUIRE(plan);
  const ValueFacts facts = valueFacts(a.view(), std::nullopt);
  CHECK(llvm::errorToBool(
      findFormat("dia")->layout(a.view(), unordered(*plan), {}).takeError())); // as it is
  const auto valuesWith = [&](const KnownFacts &known) {
    const Layout layout = llvm::cantFail(findFormat("dia")->layout(a.view(), *plan, {}, known));
    std::vector<double> values;
    for (const char *name : {"val0", "val1", "val2"})
      values.push_back(std::bit_cast<double>(layout.integer(name)));
    return values;
  };
  CHECK(valuesWith({}) == std::vector<double>{-1, 4, -1});
  CHECK(valuesWith({.values = &facts}) == valuesWith({}));
}
