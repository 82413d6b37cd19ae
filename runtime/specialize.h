// From a matrix to a kernel made for it: the whole story of specmv, and what it leaves.
#pragma once

#include "generator/format.h"
#include "generator/rank.h"
#include "runtime/cuda/product.h"
#include "runtime/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

enum class Rigor {
  estimate,   // the plan with the least predicted time
  measure,    // the fastest of the best predicted plan of each format and the best few over all
  exhaustive, // the fastest of all plans
};

struct Request {
  Problem problem;
  Rigor rigor = Rigor::estimate;
  std::vector<std::string> formats; // empty: all
  Fixed fixed;
};

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double profile = 0, predict = 0, pack = 0, emit = 0, compile = 0, load = 0, measure = 0;
  double total() const { return profile + predict + pack + emit + compile + load + measure; }
};

// A plan made real for one matrix.
struct Built {
  Plan plan;
  Layout layout;
  KernelSource source;
  Steps steps;
  CacheKey key; // of the object; empty, like it, where the plan has no source
  CachedObject object;
  bool hit = false;                  // the object came from the cache
  std::optional<GpuProduct> product; // where there is a GPU
};

struct Specialized {
  SparsityProfile profile;
  std::string signature;
  std::vector<Offer> offers;         // empty where the wisdom knew the plan
  std::vector<Candidate> candidates; // of all offers, best predicted first
  Built built;
  std::string chosenBy; // "predicted", "measured", "wisdom" or "fallback"
  SetupTimes setup;
  std::vector<std::string> warnings;
};

// Profiles, plans, packs, emits, compiles (or finds in the cache) and loads. `a` holds values of
// the problem's type and is not referred to afterwards. Status::notApplicable where no format asked
// for fits, with each one's reason.
llvm::Expected<Specialized> specialize(const CsrView &a, const Request &request, Machine &machine);

// What specialize() tells in its first half: profile, signature and ranked candidates.
llvm::Expected<Specialized> analyze(const CsrView &a, const Request &request,
                                    const Machine &machine);

// Packs the matrix, whose values are of the problem's type, for one plan.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem);

// Packs, emits, compiles and loads one plan.
llvm::Expected<Built> build(const CsrView &a, const Plan &plan, const Problem &problem,
                            Machine &machine, SetupTimes &setup,
                            std::vector<std::string> &warnings);

} // namespace specmv
