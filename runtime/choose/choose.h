// Decides which of the ranked plans a matrix gets, and builds it: the best predicted, or the
// fastest measured.
#pragma once

#include "runtime/build.h"
#include "runtime/candidates.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace specmv {

enum class ChosenBy : uint8_t {
  prediction,  // the best predicted plan that could be built
  measurement, // the fastest of the plans that were built and measured
  trial,       // the fastest of the few near the best prediction that were worth measuring
  wisdom,      // an earlier choice
  fallback,    // a worse plan or a library call, because the best kernel could not be compiled
};
// Returns "predicted", "measured", "tried", "wisdom" or "fallback", as `run` writes it.
const char *nameOf(ChosenBy by);

// A plan that was predicted to be better than the choice.
struct BetterPlan {
  std::string plan; // Plan::text()
  double predictedUs = 0;
};

struct Choice {
  size_t index = 0; // into the ranked candidates
  ChosenBy by = ChosenBy::prediction;
  double measuredUs = 0; // 0: not measured
  // Set if the choice was made because its kernel was available and this plan's was not.
  std::optional<BetterPlan> better = {};
};

// A choice with its plan built; times and warnings include all plans that were tried.
struct BuiltChoice {
  Choice choice;
  Built built;
  BuildTimes buildMs = {};
  double measureMs = 0;
  std::vector<std::string> warnings = {};
};

// Plans whose predicted times differ by less than this fraction tie. Predictions are off by 7 to 9
// percent in the median (measured, H200), so they cannot tell such plans apart, and compiling a
// kernel takes as long as thousands of products. With 5 percent a pack would serve hardly more
// choices (96 percent instead of 95).
constexpr double kTie = 0.03;
inline bool ties(const Candidate &candidate, const Candidate &best) {
  return candidate.cautiousUs() <= best.cautiousUs() * (1 + kTie);
}

// Returns the index of the candidate to use among those that tie with the best: the first whose
// kernel is ready, otherwise the best. Calls `isReady` in their order, only if there is a tie, and
// not after the first that is ready. A library call has no kernel, but opening the library takes
// time too, so it wins no tie.
size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady);

// A set-up does not wait for the compiler if a plan with available kernels has a predicted product
// time of up to this many times the best plan's. The better plan's kernels are then compiled after
// the set-up, for the next one. NVRTC takes 60 to 300 ms for a kernel, and up to 2 s for packing
// kernels. Of 260 matrices in two types on an H200, six plans waited as long as 10,000 to 40,000
// products take, although a plan 1.3 to 1.8 times as slow was available.
constexpr double kWorthNoWait = 2;

// Returns the index of the first candidate that is ready if its product is at most that much
// slower, otherwise of the best. A library call replaces none of specmv's own plans, and is ready
// if the library is open.
size_t firstWithoutWait(llvm::ArrayRef<Candidate> candidates,
                        llvm::function_ref<bool(const Plan &)> isReady);

// Returns the index of the candidate that an estimate tries first: among ties, one whose kernel is
// ready; where plans begin with available kernels (KernelKind::atHand), the first that needs no
// compiler, if it is fast enough. Where set-ups are weighed, the totals already include making
// kernels ready. `csrIndex` is the type of the matrix's indices.
size_t firstToBuild(const Request &request, llvm::ArrayRef<Candidate> candidates,
                    IndexType csrIndex, const Machine &machine);

// The first candidate that fits, and why the candidates before it do not.
struct Fit {
  size_t index = 0;
  std::vector<std::string> whyNot = {}; // of the first `index` candidates
  std::string noKernels = {}; // why a better plan's kernel is not available; if set, the fit is one
                              // of the substitutes
  double failedMs = 0;        // time spent on the candidates before `index`
};
// Describes what may replace a plan whose kernel is not available.
struct Substitutes {
  // Returns true if one of specmv's own plans needs no compiler. Not set: none is ready.
  std::function<bool(const Plan &)> isReady = {};
  bool libraryCalls = true;
};
// Tries one candidate after another; `attempt` packs or builds it. An offered plan can fail to fit
// in two cases only: the profile was sampled, or the matrix has repeated entries, so that the
// profile counts positions as full that are not. After a failure:
//  - of a library call: the next candidate is tried;
//  - of our plan, Status::notApplicable: the next candidate is tried;
//  - of our plan, isMissing() (no kernel can be compiled): from then on only the substitutes
//    are tried;
//  - of our plan, anything else: the search ends with this error.
// If none fits, the error is that of the plan without a kernel, otherwise that of our last plan. If
// none of the candidates is our plan, it is the error of the first library call; if there is no
// candidate, Status::notApplicable.
llvm::Expected<Fit> firstFit(llvm::ArrayRef<Candidate> candidates,
                             llvm::function_ref<llvm::Error(const Plan &)> attempt,
                             const Substitutes &substitutes = {});
// Tries by packing only. Finds the plan that choose() takes by prediction, unless building it
// fails.
llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates);

// Builds the best candidate by the request's rigor.
llvm::Expected<BuiltChoice> choose(const SourceMatrix &a, const Request &request,
                                   const Ranked &ranked, Machine &machine);

// Returns why offers have no plan. A reason that several formats share is told once, with the names
// of the others behind it.
std::vector<std::string> reasonsOf(llvm::ArrayRef<Offer> offers);

// Makes the error if no offer has a plan, with these reasons. A kind of missing if one of the
// reasons is that the machine lacks something, otherwise Status::notApplicable.
llvm::Error noPlan(const std::vector<Offer> &offers);

} // namespace specmv
