// Tests what launches, their period and the host add to a predicted time.
#include "tests/models/predict/simple_gpu.h"

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("no product is shorter than launches are apart, and none is equal that is not") {
  GpuModel gpu = simpleGpu();
  gpu.periodUs = 4;
  const double none = predictUs({}, gpu), little = predictUs({.dependentLoads = 1}, gpu);
  CHECK(none >= 4);
  CHECK(none < little);
  CHECK(little < 4.1);
  CHECK(predictUs({.launches = 20}, gpu) == doctest::Approx(40));
}

TEST_CASE("in a graph a launch costs its share, and no period hides a short product") {
  GpuModel gpu = simpleGpu();
  gpu.periodUs = 50;
  gpu.rates.set("launch.replayed", 0.25);
  CHECK(predictReplayUs({}, gpu) == doctest::Approx(0.5));
  CHECK(predictReplayUs({.dependentLoads = 2, .launches = 3, .hostUs = 7}, gpu) ==
        doctest::Approx(0.6 + 1.5 + 7));
  CHECK(predictReplayUs(tenMegabytes(), gpu) == nearly(100.5));
  gpu.rates.set("launch.replayed", 1);
  gpu.periodUs = 0;
  CHECK(predictReplayUs(tenMegabytes(), gpu) == predictUs(tenMegabytes(), gpu));
}

TEST_CASE("plans are compared by times that no period hides") {
  GpuModel gpu = simpleGpu();
  gpu.rates.set("launch.replayed", 0.25);
  const double few = predictBoth({.dependentLoads = 1}, gpu).comparedUs();
  gpu.periodUs = 50;
  CHECK(predictBoth({.dependentLoads = 1}, gpu).us >= 50);
  CHECK(predictBoth({.dependentLoads = 1}, gpu).comparedUs() == few);
  CHECK(predictBoth({.dependentLoads = 2}, gpu).comparedUs() == doctest::Approx(few + 0.3));
  CHECK(predictBoth({.hostUs = 7}, gpu).comparedUs() ==
        doctest::Approx(predictBoth({}, gpu).comparedUs() + 7));
}

TEST_CASE("launches that begin early cost their share, except those of a library") {
  GpuModel gpu = simpleGpu();
  gpu.rates.set("launch.early", 0.5);
  CHECK(predictUs({.launches = 3}, gpu) == doctest::Approx(3));
  CHECK(predictUs({.launches = 3, .isOfLibrary = true}, gpu) == doctest::Approx(6));
  gpu.rates.set("launch.replayed", 0.25);
  CHECK(predictReplayUs({.launches = 3}, gpu) == doctest::Approx(0.75));
}

TEST_CASE("every launch costs") {
  CHECK(predictUs({.launches = 3}, simpleGpu()) == doctest::Approx(6));
}

TEST_CASE("what the host adds is added") {
  CHECK(predictUs({.launches = 3, .hostUs = 25}, simpleGpu()) == doctest::Approx(31));
}
