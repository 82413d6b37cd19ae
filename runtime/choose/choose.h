// Decides which of the ranked plans a matrix gets, and builds it: the best prediction, or the
// fastest of those that were measured.
#pragma once

#include "runtime/build.h"
#include "runtime/candidates.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace specmv {

enum class ChosenBy : uint8_t {
  prediction,  // the best predicted plan that could be built
  measurement, // the fastest of the plans that were built and measured
  trial,       // the same of the few near the best prediction for which that can pay
  wisdom,      // an earlier choice
  fallback,    // a worse plan or a library call, because the best kernel could not be compiled
};
// "predicted", "measured", "tried", "wisdom" or "fallback", as `run` writes it.
const char *nameOf(ChosenBy by);

// A plan that was predicted to be better than the choice.
struct BetterPlan {
  std::string plan; // Plan::text()
  double predictedUs = 0;
};

struct Choice {
  size_t index = 0; // of the ranked candidates
  ChosenBy by = ChosenBy::prediction;
  double measuredUs = 0; // 0: not measured
  // Set if the choice was taken because its kernel is at hand, and this plan's was not.
  std::optional<BetterPlan> better = {};
};

// A choice with its plan built; times and warnings are of all plans that were tried.
struct BuiltChoice {
  Choice choice;
  Built built;
  BuildTimes buildMs = {};
  double measureMs = 0;
  std::vector<std::string> warnings = {};
};

// Plans whose predicted times differ by less than this part tie: where a prediction is off by 7 to
// 9 percent in the median (measured, H200), it cannot tell them apart, and to compile a kernel
// takes as long as thousands of products. With 5 percent one pack would serve hardly more (96
// percent of choices in place of 95).
constexpr double kTie = 0.03;
inline bool ties(const Candidate &candidate, const Candidate &best) {
  return candidate.cautiousUs() <= best.cautiousUs() * (1 + kTie);
}

// Which candidate comes first, of those that tie with the best: the first whose kernel is ready,
// else the best. Asks in their order, only if there is a tie, and not after the first that is
// ready. A library call has no kernel, but opening the library takes time too, so it wins no tie.
size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady);

// Nobody waits for a compiler whose product would, as predicted, take up to so many times as long
// as the best plan's by a plan whose kernels are at hand. The better plan's are then compiled
// behind the set-up, for the next one. A kernel takes NVRTC 60 to 300 ms, and those that pack up to
// 2 s: of six plans that waited (260 matrices in two types, H200) each did so for as long as 10,000
// to 40,000 products take, and could have had one that is 1.3 to 1.8 times as slow.
constexpr double kWorthNoWait = 2;

// Which candidate comes first there: the first that is ready, if its product takes no longer than
// that; else the best. A library call replaces no plan of ours, and is ready if the library is
// open.
size_t firstWithoutWait(llvm::ArrayRef<Candidate> candidates,
                        llvm::function_ref<bool(const Plan &)> isReady);

// The candidate that an estimate tries first: of those that tie, one whose kernel is ready; where
// plans begin with what is at hand (KernelKind::atHand), the first one that needs no compiler, if
// it is worth it. Where set-ups are weighed, a total has the time to make a kernel ready in it.
// `csrIndex` is the type of the matrix's indices.
size_t firstToBuild(const Request &request, llvm::ArrayRef<Candidate> candidates,
                    IndexType csrIndex, const Machine &machine);

// The first candidate that fits, and why the candidates before it do not.
struct Fit {
  size_t index = 0;
  std::vector<std::string> whyNot = {}; // of the first `index` candidates
  std::string noKernels = {}; // why a better plan's kernel cannot be had; if set, the fit is one of
                              // the substitutes
  double failedMs = 0;        // time spent on the candidates before `index`
};
// What may take the place of a plan whose kernel cannot be had.
struct Substitutes {
  // Whether a plan of ours needs no compiler. Not set: none is ready.
  std::function<bool(const Plan &)> isReady = {};
  bool libraryCalls = true;
};
// Tries one candidate after another; `attempt` packs it, or builds it. An offered plan can fail to
// fit in two cases only: the profile was sampled, or the matrix has repeated entries, so that the
// profile counts positions as full that are not. What a failure leads to:
//  - of a library call: the next candidate is tried;
//  - of our plan, Status::notApplicable: the next candidate is tried;
//  - of our plan, Status::missing (no kernel can be compiled): from then on only the substitutes
//    are tried;
//  - of our plan, anything else: the search ends with this error.
// If none fits, the error is that of the plan without a kernel, else that of our last plan; without
// a plan of ours, that of the first library call; without any candidate, Status::notApplicable.
llvm::Expected<Fit> firstFit(llvm::ArrayRef<Candidate> candidates,
                             llvm::function_ref<llvm::Error(const Plan &)> attempt,
                             const Substitutes &substitutes = {});
// Tries by packing only: the plan that choose() takes by prediction, unless building it fails.
llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates);

// Builds the best candidate by the request's rigor.
llvm::Expected<BuiltChoice> choose(const SourceMatrix &a, const Request &request,
                                   const Ranked &ranked, Machine &machine);

// The error if no offer has a plan, with the reason of each. Status::missing if one of the reasons
// is that the machine lacks something, else Status::notApplicable.
llvm::Error noPlan(const std::vector<Offer> &offers);

} // namespace specmv
