// Tests of cautions: exactly those kinds of plans that take longer than predicted are counted as
// slower.
#include "generator/formats/qcsr/qcsr.h"
#include "generator/rate_table.h"
#include "runtime/lab/evaluate/cautions.h"
#include "runtime/lab/evaluate/score.h"

#include "runtime/lab/evaluate/time_models.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace specmv;

namespace {

// Plans of two families that are all predicted to be nearly as fast as the best one.
struct NearPlans {
  GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<Measured> all;
  std::vector<FitPlan> plans;

  explicit NearPlans(std::initializer_list<const char *> specs = {"random:rows=400000,k=10",
                                                                  "rmat:scale=15,edge=32"}) {
    for (const char *spec : specs) {
      const CsrMatrix a = llvm::cantFail(generateFamily(spec));
      all.push_back({.matrix = spec, .type = ValueType::f64, .profile = profile(a.view())});
      const Problem problem{.type = ValueType::f64};
      const Fixed nothing;
      const PlanRequest request{all.back().profile, problem, gpu, nothing};
      for (const Offer &offer : llvm::cantFail(offers(request, {})))
        for (const Plan &plan : offer.plans)
          if (!offer.format->library)
            all.back().plans.push_back({plan, 10});
    }
    for (const Measured &each : all)
      for (const MeasuredPlan &plan : each.plans)
        plans.push_back({&each, &plan.plan, plan.us, 1});
    for (const Rate &rate : allRates()) // also those that the model lacks
      if (rate.fit.by == FittedBy::caution)
        gpu.rates.set(rate.name, 1);
  }

  // The logarithm of predicted to measured time is -by for plans of this format, otherwise 0.
  std::vector<double> errors(const std::string &format, double by) const {
    std::vector<double> out;
    out.reserve(plans.size());
    for (const FitPlan &each : plans)
      out.push_back(each.plan->format == format ? -by : 0);
    return out;
  }
};

} // namespace

TEST_CASE("a kind that takes longer than predicted counts for more, and no other") {
  const NearPlans near;
  const Cautions cautions(near.plans, near.gpu, {});
  GpuModel gpu = near.gpu;
  cautions.set(gpu, near.errors("csr-vector", 0.3));
  CHECK(gpu.rates["csr-vector.caution"] > 1.05);
  CHECK(gpu.rates["csr-vector.caution"] < std::exp(6 * 0.09));
  for (const std::string &name : cautions.names())
    if (name != "csr-vector.caution")
      CHECK_MESSAGE(gpu.rates[name] == 1, name);
  // A larger error gives a larger caution.
  GpuModel more = near.gpu;
  cautions.set(more, near.errors("csr-vector", 0.39));
  CHECK(more.rates["csr-vector.caution"] > gpu.rates["csr-vector.caution"]);
  // A disturbed measurement counts for at most twice the time.
  GpuModel disturbed = near.gpu;
  const std::vector<double> errors(near.plans.size(), -700);
  cautions.set(disturbed, errors);
  CHECK(std::isfinite(disturbed.rates["csr-vector.caution"]));
  CHECK(disturbed.rates["csr-vector.caution"] < std::exp(6 * 0.7 * 0.7));
  // Plans that take less time than predicted need no caution.
  GpuModel less = near.gpu;
  cautions.set(less, near.errors("csr-vector", -0.3));
  CHECK(less.rates["csr-vector.caution"] == 1);
}

TEST_CASE("a caution of some plans of a format comes on top of that of all") {
  constexpr const char *kSome = "qcsr-staged.cautionSeveral"; // several tiles of columns are staged
  const NearPlans near({"random:rows=400000,k=10", "random:rows=400000,cols=9000,k=10"});
  const Cautions cautions(near.plans, near.gpu, {});
  GpuModel doubled = near.gpu;
  doubled.rates.set(kSome, 2);
  const auto cautionBy = [&](const FitPlan &each, const GpuModel &gpu) {
    const Problem problem{.type = each.measured->type};
    const PlanRequest request{each.measured->profile, problem, gpu, {}};
    return trafficModel().caution(request, *each.plan);
  };
  std::vector<double> errors = near.errors("qcsr", 0.2);
  int some = 0, others = 0;
  for (size_t i = 0; i < errors.size(); ++i) {
    const FitPlan &each = near.plans[i];
    if (each.plan->format != "qcsr" || each.plan->get(key::kQcsrStage, 0) == 0 ||
        each.plan->get(key::kQcsrSlices, 0) == 0)
      continue;
    const bool hasSome = cautionBy(each, doubled) != cautionBy(each, near.gpu);
    errors[i] = hasSome ? -0.35 : errors[i];
    ++(hasSome ? some : others);
  }
  REQUIRE(some > 0);
  REQUIRE(others > 0);
  GpuModel gpu = near.gpu;
  cautions.set(gpu, errors);
  CHECK(gpu.rates["qcsr-staged.caution"] > 1);
  CHECK(gpu.rates[kSome] > 1);
}

TEST_CASE("a family that is left out has no say, and neither have names that are left") {
  const NearPlans near;
  std::vector<double> errors = near.errors("csr-merge", 0.3);
  for (size_t i = 0; i < errors.size(); ++i)
    if (familyOf(near.plans[i].measured->matrix) == "random")
      errors[i] = 0;
  const Cautions cautions(near.plans, near.gpu, {});
  GpuModel gpu = near.gpu;
  cautions.set(gpu, errors, "rmat");
  CHECK(gpu.rates["csr-merge.caution"] == 1);
  cautions.set(gpu, errors, "random");
  CHECK(gpu.rates["csr-merge.caution"] > 1);
  const Cautions left(near.plans, near.gpu, {"csr-merge.caution"});
  CHECK_FALSE(llvm::is_contained(left.names(), "csr-merge.caution"));
}

TEST_CASE("without plans cautions stay") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  GpuModel gpu = start;
  Cautions({}, start, {}).set(gpu, {});
  CHECK(gpu.rates.all() == start.rates.all());
}
