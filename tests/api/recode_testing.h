// Utilities for tests of new values for plans whose values have a coding. On the fake GPU kernels
// do nothing, so values come from the host, which then codes them.
#pragma once

#include "tests/api/fused_testing.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace apitest {

inline const std::string kRows = "csr-vector csr.lanes=2 block=256 offset=32 column=32";

inline specmvPlanOptions_t coded(specmvTarget_t target, const std::string &text) {
  specmvPlanOptions_t options = optionsOf(target);
  options.planText = text.c_str();
  return options;
}

inline Csr<int32_t, double> ofTwos() {
  auto a = randomCsr<int32_t, double>(40, 40, 12);
  REQUIRE(a.val.size() > 300);
  a.val.assign(a.val.size(), 2);
  return a;
}

inline std::vector<double> differing(size_t count, size_t different) {
  std::vector<double> out(count);
  for (size_t e = 0; e < count; ++e)
    out[e] = 0.1 + static_cast<double>(e % different);
  return out;
}

inline bool updates(specmvPlan_t plan, const std::vector<double> &val) {
  const specmvStatus_t status = specmvUpdateValues(plan, val.data(), nullptr);
  CHECK((status == SPECMV_STATUS_SUCCESS || !detail().empty()));
  return status == SPECMV_STATUS_SUCCESS;
}

inline bool multiplies(specmvPlan_t plan, const Csr<int32_t, double> &a) {
  const std::vector<double> x = integers<double>(a.cols, 3);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 1, beta = 0;
  return specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS &&
         y == naiveProduct(a, alpha, x, beta, y);
}

// The matrix with its rows and columns in random order.
inline Csr<int32_t, double> shuffled(const Csr<int32_t, double> &a) {
  const auto n = static_cast<size_t>(a.rows);
  std::vector<size_t> rowAt(n), placeOf(n);
  std::iota(rowAt.begin(), rowAt.end(), size_t{0});
  std::shuffle(rowAt.begin(), rowAt.end(), std::mt19937(3)); // NOLINT: the same in every run
  for (size_t i = 0; i < n; ++i)
    placeOf[rowAt[i]] = i;
  Csr<int32_t, double> out;
  out.rows = out.cols = a.rows;
  out.rowPtr = {0};
  for (const size_t row : rowAt) {
    for (auto e = static_cast<size_t>(a.rowPtr[row]); e < static_cast<size_t>(a.rowPtr[row + 1]);
         ++e) {
      out.col.push_back(static_cast<int32_t>(placeOf[static_cast<size_t>(a.col[e])]));
      out.val.push_back(a.val[e]);
    }
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

// Returns the driver calls of an update that succeeds.
inline std::string callsOf(specmvPlan_t plan, const std::vector<double> &val) {
  return fakeCallsOf([&] { CHECK_MESSAGE(updates(plan, val), detail()); });
}

// The host packs this QCSR, so that it sees what the fake GPU's kernels would not.
inline const std::string kQcsr =
    "qcsr qcsr.d=256 qcsr.slices=0 qcsr.stage=0 qcsr.zerocopy=0 "
    "qcsr.lanes=16 qcsr.align=1 qcsr.rows=32 block=256 full=0 offset=32 "
    "column=32 qcsr.fill=0.903";

} // namespace apitest
