// Tests the traffic model against times worked out by hand.
#include "tests/models/predict/simple_gpu.h"

#include <algorithm>
#include <cmath>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("nothing to do costs a launch") {
  CHECK(predictUs({}, simpleGpu()) == doctest::Approx(2));
}

TEST_CASE("streams run at the rate of L2 or of memory, in sixteenths as L2 keeps arrays") {
  // 0.45 MB at 1000 GB/s: half of L2.
  CHECK(predictUs({.storedBytes = 450000, .streamBytes = 450000}, simpleGpu()) ==
        doctest::Approx(2 + 0.45));
  // 0.9 MB, half of it from each.
  CHECK(predictUs({.storedBytes = 900000, .streamBytes = 900000}, simpleGpu()) ==
        doctest::Approx(2 + 0.45 + 4.5));
  // 10 MB at 100 GB/s: 100 us.
  CHECK(predictUs(tenMegabytes(), simpleGpu()) == doctest::Approx(102));
  // Vectors take room twice, since a solver has others: 0.25 MB of the arrays are kept.
  CHECK(predictUs({.storedBytes = 400000,
                   .usedBytes = 500000,
                   .vectorBytes = 100000,
                   .streamBytes = 400000},
                  simpleGpu()) == doctest::Approx(2 + 0.25 + 1.5));
}

TEST_CASE("small arrays beside long vectors come from L2 as far as all of them fit") {
  const GpuModel gpu = simpleGpu();
  const Traffic t{
      .storedBytes = 10000, .usedBytes = 310000, .vectorBytes = 300000, .streamBytes = 310000};
  const double beyond = shareBeyondL2(310000, gpu);
  CHECK(beyond < 0.2);
  CHECK(shareFromMemory(t, gpu) == beyond);
  CHECK(predictUs(t, gpu) == doctest::Approx(2 + (1 - beyond) * 0.31 + beyond * 3.1));
  GpuModel unknown = gpu;
  unknown.l2Bytes = 0;
  CHECK(shareFromMemory(t, unknown) == 1);
  CHECK(shareFromMemory({}, gpu) == 0);
}

TEST_CASE("the streams of a library go from the rate of L2 to that of memory smoothly") {
  const auto us = [](int64_t bytes) {
    return predictUs({.storedBytes = bytes, .streamBytes = bytes, .isOfLibrary = true},
                     simpleGpu());
  };
  CHECK(us(45000) == doctest::Approx(2.045).epsilon(1e-4));
  // 0.45 MB, half of it from each: half of 0.45 us and half of 4.5.
  CHECK(us(450000) == doctest::Approx(2 + 0.225 + 2.25));
  CHECK(us(10000000) == nearly(102)); // a few millionths of it come from L2
  // The used bytes count if they are given: with x and y.
  CHECK(predictUs(
            {.storedBytes = 45000, .usedBytes = 450000, .streamBytes = 450000, .isOfLibrary = true},
            simpleGpu()) == doctest::Approx(2 + 0.225 + 2.25));
}

TEST_CASE("streams, gathers and work overlap as the pace says, streams at its efficiency") {
  Traffic t = tenMegabytes();
  t.pace.efficiency = 0.5; // 200 us
  t.gatherBytes = 7500000; // at 50 GB/s 150 us
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 250));
  t.pace.overlap = 1;
  t.workUs = 30;
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 380));
  t.stagingUs = 7; // beside which nothing else is done
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 387));
}

TEST_CASE("gathers cost what the pace says, less for sectors of one line") {
  Traffic t{.gatherBytes = 5000000}; // 100 us
  CHECK(predictUs(t, simpleGpu()) == nearly(102));
  t.pace.gathers = 1.5;
  t.pace.adjoining = 0.5;
  t.adjoining = 2;
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 75));
}

TEST_CASE("x in order is streamed, and in single sectors gathered, where memory is read") {
  Traffic t = tenMegabytes();
  t.orderlyBytes = 1000000; // 10 us
  CHECK(predictUs(t, simpleGpu()) == nearly(112));
  t.pace.overlap = 1;
  t.scatteredBytes = 1000000; // at 10 GB/s 100 us
  CHECK(predictUs(t, simpleGpu()) == nearly(212));
  t.storedBytes = 1000;
  t.streamBytes = 0;
  CHECK(predictUs(t, simpleGpu()) == nearly(2));
}

