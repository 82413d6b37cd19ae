// The traffic model and the ranking by it, against times worked out by hand.
#include "models/rank.h"
#include "models/traffic.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Round numbers: 100 GB/s from memory, 1000 from L2, 50 for gathers, 2 us a launch.
GpuModel simpleGpu() {
  GpuModel gpu;
  gpu.dramGBs = 100, gpu.l2GBs = 1000, gpu.gatherGBs = 50, gpu.launchUs = 2;
  gpu.chainNs = 10, gpu.waveNs = 1000;
  gpu.sms = 10, gpu.threadsPerSm = 100, gpu.l2Bytes = 1000000;
  return gpu;
}

} // namespace

TEST_CASE("nothing to do costs a launch") {
  CHECK(predictUs({}, simpleGpu()) == doctest::Approx(2));
}

TEST_CASE("streams run at the rate of memory, or of L2 where all fits there") {
  // 10 MB at 100 GB/s: 100 us.
  CHECK(predictUs({.storedBytes = 10000000, .streamBytes = 10000000}, simpleGpu()) ==
        doctest::Approx(102));
  // 0.5 MB at 1000 GB/s: 0.5 us.
  CHECK(predictUs({.storedBytes = 500000, .streamBytes = 500000}, simpleGpu()) ==
        doctest::Approx(2.5));
}

TEST_CASE("the slower of stream and gather counts, over the efficiency") {
  // 10 MB gathered at 50 GB/s: 200 us, at half the rate 400.
  const Traffic t{
      .storedBytes = 10000000, .streamBytes = 10000000, .gatherBytes = 10000000, .efficiency = 0.5};
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(402));
}

TEST_CASE("latency: waves of resident threads, and the slowest thread beyond the mean") {
  // 4000 threads are 4 waves of 1000, each 1000 ns and a mean of 5 passes of 10 ns; the slowest
  // thread has 105 passes, 100 beyond the mean: 4 x 1.05 + 1 us.
  CHECK(predictUs({.threads = 4000, .steps = 20000, .longestChain = 105}, simpleGpu()) ==
        doctest::Approx(2 + 5.2));
  // Fewer threads than fit still take a wave.
  CHECK(predictUs({.threads = 10, .steps = 0, .longestChain = 0}, simpleGpu()) ==
        doctest::Approx(3));
}

TEST_CASE("every launch costs") {
  CHECK(predictUs({.launches = 3}, simpleGpu()) == doctest::Approx(6));
}

TEST_CASE("what the host adds is added") {
  CHECK(predictUs({.launches = 3, .hostUs = 25}, simpleGpu()) == doctest::Approx(31));
}

TEST_CASE("plans rank by predicted time, and ties keep their order") {
  Plan slow{.format = "slow"}, first{.format = "first"}, second{.format = "second"};
  slow.traffic.launches = 5;
  const std::vector<Candidate> ranked = rank({slow, first, second}, simpleGpu());
  REQUIRE(ranked.size() == 3);
  CHECK(ranked[0].plan.format == "first");
  CHECK(ranked[1].plan.format == "second");
  CHECK(ranked[2].plan.format == "slow");
  CHECK(ranked[2].predictedUs == doctest::Approx(10));
}
