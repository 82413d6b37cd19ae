// A proposal is a plan that a matrix may get, with its origin. Sources propose plans (sources.h),
// and realize() builds them (realize.h).
#pragma once

#include "generator/rank.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

struct Protocol; // runtime/measure/measure.h

// The origin of a plan.
enum class ChosenBy : uint8_t {
  prediction,  // the best predicted plan that could be built
  measurement, // the fastest of the plans that were built and measured
  trial,       // the fastest of the few near the best prediction that were worth measuring
  wisdom,      // an earlier choice
  fallback,    // a worse plan or a library call, because the best kernel could not be compiled
  structure,   // the plan of a matrix with the same structure
  size,        // CSR as it is: too few products to pay for a profile
  text,        // the caller gave the text of the plan
  learning,    // the fastest of a few in the program's own products
};
// Returns "predicted", "measured", "tried", "wisdom", "fallback", "structureOf",
// "expectedProducts", "planText" or "learned", as `run` and the C API write it.
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
  // Set if the choice was made because its kernel was available and this plan's was not. A fallback
  // has it only if nothing may be compiled.
  std::optional<BetterPlan> better = {};
};

inline bool isLibraryCall(const Plan &plan) { return findFormat(plan.format)->library != nullptr; }

struct Proposal {
  Plan plan;
  double predictedUs = 0;
  Choice choice = {};     // if this plan is taken
  bool isInPlace = false; // it multiplies by the CSR arrays in place
};

// The proposals of one source, in the order of trying.
struct Proposals {
  std::vector<Proposal> plans = {};
  // If set, all are built and timed, and the fastest is taken; otherwise the first that can be
  // built.
  const Protocol *contest = nullptr;
  // Plans of a contest whose kernels are at hand are timed first. Then only those are compiled that
  // may still be the fastest. False: all are compiled.
  bool compilesFew = false;
  bool isLast = false; // no other source is asked; if no proposal can be built, the set-up fails
};

// Returns the candidates as proposals in their order.
std::vector<Proposal> proposalsOf(llvm::ArrayRef<Candidate> candidates,
                                  ChosenBy by = ChosenBy::prediction);

} // namespace specmv
