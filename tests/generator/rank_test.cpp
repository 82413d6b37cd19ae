// Tests of ranking: order, ties and shortlists.
#include "generator/rank.h"

#include "generator/formats.h"
#include "generator/rate_table.h"
#include "generator/shared/walk.h"
#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "models/profile/column_degrees.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr IntegerKey kLaunches{"launches"}, kWindow{"window"}, kLanes{"lanes"};

// A format whose traffic depends only on the plan's numbers.
Traffic trafficOfNumbers(const PlanRequest & /*request*/, const Plan &plan) {
  return {.launches = static_cast<double>(plan.get(kLaunches))};
}

Format formatWith(Shortlist shortlist) {
  Format format{};
  format.name = "made";
  format.traffic = trafficOfNumbers;
  format.shortlist = shortlist;
  return format;
}

Plan planOf(const char *name, int64_t launches, int64_t window = 0, int64_t lanes = 0) {
  return {.format = name, .integers = {{kLaunches, launches}, {kWindow, window}, {kLanes, lanes}}};
}

std::vector<std::string> namesOf(const std::vector<Candidate> &candidates) {
  std::vector<std::string> out;
  out.reserve(candidates.size());
  for (const Candidate &candidate : candidates)
    out.push_back(candidate.plan.format);
  return out;
}

using Names = std::vector<std::string>;

// A request of which only the GPU is read.
struct Asked {
  SparsityProfile seen;
  Problem problem;
  Fixed none;
  PlanRequest request{seen, problem, h200(), none};
};

} // namespace

TEST_CASE("plans rank by predicted time, and ties keep their order") {
  const Asked asked;
  const Format format = formatWith({});
  const std::vector<Offer> offers = {{&format, {planOf("slow", 50), planOf("first", 9)}, ""},
                                     {&format, {planOf("second", 9)}, ""}};
  const std::vector<Candidate> ranked = rank(offers, asked.request);
  CHECK(namesOf(ranked) == Names{"first", "second", "slow"});
  CHECK(ranked[2].predictedUs ==
        doctest::Approx(50 * h200().launchUs * h200().rates["launch.early"]));
  CHECK(ranked[2].traffic.launches == 50);
}

TEST_CASE("plans whose predictions are less sure must be faster by that") {
  const auto candidate = [](const char *name, double us) {
    return Candidate{.plan = planOf(name, 1), .predictedUs = us, .comparedUs = us};
  };
  for (const auto &[us, isFirst] : {std::pair(9.99 * kWorthOrdering, true), {9.999, false}}) {
    std::vector<Candidate> ranked = {candidate("plain", 10)};
    addOrdered(ranked, {candidate("ordered", us)});
    CHECK(namesOf(ranked) == (isFirst ? Names{"ordered", "plain"} : Names{"plain", "ordered"}));
  }
}

TEST_CASE("a format without a shortlist keeps all of its plans in their order") {
  const Asked asked;
  const Format format = formatWith({});
  const Offer offer{&format, {planOf("slow", 50), planOf("fast", 9)}, ""};
  CHECK(namesOf(priced(offer, asked.request)) == Names{"slow", "fast"});
}

TEST_CASE("a shortlist keeps the fastest") {
  const Asked asked;
  const Format format = formatWith({2});
  const Offer offer{&format, {planOf("c", 50), planOf("a", 9), planOf("b", 20)}, ""};
  CHECK(namesOf(priced(offer, asked.request)) == Names{"a", "b"});
}

TEST_CASE("plans that a bound keeps from a shortlist are not priced") {
  static int priced = 0;
  const Asked asked;
  Format format = formatWith({2});
  format.traffic = [](const PlanRequest &request, const Plan &plan) {
    ++priced;
    return trafficOfNumbers(request, plan);
  };
  format.leastTraffic = [](const PlanRequest &, const Plan &plan) -> std::optional<Traffic> {
    if (plan.get(kWindow) == 1)
      return std::nullopt;
    return Traffic{.launches = 0.8 * static_cast<double>(plan.get(kLaunches))};
  };
  Offer offer{&format,
              {planOf("c", 50), planOf("a", 9), planOf("d", 70), planOf("b", 20), planOf("e", 24),
               planOf("f", 26), planOf("g", 30, 1)},
              ""};
  CHECK(namesOf(specmv::priced(offer, asked.request)) == Names{"a", "b"});
  CHECK(priced == 5); // not d and f
  const Problem two{.vectors = 2};
  priced = 0;
  offer.plans.resize(3);
  const PlanRequest several{asked.seen, two, h200(), asked.none};
  CHECK(namesOf(specmv::priced(offer, several)) == Names{"a", "c"});
  CHECK(priced == 3);
}

