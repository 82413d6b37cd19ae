// The metrics that are reported for the kernels of a product: those of the HCGHYB paper (AlAhmadi
// et al., "Performance analysis of sparse matrix-vector multiplication (SpMV) on graphics
// processing units (GPUs)", 2020, section 2.2) and the bytes moved. They are computed from CUPTI's
// counters and formatted as columns of a table.
#pragma once

#include "runtime/lab/cupti/counters.h"

#include <cstdint>
#include <limits>
#include <string>

namespace specmv {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The metrics of one product, for all its kernels together (see counters.h). NaN if a metric is
// unknown, like the ratios of a product without a kernel.
struct KernelMetrics {
  double us = kUnknown;                  // measureWarm(), without counters
  double gflops = kUnknown;              // 2 nnz operations in that time
  double occupancy = kUnknown;           // warps on an SM while it has any / the most it can hold
  double instructionsPerWarp = kUnknown; // executed by a warp, on average
  double warpEfficiency = kUnknown;      // threads active in an instruction / 32
  double dramReadBytes = kUnknown, dramWriteBytes = kUnknown;
  double l2Bytes = kUnknown;   // requested from L2 by all units
  double l2HitRate = kUnknown; // sectors found in L2 / sectors looked up
};

// The counters that the metrics are computed from.
llvm::ArrayRef<Counter> kernelCounters();
// Sets all metrics but the time from the values of kernelCounters(), in their order.
void setCounted(KernelMetrics &metrics, llvm::ArrayRef<double> values);
void setTime(KernelMetrics &metrics, double us, int64_t nnz);

// Describes how to show a metric: in JSON under its key, not scaled; in a table under its title,
// multiplied by `scale`.
struct MetricColumn {
  const char *key, *title;
  double KernelMetrics::*value;
  double scale;
  int decimals;
};
llvm::ArrayRef<MetricColumn> metricColumns();

// Returns "61.0"; "-" if the metric is unknown.
std::string cellOf(const MetricColumn &column, const KernelMetrics &metrics);

} // namespace specmv
