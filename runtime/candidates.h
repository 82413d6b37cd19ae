// The plans that a choice is made from: the matrix is profiled, each format offers its plans, and
// those that can be the choice here are ranked.
#pragma once

#include "generator/rank.h"
#include "models/profile/profile.h"
#include "runtime/machine.h"
#include "runtime/request.h"

#include <string>
#include <vector>

namespace specmv {

struct Profiled {
  SparsityProfile profile;
  std::string signature;
  double ms = 0; // that it took
};

struct Ranked {
  std::vector<Offer> offers;         // one per format, with the reason where it has no plan
  std::vector<Candidate> candidates; // of all offers, best predicted first
  double ms = 0;                     // that it took
};

// Status::badInput where the arrays are no matrix.
llvm::Expected<Profiled> profileMatrix(const CsrView &a);

// Left out, with the reason in the offer, are formats that break a promise unless they were named,
// and calls of a library that this machine cannot make.
llvm::Expected<Ranked> rankPlans(const Request &request, const SparsityProfile &profile,
                                 const Machine &machine);

} // namespace specmv
