// Tests of specialize() as a whole on a machine without a GPU: cold and warm starts, which requests
// wisdom serves, invalid matrices, and unavailable formats.
#include "generator/formats/bcsr/layout.h"
#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/signature/signature.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

Request requestOf(Problem problem, Rigor rigor = Rigor::estimate) {
  Request request;
  request.problem = problem;
  request.rigor = rigor;
  return request;
}

std::pair<Status, std::string> refusalIn(llvm::Expected<Specialized> result) {
  REQUIRE_FALSE(static_cast<bool>(result));
  return describe(result.takeError());
}

} // namespace

TEST_CASE("a second start of the same matrix compiles nothing and plans nothing") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  const Specialized cold = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(cold.choice.by == ChosenBy::prediction);
  CHECK_FALSE(cold.built.hit);
  CHECK(cold.setup.build.compile > 0);
  CHECK(cold.warnings.empty());
  CHECK(cold.built.plan.text() == cold.ranked.candidates.at(0).plan.text());
  CHECK(cold.signature == signatureId(profile(a.view())));

  const Specialized warm = llvm::cantFail(specializeIn(scratch.path(), a, {}, 2));
  CHECK(warm.choice.by == ChosenBy::wisdom);
  CHECK(warm.built.hit);
  CHECK(warm.setup.build.compile == 0);
  CHECK(warm.ranked.offers.empty());
  CHECK(warm.built.plan.text() == cold.built.plan.text());
  CHECK(warm.built.object->cubin == cold.built.object->cubin);
  CHECK(holdsValues(warm.built.layout, Valued(a.view(), ValueType::f64, 2)));
}

TEST_CASE("the first plan that fits is found without a compiler") {
  // Four entries in one block of 2 x 2: one is given twice, so one place has none.
  const CsrMatrix a = matrixOf("twice", 2, 2, [](int64_t i) {
    return i == 0 ? Row{0, 0} : Row{0, 1};
  });
  Machine machine = hostMachine("");
  const Valued valued(a.view(), ValueType::f64, 1);
  std::vector<Candidate> candidates;
  for (const auto &[format, fixed] : {std::pair<std::string, Fixed>{"bcsr", {{"bcsr.r", 2}}},
                                      std::pair<std::string, Fixed>{"csr-vector", {}}})
    for (const Candidate &candidate :
         llvm::cantFail(analyze(valued.view(), requestOfFormats({format}, fixed), machine))
             .ranked.candidates)
      candidates.push_back(candidate);
  REQUIRE(candidates[0].plan.get(key::kBcsrFull) == 1);
  const Problem problem{ValueType::f64};
  const Fit fit = llvm::cantFail(firstThatPacks(valued.view(), problem, candidates));
  CHECK(fit.index > 0);
  CHECK(fit.whyNot.size() == fit.index);
  CHECK(contains(fit.whyNot[0], "4 entries"));
  for (size_t i = 0; i <= fit.index; ++i) {
    auto packed = pack(valued.view(), candidates[i].plan, problem);
    CHECK(static_cast<bool>(packed) == (i == fit.index));
    llvm::consumeError(packed.takeError());
  }

  auto none = firstThatPacks(valued.view(), problem, llvm::ArrayRef(candidates).take_front(1));
  REQUIRE_FALSE(static_cast<bool>(none));
  CHECK(describe(none.takeError()).first == Status::notApplicable);
  auto other = firstThatPacks(valued.view(), {ValueType::f32}, candidates);
  REQUIRE_FALSE(static_cast<bool>(other));
  CHECK(describe(other.takeError()).first == Status::badCall);
}

