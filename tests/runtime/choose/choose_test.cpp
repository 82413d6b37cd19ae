// Tests of the search for the first plan that fits: which plans it skips, what ends it, and what it
// reports.
#include "runtime/choose/choose.h"
#include "runtime/plan/realize.h"

#include "models/base/error.h"

#include "llvm/ADT/STLExtras.h"
#include <doctest/doctest.h>

#include <map>

using namespace specmv;

namespace {

using Outcomes = std::map<std::string, std::pair<Status, std::string>>; // of what fails, by format

std::vector<Proposal> proposalsOf(const std::vector<std::string> &formats) {
  std::vector<Proposal> out;
  out.reserve(formats.size());
  for (const std::string &format : formats)
    out.push_back({.plan = {.format = format}, .predictedUs = 1});
  return out;
}

llvm::Expected<Fit> search(const std::vector<std::string> &formats, const Outcomes &failures,
                           std::string &tried, const Substitutes &substitutes = {}) {
  tried.clear();
  const auto attempt = [&](const Proposal &proposal) -> llvm::Error {
    tried += (tried.empty() ? "" : " ") + proposal.plan.format;
    const auto found = failures.find(proposal.plan.format);
    return found == failures.end() ? llvm::Error::success()
                                   : failWith(found->second.first, found->second.second);
  };
  return firstFit(proposalsOf(formats), attempt, substitutes);
}

} // namespace

TEST_CASE("a reason that several formats share is told once") {
  const auto offer = [](const char *format, const std::string &why) {
    return Offer{findFormat(format), {}, format + why, Status::notApplicable};
  };
  const std::vector<Offer> offers{offer("ell", " is too wide"), offer("cusparse-csr", ": no GPU"),
                                  offer("cusparse-coo", ": no GPU"), offer("dia", " is too wide"),
                                  offer("cusparse-sell", ": no GPU")};
  CHECK(reasonsOf(offers) ==
        std::vector<std::string>{"ell is too wide (likewise dia)",
                                 "cusparse-csr: no GPU (likewise cusparse-coo, cusparse-sell)"});
  CHECK(describe(noPlan(offers)).second ==
        "ell is too wide (likewise dia); cusparse-csr: no GPU (likewise cusparse-coo, "
        "cusparse-sell)");
}

TEST_CASE("a format of which no plan to measure is ready is measured by its best that is") {
  std::vector<Candidate> candidates;
  for (const char *format : {"sell", "sell", "ell", "jad", "sell", "jad", "ell", "sell"})
    candidates.push_back({.plan = {.format = format}});
  const auto of = [&](std::vector<size_t> isReady, std::vector<size_t> measured) {
    return withReadyOnes(std::move(measured), candidates, [&](const Plan &plan) {
      return llvm::any_of(isReady, [&](size_t i) { return &candidates[i].plan == &plan; });
    });
  };
  CHECK(of({}, {0, 2, 3}) == std::vector<size_t>{0, 2, 3});
  CHECK(of({0, 1, 2, 5}, {0, 2, 3}) == std::vector<size_t>{0, 2, 3, 5});
  CHECK(of({1, 4, 6, 7}, {0, 2, 3}) == std::vector<size_t>{0, 2, 3, 1, 6});
  CHECK(of({4}, {}) == std::vector<size_t>{4});
}

TEST_CASE("a plan that does not fit is left to the next, with its reason") {
  std::string tried;
  const Fit fit = llvm::cantFail(
      search({"dia", "ell", "jad"}, {{"dia", {Status::notApplicable, "too long"}}}, tried));
  CHECK(fit.index == 1);
  CHECK(fit.whyNot == std::vector<std::string>{"too long"});
  CHECK(fit.noKernels == "");
  CHECK(fit.failedMs >= 0);
  CHECK(tried == "dia ell");
}

TEST_CASE("any other failure of a kernel of ours ends the search") {
  for (Status status : {Status::internal, Status::badCall, Status::badInput}) {
    std::string tried;
    auto fit = search({"dia", "ell"}, {{"dia", {status, "broken"}}}, tried);
    REQUIRE_FALSE(static_cast<bool>(fit));
    CHECK(describe(fit.takeError()) == std::pair<Status, std::string>{status, "broken"});
    CHECK(tried == "dia");
  }
}

