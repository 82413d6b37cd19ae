// Tests of DIA: which places count as holes, what it refuses, and what it offers.
#include "generator/formats/dia/layout.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns true if the layout marks a hole of row i on diagonal d.
bool hasHole(const Layout &layout, int64_t i, int64_t d, int64_t diagonals) {
  const int32_t set = layout.find("holeSet")->as<int32_t>()[i / 32];
  const auto *holes = layout.find("holes")->as<uint32_t>();
  return set >= 0 && (holes[set * diagonals + d] >> i % 32 & 1);
}

// The diagonals -1, 0 and 1 of n rows, without the entries that `isHole` names.
CsrMatrix threeDiagonals(int64_t n, const std::function<bool(int64_t, int64_t)> &isHole) {
  return matrixOf("three diagonals", n, n, [&](int64_t i) {
    Row row;
    for (int64_t j = std::max<int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      if (!isHole(i, j))
        row.push_back(static_cast<int32_t>(j));
    return row;
  });
}

} // namespace

TEST_CASE("DIA's holes are the places inside the matrix that lack an entry, and no others") {
  int64_t seen = 0;
  for (const CsrMatrix &a : edgeMatrices())
    for (const Plan &plan : offerOf(a, "dia").plans) {
      CAPTURE(a.name);
      const Layout layout = llvm::cantFail(layoutOf(a, plan));
      const std::vector<int64_t> offsets = plan.get(key::kDiaOffsets);
      const auto diagonals = static_cast<int64_t>(offsets.size());
      CHECK((layout.find("holes") != nullptr) == (plan.get(key::kDiaHoles) != 0));
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t d = 0; d < diagonals; ++d) {
          const int64_t j = i + offsets[static_cast<size_t>(d)];
          const bool isEntry =
              std::count(a.col.begin() + a.rowPtr[i], a.col.begin() + a.rowPtr[i + 1], j) > 0;
          const bool isHole = j >= 0 && j < a.cols && !isEntry;
          seen += isHole;
          if (plan.get(key::kDiaHoles) ? hasHole(layout, i, d, diagonals) != isHole : isHole)
            FAIL_CHECK("row ", i, ", diagonal ", offsets[static_cast<size_t>(d)]);
        }
    }
  CHECK(seen > 100);
}

TEST_CASE("equal sets of holes are stored once, and rows without holes have none") {
  // The lines of 64 points begin and end at every second group of 32 rows.
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:nx=64,ny=40"));
  const Plan plan = offerOf(a, "dia").plans.at(0);
  CHECK(plan.get(key::kDiaOffsets) == std::vector<int64_t>{-64, -1, 0, 1, 64});
  const Layout layout = llvm::cantFail(layoutOf(a, plan));
  CHECK(layout.find("holes")->count() == 2 * 5);
  CHECK(layout.find("holeSet")->count() == 80);
  const CsrMatrix wider = llvm::cantFail(generateFamily("stencil5:nx=320,ny=8"));
  const Layout other = llvm::cantFail(layoutOf(wider, offerOf(wider, "dia").plans.at(0)));
  CHECK(other.find("holes")->count() == 2 * 5);
  CHECK(std::count(other.find("holeSet")->as<int32_t>(), other.find("holeSet")->as<int32_t>() + 80,
                   -1) == 80 - 2 * 8 + 2);
  CHECK(other.storedBytes() <= trafficOf(wider, offerOf(wider, "dia").plans.at(0)).storedBytes);
}

TEST_CASE("diagonals without holes need no masks, and a plan that says so is held to it") {
  const auto none = [](int64_t, int64_t) { return false; };
  const CsrMatrix whole = threeDiagonals(100, none);
  const CsrMatrix holed =
      threeDiagonals(100, [](int64_t i, int64_t j) { return i == 57 && j == 58; });
  const Plan plan = offerOf(whole, "dia").plans.at(0);
  CHECK(plan.get(key::kDiaHoles, -1) == 0);
  const Layout layout = llvm::cantFail(layoutOf(whole, plan));
  CHECK(layout.arrays.size() == 2); // the offsets are for general kernels
  CHECK(layout.storedBytes() == 3 * 128 * 8);
  CHECK(trafficOf(whole, plan).storedBytes == 3 * 128 * 8);
  CHECK(offerOf(holed, "dia").plans.at(0).get(key::kDiaHoles, -1) == 1);
  CHECK(contains(refusal(holed, plan), "at 1 place"));
}

