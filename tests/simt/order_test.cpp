// Orders rows on the host executor with the kernels for a GPU, and compares with the host's order;
// and runs products of plans with an order.
#include "generator/order/search.h"

#include "models/lab/families/families.h"
#include "tests/simt/ordered_cases.h"
#include "tests/simt/packing_testing.h"
#include "tests/simt/slots_testing.h"

#include <cstdlib>
#include <numeric>

using namespace specmv;
using namespace specmv::simt;

namespace {

void checkOrderOn(const CsrView &a, unsigned seed) {
  auto host = orderOf(a);
  HostWorkspace workspace(a, seed);
  auto device = orderOn(workspace);
  REQUIRE(static_cast<bool>(host) == static_cast<bool>(device));
  if (host)
    CHECK(*host == *device);
  else
    CHECK(refusalOf(host) == refusalOf(device));
}

// A path of so many rows, whose neighbours in the path are neighbours in the matrix.
CsrMatrix path(int32_t rows) {
  CsrMatrix out{.name = "path", .rows = rows, .cols = rows, .col = {}, .val = {}};
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t col : {row - 1, row, row + 1})
      if (col >= 0 && col < rows)
        out.col.push_back(col);
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  out.val.assign(out.col.size(), 1);
  return out;
}

} // namespace

TEST_CASE("a GPU orders rows as the host does") {
  for (const TestMatrix &matrix : orderedMatrices()) {
    INFO(matrix.name);
    for (const IndexType index : {IndexType::i32, IndexType::i64})
      withIndices(matrix.view(ValueType::f64, nullptr), index, [](const CsrView &a) {
        for (unsigned seed = 0; seed < 2; ++seed)
          checkOrderOn(a, seed);
        return true;
      });
  }
}

TEST_CASE("a GPU orders rows as the host does: wide fronts, many parts, one long path") {
  // A front of more rows than one block takes; parts that no search reaches from another one; rows
  // that are left when a search has had its levels.
  for (const char *spec : {"random:k=8,rows=12000", "hypersparse:rows=9000", "rmat:scale=9",
                           "stencil27:n=12", "diagonal:n=9000"}) {
    INFO(spec);
    checkOrderOn(llvm::cantFail(generateFamily(spec)).view(), 1);
  }
  // The search ends before the path; with all lanes in turn that takes a while.
  const bool isLong = std::getenv("SPECMV_SIMT_LONG") != nullptr;
  checkOrderOn(path(isLong ? 2 * kMostLevels + 3 : 5 * kLevelsPerLaunch).view(), 1);
}

TEST_CASE("a GPU packs the matrix in the order of a plan as the host does") {
  const std::vector<TestMatrix> matrices = orderedMatrices();
  for (const TestCase &test : orderedCases(matrices)) {
    // Packing does not depend on the result, nor on where alpha and beta are.
    if (test.plan.isGeneral || test.problem.scalarsAreOnGpu)
      continue;
    checkPacking(*test.matrix, test.plan.plan, test.problem, IndexType::i32, 1);
    if (test.matrix->name == "mesh" && test.problem.type == ValueType::f64)
      checkPacking(*test.matrix, test.plan.plan, test.problem, IndexType::i64, 0);
  }
}

TEST_CASE("slots of new values follow the order that a plan has, which nobody makes again") {
  const std::vector<TestMatrix> matrices = orderedMatrices();
  const TestMatrix &mesh = matrices.back();
  std::vector<double> values(mesh.col.size());
  std::iota(values.begin(), values.end(), 1.0);
  const CsrView a = mesh.view(ValueType::f64, values.data());
  Order order; // no search gives it
  for (auto row = static_cast<int32_t>(a.rows); row-- > 0;)
    order.rowAt.push_back(row);
  for (const char *text :
       {"csr-vector csr.lanes=4 block=256 offset=32 column=32 order=bfs",
        "sell sell.slice=32 sell.sigma=1 sell.lanes=1 block=256 blocksPerSm=0 offset=32 column=32 "
        "order=bfs"}) {
    INFO(std::string(text));
    const auto plan = parsePlan(text);
    REQUIRE(plan);
    const Problem problem;
    const Layout host =
        llvm::cantFail(findFormat(plan->format)->layout(a, *plan, problem, {.order = &order}));
    CHECK(wrongSlots(a, *plan, problem, host, 1, &order) == "");
  }
}
