// The traffic model and the ranking by it, against times worked out by hand.
#include "models/predict/traffic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace specmv;

namespace {

// Round numbers: 100 GB/s from memory, 1000 from L2, 50 for gathers, 2 us a launch, 1000 threads at
// a time.
GpuModel simpleGpu() {
  GpuModel gpu;
  gpu.dramGBs = 100, gpu.l2GBs = 1000, gpu.gatherGBs = 50, gpu.launchUs = 2;
  gpu.loadNs = 300, gpu.chainNs = 10, gpu.waveNs = 1000, gpu.dramDelay = 3;
  gpu.sms = 10, gpu.threadsPerSm = 100, gpu.l2Bytes = 900000;
  return gpu;
}

} // namespace

TEST_CASE("nothing to do costs a launch") {
  CHECK(predictUs({}, simpleGpu()) == doctest::Approx(2));
}

TEST_CASE("streams run at the rate of memory, or of L2 up to a third of it") {
  // 10 MB at 100 GB/s: 100 us, and a wave to begin with.
  CHECK(predictUs({.storedBytes = 10000000, .streamBytes = 10000000}, simpleGpu()) ==
        doctest::Approx(103));
  // 0.3 MB at 1000 GB/s: 0.3 us.
  CHECK(predictUs({.storedBytes = 300000, .streamBytes = 300000}, simpleGpu()) ==
        doctest::Approx(2.3));
  // Halfway between a third and all: half of 0.6 us and half of 1 + 6.
  CHECK(predictUs({.storedBytes = 600000, .streamBytes = 600000}, simpleGpu()) ==
        doctest::Approx(2 + 0.3 + 3.5));
}

TEST_CASE("streams and gathers overlap in part, and only streams at the kernel's efficiency") {
  // 10 MB at half of 100 GB/s are 200 us, 7.5 MB gathered at 50 GB/s 150: together 250.
  const Traffic t{
      .storedBytes = 10000000, .streamBytes = 10000000, .gatherBytes = 7500000, .efficiency = 0.5};
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 250));
}

TEST_CASE("what is staged takes its time beside what is streamed, at the same rate") {
  // 10 MB and 2.5 MB at half of 100 GB/s are 250 us, 12.5 MB gathered at 50 GB/s as long.
  Traffic t{
      .storedBytes = 10000000, .streamBytes = 10000000, .stagedBytes = 2500000, .efficiency = 0.5};
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 250));
  t.gatherBytes = 12500000;
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 250 * std::sqrt(2.0)));
}

TEST_CASE("of what L2 holds, the waves, the slowest thread beyond the mean and the bytes add up") {
  // 4000 threads are 4 waves of 1000, each 1000 ns and a mean of 5 passes of 10 ns; the slowest
  // thread has 105 passes, 100 beyond the mean: 4 x 1.05 + 1 us, and 0.2 us of bytes.
  CHECK(predictUs({.streamBytes = 200000, .threads = 4000, .steps = 20000, .longestChain = 105},
                  simpleGpu()) == doctest::Approx(2 + 5.4));
  // A hundredth of a wave takes as much of its time, but its passes as long as ever.
  CHECK(predictUs({.threads = 10, .steps = 1000, .longestChain = 100}, simpleGpu()) ==
        doctest::Approx(2 + 0.01 + 1));
}

TEST_CASE("where memory is read, waiting and bytes overlap, and waiting takes longer") {
  // Bytes: 100 us. The waves: 3 x 4.2 us. The slowest thread: 3 x 1.05, or 3 x 100 us.
  Traffic t{.storedBytes = 10000000,
            .streamBytes = 10000000,
            .threads = 4000,
            .steps = 20000,
            .longestChain = 105};
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 100));
  t.longestChain = 10000;
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 300));
  t = {.storedBytes = 10000000, .streamBytes = 1000, .threads = 4000, .steps = 20000};
  CHECK(predictUs(t, simpleGpu()) == doctest::Approx(3 + 12.6));
}

TEST_CASE("fewer threads at a time make more waves") {
  CHECK(predictUs({.threads = 4000, .threadsPerSm = 50}, simpleGpu()) == doctest::Approx(2 + 8));
}

TEST_CASE("each load that all others wait for costs") {
  CHECK(predictUs({.dependentLoads = 2}, simpleGpu()) == doctest::Approx(2.6));
}

TEST_CASE("no product is shorter than launches are apart, and none is equal that is not") {
  GpuModel gpu = simpleGpu();
  gpu.periodUs = 4;
  const double none = predictUs({}, gpu), little = predictUs({.dependentLoads = 1}, gpu);
  CHECK(none >= 4);
  CHECK(none < little);
  CHECK(little < 4.1);
  CHECK(predictUs({.launches = 20}, gpu) == doctest::Approx(40));
}

TEST_CASE("every launch costs") {
  CHECK(predictUs({.launches = 3}, simpleGpu()) == doctest::Approx(6));
}

TEST_CASE("what the host adds is added") {
  CHECK(predictUs({.launches = 3, .hostUs = 25}, simpleGpu()) == doctest::Approx(31));
}

namespace {
double sumOfParts(const ProductTime &t) {
  return t.launchUs + t.streamUs + t.gatherUs + t.waitUs + t.hostUs;
}
} // namespace

TEST_CASE("the parts of a product's time add up to it, whatever limits it") {
  GpuModel gpu = simpleGpu();
  for (double period : {0.0, 2.5})
    for (int64_t stored : {0, 300000, 600000, 10000000})
      for (int64_t gathered : {0, 7500000})
        for (int64_t chain : {0, 105, 100000}) {
          gpu.periodUs = period;
          const Traffic t{.storedBytes = stored,
                          .streamBytes = stored,
                          .gatherBytes = gathered,
                          .threads = 4000,
                          .steps = 20000,
                          .longestChain = chain,
                          .dependentLoads = 1,
                          .launches = 1.6,
                          .efficiency = 0.5,
                          .hostUs = 7};
          const ProductTime time = productTime(t, gpu);
          CHECK(time.totalUs == predictUs(t, gpu));
          CHECK(sumOfParts(time) == doctest::Approx(time.totalUs).epsilon(1e-12));
          CHECK(std::min({time.launchUs, time.streamUs, time.gatherUs, time.waitUs}) >= 0);
        }
}

TEST_CASE("each part has what it is named after") {
  // 200 us of streams and 150 of gathers take 250 together: by their squares 160 and 90.
  const ProductTime bytes = productTime(
      {.storedBytes = 10000000, .streamBytes = 10000000, .gatherBytes = 7500000, .efficiency = 0.5},
      simpleGpu());
  CHECK(bytes.launchUs == doctest::Approx(2));
  CHECK(bytes.streamUs == doctest::Approx(160));
  CHECK(bytes.gatherUs == doctest::Approx(90));
  CHECK(bytes.waitUs == doctest::Approx(1)); // the first wave
  CHECK(bytes.hostUs == 0);
  // 100 us of bytes beside passes of 10,000 x 10 ns, 3 times as long as in L2: 200 us more.
  const ProductTime passes = productTime({.storedBytes = 10000000,
                                          .streamBytes = 10000000,
                                          .threads = 1,
                                          .steps = 10000,
                                          .longestChain = 10000},
                                         simpleGpu());
  CHECK(passes.streamUs == doctest::Approx(100));
  CHECK(passes.waitUs == doctest::Approx(1 + 200).epsilon(0.02));
}
