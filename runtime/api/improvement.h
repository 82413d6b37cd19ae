// A plan that improves while it multiplies: the best plan is made beside the one that was taken
// since its kernels were at hand, and takes its place.
#pragma once

#include "models/base/json_text.h"
#include "runtime/api/successor.h"

namespace specmv {

struct Improvement {
  BetterPlan plan;
  std::string before; // the text of the plan that was taken instead
  Successor next;

  // Says in words that follow the name of what runs, and in JSON, how far it is.
  std::string report() const;
  JsonMembers json() const;
};

// Returns true if a better plan than the one with these facts is to be made. `stored` is the number
// of bytes of all plans that were packed.
bool willImprove(const SetupTask &task, const PlanFacts &facts, int64_t stored);

// Makes the improvement of these products, which `task` has made with the facts, and compiles the
// kernels of the better plan. Null if there is nothing to improve, or the plan is not to change; if
// there is a better plan, its kernels are compiled for later ones then. If something forbids it,
// the improvement has failed and says why.
std::shared_ptr<Improvement> improvementOf(const PlanProducts &products, const PlanFacts &facts,
                                           int64_t stored, const SetupTask &task,
                                           const SourceMatrix &a, const Machine &machine);

// Returns the facts of a better plan that was made: those of the plan before, but for the plan
// itself.
PlanFacts factsOfBetter(const PlanFacts &before, Specialized &made);

} // namespace specmv