TEST_CASE("a plan that the memory of the host does not hold is left out of a choice, or refused") {
  const CsrMatrix a = matrixOf("even", 300, 300, [](int64_t i) { return run(i / 2, 5); });
  const Valued valued(a.view(), ValueType::f64, 1);
  const PretendedMemory memory(1000000000);
  const auto candidateOf = [](const char *text) { return Candidate{.plan = *parsePlan(text)}; };
  const std::vector<Candidate> candidates{
      candidateOf("ell ell.width=2000000 block=256 offset=32 column=32"),
      candidateOf("ell ell.width=5 block=256 offset=32 column=32")};
  const Fit fit = llvm::cantFail(firstThatPacks(valued.view(), {ValueType::f64}, candidates));
  CHECK(fit.index == 1);
  CHECK(fit.noKernels.empty()); // its kernel is not what is missing
  CHECK(contains(fit.whyNot.at(0), "needs 7680000000 bytes on the host"));

  Request request;
  request.plan = candidates[0].plan;
  Machine machine = hostMachine("");
  const auto [status, sentence] = refusalIn(specialize(valued.view(), request, machine));
  CHECK(status == Status::hostMemory);
  CHECK(contains(sentence, "this machine has 1000000000 available"));
}

TEST_CASE("child: a warm start" * doctest::skip()) {
  const Specialized warm =
      llvm::cantFail(specializeIn(variable("SPECMV_TEST_DIRECTORY"), theMatrix()));
  CHECK(warm.built.hit);
  CHECK(warm.setup.build.compile == 0);
  CHECK_FALSE(nvrtcIsLoaded());
  CHECK_FALSE(contains(readFile("/proc/self/maps"), "libnvrtc"));
}

TEST_CASE("child: a cold start" * doctest::skip()) {
  CHECK_FALSE(contains(readFile("/proc/self/maps"), "libnvrtc"));
  const Specialized cold =
      llvm::cantFail(specializeIn(variable("SPECMV_TEST_DIRECTORY"), theMatrix()));
  CHECK_FALSE(cold.built.hit);
  CHECK(nvrtcIsLoaded());
  CHECK(contains(readFile("/proc/self/maps"), "libnvrtc"));
}

TEST_CASE("a process that starts warm does not load NVRTC") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch, printed;
  const std::string output = printed.path() + "/output";
  for (const char *test : {"child: a cold start", "child: a warm start"}) {
    const int status = runAlone(test, {{"SPECMV_TEST_DIRECTORY", scratch.path()}}, output);
    CHECK_MESSAGE(status == 0, readFile(output));
    CHECK(contains(readFile(output), "test cases: 1 | 1 passed"));
  }
}

TEST_CASE("wisdom serves the request that it was kept for, no other") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  llvm::cantFail(specializeIn(scratch.path(), a));
  const Request single = requestOf(Problem{ValueType::f32}),
                noBeta = requestOf(Problem{ValueType::f64, false}),
                onlyJad = requestOfFormats({"jad"}),
                fixedLanes = requestOfFormats({}, {{"csr.lanes", 1}});
  for (const Request &request : {single, noBeta, onlyJad, fixedLanes})
    CHECK(llvm::cantFail(specializeIn(scratch.path(), a, request)).choice.by ==
          ChosenBy::prediction);
  CHECK(llvm::cantFail(specializeIn(scratch.path(), a, onlyJad)).built.plan.format == "jad");
  // A prescribed choice is not used for others.
  const Specialized usual = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(usual.choice.by == ChosenBy::wisdom);
  Machine other = hostMachine(scratch.path());
  other.arch = "sm_80";
  const Valued valued(a.view(), ValueType::f64, 1);
  CHECK(llvm::cantFail(specialize(valued.view(), {}, other)).choice.by == ChosenBy::prediction);
}

