// The verb analyze: shows the matrix, the cost of each plan, and which plan is chosen and why.
#include "runtime/cli/analyze/analysis.h"

#include "runtime/cli/analyze/papers.h"
#include "runtime/cli/analyze/values.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/profile/report.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"

#include "models/base/text.h"
#include "models/signature/signature.h"
#include "runtime/explain/sentence.h"
#include "runtime/plan/specialize.h"
#include "runtime/plan/worth.h"

#include <algorithm>

namespace specmv::cli {

// Compares a candidate with the chosen one, in the terms of the traffic model.
static std::string whyNotChosen(const Candidate &c, const Candidate &best) {
  const Traffic &t = c.traffic, &of = best.traffic;
  return llvm::formatv("moves {0:f2} times as many bytes as the choice, at {1:f2} of a copy's "
                       "rate (choice: {2:f2}); its slowest thread makes {3} passes (choice: {4})",
                       static_cast<double>(movedBytes(t)) /
                           static_cast<double>(std::max<int64_t>(1, movedBytes(of))),
                       t.pace.efficiency, of.pace.efficiency, t.longestChain, of.longestChain);
}

static std::string totalText(const Candidate &c, int64_t products) {
  return llvm::formatv("{0,10}  {1,12}  ", shortTime(c.setup.totalUs()),
                       shortTime(worthOf(c).totalUs(products)));
}

static void printProducts(llvm::raw_ostream &out, const Analysis &a) {
  const std::string few = fewProductsText(sizeOf(a.seen.profiled.profile, a.request.problem.type),
                                          a.request, a.machine);
  out << llvm::formatv("products   {0} expected{1}\n", a.request.expectedProducts,
                       few.empty() ? "" : "; " + few);
}

namespace {
struct Detail {
  bool why, all;
};
} // namespace

// The plans that are shown unless all are. The choice is always among them.
constexpr size_t kMostPlans = 8;

static void printFormatsWithoutPlan(llvm::raw_ostream &out, const Analysis &a) {
  for (const std::string &why : reasonsOf(a.seen.ranked.offers))
    out << llvm::formatv("{0,10}  {1,13}  {2}\n", "-", "-", why);
}

static void printCandidates(llvm::raw_ostream &out, const Analysis &a, Detail shown) {
  const std::vector<Candidate> &candidates = a.seen.ranked.candidates;
  if (shown.why && !candidates.empty())
    out << whyLines(explanationOf(a.seen, a.fit, a.request, a.machine));
  const bool weighs = a.request.weighsSetup();
  out << llvm::formatv("{0,10}  {1}{2,10}  plan (predicted for {3}; in the order of times in "
                       "graphs and by launches, with a margin for kinds of plans that are "
                       "harder to predict)\n",
                       "time", weighs ? "with set-up and products  " : "", "size",
                       a.machine.model->name);
  const size_t count = shown.all
                           ? candidates.size()
                           : std::min(candidates.size(), std::max(kMostPlans, a.fit.index + 1));
  for (size_t i = 0; i < count; ++i) {
    const Candidate &c = candidates[i];
    out << llvm::formatv("{0,10}  {1}{2,10}  {3}\n", shortTime(c.predictedUs),
                         weighs ? totalText(c, a.request.expectedProducts) : "",
                         shortBytes(static_cast<double>(c.traffic.storedBytes)), planText(c.plan));
    if (i < a.fit.index)
      out << llvm::formatv("{0,24}{1}\n", "", a.fit.whyNot[i]);
    else if (shown.why && i != a.fit.index)
      out << llvm::formatv("{0,24}{1}\n", "", whyNotChosen(c, candidates[a.fit.index]));
  }
  if (count < candidates.size())
    out << llvm::formatv("{0,10}  {1} with --all\n", "...",
                         counted(candidates.size() - count, "more plan", "more plans"));
  if (shown.why || shown.all || candidates.empty())
    printFormatsWithoutPlan(out, a);
  if (!candidates.empty())
    out << "chosen     " << planText(candidates[a.fit.index].plan) << "\n";
  if (weighs)
    printProducts(out, a);
}

static std::string analysisText(const Analysis &a, Detail shown) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries, {4}{5}\n", a.matrix.name,
                       a.matrix.rows, a.matrix.cols, a.matrix.nnz(), nameOf(a.request.problem.type),
                       vectorsText(a.request.vectors))
      << llvm::formatv("signature  {0}\n", a.seen.profiled.signature);
  printProfile(out, a.seen.profiled.profile, a.rows, a.diagonals, shown.all);
  out << llvm::formatv("values     {0}\n", valuesText(a.values));
  if (shown.all)
    printPapers(out, a);
  printCandidates(out, a, shown);
  return text;
}

llvm::Error analyzeVerb(const Options &options) {
  if (llvm::Error error = checkApart("--signature", options.signature, options.output))
    return error;
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  noteRates(task->machine.model, task->machine.gpu != nullptr);
  llvm::Error none = llvm::Error::success();
  std::vector<Result> results;
  for (ValueType type : options.types) {
    const Request request = weighingRequestOf(options, type);
    const TypedMatrix a(task->matrix, type);
    auto found = findPlans(a.view, request, task->machine);
    if (!found)
      return llvm::joinErrors(std::move(none), found.takeError());
    if (found->seen.ranked.candidates.empty())
      none = llvm::joinErrors(std::move(none), noPlan(found->seen.ranked.offers));
    // The signature describes the pattern, so it is the same for every type.
    if (!options.signature.empty() && type == options.types.front())
      if (llvm::Error error =
              writeResult(options.signature, serializeProfile(found->seen.profiled.profile)))
        return llvm::joinErrors(std::move(none), std::move(error));
    Analysis analysis = analysisOf(task->matrix, a.view, request, task->machine, *found);
    if (options.all) // the tree takes as long as a conversion
      analysis.quadtree = quadtreeOf(a.view, *found);
    results.push_back(options.json
                          ? Result{analysisJson(analysis)}
                          : Result{{}, analysisText(analysis, {options.why, options.all})});
  }
  return llvm::joinErrors(writeResults(options, results), std::move(none));
}

} // namespace specmv::cli
