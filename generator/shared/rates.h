// The names of rates that several formats read. A rate is a number of a GPU's model, fitted to
// measurements on that GPU: models/gpus/*.json, under "rates".
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// The largest x, in bytes, that L1 keeps whole; for a larger x, the number of entries whose sectors
// L1 keeps (gathers.cpp).
constexpr const char *kBytesInL1 = "gather.l1Bytes", *kEntriesInL1 = "gather.l1Entries";
// What a batch of 8 slots costs, in passes of CSR-vector's loop: in general, and if the number of
// slots is a constant of the kernel (padded.h).
constexpr const char *kPassesPerBatch = "padded.passesPerBatch",
                     *kPassesPerKnownBatch = "padded.passesPerKnownBatch";
// What one meeting of the partial sums of several blocks adds to the longest chain, in the same
// passes (open_rows.cpp).
constexpr const char *kMeetingPasses = "openRows.meetingPasses";
// For triplets: the passes that the sums of runs add to the longest chain (triplets.cpp).
constexpr const char *kRunsPasses = "coo.runsPasses";

// These, those of all paces (walk.h) and those of the traffic model.
llvm::ArrayRef<const char *> sharedRates();

} // namespace specmv