TEST_CASE("the least traffic of a plan takes no more time than its traffic") {
  int bounds = 0;
  for (const CsrMatrix &a : edgeMatrices())
    for (const ValueType type : {ValueType::f32, ValueType::f64}) {
      const SparsityProfile seen = profile(a.view());
      const Problem problem{type};
      const Fixed none;
      const PlanRequest request{seen, problem, h200(), none};
      for (const Format &format : formats()) {
        if (!format.leastTraffic)
          continue;
        std::vector<Candidate> all, kept = priced(offerOf(format, request), request);
        for (const Plan &plan : offerOf(format, request).plans) {
          all.push_back(priced({&format, {plan}, ""}, request).at(0));
          if (const auto least = format.leastTraffic(request, plan)) {
            CAPTURE(plan.text());
            CHECK(predictBoth(*least, h200()).comparedUs() * least->caution <=
                  all.back().cautiousUs() * (1 + 1e-9));
            ++bounds;
          }
        }
        sortBy(all, [](const Candidate &c) { return c.cautiousUs(); });
        REQUIRE(kept.size() == std::min(all.size(), format.shortlist.most));
        for (size_t i = 0; i < kept.size(); ++i)
          CHECK(kept[i].plan == all[i].plan);
      }
    }
  CHECK(bounds > 100);
}

TEST_CASE("counted columns change only the prices that depend on them") {
  const CsrMatrix a = llvm::cantFail(generateFamily("features:rows=5000,cols=100000,k=20"));
  const SparsityProfile seen = profile(a.view());
  const ColumnDegrees degrees = columnDegrees(a.view());
  const Problem problem{ValueType::f32};
  const Fixed none;
  PlanRequest request{seen, problem, h200(), none};
  const std::vector<Offer> all = llvm::cantFail(offers(request, {}));
  std::vector<Candidate> uncounted = rank(all, request);
  request.columns = &degrees;
  const std::vector<Candidate> wanted = rank(all, request),
                               found = rankedByColumns(uncounted, all, request);
  REQUIRE(found.size() == wanted.size());
  bool anyChanged = false;
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].plan == wanted[i].plan);
    CHECK(found[i].cautiousUs() == wanted[i].cautiousUs());
    for (const Candidate &before : uncounted)
      anyChanged |= before.plan == found[i].plan && before.cautiousUs() != found[i].cautiousUs();
  }
  CHECK(anyChanged);
}

TEST_CASE("without reasons the same formats have the same plans") {
  for (const CsrMatrix &a : edgeMatrices()) {
    const SparsityProfile seen = profile(a.view());
    const Problem problem{ValueType::f64};
    const Fixed none;
    PlanRequest request{seen, problem, h200(), none};
    const std::vector<Offer> told = llvm::cantFail(offers(request, {}));
    request.tellsReasons = false;
    const std::vector<Offer> untold = llvm::cantFail(offers(request, {}));
    for (size_t i = 0; i < told.size(); ++i) {
      CAPTURE(told[i].format->name);
      CHECK(told[i].plans == untold[i].plans);
      CHECK(told[i].why.empty() == untold[i].why.empty());
    }
  }
}

TEST_CASE("a shortlist that varies numbers keeps a plan only for a value that is new") {
  const Asked asked;
  constexpr IntegerKey varied[] = {kWindow, kLanes};
  const Format format = formatWith({4, varied});
  const Offer offer{&format,
                    {planOf("same as a", 10, 1, 1), planOf("a", 9, 1, 1), planOf("lanes", 20, 1, 2),
                     planOf("window", 30, 5, 1), planOf("neither", 40, 5, 2)},
                    ""};
  CHECK(namesOf(priced(offer, asked.request)) == Names{"a", "lanes", "window"});
}

// A format on trial has no rates there, and is not chosen by itself.
TEST_CASE("every built-in GPU model has all rates of a format or none, and no unknown ones") {
  for (const std::string &name : gpuModelNames()) {
    CAPTURE(name);
    const GpuModel gpu = llvm::cantFail(loadGpuModel(name));
    std::set<std::string> wanted;
    const auto want = [&](llvm::ArrayRef<Rate> rates) {
      for (const Rate &rate : rates)
        wanted.insert(rate.name);
    };
    want(trafficRates());
    want(kSharedRates);
    for (const Format &format : formats()) {
      if (!whyNotMeasured(format, gpu).empty())
        continue;
      want(format.rates);
      for (const PaceRates *pace : format.paces)
        want(pace->all());
    }
    for (const std::string &rate : wanted)
      CHECK_MESSAGE(gpu.rates.contains(rate), rate);
    CHECK(gpu.rates.all().size() == wanted.size());
  }
}

