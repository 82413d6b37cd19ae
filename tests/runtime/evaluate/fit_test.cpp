// Tests of the fit of a GPU's numbers: it finds those that the times were made by, and it does not
// read what it is judged on.
#include "runtime/evaluate/fit.h"

#include "models/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Every plan of a matrix with the time that the model predicts.
Measured measuredBy(const GpuModel &gpu, const std::string &spec, ValueType type) {
  const CsrMatrix a = llvm::cantFail(generateFamily(spec));
  Measured out{.matrix = spec, .type = type, .profile = profile(a.view())};
  const Problem problem{.type = type};
  const Fixed nothing;
  const PlanRequest request{out.profile, problem, gpu, nothing};
  for (const Offer &offer : llvm::cantFail(offers(request, {})))
    for (const Plan &plan : offer.plans)
      out.plans.push_back({plan, *trafficModel().predictUs(request, plan)});
  return out;
}

std::vector<Measured> measuredBy(const GpuModel &gpu) {
  std::vector<Measured> out;
  for (const char *spec : {"random:rows=200000,k=10", "band:rows=150000,k=20,half=500",
                           "powerlaw:rows=200000,avg=6", "stencil5:n=300"})
    out.push_back(measuredBy(gpu, spec, ValueType::f64));
  return out;
}

std::vector<const Measured *> pointersTo(const std::vector<Measured> &all) {
  std::vector<const Measured *> out;
  out.reserve(all.size());
  for (const Measured &each : all)
    out.push_back(&each);
  return out;
}

double meanError(const std::vector<Measured> &all, const GpuModel &gpu) {
  std::vector<Judged> judged;
  judged.reserve(all.size());
  for (const Measured &each : all)
    judged.push_back(judge(each, trafficModel(), gpu, Candidates::ours));
  return errorsOf(judged, "").mean;
}

} // namespace

TEST_CASE("a fit finds the numbers that the times were made by") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  GpuModel truth = start;
  truth.chainNs *= 1.5;
  truth.gatherGBs *= 0.7;
  truth.rates.set("csr5.efficiencyShort", 0.6);
  const std::vector<Measured> all = measuredBy(truth);
  const FitResult found = fit(pointersTo(all), start, {.rounds = 200, .pull = 1e-7});
  CHECK(found.lossAfter < found.lossBefore / 100);
  CHECK(meanError(all, start) > 0.1);
  CHECK(meanError(all, found.model) < 0.02); // not 0: costs of passes are cut to whole numbers
  CHECK(found.model.gatherGBs == doctest::Approx(truth.gatherGBs).epsilon(0.05));
  CHECK(found.model.rates["csr5.efficiencyShort"] == doctest::Approx(0.6).epsilon(0.05));
}

TEST_CASE("a fit to its own predictions moves nothing, and data-sheet numbers never move") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  const std::vector<Measured> all = measuredBy(start);
  CHECK(fit(pointersTo(all), start).moved == std::vector<std::string>());
  GpuModel slower = start;
  slower.dramGBs /= 2;
  const std::vector<Measured> slow = measuredBy(slower);
  const FitResult found = fit(pointersTo(slow), start);
  CHECK(found.model.dramGBs == start.dramGBs);
  CHECK(found.model.l2Bytes == start.l2Bytes);
  CHECK(found.lossAfter <= found.lossBefore);
}

TEST_CASE("a fit moves no number that is to be left") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  GpuModel truth = start;
  truth.chainNs *= 1.5;
  truth.rates.set("csr5.efficiencyShort", 0.6);
  const std::vector<Measured> all = measuredBy(truth);
  const FitOptions options{.left = {"chainNs", "csr5.efficiencyShort"}};
  const FitResult held = fit(pointersTo(all), start, options), free = fit(pointersTo(all), start);
  CHECK(held.model.chainNs == start.chainNs);
  CHECK(held.model.rates["csr5.efficiencyShort"] == start.rates["csr5.efficiencyShort"]);
  for (const std::string &name : options.left) {
    CHECK_FALSE(llvm::is_contained(held.moved, name));
    CHECK(llvm::is_contained(free.moved, name));
  }
}

TEST_CASE("a fit without plans, or with plans of libraries only, is the start") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  CHECK(digestOf(fit({}, start).model) == digestOf(start));
  const Measured library{.matrix = "a", .plans = {{{.format = "cusparse-coo"}, 5}}};
  CHECK(digestOf(fit({&library}, start).model) == digestOf(start));
}

TEST_CASE("what is left out has no influence on the model that judges it") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  std::vector<Measured> all = measuredBy(start);
  for (Measured &each : all)
    if (familyOf(each.matrix) == "band")
      for (MeasuredPlan &plan : each.plans)
        plan.us *= 1.4;
  const std::vector<Judged> judged = judgeLeftOut(all, start, Candidates::ours);
  REQUIRE(judged.size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(judged[i].measured == &all[i]);
    for (size_t plan = 0; familyOf(all[i].matrix) == "band" && plan < all[i].plans.size(); ++plan)
      CHECK(judged[i].error(plan) == doctest::Approx(1 - 1 / 1.4)); // as the start predicts
  }
}
