// Computes the metrics of the HCGHYB paper from counters, and formats them for a table.
#include "runtime/lab/cupti/kernel_metrics.h"

#include <cassert>
#include <cmath>
#include <cstdio>

namespace specmv {

namespace {
// The positions of the counters in kernelCounters().
enum Place : uint8_t {
  warpsActive,
  instructions,
  threadInstructions,
  warps,
  dramRead,
  dramWritten,
  l2,
  l2Hits,
  places
};
} // namespace

// nvprof's achieved_occupancy, inst_per_warp and warp_execution_efficiency, which the paper's
// figures show, are made from the first four.
constexpr Counter kCounters[places] = {
    {"sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"smsp__inst_executed.sum"},
    {"smsp__thread_inst_executed.sum"},
    {"smsp__warps_launched.sum"},
    {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    {"lts__t_bytes.sum"},
    {"lts__t_sector_hit_rate.pct"},
};

constexpr double kWarpThreads = 32;

constexpr MetricColumn kColumns[] = {
    {"us", "us", &KernelMetrics::us, 1, 2},
    {"gflops", "GFLOP/s", &KernelMetrics::gflops, 1, 1},
    {"occupancy", "occupancy %", &KernelMetrics::occupancy, 100, 1},
    {"instructionsPerWarp", "instr/warp", &KernelMetrics::instructionsPerWarp, 1, 1},
    {"warpEfficiency", "warp eff. %", &KernelMetrics::warpEfficiency, 100, 1},
    {"dramReadBytes", "DRAM read MB", &KernelMetrics::dramReadBytes, 1e-6, 3},
    {"dramWriteBytes", "written MB", &KernelMetrics::dramWriteBytes, 1e-6, 3},
    {"l2Bytes", "L2 MB", &KernelMetrics::l2Bytes, 1e-6, 3},
    {"l2HitRate", "L2 hits %", &KernelMetrics::l2HitRate, 100, 1},
};

static double ratioOf(double part, double whole) { return whole > 0 ? part / whole : kUnknown; }

llvm::ArrayRef<Counter> kernelCounters() { return kCounters; }

void setCounted(KernelMetrics &metrics, llvm::ArrayRef<double> values) {
  assert(values.size() == places);
  const bool ran = values[warps] > 0;
  metrics.occupancy = ran ? values[warpsActive] / 100 : kUnknown;
  metrics.instructionsPerWarp = ratioOf(values[instructions], values[warps]);
  metrics.warpEfficiency = ratioOf(values[threadInstructions], values[instructions] * kWarpThreads);
  metrics.dramReadBytes = values[dramRead];
  metrics.dramWriteBytes = values[dramWritten];
  metrics.l2Bytes = values[l2];
  metrics.l2HitRate = values[l2Hits] / 100;
}

void setTime(KernelMetrics &metrics, double us, int64_t nnz) {
  metrics.us = us;
  metrics.gflops = us > 0 ? 2 * static_cast<double>(nnz) / us / 1000 : kUnknown;
}

llvm::ArrayRef<MetricColumn> metricColumns() { return kColumns; }

std::string cellOf(const MetricColumn &column, const KernelMetrics &metrics) {
  const double value = metrics.*column.value * column.scale;
  if (!std::isfinite(value))
    return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", column.decimals, value);
  return text;
}

} // namespace specmv
