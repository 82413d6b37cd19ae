// Decides which of the ranked plans a matrix gets, and builds it: the best prediction, or the
// fastest of those that were measured.
#pragma once

#include "runtime/build.h"
#include "runtime/candidates.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

enum class ChosenBy : uint8_t {
  prediction,  // the best one that could be built
  measurement, // the fastest of those that were built
  wisdom,      // an earlier choice
  fallback,    // a library's call, since no kernel of ours could be had
};
// "predicted", "measured", "wisdom" or "fallback", as `run` writes it.
const char *nameOf(ChosenBy by);

struct Choice {
  size_t index = 0; // of the ranked candidates
  ChosenBy by = ChosenBy::prediction;
  double measuredUs = 0; // 0: not measured
};

// A choice with its plan built, and what all that was built on the way to it took and said.
struct BuiltChoice {
  Choice choice;
  Built built;
  BuildTimes buildMs = {};
  double measureMs = 0;
  std::vector<std::string> warnings = {};
};

// The first candidate that fits, and why each one before it does not.
struct Fit {
  size_t index = 0;
  std::vector<std::string> whyNot = {}; // `index` of them
  std::string noKernels = {}; // why there is no kernel of ours; the fit is a library's call
  double failedMs = 0;        // that those before it took
};
// Tries one candidate after another: by packing alone, or by building. A plan can fail to fit only
// where the profile was sampled, or where repeated entries hide from it that others are missing. A
// library's call that fails is left to the next candidate. Where no kernel can be had
// (Status::missing) a library's call may still do, and every other failure ends the search.
// Status::notApplicable where none fits.
llvm::Expected<Fit> firstFit(llvm::ArrayRef<Candidate> candidates,
                             llvm::function_ref<llvm::Error(const Plan &)> attempt);
// By packing alone: what choose() takes by prediction, as far as that can be told without building.
llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates);

// Builds the best candidate by the request's rigor.
llvm::Expected<BuiltChoice> choose(const CsrView &a, const Request &request, const Ranked &ranked,
                                   Machine &machine);

// The error where no format of the offers has a plan, with each one's reason: Status::missing where
// the machine is one of them.
llvm::Error noPlan(const std::vector<Offer> &offers);

} // namespace specmv