TEST_CASE("SMs with one block more than others hold up gathers and work") {
  Traffic t{.gatherBytes = 5000000, .blocks = 15};
  CHECK(predictUs(t, simpleGpu()) == nearly(102));
  t.pace.uneven = 1; // two blocks on half of the SMs: 2 / 1.5
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 100 * 2 / 1.5));
  t.pace.uneven = 0.5;
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 100 * 3.5 / 3));
  t.blocks = 1000;
  CHECK(predictUs(t, simpleGpu()) == nearly(102));
}

TEST_CASE("waves begin one after another, and of two times the longer hides most of the other") {
  // 4000 threads are 4 waves of 1000 ns. Each has a mean of 5 passes of 10 ns: 0.2 us, as long as
  // the bytes; the slowest thread has 100 more passes.
  const double hidden = 0.2 * std::pow(2, 0.4);
  CHECK(predictUs({.streamBytes = 200000, .threads = 4000, .steps = 20000, .longestChain = 105},
                  simpleGpu()) == doctest::Approx(2 + 4 + hidden + 1));
  // A hundredth of a wave takes a hundredth of its time, but its passes take their full time.
  CHECK(predictUs({.threads = 10, .steps = 1000, .longestChain = 100}, simpleGpu()) ==
        doctest::Approx(2 + 0.01 + 1));
}

TEST_CASE("passes take longer the more of a wave is resident") {
  const auto us = [](int64_t threads, double crowding) {
    return predictUs({.threads = threads,
                      .steps = 100 * threads,
                      .longestChain = 100,
                      .pace = {.crowding = crowding, .waves = 0}},
                     simpleGpu());
  };
  CHECK(us(10, 0.5) == doctest::Approx(2 + 1 * 1.005));
  CHECK(us(500, 0.5) == doctest::Approx(2 + 1 * 1.25));
  CHECK(us(1000, 0.5) == doctest::Approx(2 + 1 * 1.5));
  CHECK(us(4000, 0.5) == doctest::Approx(2 + 4 * 1.5)); // four waves
  CHECK(us(500, 0) == doctest::Approx(2 + 1));
  // A wave of 500 threads is whole.
  CHECK(predictUs({.threads = 500,
                   .steps = 50000,
                   .longestChain = 100,
                   .threadsPerSm = 50,
                   .pace = {.crowding = 0.5, .waves = 0}},
                  simpleGpu()) == doctest::Approx(2 + 1.5));
}

TEST_CASE("a last wave with few threads takes longer than its share, and a whole one does not") {
  const auto us = [](int64_t threads, double lastWave) {
    return predictUs(
        {.gatherBytes = 5000000, .threads = threads, .pace = {.waves = 0, .lastWave = lastWave}},
        simpleGpu());
  };
  CHECK(us(1250, 0) == nearly(102));
  CHECK(us(1250, 1) == nearly(2 + 100 * 2 / 1.25)); // as long as two whole waves
  CHECK(us(1250, 0.5) == nearly(2 + 100 * 1.3));
  CHECK(us(2000, 1) == nearly(102));
  CHECK(us(600, 1) == nearly(102)); // the only wave
  // Threads that only store zeros make no wave.
  CHECK(predictUs({.gatherBytes = 5000000,
                   .threads = 1250,
                   .storingThreads = 250,
                   .pace = {.waves = 0, .lastWave = 1}},
                  simpleGpu()) == nearly(102));
}

TEST_CASE("where memory is read passes take longer, and the slowest thread hides in the others") {
  Traffic t = tenMegabytes();
  t.threads = 10;
  t.steps = 50;
  t.longestChain = 105; // 3.15 us
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 0.01 + 100));
  t.longestChain = 10000; // 300 us
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 0.01 + 300));
  t.pace.latency = 2;
  CHECK(predictUs(t, simpleGpu()) == nearly(2 + 0.01 + 600));
}

namespace {
// 100 us of bytes in rows of 5 passes each, at most 80 rows at a time.
Traffic rowsOfFive(int64_t rows) {
  Traffic t = tenMegabytes();
  t.threads = rows;
  t.longRows.emplace();
  for (int64_t i = 0, n = 1; i < 8 && n <= rows; ++i, n *= 8)
    t.longRows->passes[static_cast<size_t>(i)] = 5;
  return t;
}
} // namespace

TEST_CASE("rows that are equally long take as long as their bytes") {
  CHECK(predictUs(rowsOfFive(1 << 20), simpleGpu()) - 1048 == nearly(2 + 100).epsilon(0.02));
}

