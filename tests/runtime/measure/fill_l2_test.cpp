// Tests on the fake GPU that products are timed in batches, and that L2 is filled with other data
// before a product is timed with a cold L2.
#include "runtime/measure/measure.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

// What the driver was asked while a product was timed with a cold L2: a call for each.
std::string callsOfCold(const GpuDevice &gpu, int runs) {
  const Effort effort{.batches = 1, .perBatch = 1, .cold = runs, .repeats = 1};
  return fakeCallsOf([&] {
    llvm::cantFail(measureCold(gpu, Enqueue([] { return llvm::Error::success(); }), effort));
  });
}

} // namespace

TEST_CASE("child: L2 is filled" * doctest::skip()) {
  const auto gpu = llvm::cantFail(GpuDevice::open(0));
  const int live = fakeLive();
  const std::string calls = fakeCallsOf([&] { llvm::cantFail(fillL2(*gpu, nullptr)); });
  CHECK(countOf("cuMemsetD8Async", calls) == 1);
  CHECK(countOf("cuMemsetD8Async", callsOfCold(*gpu, 3)) == 3);
  CHECK(fakeLive() == live);
}

TEST_CASE("L2 is filled with other data, which is freed") {
  passesWithFakeGpu("child: L2 is filled");
}

TEST_CASE("child: a batch is timed" * doctest::skip()) {
  const auto gpu = llvm::cantFail(GpuDevice::open(0));
  int products = 0;
  const Enqueue product([&] { return ++products, llvm::Error::success(); });
  for (const int count : {1, 5}) { // the fake's events are 1500 us apart
    CHECK(llvm::cantFail(timeBatch(*gpu, product, count)) == doctest::Approx(1500.0 / count));
    CHECK(std::exchange(products, 0) == count);
  }
  const Effort effort{.batches = 3, .perBatch = 10, .cold = 1, .repeats = 1};
  CHECK(llvm::cantFail(measureWarm(*gpu, product, effort)) == doctest::Approx(150));
  CHECK(products == 30);
}

TEST_CASE("a batch of products is timed by two events, and its time is that of one product") {
  passesWithFakeGpu("child: a batch is timed");
}
