// Tests of how models of time are judged: choices, regrets, errors, trials.
#include "runtime/lab/evaluate/score.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace specmv;

namespace {

// Predicts as many microseconds as a plan has lanes; nothing for other formats.
std::optional<double> lanesUs(const PlanRequest & /*request*/, const Plan &plan,
                              const StripsReading & /*reading*/) {
  return plan.has(key::kCsrLanes) ? std::optional(static_cast<double>(plan.get(key::kCsrLanes)))
                                  : std::nullopt;
}
constexpr TimeModel kLanes{"lanes", lanesUs, {}};

MeasuredPlan vectorPlan(int64_t lanes, double us) {
  return {{.format = "csr-vector", .integers = {{"csr.lanes", lanes}}}, us};
}
MeasuredPlan planOf(const char *format, double us) { return {{.format = format}, us}; }

Measured measuredOf(std::vector<MeasuredPlan> plans, const std::string &matrix = "a") {
  return {.matrix = matrix, .plans = std::move(plans)};
}

Judged judged(const Measured &m, Candidates candidates = Candidates::ours) {
  return judge(m, kLanes, llvm::cantFail(loadGpuModel("h200")), candidates);
}

} // namespace

TEST_CASE("replays are judged by themselves, of the plans that have them") {
  Measured m = measuredOf({vectorPlan(8, 3), vectorPlan(2, 6), planOf("ell", 2)});
  m.plans[0].usReplay = 2, m.plans[1].usReplay = 5;
  const Measured replayed = replaysOf(m);
  REQUIRE(replayed.plans.size() == 2);
  CHECK(replayed.matrix == m.matrix);
  CHECK(judged(replayed).regret() == 2.5); // by lanes, 2 come before 8
  CHECK(replaysOf(measuredOf({planOf("ell", 2)})).plans.empty());
}

TEST_CASE("the choice is the least prediction, and its regret that of the fastest plan") {
  const Measured m = measuredOf({vectorPlan(8, 3), vectorPlan(2, 6), planOf("ell", 2)});
  const Judged j = judged(m);
  REQUIRE(j.choice);
  CHECK(*j.choice == 1);
  CHECK(j.ranked == std::vector<size_t>{1, 0});
  CHECK(j.fastestUs == 2); // of a plan that the model does not know
  CHECK(j.regret() == 3);
  CHECK(j.error(0) == doctest::Approx(5.0 / 3));
  CHECK_FALSE(j.predictedUs[2]);
}

TEST_CASE("a library's plans are candidates only where they are asked for") {
  const Measured m =
      measuredOf({vectorPlan(4, 4), planOf("cusparse-sell", 2), planOf("cusparse-coo", 1)});
  CHECK(judged(m).regret() == 1);
  // cusparse-coo does not give the same bits each time and is never chosen by itself
  CHECK(judged(m, Candidates::withLibrary).regret() == 2);
}

TEST_CASE("without a plan that the model knows there is no choice") {
  for (const Measured &m : {measuredOf({}), measuredOf({planOf("ell", 2)})}) {
    const Judged j = judged(m);
    CHECK_FALSE(j.choice);
    CHECK(j.regret() == 0);
    CHECK_FALSE(afterTrial(j).choice);
    CHECK(regretOf(j).cases == 0);
    CHECK(errorsOf(j, "").plans == 0);
    CHECK(errorsOfChoices(j).plans == 0);
  }
}

