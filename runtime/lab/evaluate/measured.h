// Describes plans that were timed on a GPU, with the profile of their matrix; time models are
// compared with them.
#pragma once

#include "models/csr.h"
#include "models/plan.h"
#include "models/profile/profile.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

struct MeasuredPlan {
  Plan plan;
  double us = 0;       // one product, warm, by launches one after another
  double usReplay = 0; // by replays of a CUDA graph; 0: not timed
  double usMean = 0;   // as the strips and statistics papers time; 0: not timed
};

// The measurements of one matrix in one type.
struct Measured {
  std::string matrix;
  ValueType type = ValueType::f64;
  SparsityProfile profile = {};
  std::vector<MeasuredPlan> plans = {};
  double profileUs = 0;  // time of the profile; 0: not measured
  double decisionUs = 0; // pricing and ranking all plans on one core, given the profile
};

// Returns the group of matrices to leave out together when a model is fitted to the others: the
// family of a SPEC; a file is a family of its own.
std::string familyOf(const std::string &matrix);

// Returns true if no fit may use the matrix, since its family shows what the models say of matrices
// of an unknown kind. Without the keys of a SPEC, the name of a file may be taken for a family.
bool isKeptFromFits(const Measured &measured);

// Says how many of these measurements a fit leaves out for that reason, and which families they are
// of; empty if there are none.
std::string keptFromFits(llvm::ArrayRef<Measured> all);

// Returns true if a plan has no price: it depends on counts of columns, which no record has.
bool lacksCounts(const Measured &measured, const Plan &plan);

// Returns true if plans of at least four of our formats were timed: fewer say little about choices.
// On a paper's benchmark matrix only the formats of that paper are timed, often only one.
bool hasManyFormats(const Measured &measured);

// Returns the plans that were timed by replays, with these times in place of those by launches.
Measured replaysOf(const Measured &measured);

// Returns the least time of all plans; 0 if there is none.
double fastestUs(const Measured &measured);

// Assumes 32-bit indices.
int64_t csrBytesOf(const Measured &measured);

} // namespace specmv
