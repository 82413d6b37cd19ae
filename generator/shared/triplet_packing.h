// Packs triplets on the GPU (templates/pack/triplets.cuh), shared by COO and the tail of HYB.
#pragma once

#include "generator/setup/filling.h"
#include "generator/shared/triplets.h"

namespace specmv {

constexpr const char *kTripletPackHeader = "pack/triplets.cuh";
// For each row the first of its triplets, and behind the last row their number.
constexpr const char *kTailStart = "tailStart";

// Fills `tailStart` with the number of each row's entries beyond the first k, which a scan turns
// into places.
SetupLaunch tailCounting(const DeviceCsr &csr, int64_t k);

// Fills the arrays of triplets, which are the entries beyond the first k of their row. `tailStart`
// is the array of their places; if k is 0, it is that of the matrix.
std::vector<SetupLaunch> tripletFillings(const DeviceCsr &csr, const Plan &plan,
                                         const Problem &problem, int64_t k,
                                         const Triplets &triplets, const char *tailStart);

} // namespace specmv
