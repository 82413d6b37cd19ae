// Implements counters.h for builds whose toolkit lacks the headers of CUPTI's range profiler: all
// functions fail with Status::missing.
#ifndef SPECMV_HAS_CUPTI
#include "runtime/lab/cupti/counters.h"

namespace specmv {

llvm::Error checkCupti() {
  return fail(Status::missing,
              "this build of specmv cannot read hardware counters, because the toolkit that it was "
              "built with does not have CUPTI's cupti_range_profiler.h; build it with CUDA 12.6 or "
              "later");
}

llvm::Error checkCupti(const std::vector<std::string> & /*paths*/) { return checkCupti(); }

llvm::Expected<Counted> countDuring(const Enqueue & /*product*/, const GpuDevice & /*gpu*/,
                                    llvm::ArrayRef<Counter> /*counters*/) {
  return checkCupti();
}

llvm::Expected<Schedule> scheduleOn(const std::string & /*chip*/,
                                    llvm::ArrayRef<Counter> /*counters*/) {
  return checkCupti();
}

} // namespace specmv
#endif
