// Plans that plans() did not make, as an older version, another machine or a collision may leave in
// a cache.
#pragma once

#include "models/plan.h"

#include <limits>
#include <numeric>
#include <vector>

namespace specmv::testing {

inline constexpr int64_t kOdd[] = {
    std::numeric_limits<int64_t>::min(), -1, 0, 3, 1LL << 40, 1LL << 62,
    std::numeric_limits<int64_t>::max()};

// Returns the list without an item, with one changed or doubled, reversed, empty and far too long.
inline std::vector<std::vector<int64_t>> oddListsOf(const std::vector<int64_t> &list) {
  std::vector<std::vector<int64_t>> out = {{}, {list.rbegin(), list.rend()}};
  for (size_t i = 0; i < list.size(); i += 1 + list.size() / 2) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    out.push_back(list);
    out.back().erase(out.back().begin() + at);
    out.push_back(list);
    out.back().insert(out.back().begin() + at, list[i]);
    for (int64_t odd : kOdd) {
      out.push_back(list);
      out.back()[i] = odd;
    }
  }
  out.emplace_back(kMaxListLength, 0);
  std::iota(out.back().begin(), out.back().end(), -100);
  return out;
}

// Returns invalid values for a number of a plan, and values that would be valid elsewhere.
inline std::vector<int64_t> oddNumbersFor(int64_t number) {
  std::vector<int64_t> out(std::begin(kOdd), std::end(kOdd));
  for (int64_t near : {int64_t(1), number - 1, number + 1, number / 2, 2 * number})
    if (near != number)
      out.push_back(near);
  return out;
}

// Returns the plan with each of its numbers changed, and without it.
inline std::vector<Plan> mutantsOf(const Plan &plan) {
  std::vector<Plan> out;
  for (size_t i = 0; i < plan.integers.size(); ++i) {
    for (int64_t odd : oddNumbersFor(plan.integers[i].second)) {
      out.push_back(plan);
      out.back().integers[i].second = odd;
    }
    out.push_back(plan);
    out.back().integers.erase(out.back().integers.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (size_t i = 0; i < plan.lists.size(); ++i)
    for (const std::vector<int64_t> &odd : oddListsOf(plan.lists[i].second)) {
      out.push_back(plan);
      out.back().lists[i].second = odd;
    }
  for (double odd : {-1.0, 0.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    if (!plan.reals.empty()) {
      out.push_back(plan);
      out.back().reals[0].second = odd;
    }
  return out;
}

} // namespace specmv::testing
