// Tests handles of cuSPARSE that are reused, on the fake driver and the fake cuSPARSE.
#include "runtime/cuda/handle.h"
#include "runtime/cusparse/cusparse.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

// Returns a number of the fake cuSPARSE, which must be open.
int &ofFakeCusparse(const char *name) {
  void *library =
      dlopen(SPECMV_FAKE_TOOLKIT "/lib64/libcusparse.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  REQUIRE(library);
  int *number = static_cast<int *>(dlsym(library, name));
  REQUIRE(number);
  return *number;
}

auto handleOn(const std::shared_ptr<const GpuDevice> &gpu) {
  return llvm::cantFail(makeCusparseHandle(gpu));
}

} // namespace

TEST_CASE("a shelf gives back what was put there, and keeps a few") {
  Shelf shelf;
  CHECK_FALSE(shelf.take());
  const auto thing = std::make_shared<int>(7);
  for (int i = 0; i < 9; ++i)
    shelf.put(thing);
  CHECK(thing.use_count() == 1 + 4);
  CHECK(shelf.take() == thing);
  CHECK(thing.use_count() == 1 + 3);
  shelf.clear();
  CHECK(thing.use_count() == 1);
  CHECK_FALSE(shelf.take());
}

TEST_CASE("child: handles that are used again" * doctest::skip()) {
  {
    const auto gpu = llvm::cantFail(GpuDevice::open(0));
    handleOn(gpu);
    handleOn(gpu);
    CHECK(ofFakeCusparse("fakeHandlesMade") == 1);
    {
      const auto first = handleOn(gpu), second = handleOn(gpu); // at a time
      CHECK(ofFakeCusparse("fakeHandlesMade") == 2);
    }
    CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 0);
    gpu->forget();
    CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 2);
    handleOn(gpu);
    CHECK(ofFakeCusparse("fakeHandlesMade") == 3);
  }
  llvm::cantFail(GpuDevice::release(0));
  CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 3); // before the GPU's context was given back
  auto last = handleOn(llvm::cantFail(GpuDevice::open(0)));
  llvm::cantFail(GpuDevice::release(0)); // which the handle holds
  CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 3);
  last.reset();
  llvm::cantFail(GpuDevice::release(0));
  CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 4);
}

TEST_CASE("a handle that was let go is taken before one is made, and ends with its GPU") {
  passesWithFakeGpu("child: handles that are used again",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("child: streams of handles" * doctest::skip()) {
  const auto gpu = llvm::cantFail(GpuDevice::open(0));
  handleOn(gpu);
  handleOn(gpu);
  CHECK(ofFakeCusparse("fakeStreamsSet") == 2);
  ofFakeCusparse("fakeSetStreamResult") = 7;
  handleOn(gpu);
  CHECK(ofFakeCusparse("fakeHandlesDestroyed") == 1);
  ofFakeCusparse("fakeSetStreamResult") = 0;
  handleOn(gpu);
  CHECK(ofFakeCusparse("fakeHandlesMade") == 2);
}

TEST_CASE("a handle gives up its stream once, when it is let go, and is not kept if it cannot") {
  passesWithFakeGpu("child: streams of handles",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}
