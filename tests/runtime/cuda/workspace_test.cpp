// Tests of the memory of a set-up's workspace, observed through the calls that a fake driver
// receives.
#include "runtime/cuda/workspace.h"

#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

GpuWorkspace workspaceOn(const std::shared_ptr<const GpuDevice> &gpu) {
  return {gpu, DeviceCsr{{4, 4, 4}}, DeviceArrays{}, KernelLoader{}, nullptr};
}

std::vector<int64_t> contentsOf(GpuWorkspace &workspace, const std::string &name, int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count), -1);
  llvm::cantFail(workspace.read(name, 0, count, out.data()));
  return out;
}

} // namespace

TEST_CASE("child: small scratch arrays" * doctest::skip()) {
  auto gpu = llvm::cantFail(GpuDevice::open(0));
  const int live = fakeLive();
  {
    GpuWorkspace workspace = workspaceOn(gpu);
    const std::string calls = fakeCallsOf([&] {
      for (int i = 0; i < 20; ++i)
        llvm::cantFail(workspace.addScratch("small" + std::to_string(i), ElementType::i64, 100,
                                            i % 2 ? Contents::zeros : Contents::undefined));
    });
    CHECK(countOf("cuMemAlloc_v2", calls) == 1);
    CHECK(countOf("cuMemsetD8Async", calls) == 1);
    // Arrays do not share elements, and a name that was given back can be used again, with zeros.
    std::vector<int64_t> ones(100, 1), none(100, 0);
    llvm::cantFail(workspace.write("small0", ones.data(), 100));
    CHECK(contentsOf(workspace, "small1", 100) == none);
    CHECK(contentsOf(workspace, "small0", 100) == ones);
    workspace.drop("small0");
    llvm::cantFail(workspace.addScratch("small0", ElementType::i64, 100, Contents::zeros));
    CHECK(contentsOf(workspace, "small0", 100) == none);
    llvm::Error twice = workspace.addScratch("small0", ElementType::i64, 1, Contents::zeros);
    CHECK(llvm::errorToBool(std::move(twice)));
    // An array that does not fit gets its own memory.
    const std::string more = fakeCallsOf([&] {
      llvm::cantFail(workspace.addScratch("large", ElementType::i64, 1 << 14, Contents::zeros));
    });
    CHECK(countOf("cuMemAlloc_v2", more) == 1);
    CHECK(contentsOf(workspace, "large", 1 << 14) == std::vector<int64_t>(1 << 14, 0));
    CHECK(fakeLive() == live + 2);
  }
  CHECK(fakeLive() == live);
}

TEST_CASE("small scratch arrays share memory") { passesWithFakeGpu("child: small scratch arrays"); }

TEST_CASE("child: no memory for scratch arrays" * doctest::skip()) {
  auto gpu = llvm::cantFail(GpuDevice::open(0));
  const int live = fakeLive();
  for (const char *fails : {"cuMemAlloc_v2", "cuMemsetD8Async"}) {
    CAPTURE(std::string(fails));
    setenv("SPECMV_FAKE_FAILS", fails, 1);
    {
      GpuWorkspace workspace = workspaceOn(gpu);
      llvm::Error error = workspace.addScratch("small", ElementType::i64, 1, Contents::zeros);
      CHECK(llvm::errorToBool(std::move(error)));
    }
    unsetenv("SPECMV_FAKE_FAILS");
    CHECK(fakeLive() == live);
  }
}

TEST_CASE("memory for scratch arrays that cannot be had is told, and nothing is lost") {
  passesWithFakeGpu("child: no memory for scratch arrays");
}
