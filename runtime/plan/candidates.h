// The candidates for a choice: each format offers its plans for a profile, and the plans that this
// machine and request allow are ranked.
#pragma once

#include "generator/rank.h"
#include "generator/setup/profile.h"
#include "models/profile/column_degrees.h"
#include "models/profile/profile.h"
#include "models/profile/value_facts.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"
#include "runtime/plan/request.h"
#include "runtime/plan/worth.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The result of identifying a pattern without profiling it, which is much cheaper.
struct Identified {
  std::string pattern; // patternId() if the rows ascend; otherwise an id that no matrix has
  PatternHash hash;
};

struct Profiled {
  SparsityProfile profile;
  std::string signature, pattern; // the ids
  double ms = 0;                  // time taken
};

struct Ranked {
  std::vector<Offer> offers; // one per format, with the reason if it has no plan
  // Ordered by prediction, best first: by the time of a product, or, if the request expects a
  // number of products, by the total with the set-up that is needed now.
  std::vector<Candidate> candidates;
  double ms = 0; // time taken
};

// Profiles the matrix, on the machine's GPU if it has one and the matrix can be profiled there; the
// results are equal. Status::badInput if the arrays do not form a valid matrix.
llvm::Expected<Profiled> profileMatrix(const SourceMatrix &a, Machine &machine);
llvm::Expected<Profiled> profileMatrix(const CsrView &a);

// Returns true if codings of values can save so much that the facts about values are worth finding:
// a pass over the values, and coding them.
bool mayPayToCode(const SetupSize &size, const Request &request, const Machine &machine);

// A choice may depend on these facts beside the profile.
struct FurtherFacts {
  const ValueFacts *values = nullptr; // null: plans with coded values are not ranked
  // Samples the blocks of a shape, where plans that number different blocks could be the best;
  // asked only if `values` are known.
  BlockSampler blocks = {};
  // Counts the entries of columns; returns null if nobody can. rankPlans() calls it at most once,
  // where plans depend on the counts and these can decide: if such a plan would be the best with
  // the best counts, if the request names formats, if there are no other plans, or if countsAlways
  // is true.
  std::function<llvm::Expected<const ColumnDegrees *>()> columns = {};
  bool countsAlways = false;
  // Puts the matrix into the order of plans with `order`, and returns the profile of the permuted
  // matrix; null if nobody can, or no product could gain by it. rankPlans() calls it at most once,
  // where all plans have the order or one could win by it.
  ProfileInOrder inOrder = {};
  // False: nobody reads why a format has no plan, unless none has one. Writing that takes as long
  // as pricing a format.
  bool readsReasons = true;
};

// Asks all formats for plans and ranks them. Four kinds of formats are left out, and their offers
// say why: formats that are only used when the request names them (whyNotByItself), those that were
// not measured on the GPU if others were (whyNotMeasured) and none is named, calls of a library
// that this machine lacks (withoutUnavailableCalls), and those whose price depends on columns that
// nobody counted (Format::asksColumns), unless the request names formats. Library calls stay if the
// library is not open yet and plans begin with available kernels (KernelKind::atHand). `look`
// applies to requests that weigh set-ups.
llvm::Expected<Ranked> rankPlans(const Request &request, const SparsityProfile &profile,
                                 const Machine &machine, Look look = Look::untilDecided,
                                 const FurtherFacts &facts = {});

// Removes library calls that this machine's library lacks, but only while they are ranked first.
// Opening the library takes 10 to 170 ms, so lower ranks do not cause it to be opened; building one
// of them reports a missing call.
Ranked withoutUnavailableCalls(Ranked ranked);

} // namespace specmv
