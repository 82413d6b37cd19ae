// Weighs the set-ups of ranked plans against an expected number of products.
#pragma once

#include "generator/rank.h"
#include "models/csr.h"
#include "models/predict/worth.h"
#include "runtime/machine.h"
#include "runtime/request.h"

#include <vector>

namespace specmv {

// CSR with 32-bit indices: a profile does not tell which ones the caller's arrays have.
SetupSize sizeOf(const SparsityProfile &profile, ValueType type);

SetupSize sizeOf(const CsrView &a);

enum class Look : uint8_t {
  untilDecided, // prices kernels only of plans that could have the least total
  atAll,
  never, // as if every kernel were loaded
};
// Prices the candidates' set-ups and orders them by what set-up and products take together; equal
// totals stay in their order. Kernels cost what it takes now to have them loaded: it is looked at
// what this machine has loaded, in packs and in its cache. The profile's time is in each set-up,
// although all plans share it, so that totals can be compared with those of CSR as it is.
void rankByTotal(std::vector<Candidate> &candidates, const Request &request,
                 const SparsityProfile &profile, const Machine &machine,
                 Look look = Look::untilDecided);

// The set-up of a candidate from the CSR arrays on, the profile included, if all of its kernels are
// in this state. Only the bytes that it stores are read of its traffic.
PredictedSetup wholeSetup(const Candidate &candidate, const SetupSize &size, KernelState kernels,
                          const GpuModel &gpu);

// What a set-up of this candidate takes after that of another plan, the profile and the upload
// made: its packing, and its kernels as they are at hand now. Not with Look::untilDecided.
PredictedSetup furtherSetup(const Candidate &candidate, const SetupSize &size,
                            const Request &request, const Machine &machine, Look look);

// By how much the total of a plan is above the least of the candidates if every kernel were loaded.
double lostWithAllKernelsUs(const std::vector<Candidate> &candidates, const Worth &own,
                            int64_t products);
// A candidate as it would be then.
inline Worth withAllKernels(const Candidate &candidate) {
  return {.productUs = candidate.predictedUs, .setupUs = candidate.setup.workUs};
}

// Fewer products than this cannot pay for a profile on this machine, against a kernel for CSR as it
// is that is loaded.
int64_t leastProductsToProfile(const SetupSize &size, const Machine &machine);

inline Worth worthOf(const Candidate &candidate) {
  return {.productUs = candidate.predictedUs, .setupUs = candidate.setup.totalUs()};
}

} // namespace specmv
