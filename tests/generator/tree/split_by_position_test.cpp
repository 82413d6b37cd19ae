// Tests of plans that are split by position: which part gets an entry, where its value goes, and
// which matrices a split refuses.
#include "generator/tree/split_by_position.h"

#include "generator/formats/coo/part.h"
#include "generator/formats/ell/part.h"
#include "generator/shared/lengths.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr SplitByPosition kTrial{"trial",    kEllPart,      kTripletPart,
                                 key::kHybK, hybThresholds, key::kHybTail};

Plan trialPlan(int64_t k, bool hasTail) {
  return {
      .format = "trial",
      .integers = {{"hyb.k", k}, {"block", 64}, {"tail", hasTail}, {"offset", 32}, {"column", 32}}};
}

// Tells whether entry e, at position k of its row, has the slot of its part.
bool hasItsSlot(const CsrMatrix &a, const Layout &layout, int64_t row, int64_t position, int64_t e,
                int64_t k, int64_t inFront) {
  const int64_t slot = layout.slots[static_cast<size_t>(e)];
  if (position < k)
    return slot == position * ellStride(a.rows) + row;
  return slot == k * ellStride(a.rows) + inFront;
}

} // namespace

TEST_CASE("the head of a split gets the first K entries of each row, the tail the entries beyond") {
  for (const CsrMatrix &a : edgeMatrices())
    for (int64_t k : {0, 1, 3, 40}) {
      const TailCount tail = tailOf(a.view(), k);
      CAPTURE(a.name);
      CAPTURE(k);
      CHECK(tail.entries == tailOf(profile(a.view()), k).entries);
      CHECK(tail.rows == tailOf(profile(a.view()), k).rows);
      const Plan plan = trialPlan(k, tail.entries > 0);
      const Layout layout = llvm::cantFail(kTrial.pack(a.view(), plan, kDouble));
      int64_t inFront = 0, wrong = 0;
      for (int64_t row = 0; row < a.rows; ++row)
        for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
          const int64_t position = e - a.rowPtr[row];
          wrong += !hasItsSlot(a, layout, row, position, e, k, inFront);
          inFront += position >= k;
        }
      CHECK(wrong == 0);
      CHECK(inFront == tail.entries);
      CHECK(layout.find("val")->count() == k * ellStride(a.rows) + tail.entries);
      CHECK((layout.find("tailCol") != nullptr) == (tail.entries > 0));
    }
}

TEST_CASE(
    "a split without a position leaves the order of the entries, and its head has no columns") {
  constexpr SplitByPosition whole{"trial", kEllPart, kTripletPart};
  const CsrMatrix a = matrixOf("rows of 0 to 6", 40, 100, [](int64_t i) { return run(i, i % 7); });
  const Plan plan{.format = "trial", .integers = {{"block", 64}, {"offset", 32}, {"column", 32}}};
  const Layout layout = llvm::cantFail(whole.pack(a.view(), plan, kDouble));
  CHECK(layout.slots.empty());
  const Leaves leaves = whole.leaves(plan, dimensionsOf(a.view()), tailOf(a.view(), 0));
  REQUIRE(leaves.size() == 2);
  CHECK(leaves[0].share.width() == 0);
  CHECK(leaves[0].share.entries == 0);
  CHECK(leaves[1].share.entries == a.nnz());
}

TEST_CASE("a split refuses a matrix whose tail is not the plan's") {
  const CsrMatrix even = evenMatrix(64, 5);
  const std::string why =
      llvm::toString(kTrial.pack(even.view(), trialPlan(5, true), kDouble).takeError());
  CHECK(contains(why, "tail = 1"));
  CHECK(contains(why, "0 entries beyond the first hyb.k = 5"));
  CHECK(contains(llvm::toString(kTrial.pack(even.view(), trialPlan(4, false), kDouble).takeError()),
                 "64 entries beyond the first hyb.k = 4"));
}

TEST_CASE("the price of a split counts the arrays of all its parts once") {
  const CsrMatrix a =
      matrixOf("uneven", 300, 900, [](int64_t i) { return run(i, i % 50 == 0 ? 200 : i % 9); });
  const SparsityProfile p = profile(a.view());
  const Fixed fixed;
  const PlanRequest request{p, kDouble, h200(), fixed};
  for (int64_t k : {0, 2, 8}) {
    const Plan plan = trialPlan(k, true);
    const Layout layout = llvm::cantFail(kTrial.pack(a.view(), plan, kDouble));
    const Traffic t = kTrial.traffic(request, plan);
    CHECK(t.storedBytes == layout.storedBytes());
    CHECK(t.slots == layout.find("val")->count());
    CHECK(t.launches == 2);
  }
}

TEST_CASE("the plan of a general kernel has the position as an argument in all of its parts") {
  const Plan plan = trialPlan(3, true).with(key::kHybK, kAsArgument);
  const Leaves leaves = kTrial.leaves(plan);
  REQUIRE(leaves.size() == 2);
  CHECK(leaves[0].share.hasWidthAsArgument());
  CHECK(contains(kTrial.source(plan, kDouble).text, ".width = width"));
  CHECK(!contains(kTrial.source(trialPlan(3, true), kDouble).text, ".width = width"));
}
