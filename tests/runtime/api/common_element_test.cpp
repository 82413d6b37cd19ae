// Tests the decision whether two groups of vectors have an element in common, against counting.
#include "runtime/api/staged_product.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace specmv;

namespace {

constexpr size_t kUnit = 8;

// Vectors at element `at` of the address space; by rows or by columns.
CallerVectors group(int64_t at, int64_t length, int64_t count, int64_t leading, bool areRows) {
  return {reinterpret_cast<void *>(static_cast<uintptr_t>(at) * kUnit),
          length,
          count,
          areRows ? leading : 1,
          areRows ? 1 : leading,
          "v"};
}

std::set<int64_t> elementsOf(const CallerVectors &v) {
  const auto at = static_cast<int64_t>(reinterpret_cast<uintptr_t>(v.pointer) / kUnit);
  std::set<int64_t> out;
  for (int64_t i = 0; i < v.length; ++i)
    for (int64_t j = 0; j < v.count; ++j)
      out.insert(at + i * v.stride + j * v.step);
  return out;
}

bool meetByCounting(const CallerVectors &a, const CallerVectors &b) {
  const std::set<int64_t> ofA = elementsOf(a), ofB = elementsOf(b);
  return std::any_of(ofA.begin(), ofA.end(), [&](int64_t e) { return ofB.contains(e); });
}

} // namespace

TEST_CASE("groups of vectors meet if and only if counting finds an element of both") {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % uint64_t(n)); };
  int met = 0, interleaved = 0;
  constexpr int kRounds = 60000;
  for (int round = 0; round < kRounds; ++round) {
    const bool areRows = below(2) == 0;
    const auto one = [&](int64_t at) {
      const int64_t length = below(7), count = below(5),
                    least = std::max<int64_t>(1, areRows ? count : length);
      return group(at, length, count, least + below(9), areRows);
    };
    const CallerVectors a = one(1000 + below(40)), b = one(1000 + below(40));
    const bool meet = meetByCounting(a, b);
    CAPTURE(round);
    REQUIRE(haveCommonElement(a, b, kUnit) == meet);
    met += meet;
    interleaved += !meet && a.extent() > 0 && b.extent() > 0 && b.pointer > a.pointer &&
                   static_cast<const std::byte *>(b.pointer) <
                       static_cast<const std::byte *>(a.pointer) + size_t(a.extent()) * kUnit;
  }
  CHECK(met > kRounds / 10);
  CHECK(interleaved > kRounds / 100);
}

TEST_CASE("groups as large as a call may pass are decided exactly, and at once") {
  constexpr int64_t kBase = int64_t{1} << 40, kMany = int64_t{1} << 24;
  // Every other element; then lines whose distances have no common factor.
  const CallerVectors even = group(kBase, kMany, 1, 2, true);
  CHECK_FALSE(haveCommonElement(even, group(kBase + 1, kMany, 1, 2, true), kUnit));
  CHECK(haveCommonElement(even, group(kBase + 1, kMany, 1, 3, true), kUnit));
  CHECK_FALSE(haveCommonElement(even, group(kBase + 1, kMany, 1, kMany, true), kUnit));
  CHECK(haveCommonElement(even, group(kBase + 2 * (kMany - 1), 1, 1, 1, false), kUnit));
  CHECK_FALSE(haveCommonElement(even, group(kBase + 2 * kMany - 1, 1, 1, 1, false), kUnit));
  // Lines at multiples of 3 k and 3 k' + 1 meet only if a line has more than one element.
  const int64_t a = 3 * ((int64_t{1} << 20) + 7), b = 3 * ((int64_t{1} << 20) - 11);
  CHECK_FALSE(haveCommonElement(group(kBase, kMany, 1, a, true),
                                group(kBase + 1, kMany, 1, b, true), kUnit));
  CHECK(haveCommonElement(group(kBase, kMany, 2, a, true), group(kBase + 1, kMany, 1, b, true),
                          kUnit));
}
