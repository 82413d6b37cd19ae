// Tests trials and measurements on the fake driver, whose times are given: which plan they take,
// what they run and upload for it, and who follows the choice. Its kernels find nothing in a
// matrix, so the pattern is taken from the host.
#include "runtime/plan/recall.h"

#include "runtime/choose/choose_measured.h"
#include "runtime/kernels/at_hand.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <algorithm>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Three plans that are packed on the GPU and are close to each other, and one that is not close.
constexpr const char *kFormats[] = {"sell", "ell", "jad", "csr-vector"};
constexpr double kPredictedUs[] = {10, 10.2, 10.4, 20};

struct TrialBed {
  ScratchDirectory scratch;
  CsrMatrix matrix = theMatrix();
  Valued valued{matrix.view(), ValueType::f64, 1};
  Profiled profiled = llvm::cantFail(profileMatrix(valued.view()));
  Machine machine = hostMachine(scratch.path());
  Ranked ranked = {};

  TrialBed() {
    const Ranked all = llvm::cantFail(rankPlans({}, profiled.profile, machine));
    for (const char *format : kFormats) {
      const auto found = std::find_if(all.candidates.begin(), all.candidates.end(),
                                      [&](const Candidate &c) { return c.plan.format == format; });
      REQUIRE(found != all.candidates.end());
      ranked.candidates.push_back(*found);
      ranked.candidates.back().predictedUs = ranked.candidates.back().comparedUs =
          kPredictedUs[ranked.candidates.size() - 1];
    }
    machine.gpu = llvm::cantFail(GpuDevice::open(0));
  }
  std::unique_ptr<Session> session(const Request &request) {
    auto out = std::make_unique<Session>(valued.view(), request, machine);
    out->know(profiled);
    out->know(ranked);
    return out;
  }
  BuiltChoice choose(const Request &request) {
    return llvm::cantFail(specmv::choose(*session(request)));
  }
  void chooseAndRemember(const Request &request) {
    const auto own = session(request);
    rememberChoice(*own, llvm::cantFail(specmv::choose(*own)));
  }
};

Request trialRequest(Rigor rigor, int64_t products = 0) {
  Request out;
  out.rigor = rigor, out.expectedProducts = products;
  return out;
}

// Sets the results of the next timings of the fake GPU.
void setTimes(const std::vector<float> &us) {
  std::copy(us.begin(), us.end(), ofFakeDriver<float>("fakeTimes"));
  *ofFakeDriver<int>("fakeTimings") = 0;
}

int timingsIn(const std::string &calls) { return countOf("cuEventElapsedTime", calls); }
int uploadsIn(const std::string &calls) {
  return countOf("cuMemcpyHtoD_v2", calls) + countOf("cuMemcpyHtoDAsync_v2", calls);
}

// One product, five, and three batches of 20: 10 us. Then 8 us. Then 20 us, which is given up after
// five products took that long twice.
const std::vector<float> kSecondIsFastest{10,  50,  200, 200, 200, 8,  40,
                                          200, 200, 200, 20,  100, 100};

void passesOnFakeGpu(const std::string &testCase) {
  passesWithFakeGpu(testCase, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}});
}

} // namespace

TEST_CASE("child: the fastest of a trial" * doctest::skip()) {
  TrialBed t;
  setTimes(kSecondIsFastest);
  BuiltChoice chosen;
  const std::string calls = fakeCallsOf([&] { chosen = t.choose(trialRequest(Rigor::trial)); });
  CHECK(chosen.choice.by == ChosenBy::trial);
  CHECK(chosen.choice.index == 1);
  CHECK(chosen.built.plan.format == "ell");
  CHECK(chosen.choice.measuredUs == doctest::Approx(8));
  CHECK(chosen.measureMs > 0);
  CHECK(timingsIn(calls) == 5 + 5 + 3);
  CHECK_FALSE(chosen.built.hit); // compiled ahead, for this choice
  CHECK(chosen.buildMs.compile > 0);
  CHECK(chosen.built.ms.compile == 0);
  CHECK(chosen.warnings.empty());
}

TEST_CASE("a trial takes the fastest of the near plans, and does not time on what is too slow") {
  passesOnFakeGpu("child: the fastest of a trial");
}

TEST_CASE("child: no gain in a trial" * doctest::skip()) {
  TrialBed t;
  const auto timingsFor = [&](int64_t products, ChosenBy by) {
    setTimes({});
    BuiltChoice chosen;
    const std::string calls =
        fakeCallsOf([&] { chosen = t.choose(trialRequest(Rigor::trial, products)); });
    CHECK(chosen.choice.by == by);
    return timingsIn(calls);
  };
  CHECK(timingsFor(1, ChosenBy::prediction) == 0);
  CHECK(timingsFor(10, ChosenBy::prediction) == 0);
  CHECK(timingsFor(10'000'000, ChosenBy::trial) > 0);
  t.ranked.candidates.resize(1);
  CHECK(timingsFor(0, ChosenBy::prediction) == 0);
  CHECK(t.choose(trialRequest(Rigor::estimate, 10'000'000)).choice.by == ChosenBy::prediction);
}

