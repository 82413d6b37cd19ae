// Tests trials on the fake driver: which plan they take, what they run and upload for it, and who
// follows the choice.
#include "tests/runtime/choose/trial_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

int timingsIn(const std::string &calls) { return countOf("cuEventElapsedTime", calls); }
int uploadsIn(const std::string &calls) {
  return countOf("cuMemcpyHtoD_v2", calls) + countOf("cuMemcpyHtoDAsync_v2", calls);
}

// One product, five, and three batches of 20: 10 us. Then 8 us. Then 20 us, which is given up after
// five products took that long twice.
const std::vector<float> kSecondIsFastest{10,  50,  200, 200, 200, 8,  40,
                                          200, 200, 200, 20,  100, 100};

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
