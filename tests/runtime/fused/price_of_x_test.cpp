// Tests where the expression that a fused step multiplies is predicted to be computed best.
#include "runtime/fused/price_of_x.h"

#include "generator/rank.h"
#include "models/base/error.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr int64_t kRows = 200000;

CsrMatrix diagonals() {
  return matrixOf("five diagonals", kRows, kRows, [](int64_t i) {
    std::vector<int32_t> row;
    for (const int64_t offset : {-400, -1, 0, 1, 400})
      if (i + offset >= 0 && i + offset < kRows)
        row.push_back(static_cast<int32_t>(i + offset));
    return row;
  });
}

CsrMatrix anywhere() {
  return matrixOf("32 a row, anywhere", kRows, kRows, [](int64_t i) {
    std::vector<int32_t> row;
    for (int64_t k = 0; k < 32; ++k)
      row.push_back(static_cast<int32_t>((i * 7919 + k * 104729 * (1 + i % 97)) % kRows));
    std::sort(row.begin(), row.end());
    return row;
  });
}

// Returns true if x is computed in the kernel of the best plan of the format, with its profile or,
// as for a plan that is known from before, with its prediction alone.
bool isInKernel(const CsrMatrix &a, const char *format, bool hasProfile) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const SparsityProfile seen = profile(a.view());
  const Problem problem{ValueType::f64};
  const Fixed none;
  const PlanRequest request{seen, problem, gpu, none};
  const Candidate best = rank({offerOf(*findFormat(format), request)}, request).front();
  FusedBase base{best.plan, problem, {}, kRows, kRows};
  base.layout.add("arrays", ElementType::u8, best.traffic.storedBytes);
  const Fusion fusion{.x = "u + b * v",
                      .statements = "y = ax;",
                      .vectors = {"u", "v", "y"},
                      .written = {"y"},
                      .scalars = {"b"}};
  const KnownProduct known{hasProfile ? &seen : nullptr, hasProfile ? 0 : best.predictedUs};
  const PriceOfX price = priceOfX(fusion, base, known, gpu);
  CHECK(price.inKernelUs > 0);
  CHECK(price.asVectorUs > best.predictedUs);
  return price.inKernelUs <= price.asVectorUs;
}

} // namespace

TEST_CASE("x is computed where diagonals read it, and as a vector where gathers are dear") {
  const CsrMatrix near = diagonals(), far = anywhere();
  for (const bool hasProfile : {true, false}) {
    CAPTURE(hasProfile);
    CHECK(isInKernel(near, "dia", hasProfile));
    CHECK_FALSE(isInKernel(far, "csr-vector", hasProfile));
  }
}

TEST_CASE("x is computed as a vector if nothing is known of the product") {
  const FusedBase base{{.format = "dia"}, {ValueType::f64}, {}, kRows, kRows};
  const Fusion fusion{
      .x = "u + v", .statements = "y = ax;", .vectors = {"u", "v", "y"}, .written = {"y"}};
  const PriceOfX price = priceOfX(fusion, base, {}, llvm::cantFail(loadGpuModel("h200")));
  CHECK(price.inKernelUs > price.asVectorUs);
}
