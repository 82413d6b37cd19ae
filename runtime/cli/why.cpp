// Shortens the lists in a plan's text, and writes explanations as text.
#include "runtime/cli/why.h"

#include "runtime/explain/sentence.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/plan/worth.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

// --- Plan text -----------------------------------------------------------------------------------

// Shortens the lists in a plan's text, which identifies the plan and names every diagonal of DIA.

// Lists of up to kMostShown numbers are shown whole, longer ones by their first numbers and their
// last.
constexpr size_t kMostShown = 8, kFirstShown = 3;

static std::string shortList(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 16> numbers;
  list.split(numbers, ',');
  if (numbers.size() <= kMostShown)
    return list.str();
  return llvm::formatv(
      "{0},... {1} more ...,{2}",
      llvm::join(llvm::ArrayRef<llvm::StringRef>(numbers).take_front(kFirstShown), ","),
      numbers.size() - kFirstShown - 1, numbers.back());
}

std::string planText(const std::string &text) {
  std::string out;
  for (llvm::StringRef rest = text; !rest.empty();) {
    const auto [before, behind] = rest.split('[');
    out += before;
    if (before.size() == rest.size())
      break;
    const auto [list, after] = behind.split(']');
    out += "[" + shortList(list) + "]";
    rest = after;
  }
  return out;
}

std::string vectorsText(int64_t vectors) {
  return vectors == 1 ? "" : ", " + std::to_string(vectors) + " vectors";
}

std::string planText(const Plan &plan) { return planText(plan.text()); }

// --- Why -----------------------------------------------------------------------------------------

// Writes explanations as text.

static int64_t productsOf(const Request &request) {
  return request.weighsSetup() ? request.expectedProducts : 0;
}

Explanation explanationOf(const Analyzed &seen, const Fit &fit, const Request &request,
                          const Machine &machine, const MeasuredPair &measured) {
  const SparsityProfile &profile = seen.profiled.profile;
  Choice choice;
  const Candidate &best = seen.ranked.candidates.front();
  if (machine.onlyPacks && !isReady(best.plan, request.problem, machine))
    choice = {.by = ChosenBy::fallback, .better = {{best.plan.text(), best.predictedUs}}};
  return explain({.candidates = llvm::ArrayRef(seen.ranked.candidates).drop_front(fit.index),
                  .choice = choice,
                  .products = productsOf(request),
                  .size = sizeOf(profile, request.problem.type),
                  .problem = request.problem,
                  .gpu = machine.model,
                  .profile = &profile,
                  .measuredUs = measured.us,
                  .cusparse = measured.cusparse});
}

Explanation explanationOf(const CsrView &a, const Request &request, const Machine &machine,
                          const Specialized &s, double us, const Yardstick &cusparse) {
  ChoiceMade made{.candidates = s.ranked.candidates,
                  .choice = s.choice,
                  .products = productsOf(request),
                  .size = {.rows = a.rows,
                           .cols = a.cols,
                           .nnz = a.nnz,
                           .valueBytes = static_cast<int64_t>(sizeOf(a.valueType))},
                  .problem = request.problem,
                  .gpu = machine.model,
                  .profile = s.profile ? &*s.profile : nullptr,
                  .storedBytes = s.built.layout.storedBytes(),
                  .measuredUs = us};
  if (const YardstickTime *best = cusparse.best())
    made.cusparse = {best->format, best->us, CusparseTime::By::measurement};
  return explain(made);
}

std::string fewProductsText(const SetupSize &size, const Request &request, const Machine &machine) {
  const int64_t products = productsOf(request), least = leastProductsToProfile(size, machine);
  if (products == 0 || products >= least)
    return "";
  return llvm::formatv("a profile cannot pay{0}, so that a program gets CSR as it is; this is the "
                       "best plan with a profile",
                       least == kNever ? "" : llvm::formatv(" for fewer than {0}", least).str());
}

std::string whyLines(const Explanation &e) {
  return llvm::formatv("why        {0}\ngain       {1}\nset-up     pays {2}\n", whySentence(e),
                       gainSentence(e), paysSentence(e));
}

std::string whyLine(const Explanation &e) {
  return llvm::formatv("why        {0}\n", shortSentence(e));
}

} // namespace specmv::cli
