// The plans that a choice is made from: the matrix is profiled, each format offers its plans, and
// those that can be the choice here are ranked.
#pragma once

#include "generator/rank.h"
#include "generator/setup/fingerprint.h"
#include "models/profile/profile.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"
#include "runtime/request.h"
#include "runtime/worth.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// What a look at the pattern as it lies tells, which takes a part of the time of a profile.
struct Identified {
  std::string pattern; // patternId() of the matrix if its rows ascend; else no matrix has it
  PatternHash hash;
  double ms = 0; // time taken
};

struct Profiled {
  SparsityProfile profile;
  std::string signature, pattern; // the ids
  double ms = 0;                  // time taken
};

struct Ranked {
  std::vector<Offer> offers; // one per format, with the reason if it has no plan
  // Of all offers, best predicted first: by the time of a product, or, if the request expects a
  // number of products, by the total with the set-up that is needed now.
  std::vector<Candidate> candidates;
  double ms = 0; // time taken
};

// Status::badInput if the arrays do not form a valid matrix. On the machine's GPU if it has one and
// the matrix can be profiled there; the results are equal.
// `identified` spares the GPU to look for what is known.
llvm::Expected<Profiled> profileMatrix(const SourceMatrix &a, Machine &machine,
                                       const Identified *identified = nullptr);
llvm::Expected<Profiled> profileMatrix(const CsrView &a);

// Where profileMatrix() would profile. nullopt if the host must look at a matrix on the GPU: it is
// not copied for this alone.
llvm::Expected<std::optional<Identified>> identify(const SourceMatrix &a, Machine &machine);

// Two kinds of formats are left out, with the reason in their offer: those that may only be used
// when the request names them (whyNotByItself), and calls of a library that this machine lacks
// (withoutUnavailableCalls), but the latter not where plans begin with what is at hand
// (KernelKind::atHand) and the library is not open. `look` is for requests that weigh set-ups.
llvm::Expected<Ranked> rankPlans(const Request &request, const SparsityProfile &profile,
                                 const Machine &machine, Look look = Look::untilDecided);

// Removes library calls that this machine's library lacks, but only while they are ranked first.
// Opening the library takes 10 to 170 ms, so it is not opened for calls that are ranked lower;
// building one of them will tell.
Ranked withoutUnavailableCalls(Ranked ranked);

} // namespace specmv
