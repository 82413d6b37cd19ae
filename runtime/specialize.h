// Turns a matrix into a kernel made for it: runs all steps of specmv and returns their results.
#pragma once

#include "runtime/choose/choose.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double machine = 0;    // finding the GPU, its model and the caches, and making the stream
  double profile = 0;    // includes identifying the pattern
  double recall = 0;     // looking for an earlier choice
  double predict = 0;    // ranking the candidates
  double choose = 0;     // deciding between them, which includes looking for kernels
  BuildTimes build = {}; // of all plans that were tried
  double measure = 0;
  double keep = 0;   // remembering the choice
  double update = 0; // preparing for new values, and reporting
  double total() const;
};

// Returns all times by name, in the order of the steps.
std::vector<std::pair<const char *, double>> partsOf(const SetupTimes &times);

// The result of each step.
struct Specialized {
  std::string signature;
  std::optional<SparsityProfile> profile; // not set if an earlier choice was followed
  Ranked ranked; // if the plan came from wisdom: only this plan, and no offers
  Choice choice; // of ranked.candidates
  Built built;
  SetupTimes setup;
  std::vector<std::string> warnings;
};

// Profiles and plans, unless a choice for this pattern is known; then packs, emits, compiles (or
// finds in the cache) and loads. The values of `a` must be of the problem's type. The result does
// not refer to `a`. Status::notApplicable if no requested format fits, with the reason for each.
// Without a GPU a trial is an estimate.
llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &asked,
                                       Machine &machine);

// The results of the steps up to the ranking, made without reading the wisdom.
struct Analyzed {
  Profiled profiled;
  Ranked ranked;
};
llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine);

} // namespace specmv
