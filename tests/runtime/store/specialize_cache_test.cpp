// Tests of specialize() with a cache that holds wisdom of another matrix or version.
#include "models/base/error.h"
#include "models/signature/signature.h"
#include "runtime/plan/recall.h"
#include "runtime/store/entry_file.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns the key of the only wisdom in a directory, from its file.
CacheKey keyOfWisdomIn(const std::string &directory) {
  const auto files = filesBelow(directory + "/wisdom");
  REQUIRE(files.size() == 1);
  const std::string bytes = readFile(files[0]);
  const auto sections = unpackEntry(kWisdomEntry, bytes);
  REQUIRE(sections);
  return {sections->front().str(), std::filesystem::path(files[0]).filename()};
}

} // namespace

// Remembers SPECMV_TEST_PLAN for theMatrix() and specializes.
TEST_CASE("child: wisdom with a plan" * doctest::skip()) {
  const CsrMatrix a = theMatrix();
  const std::string directory = variable("SPECMV_TEST_DIRECTORY");
  const std::string plan = variable("SPECMV_TEST_PLAN");
  const std::string fresh = llvm::cantFail(specializeIn(directory, a)).built.plan.text();
  const CacheKey key = keyOfWisdomIn(directory);
  Cache cache({}, directory);
  REQUIRE(recall(cache, key)->plan == fresh);
  const std::string signature = recall(cache, key)->signature;
  CHECK(signature == signatureId(profile(a.view())));
  remember(cache, key, {.plan = plan, .predictedUs = 1, .signature = signature});
  REQUIRE(recall(cache, key)->plan == plan);

  // This process follows its choice until it forgets it.
  CHECK(llvm::cantFail(specializeIn(directory, a)).built.plan.text() == fresh);
  forgetChoices();

  const Specialized s = llvm::cantFail(specializeIn(directory, a));
  const bool fits = variable("SPECMV_TEST_FITS") == "yes";
  CHECK(s.choice.by == (fits ? ChosenBy::wisdom : ChosenBy::prediction));
  CHECK(s.built.plan.text() == (fits ? plan : fresh));
  CHECK(holdsValues(s.built.layout, Valued(a.view(), ValueType::f64, 1)));
  CHECK(s.built.object);
}

TEST_CASE("wisdom is followed where its plan fits, and only there") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch, printed;
  const std::string output = printed.path() + "/output", index = " block=256 offset=32 column=32";
  const std::pair<std::string, bool> cases[] = {
      {"ell ell.width=30" + index, true}, // wasteful, not wrong
      {"csr-vector csr.lanes=2" + index, true},
      {"ell ell.width=26" + index, false}, // of a matrix with shorter rows
      {"ell ell.width=-1" + index, false},
      {"ell ell.width=4611686018427387904" + index, false},
      {"ell", false},
      {"hyb hyb.k=27 block=256 tail=1 offset=32 column=32", false}, // no entry is left for a tail
      {"hyb hyb.k=20 block=256 tail=0 offset=32 column=32", false},
      {"hyb hyb.k=-1 block=256 tail=1 offset=32 column=32", false},
      {"csr-vector csr.lanes=3" + index, false},
      {"csr-vector", false}, // as a version with other parameters may have left it
      {"qcsr qcsr.d=64", false},
      {"nosuch a=1", false},
  };
  for (const auto &[plan, fits] : cases) {
    const std::string &planText = plan;
    CAPTURE(planText);
    const int status = runAlone("child: wisdom with a plan",
                                {{"SPECMV_TEST_DIRECTORY", scratch.path()},
                                 {"SPECMV_TEST_PLAN", plan},
                                 {"SPECMV_TEST_FITS", fits ? "yes" : "no"}},
                                output);
    CHECK_MESSAGE(status == 0, readFile(output));
    std::filesystem::remove_all(scratch.path() + "/wisdom");
  }
}

