// Counts what the GPU's hardware does during one product, with CUPTI's range profiler, which is
// opened at run time. Including this file needs no CUDA header.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// A metric, by its name in CUPTI: "smsp__inst_executed.sum".
struct Counter {
  const char *name;
  const char *newerName = nullptr; // its name on some later chips
};

struct Counted {
  std::vector<double> values; // in the order of the counters; NaN if the chip has no such counter
  std::string chip;           // "GH100"
  std::string library;        // the CUPTI library that counted
  size_t passes = 0;
};

// One range covers the whole product, so all its kernels are counted together. A sum (instructions,
// bytes) is the sum over the kernels. A ratio (occupancy, hit rate) is the ratio of two such sums,
// so each kernel has the weight of its active cycles or its accesses. The hardware can count only a
// few metrics at a time, so the product runs once in each of several passes. Before each counted
// run there is one that is not counted, so that the caches are warm. All runs must do the same.
// Status::missing if there is no CUPTI or the counters may not be read.
llvm::Expected<Counted> countDuring(const Enqueue &product, const GpuDevice &gpu,
                                    llvm::ArrayRef<Counter> counters);

// Describes how a chip would count the given counters.
struct Schedule {
  size_t passes = 0;
  std::vector<bool> has; // for each counter, whether the chip has it
};
// Needs CUPTI, but no GPU. Status::missing if CUPTI does not know the chip ("GH100").
llvm::Expected<Schedule> scheduleOn(const std::string &chip, llvm::ArrayRef<Counter> counters);

// Returns success() if this build and this machine have CUPTI, otherwise Status::missing with the
// reason.
llvm::Error checkCupti();
// Checks the first of these libraries that opens.
llvm::Error checkCupti(const std::vector<std::string> &paths);

} // namespace specmv