TEST_CASE("a trial runs the nearest predictions, two of a format and three in all") {
  const auto nearUs = [](const PlanRequest & /*request*/, const Plan &plan,
                         const StripsReading & /*reading*/) -> std::optional<double> {
    return plan.format == "hyb"   ? 1.2
           : plan.format == "ell" ? 1.01
           : plan.format == "jad" ? 1.02
                                  : 1;
  };
  const TimeModel model{"near", nearUs, {}};
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const auto trial = [&](const std::vector<MeasuredPlan> &plans) {
    const Measured m = measuredOf(plans);
    return *afterTrial(judge(m, model, gpu, Candidates::ours)).choice;
  };
  CHECK(trial({vectorPlan(1, 9), vectorPlan(2, 8), vectorPlan(4, 1)}) == 1); // not the third
  // Once with the fourth plan, since the third was left out.
  CHECK(trial({vectorPlan(1, 9), vectorPlan(2, 8), vectorPlan(4, 7), vectorPlan(8, 1)}) == 1);
  CHECK(trial({vectorPlan(1, 9), planOf("ell", 5), planOf("jad", 4)}) == 2);
  CHECK(trial({vectorPlan(1, 9), vectorPlan(2, 8), planOf("ell", 5), planOf("jad", 4)}) == 2);
  CHECK(trial({vectorPlan(1, 9), planOf("hyb", 1)}) == 0); // predicted 20 percent worse
  CHECK(trial({vectorPlan(1, 3), planOf("ell", 3)}) == 0);
}

TEST_CASE("regrets are summed up over matrices") {
  std::vector<Measured> all;
  for (int i = 1; i <= 20; ++i)
    all.push_back(measuredOf({vectorPlan(1, i), vectorPlan(2, 1)}, "m" + std::to_string(i)));
  std::vector<Judged> each;
  double logs = 0;
  for (const Measured &m : all) {
    each.push_back(judged(m));
    logs += std::log(each.back().regret());
  }
  const RegretSummary regret = regretOf(each);
  CHECK(regret.cases == 20);
  CHECK(regret.mean == doctest::Approx(std::exp(logs / 20)));
  CHECK(regret.p95 == 19);
  CHECK(regret.worst == 20);
  CHECK(regret.worstMatrix == "m20");
  CHECK(regret.low < regret.mean);
  CHECK(regret.high > regret.mean);
  CHECK(regretOf(each).low == regret.low); // the same draws
}

TEST_CASE("the types of a matrix are drawn together") {
  // one matrix: any drawing has the same mean
  const Measured f32 = measuredOf({vectorPlan(1, 4), vectorPlan(2, 1)}),
                 f64 = measuredOf({vectorPlan(1, 1), vectorPlan(2, 4)});
  const std::vector<Judged> both{judged(f32), judged(f64)};
  const RegretSummary regret = regretOf(both);
  CHECK(regret.mean == doctest::Approx(2));
  CHECK(regret.low == doctest::Approx(2));
  CHECK(regret.high == doctest::Approx(2));
}

TEST_CASE("errors are of the plans of a format, of all, or of the choices") {
  const Measured m =
      measuredOf({vectorPlan(1, 2), vectorPlan(2, 2), vectorPlan(3, 2), planOf("ell", 1)});
  const Judged j = judged(m);
  const ErrorSummary all = errorsOf(j, "csr-vector");
  CHECK(all.plans == 3);
  CHECK(all.mean == doctest::Approx(1.0 / 3));
  CHECK(all.median == 0.5);
  CHECK(all.p90 == 0.5);
  CHECK(errorsOf(j, "").plans == 3);
  CHECK(errorsOf(j, "ell").plans == 0);
  CHECK(errorsOfChoices(j).mean == 0.5);
}

TEST_CASE("each model prices only the kernels that it speaks of") {
  const CsrMatrix a = llvm::cantFail(generateFamily("random:rows=5000,k=8,spread=0.5"));
  const SparsityProfile p = profile(a.view());
  const Problem problem;
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const Fixed nothing;
  const PlanRequest request{p, problem, gpu, nothing};
  for (const Offer &offer : llvm::cantFail(offers(request, {})))
    for (const Plan &plan : offer.plans)
      for (const TimeModel &model : timeModels()) {
        CAPTURE(model.name);
        CAPTURE(plan.text());
        const std::optional<double> us = model.predictUs(request, plan);
        CHECK((!us || (*us > 0 && *us < 1e6)));
        CHECK((model.name != std::string("traffic") || us));
      }
}