TEST_CASE("arrays that are no matrix are refused with the row and the number") {
  struct Case {
    const char *what;
    void (*spoil)(CsrMatrix &);
    std::vector<const char *> parts;
  };
  const Case cases[] = {
      {"column too large", [](CsrMatrix &a) { a.col[7 * 5 + 2] = 69; }, {"row 7", "69"}},
      {"column negative", [](CsrMatrix &a) { a.col[9 * 5] = -1; }, {"row 9", "-1"}},
      {"rowPtr descends", [](CsrMatrix &a) { a.rowPtr[12] = 7; }, {"row 11", "55", "7"}},
      {"rowPtr beyond nnz", [](CsrMatrix &a) { a.rowPtr[3] = 1 << 30; }, {"row 2", "1073741824"}},
      {"rowPtr negative", [](CsrMatrix &a) { a.rowPtr[1] = -5; }, {"row 0", "-5"}},
      {"rowPtr starts late", [](CsrMatrix &a) { a.rowPtr[0] = 1; }, {"1"}},
      {"rowPtr ends early", [](CsrMatrix &a) { a.rowPtr[64] = 319; }, {"319", "320"}},
      {"rows negative", [](CsrMatrix &a) { a.rows = -1; }, {"-1"}},
      {"cols negative", [](CsrMatrix &a) { a.cols = -3; }, {"-3"}},
  };
  for (const Case &c : cases) {
    CsrMatrix a = evenMatrix(64, 5);
    REQUIRE(a.cols == 69);
    c.spoil(a);
    const ScratchDirectory scratch;
    const auto refused = refusalIn(specializeIn(scratch.path(), a));
    const std::string what = c.what, &sentence = refused.second;
    CAPTURE(what);
    CAPTURE(sentence);
    CHECK(refused.first == Status::badInput);
    for (const char *part : c.parts)
      CHECK(contains(sentence, part));
    CHECK(filesBelow(scratch.path()).empty());
  }
}

TEST_CASE("what cannot be had is refused with the reason") {
  const ScratchDirectory scratch;
  const CsrMatrix a = matrixOf("one long row", 320, 600,
                               [](int64_t i) { return i == 151 ? run(0, 600) : run(i, 2); });
  auto [status, sentence] = refusalIn(specializeIn(scratch.path(), a, requestOfFormats({"ell"})));
  CHECK(status == Status::notApplicable);
  CHECK(contains(sentence, "600"));
  std::tie(status, sentence) =
      refusalIn(specializeIn(scratch.path(), a, requestOfFormats({"elll"})));
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "'elll'"));
  std::tie(status, sentence) =
      refusalIn(specializeIn(scratch.path(), a, requestOfFormats({}, {{"ell.wdith", 3}})));
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "ell.wdith"));
  std::tie(status, sentence) = refusalIn(
      specializeIn(scratch.path(), a, requestOfFormats({"ell", "qcsr"}, {{"qcsr.d", 1000}})));
  CHECK(status == Status::notApplicable);
  CHECK(contains(sentence, "600"));
  CHECK(contains(sentence, "1000"));
  for (Rigor rigor : {Rigor::measure, Rigor::exhaustive}) {
    std::tie(status, sentence) =
        refusalIn(specializeIn(scratch.path(), a, requestOf(Problem{}, rigor)));
    CHECK(status == Status::noGpu);
    CHECK(contains(sentence, "GPU"));
  }
}

TEST_CASE("every edge matrix is specialized for, in both types") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  for (const CsrMatrix &a : edgeMatrices())
    for (ValueType type : kTypes) {
      CAPTURE(a.name);
      auto s = specializeIn(scratch.path(), a, requestOf(Problem{type}));
      REQUIRE(static_cast<bool>(s));
      CHECK((a.rows == 0 || !s->built.steps.empty()));
      CHECK(std::is_sorted(s->ranked.candidates.begin(), s->ranked.candidates.end(),
                           [](auto &l, auto &r) { return l.cautiousUs() < r.cautiousUs(); }));
    }
}

TEST_CASE("analyze() ranks the same candidates and leaves nothing behind") {
  const ScratchDirectory scratch;
  const Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = theMatrix();
  const Valued valued(a.view(), ValueType::f64, 1);
  const Analyzed seen = llvm::cantFail(analyze(valued.view(), {}, machine));
  CHECK(seen.ranked.offers.size() == formats().size());
  const Fixed none;
  const PlanRequest request{seen.profiled.profile, {}, machine.model, none};
  size_t plans = 0;
  for (const Offer &offer : seen.ranked.offers)
    plans += priced(offer, request).size();
  CHECK(seen.ranked.candidates.size() == plans);
  CHECK(seen.ranked.candidates.at(0).predictedUs > 0);
  CHECK(filesBelow(scratch.path()).empty());
}