TEST_CASE("where a trial cannot pay nothing is timed") {
  passesOnFakeGpu("child: no gain in a trial");
}

TEST_CASE("child: uploads" * doctest::skip()) {
  TrialBed t;
  std::vector<int> uploads;
  for (size_t plans = 1; plans <= 3; ++plans) {
    uploads.push_back(uploadsIn(fakeCallsOf([&] {
      Proposals some{.plans = proposalsOf(t.ranked.candidates), .contest = &kToMeasure};
      some.plans.resize(plans);
      llvm::cantFail(fastestOf(*t.session({}), some));
    })));
  }
  CHECK(uploads == std::vector<int>(3, 3)); // rowPtr, col and val
}

TEST_CASE("candidates share one upload of the matrix") { passesOnFakeGpu("child: uploads"); }

TEST_CASE("child: measuring compiles few kernels" * doctest::skip()) {
  TrialBed t;
  // The fake GPU takes 150 us for the first plan that it times, and 300 for each later one.
  const double predictedUs[] = {100, 102, 224, 226};
  for (size_t i = 0; i < t.ranked.candidates.size(); ++i)
    t.ranked.candidates[i].predictedUs = t.ranked.candidates[i].comparedUs = predictedUs[i];
  const auto isThere = [&](size_t i) {
    return isReady(t.ranked.candidates[i].plan, Request().problem, t.machine);
  };
  t.choose(trialRequest(Rigor::estimate)); // compiles the first
  REQUIRE(isThere(0));
  REQUIRE_FALSE(isThere(1));
  const BuiltChoice chosen = t.choose(trialRequest(Rigor::measure));
  CHECK(chosen.choice.by == ChosenBy::measurement);
  CHECK(chosen.choice.index == 0);
  CHECK(chosen.choice.measuredUs == doctest::Approx(150));
  CHECK(isThere(1));
  CHECK(isThere(2));
  CHECK_FALSE(isThere(3));
  t.choose(trialRequest(Rigor::exhaustive));
  CHECK(isThere(3));
}

TEST_CASE("to measure, kernels are compiled only for plans that may be faster than those at hand") {
  passesOnFakeGpu("child: measuring compiles few kernels");
}

TEST_CASE("child: a plan of the same format" * doctest::skip()) {
  TrialBed t;
  std::vector<Candidate> ofFormat;
  for (const Candidate &c : llvm::cantFail(rankPlans({}, t.profiled.profile, t.machine)).candidates)
    if (c.plan.format == "csr-vector" && ofFormat.size() < 3)
      ofFormat.push_back(c);
  REQUIRE(ofFormat.size() == 3);
  t.ranked.candidates = ofFormat;
  const double predictedUs[] = {100, 115, 125};
  for (size_t i = 0; i < ofFormat.size(); ++i)
    t.ranked.candidates[i].predictedUs = t.ranked.candidates[i].comparedUs = predictedUs[i];
  t.choose(
      trialRequest(Rigor::estimate)); // compiles the first, which takes 1.5 times its prediction
  t.choose(trialRequest(Rigor::measure));
  const auto isThere = [&](size_t i) {
    return isReady(t.ranked.candidates[i].plan, Request().problem, t.machine);
  };
  CHECK(isThere(0));
  CHECK(isThere(1));
  CHECK_FALSE(isThere(2)); // 187 us are foretold, and 180 may become less than 150
}

TEST_CASE("a plan of a format that was timed is compiled only if it is foretold to be as fast") {
  passesOnFakeGpu("child: a plan of the same format");
}

TEST_CASE("child: the fastest gets its own kernels" * doctest::skip()) {
  TrialBed t;
  t.ranked.candidates = {t.ranked.candidates[1]}; // ELL has a general kernel
  t.machine.kernels = KernelKind::general;
  REQUIRE(t.choose(trialRequest(Rigor::estimate)).built.isGeneral);
  t.machine.kernels = KernelKind::specialized;
  setenv("SPECMV_FAKE_NVRTC", "compile", 1); // a kernel that does not compile is a fault of ours
  auto without = specmv::choose(*t.session(trialRequest(Rigor::measure)));
  REQUIRE_FALSE(static_cast<bool>(without));
  CHECK(describe(without.takeError()).second.find("planted") != std::string::npos);
  unsetenv("SPECMV_FAKE_NVRTC");
  const BuiltChoice with = t.choose(trialRequest(Rigor::measure));
  CHECK_FALSE(with.built.isGeneral);
  CHECK(with.choice.measuredUs > 0);
  CHECK(with.warnings.empty());
  CHECK(t.machine.kernels == KernelKind::specialized);
}

