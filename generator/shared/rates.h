// The rates that several formats read. A rate is a number of a GPU's model, fitted to measurements
// on that GPU: models/gpus/*.json, under "rates".
#pragma once

#include "models/rate.h"
#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// Rates for x in L1 (gathers.cpp).
constexpr Rate kBytesInL1{"gather.l1Bytes", "bytes of the largest x that L1 keeps whole", 196608,
                          kNoFit};
constexpr Rate kEntriesInL1{
    "gather.l1Entries", "entries whose sectors of x L1 keeps, if it does not keep all of x", 4096};
constexpr Rate kLostInRows{"gather.lostInRows",
                           "share of a row's sectors of x that L1 loses before the row's next "
                           "entry, where the lanes of a warp read rows that share nothing",
                           0.6, kShareFit};
constexpr Rate kHitNs{"gather.hitNs",
                      "nanoseconds, over all SMs, of a line of x that a load finds in L1", 0.0015,
                      kNoFit};
// Rates for padded rows (padded.h).
constexpr Rate kPassesPerBatch{"padded.passesPerBatch",
                               "passes of CSR-vector's loop that a batch of 8 slots costs", 5,
                               kNoFit};
constexpr Rate kPassesPerKnownBatch{"padded.passesPerKnownBatch",
                                    "passes of CSR-vector's loop that a batch of 8 slots costs, if "
                                    "the number of slots is a constant of the kernel",
                                    4, kNoFit};
// These rates are for rows that several blocks share (open_rows.cpp).
constexpr Rate kMeetingPasses{"openRows.meetingPasses",
                              "passes of CSR-vector's loop that one meeting of the partial sums of "
                              "several blocks adds to the longest chain",
                              8, kNoFit};
// These rates are for triplets (formats/coo/part.cpp).
constexpr Rate kRunsPasses{
    "coo.runsPasses", "passes of CSR-vector's loop that the sums of runs add to the longest chain",
    30, kNoFit};

constexpr Rate kSharedRates[] = {kBytesInL1,     kEntriesInL1,    kLostInRows,
                                 kHitNs,         kPassesPerBatch, kPassesPerKnownBatch,
                                 kMeetingPasses, kRunsPasses};

} // namespace specmv
