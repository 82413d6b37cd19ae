// Counts what the GPU's hardware does during one product, with CUPTI's range profiler, which is
// opened at run time. No CUDA header is needed to use this.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// A metric by its name in CUPTI: "smsp__inst_executed.sum".
struct Counter {
  const char *name;
  const char *newerName = nullptr; // what some later chips call it
};

struct Counted {
  std::vector<double> values; // in the order of the counters; NaN for those that the chip has not
  std::string chip;           // "GH100"
  std::string library;        // the CUPTI that counted
  size_t passes = 0;
};

// One range spans the whole product, so its kernels count together: what is a sum (instructions,
// bytes) is the sum over them; what is a ratio (occupancy, hit rate) is the ratio of two such sums,
// so that a kernel weighs by its active cycles or its accesses. The hardware counts a few metrics
// at a time, so the product is run once for each of the passes, after one that is not counted and
// leaves the caches warm; it must do the same every time.
// Status::missing where there is no CUPTI or the counters may not be read.
llvm::Expected<Counted> countDuring(const Enqueue &product, const GpuDevice &gpu,
                                    llvm::ArrayRef<Counter> counters);

// How a chip would count them.
struct Schedule {
  size_t passes = 0;
  std::vector<bool> has; // of each counter, whether the chip has it
};
// Needs CUPTI, but no GPU. Status::missing where CUPTI does not know the chip ("GH100").
llvm::Expected<Schedule> scheduleOn(const std::string &chip, llvm::ArrayRef<Counter> counters);

// success() where this build and this machine have CUPTI, else Status::missing with the reason.
llvm::Error checkCupti();
// The same for the first of these libraries that opens.
llvm::Error checkCupti(const std::vector<std::string> &paths);

} // namespace specmv
