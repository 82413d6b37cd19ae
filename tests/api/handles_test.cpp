// Tests of invalid handles, of errno, and of the header's macros.
#include "tests/api/api_testing.h"

#include <cerrno>
#include <cstring>

using namespace apitest;

TEST_CASE("the macros of the version and of the first options are those of the library") {
  CHECK(specmvGetVersion() == SPECMV_VERSION);
  const specmvPlanOptions_t first = SPECMV_PLAN_OPTIONS_INIT;
  specmvPlanOptions_t zeros;
  memset(&zeros, 0, sizeof zeros);
  zeros.structSize = sizeof zeros;
  CHECK(first.structSize == zeros.structSize);
  CHECK(first.formats == nullptr);
  CHECK(first.structureOf == nullptr);
  CHECK(first.expectedProducts == 0);
  CHECK(first.vectorsOnGpu == 0);
}

TEST_CASE("what is no handle, or a handle of another kind, is refused by every function") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(5, 5, 2);
  Matrix matrix(a);
  Plan plan(matrix, hostOptions());
  std::vector<uint64_t> noHandle(64, 7);
  const double one = 1;
  std::vector<double> x(5), y(5);
  const char *text = nullptr;
  int ready = 0;
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  for (void *wrong : {static_cast<void *>(noHandle.data()),
                      static_cast<void *>(static_cast<specmvMatrix_t>(matrix))}) {
    auto *const p = static_cast<specmvPlan_t>(wrong);
    CHECK(specmvExecute(p, &one, x.data(), &one, y.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("is not a handle of its kind: it is of another kind, was destroyed"));
    CHECK(specmvUpdateValues(p, x.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvPlanReady(p, &ready) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvPlanWait(p) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvPlanCancel(p) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvGetPlanText(p, &text) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvGetPlanReport(p, &text) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvGetPlanTarget(p, &target) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvGetPlanSetup(p, nullptr, nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(specmvDestroyPlan(p) == SPECMV_STATUS_INVALID_VALUE);
    specmvPlanOptions_t options = hostOptions();
    options.structureOf = p;
    specmvPlan_t made = nullptr;
    CHECK(specmvCreatePlan(&made, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("structureOf"));
  }
  specmvPlan_t made = nullptr;
  CHECK(specmvCreatePlan(&made, reinterpret_cast<specmvMatrix_t>(noHandle.data()), nullptr) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvDestroyMatrix(reinterpret_cast<specmvMatrix_t>(static_cast<specmvPlan_t>(plan))) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("errno is the caller's, whether a call succeeds or fails") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(50, 50, 3);
  errno = 42;
  {
    Matrix matrix(a);
    Plan plan(matrix, hostOptions());
    CHECK(errno == 42);
    CHECK(specmvAddPack("/nowhere/at/all.pack") != SPECMV_STATUS_SUCCESS);
    CHECK(errno == 42);
  }
  CHECK(errno == 42);
}
