// Tests on the fake GPU that L2 is filled with other data before products are timed.
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
