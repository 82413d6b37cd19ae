// Turns a matrix into a kernel made for it: runs all steps of specmv and returns their results.
#pragma once

#include "runtime/choose/choose.h"
#include "runtime/plan/realize.h"
#include "runtime/plan/recall.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The result of each step.
struct Specialized {
  std::string signature;                  // "" if neither a profile nor an earlier choice told it
  std::optional<SparsityProfile> profile; // not set if no profile was needed
  // If the plan came from wisdom: only this plan, and no offers. Empty if it was known without a
  // choice.
  Ranked ranked;
  Choice choice; // its index refers to ranked.candidates
  Built built;
  SetupTimes setup;
  std::vector<std::string> warnings;
  std::string whyNotFollowed; // why the plan of structureOf could not be built; "" if it was not
  // Plans to compare with the choice in the program's own products (Rigor::online).
  std::vector<BuiltChoice> rivals = {};
  bool mayBeCompared = false;     // with plans that are built later
  LearnedKeeper keepLearned = {}; // stores which was the fastest; may be empty
};

// Asks the sources of plans (sources.h) until one proposes a plan that can be built. Profiles and
// plans only if no earlier source knows a plan; then packs, emits, compiles (or finds in the cache)
// and loads. The values of `a` must be of the problem's type. The result does not refer to `a`.
// Status::notApplicable if no requested format fits, with the reason for each. Without a GPU a
// trial is an estimate.
llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &asked,
                                       Machine &machine);

// Ranks the plans of the session's matrix, and builds the best by the request's rigor.
llvm::Expected<BuiltChoice> choose(Session &session);

// A product that can be launched at once.
struct FirstProduct {
  Plan plan;
  GpuProduct product;
  // Owns the arrays that the product reads if they were uploaded; otherwise they are the caller's.
  SourceMatrix matrix;
};

// Builds the first of plansToStartWith() on the machine's GPU. nullopt if none is available or none
// takes the matrix. Only the ends of rowPtr are checked, and only if they are on the host: if the
// arrays do not form a valid matrix, the product reads out of bounds. CSR arrays with 64-bit
// indices are not narrowed; both kernels read them directly.
llvm::Expected<std::optional<FirstProduct>> firstProduct(const SourceMatrix &a,
                                                         const Problem &problem, Machine &machine);

// The results of the steps up to the ranking, made without reading the wisdom.
struct Analyzed {
  Profiled profiled;
  Ranked ranked;
  std::optional<ValueFacts> facts = {};        // if plans may be coded by choice
  std::vector<RepeatedBlocks> blocks = {};     // if plans that number blocks could be the best
  std::optional<ColumnDegrees> columns = {};   // if plans depend on them
  std::optional<SparsityProfile> inOrder = {}; // of the permuted matrix, if plans may have an order
};
// Samples the blocks of the matrix on the host, unless that was done.
BlockSampler samplesOf(std::vector<RepeatedBlocks> &blocks, const CsrView &a);
// Counts the columns of the matrix on the host, unless that was done.
const ColumnDegrees *countOnce(std::optional<ColumnDegrees> &columns, const CsrView &a);
// Profiles the matrix in the order of plans on the host, unless that was done. Null if the request
// does not name the order, and it would bring nothing together.
llvm::Expected<const SparsityProfile *> orderOnce(std::optional<SparsityProfile> &inOrder,
                                                  const CsrView &a, const Request &request);
llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine);

} // namespace specmv
