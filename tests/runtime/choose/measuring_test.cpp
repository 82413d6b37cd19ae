// Tests which kernels are compiled to measure plans, and which the fastest plan has in the end.
#include "runtime/kernels/at_hand.h"
#include "tests/runtime/choose/trial_testing.h"

using namespace specmv;
using namespace specmv::testing;

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

// A former bug: with only packs, nothing told that the best plan did not take part.
TEST_CASE("child: the best plan is in no pack" * doctest::skip()) {
  TrialBed t;
  t.choose(trialRequest(Rigor::estimate)); // compiles the first
  std::swap(t.ranked.candidates[0], t.ranked.candidates[1]);
  const double predictedUs[] = {100, 102, 224, 226};
  for (size_t i = 0; i < t.ranked.candidates.size(); ++i)
    t.ranked.candidates[i].predictedUs = t.ranked.candidates[i].comparedUs = predictedUs[i];
  t.machine.onlyPacks = true;
  for (const Rigor rigor : {Rigor::measure, Rigor::exhaustive}) {
    const BuiltChoice chosen = t.choose(trialRequest(rigor));
    CHECK(chosen.choice.index == 1);
    REQUIRE(chosen.warnings.size() == 1); // not one for each plan
    CHECK(chosen.warnings.front().find(t.ranked.candidates[0].plan.text() +
                                       ": no pack has the kernel") == 0);
  }
}

TEST_CASE("measuring with only packs tells that the best plan is in none") {
  passesOnFakeGpu("child: the best plan is in no pack");
}
