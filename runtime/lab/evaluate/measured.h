// Plans that were timed on a GPU, with the profile of their matrix: what models of time are
// compared with.
#pragma once

#include "models/csr.h"
#include "models/plan.h"
#include "models/profile/profile.h"

#include <string>
#include <vector>

namespace specmv {

struct MeasuredPlan {
  Plan plan;
  double us = 0; // one product, warm
};

// One matrix in one type.
struct Measured {
  std::string matrix;
  ValueType type = ValueType::f64;
  SparsityProfile profile = {};
  std::vector<MeasuredPlan> plans = {};
  double profileUs = 0;  // of the profile; 0: not measured
  double decisionUs = 0; // to price and rank all plans, on one core, with the profile at hand
};

// What is left out together when a model is fitted to other families: matrices of one family of
// SPECs; a file is a family of its own.
std::string familyOf(const std::string &matrix);

// Whether plans of four formats of ours were timed or more: fewer say little about choices. Of a
// paper's benchmark matrix only the formats of that paper are timed, often one.
bool hasManyFormats(const Measured &measured);

// The least time of all plans; 0 if there is none.
double fastestUs(const Measured &measured);

// CSR with 32-bit indices.
int64_t csrBytesOf(const Measured &measured);

} // namespace specmv
