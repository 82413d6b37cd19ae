// From a matrix to a kernel made for it: all steps of specmv, and their results.
#pragma once

#include "runtime/choose/choose.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double machine = 0; // to find the GPU, its model and the caches, and to make the set-up's stream
  double profile = 0; // with what identifies the pattern
  double recall = 0;  // to look for an earlier choice
  double predict = 0; // to rank the candidates
  double choose = 0;  // to decide between them, with a look at what is at hand
  BuildTimes build = {}; // of all plans that were tried
  double measure = 0;
  double keep = 0;   // to remember the choice
  double update = 0; // to prepare for new values, and to say what was done
  double total() const;
};

// All of them by name, in the order of the steps.
std::vector<std::pair<const char *, double>> partsOf(const SetupTimes &times);

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
