// Counters in a build whose toolkit had no headers of CUPTI's range profiler: there are none.
#ifndef SPECMV_HAS_CUPTI
#include "runtime/cupti/counters.h"

namespace specmv {

llvm::Error checkCupti() {
  return fail(Status::missing,
              "this build of specmv counts nothing, since the toolkit that it was built with ({0}) "
              "lacks CUPTI's cupti_range_profiler.h, which is in CUDA 12.6 and later",
              SPECMV_BUILT_CUDA_HOME);
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
