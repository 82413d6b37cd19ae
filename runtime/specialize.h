// From a matrix to a kernel made for it: all steps of specmv, and their results.
#pragma once

#include "runtime/choose/choose.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double profile = 0;
  double predict = 0;    // ranking the candidates, and looking in the wisdom if that found no plan
  BuildTimes build = {}; // of all plans that were tried
  double measure = 0;
  double total() const { return profile + predict + build.total() + measure; }
};

// The result of each step.
struct Specialized {
  std::string signature;
  std::optional<SparsityProfile> profile; // if it was needed: an earlier choice is followed without
  Ranked ranked; // if the plan came from the wisdom: only this plan, and no offers
  Choice choice; // of ranked.candidates
  Built built;
  SetupTimes setup;
  std::vector<std::string> warnings;
};

// Profiles and plans, unless a choice for this pattern is known; packs, emits, compiles (or finds
// in the cache) and loads. The values of `a` must be of the problem's type. The result does not
// refer to `a`. Status::notApplicable if no requested format fits, with the reason of each.
// Without a GPU a trial is an estimate.
llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &asked,
                                       Machine &machine);

// The results of specialize() up to the ranking, made without looking in the wisdom.
struct Analyzed {
  Profiled profiled;
  Ranked ranked;
};
llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine);

} // namespace specmv
