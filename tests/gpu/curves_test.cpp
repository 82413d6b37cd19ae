// Tests that the curves of this GPU are plausible: nearer memory is faster.
#include "runtime/lab/calibrate/curves.h"
#include "tests/gpu/gpu.h"

#include "models/gpus/fields.h"
#include "runtime/measure/stopwatch.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// The rate of random sectors of the working set, with this many values of 4 bytes used in each.
double sectorGBs(const Curves &curves, double bytes, double together) {
  for (const GatherPoint &point : curves.gather)
    if (point.bytes == bytes && point.valueBytes == 4 && point.together == together)
      return point.sectorGBs;
  return 0;
}

} // namespace

TEST_CASE("the curves of a GPU are in their order, and read back") {
  Machine machine = gpuMachine();
  const Stopwatch watch;
  Curves curves = llvm::cantFail(measureCurves(machine));
  CHECK(watch.milliseconds() < 40000);
  curves.source = "a test";
  CHECK(llvm::cantFail(readCurves(curvesJson(curves), "x")) == curves);

  const double l2 = static_cast<double>(machine.gpu->info().l2Bytes);
  const double memory = curves.stream.back().warmGBs;
  CHECK(memory > curves.copyGBs / 2);
  CHECK(memory < 2 * curves.copyGBs);
  for (const StreamPoint &point : curves.stream) {
    CAPTURE(point.bytes);
    CHECK(point.warmGBs < 1e5);
    CHECK(point.coldGBs < 1.2 * memory);
    if (4 * point.bytes < l2)
      CHECK(point.warmGBs > 1.1 * memory);
  }
  if (const auto effective = effectiveL2Bytes(curves)) {
    CHECK(*effective > l2 / 16); // an H200 once gave 0.122 of it
    CHECK(*effective < 4 * l2);
  }
  CHECK(curves.periodUs.median > 0.5);
  CHECK(curves.periodUs.median < curves.roundTripUs.median);
  CHECK(curves.roundTripUs.median < 500);
  CHECK(curves.replayPeriodUs.median > 0.1);
  CHECK(curves.replayPeriodUs.median < 1.1 * curves.periodUs.median);
  CHECK(curves.replayPeriodUs.median < curves.replayTripUs.median);
  CHECK(curves.replayTripUs.median < 500);

  REQUIRE(curves.chase.size() == 3);
  CHECK(curves.chase[0].ns > 5);
  CHECK(2 * curves.chase[0].ns < curves.chase[1].ns);
  CHECK(1.2 * curves.chase[1].ns < curves.chase[2].ns);
  CHECK(curves.chase[2].ns < 5000);
  const double within = curves.chase[1].bytes, beyond = curves.chase[2].bytes;
  CHECK(sectorGBs(curves, within, 1) > 1.1 * sectorGBs(curves, beyond, 1));
  CHECK(sectorGBs(curves, beyond, 1) > 0);
  REQUIRE(curves.shared.size() == 2);
  CHECK(curves.shared[0].warpNs > 0.3);
  CHECK(curves.shared[0].warpNs < 100);
}
