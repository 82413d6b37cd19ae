// Tests which kernels ask for a large L1, and how large, on the fake GPU.
#include "models/lab/families/families.h"
#include "runtime/build.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

int carveout() { return *ofFakeDriver<int>("fakeCarveout"); }

// Returns what the kernel of this plan asks for.
int carveoutOf(const char *plan) {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=40"));
  Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
  *ofFakeDriver<int>("fakeCarveout") = -1;
  const Built built = llvm::cantFail(build(a.view(), *parsePlan(plan), {}, machine));
  return carveout();
}

constexpr const char *kTiles = "csr5 csr5.omega=32 csr5.sigma=8 csr5.tiles=1 block=256 empty=0 "
                               "offset=32 column=32";
constexpr const char *kHot = "csr5-hot csr5.omega=32 csr5.sigma=8 csr5.tiles=1 csr5.hot=100 "
                             "block=256 empty=0 offset=32 column=32";

} // namespace

// Four blocks of 8,264 static bytes and 1,024 that CUDA reserves take 16 of 228 KB.
TEST_CASE("child: kernels that leave L1 to x" * doctest::skip()) {
  CHECK(carveoutOf(kTiles) == 16);
  CHECK(*ofFakeDriver<int>("fakeOccupancyThreads") == 256);
  CHECK(carveoutOf("csr-merge merge.items=7 merge.threads=256 offset=32 column=32") == 16);
  CHECK(carveoutOf("csr-vector csr.lanes=8 block=256 offset=32 column=32") == -1);
  CHECK(carveoutOf(kHot) == -1);
}

TEST_CASE("kernels leave L1 to x if they find it there") {
  passesWithFakeGpu("child: kernels that leave L1 to x", {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                                                          {"SPECMV_CACHE_PATH", ""},
                                                          {"SPECMV_CACHE_DIR", "/dev/null"},
                                                          {"SPECMV_FAKE_ATTRIBUTE", "81=233472"}});
}

TEST_CASE("child: a driver that refuses a large L1" * doctest::skip()) {
  CHECK(carveoutOf(kTiles) == -1);
}

TEST_CASE("a plan is made although the driver refuses to leave L1") {
  for (const char *refused :
       {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuFuncGetAttribute", "cuFuncSetAttribute"})
    passesWithFakeGpu("child: a driver that refuses a large L1",
                      {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                       {"SPECMV_CACHE_PATH", ""},
                       {"SPECMV_CACHE_DIR", "/dev/null"},
                       {"SPECMV_FAKE_ATTRIBUTE", "81=233472"},
                       {"SPECMV_FAKE_FAILS", refused}});
}
