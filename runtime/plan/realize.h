// Builds the plans that sources propose. All plans of set-ups are built here, with one policy for
// failures.
#pragma once

#include "runtime/plan/session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The policy: if a plan fails for one of these reasons, another plan or another source of plans may
// succeed. Any other failure of a kernel of specmv's own ends the set-up; that of a library call
// does not.
inline bool isLeftToOthers(Status status) {
  return status == Status::notApplicable || isMissing(status);
}

// The first proposal that fits, and why those before it do not.
struct Fit {
  size_t index = 0;
  std::vector<std::string> whyNot = {}; // reasons of the first `index` proposals
  std::string noKernels = {}; // why a better plan's kernel is not available; if set, the fit is one
                              // of the substitutes
  double failedMs = 0;        // time spent on the proposals before `index`
};
// Describes what may replace a plan whose kernel is not available.
struct Substitutes {
  // Returns true if one of specmv's own plans needs no compiler. Not set: none is ready.
  std::function<bool(const Plan &)> isReady = {};
  bool libraryCalls = true;
};
// Tries one proposal after another; `attempt` packs or builds it. An offered plan can fail to fit
// in two cases only: the profile was sampled, or the matrix has repeated entries, so that the
// profile counts positions as full that are not. After a failure:
//  - of a library call: the next proposal is tried;
//  - of our plan, Status::notApplicable or hostMemory: the next proposal is tried;
//  - of our plan, another isMissing() (no kernel can be compiled): from then on only the
//  substitutes are
//    tried;
//  - of our plan, anything else: the search ends with this error.
// If none fits, the error is that of the plan without a kernel, otherwise that of our last plan. If
// none of the proposals is our plan, it is the error of the first library call; if there is no
// proposal, Status::notApplicable.
llvm::Expected<Fit> firstFit(llvm::ArrayRef<Proposal> proposals,
                             llvm::function_ref<llvm::Error(const Proposal &)> attempt,
                             const Substitutes &substitutes = {});
// Tries by packing only. Finds the plan that realize() takes by prediction, unless building it
// fails. `packed` receives its arrays, unless it is null.
llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates, Layout *packed = nullptr);

// A choice with its plan built; times and warnings include all plans that were tried.
struct BuiltChoice {
  Choice choice;
  Built built;
  double predictedUs = 0;
  BuildTimes buildMs = {};
  double measureMs = 0;
  std::vector<std::string> warnings = {};
};

// Builds the first proposal that fits, or the fastest; adds its times and warnings to the session.
// Returns nullopt if another source may succeed: there is no proposal, or all failed for a reason
// of the policy.
llvm::Expected<std::optional<BuiltChoice>> realize(Session &session, const Proposals &from);

} // namespace specmv
