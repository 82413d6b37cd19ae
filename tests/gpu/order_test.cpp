// Tests orders of rows and columns on a GPU: it makes the order and packs as the host does, and
// products of every format are right through the C API, also with vectors in the plan's order.
#include "generator/formats.h"
#include "generator/order/order.h"
#include "models/lab/families/families.h"
#include "runtime/build.h"
#include "runtime/plan/session.h"
#include "tests/api/into_testing.h"
#include "tests/gpu/device_vectors.h"

#include <algorithm>

using namespace specmv;

namespace {

template <class Value> apitest::Csr<int32_t, Value> csrOf(const char *spec) {
  const CsrMatrix a = llvm::cantFail(generateFamily(spec));
  apitest::Csr<int32_t, Value> out{a.rows, a.cols, a.rowPtr, a.col, {}};
  for (size_t e = 0; e < a.col.size(); ++e)
    out.val.push_back(static_cast<Value>(static_cast<int>(e * 7 % 9) - 4));
  return out;
}

specmvPlanOptions_t orderedOptions(const char *format) {
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, format);
  options.order = "bfs";
  options.updatable = 1;
  return options;
}

// Returns false if the format has no plan for the matrix.
template <class Value>
bool checkOrdered(apitest::Csr<int32_t, Value> a, const specmvPlanOptions_t &options) {
  const apitest::Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
  if (status != SPECMV_STATUS_SUCCESS) {
    CHECK_MESSAGE(status == SPECMV_STATUS_NOT_APPLICABLE, apitest::detail());
    return false;
  }
  apitest::checkInto<Value>(plan, a, vectorsOnDevice());
  for (Value &value : a.val)
    value = 3 - value;
  CHECK(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  apitest::checkInto<Value>(plan, a, vectorsOnDevice());
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return true;
}

} // namespace

TEST_CASE("orders: a GPU orders rows as the host does") {
  for (const char *spec :
       {"fem2d:rows=300000,order=random", "stencil27:n=40", "random:k=8,rows=100000",
        "road:rows=60000", "hypersparse:rows=20000", "rmat:scale=10"}) {
    CAPTURE(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    auto host = orderOf(a.view());
    Machine machine = gpuMachine();
    machine.kernels = KernelKind::specialized; // compiles what no pack has
    Session session(a.view(), {}, machine);
    auto device = session.order();
    REQUIRE(static_cast<bool>(host) == static_cast<bool>(device));
    if (host)
      CHECK((*host == **device));
    llvm::consumeError(host.takeError());
    llvm::consumeError(device.takeError());
  }
}

TEST_SUITE("products") {
  TEST_CASE_TEMPLATE("orders: every format is right, with new values", Value, float, double) {
    int made = 0;
    for (const char *spec : {"fem2d:rows=3000,order=random", "stencil7:n=9", "diagonal:n=700"}) {
      CAPTURE(spec);
      const auto a = csrOf<Value>(spec);
      for (const Format &format : formats()) {
        CAPTURE(format.name);
        specmvPlanOptions_t options = orderedOptions(format.name);
        for (const bool isOther : {false, true}) {
          options.resultApart = options.scratchPerStream = isOther;
          options.updatable = 1;
          made += checkOrdered(a, options);
        }
      }
    }
    MESSAGE(made, " plans");
    CHECK(made >= 48);
  }

  TEST_CASE("orders: vectors in the order of the plan, and the permutation") {
    const auto a = csrOf<double>("fem2d:rows=3000,order=random");
    specmvPlanOptions_t options = orderedOptions("sell,csr-vector,ell");
    options.vectorsInPlanOrder = 1;
    const apitest::Plan plan(a, options);
    const auto n = static_cast<size_t>(a.rows);
    std::vector<int64_t> rows(n), columns(n);
    REQUIRE(specmvGetPermutation(plan, rows.data(), columns.data()) == SPECMV_STATUS_SUCCESS);
    CHECK(rows == columns);
    CHECK_FALSE(std::is_sorted(rows.begin(), rows.end()));
    const auto x = apitest::integers<double>(a.cols, 3), y = apitest::integers<double>(a.rows, 4);
    std::vector<double> inOrderX(n), inOrderY(n), want = apitest::naiveProduct(a, 2.0, x, -3.0, y);
    for (size_t i = 0; i < n; ++i) {
      inOrderX[i] = x[static_cast<size_t>(columns[i])];
      inOrderY[i] = y[static_cast<size_t>(rows[i])];
    }
    const double alpha = 2, beta = -3;
    REQUIRE(specmvExecute(plan, &alpha, inOrderX.data(), &beta, inOrderY.data(), nullptr) ==
            SPECMV_STATUS_SUCCESS);
    for (size_t i = 0; i < n; ++i)
      REQUIRE(inOrderY[i] == want[static_cast<size_t>(rows[i])]);
  }

  TEST_CASE("orders: a fused step of a plan with an order") {
    const auto a = csrOf<double>("fem2d:rows=3000,order=random");
    const apitest::Plan plan(a, orderedOptions("sell"));
    specmvFusion_t fusion = SPECMV_FUSION_INIT;
    fusion.x = "p";
    fusion.epilogue = "q = 2 * ax + q;";
    fusion.vectors = "p, q";
    fusion.written = "q";
    specmvFused_t step = nullptr;
    REQUIRE_MESSAGE(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_SUCCESS,
                    apitest::detail());
    const apitest::VectorPlace place = vectorsOnDevice();
    apitest::Placed<double> p(apitest::integers<double>(a.cols, 3), place),
        q(apitest::integers<double>(a.rows, 4), place);
    const std::vector<double> want = apitest::naiveProduct(a, 2.0, p.values, 1.0, q.values);
    void *vectors[] = {p.at.get(), q.at.get()};
    REQUIRE(specmvExecuteFused(step, vectors, nullptr, nullptr) == SPECMV_STATUS_SUCCESS);
    CHECK(q.taken() == want);
    CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
  }
} // TEST_SUITE
