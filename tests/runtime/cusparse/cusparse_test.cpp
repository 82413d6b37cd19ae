// Tests of cuSPARSE without a GPU: opening it, the routines that it has, and its formats where
// nothing can run them. Its products are tested with all others in tests/gpu.
#include "runtime/cusparse/cusparse.h"

#include "models/base/error.h"
#include "runtime/cuda/places.h"
#include "runtime/lab/yardstick/convert.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/plan/recall.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/wisdom.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Reports that a test is skipped if the toolkit has no cuSPARSE.
bool noCusparse() {
  for (const std::string &path : toolkitCandidates({"libcusparse.so.12"}))
    if (std::filesystem::exists(path))
      return false;
  MESSAGE("skipped: no libcusparse.so.12 in the toolkit");
  return true;
}

} // namespace

TEST_CASE("a cuSPARSE that is not there is missing, and the sentence names the file") {
  auto version = cusparseVersionOf({"/nowhere/libcusparse.so.12"});
  REQUIRE(!version);
  const auto [status, sentence] = describe(version.takeError());
  CHECK(status == Status::missing);
  CHECK(sentence.rfind("no cuSPARSE: ", 0) == 0);
  CHECK(contains(sentence, "/nowhere/libcusparse.so.12"));
}

TEST_CASE("a library without cuSPARSE's functions is missing, and the sentence names one") {
  auto version = cusparseVersionOf({"libm.so.6"});
  REQUIRE(!version);
  const auto [status, sentence] = describe(version.takeError());
  CHECK(status == Status::missing);
  CHECK(contains(sentence, "libm.so.6 has no cusparse"));
}

TEST_CASE("where the toolkit has cuSPARSE, its functions are found without a GPU") {
  if (noCusparse())
    return;
  CHECK(cusparseVersion().rfind("cuSPARSE 12.", 0) == 0);
  // Every format has a routine, and all but the experimental ones are in every cuSPARSE 12.6.
  for (const std::string &format : cusparseFormats()) {
    CAPTURE(format);
    const auto [status, sentence] = describe(cusparseHas(format));
    if (isExperimental(format) && !sentence.empty()) {
      CHECK(status == Status::missing);
      const bool isOp = llvm::StringRef(format).starts_with("cusparse-op");
      CHECK(contains(sentence, cusparseVersion() + " has no " +
                                   (isOp ? "cusparseSpMVOp" : "cusparseSpMV_createDescr")));
    } else {
      CHECK(sentence == "");
    }
  }
}

TEST_CASE("cuSPARSE converts CSR with 32-bit indices to COO, and not to sliced ELL") {
  if (noCusparse())
    return;
  const auto converts = [](const char *format, int64_t bits) {
    return cusparseConverts({.format = format, .integers = {{"offset", bits}, {"column", bits}}});
  };
  for (const char *format : {"cusparse-csr", "cusparse-csr1", "cusparse-csr2", "cusparse-coo"})
    CHECK_MESSAGE(converts(format, 32), std::string(format));
  CHECK_FALSE(converts("cusparse-coo", 64));
  CHECK_FALSE(converts("cusparse-sell", 32));
}

TEST_CASE("a routine that there is none of is a bug, not a missing library") {
  CHECK(describe(cusparseHas("cusparse-dia")).first == Status::internal);
}

TEST_CASE(
    "without a GPU a format of cuSPARSE is missing, in one sentence for each that was named") {
  const ScratchDirectory scratch;
  for (const std::string &format : cusparseFormats()) {
    CAPTURE(format);
    // A size that BSR accepts too.
    const CsrMatrix a = matrixOf("blocks", 64, 64, [](int64_t i) { return run(i / 4 * 4, 4); });
    auto s = specializeIn(scratch.path(), a, requestOfFormats({format}));
    REQUIRE_FALSE(static_cast<bool>(s));
    const auto [status, sentence] = describe(s.takeError());
    CHECK(status == Status::noGpu);
    CHECK(sentence == format + " runs only on a GPU: the target is the host");
    Machine machine = hostMachine(scratch.path());
    const Valued valued(a.view(), ValueType::f64, 1);
    const SparsityProfile seen = profile(a.view());
    const Problem problem;
    const Fixed none;
    const auto offered =
        llvm::cantFail(offers({seen, problem, machine.model, none}, {format})).front();
    REQUIRE_FALSE(offered.plans.empty());
    auto built = build(valued.view(), offered.plans.front(), {}, machine);
    REQUIRE_FALSE(static_cast<bool>(built));
    CHECK(describe(built.takeError()).first == Status::noGpu);
  }
  CHECK(filesBelow(scratch.path()).empty());
}

TEST_CASE("a name that fits beside one that needs a GPU is the choice") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const Specialized s = llvm::cantFail(
      specializeIn(scratch.path(), theMatrix(), requestOfFormats({"cusparse-csr1", "ell"})));
  CHECK(s.built.plan.format == "ell");
  REQUIRE(s.ranked.offers.size() == 2);
  CHECK(s.ranked.offers[1].whyStatus == Status::noGpu);
}

TEST_CASE("without a GPU nothing of cuSPARSE is a candidate, and each has a reason") {
  const ScratchDirectory scratch;
  const Machine machine = hostMachine(scratch.path());
  const CsrMatrix a = theMatrix();
  const Valued valued(a.view(), ValueType::f64, 1);
  const Analyzed seen = llvm::cantFail(analyze(valued.view(), {}, machine));
  for (const Offer &offer : seen.ranked.offers) {
    if (offer.format->library)
      CHECK((offer.plans.empty() && !offer.why.empty()));
    for (const Plan &plan : offer.plans)
      CHECK_FALSE(findFormat(plan.format)->library);
  }
}

TEST_CASE("a machine without a GPU does not use wisdom that names a library call") {
  if (noNvrtc())
    return;
  const ScratchDirectory scratch;
  const CsrMatrix a = theMatrix();
  llvm::cantFail(specializeIn(scratch.path(), a));
  const auto files = filesBelow(scratch.path() + "/wisdom");
  REQUIRE(files.size() == 1);
  const std::string bytes = readFile(files[0]);
  const auto sections = unpackEntry(kWisdomEntry, bytes);
  REQUIRE(sections);
  const CacheKey key{sections->front().str(), std::filesystem::path(files[0]).filename()};
  Cache cache({}, scratch.path());
  const std::string plan = "cusparse-csr2 offset=32 column=32";
  remember(cache, key,
           {.plan = plan, .chosen = Chosen::measured, .predictedUs = 1, .measuredUs = 2});
  REQUIRE(recall(cache, key)->plan == plan);
  forgetChoices();
  const Specialized s = llvm::cantFail(specializeIn(scratch.path(), a));
  CHECK(s.choice.by == ChosenBy::prediction);
  CHECK_FALSE(findFormat(s.built.plan.format)->library);
  CHECK(recall(cache, key)->plan == s.built.plan.text());
}
