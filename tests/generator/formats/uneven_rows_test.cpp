// Tests of what uneven rows cost where threads wait for each other (QCSR), where rows that are
// sorted read x again (JAD), and where all rows are padded to the longest (ELL).
#include "tests/generator/formats/one_format.h"

#include "generator/formats/qcsr/qcsr.h"
#include "models/lab/families/families.h"
#include "models/predict/traffic.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

CsrMatrix ofLengths(const char *law, const char *more) {
  return llvm::cantFail(generateFamily(std::string("rowlengths:dist=") + law + "," + more));
}

// The passes of a thread by this plan, on average.
double passesBy(const CsrMatrix &a, const Plan &plan) {
  const Traffic t = trafficOf(a, plan);
  return static_cast<double>(t.steps) / static_cast<double>(t.threads);
}

double orderlyBytesOfJad(const CsrMatrix &a, int64_t l2Bytes) {
  const SparsityProfile seen = profile(a.view());
  const Problem problem{ValueType::f64};
  const Fixed nothing;
  GpuModel gpu = h200();
  gpu.l2Bytes = l2Bytes;
  const Format &jad = *findFormat("jad");
  const PlanRequest request{seen, problem, gpu, nothing};
  std::vector<Plan> plans;
  CHECK(jad.plans(request, plans) == "");
  return static_cast<double>(jad.traffic(request, plans.at(0)).orderlyBytes);
}

} // namespace

TEST_CASE("a block of QCSR waits for its longest rows, and an even one for none") {
  const char *const more = "mean=300,rows=20000,columns=uniform";
  const CsrMatrix even = ofLengths("fixed", more), uneven = ofLengths("uniform", more);
  for (const Fixed &fixed : std::vector<Fixed>{
           {{"qcsr.slices", 0}, {"qcsr.stage", 0}, {"qcsr.d", 65536}, {"qcsr.lanes", 32}},
           {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.d", 16384}, {"qcsr.rows", 512}}}) {
    const Plan plan = offerOf(even, "qcsr", fixed).plans.at(0);
    // The longest of 16 or 512 rows is nearly twice the mean.
    CHECK(passesBy(uneven, plan) > 1.2 * passesBy(even, plan));
  }
  // A warp that owns its chunk waits for none.
  const Fixed alone{{"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.rows", 256}};
  const Plan plan = offerOf(even, "qcsr", alone).plans.at(0);
  CHECK(passesBy(uneven, plan) < 1.2 * passesBy(even, plan));
}

TEST_CASE("JAD reads x from memory again for each length, where L2 cannot hold what lies between") {
  const char *const more = "mean=8,rows=60000,columns=band";
  const CsrMatrix even = ofLengths("fixed", more), uneven = ofLengths("uniform", more);
  constexpr int64_t kSmall = 100 << 10, kLarge = 100 << 20;
  const double x = 8.0 * 60000;
  CHECK(orderlyBytesOfJad(even, kSmall) < 1.1 * x);
  CHECK(orderlyBytesOfJad(uneven, kSmall) > 3 * x);
  CHECK(orderlyBytesOfJad(uneven, kLarge) < 1.1 * x);
}

TEST_CASE("ELL is refused where it would store much padding, unless that width is set") {
  const CsrMatrix a =
      matrixOf("one long row", 64, 64, [](int64_t i) { return run(0, i ? 1 : 64); });
  const Offer refused = offerOf(a, "ell");
  CHECK(refused.plans.empty());
  CHECK(contains(refused.why, "would store 32.3 slots for each of 127 entries; the limit is 16"));
  const Fixed width{{"ell.width", 64}};
  REQUIRE(offerOf(a, "ell", width).plans.size() == 1);
  CHECK(offerOf(a, "ell", width).plans[0].get(key::kEllWidth) == 64);
  for (const double other : {63.0, 65.0})
    CHECK(offerOf(a, "ell", {{"ell.width", other}}).plans.empty());
}

TEST_CASE("general kernels of ELL leave narrow rows all threads of an SM, to a width of 16") {
  const auto generalOf = [](int64_t width) {
    const Plan plan{
        .format = "ell",
        .integers = {{"ell.width", width}, {"block", 256}, {"offset", 32}, {"column", 32}}};
    return findFormat("ell")->general(plan);
  };
  CHECK(generalOf(16).get(key::kEllWidth) == kAsNarrowArgument);
  CHECK(generalOf(17).get(key::kEllWidth) == kAsArgument);
  const auto textOf = [&](int64_t width) {
    return findFormat("ell")->source(generalOf(width), kDouble).text;
  };
  CHECK(contains(textOf(16), "FullSm<256>::kBlocks)"));
  CHECK(contains(textOf(17), "FullSm<256>::kBlocks * 3 / 4)"));
}