// A former bug: the source of a plan was emitted before the plan was checked, which divided by its
// 0.
TEST_CASE("child: weighed wisdom with plans that are none" * doctest::skip()) {
  const CsrMatrix a = theMatrix();
  const std::string directory = variable("SPECMV_TEST_DIRECTORY");
  Request request;
  request.expectedProducts = 100000;
  const Plan fresh = llvm::cantFail(specializeIn(directory, a, request)).built.plan;
  const CacheKey key = keyOfWisdomIn(directory);
  Cache cache({}, directory);
  const std::string signature = recall(cache, key)->signature;
  for (const char *plan : {"csr-merge merge.items=0 merge.threads=256 offset=32 column=32", "csr5",
                           "coo", "hyb", "ell", "qcsr qcsr.d=64"}) {
    remember(cache, key,
             {.plan = plan,
              .chosen = Chosen::measured,
              .predictedUs = 1,
              .measuredUs = 1,
              .signature = signature,
              .products = request.expectedProducts});
    REQUIRE(recall(cache, key)->plan == plan);
    forgetChoices();
    CHECK(llvm::cantFail(specializeIn(directory, a, request)).built.plan == fresh);
  }
}

TEST_CASE("wisdom that is whole and has no plan that can be costs time only") {
  const ScratchDirectory scratch, printed;
  const std::string output = printed.path() + "/output";
  const int status = runAlone("child: weighed wisdom with plans that are none",
                              {{"SPECMV_TEST_DIRECTORY", scratch.path()}}, output);
  CHECK_MESSAGE(status == 0, readFile(output));
}

// A former bug: a pack that named cusparse-bsr, whose padding reads x, was followed.
TEST_CASE("wisdom is not followed to a format that must not be chosen by itself") {
  const CsrMatrix matrix =
      matrixOf("full blocks", 64, 64, [](int64_t i) { return run(i / 8 * 8, 8); });
  std::set<std::string> seen;
  for (const auto &[format, plan] : plansOf(matrix.view(), {})) {
    const std::string name = format->name;
    if (!seen.insert(name).second)
      continue;
    CAPTURE(name);
    const bool may = format->isDeterministic && !format->paddingReadsX;
    const Wisdom guess{.plan = plan.text(), .predictedUs = 1};
    const Wisdom timed{guess.plan, Chosen::measured, 1, 1};
    CHECK(planToFollow(guess, {}, Rigor::estimate).has_value() == may);
    CHECK(planToFollow(timed, {}, Rigor::estimate).has_value() == may);
    const Wisdom tried{guess.plan, Chosen::tried, 1};
    CHECK(planToFollow(timed, {}, Rigor::trial).has_value() == may);
    CHECK(planToFollow(timed, {}, Rigor::measure).has_value() == may);
    CHECK(planToFollow(tried, {}, Rigor::estimate).has_value() == may);
    CHECK(planToFollow(tried, {}, Rigor::trial).has_value() == may);
    CHECK_FALSE(planToFollow(tried, {}, Rigor::measure));
    CHECK_FALSE(planToFollow(guess, {}, Rigor::trial));
    CHECK_FALSE(planToFollow(guess, {}, Rigor::measure));
  }
  for (const char *name : {"csr-vector", "cusparse-bsr", "cusparse-csr"})
    CHECK(seen.contains(name));
  CHECK_FALSE(planToFollow({.plan = "nosuch a=1"}, {}, Rigor::estimate));
}

static bool hasTie(const Ranked &ranked) {
  return ranked.candidates.size() > 1 && ties(ranked.candidates[1], ranked.candidates[0]);
}