TEST_CASE("a repeated entry that hides a hole from the profile does not hide it from DIA") {
  CsrMatrix a = threeDiagonals(100, [](int64_t i, int64_t j) { return i == 57 && j == 58; });
  // Row 20 gets its entry right of the diagonal again, so that this diagonal counts 99 entries.
  const auto at = a.col.begin() + a.rowPtr[21];
  a.col.insert(at, 21);
  for (size_t i = 21; i < a.rowPtr.size(); ++i)
    ++a.rowPtr[i];
  const Plan plan = offerOf(a, "dia").plans.at(0);
  CHECK(plan.get(key::kDiaHoles, -1) == 0);
  CHECK(contains(refusal(a, plan), "1 place"));
}

TEST_CASE("offsets that are not the matrix's are refused with the one at fault") {
  const CsrMatrix a = threeDiagonals(100, [](int64_t, int64_t) { return false; });
  Plan plan = offerOf(a, "dia").plans.at(0);
  const auto refusalOf = [&](const std::vector<int64_t> &offsets) {
    plan.lists = {{"dia.offsets", offsets}};
    return refusal(a, plan);
  };
  CHECK(contains(refusalOf({-1, 0}), "diagonal 1,"));
  CHECK(contains(refusalOf({0, 1}), "diagonal -1,"));
  CHECK(contains(refusalOf({-1, 1, 0}), "0 at place 2"));
  CHECK(contains(refusalOf({-1, 0, 0, 1}), "0 at place 2"));
  CHECK(contains(refusalOf({-100, -1, 0, 1}), "-100 at place 0"));
  CHECK(contains(refusalOf({-1, 0, 1, 100}), "100 at place 3"));
  CHECK(contains(refusalOf({}), "diagonal -1,"));
}

TEST_CASE("too many or too empty diagonals are refused in a sentence with the numbers") {
  const CsrMatrix many =
      matrixOf("many", 300, 300, [](int64_t i) { return Row{static_cast<int32_t>(299 - i)}; });
  Offer offer = offerOf(many, "dia");
  CHECK(offer.plans.empty());
  CHECK(contains(offer.why, "more than 256 diagonals"));
  const CsrMatrix sparse = matrixOf("sparse", 1000, 1000, [](int64_t i) {
    return i % 10 == 0 && i < 900 ? Row{static_cast<int32_t>(i + i % 7)} : Row{};
  });
  offer = offerOf(sparse, "dia");
  CHECK(offer.plans.empty());
  CHECK(contains(offer.why, "7 diagonals"));
  CHECK(contains(offer.why, "90 entries"));
  CHECK(contains(offer.why, "79.6 slots")); // 7 x 1024 / 90
  const CsrMatrix half = threeDiagonals(1000, [](int64_t i, int64_t) { return i % 5 < 2; });
  CHECK_FALSE(offerOf(half, "dia").plans.empty());
  const CsrMatrix third = threeDiagonals(1000, [](int64_t i, int64_t) { return i % 3 != 0; });
  CHECK(offerOf(third, "dia").plans.empty());
}

TEST_CASE("several rows a thread are offered where diagonals are few") {
  const auto rowsOffered = [](const char *spec) {
    std::vector<int64_t> rows;
    for (const Plan &plan : offerOf(llvm::cantFail(generateFamily(spec)), "dia").plans)
      rows.push_back(plan.get(key::kDiaRows));
    return rows;
  };
  CHECK(rowsOffered("diagonal:n=100") == std::vector<int64_t>{1, 2, 4});
  CHECK(rowsOffered("stencil5:n=30") == std::vector<int64_t>{1, 2});
  CHECK(rowsOffered("stencil27:n=9") == std::vector<int64_t>{1});
}

TEST_CASE("diagonals beyond 32 bits are whole in the array for general kernels") {
  constexpr int64_t kFar = 2'900'000'000;
  const std::vector<int64_t> rowPtr{0, 1, 2}, col{kFar, kFar + 1};
  const std::vector<double> val{1, 2};
  const CsrView a{2,          3'000'000'000, 2, IndexType::i64, ValueType::f64, rowPtr.data(),
                  col.data(), val.data()};
  const auto plan = parsePlan("dia dia.rows=1 holes=0 block=256 offset=32 column=64 dia.offsets=[" +
                              std::to_string(kFar) + "]");
  REQUIRE(plan);
  const Layout layout = llvm::cantFail(findFormat("dia")->layout(a, *plan, {}));
  const LayoutArray *offsets = layout.find("offsets");
  REQUIRE(offsets);
  REQUIRE(offsets->type == ElementType::i64);
  CHECK(offsets->as<int64_t>()[0] == kFar);
}
