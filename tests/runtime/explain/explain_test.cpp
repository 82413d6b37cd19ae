// Tests of the numbers that explain a choice, over all kinds of matrices and all of their plans.
#include "generator/formats/cusparse/margin.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/plan/worth.h"
#include "tests/runtime/explain/explain_testing.h"

#include <cmath>

using namespace specmv;
using namespace specmv::testing;

namespace {

double sumOf(const ProductTime &t) {
  return t.launchUs + t.streamUs + t.gatherUs + t.waitUs + t.hostUs;
}

void checkRunnerUp(const Explanation &e) {
  if (!e.runnerUp)
    return;
  CHECK(e.runnerUp->candidate.plan.format != e.chosen.plan.format);
  double before = HUGE_VAL;
  for (const Loss &loss : e.runnerUp->losses) {
    CHECK(loss.us > 0);
    CHECK(loss.us <= before);
    before = loss.us;
  }
  if (e.runnerUp->candidate.predictedUs > e.chosen.predictedUs)
    CHECK_FALSE(e.runnerUp->losses.empty());
}

void checkPayoff(const Explanation &e) {
  CHECK(e.setupUs > 0);
  CHECK(e.compiledSetupUs > e.setupUs);
  CHECK(e.paysAfter <= e.paysAfterCompiling);
  CHECK(e.knownSetupUs > 0);
  CHECK(e.knownSetupUs < e.setupUs);
  CHECK(e.paysAfterKnown <= e.paysAfter);
  const bool gains = e.cusparse && e.cusparse->us > e.productUs;
  CHECK((e.paysAfter != kNever) == gains);
  if (!gains)
    return;
  const double saved = e.cusparse->us - e.productUs;
  CHECK(saved * static_cast<double>(e.paysAfter) > e.setupUs * (1 - 1e-9));
  CHECK(saved * static_cast<double>(e.paysAfter - 1) <= e.setupUs * (1 + 1e-9));
  // The predicted number must have the same definition as the measured one.
  for (const auto &[setupUs, paysAfter] :
       {std::pair(e.setupUs, e.paysAfter), std::pair(e.knownSetupUs, e.paysAfterKnown)}) {
    SetupFigure figure;
    figure.setupUs = setupUs, figure.productUs = e.productUs;
    figure.ratio = e.cusparse->us / e.productUs;
    CHECK(figure.paysAfter() == doctest::Approx(static_cast<double>(paysAfter)).epsilon(1e-6));
  }
}

// Returns a format's traffic by the rates of `gpu`.
Traffic trafficOn(const GpuModel &gpu, const char *format, const SparsityProfile &profile) {
  const Problem problem;
  const Fixed none;
  const PlanRequest request{profile, problem, gpu, none};
  const Offer offer = offerOf(*findFormat(format), request);
  REQUIRE_FALSE(offer.plans.empty());
  return offer.format->traffic(request, offer.plans.front());
}

} // namespace

TEST_CASE("the terms of every plan add up to its predicted time, and the rest holds together") {
  for (const std::string &spec : explainedSpecs())
    for (ValueType type : kTypes) {
      CAPTURE(spec);
      const RankedMatrix a(spec, type);
      for (size_t i = 0; i < a.seen.ranked.candidates.size(); ++i) {
        const Candidate &c = a.seen.ranked.candidates[i];
        const Explanation e = explain(a.made({.index = i}));
        CHECK(e.chosen.plan == c.plan);
        REQUIRE(e.time);
        CHECK(e.time->totalUs == c.predictedUs);
        CHECK(sumOf(*e.time) == doctest::Approx(c.predictedUs).epsilon(1e-12));
        CHECK((e.valuesPerEntry == 0 || e.valuesPerEntry > 0.99));
        CHECK(e.ties >= 1);
        checkRunnerUp(e);
        checkPayoff(e);
      }
    }
}

TEST_CASE("cuSPARSE is priced without a GPU and without the margin that it competes with") {
  for (const std::string &spec : explainedSpecs()) {
    CAPTURE(spec);
    const RankedMatrix a(spec);
    const SparsityProfile &profile = a.seen.profiled.profile;
    const auto best = predictedCusparse(profile, a.request.problem, h200());
    REQUIRE(best.has_value() == (profile.nnz > 0));
    if (!best)
      continue;
    CHECK(findFormat(best->format)->library != nullptr);
    for (const Format &format : formats())
      if (format.library)
        for (const Plan &plan : offerOf(format, {profile, a.request.problem, h200(), {}}).plans)
          CHECK(best->us <= predictUs(trafficOf(profile, plan), h200()) * (1 + 1e-12));
  }
}

TEST_CASE("a margin makes cuSPARSE a quarter worse, only where it was measured") {
  const SparsityProfile seen = profile(llvm::cantFail(generateFamily("stencil5:n=90")).view());
  const GpuModel fair = withoutMargins(h200());
  for (const Format &format : formats()) {
    if (!format.library || offerOf(format, {seen, {}, h200(), {}}).plans.empty())
      continue;
    CAPTURE(std::string(format.name));
    const Traffic priced = trafficOn(h200(), format.name, seen);
    const Traffic measured = trafficOn(fair, format.name, seen);
    const double margin = hasMargin(format.rates) ? 1.25 : 1;
    CHECK(priced.launches == doctest::Approx(margin * measured.launches));
    CHECK(priced.pace.efficiency == doctest::Approx(measured.pace.efficiency / margin));
    CHECK(priced.streamBytes == measured.streamBytes);
  }
  // The rates of the choosable formats that compete with these.
  CHECK(trafficOn(h200(), "cusparse-csr2", seen).pace.efficiency == 0.37);
  CHECK(trafficOn(h200(), "cusparse-sell", seen).pace.efficiency == 0.62);
}

TEST_CASE("with kernels loaded a whole set-up is the one that plans are ranked by") {
  RankedMatrix a("stencil5:n=90");
  Request request = a.request;
  request.expectedProducts = 1000;
  std::vector<Candidate> candidates = a.seen.ranked.candidates;
  rankByTotal(candidates, request, a.seen.profiled.profile, a.machine, Look::never);
  const SetupSize size = sizeOf(a.seen.profiled.profile, ValueType::f64);
  for (const Candidate &c : candidates)
    CHECK(wholeSetup(c, size, KernelState::loaded, h200()).workUs ==
          doctest::Approx(c.setup.workUs));
}

TEST_CASE("an earlier choice without a profile has its bytes, and what was measured") {
  const RankedMatrix a("stencil5:n=90");
  const std::vector<Candidate> known = {
      {.plan = a.seen.ranked.candidates.front().plan, .predictedUs = 3}};
  ChoiceMade made = a.made({.by = ChosenBy::wisdom});
  made.candidates = known;
  made.profile = nullptr;
  made.storedBytes = 500000;
  Explanation e = explain(made);
  CHECK_FALSE(e.time);
  CHECK_FALSE(e.runnerUp);
  CHECK_FALSE(e.cusparse);
  CHECK(e.paysAfter == kNever);
  CHECK(e.ofCsrBytes == doctest::Approx(500000.0 / static_cast<double>(made.size.csrBytes())));
  made.measuredUs = 2.5;
  made.cusparse = CusparseTime{"cusparse-sell", 4.5, CusparseTime::By::measurement};
  e = explain(made);
  CHECK(e.productUs == 2.5);
  CHECK(e.cusparse->us == 4.5);
  checkPayoff(e);
}