TEST_CASE("of plans whose predictions tie, the one whose kernel is ready is chosen, and not "
          "remembered as the best") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  const auto rankedOf = [&](const CsrMatrix &matrix) {
    const Valued valued(matrix.view(), ValueType::f64, 1);
    return llvm::cantFail(analyze(valued.view(), {}, machine)).ranked;
  };
  CsrMatrix a;
  Ranked ranked;
  for (int64_t length = 2; length < 60 && !hasTie(ranked); ++length)
    ranked = rankedOf(a = evenMatrix(2000, length));
  REQUIRE(hasTie(ranked));
  const Valued valued(a.view(), ValueType::f64, 1);
  const Plan &second = ranked.candidates[1].plan;
  llvm::cantFail(build(valued.view(), second, {}, machine)); // keeps its kernel

  const Specialized tied = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(tied.choice.index == 1);
  CHECK(tied.choice.by == ChosenBy::prediction);
  CHECK(tied.built.plan == second);
  CHECK(tied.built.hit);
  CHECK(tied.warnings.empty());
  REQUIRE(tied.choice.better);
  const Plan &best = ranked.candidates[0].plan;
  CHECK(tied.choice.better->plan == best.text());
  CHECK(tied.choice.better->predictedUs == ranked.candidates[0].predictedUs);
  CHECK_FALSE(std::filesystem::exists(scratch.path() + "/wisdom"));

  // This process continues with it until the better kernel is available.
  const Specialized again = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(again.built.plan == second);
  CHECK(again.choice.by == ChosenBy::wisdom);
  CHECK(again.choice.better);
  forgetChoices();
  CHECK(llvm::cantFail(specializeIn(scratch.path(), a)).choice.by == ChosenBy::prediction);
  llvm::cantFail(build(valued.view(), best, {}, machine));
  const Specialized better = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(better.built.plan == best);
  CHECK_FALSE(better.choice.better);
  CHECK(recall(machine.cache, keyOfWisdomIn(scratch.path()))->plan == best.text());
  CHECK(llvm::cantFail(specializeIn(scratch.path(), a)).choice.by == ChosenBy::wisdom);
}

namespace {
Candidate weighed(const char *format, double productUs, double workUs, double kernelsUs = 0) {
  return {.plan = {.format = format},
          .predictedUs = productUs,
          .comparedUs = productUs,
          .setup = {.workUs = workUs, .kernelsUs = kernelsUs}};
}
} // namespace

TEST_CASE("an earlier choice for so many products is followed while its total is the least") {
  const Ranked ranked{{}, {weighed("ell", 10, 100), weighed("dia", 5, 1000)}};
  const Wisdom ell{.plan = "ell"}, dia{.plan = "dia"};
  CHECK(isStillLeast(ell, 100, ranked));
  CHECK_FALSE(isStillLeast(dia, 100, ranked));
  CHECK(isStillLeast(dia, 1000, ranked));
  CHECK_FALSE(isStillLeast({.plan = "jad"}, 1, ranked)); // is not offered any more
  // The measured product counts, not the predicted one.
  CHECK_FALSE(
      isStillLeast({.plan = "dia", .chosen = Chosen::measured, .predictedUs = 5, .measuredUs = 20},
                   1000, ranked));
  // A set-up took ten times as long as predicted: on this machine, all set-ups do.
  CHECK_FALSE(isStillLeast({.plan = "dia", .setupUs = 10000}, 1000, ranked));
  CHECK(isStillLeast({.plan = "ell", .setupUs = 1000}, 1000, ranked));
  CHECK(isStillLeast({.plan = "dia", .setupUs = 10000}, 2000, ranked));
  // The host's launches hide what dia saves, but the order counts it; a measured time does too.
  Ranked hidden{{}, {weighed("ell", 5, 100), weighed("dia", 5, 1000)}};
  hidden.candidates[1].comparedUs = 3;
  CHECK(isStillLeast(dia, 1000, hidden));
  CHECK(isStillLeast({.plan = "dia", .chosen = Chosen::measured, .measuredUs = 6}, 1000, hidden));
  CHECK_FALSE(
      isStillLeast({.plan = "dia", .chosen = Chosen::measured, .measuredUs = 8}, 1000, hidden));
  // What orders plans includes their caution; a time that was measured needs none.
  Ranked careful{{}, {weighed("ell", 5, 100), weighed("dia", 4.9, 100)}};
  careful.candidates[1].traffic.caution = 1.1;
  CHECK(isStillLeast(ell, 1000, careful));
  CHECK_FALSE(isStillLeast(dia, 1000, careful));
  CHECK(
      isStillLeast({.plan = "dia", .chosen = Chosen::measured, .measuredUs = 4.9}, 1000, careful));
  // The cost of a compilation is not scaled.
  const Ranked compiled{{}, {weighed("ell", 10, 100), weighed("dia", 5, 100, 1e5)}};
  CHECK(isStillLeast({.plan = "ell", .setupUs = 1}, 10000, compiled));
  const auto lostUs = [](const std::vector<Candidate> &candidates, size_t index) {
    return lostWithAllKernelsUs(candidates, withAllKernels(candidates[index]), 10000);
  };
  CHECK(lostUs(compiled.candidates, 0) == 5 * 10000);
  CHECK(lostUs(compiled.candidates, 1) == 0);
  const std::vector<Candidate> onHost{weighed("ell", 10, 100), weighed("hcghyb", 5, 100)};
  CHECK(lostUs(onHost, 0) == 0); // it could be packed on the host as well
  CHECK(isStillLeast(ell, 1000, {{}, onHost}));
  CHECK(lostUs(careful.candidates, 0) == 0);
  CHECK(lostUs(careful.candidates, 1) == doctest::Approx((4.9 * 1.1 - 5) * 10000));
}