TEST_CASE("a library's call that fails, however, is left to the next") {
  for (Status status :
       {Status::internal, Status::missing, Status::gpuMemory, Status::notApplicable}) {
    std::string tried;
    const Fit fit = llvm::cantFail(
        search({"cusparse-csr1", "ell"}, {{"cusparse-csr1", {status, "no"}}}, tried));
    CHECK(fit.index == 1);
    CHECK(fit.noKernels == "");
    CHECK(tried == "cusparse-csr1 ell");
  }
}

TEST_CASE("where no kernel can be had a library's call is the fallback") {
  std::string tried;
  const Outcomes noNvrtc{{"dia", {Status::noNvrtc, "no NVRTC"}}};
  const Fit fit = llvm::cantFail(search({"dia", "ell", "cusparse-csr1"}, noNvrtc, tried));
  CHECK(fit.index == 2);
  CHECK(fit.whyNot == std::vector<std::string>{"no NVRTC", "no NVRTC"});
  CHECK(fit.noKernels == "no NVRTC");
  CHECK(tried == "dia cusparse-csr1");
}

TEST_CASE("where no kernel can be had a plan whose kernel is at hand is the first substitute") {
  std::string tried;
  const Outcomes noNvrtc{{"dia", {Status::noNvrtc, "no NVRTC"}}};
  const Substitutes jadIsReady{[](const Plan &plan) { return plan.format == "jad"; }, true};
  Fit fit =
      llvm::cantFail(search({"dia", "ell", "jad", "cusparse-csr1"}, noNvrtc, tried, jadIsReady));
  CHECK(fit.index == 2);
  CHECK(fit.noKernels == "no NVRTC");
  CHECK(tried == "dia jad");
  fit = llvm::cantFail(search({"dia", "cusparse-csr1", "jad"}, noNvrtc, tried, jadIsReady));
  CHECK(fit.index == 1); // in the order of the predictions
}

TEST_CASE("where only packs are allowed no library's call takes the place of a kernel") {
  std::string tried;
  const Outcomes notPacked{{"dia", {Status::notInPacks, "no pack has dia"}},
                           {"jad", {Status::notApplicable, "too long"}}};
  const Substitutes packs{[](const Plan &plan) { return plan.format == "jad"; }, false};
  auto fit = search({"dia", "cusparse-csr1", "jad"}, notPacked, tried, packs);
  REQUIRE_FALSE(static_cast<bool>(fit));
  CHECK(describe(fit.takeError()) ==
        std::pair<Status, std::string>{Status::notInPacks, "no pack has dia"});
  CHECK(tried == "dia jad");
  // If cuSPARSE's plan is the best, no kernel is missing.
  CHECK(llvm::cantFail(search({"cusparse-csr1", "dia"}, notPacked, tried, packs)).index == 0);
}

TEST_CASE("where nothing fits the reason is that of our own last plan, if there is one") {
  const Outcomes all{{"dia", {Status::notApplicable, "of dia"}},
                     {"ell", {Status::notApplicable, "of ell"}},
                     {"cusparse-csr1", {Status::internal, "of csr1"}},
                     {"cusparse-coo", {Status::internal, "of coo"}}};
  struct Case {
    std::vector<std::string> formats;
    std::string reason;
  };
  for (const Case &c : {Case{{"dia", "cusparse-csr1", "ell", "cusparse-coo"}, "of ell"},
                        {{"cusparse-csr1", "cusparse-coo"}, "of csr1"},
                        {{}, "no plan"}}) {
    std::string tried;
    auto fit = search(c.formats, all, tried);
    REQUIRE_FALSE(static_cast<bool>(fit));
    CHECK(describe(fit.takeError()).second == c.reason);
  }
}

