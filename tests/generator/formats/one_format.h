// Utilities for the tests of single formats: the offer for a matrix, the packing of a plan, and the
// reasons of refusals.
#pragma once

#include "tests/generator/edge_matrices.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace specmv::testing {

inline constexpr Problem kDouble{ValueType::f64};

inline Offer offerOf(const SparsityProfile &seen, const std::string &format,
                     const Fixed &fixed = {}, const Problem &problem = kDouble,
                     const std::string &values = {}) {
  const PlanRequest request{seen, problem, h200(), fixed, values};
  return shortened(std::move(llvm::cantFail(offers(request, {format})).at(0)), request);
}

inline Offer offerOf(const CsrMatrix &a, const std::string &format, const Fixed &fixed = {},
                     const Problem &problem = kDouble, const std::string &values = {}) {
  return offerOf(profile(a.view()), format, fixed, problem, values);
}

// Returns the traffic of the format's first plan, on an H200 with another value of a rate.
inline Traffic trafficWith(const SparsityProfile &seen, const std::string &format,
                           const Problem &problem, const std::string &rate, double value) {
  GpuModel gpu = h200();
  gpu.rates.set(rate, value);
  const Fixed none;
  return findFormat(format)->traffic({seen, problem, gpu, none},
                                     offerOf(seen, format, none, problem).plans.at(0));
}

// Packs the matrix, with Valued's values of seed 1, by the plan's format.
inline llvm::Expected<Layout> layoutOf(const CsrMatrix &a, const Plan &plan,
                                       const Problem &problem = kDouble) {
  return findFormat(plan.format)->layout(Valued(a.view(), problem.type, 1).view(), plan, problem);
}

// Returns the reason why the plan does not apply to the matrix; it must not apply.
inline std::string refusal(const CsrMatrix &a, const Plan &plan) {
  auto layout = layoutOf(a, plan);
  REQUIRE_FALSE(static_cast<bool>(layout));
  const auto [status, sentence] = describe(layout.takeError());
  CHECK(status == Status::notApplicable);
  return sentence;
}

// Returns the plan with one of its numbers changed.
inline Plan planWith(Plan plan, const std::string &name, int64_t to) {
  for (auto &[key, value] : plan.integers)
    if (key == name)
      value = to;
  return plan;
}

using SlotEntry = std::array<int64_t, 3>; // row, column and slot

// Returns all entries of the matrix with the slots that a layout gives them, in their order.
inline std::vector<SlotEntry> slotEntriesOf(const CsrMatrix &a, const Layout &layout) {
  std::vector<SlotEntry> out;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      out.push_back({row, a.col[e], layout.slots[e]});
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace specmv::testing
