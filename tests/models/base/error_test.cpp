// Tests of the error type: which statuses say that the machine lacks something.
#include "models/base/error.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;

TEST_CASE("five kinds of what a machine lacks, and the rest, count as missing; nothing else does") {
  const std::set<Status> kinds = {Status::missing,      Status::noGpu,   Status::gpuMemory,
                                  Status::overMaxBytes, Status::noNvrtc, Status::notInPacks};
  for (Status status = Status::badInput; status <= Status::internal;
       status = static_cast<Status>(static_cast<int>(status) + 1)) {
    CAPTURE(static_cast<int>(status));
    CHECK(isMissing(status) == (kinds.contains(status)));
  }
}
