// Tests of the metrics computed from the counters: their definitions, against numbers worked out by
// hand, and the cells and columns of the table.
#include "runtime/lab/cupti/kernel_metrics.h"

#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>

using namespace specmv;

namespace {

// The values of kernelCounters(), each by its name.
std::vector<double> valuesOf(const std::map<std::string, double> &byName) {
  std::vector<double> values;
  for (const Counter &counter : kernelCounters()) {
    REQUIRE_MESSAGE(byName.count(counter.name) == 1, counter.name);
    values.push_back(byName.at(counter.name));
  }
  return values;
}

// Two kernels of 100 and 50 warps: 30 instructions per warp by 32 threads, then 6 by 8.
std::map<std::string, double> twoKernels() {
  return {{"sm__warps_active.avg.pct_of_peak_sustained_active", 62.5},
          {"smsp__inst_executed.sum", 100 * 30 + 50 * 6},
          {"smsp__thread_inst_executed.sum", 100 * 30 * 32 + 50 * 6 * 8},
          {"smsp__warps_launched.sum", 150},
          {"dram__bytes_read.sum", 2.5e6},
          {"dram__bytes_write.sum", 64},
          {"lts__t_bytes.sum", 9e6},
          {"lts__t_sector_hit_rate.pct", 40}};
}

KernelMetrics metricsOf(const std::map<std::string, double> &byName) {
  KernelMetrics out;
  setCounted(out, valuesOf(byName));
  return out;
}

std::map<std::string, std::string> cells(const KernelMetrics &metrics) {
  std::map<std::string, std::string> out;
  for (const MetricColumn &column : metricColumns())
    out[column.key] = cellOf(column, metrics);
  return out;
}

} // namespace

TEST_CASE("the metrics are ratios of the sums over all kernels of a product") {
  const KernelMetrics m = metricsOf(twoKernels());
  CHECK(m.occupancy == doctest::Approx(0.625));
  CHECK(m.instructionsPerWarp == doctest::Approx(22));
  CHECK(m.warpEfficiency == doctest::Approx(98400.0 / 105600));
  CHECK(m.dramReadBytes == 2.5e6);
  CHECK(m.dramWriteBytes == 64);
  CHECK(m.l2Bytes == 9e6);
  CHECK(m.l2HitRate == doctest::Approx(0.4));
  CHECK(std::isnan(m.us));
}

TEST_CASE("a product takes two operations an entry") {
  KernelMetrics m;
  setTime(m, 25, 1000000);
  CHECK(m.us == 25);
  CHECK(m.gflops == doctest::Approx(80));
  setTime(m, 25, 0);
  CHECK(m.gflops == 0);
}

TEST_CASE("what was not counted, or has nothing to divide by, is not known") {
  std::map<std::string, double> nothing = twoKernels();
  for (auto &[name, value] : nothing)
    value = 0;
  nothing["dram__bytes_read.sum"] = std::nan("");
  const KernelMetrics m = metricsOf(nothing);
  CHECK(std::isnan(m.occupancy));
  CHECK(std::isnan(m.instructionsPerWarp));
  CHECK(std::isnan(m.warpEfficiency));
  CHECK(std::isnan(m.dramReadBytes));
  CHECK(m.dramWriteBytes == 0);
  const auto shown = cells(m);
  for (const char *key :
       {"us", "gflops", "occupancy", "instructionsPerWarp", "warpEfficiency", "dramReadBytes"})
    CHECK_MESSAGE(shown.at(key) == "-", std::string(key));
  CHECK(shown.at("dramWriteBytes") == "0.000");
}

TEST_CASE("cells are in the units of their titles") {
  KernelMetrics m = metricsOf(twoKernels());
  setTime(m, 12.345, 1000000);
  const std::map<std::string, std::string> want = {{"us", "12.35"},
                                                   {"gflops", "162.0"},
                                                   {"occupancy", "62.5"},
                                                   {"l2HitRate", "40.0"},
                                                   {"warpEfficiency", "93.2"},
                                                   {"instructionsPerWarp", "22.0"},
                                                   {"dramReadBytes", "2.500"},
                                                   {"dramWriteBytes", "0.000"},
                                                   {"l2Bytes", "9.000"}};
  CHECK(cells(m) == want);
  for (const MetricColumn &column : metricColumns()) {
    const std::string title = column.title;
    CHECK((column.scale == 100) == (title.back() == '%'));
    CHECK((column.scale == 1e-6) == (title.substr(title.size() - 2) == "MB"));
  }
}

TEST_CASE("every metric has one column") {
  std::set<std::string> keys;
  KernelMetrics marked;
  for (const MetricColumn &column : metricColumns()) {
    keys.insert(column.key);
    CHECK(std::isnan(marked.*column.value)); // not yet seen
    marked.*column.value = 1;
  }
  CHECK(keys.size() == metricColumns().size());
  CHECK(keys.size() == sizeof(KernelMetrics) / sizeof(double));
}