TEST_CASE("a plan that was timed with general kernels gets its own if it is the fastest") {
  passesOnFakeGpu("child: the fastest gets its own kernels");
}

TEST_CASE("child: a cache that stores nothing" * doctest::skip()) {
  TrialBed t;
  t.machine.cache = Cache({}, "");
  const BuiltChoice chosen = t.choose(trialRequest(Rigor::measure));
  CHECK(chosen.choice.by == ChosenBy::measurement);
  CHECK_FALSE(chosen.built.hit);
  CHECK(chosen.built.ms.compile == 0); // not once more
  CHECK(chosen.built.object);
  CHECK_FALSE(t.machine.ahead);
}

TEST_CASE("what was compiled ahead is not compiled again where nothing can be stored") {
  passesOnFakeGpu("child: a cache that stores nothing");
}

TEST_CASE("child: memory is freed" * doctest::skip()) {
  TrialBed t;
  const auto leftAfter = [&](Rigor rigor) {
    const int before = fakeLive();
    const BuiltChoice chosen = t.choose(trialRequest(rigor));
    return fakeLive() - before;
  };
  leftAfter(Rigor::measure); // loads what stays loaded
  const int one = leftAfter(Rigor::estimate);
  CHECK(leftAfter(Rigor::measure) == one);
  CHECK(leftAfter(Rigor::trial) == one);
}

TEST_CASE("of the plans that lost nothing stays in memory") {
  passesOnFakeGpu("child: memory is freed");
}

TEST_CASE("child: who follows a trial" * doctest::skip()) {
  TrialBed t;
  const auto follows = [&](Rigor rigor) {
    forgetChoices();
    return recalled(*t.session(trialRequest(rigor)), proposeEarlierChoice).has_value();
  };
  const auto choose = [&](Rigor rigor) { t.chooseAndRemember(trialRequest(rigor)); };
  choose(Rigor::estimate);
  CHECK(follows(Rigor::estimate));
  CHECK_FALSE(follows(Rigor::trial));
  setTimes(kSecondIsFastest);
  choose(Rigor::trial);
  CHECK(follows(Rigor::estimate));
  CHECK(follows(Rigor::trial));
  CHECK_FALSE(follows(Rigor::measure));
  const auto known = recalled(*t.session(trialRequest(Rigor::trial)), proposeEarlierChoice);
  REQUIRE(known);
  CHECK(known->built.plan.format == "ell");
  CHECK(known->choice.measuredUs == doctest::Approx(8));
  choose(Rigor::measure);
  for (const Rigor rigor : {Rigor::estimate, Rigor::trial, Rigor::measure})
    CHECK(follows(rigor));
  // Each number of products has its own choice.
  const Request many = trialRequest(Rigor::trial, 10'000'000);
  setTimes(kSecondIsFastest);
  t.chooseAndRemember(many);
  const auto followsMany = [&](const auto &propose) {
    forgetChoices();
    return recalled(*t.session(many), propose).has_value();
  };
  CHECK(followsMany(proposeEarlierChoiceAfterRanking));
  CHECK(followsMany(proposeEarlierChoice)); // its kernels are loaded
  // A trial without candidates is remembered too: it would have none the next time.
  t.ranked.candidates.resize(1);
  choose(Rigor::trial);
  CHECK(follows(Rigor::trial));
  CHECK_FALSE(follows(Rigor::measure));
}

TEST_CASE("a choice by trial is followed by estimates and trials, but not to measure") {
  passesOnFakeGpu("child: who follows a trial");
}

TEST_CASE("child: nothing compiles for a trial" * doctest::skip()) {
  TrialBed t;
  auto chosen = specmv::choose(*t.session(trialRequest(Rigor::trial)));
  REQUIRE_FALSE(static_cast<bool>(chosen));
  const std::string why = describe(chosen.takeError()).second;
  CHECK_MESSAGE(why.find("planted") != std::string::npos, why);
}

TEST_CASE("where nothing compiles a trial fails as an estimate does") {
  passesWithFakeGpu("child: nothing compiles for a trial",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_NVRTC", "compile"}});
}

TEST_CASE("on the host a trial is an estimate, which a later estimate or trial follows") {
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  for (const int64_t products : {0, 1000}) {
    const auto made = [&](Rigor rigor) {
      return llvm::cantFail(specializeIn(scratch.path(), a, trialRequest(rigor, products)));
    };
    const Specialized first = made(Rigor::trial);
    CHECK(first.choice.by == ChosenBy::prediction);
    CHECK(first.setup.measure == 0);
    if (noNvrtc())
      return; // fallbacks are not remembered
    CHECK(made(Rigor::trial).choice.by == ChosenBy::wisdom);
    CHECK(made(Rigor::estimate).choice.by == ChosenBy::wisdom);
  }
}
