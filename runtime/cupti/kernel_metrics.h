// What is told of a product's kernels: the metrics of the HCGHYB paper (AlAhmadi et al.,
// "Performance analysis of sparse matrix-vector multiplication (SpMV) on graphics processing units
// (GPUs)", 2020, section 2.2) and the bytes that they moved, from CUPTI's counters to the columns
// of a table.
#pragma once

#include "runtime/cupti/counters.h"

#include <cstdint>
#include <limits>
#include <string>

namespace specmv {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Of one product, all its kernels together (counters.h says how). NaN for what is not known, as the
// ratios of a product without a kernel.
struct KernelMetrics {
  double us = kUnknown;                  // measureWarm(), without counters
  double gflops = kUnknown;              // 2 nnz operations in that time
  double occupancy = kUnknown;           // warps on an SM while it has any / the most it can hold
  double instructionsPerWarp = kUnknown; // executed by a warp, on average
  double warpEfficiency = kUnknown;      // threads active in an instruction / 32
  double dramReadBytes = kUnknown, dramWriteBytes = kUnknown;
  double l2Bytes = kUnknown;   // asked of L2 by all units
  double l2HitRate = kUnknown; // sectors found in L2 / sectors looked up
};

// What is counted for them.
llvm::ArrayRef<Counter> kernelCounters();
// Fills in all but the time from the values of kernelCounters(), in their order.
void setCounted(KernelMetrics &metrics, llvm::ArrayRef<double> values);
void setTime(KernelMetrics &metrics, double us, int64_t nnz);

// One metric as it is shown: its key in JSON, as it is; in a table under a title, times `scale`.
struct MetricColumn {
  const char *key, *title;
  double KernelMetrics::*value;
  double scale;
  int decimals;
};
llvm::ArrayRef<MetricColumn> metricColumns();

// "61.0"; "-" where it is not known.
std::string cellOf(const MetricColumn &column, const KernelMetrics &metrics);

} // namespace specmv
