// Tests of plans that plans() did not make, left in a cache by an older version, another machine or
// a collision. layout() must refuse them or pack correctly, and the result must be launchable. Each
// is tried in a child process, since a fault is possible.
#include "tests/generator/edge_matrices.h"
#include "tests/generator/mutants.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

enum Outcome { kFine, kWrongStatus, kLostEntry, kNoGrid, kNoPrice, kThrew, kNone };

Outcome outcomeOf(const Format &format, const Plan &plan, const Valued &a, const Problem &problem) {
  if (!llvm::errorToBool(format.check(plan, problem)))
    format.source(plan, problem); // a look at the caches emits before anything is packed
  auto layout = format.layout(a.view(), plan, problem);
  if (!layout)
    return describe(layout.takeError()).first == Status::notApplicable ? kFine : kWrongStatus;
  // An estimate prices a plan that the caller gave.
  if (const double us = predictUs(trafficOf(profile(a.view()), plan, problem), h200());
      !(us >= 0) || std::isinf(us))
    return kNoPrice;
  const LayoutArray *val = layout->find(layout->valueArray);
  double sum = 0; // of all values: slots that overlap or lie outside lose none
  for (int64_t i = 0; i < val->count(); ++i)
    sum += val->as<double>()[i];
  for (int64_t e = 0; e < a.view().nnz; ++e)
    sum -= a[e];
  if (sum != 0)
    return kLostEntry;
  if (format.source(plan, problem).text.empty() != (format.library != nullptr))
    return kNoGrid;
  for (const Step &step : format.steps(plan, problem, *layout))
    if (const auto *launch = std::get_if<Launch>(&step.action))
      if (launch->grid[0] == 0 || launch->blockThreads == 0 || launch->blockThreads > 1024)
        return kNoGrid;
  return kFine;
}

// Stores the outcome of each plan from `first` on, in a process that a fault may end.
void storeOutcomes(const Format &format, const std::vector<Plan> &plans, size_t first,
                   const Valued &a, const Problem &problem, Outcome *outcomes) {
  for (int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL})
    std::signal(signal, SIG_DFL);
  for (size_t i = first; i < plans.size(); ++i) {
    alarm(600);
    try {
      outcomes[i] = outcomeOf(format, plans[i], a, problem);
    } catch (...) {
      outcomes[i] = kThrew;
    }
  }
  _exit(0);
}

std::string endOf(int status) {
  if (WIFSIGNALED(status))
    return "died of signal " + std::to_string(WTERMSIG(status));
  return "a sanitizer stopped it";
}

// Returns the outcome of each plan in words. One child tries all plans; when it ends, a new one
// continues with the rest.
std::vector<std::string> outcomesInChildren(const Format &format, const std::vector<Plan> &plans,
                                            const Valued &a, const Problem &problem) {
  static const char *const kNames[] = {"fine",
                                       "refused with another status than notApplicable",
                                       "an entry was lost",
                                       "a launch that no GPU takes",
                                       "no price",
                                       "threw an exception"};
  const size_t bytes = plans.size() * sizeof(Outcome);
  void *shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  auto *outcomes = static_cast<Outcome *>(shared);
  std::fill_n(outcomes, plans.size(), kNone);
  std::vector<std::string> out;
  while (out.size() < plans.size()) {
    const pid_t child = fork();
    if (child == 0)
      storeOutcomes(format, plans, out.size(), a, problem, outcomes);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    while (out.size() < plans.size() && outcomes[out.size()] != kNone)
      out.emplace_back(kNames[outcomes[out.size()]]);
    if (out.size() < plans.size())
      out.push_back(endOf(status));
  }
  munmap(shared, bytes);
  return out;
}

} // namespace

TEST_CASE("a plan with a number that nothing offered is refused or harmless, never a fault") {
  const Problem problem{ValueType::f64};
  std::set<std::string> seen;
  for (const CsrMatrix &a :
       {matrixOf("blocks and a long row", 70, 150,
                 [](int64_t i) { return i == 33 ? run(0, 150) : run(i / 16 * 16, 16); }),
        matrixOf("stencil", 70, 150, [](int64_t i) { return stencilRow(i, 70, 150); })}) {
    const Valued valued(a.view(), problem.type, 1);
    for (const auto &[format, plan] : plansOf(
             a.view(), problem,
             {{{"hyb.k", 16}, {"bcsr.r", 2}, {"bcsr.c", 8}, {"qcsr.d", 16}, {"qcsr.fill", 0.9}}})) {
      if (!seen.insert(format->name).second)
        continue; // one plan a format says it all
      std::vector<Plan> tried = mutantsOf(plan);
      tried.insert(tried.begin(), plan);
      const std::vector<std::string> outcomes = outcomesInChildren(*format, tried, valued, problem);
      for (size_t i = 0; i < tried.size(); ++i)
        CHECK_MESSAGE(outcomes[i] == "fine", tried[i].text(), ": ", outcomes[i]);
    }
  }
  CHECK(seen.size() == formats().size());
}