TEST_CASE("a choice by trial stays while no other is better by more than predictions can tell") {
  const Ranked ranked{{}, {weighed("ell", 10, 100), weighed("dia", 10.5, 100)}};
  const Wisdom tried{.plan = "dia", .chosen = Chosen::tried, .predictedUs = 10.5, .measuredUs = 12};
  CHECK(isStillLeast(tried, 1000, ranked)); // ell was slower still
  CHECK(isStillLeast({.plan = "dia", .chosen = Chosen::tried, .predictedUs = 10.5}, 1000, ranked));
  CHECK_FALSE(isStillLeast({.plan = "dia", .predictedUs = 10.5}, 1000, ranked));
  const Ranked better{{}, {weighed("ell", 9.5, 100), weighed("dia", 10.5, 100)}};
  CHECK_FALSE(isStillLeast(tried, 1000, better));
  const Ranked dearer{{}, {weighed("ell", 10, 100), weighed("dia", 10.5, 2000)}};
  CHECK_FALSE(isStillLeast(tried, 1000, dearer));
  CHECK(isStillLeast(tried, 9000, dearer));
}

TEST_CASE("a number of products decides the choice, and has wisdom of its own") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const CsrMatrix a = evenMatrix(20000, 30);
  Request few, more, many;
  few.expectedProducts = 100, more.expectedProducts = 900, many.expectedProducts = int64_t{1} << 40;
  const auto made = [&](const Request &request) {
    return llvm::cantFail(specializeIn(scratch.path(), a, request));
  };
  const Specialized unknown = made({}), endless = made(many), cold = made(few);
  CHECK(endless.choice.by == ChosenBy::prediction);
  CHECK(endless.built.plan == unknown.built.plan); // the best predicted one
  CHECK(cold.choice.by == ChosenBy::prediction);
  CHECK(cold.choice.index == 0);
  CHECK(filesBelow(scratch.path() + "/wisdom").size() == 3);
  for (const Candidate &c : cold.ranked.candidates)
    CHECK(c.setup.totalUs() > 0);
  CHECK(unknown.ranked.candidates[0].setup.totalUs() == 0);

  CHECK(made(few).choice.by == ChosenBy::wisdom);
  CHECK(made(more).choice.by == ChosenBy::wisdom); // of the same power of ten
  CHECK(made(many).choice.by == ChosenBy::wisdom);
  CHECK(made({}).choice.by == ChosenBy::wisdom);
  CHECK(filesBelow(scratch.path() + "/wisdom").size() == 3);
}
