// Tests of a GPU's curves that need no GPU: the working sets, the spread of times, and what a
// calibration makes of them.
#include "runtime/lab/calibrate/curves.h"

#include "runtime/lab/calibrate/work.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

constexpr int64_t kMegabyte = 1 << 20;

Curves measuredCurves() {
  return {.source = "measured somewhere",
          .copyGBs = 1234.5,
          .periodUs = {2.25, 2.2, 2.4},
          .roundTripUs = {7, 6, 8},
          .stream = {{0x1p20, 500, 100}},
          .gather = {{0x1p24, 4, 1, 400}},
          .chase = {{0x1p13, 20}},
          .shared = {{4, 2}}};
}

} // namespace

TEST_CASE("working sets go from 1 MB to 4 GB, as far as half of the free memory") {
  const auto all = streamSets(int64_t{1} << 40);
  CHECK(all.size() == 13);
  CHECK(all.front() == kMegabyte);
  CHECK(all.back() == 4096 * kMegabyte);
  CHECK(streamSets(8192 * kMegabyte).size() == 13);
  CHECK(streamSets(8192 * kMegabyte - 1).size() == 12);
  CHECK(streamSets(2 * kMegabyte) == std::vector<int64_t>{kMegabyte});
  CHECK(streamSets(2 * kMegabyte - 1).empty());
}

TEST_CASE("random access is measured within L2, and far beyond if there is the memory") {
  const RandomSets h200 = randomSets(60 * kMegabyte, 4096 * kMegabyte);
  CHECK(h200.withinL2 == 16 * kMegabyte);
  CHECK(h200.beyondL2 == 512 * kMegabyte);
  const RandomSets small = randomSets(60 * kMegabyte, 300 * kMegabyte);
  CHECK(small.beyondL2 == 256 * kMegabyte);
  CHECK(randomSets(60 * kMegabyte, 200 * kMegabyte).beyondL2 == 0);
  CHECK(randomSets(60 * kMegabyte, kMegabyte).withinL2 == kMegabyte);
}

TEST_CASE("a spread is the median with what a tenth stays below and exceeds") {
  std::vector<double> times;
  for (int i = 100; i >= 0; --i)
    times.push_back(i);
  CHECK(spreadOf(times) == Spread{50, 10, 90});
  CHECK(spreadOf({3}) == Spread{3, 3, 3});
  CHECK(spreadOf({1, 2}) == Spread{2, 1, 2});
}

TEST_CASE("a calibration takes the copy's rate and the period from the curves, and fits neither") {
  const GpuModel start = llvm::cantFail(loadGpuModel("h200"));
  const Measured slow{.matrix = "a", .plans = {}};
  const Calibrated found = calibrated(slow, start, "a log", measuredCurves());
  CHECK(found.changes.numbers.at("dramGBs") == 1234.5);
  CHECK(found.changes.numbers.at("periodUs") == 2.25);
  CHECK(found.fit.model.dramGBs == 1234.5);
  CHECK(found.fit.model.periodUs == 2.25);
  CHECK(found.changes.curves->source == "a log");
  CHECK(namesSetBy(measuredCurves()) == std::vector<std::string>{"dramGBs", "periodUs"});
  CHECK(namesSetBy({}).empty());
  CHECK_FALSE(calibrated(slow, start, "a log").changes.curves.has_value());
}

TEST_CASE("child: curves without memory" * doctest::skip()) {
  Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
  auto curves = measureCurves(machine);
  REQUIRE_FALSE(static_cast<bool>(curves));
  CHECK(describe(curves.takeError()).second.find("cuMemAlloc failed") == 0);
}

TEST_CASE("curves on a GPU without memory are an error") {
  passesWithFakeGpu("child: curves without memory", {{"SPECMV_FAKE_FAILS", "cuMemAlloc_v2"}});
}
