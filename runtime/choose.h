// Decides which plan a matrix gets: what the wisdom remembers, the best prediction, or the fastest
// of those that were measured. The steps of specialize().
#pragma once

#include "runtime/specialize.h"
#include "runtime/store/wisdom.h"

namespace specmv {

// The plan of what the wisdom knows, for a request that prescribes no format; none where it is not
// as good as the rigor wants (predicted, but to be measured), or of a format that must not be
// chosen by itself: a pack may come from anywhere.
std::optional<Plan> planToFollow(const Wisdom &known, Rigor rigor);

// Builds the plan that the wisdom knows for this signature, GPU and problem; false where it knows
// none to follow, where formats or numbers are prescribed or where the plan does not fit this
// matrix after all.
bool reuse(const CsrView &a, const Request &request, Machine &machine, Specialized &s);

// Builds the best candidate by the request's rigor.
llvm::Error choose(const CsrView &a, const Request &request, Machine &machine, Specialized &s);

// The first candidate that fits the matrix, and why each one before it does not: what specialize()
// builds by prediction where nothing is missing. Packs it. Status::notApplicable where none fits.
struct Fit {
  size_t index;
  std::vector<std::string> whyNot; // `index` of them
};
llvm::Expected<Fit> firstFit(const CsrView &a, const Problem &problem,
                             llvm::ArrayRef<Candidate> candidates);

// Keeps the choice in the wisdom, unless formats or numbers were prescribed, it is a fallback, or
// this machine has no GPU and the wisdom already knows a plan, maybe of one that has.
void keep(const Request &request, Machine &machine, const Specialized &s);

// The error where no format of the offers has a plan, with each one's reason: Status::missing where
// the machine is one of them.
llvm::Error noPlan(const std::vector<Offer> &offers);

} // namespace specmv
