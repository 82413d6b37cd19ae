// Tests of how much a lane of CSR5 takes, in the plans that are offered, and of fixed numbers that
// are refused.
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include "generator/formats/csr5/layout.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

SparsityProfile someProfile() { return profile(evenMatrix(64, 5).view()); }

Plan onlyPlan(SparsityProfile p, int64_t rows, int64_t nnz, std::vector<LengthCount> lengths,
              const Fixed &fixed = {}) {
  p.rows = p.cols = rows, p.nnz = nnz, p.lengths = std::move(lengths);
  const auto plans = offerOf(p, "csr5", fixed).plans;
  REQUIRE(plans.size() == 1);
  return plans[0];
}

// Returns the only plan for a matrix of which each of the 132 x 1,024 lanes of an H200 has `ofLane`
// entries, in rows of `length` entries.
Plan planOfLanes(double ofLane, int64_t length, const Fixed &fixed = {}) {
  const auto rows = static_cast<int64_t>(ofLane * 132 * 1024) / length;
  return onlyPlan(someProfile(), rows, rows * length, {{length, rows}}, fixed);
}

} // namespace

TEST_CASE("a lane takes the least work with which all lanes of the GPU run at once") {
  struct Expected {
    double ofLane;
    int64_t length, sigma, tiles;
  };
  for (const Expected &e : {Expected{0.5, 5, 4, 1},
                            {2.6, 5, 4, 1},
                            {2.7, 5, 8, 1},
                            {8, 5, 8, 1},
                            {8.1, 5, 12, 1},
                            {12.1, 5, 8, 2},
                            {16.1, 5, 12, 2},
                            {24.1, 5, 8, 4},
                            {32.1, 5, 12, 4},
                            {48, 5, 12, 4},
                            // in many waves
                            {48.1, 5, 8, 2},
                            {1000, 5, 8, 2},
                            // short rows: no tiles of 12 entries a lane
                            {8.1, 1, 8, 2},
                            {16.1, 1, 8, 4},
                            {33, 1, 8, 8},
                            {16.1, 2, 12, 2},
                            // rows as long as the paper's least sigma is for
                            {8.1, 257, 12, 1},
                            {100, 300, 8, 2}}) {
    CAPTURE(e.ofLane);
    CAPTURE(e.length);
    const Plan plan = planOfLanes(e.ofLane, e.length);
    CHECK(plan.get(key::kCsr5Omega) == 32);
    CHECK(plan.get(key::kCsr5Sigma) == e.sigma);
    CHECK(plan.get(key::kCsr5Tiles) == e.tiles);
  }
}

TEST_CASE("the tiles of a group follow from a fixed sigma, and empty rows do not count") {
  CHECK(planOfLanes(20, 5, {{"csr5.sigma", 5}}).get(key::kCsr5Tiles) == 4);
  CHECK(planOfLanes(45, 5, {{"csr5.sigma", 1}}).get(key::kCsr5Tiles) == kMaxCsr5Tiles);
  CHECK(planOfLanes(100, 5, {{"csr5.sigma", 32}}).get(key::kCsr5Tiles) == 1);
  CHECK(planOfLanes(100, 5, {{"csr5.sigma", 5}}).get(key::kCsr5Tiles) == 2);
  CHECK(planOfLanes(20, 5, {{"csr5.tiles", 3}}).get(key::kCsr5Tiles) == 3);
  // Half of the rows are empty, and the others have two entries.
  const int64_t nnz = 16 * 132 * 1024 + 2;
  const Plan gaps = onlyPlan(someProfile(), nnz, nnz, {{0, nnz / 2}, {2, nnz / 2}});
  CHECK(gaps.get(key::kCsr5Sigma) == 12);
}

TEST_CASE("a matrix without entries has tiles of the least work") {
  for (const int64_t rows : {0, 7}) {
    const Plan plan =
        onlyPlan(profile(matrixOf("empty", rows, 5, [](int64_t) { return Row{}; }).view()), rows, 0,
                 rows > 0 ? std::vector<LengthCount>{{0, rows}} : std::vector<LengthCount>{});
    CHECK(plan.get(key::kCsr5Sigma) == 4);
    CHECK(plan.get(key::kCsr5Tiles) == 1);
  }
}

TEST_CASE("a fixed omega or sigma that cannot be is refused in a sentence that has it") {
  for (const auto &[name, value] : {std::pair{"csr5.omega", 0},
                                    {"csr5.omega", 4},
                                    {"csr5.omega", 24},
                                    {"csr5.omega", 64},
                                    {"csr5.omega", -8},
                                    {"csr5.sigma", 0},
                                    {"csr5.sigma", -1},
                                    {"csr5.sigma", 33},
                                    {"csr5.tiles", 0},
                                    {"csr5.tiles", 65}}) {
    const Offer offer = offerOf(evenMatrix(64, 5), "csr5", {{name, static_cast<double>(value)}});
    CHECK(offer.plans.empty());
    CHECK(contains(offer.why, std::string(name) + " = " + std::to_string(value)));
  }
}

TEST_CASE("threads that store the zeros of empty rows are no last wave") {
  // 1,080,000 entries are 135,000 lanes of 8, and a wave has 135,168.
  SparsityProfile seen = someProfile();
  seen.rows = seen.cols = 109000, seen.nnz = 1080000;
  seen.lengths = {{0, 1000}, {10, 108000}};
  const auto us = [&](double lastWave) {
    GpuModel gpu = h200();
    gpu.rates.set("csr5.lastWave", lastWave);
    const Fixed fixed{{"csr5.sigma", 8}, {"csr5.tiles", 1}};
    const Problem problem{};
    const PlanRequest request{seen, problem, gpu, fixed};
    return priced(offerOf(*findFormat("csr5"), request), request).front().predictedUs;
  };
  CHECK(us(1) == us(0.001));
}