TEST_CASE("rates have a meaning, a default within the bounds of their fit, and one row each") {
  const llvm::ArrayRef<Rate> rates = allRates();
  for (size_t i = 0; i < rates.size(); ++i) {
    CAPTURE(rates[i].name);
    CHECK(llvm::StringRef(rates[i].name).contains('.'));
    CHECK_FALSE(llvm::StringRef(rates[i].meaning).empty());
    CHECK(rates[i].byDefault >= rates[i].fit.least);
    CHECK(rates[i].byDefault <= rates[i].fit.most);
    CHECK(findRate(rates[i].name) == &rates[i]);
    CHECK((i == 0 || llvm::StringRef(rates[i - 1].name) < rates[i].name));
  }
  CHECK_FALSE(findRate("csr5.overlaps"));
}

TEST_CASE("the rates of the built-in models are within the bounds of their fits") {
  for (const char *name : {"h100", "h200"})
    for (const Rate &rate : allRates()) {
      CAPTURE(rate.name);
      const double value = llvm::cantFail(loadGpuModel(name)).rates[rate];
      CHECK(value >= rate.fit.least);
      CHECK(value <= rate.fit.most);
    }
}

TEST_CASE("a rate that a GPU model lacks takes its default") {
  const GpuModel &whole = h200();
  const Asked asked;
  const auto offered = [&](const Rates &rates) {
    GpuModel gpu = whole;
    gpu.rates = rates;
    const PlanRequest request{asked.seen, asked.problem, gpu, asked.none};
    std::vector<double> out;
    for (const Offer &offer : llvm::cantFail(offers(request, {})))
      for (const Plan &plan : offer.plans)
        out.push_back(predictUs(offer.format->traffic(request, plan), gpu));
    return out;
  };
  Rates defaults;
  for (const Rate &rate : allRates())
    defaults.set(rate.name, rate.byDefault);
  CHECK(offered({}) == offered(defaults));
  CHECK(offered({}) != offered(whole.rates));
}

TEST_CASE("a rate that no format reads is refused by its name: it may be misspelt") {
  GpuModel odd = h200();
  CHECK_FALSE(static_cast<bool>(checkRates(odd, "my.json")));
  odd.rates.set("sel.efficiency", 1);
  const auto [status, sentence] = describe(checkRates(odd, "my.json"));
  CHECK(status == Status::badInput);
  CHECK(sentence ==
        "my.json: the GPU model h200 has a rate 'sel.efficiency', which no format reads "
        "(did you mean 'sell.efficiency'?); remove it, or correct its name");
}

// A former bug: a kept model of another version stopped each choice by prediction.
TEST_CASE("a rate that no format reads is ignored in a choice, and noted") {
  GpuModel odd = h200();
  odd.rates.set("sel.efficiency", 1);
  const Asked asked;
  CHECK_FALSE(llvm::cantFail(offers({asked.seen, asked.problem, odd, asked.none}, {})).empty());
  CHECK(foreignRatesText(odd) == "the GPU model h200 has a rate 'sel.efficiency', which no format "
                                 "reads (did you mean 'sell.efficiency'?)");
}

// A former bug: the note only told that the rate is not there.
TEST_CASE("the note on a rate that a model lacks names the misspelt one") {
  GpuModel odd = h200();
  CHECK(foreignRatesText(odd) == "");
  odd.rates = {};
  for (const auto &[name, value] : h200().rates.all())
    odd.rates.set(name == "sell.efficiency" ? "sell.eficiency" : name, value);
  const std::string note = foreignRatesText(odd);
  CHECK(note.find("lacks the rate sell.efficiency (") != std::string::npos);
  CHECK_MESSAGE(note.find("; it has a rate 'sell.eficiency', which no format reads (did you mean "
                          "'sell.efficiency'?)") != std::string::npos,
                note);
}

TEST_CASE("a pass takes as many times as long with vectors in f64 as the GPU's model says") {
  const CsrMatrix a = evenMatrix(1000, 9);
  const SparsityProfile seen = profile(a.view());
  GpuModel gpu = h200();
  const auto latencyOf = [&](ValueType type, double factor) {
    gpu.rates.set("ell.latencyF64", factor);
    const Problem problem{.type = type};
    const PlanRequest request{seen, problem, gpu, {}};
    return priced(offerOf(*findFormat("ell"), request), request).front().traffic.pace.latency;
  };
  CHECK(latencyOf(ValueType::f32, 1.5) == latencyOf(ValueType::f32, 1));
  CHECK(latencyOf(ValueType::f64, 1.5) == doctest::Approx(1.5 * latencyOf(ValueType::f32, 1)));
}
