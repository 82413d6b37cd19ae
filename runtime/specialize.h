// From a matrix to a kernel made for it: the whole story of specmv, and what it leaves.
#pragma once

#include "runtime/choose.h"

#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double profile = 0;
  double predict = 0;    // until the candidates are ranked; in vain asking the wisdom is part of it
  BuildTimes build = {}; // of all plans that were tried
  double measure = 0;
  double total() const { return profile + predict + build.total() + measure; }
};

// What each step made.
struct Specialized {
  Profiled profiled;
  Ranked ranked; // where the wisdom knew the plan: this alone, and no offers
  Choice choice; // of ranked.candidates
  Built built;
  SetupTimes setup;
  std::vector<std::string> warnings;
};

// Profiles, plans, packs, emits, compiles (or finds in the cache) and loads. `a` holds values of
// the problem's type and is not referred to afterwards. Status::notApplicable where no format asked
// for fits, with each one's reason.
llvm::Expected<Specialized> specialize(const CsrView &a, const Request &request, Machine &machine);

// What specialize() makes before it chooses, whatever the wisdom knows.
struct Analyzed {
  Profiled profiled;
  Ranked ranked;
};
llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine);

} // namespace specmv
