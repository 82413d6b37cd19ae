// The names of rates that several formats read; what each is stands where it is read. A rate is a
// number of a GPU's model, fitted to measurements on that GPU: models/gpus/*.json, under "rates".
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// Bytes of x that L1 keeps whole, and otherwise the entries whose sectors it keeps (gathers.cpp).
constexpr const char *kBytesInL1 = "gather.l1Bytes", *kEntriesInL1 = "gather.l1Entries";
// Passes of CSR-vector's loop that a batch of 8 slots costs, and where all are known before
// (padded.h).
constexpr const char *kPassesPerBatch = "padded.passesPerBatch",
                     *kPassesPerKnownBatch = "padded.passesPerKnownBatch";
// What bringing partial sums of several blocks together adds to the longest chain, in such passes
// (open_rows.cpp).
constexpr const char *kMeetingPasses = "openRows.meetingPasses";
// Of triplets: share of the memory rate, and passes that the sums of runs add (triplets.cpp).
constexpr const char *kCooEfficiency = "coo.efficiency", *kRunsPasses = "coo.runsPasses";

inline llvm::ArrayRef<const char *> sharedRates() {
  static constexpr const char *kNames[] = {kBytesInL1,           kEntriesInL1,   kPassesPerBatch,
                                           kPassesPerKnownBatch, kMeetingPasses, kCooEfficiency,
                                           kRunsPasses};
  return kNames;
}

} // namespace specmv
