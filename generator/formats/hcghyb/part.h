// The tail of HCGHYB as a part of a plan: the GPU multiplies the entries, and the host sums the
// products by row.
#pragma once

#include "generator/tree/part.h"
#include "models/rate.h"

namespace specmv {

// Adds to y. The part needs a share that reaches to the end of each row.
extern const Part kHostSumPart;

// The costs of the detour over the host.
constexpr Rate kHostLatencyUs{"hcghyb.hostLatencyUs",
                              "microseconds that two copies and a host function wait", 105};
constexpr Rate kHostSumBytesPerUs{"hcghyb.hostSumBytesPerUs",
                                  "bytes of products that the host's threads sum in a microsecond",
                                  1e4, kWideFit};

} // namespace specmv
