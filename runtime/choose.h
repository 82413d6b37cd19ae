// Decides which plan a matrix gets: what the wisdom remembers, the best prediction, or the fastest
// of those that were measured. The steps of specialize().
#pragma once

#include "runtime/specialize.h"

namespace specmv {

// Builds the plan that the wisdom knows for this signature, GPU and problem; false where it knows
// none, where formats or numbers are prescribed, where it is not as good as the request wants
// (predicted, but to be measured) or where the plan does not fit this matrix after all.
bool reuse(const CsrView &a, const Request &request, Machine &machine, Specialized &s);

// Builds the best candidate by the request's rigor.
llvm::Error choose(const CsrView &a, const Request &request, Machine &machine, Specialized &s);

// Keeps the choice in the wisdom, unless formats or numbers were prescribed.
void keep(const Request &request, Machine &machine, const Specialized &s);

// The sentence that lists why each format of the offers has no plan.
std::string whyNone(const std::vector<Offer> &offers);

} // namespace specmv
