// The plans that a choice is made from.
#pragma once

#include "runtime/specialize.h"

namespace specmv {

// Offers and ranks the plans of s.profile. Left out, with the reason in the offer, are formats that
// break a promise unless they were named, and calls of a library that this machine cannot make.
llvm::Error findCandidates(const Request &request, const Machine &machine, Specialized &s);

} // namespace specmv
