// Tests of COO on the host: triplets in the order of the matrix, the bytes of the PMF paper, and
// HYB without an ELL part as its equal.
#include "tests/generator/formats/one_format.h"

#include "models/lab/families/families.h"
#include "models/predict/pmf/pmf.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

Plan cooPlan(const CsrMatrix &a, const Problem &problem) {
  const Offer offer = offerOf(a, "coo", {}, problem);
  REQUIRE(offer.plans.size() == 1);
  return offer.plans[0];
}

// The number of entries that a block of COO's kernel takes.
constexpr int64_t kBlockEntries = 256 * 8;

} // namespace

TEST_CASE("COO's triplets are the matrix's, row by row") {
  for (const CsrMatrix &a : edgeMatrices()) {
    CAPTURE(a.name);
    const Layout layout = llvm::cantFail(layoutOf(a, cooPlan(a, kDouble)));
    const LayoutArray &row = *layout.find("row"), &col = *layout.find("col");
    REQUIRE(row.count() == a.nnz());
    REQUIRE(col.count() == a.nnz());
    CHECK(std::equal(a.col.begin(), a.col.end(), col.as<int32_t>()));
    int64_t wrong = 0;
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
        wrong += row.as<int32_t>()[e] != i;
    CHECK(wrong == 0);
    CHECK(layout.integer("count") == a.nnz());
  }
}

TEST_CASE(
    "COO stores the bytes of the PMF paper's equation 15, and 8 for each boundary of blocks") {
  for (const CsrMatrix &a : edgeMatrices())
    for (ValueType type : kTypes) {
      CAPTURE(a.name);
      const Problem problem{type};
      const Plan plan = cooPlan(a, problem);
      const SparsityProfile p = profile(a.view());
      const auto paper =
          static_cast<int64_t>(pmfStorage({p.lengths, p.rows, p.cols, type}, h200(), 0).coo);
      const int64_t blocks = (a.nnz() + kBlockEntries - 1) / kBlockEntries;
      CHECK(trafficOf(p, plan, problem).storedBytes == paper + 8 * (blocks + 1));
      CHECK(trafficOf(p, plan, problem).storedBytes ==
            llvm::cantFail(layoutOf(a, plan, problem)).storedBytes());
    }
}

TEST_CASE("HYB with K = 0 has COO's triplets and launches the same two kernels") {
  const CsrMatrix a =
      matrixOf("long rows", 30, 5000, [](int64_t i) { return run(i, i == 11 ? 4900 : i % 4); });
  const Plan coo = cooPlan(a, kDouble);
  for (const auto &[format, hyb] : plansOf(a.view(), kDouble, {{{"hyb.k", 0}}})) {
    if (hyb.format != "hyb")
      continue;
    const Layout mine = llvm::cantFail(layoutOf(a, coo)), theirs = llvm::cantFail(layoutOf(a, hyb));
    CHECK(mine.find("row")->bytes == theirs.find("row")->bytes);
    CHECK(mine.find("col")->bytes == theirs.find("tailCol")->bytes);
    CHECK(mine.find("openFirst")->bytes == theirs.find("openFirst")->bytes);
    CHECK(mine.find("openLast")->bytes == theirs.find("openLast")->bytes);
    const Steps own = findFormat("coo")->steps(coo, kDouble, mine),
                other = format->steps(hyb, kDouble, theirs);
    REQUIRE(own.size() == 2);
    REQUIRE(other.size() == 2);
    for (size_t i = 0; i < 2; ++i) {
      const auto &ownLaunch = std::get<Launch>(own[i].action);
      const auto &otherLaunch = std::get<Launch>(other[i].action);
      CHECK(ownLaunch.kernel == otherLaunch.kernel);
      CHECK(ownLaunch.grid == otherLaunch.grid);
    }
  }
}

TEST_CASE("a row that three blocks of COO share is open at both boundaries between them") {
  const CsrMatrix a =
      matrixOf("one long row", 3, 5000, [](int64_t i) { return run(0, i == 1 ? 4500 : 100); });
  const Layout layout = llvm::cantFail(layoutOf(a, cooPlan(a, kDouble)));
  const LayoutArray &first = *layout.find("openFirst"), &last = *layout.find("openLast");
  REQUIRE(first.count() == 4); // 4,700 entries are three blocks
  for (int64_t boundary : {1, 2}) {
    CHECK(first.as<uint32_t>()[boundary] == 0);
    CHECK(last.as<uint32_t>()[boundary] == 2);
  }
  for (int64_t boundary : {0, 3})
    CHECK(first.as<uint32_t>()[boundary] == last.as<uint32_t>()[boundary]);
}

TEST_CASE("a plan adds each entry atomically only if that is asked for by its number") {
  for (const char *name : {"coo", "hyb"}) {
    CAPTURE(std::string(name));
    const Format &format = *findFormat(name);
    const SparsityProfile p = profile(llvm::cantFail(generateFamily("circuit:rows=3000")).view());
    const Problem &problem = kDouble;
    const auto plansWith = [&](const Fixed &fixed) {
      std::vector<Plan> plans;
      CHECK(format.plans({p, problem, h200(), fixed}, plans) == "");
      REQUIRE(!plans.empty());
      return plans;
    };
    for (const Fixed &fixed : {Fixed{}, Fixed{{"coo.atomic", 0}}})
      for (const Plan &plan : plansWith(fixed)) {
        CHECK(!plan.find("coo.atomic"));
        CHECK(format.isDeterministicFor(plan));
        CHECK(format.source(plan, problem).text.find("isAtomic = 1") == std::string::npos);
      }
    for (const Plan &plan : plansWith({{"coo.atomic", 1}})) {
      CHECK(plan.get(IntegerKey{"coo.atomic"}) == 1);
      CHECK_FALSE(format.isDeterministicFor(plan));
      CHECK(!format.check(plan, problem));
      CHECK(format.source(plan, problem).text.find(".isAtomic = 1") != std::string::npos);
    }
    std::vector<Plan> none;
    const Fixed two{{"coo.atomic", 2}};
    CHECK(format.plans({p, problem, h200(), two}, none) ==
          "coo.atomic = 2 is not a valid value (0..1)");
  }
  CHECK(formatsWith({{"coo.atomic", 1}}) == std::vector<std::string>{"coo", "hyb"});
}