TEST_CASE("among plans that tie with the best, the first whose kernel is ready comes first") {
  struct Case {
    std::vector<std::pair<const char *, double>> candidates; // format and predicted time
    std::string ready;                                       // formats
    size_t first;
    std::string asked;
  };
  const double tied = 1 + kTie / 2, worse = 1 + kTie * 2;
  for (const Case &c : {Case{{{"dia", 1}, {"ell", tied}}, "dia ell", 0, "dia"},
                        {{{"dia", 1}, {"ell", tied}, {"jad", tied}}, "ell jad", 1, "dia ell"},
                        {{{"dia", 1}, {"ell", tied}, {"jad", tied}}, "jad", 2, "dia ell jad"},
                        {{{"dia", 1}, {"ell", tied}, {"jad", worse}}, "jad", 0, "dia ell"},
                        {{{"dia", 1}, {"ell", worse}}, "ell", 0, ""}, // nothing ties
                        {{{"dia", 1}, {"cusparse-sell", tied}}, "cusparse-sell", 0, "dia"},
                        {{{"cusparse-sell", 1}, {"ell", tied}}, "ell", 0, ""},
                        {{{"dia", 0}, {"ell", 0}}, "ell", 1, "dia ell"},
                        {{}, "", 0, ""}}) {
    std::vector<Candidate> candidates;
    for (const auto &[format, us] : c.candidates)
      candidates.push_back({.plan = {.format = format}, .predictedUs = us, .comparedUs = us});
    std::string asked;
    CHECK(firstAmongTies(candidates, [&](const Plan &plan) {
            asked += (asked.empty() ? "" : " ") + plan.format;
            return llvm::StringRef(c.ready).contains(plan.format);
          }) == c.first);
    CHECK(asked == c.asked);
  }
}

TEST_CASE("nobody waits for a compiler if a plan at hand is good enough") {
  struct Case {
    std::vector<std::pair<const char *, double>> candidates; // format and predicted time
    std::string ready;                                       // formats
    size_t first;
    std::string asked;
  };
  const double near = kWorthNoWait * 0.99, far = kWorthNoWait * 1.01;
  for (const Case &c :
       {Case{{{"dia", 1}, {"ell", near}}, "dia ell", 0, "dia"},
        {{{"dia", 1}, {"ell", near}, {"jad", near}}, "jad ell", 1, "dia ell"},
        {{{"dia", 1}, {"ell", near}, {"jad", far}}, "jad", 0, "dia ell"},
        {{{"dia", 1}, {"cusparse-sell", near}, {"ell", near}}, "cusparse-sell ell", 2, "dia ell"},
        {{{"dia", 1}, {"ell", near}}, "", 0, "dia ell"},
        {{{"cusparse-sell", 1}, {"ell", near}}, "ell", 1, "cusparse-sell ell"},
        {{{"cusparse-sell", 1}, {"ell", far}}, "ell", 0, "cusparse-sell"},
        {{{"cusparse-sell", 1}, {"ell", near}}, "cusparse-sell ell", 0, "cusparse-sell"},
        {{}, "", 0, ""}}) {
    std::vector<Candidate> candidates;
    for (const auto &[format, us] : c.candidates)
      candidates.push_back({.plan = {.format = format}, .predictedUs = us, .comparedUs = us});
    std::string asked;
    CHECK(firstWithoutWait(candidates, [&](const Plan &plan) {
            asked += (asked.empty() ? "" : " ") + plan.format;
            return llvm::StringRef(c.ready).contains(plan.format);
          }) == c.first);
    CHECK(asked == c.asked);
  }
}

TEST_CASE("a choice is told by its name") {
  CHECK(std::string(nameOf(ChosenBy::prediction)) == "predicted");
  CHECK(std::string(nameOf(ChosenBy::measurement)) == "measured");
  CHECK(std::string(nameOf(ChosenBy::trial)) == "tried");
  CHECK(std::string(nameOf(ChosenBy::learning)) == "learned");
  CHECK(std::string(nameOf(ChosenBy::wisdom)) == "wisdom");
  CHECK(std::string(nameOf(ChosenBy::fallback)) == "fallback");
  CHECK(std::string(nameOf(ChosenBy::structure)) == "structureOf");
  CHECK(std::string(nameOf(ChosenBy::size)) == "expectedProducts");
  CHECK(std::string(nameOf(ChosenBy::text)) == "planText");
}