TEST_CASE("a long row is done after its passes, which begin anywhere in the run") {
  const double even = predictUs(rowsOfFive(1 << 20), simpleGpu());
  Traffic t = rowsOfFive(1 << 20);
  t.longRows->passes[0] = 2000; // 60 us, which begin after half of the run on average
  const double one = predictUs(t, simpleGpu());
  CHECK(one > even + 5);
  CHECK(one < even + 15);
  t.longRows->passes[1] = 2000; // the last of eight begins after 8/9
  CHECK(predictUs(t, simpleGpu()) > one + 30);
  CHECK(predictUs(t, simpleGpu()) < even + 60);
  t.longRows->areFirst = true; // while the others are done, the long ones share the rate
  CHECK(predictUs(t, simpleGpu()) > even + 40);
  CHECK(predictUs(t, simpleGpu()) < even + 62);
}

// Eighty waves of five passes: those after the first one take 395 passes.
TEST_CASE("long rows that begin first take time only beyond the passes of the other waves") {
  Traffic t = rowsOfFive(80000);
  t.longRows->perWave = 5;
  t.longRows->areFirst = true;
  const double even = predictUs(t, simpleGpu());
  t.longRows->passes[0] = 395; // 12 us
  CHECK(predictUs(t, simpleGpu()) == nearly(even).epsilon(0.01));
  t.longRows->passes[0] = 1395; // 30 us more, during which a part of the bytes moves
  CHECK(predictUs(t, simpleGpu()) > even + 20);
  CHECK(predictUs(t, simpleGpu()) < even + 30);
}

TEST_CASE("fewer threads at a time make more waves") {
  CHECK(predictUs({.threads = 4000, .threadsPerSm = 50}, simpleGpu()) == doctest::Approx(2 + 8));
}

TEST_CASE("each load that all others wait for costs") {
  CHECK(predictUs({.dependentLoads = 2}, simpleGpu()) == doctest::Approx(2.6));
}

TEST_CASE("a short product takes what its kernel takes at least, and a long one hides that") {
  const GpuModel gpu = simpleGpu();
  Traffic nothing;
  nothing.pace.leastUs = 1.5;
  CHECK(predictUs(nothing, gpu) == doctest::Approx(2 + 1.5));
  nothing.dependentLoads = 5; // 1.5 us, so that neither hides the other: 2^(1 / 2.5) times as long
  CHECK(predictUs(nothing, gpu) == doctest::Approx(2 + 1.5 * std::pow(2, 0.4)));
  Traffic much = tenMegabytes(); // 100 us
  much.pace.leastUs = 10;
  CHECK(predictUs(much, gpu) == nearly(2 + 100 * std::pow(1 + std::pow(0.1, 2.5), 0.4)));
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
                          .pace = {.efficiency = 0.5},
                          .hostUs = 7};
          const ProductTime time = productTime(t, gpu);
          CHECK(time.totalUs == predictUs(t, gpu));
          CHECK(sumOfParts(time) == doctest::Approx(time.totalUs).epsilon(1e-12));
          CHECK(std::min({time.launchUs, time.streamUs, time.gatherUs, time.waitUs}) >= -1e-9);
        }
}

// A former bug: rows without entries took no time, so that formats which read row ends won.
TEST_CASE("rows without entries take the time of the bytes that are moved for them") {
  Traffic t = tenMegabytes();
  t.longRows.emplace();
  CHECK(predictUs(t, simpleGpu()) == nearly(102));
}

TEST_CASE("the parts of a product that only waits for loads are numbers") {
  GpuModel gpu = simpleGpu();
  for (int i = 1; i <= 1000; ++i) {
    gpu.loadNs = i * 0.37;
    const ProductTime time = productTime({.dependentLoads = 1}, gpu);
    CHECK(sumOfParts(time) == doctest::Approx(time.totalUs).epsilon(1e-12));
  }
}

TEST_CASE("each part has what it is named after") {
  // 200 us of streams and 150 us of gathers take 250 us together: divided by their squares, 160 and
  // 90.
  Traffic t = tenMegabytes();
  t.gatherBytes = 7500000;
  t.pace.efficiency = 0.5;
  const ProductTime bytes = productTime(t, simpleGpu());
  CHECK(bytes.launchUs == doctest::Approx(2));
  CHECK(bytes.streamUs == nearly(160));
  CHECK(bytes.gatherUs == nearly(90));
  CHECK(std::abs(bytes.waitUs) < 1e-9);
  CHECK(bytes.hostUs == 0);
  // 100 us of bytes with passes of 10,000 x 10 ns, 3 times as long as in L2: 200 us more.
  t = tenMegabytes();
  t.threads = 1;
  t.longestChain = 10000;
  const ProductTime passes = productTime(t, simpleGpu());
  CHECK(passes.streamUs == nearly(100));
  CHECK(passes.waitUs == nearly(200));
}
